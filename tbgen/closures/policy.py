"""Which cuts are asked next, so that few questions make a bracket as close as it can be.

One bound is the value in most positions: the one by which unsolved promotions are worth nothing to
the side with the pawn. This *likely bound* is found first, unless another way has found it. Then a
single cut of the other bound may prove that it is the value.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from tbgen.closures.bracket import ANYTHING, Bracket
from tbgen.closures.cuts import SCORES, Bound, CutQuestion, Cuts
from tbgen.score import Color, Score

CUTS_AT_ONCE: Final = 4
"""Cuts asked together: one more takes a fifth of what finding the moves takes (see `costs`)."""

LEAST_SHARE: Final = 0.004
"""The share added to that of every score: a value may be one that no table with fewer pawns has."""

HALVING_CODES: Final = 8
"""The added share halves with so many codes, as values of many moves are rare."""

CODES_A_SHARE: Final = 500
"""A cut that is higher by so many codes counts like one that is off by all values.

Cuts of few moves take less time and memory.
"""


@dataclass(frozen=True)
class CutSearch:
    """What is known of a value, and which cuts have been asked."""

    within: Bracket
    tried: Mapping[Bound, Cuts]
    """[bound] -> the cuts that this way has asked with it."""
    promoter: Color | None
    """Whose last pawn promotes; None without pawns."""
    shares: Mapping[Score, float]
    """How common values are in tables of the same pieces with fewer pawns."""

    def next_question(self, *, asks_singly: bool, asks_both: bool) -> CutQuestion | None:
        """The cuts to ask next, with the bound to ask them with; None if nothing is left to ask.

        With `asks_singly`, a cut takes long, so the question has one. With `asks_both`, no later
        way can find the other bound.
        """
        if asks_singly:
            return self._ask_one_cut()
        left = self._open_cuts(self._likely_bound)
        if left and self._is_likely_bound_open:
            if self.promoter is None:
                cuts = shared_cut(left, SCORES[:-1])
            else:
                cuts = likely_cuts(left, self.shares)
            return CutQuestion(self._likely_bound, cuts)
        return self._ask_other_bound(asks_both=asks_both)

    def _ask_one_cut(self) -> CutQuestion | None:
        """Ask the next cut with the other bound, then with the likely one.

        The other bound comes first, because it may prove the value.
        """
        proof = self._proof
        for bound in (self._likely_bound.other, self._likely_bound):
            open_cuts = self._open_cuts(bound)
            if all(cut in open_cuts for cut in proof):
                return CutQuestion(bound, proof) if proof else None
        return None

    def _ask_other_bound(self, *, asks_both: bool) -> CutQuestion | None:
        """Ask the cut that would prove the likely bound.

        Once it has failed to, ask further cuts if no later way does.
        """
        other = self._likely_bound.other
        open_cuts = self._open_cuts(other)
        proof = self._proof
        if all(cut in open_cuts for cut in proof):
            return CutQuestion(other, proof) if proof else None
        if open_cuts and asks_both:
            return CutQuestion(other, likely_cuts(open_cuts, self.shares))
        return None

    @property
    def _likely_bound(self) -> Bound:
        return Bound.UPPER if self.promoter is Color.BLACK else Bound.LOWER

    @property
    def _is_likely_bound_open(self) -> bool:
        """Whether this way is to find the likely bound: it has begun, or nothing is known yet."""
        return any(self.tried.values()) or self.within == ANYTHING

    @property
    def _proof(self) -> Cuts:
        """The cut next to the likely bound; the other bound's answer may prove that both are equal.

        It is empty if they are equal already.
        """
        cuts = self._cuts_within()
        return tuple(cuts[:1] if self.promoter is Color.BLACK else cuts[-1:])

    def _cuts_within(self) -> list[Score]:
        """The cuts that divide the bracket."""
        least, most = self.within.ends
        return [cut for cut in SCORES if least < cut <= most]

    def _open_cuts(self, bound: Bound) -> list[Score]:
        """The cuts that those tried with a bound have not decided."""
        least, most = self.within.ends
        if bound is Bound.LOWER:
            failed = [cut for cut in self.tried[bound] if least < cut]
            return [cut for cut in self._cuts_within() if all(cut < other for other in failed)]
        met = [cut for cut in self.tried[bound] if cut <= most]
        return [cut for cut in self._cuts_within() if all(cut > other for other in met)]


def shared_cut(left: Sequence[Score], cuts: Sequence[Score]) -> Cuts:
    """The first open cut in a binary search through all cuts.

    Positions without pawns share their blocks, so all of them ask the same cuts.
    """
    # Of likely cuts the one of fewest moves takes the least time and memory.
    middle = min(likely_cuts(cuts, {}), key=lambda cut: cut.code)
    if middle in left:
        return (middle,)
    at = cuts.index(middle)
    is_below = middle < left[0]
    return shared_cut(left, cuts[:at] if is_below else cuts[at + 1 :])


def likely_cuts(cuts: Sequence[Score], shares: Mapping[Score, float]) -> Cuts:
    """At most `CUTS_AT_ONCE` of some consecutive cuts.

    A value is about equally likely to lie between any two of them.
    """
    first = SCORES.index(cuts[0])
    values = SCORES[first : first + len(cuts) + 1]
    weights = []
    for value in values:
        weights.append(shares.get(value, 0) + LEAST_SHARE * 0.5 ** (value.code / HALVING_CODES))
    totals = np.cumsum(weights)
    shares_above = totals[:-1] / totals[-1]
    costs = np.array([cut.code / CODES_A_SHARE for cut in cuts])
    chosen = set[int]()
    for part in range(1, CUTS_AT_ONCE + 1):
        distances = np.abs(shares_above - part / (CUTS_AT_ONCE + 1)) + costs
        chosen.add(int(distances.argmin()))
    return tuple(cuts[number] for number in sorted(chosen))
