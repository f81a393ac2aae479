"""Bounds of unknown replies folded for all squares at once, against scores compared one by one."""

from __future__ import annotations

import numpy as np
import pytest

from tbgen.closures.bounds import UNKNOWN, Bound
from tbgen.closures.promotions import add_unknown
from tbgen.compiled.arrays import SignedBytes, Word
from tbgen.compiled.jit import borrowing
from tbgen.retro.words.moves import Scratch, new_scratch
from tbgen.score import Color, Score
from tests.retro.words.plain import word_of

CODES = [0, 1, 2, 3, 40, 126]


@borrowing
def fold(scratch: Scratch, entry: SignedBytes, kings: Word, bound: int, chooser: int) -> bool:
    return add_unknown(scratch, entry, kings, bound, chooser)


@pytest.mark.parametrize("chooser", Color)
@pytest.mark.parametrize("bound", Bound)
@pytest.mark.parametrize("seed", range(10))
def test_the_better_of_a_value_and_an_unknown_one_is_kept(
    bound: Bound, chooser: Color, seed: int
) -> None:
    draw = np.random.default_rng(seed)
    known = list[Score | None]()
    for _ in range(64):
        outcome = Score(int(draw.choice(CODES)), Color(int(draw.integers(0, 2))))
        known.append(None if draw.random() < 0.02 else outcome)
    asked = np.flatnonzero(draw.random(64) < draw.random()).tolist()
    entry = np.array([outcome.signed if outcome else 0 for outcome in known], np.int8)
    had_all = fold(new_scratch(0), entry, word_of(asked), int(bound), int(chooser))
    unknown = Score.from_signed(UNKNOWN[bound])
    expected = list(known)
    for square in asked:
        value = known[square]
        if value is None or unknown.worth_to(chooser) > value.worth_to(chooser):
            expected[square] = unknown
    assert entry.tolist() == [outcome.signed if outcome else 0 for outcome in expected]
    assert had_all == all(known[square] is not None for square in asked)
