"""Resets folded for all squares at once, against scores compared one by one."""

from __future__ import annotations

import numpy as np
import pytest

from tbgen.compiled.arrays import SignedBytes, Word
from tbgen.compiled.jit import borrowing
from tbgen.retro.resets.folding import fold_line
from tbgen.retro.status import CHILD_HAS_NO_VALUE
from tbgen.retro.words.moves import Scratch, new_scratch
from tbgen.score import Color, Score
from tests.retro.words.plain import word_of

CELLS = 256
START = 100
CODES = [0, 1, 2, 3, 40, 126]
"""Mate, stalemate and others; 126 is the highest code that an entry value has."""


@borrowing
def fold(scratch: Scratch, side: int, kings: Word, values: SignedBytes, start: int) -> None:
    fold_line(scratch, side, kings, values, start)


def some_outcomes(draw: np.random.Generator, size: int, empty: float) -> list[Score | None]:
    """Outcomes of either side; a part of them is missing."""
    outcomes = list[Score | None]()
    for _ in range(size):
        outcome = Score(int(draw.choice(CODES)), Color(int(draw.integers(0, 2))))
        outcomes.append(None if draw.random() < empty else outcome)
    return outcomes


def as_bytes(outcomes: list[Score | None]) -> SignedBytes:
    return np.array([outcome.signed if outcome else 0 for outcome in outcomes], np.int8)


@pytest.mark.parametrize("side", Color)
@pytest.mark.parametrize("seed", range(20))
def test_a_line_keeps_the_best_of_each_square(side: Color, seed: int) -> None:
    draw = np.random.default_rng(seed)
    values = some_outcomes(draw, CELLS, empty=0.0)
    known = some_outcomes(draw, 64, empty=0.4)
    asked = np.flatnonzero(draw.random(64) < draw.random()).tolist()
    scratch = new_scratch(0)
    scratch.folded.outcome[:] = as_bytes(known)
    fold(scratch, int(side), word_of(asked), as_bytes(values), START)
    expected = list(known)
    for square in asked:
        value = values[START + square]
        best = known[square]
        assert value is not None
        if best is None or value.worth_to(side) > best.worth_to(side):
            expected[square] = value
    assert scratch.folded.outcome.tolist() == as_bytes(expected).tolist()
    assert scratch.status[0] == 0


@pytest.mark.parametrize("side", Color)
def test_only_an_asked_square_without_a_value_is_an_error(side: Color) -> None:
    values = np.ones(CELLS, np.int8)
    values[START + 30] = 0
    scratch = new_scratch(0)
    all_others = [square for square in range(64) if square != 30]
    fold(scratch, int(side), word_of(all_others), values, START)
    assert scratch.status[0] == 0
    fold(scratch, int(side), word_of([30]), values, START)
    assert scratch.status[0] == CHILD_HAS_NO_VALUE
