"""The tables that come with tbgen: what they hold, when they answer; nothing writes there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tbgen.errors import MissingTableError, UsageError
from tbgen.library.build import build_tables
from tbgen.library.catalog import Condition, examine
from tbgen.material import TableMaterial, all_materials, table_named
from tbgen.storage.files import (
    BUNDLED,
    Layer,
    folder_with,
    has_file,
    path_of,
    tables_in,
    tables_of,
)
from tbgen.storage.reader import TableFile
from tbgen.verify.digesting import Digests, digests_of

SMALL = [material for material in all_materials() if material.men <= 3]
KBVK = table_named("KBvK")


def digests_in(folder: Path, material: TableMaterial) -> Digests:
    with TableFile(path_of(folder, material)) as file:
        return digests_of(file, threads=1)


def test_they_are_all_tables_of_two_and_three_men() -> None:
    names = {path_of(BUNDLED, material, layer).name for material in SMALL for layer in Layer}
    assert {path.name for path in BUNDLED.iterdir()} == names


@pytest.mark.parametrize("material", SMALL, ids=str)
def test_they_have_the_values_of_tables_that_are_built_anew(
    material: TableMaterial, table_folder: Path
) -> None:
    assert examine(BUNDLED, material).condition is Condition.SOUND
    assert digests_in(BUNDLED, material) == digests_in(table_folder, material)


def test_they_come_after_every_named_folder(table_folder: Path, tmp_path: Path) -> None:
    assert folder_with([tmp_path], KBVK) == BUNDLED
    assert folder_with([tmp_path, table_folder], KBVK) == table_folder
    assert tables_of([tmp_path, table_folder]) == [(material, table_folder) for material in SMALL]
    assert tables_of([tmp_path]) == [(material, BUNDLED) for material in SMALL]


@pytest.mark.parametrize("name", ["whole-game", "M=WF", "M=WF/whole-game"])
def test_they_do_not_answer_for_other_games_or_men(name: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    assert not has_file([folder], KBVK)
    assert tables_of([folder]) == []
    with pytest.raises(MissingTableError):
        folder_with([folder], KBVK)


def test_nothing_writes_there() -> None:
    there = sorted(BUNDLED.iterdir())
    with pytest.raises(UsageError, match="nothing writes to the tables that come with tbgen"):
        build_tables(["KBvKN"], BUNDLED)
    assert sorted(BUNDLED.iterdir()) == there


def test_a_folder_that_is_built_is_complete_in_itself(tmp_path: Path) -> None:
    build_tables(["KBvK"], tmp_path)
    assert tables_in(tmp_path) == [table_named("KvK"), KBVK]
