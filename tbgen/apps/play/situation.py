"""Situation: a position of a game with what counts of the moves before it."""

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
    """A position of a game: the board, what has accrued, and which positions have been there since the last reset."""

    board: chess.Board
    accrued: Score
    seen: Counter[str] = field(default_factory=Counter)
    """[EPD] how often."""


def situation_of(first: chess.Board, accrued: Score | None, moves: Sequence[str]) -> Situation:
    """The position after some moves; without `accrued` the first one counts with its own score."""
    board = first.copy(stack=False)
    score = own_score(board) if accrued is None else accrued
    seen = Counter([board.epd()])
    for ply, word in enumerate(moves, 1):
        _, score, reset = play_move(board, parse_move(board, word, ply), score)
        if reset:
            seen.clear()
        seen[board.epd()] += 1
    return Situation(board, score, seen)
