"""Cuts: bounds of all values of a block by a few scores that White gets at least, or does not.

A cut takes a bit a position. The lower bound of a value is the best cut that White gets. The upper bound is the next
score below the worst cut that White does not get. Closer cuts are chosen from what is known by then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from tbgen.index.handover import Entries
from tbgen.index.outcomes import worth_to_white
from tbgen.position.bounds import Bound
from tbgen.retro.drive.single import BlockBits, BlockOutcomes
from tbgen.score import MOST_STORED_CODE, Color, Score

Cuts = tuple[Score, ...]
"""Scores that White gets at least or does not, from White's best on."""

_ALL: Final = sorted((Score(code, color) for code in range(MOST_STORED_CODE + 1) for color in Color), reverse=True)
_LIKELY_CODE: Final = 40
_PART: Final = 1 << 22
"""Cells whose bounds are found at a time."""
MATES: Final[Cuts] = (Score("G0.0"), Score("-G0.5"))


def threshold_of(cut: Score) -> tuple[Score, bool]:
    """The threshold by which a cut is found, and whether White gets the cut where its holder does not get that."""
    return (cut, False) if cut.holder is Color.WHITE else (Score(cut.code - 1, Color.BLACK), True)


def outcomes_of(got: Sequence[npt.NDArray[np.bool_]], cuts: Cuts, bound: Bound) -> Entries:
    """The bounds of some values, of which is known which of the cuts White gets."""
    if bound is Bound.LOWER:  # the best that he gets
        return np.select(got, [np.int8(cut.signed) for cut in cuts], np.int8(bound.value))
    below = [np.int8(_ALL[_ALL.index(cut) + 1].signed) for cut in reversed(cuts)]  # the worst that he does not get
    return np.select([~each for each in reversed(got)], below, np.int8(bound.value))


def joined(values: Sequence[Entries], cuts: Cuts, bound: Bound) -> Entries:
    """The bounds of values that are right for one of the cuts each; 0 where there are none."""
    worths = [worth_to_white(each.astype(np.int64)) for each in values]
    found = outcomes_of([worth >= cut.rank for worth, cut in zip(worths, cuts, strict=True)], cuts, bound)
    return np.where(values[0] != 0, found, np.int8(0))


def outcomes_at(cuts: Cuts, bound: Bound, found: Sequence[BlockBits]) -> BlockOutcomes:
    """The bounds of a block's values, from what is found at each of some cuts."""
    met = [(each.met.ravel().view(np.uint8), threshold_of(cut)[1]) for cut, each in zip(cuts, found, strict=True)]
    entry = np.empty(found[0].met.size * 64, np.int8)
    for start in range(0, len(entry), _PART):
        end = min(start + _PART, len(entry))
        got = [np.unpackbits(bits[start >> 3 : end >> 3], bitorder="little") != is_other for bits, is_other in met]
        entry[start:end] = outcomes_of(got, cuts, bound)
    rights = joined([each.en_passant for each in found], cuts, bound)
    return BlockOutcomes(entry, rights, joined([each.answers for each in found], cuts, bound))


def first_cuts(accrued: Score) -> Cuts:
    """The cuts that prove the accrued score, which drawn positions are often worth."""
    here = min(max(_ALL.index(accrued), 1), len(_ALL) - 2)
    return tuple(_ALL[here - 1 : here + 1])


def next_cuts(tried: Sequence[Score], least: Score, most: Score) -> Cuts:
    """The cuts to be tried next, half-way between those tried: one for each bound that may be closer."""
    within = [cut for cut in _ALL if least < cut <= most]
    lower = [cut for cut in within if not any(least < other <= cut for other in tried)]
    upper = [cut for cut in within if not any(cut <= other <= most for other in tried)]
    return tuple(sorted({_middle(some) for some in (lower, upper) if some}, reverse=True))


def _middle(cuts: Sequence[Score]) -> Score:
    likely = [cut for cut in cuts if cut.code <= _LIKELY_CODE] or cuts
    return likely[len(likely) // 2]
