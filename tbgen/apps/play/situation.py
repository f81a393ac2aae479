"""The position of a game that the player is to move in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import chess

from tbgen.rules.notation import parse_move
from tbgen.rules.position import own_score, play_move
from tbgen.score import Score


@dataclass(frozen=True)
class Situation:
    """A position of a game, with the accrued score."""

    board: chess.Board
    accrued: Score
    seen: Counter[str] = field(default_factory=Counter)
    """How often each position, written as EPD, has occurred since the last reset."""


def situation_of(first: chess.Board, accrued: Score | None, moves: Sequence[str]) -> Situation:
    """The position after some moves; without `accrued` the first one counts with its own score."""
    board = first.copy(stack=False)
    score = own_score(board) if accrued is None else accrued
    seen = Counter([board.epd()])
    for ply, word in enumerate(moves, 1):
        move = parse_move(board, word, ply)
        _, score, is_reset = play_move(board, move, score)
        if is_reset:
            seen.clear()
        seen[board.epd()] += 1
    return Situation(board, score, seen)
