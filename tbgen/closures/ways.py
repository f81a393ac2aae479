"""Ways to solve a position: which promotions are solved, and how closely.

A way that solves more takes longer and tells more. The solver goes through the ways of a position
from the quickest on, until its answer is exact or the budget is used up. Bounds replace what a way
does not solve.

The *free* men of a block are those that are not pawns, kings included. Each free man more makes 64
times as many cells. So a way says how many of them a block may have.
"""

from dataclasses import dataclass
from typing import Final

from tbgen.closures.cuts import ENDS, CutQuestion, Cuts
from tbgen.closures.nodes import Node
from tbgen.material import MOST_TABLE_MEN
from tbgen.men import Role
from tbgen.score import Color

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
    keeps_pieces: bool = False
    """Whether bounds replace what follows when a piece is taken after a promotion (see `reach`)."""

    def solves(self, role: Role, node: Node) -> bool:
        """Whether this way solves a node that a promotion to `role` leads to."""
        if role is Role.QUEEN:
            most = self.queen
        elif role is Role.KNIGHT:
            most = self.knight
        else:
            most = self.others
        return node.free <= min(most, _most_free(node)) and not _is_left_to_tables(node)

    def is_within(self, other: "Way") -> bool:
        """Whether another way solves at least what this one does, so that it takes as much."""
        return (
            self.queen <= other.queen
            and self.knight <= other.knight
            and self.others <= other.others
            and (self.keeps_pieces or not other.keeps_pieces)
        )

    def cuts_of(self, node: Node, promoted_by: Color | None, question: CutQuestion) -> Cuts:
        """The cuts at which a node is solved; none if all its outcomes are found.

        `promoted_by` is the side that has promoted last on the way to the node, if any has.
        """
        if node.free >= self.mates_free:
            if promoted_by is None:
                return ENDS
            return (ENDS[promoted_by],)  # the other one is hardly ever worth its time
        if node.free >= self.coarse_free:
            return question.cuts
        return ()


def _most_free(node: Node) -> int:
    """The most free men of a solved node after a promotion, by the pawns that are left."""
    if not node.pawns:
        return MOST_COARSE_FREE + 1
    if len(node.pawns) == 1:
        return MOST_COARSE_FREE
    return MOST_FREE


def _is_left_to_tables(node: Node) -> bool:
    """Whether a node is small enough for a table without pawns, which may be built instead."""
    return not node.pawns and node.free <= MOST_TABLE_MEN


def ways_of(free: int) -> list[Way]:
    """The ways for a position with this many free men, the quickest first.

    Each tells more than the one before.
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
    ways.append(Way(queen=MOST_FREE, knight=MOST_FREE, others=MOST_FREE))
    # A queen of the last pawn leaves one man more than other blocks have. The first question is
    # whether she mates.
    last = MOST_COARSE_FREE
    ways.append(Way(queen=last, knight=MOST_FREE, others=rooks, mates_free=last))
    ways.append(Way(queen=last, knight=MOST_FREE, others=rooks))
    ways.append(Way(queen=last, knight=last, others=rooks))
    return ways


def _ways_beside_the_last_pawn(free: int) -> list[Way]:
    """The ways for a position that has more free men already than most promotions may leave.

    First tbgen asks whether a queen mates or stalemates, then what she is worth, and then what a
    knight is worth. The last way solves no promotion. It is for machines that have no room for a
    queen's blocks.
    """
    promoted = free + 1
    return [
        Way(queen=promoted, knight=0, others=free, mates_free=promoted),
        Way(queen=promoted, knight=0, others=free, asks_singly=True),
        Way(queen=promoted, knight=promoted, others=free, asks_singly=True),
        Way(queen=0, knight=0, others=free),
    ]
