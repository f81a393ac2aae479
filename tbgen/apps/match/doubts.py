"""Doubts about what an engine says: variations with illegal moves, and mates of the wrong sign.

They change no game. Authors of engines want to know.
"""

from __future__ import annotations

import enum
from typing import Final, NamedTuple

import chess
import chess.engine

from tbgen.apps.match.protocol import Info
from tbgen.score import Color
from tbgen.text import cleaned

_MOST_MOVES: Final = 100
"""The moves of a variation that are checked. A check takes time between two moves of a game."""
_TEXT_LENGTH: Final = 120
"""The characters of a variation that a warning quotes."""


class DoubtKind(enum.Enum):
    """What is wrong, in words."""

    ILLEGAL = "illegal principal variation"
    SIGN = "mate score of the wrong sign"

    @property
    def plural(self) -> str:
        """The words for several."""
        if self is DoubtKind.ILLEGAL:
            return "illegal principal variations"
        return "mate scores of the wrong sign"


class Doubt(NamedTuple):
    """What is wrong with the last line of an engine."""

    kind: DoubtKind
    details: str


def doubt_about(board: chess.Board, info: Info, score: chess.engine.Score | None) -> Doubt | None:
    """What is wrong with an `info` line about a position; None if it is right.

    Arguments:
        board: The position.
        info: The line.
        score: Its score as the side to move sees it.

    >>> line = Info.parse("info depth 1 score mate -1 pv f3f7")
    >>> board = chess.Board("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 2 3")
    >>> print(doubt_about(board, line, line.score).details)
    mate -1, but White mates in: f3f7
    """
    after = board.copy(stack=False)
    before = ""
    for word in info.variation[:_MOST_MOVES]:
        try:
            move = after.parse_uci(word)
        except ValueError:
            move = chess.Move.null()
        if not move:
            place = f" after {before}" if before else ""
            return Doubt(DoubtKind.ILLEGAL, f"{_short(word)} is no move{place}: {_text_of(info)}")
        after.push(move)
        before = word
    mate = None if score is None else score.mate()
    if mate is None or not after.is_checkmate() or len(info.variation) > _MOST_MOVES:
        return None
    mover_mates = after.turn != board.turn
    if mover_mates == (mate > 0):
        return None
    winner = Color.of(not after.turn)
    return Doubt(DoubtKind.SIGN, f"mate {mate}, but {winner} mates in: {_text_of(info)}")


def _text_of(info: Info) -> str:
    return _short(" ".join(info.variation))


def _short(text: str) -> str:
    return cleaned(text, _TEXT_LENGTH)
