"""The classics: fortresses, perpetual checks and blockades that are known to hold.

They are in tests/golden/holds.csv.
"""

from __future__ import annotations

from typing import NamedTuple

import chess

from tbgen.apps.hold.strategy import Goal, not_mated
from tbgen.rules.position import own_score
from tbgen.score import Color, Score
from tests.project import golden_rows


class Classic(NamedTuple):
    """A position that a side holds in ordinary chess."""

    name: str
    fen: str
    side: Color


ALL = [
    Classic(row["name"], row["fen"], Color[row["side"].upper()]) for row in golden_rows("holds.csv")
]
PENROSE = ALL[-1]
"""One man holds it; two men hold the others."""
CLASSICS = ALL[:-1]
SHUT = next(each.fen for each in CLASSICS if each.name == "shut chain, White")
FINE_70 = "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 {} - - 0 1"


def asked(fen: str, side: Color, goal: str) -> tuple[chess.Board, Goal, Score]:
    """A position, a goal, and the accrued score.

    That is the own score if it meets the goal, else the goal itself.
    """
    board = chess.Board(fen)
    wanted = not_mated(side) if goal == "draw" else Goal(side, Score(goal))
    own = own_score(board)
    return board, wanted, own if wanted.is_met_by(own) else wanted.outcome
