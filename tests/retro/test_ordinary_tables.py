"""All tables of three and four men: mates as in ordinary tables, and the laws on seeded samples of pairs."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterator
from pathlib import Path

import chess
import numpy as np
import pytest

from tbgen.index.layout import layout_of
from tbgen.material import materials
from tbgen.rules.position import own_score
from tbgen.score import MATE_CODE, STALEMATE_CODE, Color, Score
from tbgen.table import Table, Tally
from tests.retro.tables import solve_from_values
from tests.verify.model import board_of

pytestmark = pytest.mark.slow

GOLDEN = Path(__file__).parent.parent / "golden" / "ordinary_tables.csv"
NAMES = [str(material) for men in (3, 4) for material in materials(men)]
CELLS = 60
ROWS = {row["material"]: row for row in csv.DictReader(GOLDEN.read_text().splitlines())}


@pytest.fixture(scope="module", params=NAMES)
def table(request: pytest.FixtureRequest) -> Table:
    """One table after another; all tests look at it before the next is solved."""
    return solve_from_values(request.param)


def mate(winner: Color) -> Score:
    return Score(MATE_CODE, winner)


def on_diagonals(table: Table, side: Color) -> dict[int, int]:
    """[entry value as a byte] -> how many placements have all men on one of the two long diagonals."""
    layout, found = layout_of(table.material), dict[int, int]()
    for squares in itertools.permutations(range(0, 64, 9), len(layout.slots)):
        byte = int(table.entry[layout.cell_of(int(side), squares)])
        found[byte] = found.get(byte, 0) + 2
    return found


def classes(table: Table, side: Color) -> dict[Score, int]:
    """Positions of labelled men that differ up to symmetry, by Burnside's count of orbits."""
    if table.material.pawns:
        return {outcome: tally.count // 2 for outcome, tally in table.tallies[side].items()}
    fixed = on_diagonals(table, side)
    counted = {outcome: tally.count + fixed.get(outcome.to_byte(), 0) for outcome, tally in table.tallies[side].items()}
    assert not any(count % 8 for count in counted.values())
    return {outcome: count // 8 for outcome, count in counted.items()}


@pytest.mark.parametrize("side", list(Color))
def test_mates_are_as_many_as_in_ordinary_tables(table: Table, side: Color) -> None:
    row, found = ROWS[str(table.material)], classes(table, side)
    wins, losses = found.get(mate(side), 0), found.get(mate(side.other), 0)
    draws = sum(found.values()) - wins - losses
    expected = [int(row[f"{str(side).lower()}_to_move_{result}"]) for result in ("wins", "draws", "losses")]
    assert [wins, draws, losses] == expected


@pytest.mark.parametrize("side", list(Color))
def test_the_longest_mate_is_as_long_as_in_ordinary_tables(table: Table, side: Color) -> None:
    moves = int(ROWS[str(table.material)][f"longest_{str(side).lower()}_mate_moves"])
    tally = table.tallies[side].get(mate(side), Tally(0, -1, -1))
    assert tally.max_dtg == 2 * moves - 1


def sample(table: Table) -> Iterator[tuple[chess.Board, Score, np.random.Generator]]:
    """Seeded positions that have moves, with their own scores."""
    layout, random = layout_of(table.material), np.random.default_rng(len(table.patterns))
    for cell in random.permutation(np.flatnonzero(table.entry))[:CELLS].tolist():
        board = board_of(layout, cell)
        own = own_score(board)
        if own.code > STALEMATE_CODE:
            yield board, own, random
