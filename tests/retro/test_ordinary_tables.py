"""All tables of three and four men: mates as in ordinary tables, and the laws on seeded samples of pairs."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path

import chess
import numpy as np
import pytest

from tbgen.index.layout import layout_of
from tbgen.material import Material, materials
from tbgen.rules.position import own_score
from tbgen.score import MATE_CODE, STALEMATE_CODE, Color, Score
from tbgen.table import EntryValues, Table, Tally
from tests.retro.tables import solve_from_values, values
from tests.verify.model import best_value, board_of, value_of

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


class Family(Mapping[Material, Table | EntryValues]):
    """A table, and the values of whatever its resets lead to."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def __getitem__(self, material: Material) -> Table | EntryValues:
        return self.table if material == self.table.material else values(str(material))

    def __iter__(self) -> Iterator[Material]:
        return iter((self.table.material, *self.table.material.children()))

    def __len__(self) -> int:
        return 1 + len(self.table.material.children())


def sample(table: Table) -> Iterator[tuple[chess.Board, Score, np.random.Generator]]:
    """Seeded positions that have moves, with their own scores."""
    layout, random = layout_of(table.material), np.random.default_rng(len(table.patterns))
    for cell in random.permutation(np.flatnonzero(table.entry))[:CELLS].tolist():
        board = board_of(layout, cell)
        own = own_score(board)
        if own.code > STALEMATE_CODE:
            yield board, own, random


def test_values_are_the_best_over_the_moves(table: Table) -> None:
    tables = Family(table)
    for board, own, random in sample(table):
        scores = [own, *[Score(int(random.integers(2, own.code + 1)), Color(random.integers(2))) for _ in range(3)]]
        for accrued in scores:
            assert value_of(tables, board, accrued) == best_value(tables, board, accrued), (board.fen(), accrued)


def test_an_entry_value_below_the_own_code_does_not_depend_on_the_accrued_score(table: Table) -> None:
    tables = Family(table)
    for board, own, random in sample(table):
        entry, dtg = value_of(tables, board, own)
        if entry.code < own.code:
            accrued = Score(int(random.integers(max(2, entry.code + 1), own.code + 1)), Color(random.integers(2)))
            assert best_value(tables, board, accrued) == (entry, dtg), (board.fen(), accrued)


def test_a_better_accrued_score_is_never_worth_less(table: Table) -> None:
    tables = Family(table)
    for board, own, _ in sample(table):
        scores = sorted((Score(code, color) for color in Color for code in range(2, own.code + 1)), reverse=True)
        found = [value_of(tables, board, accrued)[0] for accrued in scores]
        assert found == sorted(found, reverse=True), board.fen()
