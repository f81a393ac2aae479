"""Every table of two to four men of either game, as built, is proved by its moves."""

from __future__ import annotations

from pathlib import Path

import pytest

from tbgen.cli.build import BuildWatcher
from tbgen.library.build import build
from tbgen.library.plan import Settings
from tbgen.material import materials
from tbgen.score import Mobility
from tbgen.storage.files import folder_for
from tests.cli.calls import tbgen

ALL = [material for men in (2, 3, 4) for material in materials(men)]


@pytest.mark.slow
def test_every_table_of_up_to_four_men_passes(four_men_folder: Path) -> None:
    result = tbgen("verify", folder=four_men_folder)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.slow
def test_every_table_of_whole_game_mobility_of_up_to_four_men_passes(tmp_path: Path) -> None:
    """All pairs of KPvKP and of those without pawns; of the others those of 20,000 positions."""
    build(folder_for(tmp_path, Mobility.WHOLE_GAME), ALL, BuildWatcher(), Settings(threads=2))
    whole = [
        str(material) for material in ALL if "P" not in str(material) or str(material) == "KPvKP"
    ]
    others = [str(material) for material in ALL if str(material) not in whole]
    assert len(whole) + len(others) == 36
    for names in (whole, [*others, "--sample", "20000"]):
        result = tbgen("verify", *names, folder=tmp_path / "whole-game")
        assert result.returncode == 0, result.stdout + result.stderr
