"""The position of a game that the player is to move in, and its turn there."""

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
    origin: tuple[object, ...] = ()
    """The FEN of the first position, its accrued score, and whether castling is of Chess960."""
    moves: tuple[str, ...] = ()
    """The moves from there, as the host writes them."""

    @property
    def command(self) -> str:
        """The command that tells an ordinary engine of the game so far."""
        words = ["position fen", str(self.origin[0])]
        if self.moves:
            words += ["moves", *self.moves]
        return " ".join(words)

    def after(self, moves: Sequence[str]) -> Situation:
        """The position after some more moves."""
        board = self.board.copy(stack=False)
        score = self.accrued
        seen = self.seen.copy()
        for ply, word in enumerate(moves, len(self.moves) + 1):
            move = parse_move(board, word, ply)
            _, score, is_reset = play_move(board, move, score)
            if is_reset:
                seen.clear()
            seen[board.epd()] += 1
        return Situation(board, score, seen, self.origin, (*self.moves, *moves))


@dataclass(frozen=True, slots=True)
class Turn:
    """A position to move in, with the limits of the search."""

    now: Situation
    limits: GoLimits
    halt: threading.Event
    """Set to end the search."""
    hit: threading.Event = field(default_factory=threading.Event)
    """Set when the move that the player ponders on has been played."""
    lines: int = 1
    """The number of moves to show."""
    only: Sequence[chess.Move] = ()
    """The moves to choose from; none means all."""

    @property
    def mover(self) -> Color:
        return Color.of(self.now.board.turn)


def situation_of(
    first: chess.Board,
    accrued: Score | None,
    moves: Sequence[str],
    known: Situation | None = None,
) -> Situation:
    """The position after some moves; without `accrued` the first one counts with its own score.

    `known` may be an earlier position of the game: long games take no longer for each move.
    """
    score = own_score(first) if accrued is None else accrued
    fen = first.fen(shredder=first.chess960, en_passant="fen")
    origin = (fen, score, first.chess960)
    if known is not None and known.origin == origin:
        played = len(known.moves)
        if known.moves == tuple(moves[:played]):
            return known.after(moves[played:])
    return Situation(first, score, Counter([first.epd()]), origin).after(moves)
