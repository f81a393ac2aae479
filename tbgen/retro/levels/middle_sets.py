"""The sets of cells, by word, that finding the middle of a level needs beside the labels themselves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Bytes, Words
from tbgen.compiled.jit import by_address, inner
from tbgen.index.words import NOTHING, ONE, lowest_square
from tbgen.retro.levels.bucket_queue import BucketQueue, clear_queue, new_bucket_queue
from tbgen.retro.words.worklist import new_word_set

AGENDA_ENTRIES = 256
"""Entries of an agenda, a word; memory for them is touched as they come."""


@by_address
class Middle(NamedTuple):
    """What one forcer can bring about at the level at hand, beside the labels themselves."""

    unlabelled: Words
    """[side, word] free cells without a label."""
    labelled: Words
    """[side, word] cells, frozen ones too, that have a label from the level before, or a provisional one."""
    fresh: Words
    """[side, word] cells whose label has been confirmed at this level."""
    out: Words
    """[word] the forcer's cells, frozen ones too, without a label and in no class: the defender escapes to them."""
    gained: Words
    """[side, word] cells that joined a class since the last level."""
    touched: Words
    """[side, word >> 6] the words that have fresh or gained cells."""
    worst: Bytes
    """[side, word] no label of the word has a higher rank: most words need no look when labels expire."""
    agenda: BucketQueue
    """Cells to be rechecked in a later layer, and frozen cells that take effect in it."""


def new_middle(words: int) -> Middle:
    """A middle in which no cell has a label."""
    return Middle(
        unlabelled=np.zeros((2, words), np.uint64),
        labelled=np.zeros((2, words), np.uint64),
        fresh=np.zeros((2, words), np.uint64),
        out=np.zeros(words, np.uint64),
        gained=np.zeros((2, words), np.uint64),
        touched=np.stack([new_word_set(words), new_word_set(words)]),
        worst=np.zeros((2, words), np.uint8),
        agenda=new_bucket_queue(words * AGENDA_ENTRIES),
    )


@inner
def end_level(middle: Middle) -> None:
    """The labels of this level become those from before, and nothing is left to be looked at."""
    for side in range(2):
        for group in range(middle.touched.shape[1]):
            words = middle.touched[side, group]
            middle.touched[side, group] = NOTHING
            while words:
                word = group * 64 + lowest_square(words)
                words &= words - ONE
                middle.labelled[side, word] |= middle.fresh[side, word]
                middle.fresh[side, word] = NOTHING
                middle.gained[side, word] = NOTHING
    clear_queue(middle.agenda)
