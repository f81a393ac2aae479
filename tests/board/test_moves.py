"""The list of legal moves, and keys of positions, against python-chess."""

from __future__ import annotations

import random

import chess
import numpy as np

from tbgen.apps.hold.keys import unpack
from tbgen.board.board import BOARD_WORDS, board_of, kernel_move, words_of
from tbgen.board.moves import MOST_MOVES, legal_moves
from tests.board.plies import random_game, random_root


def written(board: chess.Board) -> list[int]:
    moves = np.zeros(MOST_MOVES, np.int64)
    return sorted(moves[: legal_moves(words_of(board), moves)].tolist())


def test_the_legal_moves_of_random_positions_are_those_of_python_chess() -> None:
    draw, seen = random.Random(1), 0
    for _ in range(40):
        board = random_game(draw, most_plies=60)
        while board.move_stack:
            assert written(board) == sorted(kernel_move(board, move) for move in board.legal_moves), board.fen()
            seen += 1
            board.pop()
    assert seen > 1000


def test_a_key_of_words_gives_its_board_back() -> None:
    """As `pack` writes it: four words of men, and one for all else."""
    from tbgen.apps.hold.closure import Attempt, Searcher
    from tbgen.apps.hold.strategy import Rung, not_mated
    from tbgen.rules.position import own_score
    from tbgen.score import Color

    draw, searcher = random.Random(3), Searcher(50)
    for _ in range(100):
        board = random_root(draw)
        if not any(board.legal_moves):
            continue
        attempt = Attempt(Rung.ALL, None, None)
        searcher.search(board, not_mated(Color.WHITE), own_score(board), attempt, None, lambda _: None)
        first = searcher.board_of(0)
        assert first.epd(en_passant="legal") == board.epd(en_passant="legal")
        assert first.ep_square is None or first.has_legal_en_passant()
    assert unpack(np.zeros(5, np.uint64), np.zeros(BOARD_WORDS, np.uint64)) == 0
    assert board_of(words_of(chess.Board())) == chess.Board(chess.STARTING_FEN)
