"""Solved tables against counts published with the rules, and mates against ordinary tables."""

from __future__ import annotations

import itertools

import pytest

from tbgen.index.layout import layout_of
from tbgen.material import materials
from tbgen.score import MATE_CODE, Color, Score
from tbgen.table import Table, Tally
from tests.project import golden_rows
from tests.retro.tables import solve_from_values, solved

THREE_MEN, FOUR_MEN = ([str(material) for material in materials(men)] for men in (3, 4))
ORDINARY = {row["material"]: row for row in golden_rows("ordinary_tables.csv")}


@pytest.mark.parametrize(
    "row", golden_rows("entry_counts.csv"), ids=lambda row: " ".join(row.values())
)
def test_entry_values_are_as_many_as_the_rules_say(row: dict[str, str]) -> None:
    tallies = solved(row["material"]).tallies[Color[row["side_to_move"].upper()]]
    assert tallies[Score(row["outcome"])].count == int(row["positions"])


def test_the_longest_distance_of_bare_kings_is_fourteen() -> None:
    assert solved("KvK").dtg.max() == 14


@pytest.fixture(
    scope="module",
    params=[*THREE_MEN, *(pytest.param(name, marks=pytest.mark.slow) for name in FOUR_MEN)],
)
def table(request: pytest.FixtureRequest) -> Table:
    """One table after another; all tests look at it before the next is solved."""
    return solved(request.param) if request.param in THREE_MEN else solve_from_values(request.param)


def on_diagonals(table: Table, side: Color) -> dict[int, int]:
    """[entry value as a byte] -> how many placements have all men on one long diagonal."""
    layout = layout_of(table.material)
    found = dict[int, int]()
    for squares in itertools.permutations(range(0, 64, 9), len(layout.slots)):
        byte = int(table.entry[layout.cell_of(int(side), squares)])
        found[byte] = found.get(byte, 0) + 2
    return found


def classes(table: Table, side: Color) -> dict[Score, int]:
    """Positions of labelled men that differ up to symmetry, by Burnside's count of orbits."""
    if table.material.pawns:
        return {outcome: tally.count // 2 for outcome, tally in table.tallies[side].items()}
    fixed = on_diagonals(table, side)
    counted = {
        outcome: tally.count + fixed.get(outcome.signed, 0)
        for outcome, tally in table.tallies[side].items()
    }
    assert not any(count % 8 for count in counted.values())
    return {outcome: count // 8 for outcome, count in counted.items()}


@pytest.mark.parametrize("side", list(Color))
def test_mates_are_as_many_and_as_long_as_in_ordinary_tables(table: Table, side: Color) -> None:
    row = ORDINARY[str(table.material)]
    found = classes(table, side)
    name = str(side).lower()
    won, lost = (Score(MATE_CODE, winner) for winner in (side, side.other))
    wins = found.get(won, 0)
    losses = found.get(lost, 0)
    draws = sum(found.values()) - wins - losses
    assert [wins, draws, losses] == [
        int(row[f"{name}_to_move_{result}"]) for result in ("wins", "draws", "losses")
    ]
    longest = table.tallies[side].get(won, Tally(0, -1, -1)).max_dtg
    assert longest == 2 * int(row[f"longest_{name}_mate_moves"]) - 1
