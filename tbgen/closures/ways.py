"""Ways to solve a position: which promotions are solved, and what is asked of the blocks behind
them.

A way that solves more takes longer and tells more. The solver goes through the ways of a position
from the quickest on, until its answer is exact or the budget is used up.
"""

from dataclasses import dataclass
from typing import Final

from tbgen.closures.cuts import ENDS, CutQuestion, Cuts
from tbgen.closures.nodes import MOST_COARSE_FREE, MOST_FREE, MOST_WHOLE_FREE, Node
from tbgen.material import MOST_TABLE_MEN
from tbgen.men import Role
from tbgen.score import Color

NEVER: Final = MOST_COARSE_FREE + 2
"""More men beside pawns than any block has."""


@dataclass(frozen=True)
class Way:
    """Which blocks of a closure are solved, by how many men in them are not pawns (their *free*
    men).
    """

    queen: int
    """A block that a promotion to a queen leads to is solved if it has at most so many free men."""
    knight: int
    """The same for a knight."""
    others: int
    """The same for a rook and a bishop, which a queen bounds (see `promotions`)."""
    mates_free: int = NEVER
    """Of blocks with at least so many free men it is only found who mates or stalemates."""
    coarse_free: int = MOST_WHOLE_FREE + 1
    """Other blocks with at least so many are solved at cuts, the rest with all outcomes."""
    climbs: bool = False
    """Whether a cut takes as long as a table with a man more, so that one is asked at a time."""

    def solves(self, role: Role, node: Node) -> bool:
        """Whether a node without a table is solved that a promotion to a role leads to."""
        if role is Role.QUEEN:
            most = self.queen
        elif role is Role.KNIGHT:
            most = self.knight
        else:
            most = self.others
        has_table_elsewhere = not node.pawns and node.free <= MOST_TABLE_MEN
        return node.is_solvable and node.free <= most and not has_table_elsewhere

    def cuts_of(self, node: Node, promoter: Color | None, question: CutQuestion) -> Cuts:
        """The cuts at which a node is solved; none if all its outcomes are found."""
        if node.free >= self.mates_free:
            if promoter is None:
                return ENDS
            return (ENDS[promoter],)  # the other one is hardly ever worth its time
        if node.free >= self.coarse_free:
            return question.cuts
        return ()


def ways_of(free: int) -> list[Way]:
    """The ways for a position with so many free men, the quickest first; each tells more than the
    last.
    """
    if free > MOST_FREE:
        return _ways_beside_the_last_pawn(free)
    ways = list[Way]()
    # A queen bounds a rook and a bishop, so these are solved only where everything is.
    rooks = min(free, MOST_WHOLE_FREE)
    for queens in range(rooks, MOST_FREE + 1):
        for knights in range(max(rooks, queens - 1), queens + 1):
            ways.append(Way(queens, knights, rooks))
    ways.append(Way(MOST_FREE, MOST_FREE, MOST_FREE))
    # A queen of the last pawn leaves one man more than other blocks have. Whether she mates is
    # found first.
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
        Way(queen=promoted, knight=0, others=free, climbs=True),
        Way(queen=promoted, knight=promoted, others=free, climbs=True),
        Way(queen=0, knight=0, others=free),
    ]
