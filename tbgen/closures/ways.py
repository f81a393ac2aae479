"""Ways to solve a position: which promotions are solved, and what their blocks are asked.

A way that solves more takes longer and tells more. The solver goes through the ways of a position
from the quickest on, until its answer is exact or the budget is used up.
"""

from dataclasses import dataclass
from typing import Final

from tbgen.closures.cuts import ENDS, CutQuestion, Cuts
from tbgen.closures.nodes import Node
from tbgen.material import MOST_TABLE_MEN
from tbgen.men import Role
from tbgen.score import Color

MOST_WHOLE_FREE: Final = 3
"""The most men beside pawns in a block with all outcomes: one more takes 64 times the time."""

MOST_FREE: Final = 4
"""The most after a promotion that leaves several pawns; such blocks are asked a few cuts alone."""

MOST_COARSE_FREE: Final = 5
"""The most after a promotion that leaves a single pawn; without pawns there may be one more."""

NEVER: Final = 32
"""No block has so many men beside its pawns."""


@dataclass(frozen=True)
class Way:
    """Which blocks of a closure are solved, and how closely.

    Each number counts the *free* men of a block, which are not pawns.
    """

    queen: int
    """The most free men of a solved block that a promotion to a queen leads to."""
    knight: int
    """The same for a knight."""
    others: int
    """The same for a rook and a bishop, which a queen bounds (see `promotions`)."""
    mates_free: int = NEVER
    """Blocks with at least this many free men are asked only who mates or stalemates."""
    coarse_free: int = MOST_WHOLE_FREE + 1
    """Other blocks with at least this many are solved at cuts, the rest with all outcomes."""
    asks_singly: bool = False
    """Whether cuts are asked one at a time, because each takes as long as a table of more men."""
    keeps_pieces: bool = False
    """Whether bounds replace blocks that a promotion leads to, once a piece has been taken."""

    def solves(self, role: Role, node: Node) -> bool:
        """Whether this way solves a node that a promotion to `role` leads to."""
        if role is Role.QUEEN:
            most = self.queen
        elif role is Role.KNIGHT:
            most = self.knight
        else:
            most = self.others
        most = min(most, MOST_FREE + max(2 - len(node.pawns), 0))
        has_table_elsewhere = not node.pawns and node.free <= MOST_TABLE_MEN
        return node.free <= most and not has_table_elsewhere

    def cuts_of(self, node: Node, promoter: Color | None, question: CutQuestion) -> Cuts:
        """The cuts at which a node is solved; none if all its outcomes are found.

        `promoter` is the side whose last pawn promotes there.
        """
        if node.free >= self.mates_free:
            if promoter is None:
                return ENDS
            return (ENDS[promoter],)  # the other one is hardly ever worth its time
        if node.free >= self.coarse_free:
            return question.cuts
        return ()


def ways_of(free: int) -> list[Way]:
    """The ways for a position with this many free men, the quickest first.

    Each tells more than the one before.
    """
    if free > MOST_FREE:
        return _ways_beside_the_last_pawn(free)
    ways = list[Way]()
    # A queen bounds a rook and a bishop, so these are solved only where everything is.
    rooks = min(free, MOST_WHOLE_FREE)
    for queens in range(rooks, MOST_FREE + 1):
        for knights in range(max(rooks, queens - 1), queens + 1):
            ways.append(Way(queen=queens, knight=knights, others=rooks))
    if free < MOST_WHOLE_FREE:
        # Beside kings and pawns a side with a queen mostly wins, whatever else can happen.
        ways.insert(1, Way(queen=free + 1, knight=free, others=free, keeps_pieces=True))
    ways.append(Way(queen=MOST_FREE, knight=MOST_FREE, others=MOST_FREE))
    # A queen of the last pawn leaves one man more than other blocks have. The first question is
    # whether she mates.
    last = MOST_COARSE_FREE
    ways.append(Way(queen=last, knight=MOST_FREE, others=rooks, mates_free=last))
    ways.append(Way(queen=last, knight=MOST_FREE, others=rooks))
    ways.append(Way(queen=last, knight=last, others=rooks))
    return ways


def _ways_beside_the_last_pawn(free: int) -> list[Way]:
    """The ways for a position whose last pawn leaves the most men when it promotes."""
    promoted = free + 1
    return [
        Way(queen=promoted, knight=0, others=free, mates_free=promoted),
        Way(queen=promoted, knight=0, others=free, asks_singly=True),
        Way(queen=promoted, knight=promoted, others=free, asks_singly=True),
        Way(queen=0, knight=0, others=free),
    ]
