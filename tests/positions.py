"""Positions for tests: men put on squares, and drawn at random."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any

import chess

from tbgen.material import Material

PLAYABLE = ~(chess.STATUS_TOO_MANY_CHECKERS | chess.STATUS_IMPOSSIBLE_CHECK)
"""What no game can reach and can be played on from: tables hold such positions."""

BISHOP = "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30"
"""With G4.0 accrued it is worth G1.5, by Ke5."""
AFTER_KE5 = "8/8/8/4KBk1/8/8/8/8 b - - 0 1"
"""The position after that move; in its own score it is worth G1.5, too."""

Slots = Iterable[tuple[Any, Any]]
"""The colour and the role of each man; 0 is White, here and in the reference."""


def played(fen: str, moves: list[str]) -> chess.Board:
    """A board with some moves in SAN on its stack."""
    board = chess.Board(fen)
    for move in moves:
        board.push_san(move)
    return board


def board_of(
    slots: Slots, squares: Iterable[int], side: int, en_passant: int | None = None
) -> chess.Board:
    """The board with men on squares, whatever the rules say of it."""
    board = chess.Board(None)
    board.turn = int(side) == 0
    board.ep_square = en_passant
    for (color, role), square in zip(slots, squares, strict=True):
        board.set_piece_at(int(square), chess.Piece(int(role), int(color) == 0))
    return board


def squares_of(board: chess.Board, slots: Slots) -> list[int]:
    """The square of each man, equal men in any order."""
    left = dict[tuple[bool, int], chess.SquareSet]()
    for color in chess.COLORS:
        for role in chess.PIECE_TYPES:
            left[color, role] = board.pieces(role, color)
    return [left[int(color) == 0, int(role)].pop() for color, role in slots]


def is_legal(board: chess.Board) -> bool:
    """Whether the board can be played on from."""
    return not board.status() & PLAYABLE


def letters_of(men: Material | str) -> str:
    """Men as a FEN has them: KBkn of KBvKN."""
    white, _, black = str(men).partition("v")
    return white + black.lower()


def random_board(draw: random.Random, men: Material | str, *, en_passant: float = 0) -> chess.Board:
    """A legal position of a material, or of men such as "KBkn", either side to move.

    `en_passant` is how often there is a right to take en passant, if both sides have pawns.
    """
    letters = letters_of(men)
    while True:
        squares = draw.sample(range(64), len(letters))
        board = chess.Board(None)
        board.turn = draw.random() < 0.5
        if en_passant and {"P", "p"} <= set(letters) and draw.random() < en_passant:
            put_side_by_side(draw, board, letters, squares)
        for square, letter in zip(squares, letters, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        if len(board.piece_map()) == len(letters) and is_legal(board):
            return board


def put_side_by_side(
    draw: random.Random, board: chess.Board, letters: str, squares: list[int]
) -> None:
    """Move a pawn of either side, so that the side to move may take the other's en passant."""
    file = draw.randrange(1, 7)
    rank = 4 if board.turn else 3
    behind = 5 if board.turn else 2
    taken = "p" if board.turn else "P"
    taker = taken.swapcase()
    squares[letters.index(taken)] = chess.square(file, rank)
    squares[letters.index(taker)] = chess.square(file + draw.choice((-1, 1)), rank)
    board.ep_square = chess.square(file, behind)


def random_boards(seed: int, count: int, materials: Sequence[Material | str]) -> list[chess.Board]:
    """So many of them, each of one of some materials."""
    draw = random.Random(seed)
    return [random_board(draw, draw.choice(materials)) for _ in range(count)]


def random_root(draw: random.Random, men: Material | str) -> chess.Board:
    """A position that games can reach, where there is something to play."""
    while True:
        board = random_board(draw, men)
        if board.is_valid() and any(board.legal_moves):
            return board
