"""Runs of solved blocks: taken up again where they were left, and one dictionary made of many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest

from tbgen.errors import RepresentationError
from tbgen.material import table_named
from tbgen.retro import solve_into
from tbgen.retro.drive.runs import MemoryStore
from tbgen.retro.patterns import dictionaries
from tbgen.retro.patterns.dictionaries import merge_patterns
from tbgen.table import Dictionary, Patterns
from tests.retro.tables import solved, table_of, values
from tests.retro.test_solver import assert_same

Row = tuple[int, int, int, int]
"""Holder, code, outcome, plies."""


def dictionary_of(patterns: Sequence[Sequence[Row]], often: np.ndarray) -> Dictionary:
    rows = list[int]()
    start = [0]
    for pattern in patterns:
        for holder, code, outcome, plies in pattern:
            rows.append(holder << 32 | code << 24 | (outcome & 0xFF) << 16 | plies)
        start.append(len(rows))
    return Dictionary(np.array(start, np.int64), np.array(rows, np.int64), often)


def made_up(seed: int) -> tuple[list[tuple[Row, ...]], np.ndarray]:
    """A run's patterns, the empty one first, and how often each of them occurs (some never)."""
    draw = np.random.default_rng(seed)
    patterns: dict[tuple[Row, ...], None] = {(): None}
    for _ in range(60):
        size = (draw.integers(0, 4), 4)
        rows = draw.integers([0, 2, -3, 0], [2, 5, 4, 3], size).tolist()
        patterns[tuple(sorted(tuple(row) for row in rows))] = None
    return list(patterns), draw.integers(0, 4, len(patterns))


def in_bytes(pattern: Sequence[Row]) -> bytes:
    """The rows of a pattern as bytes, by which equally frequent ones are ordered."""
    text = b""
    for holder, code, outcome, plies in pattern:
        text += bytes([holder, code, outcome & 0xFF, plies >> 8, plies & 0xFF])
    return text


def rows_of(patterns: Patterns) -> list[tuple[Row, ...]]:
    """The rows of each pattern."""
    columns = (patterns.holder, patterns.code, patterns.outcome, patterns.dtg)
    rows = list(zip(*[column.tolist() for column in columns], strict=True))
    return [tuple(rows[first:end]) for first, end in pairwise(patterns.start)]


def test_dictionaries_are_merged_by_frequency_and_content() -> None:
    runs = [made_up(seed) for seed in range(5)]
    total = Counter[tuple[Row, ...]]()
    for patterns, often in runs:
        total.update(dict(zip(patterns, often.tolist(), strict=True)))
    used = [pattern for pattern in total if pattern and total[pattern]]
    used.sort(key=lambda pattern: (-total[pattern], in_bytes(pattern)))
    parts = [dictionary_of(patterns, often) for patterns, often in runs]
    merged, numbers = merge_patterns(parts, sum(len(part.rows) for part in parts))
    assert rows_of(merged) == [(), *used]
    for (patterns, often), number in zip(runs, numbers, strict=True):
        for n, pattern in enumerate(patterns):
            if often[n]:
                assert rows_of(merged)[number[n]] == pattern


def test_rows_that_are_too_many_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [dictionary_of(*made_up(seed)) for seed in range(2)]
    monkeypatch.setattr(dictionaries, "MOST_CHAINS", 10)
    with pytest.raises(
        RepresentationError, match="the number of rows of all patterns does not fit"
    ):
        merge_patterns(runs, sum(len(run.rows) for run in runs))


@pytest.mark.parametrize("kept", [0.0, 0.3, 0.9, 1.0])
def test_a_table_is_the_same_if_some_of_its_runs_were_there(kept: float) -> None:
    material = table_named("KPvK")
    draw = np.random.default_rng(3)
    children = {child: values(str(child)) for child in material.children()}
    first = MemoryStore()
    second = MemoryStore()
    solve_into(first, material, children, threads=1)
    for run in first.runs():
        if draw.random() < kept:
            second.put(run, first.dictionary(run), first.cells(run.first, run.end))
    there = len(second.runs())
    assert_same(table_of(solve_into(second, material, children, threads=2)), solved("KPvK"))
    assert (there == 0) == (kept == 0.0)
    assert (there == len(first.runs())) == (kept == 1.0)
