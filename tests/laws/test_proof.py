"""A verifier notices every single wrong value: whatever is changed, wherever, class by class of
cells.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import pytest

from tbgen import Color
from tbgen.table import Patterns, Table
from tests.retro.tables import has_filled_blank, report_of, solved

Change = tuple[str, int, int]
"""A column, the place in it, and what stands there instead."""


def representatives(table: Table) -> np.ndarray:
    """One cell of each kind: same side to move, entry value, distance and pattern."""
    live = np.flatnonzero(table.entry)
    side = live // (len(table.entry) // 2)
    kinds = np.stack([side, table.entry[live], table.dtg[live], table.pattern[live]])
    return live[np.unique(kinds, axis=1, return_index=True)[1]]


def changes_of_cells(table: Table) -> Iterator[Change]:
    """Each value one better, one worse, for the other side, or none; each distance one longer or
    shorter; no position in some cells, and values there all the same.
    """
    for cell in representatives(table).tolist():
        entry = int(table.entry[cell])
        dtg = int(table.dtg[cell])
        wrong = {entry + 1, entry - 1, -entry, 0} - {entry}
        yield from (("entry", cell, each) for each in sorted(wrong))
        yield from (("dtg", cell, each) for each in (dtg + 1, dtg + 2, dtg - 1) if each >= 0)
    empty = np.flatnonzero(table.entry == 0)
    yield from (
        ("entry", cell, 1 - 2 * (cell % 2)) for cell in empty[:: len(empty) // 100 + 1].tolist()
    )


def changed(table: Table, change: Change) -> Table:
    column, cell, value = change
    values = getattr(table, column).copy()
    values[cell] = value
    fields = {column: values}
    return dataclasses.replace(table, **fields)


def fails(table: Table) -> bool:
    return has_filled_blank(table) or report_of(table).violation is not None


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("KvK", 3),
        ("KNvK", 431),
        ("KPvK", 6007),
        pytest.param("KvK", 1, marks=pytest.mark.slow),
        pytest.param("KNvK", 5, marks=pytest.mark.slow),
        pytest.param("KPvK", 307, marks=pytest.mark.slow),
    ],
)
def test_a_wrong_value_or_distance_is_found_in_cells_of_many_kinds(name: str, step: int) -> None:
    table = solved(name)
    assert not fails(table)
    assert [
        each for each in list(changes_of_cells(table))[::step] if not fails(changed(table, each))
    ] == []


def used_rows(table: Table) -> list[int]:
    """The rows of patterns that some position has."""
    starts = table.patterns.start.astype(int)
    used = np.unique(table.pattern[table.entry != 0])
    return [row for pattern in used.tolist() for row in range(starts[pattern], starts[pattern + 1])]


def with_row(table: Table, row: int, column: str, value: int) -> Table:
    values = getattr(table.patterns, column).copy()
    values[row] = value
    fields = {column: values}
    patterns: Patterns = dataclasses.replace(table.patterns, **fields)
    return dataclasses.replace(table, patterns=patterns)


@pytest.mark.parametrize("step", [263, pytest.param(5, marks=pytest.mark.slow)])
def test_a_wrong_row_of_a_pattern_is_found(step: int) -> None:
    table = solved("KNvK")
    missed = []
    for row in used_rows(table)[::step]:
        outcome = int(table.patterns.outcome[row])
        dtg = int(table.patterns.dtg[row])
        for column, value in (
            ("outcome", outcome + 1),
            ("outcome", -outcome),
            ("dtg", dtg + 1),
            ("dtg", dtg - 1),
        ):
            if not fails(with_row(table, row, column, value)):
                missed.append((row, column, value))
    assert missed == []


def test_a_wrong_count_is_found() -> None:
    """Of each outcome a count, a longest distance, its cell, or all of them, in turn."""
    table = solved("KvK")
    for side in Color:
        for number, (outcome, tally) in enumerate(table.tallies[side].items()):
            tallies = dict(table.tallies[side])
            if number % 4 == 3:
                del tallies[outcome]
            else:
                name = ("count", "max_dtg", "cell")[number % 4]
                fields = {name: getattr(tally, name) + 1}
                tallies[outcome] = dataclasses.replace(tally, **fields)
            assert fails(dataclasses.replace(table, tallies={**table.tallies, side: tallies}))
