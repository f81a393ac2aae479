"""Every proof is checked before it is spoken of."""

from __future__ import annotations

from tbgen.apps.hold.answers import Proof
from tbgen.apps.hold.check import check
from tbgen.apps.hold.check_large import check_large
from tbgen.apps.hold.strategy import Strategy
from tbgen.probe import Tablebase

LARGE = 2000
"""Moves of a strategy from which on its check is compiled; below, python-chess is done before a compiler is loaded."""


def check_strategy(strategy: Strategy, tables: Tablebase | None = None, name: str = "the proof") -> Proof:
    """A strategy that keeps its goal, with what its check has looked at; ProofError if it does not.

    >>> import chess
    >>> from tbgen.apps.hold.ladder import hold
    >>> from tbgen.score import Color
    >>> board = chess.Board("6k1/6p1/8/p6Q/8/2r5/1q4PP/7K w - - 0 1")
    >>> check_strategy(hold(board, Color.WHITE, goal="draw").proof.strategy).checked.moves
    5
    """
    is_large = len(strategy.moves) > LARGE and not strategy.board.castling_rights
    return Proof(strategy, (check_large if is_large else check)(strategy, tables, name))
