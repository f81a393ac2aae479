"""Files of one mobility are never taken for those of the other."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tbgen.errors import DamagedTableError, UsageError
from tbgen.material import table_named
from tbgen.score import Mobility
from tbgen.storage.files import folder_for, mobility_of, path_of
from tbgen.storage.reader import TableFile
from tbgen.storage.writer import write_table
from tests.retro.tables import solved

KINGS = table_named("KvK")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of tables with both games' table of the kings alone."""
    whole = folder_for(tmp_path, Mobility.WHOLE_GAME)
    whole.mkdir()
    write_table(tmp_path, solved("KvK"), generator="1", source="a")
    write_table(whole, solved("KvK", Mobility.WHOLE_GAME), generator="1", source="a")
    return tmp_path


def test_a_table_comes_back_with_its_game(folder: Path) -> None:
    for mobility in Mobility:
        path = path_of(folder_for(folder, mobility), KINGS)
        with TableFile(path) as file:
            file.check()
            assert file.mobility is file.table().mobility is mobility


def test_a_file_under_the_name_of_the_other_game_is_refused(folder: Path) -> None:
    one = folder / "KvK.h5"
    other = folder / "whole-game" / "KvK.whole-game.h5"
    for here, there in ((one, other), (other, one)):
        kept = here.read_bytes()
        shutil.copy(there, here)
        with pytest.raises(DamagedTableError):
            TableFile(here).check()
        here.write_bytes(kept)


def test_the_folder_of_a_game_is_named_once_or_twice(tmp_path: Path) -> None:
    whole = folder_for(tmp_path, Mobility.WHOLE_GAME)
    assert folder_for(whole, Mobility.WHOLE_GAME) == whole
    assert mobility_of(whole) is Mobility.WHOLE_GAME
    with pytest.raises(UsageError, match="say so with --game, or mobility="):
        folder_for(whole, Mobility.RESET)
