"""Cuts: bounds of all values of a block by a few scores that White gets at least, or does not.

A cut takes a bit a position. The lower bound of a value is the best cut that White gets. The upper bound is the next
score below the worst cut that White does not get. Closer cuts are chosen from what is known by then.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tbgen.index.handover import Entries
from tbgen.index.outcomes import worth_to_white
from tbgen.position.bounds import Bound
from tbgen.score import MOST_STORED_CODE, Color, Score

Cuts = tuple[Score, ...]
"""Scores that White gets at least or does not, from White's best on."""

_ALL: Final = sorted((Score(code, color) for code in range(MOST_STORED_CODE + 1) for color in Color), reverse=True)
_LIKELY_CODE: Final = 40
MATES: Final[Cuts] = (Score("G0.0"), Score("-G0.5"))


def threshold_of(cut: Score) -> tuple[Score, bool]:
    """The threshold by which a cut is found, and whether White gets the cut where its holder does not get that."""
    return (cut, False) if cut.holder is Color.WHITE else (Score(cut.code - 1, Color.BLACK), True)


def gets(entry: Entries, cut: Score) -> npt.NDArray[np.bool_]:
    """Which outcomes are at least a cut."""
    found: npt.NDArray[np.bool_] = worth_to_white(entry.astype(np.int64)) >= cut.rank
    return found


def outcomes_of(got: Iterable[npt.NDArray[Any]], cuts: Cuts, bound: Bound) -> Entries:
    """The bounds of some values, of which is known which of the cuts White gets."""
    found = np.zeros(0, np.int8)
    for cut, each in zip(cuts, got, strict=True):
        if not len(found):
            found = np.full(len(each), bound.value, np.int8)
        if bound is Bound.LOWER:
            np.putmask(found, (each != 0) & (found == bound.value), np.int8(cut.signed))
        else:
            np.putmask(found, each == 0, np.int8(_ALL[_ALL.index(cut) + 1].signed))
    return found


def joined(values: Sequence[Entries], cuts: Cuts, bound: Bound) -> Entries:
    """The bounds of values that are right for one of the cuts each; 0 where there are none."""
    found = outcomes_of((gets(each, cut) for each, cut in zip(values, cuts, strict=True)), cuts, bound)
    return np.where(values[0] != 0, found, np.int8(0))


def first_cuts(accrued: Score) -> Cuts:
    """The cuts that prove the accrued score, which drawn positions are often worth."""
    here = min(max(_ALL.index(accrued), 1), len(_ALL) - 2)
    return tuple(_ALL[here - 1 : here + 1])


def next_cuts(tried: Sequence[Score], least: Score, most: Score) -> Cuts:
    """The cuts to be tried next, half-way between those tried: one for each bound that may be closer."""
    within = [cut for cut in _ALL if least < cut <= most]
    worst, best = (
        min((cut for cut in tried if cut > least), default=None),
        max((cut for cut in tried if cut <= most), default=None),
    )
    lower = [cut for cut in within if worst is None or cut < worst]
    upper = [cut for cut in within if best is None or cut > best]
    return tuple(sorted({_middle(some) for some in (lower, upper) if some}, reverse=True))


def _middle(cuts: Sequence[Score]) -> Score:
    likely = [cut for cut in cuts if cut.code <= _LIKELY_CODE] or cuts
    return likely[len(likely) // 2]
