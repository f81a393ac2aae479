"""The integers that hold several numbers, packed and unpacked here and nowhere else.

* label: an outcome's rank and the plies to it, so that of two labels the smaller is the better one for the forcer.
* event: a label of the middle and the accrued code (level) from which on it holds.
* site: where an entry of a bucket queue belongs: a word, the kind of the entry, the side to move.
* row: a line of a pattern (see patterns.py), so that rows sort as their columns do.
"""

from __future__ import annotations

import numpy as np

from tbgen.compiled.arrays import Int
from tbgen.compiled.jit import small
from tbgen.index.outcome_kernels import WORST_RANK, byte_of_rank

NO_LABEL = np.uint32(0xFFFFFFFF)
"""In place of a label, where there is none."""

LAST_LABEL = 1 << 40
"""Greater than any label."""


@small
def label_from(rank: Int, plies: Int) -> Int:
    return rank << 16 | plies


@small
def rank_of_label(label: Int) -> Int:
    return label >> 16


@small
def plies_of_label(label: Int) -> Int:
    return label & 0xFFFF


@small
def limit_of(level: Int) -> np.int64:
    """The first label that does not break a hold at this level: cells have no labels from here on."""
    return np.int64(WORST_RANK - level) << 16


@small
def event_from(level: Int, label: Int) -> np.int64:
    return np.int64(level << 32 | np.int64(label))


@small
def level_of_event(event: Int) -> Int:
    return event >> 32


@small
def label_of_event(event: Int) -> Int:
    return event & 0xFFFFFFFF


@small
def site_from(kind: Int, side: Int, word: Int) -> Int:
    return word * 8 + kind * 2 + side


@small
def word_of_site(site: Int) -> Int:
    return site >> 3


@small
def kind_of_site(site: Int) -> Int:
    return site >> 1 & 3


@small
def side_of_site(site: Int) -> Int:
    return site & 1


@small
def row_from(event: Int, forcer: Int) -> Int:
    """The row of an event of this forcer: holder (the other side), code, outcome's signed byte, plies."""
    label = label_of_event(event)
    outcome = np.int64(byte_of_rank(rank_of_label(label), forcer)) & 0xFF
    return (1 - forcer) << 32 | level_of_event(event) << 24 | outcome << 16 | plies_of_label(label)


@small
def holder_of_row(row: Int) -> Int:
    return row >> 32


@small
def code_of_row(row: Int) -> Int:
    return row >> 24 & 0xFF


@small
def outcome_of_row(row: Int) -> Int:
    """As an unsigned byte."""
    return row >> 16 & 0xFF


@small
def plies_of_row(row: Int) -> Int:
    return row & 0xFFFF
