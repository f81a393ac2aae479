"""Boards, moves and games seen in a mirror: colours exchanged, or the board turned."""

from __future__ import annotations

from collections.abc import Callable

import chess

Turn = Callable[[int], int]
"""Where a symmetry takes a square."""

LEFT_TO_RIGHT = chess.flip_horizontal
TURNS: dict[Callable[[int], int], Turn] = {
    chess.flip_horizontal: lambda square: square ^ 7,
    chess.flip_vertical: lambda square: square ^ 56,
    chess.flip_diagonal: lambda square: (square & 7) << 3 | square >> 3,
}
"""What python-chess does to a board -> where its squares go. They make all eight symmetries."""


def turned_move(move: chess.Move, turn: Turn) -> chess.Move:
    return chess.Move(turn(move.from_square), turn(move.to_square), move.promotion)


def exchanged(board: chess.Board) -> chess.Board:
    """A game with colours exchanged."""
    seen = board.root().mirror()
    for move in board.move_stack:
        seen.push(turned_move(move, chess.square_mirror))
    return seen


def turned(board: chess.Board, how: Callable[[int], int]) -> chess.Board:
    """A game on a board that is turned."""
    seen = board.root().transform(how)
    for move in board.move_stack:
        seen.push(turned_move(move, TURNS[how]))
    return seen
