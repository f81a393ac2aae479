"""Runs of solved blocks: taken up again where they were left, and one dictionary made of many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from tbgen.errors import RepresentationError
from tbgen.material import Material
from tbgen.retro import solve_into
from tbgen.retro.drive.runs import MemoryStore
from tbgen.retro.patterns import dictionaries
from tbgen.retro.patterns.dictionaries import merge_patterns
from tbgen.table import Dictionary
from tests.retro.tables import solved, table_of, values
from tests.retro.test_solver import assert_same

Row = tuple[int, int, int, int]
"""Holder, code, outcome, plies."""


def dictionary_of(patterns: Sequence[Sequence[Row]], often: np.ndarray) -> Dictionary:
    rows = [
        holder << 32 | code << 24 | (outcome & 0xFF) << 16 | plies
        for pattern in patterns
        for holder, code, outcome, plies in pattern
    ]
    start = np.cumsum([0, *[len(pattern) for pattern in patterns]])
    return Dictionary(start.astype(np.int64), np.array(rows, np.int64), often)


def made_up(seed: int) -> tuple[list[tuple[Row, ...]], np.ndarray]:
    """A run's patterns, the empty one first, and how often each of them occurs (some never)."""
    draw = np.random.default_rng(seed)
    found: dict[tuple[Row, ...], None] = {(): None}
    for _ in range(60):
        rows = [
            tuple(row)
            for row in draw.integers([0, 2, -3, 0], [2, 5, 4, 3], (draw.integers(0, 4), 4)).tolist()
        ]
        found[tuple(sorted(rows))] = None  # type: ignore[arg-type]
    return list(found), draw.integers(0, 4, len(found))


def in_bytes(pattern: Sequence[Row]) -> bytes:
    """The rows of a pattern as bytes, by which equally frequent ones are ordered."""
    return b"".join(bytes([h, c, o & 0xFF, plies >> 8, plies & 0xFF]) for h, c, o, plies in pattern)


def test_dictionaries_are_merged_by_frequency_and_content() -> None:
    runs = [made_up(seed) for seed in range(5)]
    total: Counter[tuple[Row, ...]] = Counter()
    for patterns, often in runs:
        total.update(dict(zip(patterns, often.tolist(), strict=True)))
    expected = sorted((p for p in total if p and total[p]), key=lambda p: (-total[p], in_bytes(p)))
    dictionaries = [dictionary_of(patterns, often) for patterns, often in runs]
    merged, numbers = merge_patterns(dictionaries, sum(len(each.rows) for each in dictionaries))
    rows = list(
        zip(
            *[c.tolist() for c in (merged.holder, merged.code, merged.outcome, merged.dtg)],
            strict=True,
        )
    )
    found = [tuple(rows[a:b]) for a, b in zip(merged.start, merged.start[1:], strict=False)]
    assert found == [(), *expected]
    for (patterns, often), number in zip(runs, numbers, strict=True):
        for n, pattern in enumerate(patterns):
            assert not often[n] or found[number[n]] == pattern


def test_rows_that_are_too_many_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [dictionary_of(*made_up(seed)) for seed in range(2)]
    monkeypatch.setattr(dictionaries, "MOST_CHAINS", 10)
    with pytest.raises(
        RepresentationError, match="the number of rows of all patterns does not fit"
    ):
        merge_patterns(runs, sum(len(run.rows) for run in runs))


@pytest.mark.parametrize("kept", [0.0, 0.3, 0.9, 1.0])
def test_a_table_is_the_same_if_some_of_its_runs_were_there(kept: float) -> None:
    material, draw = Material.parse("KPvK"), np.random.default_rng(3)
    children = {child: values(str(child)) for child in material.children()}
    first, second = MemoryStore(), MemoryStore()
    solve_into(first, material, children, threads=1)
    for run in first.runs():
        if draw.random() < kept:
            second.put(run, first.dictionary(run), first.cells(run.first, run.end))
    there = len(second.runs())
    assert_same(table_of(solve_into(second, material, children, threads=2)), solved("KPvK"))
    assert there == 0 if kept == 0.0 else there == len(first.runs()) if kept == 1.0 else there > 0
