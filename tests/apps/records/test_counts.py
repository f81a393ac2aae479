"""What is counted, beside slow counts, the tables' own tallies and figures from outside."""

from __future__ import annotations

from pathlib import Path

import pytest

from tbgen.apps.records.census import census_of
from tbgen.apps.records.record import Record
from tbgen.material import build_order, materials, table_named
from tbgen.score import Color
from tbgen.storage.files import path_of
from tbgen.storage.reader import TableFile
from tests.apps.records.slow import one_colored_in, spread_of, zugzwangs_of

SMALL = [str(material) for material in build_order(materials(3))]


@pytest.mark.parametrize("name", SMALL)
def test_counts_and_distances_are_those_of_the_reference(
    records: dict[str, Record], name: str
) -> None:
    for side in Color:
        found = {
            outcome.signed: (each.placements, each.classes, list(each.distances))
            for outcome, each in records[name].sides[side].outcomes.items()
        }
        assert found == spread_of(name, int(side))


@pytest.mark.parametrize("name", ["KvK", "KBvK", "KNvK", "KPvK"])
def test_zugzwangs_are_those_of_the_reference(records: dict[str, Record], name: str) -> None:
    found = records[name].zugzwangs
    expected = zugzwangs_of(name)
    for kind in ("all", "played", "mates", "holders"):
        count = getattr(found, kind)
        assert (count.placements, count.classes) == (
            expected[f"{kind} placements"],
            expected[f"{kind} classes"],
        ), kind
    far = (
        (0, 0)
        if found.longest is None
        else sorted((found.longest.white.dtg, found.longest.black.dtg), reverse=True)
    )
    assert tuple(far) == expected["longest"]


def test_only_tables_with_a_pair_of_bishops_tell_their_colours_apart(
    records: dict[str, Record], published: list[Record]
) -> None:
    assert {record.one_colored for record in records.values()} == {None}
    assert {str(record.material) for record in published if record.one_colored} >= {"KBBvK"}
    assert all("BB" in str(record.material) for record in published if record.one_colored)


@pytest.mark.parametrize("name", ["KvK", "KNvK", "KPvK"])
def test_counts_do_not_depend_on_threads(table_folder: Path, name: str) -> None:
    with TableFile(path_of(table_folder, table_named(name))) as file:
        assert census_of(file, threads=1) == census_of(file, threads=3)


@pytest.mark.slow
def test_bishops_on_squares_of_one_colour_are_counted_apart(four_men_folder: Path) -> None:
    with TableFile(path_of(four_men_folder, table_named("KBBvK"))) as file:
        one_colored = census_of(file).one_colored
        assert one_colored is not None
        for side, counts in one_colored.items():
            found = {
                outcome.signed: (count.placements, count.classes)
                for outcome, count in counts.items()
            }
            assert found == one_colored_in(file, int(side))
