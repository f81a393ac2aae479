"""All positions of a table as arrays, against the counts of its file and single probes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tbgen.errors import MissingTableError, UsageError
from tbgen.index.bulk import weights_of
from tbgen.index.layout import layout_of
from tbgen.index.squares import SYMMETRY
from tbgen.material import Material, table_named
from tbgen.probe import open_tablebase
from tbgen.score import Color
from tbgen.storage.files import path_of
from tbgen.storage.reader import TableFile

NAMES = ("KvK", "KBvK", "KQvK", "KPvK")


@pytest.mark.parametrize("name", NAMES)
def test_weights_add_up_to_the_counts_of_the_file(table_folder: Path, name: str) -> None:
    counts = {side: dict[int, int]() for side in Color}
    with open_tablebase(table_folder) as tables:
        for part in tables.positions(name, cells=5000):
            for side in Color:
                is_its_turn = part.white_to_move == (side is Color.WHITE)
                for outcome in np.unique(part.outcome[is_its_turn]).tolist():
                    weight = int(part.weight[is_its_turn & (part.outcome == outcome)].sum())
                    counts[side][outcome] = counts[side].get(outcome, 0) + weight
    with TableFile(path_of(table_folder, table_named(name))) as file:
        for side in Color:
            stored = {outcome.signed: count for outcome, count in file.counts[side].items()}
            assert counts[side] == stored


@pytest.mark.parametrize("name", NAMES)
def test_values_are_those_of_probes(table_folder: Path, name: str) -> None:
    with open_tablebase(table_folder) as tables:
        for part in tables.positions(name):
            probed = tables.probe_arrays(name, part.white_to_move, part.squares)
            assert (probed.outcome == part.outcome).all()
            assert part.dtg is not None
            assert (probed.dtg == part.dtg).all()
            assert len(part) == len(part.squares) == len(part.weight)


@pytest.mark.parametrize("name", ["KvKB", "KvKP"])
def test_a_name_with_the_weaker_side_first_keeps_its_colours(table_folder: Path, name: str) -> None:
    with open_tablebase(table_folder) as tables:
        weights = dict[int, int]()
        for part in tables.positions(name):
            assert str(part.material) == name
            probed = tables.probe_arrays(name, part.white_to_move, part.squares)
            assert (probed.outcome == part.outcome).all()
            assert (probed.dtg == part.dtg).all()
            for outcome in np.unique(part.outcome).tolist():
                weight = int(part.weight[part.outcome == outcome].sum())
                weights[-outcome] = weights.get(-outcome, 0) + weight
        canonical = Material.parse(name).canonical()
        for part in tables.positions(canonical):
            for outcome in np.unique(part.outcome).tolist():
                weights[outcome] -= int(part.weight[part.outcome == outcome].sum())
    assert not any(weights.values())


def test_a_table_without_distances_has_outcomes(table_folder: Path) -> None:
    with open_tablebase(table_folder, outcomes_only=True) as tables:
        (part,) = tables.positions("KBvK")
        assert part.dtg is None
        assert part.outcome.any()


def test_what_cannot_be_read_is_refused_at_once(table_folder: Path) -> None:
    with open_tablebase(table_folder) as tables:
        with pytest.raises(MissingTableError):
            tables.positions("KQvKR")
        with pytest.raises(UsageError, match="cells"):
            tables.positions("KvK", cells=0)


@pytest.mark.parametrize("name", ["KvK", "KQvK", "KRRvK", "KBvKB", "KNNvKN", "KPPvK"])
def test_a_weight_is_the_number_of_placements_that_symmetries_and_orders_make(name: str) -> None:
    draw = random.Random(name)
    layout = layout_of(table_named(name))
    mirrors = [SYMMETRY[number] for number in range(8)]
    if layout.pawns:
        mirrors = [np.arange(64), np.arange(64) ^ 7]
    for _ in range(300):
        squares: Sequence[int] = draw.sample(range(8, 56), len(layout.slots))  # where pawns can be
        if layout.pawns == 0 and draw.random() < 0.5:
            squares = [9 * (square % 8) for square in squares]
        if len({*squares}) < len(squares):
            continue
        _, squares = layout.squares_of(layout.cell_of(0, squares))
        images = set()
        for mirror in mirrors:
            men = zip(layout.slots, squares, strict=True)
            placed = [(str(man), int(mirror[square])) for man, square in men]
            images.add(tuple(sorted(placed)))
        assert weights_of(layout, [squares]).tolist() == [len(images) * layout.orders]
