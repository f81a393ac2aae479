"""Counts of ordinary chess, as others have published them, beside records and tables.

G0.0 is mate in either game, and the best score. So a position is worth `G0.0` exactly where White
wins an ordinary ending with the fifty-move rule ignored, and its distance is that to mate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from tbgen.apps.records.census import census_of
from tbgen.apps.records.record import Record, SideRecord
from tbgen.index.layout import layout_of
from tbgen.material import materials, table_named
from tbgen.score import MATE_CODE, Color, Score
from tbgen.storage.files import path_of, tables_of
from tbgen.storage.reader import TableFile
from tests.project import golden_rows

COUNTS = {row["material"]: row for row in golden_rows("ordinary_tables.csv")}
CORRECTED = {"KBPvKN": ("105", "100"), "KQPvKR": ("38", "37")}
"""White's longest mates that the published list has wrong, and what OEIS A274458 counts."""


def published_of(name: str) -> dict[str, str]:
    """What is published of an ending, corrected."""
    found = {column: figure for column, figure in COUNTS[name].items() if column != "material"}
    if name in CORRECTED:
        wrong, right = CORRECTED[name]
        assert found["longest_white_mate_moves"] == wrong
        found["longest_white_mate_moves"] = right
    return found


def figures_of(sides: Mapping[Color, SideRecord]) -> dict[str, str]:
    """The same of a record."""
    found = dict[str, int]()
    for side, record in sides.items():
        name = str(side).lower()
        outcomes = record.outcomes
        wins, losses = (
            record.counts.get(Score(MATE_CODE, winner), 0) for winner in (side, side.other)
        )
        draws = sum(record.counts.values()) - wins - losses
        results = {"wins": wins, "draws": draws, "losses": losses}
        found |= {f"{name}_to_move_{result}": count for result, count in results.items()}
        mate = outcomes.get(Score(MATE_CODE, side))
        longest = mate.longest if mate else None
        found[f"longest_{name}_mate_moves"] = 0 if longest is None else (longest.dtg + 1) // 2
    return {column: str(figure) for column, figure in found.items()}


def test_all_records_of_three_to_five_men_are_as_published(published: list[Record]) -> None:
    found = {
        str(record.material): figures_of(record.sides) for record in published if record.men > 2
    }
    assert found == {name: published_of(name) for name in COUNTS}
    assert len(found) == 145


@pytest.mark.parametrize("name", [*map(str, materials(3))])
def test_tables_of_three_men_are_as_published(records: dict[str, Record], name: str) -> None:
    assert figures_of(records[name].sides) == published_of(name)


def test_mutual_zugzwangs_are_as_published(published: list[Record]) -> None:
    counts = {str(record.material): record.zugzwangs.mates.classes for record in published}
    rows = golden_rows("mutual_zugzwangs.csv")
    assert len(rows) == 144
    for row in rows:
        material = table_named(row["material"])
        count = sum(int(figure) for column, figure in row.items() if column != "material")
        if material == material.flipped():
            count += int(row["whoever_moves_loses"])
        assert counts[str(material)] == count * layout_of(material).orders, material


@pytest.mark.slow
@pytest.mark.parametrize("name", [*map(str, materials(4))])
def test_tables_of_four_men_are_as_published_and_have_the_tallies(
    four_men_folder: Path, name: str
) -> None:
    with TableFile(path_of(four_men_folder, table_named(name))) as file:
        sides = census_of(file).sides
        tallies = file.tallies
    assert figures_of(sides) == published_of(name)
    for side in Color:
        found = {
            outcome: (each.placements, len(each.distances) - 1)
            for outcome, each in sides[side].outcomes.items()
        }
        assert found == {
            outcome: (tally.count, tally.max_dtg) for outcome, tally in tallies[side].items()
        }


@pytest.mark.given_tables
def test_given_tables_are_as_published(given_folder: Path) -> None:
    for material, folder in tables_of([given_folder]):
        with TableFile(path_of(folder, material)) as file:
            assert material.men == 2 or figures_of(census_of(file).sides) == published_of(
                str(material)
            ), material


def endings_by_longest_mate(endings: Mapping[str, Mapping[str, str]]) -> Counter[int]:
    """How many endings have a longest mate of so many moves; those with equal sides count once."""
    counts = Counter[int]()
    for name, figures in endings.items():
        winners = ["white"]
        has_equal_sides = name == str(table_named(name).flipped())
        if not has_equal_sides:
            winners.append("black")
        for winner in winners:
            moves = int(figures[f"longest_{winner}_mate_moves"])
            if moves:
                counts[moves] += 1
    return counts


def test_longest_mates_are_as_many_as_others_have_counted() -> None:
    """OEIS A274458 names no endings, and has one more of 28 moves than all lists we know."""
    counted = {int(row["moves"]): int(row["endings"]) for row in golden_rows("oeis_a274458.csv")}
    counted[28] -= 1
    assert endings_by_longest_mate({name: published_of(name) for name in COUNTS}) == Counter(
        counted
    )
    listed = endings_by_longest_mate(COUNTS)
    assert {moves for moves, count in counted.items() if listed[moves] != count} == {
        37,
        38,
        100,
        105,
    }
