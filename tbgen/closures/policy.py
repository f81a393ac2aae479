"""Policy: which promotions are solved, and which cuts are asked next.

A *way* that solves more promotions takes longer and tells more. The solver goes through the ways of
a position from the quickest on, until its answer is exact or the budget is used up. Bounds replace
what a way does not solve.

The *free* men of a block are those that are not pawns, kings included. Each free man more makes 64
times as many cells. So a way says how many of them a block may have.

In most positions the value is the bound by which unsolved promotions are worth nothing to the side
with the pawn. This *likely bound* is found first, unless another way has found it. Then a single
cut of the other bound may prove that it is the value.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from tbgen.closures.bounds import ANYTHING, ENDS, SCORES, Bound, Bracket, CutQuestion, Cuts
from tbgen.closures.placements import Node
from tbgen.material import MOST_TABLE_MEN
from tbgen.men import Role
from tbgen.score import Color, Score

MOST_WHOLE_FREE: Final = 3
"""The most free men of a block of which all outcomes are found; larger ones are solved at cuts."""

MOST_FREE: Final = 4
"""The most free men of a solved block after a promotion that leaves several pawns."""

MOST_COARSE_FREE: Final = 5
"""The same after a promotion that leaves a single pawn. Without pawns there may be one more."""

NEVER: Final = 32
"""More free men than any block has."""


@dataclass(frozen=True)
class Way:
    """Which blocks of a closure are solved, and how closely. Each number counts free men."""

    queen: int
    """The most free men of a solved block that a promotion to a queen leads to."""
    knight: int
    """The most free men of one that a promotion to a knight leads to."""
    others: int
    """The most free men of one that a promotion to a rook or bishop leads to.

    A queen bounds both of them (see `promotions`).
    """
    mates_free: int = NEVER
    """Blocks with at least this many free men are asked only who mates or stalemates."""
    coarse_free: int = MOST_WHOLE_FREE + 1
    """Other blocks with at least this many are solved at cuts, and smaller ones with all outcomes.
    """
    asks_singly: bool = False
    """Whether cuts are asked one at a time, because each takes minutes."""
    asks_both: bool = False
    """Whether it finds both bounds, because its queens may take all the time that is left."""
    keeps_pieces: bool = False
    """Whether bounds replace what follows when a piece is taken after a promotion (see `reach`)."""
    only_if_exact: bool = False
    """Whether it helps only if it leaves nothing to bounds."""
    is_last_resort: bool = False
    """Whether it helps only on a machine that has no room for the ways before it."""

    def solves(self, role: Role, node: Node) -> bool:
        """Whether this way solves a node that a promotion to `role` leads to."""
        if role is Role.QUEEN:
            most = self.queen
        elif role is Role.KNIGHT:
            most = self.knight
        else:
            most = self.others
        return node.free <= min(most, _most_free(node)) and not is_left_to_tables(node)

    def is_within(self, other: "Way") -> bool:
        """Whether another way solves at least what this one does, so that it takes as much."""
        return (
            self.queen <= other.queen
            and self.knight <= other.knight
            and self.others <= other.others
            and (self.keeps_pieces or not other.keeps_pieces)
        )

    def cuts_of(
        self, node: Node, promoters: frozenset[Color | None], question: CutQuestion
    ) -> Cuts:
        """The cuts at which a node is solved; none if all its outcomes are found.

        `promoters` are the sides that promote last on the ways to the node, None for a way without.
        """
        if node.free >= self.mates_free:
            for side in Color:
                if promoters == {side}:
                    return (ENDS[side],)  # the other one is hardly ever worth its time
            return ENDS
        if node.free >= self.coarse_free:
            return question.cuts
        return ()


def is_left_to_tables(node: Node) -> bool:
    """Whether a node has no pawns and so few men that a table may be built instead."""
    return not node.pawns and node.free <= MOST_TABLE_MEN


def _most_free(node: Node) -> int:
    """The most free men of a solved node after a promotion, by the pawns that are left."""
    if not node.pawns:
        return MOST_COARSE_FREE + 1
    if len(node.pawns) == 1:
        return MOST_COARSE_FREE
    return MOST_FREE


def ways_of(free: int) -> list[Way]:
    """The ways for a position with this many free men, the quickest first.

    Each tells more than the one before, but for the last resort.
    """
    if free > MOST_FREE:
        return _ways_beside_the_last_pawn(free)
    # A queen bounds a rook and a bishop, so these are solved only where everything is.
    rooks = min(free, MOST_WHOLE_FREE)
    ways = [Way(queen=rooks, knight=rooks, others=rooks)]
    if free < MOST_WHOLE_FREE:
        # Beside kings and pawns a side with a queen mostly wins, whatever else can happen.
        ways.append(Way(queen=free + 1, knight=free, others=free, keeps_pieces=True))
    for queens in range(rooks + 1, MOST_FREE + 1):
        for knights in (queens - 1, queens):
            ways.append(Way(queen=queens, knight=knights, others=rooks))
    # Rooks and bishops hardly ever matter where bounds are left.
    ways.append(Way(queen=MOST_FREE, knight=MOST_FREE, others=MOST_FREE, only_if_exact=True))
    # A queen of the last pawn leaves one man more than other blocks have. The first question is
    # whether she mates.
    last = MOST_COARSE_FREE
    of_queens = Way(queen=last, knight=MOST_FREE, others=rooks, asks_both=True)
    ways.append(replace(of_queens, mates_free=last))
    ways.append(of_queens)
    ways.append(replace(of_queens, knight=last))
    return ways


def _ways_beside_the_last_pawn(free: int) -> list[Way]:
    """The ways for a position that has more free men already than most promotions may leave.

    First tbgen asks whether a queen mates or stalemates, then what she is worth, and then what a
    knight is worth. The last way solves no promotion.
    """
    promoted = free + 1
    return [
        Way(queen=promoted, knight=0, others=free, mates_free=promoted, asks_both=True),
        Way(queen=promoted, knight=0, others=free, asks_singly=True),
        Way(queen=promoted, knight=promoted, others=free, asks_singly=True),
        Way(queen=0, knight=0, others=free, is_last_resort=True),
    ]


CUTS_AT_ONCE: Final = 4
"""Cuts asked together: one more takes a fifth of what finding the moves takes (see `costs`)."""

LEAST_SHARE: Final = 0.004
"""The share added to that of every score: a value may be one that no table with fewer pawns has."""

HALVING_CODES: Final = 8
"""The added share halves with so many codes, as values of many moves are rare."""

CODES_A_SHARE: Final = 500
"""A cut of so many codes more must part all values better to be chosen, a share of 1.

Cuts of few moves take less time and memory.
"""


def nothing_tried() -> dict[Bound, Cuts]:
    """No cuts, with either bound."""
    return dict.fromkeys(Bound, ())


@dataclass(frozen=True)
class CutSearch:
    """What is known of a value, and which cuts have been asked."""

    within: Bracket
    """The bracket so far, in which the value lies."""
    tried: Mapping[Bound, Cuts]
    """[bound] -> the cuts that this way has asked with it."""
    side_with_pawn: Color | None
    """The side that has pawns, White if both have some; None without pawns."""
    shares: Mapping[Score, float]
    """How common values are in tables of the same pieces with fewer pawns."""

    def next_question(
        self, *, asks_singly: bool, asks_both: Callable[[], bool]
    ) -> CutQuestion | None:
        """The cuts to ask next, with the bound to ask them with; None if nothing is left to ask.

        With `asks_singly`, a cut takes long, so the question has one. If
        `asks_both` says so, no later way can find the other bound.
        """
        if asks_singly:
            return self._ask_one_cut()
        if self._is_likely_bound_open:
            return self._ask_likely_bound()
        return self._ask_other_bound(asks_both)

    def _ask_likely_bound(self) -> CutQuestion:
        """Find the bound by which unsolved promotions are worth nothing, mostly in two rounds.

        The cuts part values that are about equally likely. Positions without pawns share their
        blocks, so all of them are asked the same cuts, one at a time.
        """
        open_cuts = self._open_cuts(self._likely_bound)
        if self.side_with_pawn is None:
            cuts = shared_cut(open_cuts, SCORES[:-1])
        else:
            cuts = likely_cuts(open_cuts, self.shares)
        return CutQuestion(self._likely_bound, cuts)

    def _ask_one_cut(self) -> CutQuestion | None:
        """Ask the cut next to the likely bound, with the other bound and then with that one.

        The other bound comes first, because it may prove the value.
        """
        cut = self._proving_cut
        if cut is None:
            return None
        for bound in (self._likely_bound.other, self._likely_bound):
            if cut in self._open_cuts(bound):
                return CutQuestion(bound, (cut,))
        return None

    def _ask_other_bound(self, asks_both: Callable[[], bool]) -> CutQuestion | None:
        """Ask whether the other bound proves that the likely one is the value.

        If it does not, find that bound too, unless a later way does.
        """
        other = self._likely_bound.other
        cut = self._proving_cut
        open_cuts = self._open_cuts(other)
        if cut is not None and cut in open_cuts:
            return CutQuestion(other, (cut,))
        if open_cuts and asks_both():
            return CutQuestion(other, likely_cuts(open_cuts, self.shares))
        return None

    @property
    def _likely_bound(self) -> Bound:
        return Bound.UPPER if self.side_with_pawn is Color.BLACK else Bound.LOWER

    @property
    def _is_likely_bound_open(self) -> bool:
        """Whether this way has cuts of the likely bound to ask.

        It has none if an earlier way has found that bound.
        """
        has_begun = any(self.tried.values())
        if not has_begun and self.within != ANYTHING:
            return False
        return bool(self._open_cuts(self._likely_bound))

    @property
    def _proving_cut(self) -> Score | None:
        """The cut next to the likely bound, asked with the other bound.

        The answer proves that both bounds are equal, or that they are not. None if they are known
        to be equal.
        """
        cuts = self._cuts_within()
        if not cuts:
            return None
        return cuts[0] if self.side_with_pawn is Color.BLACK else cuts[-1]

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


def shared_cut(open_cuts: Sequence[Score], cuts: Sequence[Score]) -> Cuts:
    """The first open cut in a binary search through all cuts.

    The search is the same for all positions, so they ask the same cuts.
    """
    # Of likely cuts the one of fewest moves takes the least time and memory.
    middle = min(likely_cuts(cuts, {}), key=lambda cut: cut.code)
    if middle in open_cuts:
        return (middle,)
    at = cuts.index(middle)
    is_below = middle < open_cuts[0]
    return shared_cut(open_cuts, cuts[:at] if is_below else cuts[at + 1 :])


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
