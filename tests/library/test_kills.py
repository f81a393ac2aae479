"""Builds that are killed at seeded moments, and end with the files of one that was left in peace."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from tbgen.material import Material, build_order, materials
from tbgen.storage.files import path_of
from tests.copies import copy_tables

from .kills import (
    assert_as_if_left_in_peace,
    assert_only_blocks_in_flight_are_lost,
    blocks_kept,
    finish,
    kill,
)
from .made_up import write_descent


def test_a_build_killed_at_any_moment_is_taken_up_again(tmp_path: Path, table_folder: Path) -> None:
    draw, names, kills = random.Random(80), [str(material) for material in materials(3)], 0
    for number in range(8):
        lines, seconds = draw.randrange(8), draw.uniform(0.0, 0.15)
        kills += kill(tmp_path, names, 1 + number % 2, lines=lines, seconds=seconds)
    assert kills > 3
    finish(tmp_path, names, 2)
    assert_as_if_left_in_peace(tmp_path, table_folder, build_order(materials(3)))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KPvKP", "KBvKN"])
def test_ninety_kills_make_no_difference(tmp_path: Path, four_men_folder: Path, name: str) -> None:
    """Killed again and again, mostly soon, until the table is there; KPvKP begins with all that has no pawns."""
    draw, wanted, kills, chains = random.Random(81), build_order([Material.parse(name)]), 0, 0

    def begun(folder: Path) -> Path:
        folder.mkdir()
        for material in wanted:
            if "P" in name and "P" not in str(material):
                copy_tables(four_men_folder, folder, str(material))
        return folder

    whole = begun(tmp_path / "whole")
    start = time.monotonic()
    finish(whole, [name])
    duration = time.monotonic() - start
    while kills < 90:
        chains += 1
        folder, most = begun(tmp_path / str(chains)), kills + 20
        while kills < most and not path_of(folder, wanted[-1]).exists():
            kills += kill(folder, [name], 1 + chains % 2, seconds=0.1 + 0.5 * duration * draw.random() ** 3)
        finish(folder, [name], 2)
        assert_as_if_left_in_peace(folder, four_men_folder, wanted)


@pytest.mark.slow
def test_a_table_of_five_men_loses_no_more_than_its_blocks_in_flight(tmp_path: Path, four_men_folder: Path) -> None:
    """With children that are made up: those of KPPPvK are half of all tables. scripts/kills.py does more of it."""
    draw, material = random.Random(82), Material.parse("KPPPvK")
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    for folder in (whole, killed):
        write_descent(folder, material, four_men_folder)
    began, kept, kills = time.monotonic(), set[int](), 0
    finish(whole, ["KPPPvK"])
    duration = time.monotonic() - began
    while kills < 6 and not path_of(killed, material).exists():
        kills += kill(killed, ["KPPPvK"], seconds=draw.uniform(0.1, 0.3) * duration)
        before, kept = kept, blocks_kept(killed, material)
        assert_only_blocks_in_flight_are_lost(killed, material, before, kept)
    assert kills > 1
    finish(killed, ["KPPPvK"])
    assert_as_if_left_in_peace(killed, whole, build_order([material]))
