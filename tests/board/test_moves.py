"""The list of legal moves, and keys of positions, against python-chess."""

from __future__ import annotations

import random

import chess
import numpy as np

from tbgen.board.board import board_of, kernel_move, words_of
from tbgen.board.moves import MOST_MOVES, legal_moves
from tests.board.plies import random_game


def moves_by_kernels(board: chess.Board) -> list[int]:
    moves = np.zeros(MOST_MOVES, np.int64)
    return sorted(moves[: legal_moves(words_of(board), moves)].tolist())


def test_the_legal_moves_of_random_positions_are_those_of_python_chess() -> None:
    draw = random.Random(1)
    seen = 0
    for _ in range(40):
        board = random_game(draw, most_plies=60)
        while board.move_stack:
            expected = [kernel_move(board, move) for move in board.legal_moves]
            assert moves_by_kernels(board) == sorted(expected), board.fen()
            assert board_of(words_of(board)).epd() == board.epd()
            seen += 1
            board.pop()
    assert seen > 1000
