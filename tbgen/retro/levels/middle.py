"""Middle: who has a label for what a forcer brings about where nobody can force better than the accrued score."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen._jit import inner
from tbgen.index.words import NOTHING, ONE, lowest_square
from tbgen.retro.levels.bucket_queue import Seeds, clear_seeds, new_seeds

Words = npt.NDArray[np.uint64]

AGENDA_ENTRIES = 256
"""Room of an agenda, in entries a word; memory for them is taken as they come."""


class Middle(NamedTuple):
    """Sets of cells by word, and what is to be looked at."""

    unlabelled: Words
    """[side, word] open cells without a label."""
    labelled: Words
    """[side, word] cells, frozen ones too, that have one from before, or for now."""
    fresh: Words
    """[side, word] cells that got their label at this level."""
    out: Words
    """[word] the forcer's cells, closed ones too, without a label and in no class: ways out."""
    gained: Words
    """[side, word] cells that joined a class since the last level."""
    stirred: Words
    """[side, word >> 6] the words that have fresh or gained cells."""
    worst: npt.NDArray[np.uint8]
    """[side, word] no label has a higher rank."""
    agenda: Seeds
    """Positions to be asked in a layer, and frozen cells that take effect in it."""


def new_middle(words: int) -> Middle:
    """Nobody has a label."""
    return Middle(
        np.zeros((2, words), np.uint64),
        np.zeros((2, words), np.uint64),
        np.zeros((2, words), np.uint64),
        np.zeros(words, np.uint64),
        np.zeros((2, words), np.uint64),
        np.zeros((2, (words + 63) >> 6), np.uint64),
        np.zeros((2, words), np.uint8),
        new_seeds(words * AGENDA_ENTRIES),
    )


@inner
def end_level(middle):
    """The labels of this level are those from before, and nothing is left to be looked at."""
    for side in range(2):
        for group in range(middle.stirred.shape[1]):
            words = middle.stirred[side, group]
            middle.stirred[side, group] = NOTHING
            while words:
                word = group * 64 + lowest_square(words)
                words &= words - ONE
                middle.labelled[side, word] |= middle.fresh[side, word]
                middle.fresh[side, word] = NOTHING
                middle.gained[side, word] = NOTHING
    clear_seeds(middle.agenda)
