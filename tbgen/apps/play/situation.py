"""The position of a game that the player is to move in, and its task there."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import chess

from tbgen.apps.play.limits import GoLimits
from tbgen.rules.notation import parse_move
from tbgen.rules.position import own_score, play_move
from tbgen.score import Color, Score


@dataclass(frozen=True)
class Situation:
    """A position of a game, with the accrued score."""

    board: chess.Board
    accrued: Score
    seen: Counter[str] = field(default_factory=Counter)
    """How often each position, written as EPD, has occurred since the last reset."""
    position: str = ""
    """The command that tells an ordinary engine of the position and the moves before it."""


@dataclass(frozen=True, slots=True)
class Task:
    """A position to move in, with the limits of the search."""

    now: Situation
    limits: GoLimits
    halt: threading.Event
    """Set to end the search."""
    lines: int = 1
    """The number of moves to show."""
    only: Sequence[chess.Move] = ()
    """The moves to choose from; none means all."""

    @property
    def mover(self) -> Color:
        return Color.of(self.now.board.turn)


def situation_of(first: chess.Board, accrued: Score | None, moves: Sequence[str]) -> Situation:
    """The position after some moves; without `accrued` the first one counts with its own score."""
    board = first.copy(stack=False)
    fen = board.fen(shredder=board.chess960, en_passant="fen")
    position = f"position fen {fen}"
    if moves:
        position += f" moves {' '.join(moves)}"
    score = own_score(board) if accrued is None else accrued
    seen = Counter([board.epd()])
    for ply, word in enumerate(moves, 1):
        move = parse_move(board, word, ply)
        _, score, is_reset = play_move(board, move, score)
        if is_reset:
            seen.clear()
        seen[board.epd()] += 1
    return Situation(board, score, seen, position)
