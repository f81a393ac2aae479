"""Builds that are killed at seeded moments end with the files of one that was left in peace."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from tbgen.material import build_order, materials, table_named
from tbgen.storage.files import Layer, path_of

from .kills import (
    ON_DISK,
    assert_as_if_left_in_peace,
    assert_only_blocks_in_flight_are_lost,
    blocks_kept,
    finish,
    kill,
    leftovers,
    start,
)
from .made_up import write_descent


@pytest.mark.parametrize("seed", [80, pytest.param(31, marks=pytest.mark.slow)])
def test_a_build_killed_at_any_moment_is_taken_up_again(
    tmp_path: Path, table_folder: Path, seed: int
) -> None:
    """Moments are counted in files that come, blocks of tables among them."""
    draw = random.Random(seed)
    names = [str(material) for material in materials(3)]
    kills = 0
    for jobs in (2, 1):
        enough = len(list(tmp_path.rglob("*"))) + draw.randrange(2, 9)
        build = start(tmp_path, names, jobs, ON_DISK)
        kills += kill(build, tmp_path, lambda: len(list(tmp_path.rglob("*"))), enough)
    assert kills > 1
    finish(tmp_path, names, ON_DISK)
    assert_as_if_left_in_peace(tmp_path, table_folder, build_order(materials(3)))


def test_a_build_of_outcomes_killed_on_the_way_is_taken_up_again(
    tmp_path: Path, table_folder: Path
) -> None:
    pawn = table_named("KPvK")
    names = ["KPvK", "--outcomes"]
    kills = 0
    for blocks in (1, 5):
        build = start(tmp_path, names, 1, ON_DISK)
        kills += kill(build, tmp_path, lambda: len(blocks_kept(tmp_path, pawn)), blocks)
    assert kills > 0
    finish(tmp_path, names, ON_DISK)
    for material in build_order([pawn]):
        assert (
            path_of(tmp_path, material).read_bytes() == path_of(table_folder, material).read_bytes()
        )
        assert not path_of(tmp_path, material, Layer.DISTANCES).exists()
    assert not leftovers(tmp_path)


@pytest.mark.slow
def test_a_table_of_five_men_loses_no_more_than_its_blocks_in_flight(
    tmp_path: Path, four_men_folder: Path
) -> None:
    """With children that are made up: those of KPPPvK are half of all tables. research/kills.py
    does more of it.
    """
    draw = random.Random(82)
    material = table_named("KPPPvK")
    whole = tmp_path / "whole"
    killed = tmp_path / "killed"
    for folder in (whole, killed):
        write_descent(folder, material, four_men_folder)
    began = time.monotonic()
    kept = set[int]()
    kills = 0
    finish(whole, ["KPPPvK"])
    duration = time.monotonic() - began
    while kills < 6 and not path_of(killed, material).exists():
        end = time.monotonic() + draw.uniform(0.1, 0.3) * duration
        kills += kill(start(killed, ["KPPPvK"]), killed, time.monotonic, end)
        before = kept
        kept = blocks_kept(killed, material)
        assert_only_blocks_in_flight_are_lost(killed, material, before, kept)
    assert kills > 1
    finish(killed, ["KPPPvK"])
    assert_as_if_left_in_peace(killed, whole, build_order([material]))
