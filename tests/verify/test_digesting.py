"""Digests of values: the same whatever a file looks like, another one for any other value."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from tbgen.compiled.arrays import Ints
from tbgen.material import table_named
from tbgen.probe import open_tablebase
from tbgen.score import Color
from tbgen.storage.files import path_of
from tbgen.storage.order import order_of
from tbgen.storage.reader import TableFile
from tbgen.storage.writer import write_table
from tbgen.table import Patterns, Table
from tbgen.verify.digesting import Digests, digests_of, leaf_places_of, possible_scores
from tests.reference.digest import all_leaves, digests
from tests.reference.material import Material as TheirMaterial


def digests_in(folder: Path, name: str, threads: int = 1) -> Digests:
    with TableFile(path_of(folder, table_named(name))) as file:
        return digests_of(file, threads)


def digests_by_probes(folder: Path, name: str) -> Digests:
    """The digests that single answers give."""
    with open_tablebase(folder) as tables:

        def answers(sides: Ints, squares: Ints, accrued: Ints) -> tuple[Ints, Ints]:
            found = tables.probe_arrays(name, sides == 0, squares, accrued=accrued)
            assert not found.fault.any()
            return found.outcome.astype(np.int64), found.dtg.astype(np.int64)

        return Digests(*digests(name, answers))


@pytest.mark.parametrize("name", ["KvK", "KNvK", pytest.param("KPvK", marks=pytest.mark.slow)])
def test_digests_are_those_that_probes_alone_give(table_folder: Path, name: str) -> None:
    assert digests_in(table_folder, name) == digests_by_probes(table_folder, name)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["KBvK", "KRvK", "KQvK", "KPPvK", "KPvKP", "KBvKN", "KNNvK", "KNvKP"]
)
def test_digests_of_larger_tables_are_those_that_probes_alone_give(
    four_men_folder: Path, name: str
) -> None:
    assert digests_in(four_men_folder, name) == digests_by_probes(four_men_folder, name)


@pytest.mark.parametrize("name", ["KvK", "KPvK", "KNvKN", "KPvKP", "KBPvK", "KQRvKB", "KRPvKR"])
def test_there_are_as_many_leaves_as_in_the_reference(name: str) -> None:
    order = order_of(table_named(name))
    assert order.layout.cells // leaf_places_of(order) == len(list(all_leaves(TheirMaterial(name))))


def table_in(folder: Path, name: str) -> Table:
    with TableFile(path_of(folder, table_named(name))) as file:
        return file.table()


def digests_after(folder: Path, table: Table) -> Digests:
    """Of a table that is written to a file, in place of another one's."""
    path_of(folder, table.material).unlink(missing_ok=True)  # other outcomes of it would be refused
    write_table(folder, table, generator="test", source="test")
    return digests_in(folder, str(table.material))


def test_digests_do_not_depend_on_numbers_of_patterns_and_threads(
    table_folder: Path, tmp_path: Path
) -> None:
    table = table_in(table_folder, "KPvK")
    known = digests_in(table_folder, "KPvK")
    assert digests_in(table_folder, "KPvK", threads=3) == known
    # the patterns the other way round, but for the first one, which has no rows
    count = len(table.patterns)
    start = table.patterns.start.astype(np.int64)
    order = np.concatenate([np.arange(start[n], start[n + 1]) for n in range(count - 1, 0, -1)])
    sizes = np.append(0, np.diff(start)[:0:-1])
    rows = (table.patterns.holder, table.patterns.code, table.patterns.outcome, table.patterns.dtg)
    turned = Patterns(
        np.append(0, np.cumsum(sizes)).astype(np.uint32), *[row[order] for row in rows]
    )
    other = dataclasses.replace(
        table,
        pattern=np.where(table.pattern, count - table.pattern, 0).astype(np.uint32),
        patterns=turned,
    )
    assert digests_after(tmp_path, other) == known


def test_a_value_that_is_changed_changes_the_digests(table_folder: Path, tmp_path: Path) -> None:
    table = table_in(table_folder, "KPvK")
    known = digests_in(table_folder, "KPvK")
    cell = next(tally.cell for tallies in table.tallies.values() for tally in tallies.values())
    dtg = table.dtg.copy()
    entry = table.entry.copy()
    outcome = table.patterns.outcome.copy()
    dtg[cell] += 1
    entry[cell] = -entry[cell]
    outcome[0] += 1 if outcome[0] > 0 else -1
    patterns = dataclasses.replace(table.patterns, outcome=outcome)
    for changed in ({"dtg": dtg}, {"entry": entry}, {"patterns": patterns}):
        found = digests_after(tmp_path, dataclasses.replace(table, **changed))
        assert (found.outcomes == known.outcomes) == ("dtg" in changed)
        assert found.distances != known.distances


def test_bare_kings_leave_only_some_scores() -> None:
    possible = possible_scores(table_named("KBvK"))
    assert np.flatnonzero(possible[Color.WHITE]).max() == 17
    assert not possible[Color.BLACK, ::2].any()
    assert possible_scores(table_named("KBvKN"))[:, 2:].all(), "all but mate and stalemate"
