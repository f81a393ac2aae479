"""The reference's moves and scores against python-chess, position by position."""

from __future__ import annotations

import random

import chess
import numpy as np
import pytest

from tests import positions

from .reference.graph import Men, may_have_jumped
from .reference.material import Material
from .reference.moves import (
    CAPTURED,
    MOST_MOVES,
    NO_SQUARE,
    PROMOTION,
    is_en_passant,
    is_legal_position,
    legal_moves,
    man_on,
    own_code,
)

WITHOUT_PAWNS = ["KvK", "KNvK", "KBvK", "KRvK", "KQvK", "KBvKN", "KNNvK", "KQvKR", "KRBvKN"]
WITH_PAWNS = ["KPvK", "KPvKP", "KRvKP", "KPPvK", "KQPvK", "KPPvKP", "KNPvKPP"]


def slots_of(material: Material) -> list[tuple[int, int]]:
    return list(zip(material.colors.tolist(), material.roles.tolist(), strict=True))


def agreed_moves(
    material: Material, board: chess.Board, squares: np.ndarray, jumped: int = NO_SQUARE
) -> np.ndarray:
    """The moves, one a row; they and the score are those of python-chess."""
    men, table = (
        (material.roles, material.colors, squares, int(not board.turn)),
        np.empty((MOST_MOVES, 4), np.int64),
    )
    moves = table[: legal_moves(*men, jumped, table)]
    found = sorted(
        (int(squares[man]), to, max(promotion, 0)) for man, to, _, promotion in moves.tolist()
    )
    expected = sorted(
        (move.from_square, move.to_square, move.promotion or 0) for move in board.legal_moves
    )
    assert found == expected, board.fen()
    assert own_code(*men, len(moves)) == 2 * len(expected) + (not board.is_check()), board.fen()
    return moves


@pytest.mark.parametrize("name", WITHOUT_PAWNS + WITH_PAWNS)
def test_legality_moves_and_scores_are_those_of_python_chess_in_samples(name: str) -> None:
    material, draw = Material(name), np.random.default_rng(20200508)
    sides, placed = draw.integers(0, 2, 1200), draw.integers(0, 64, (1200, material.men))
    placed[:, material.pawns] = draw.integers(8, 56, (1200, len(material.pawns)))
    found = []
    for side, squares in zip(sides.tolist(), placed, strict=True):
        board = positions.board_of(slots_of(material), squares, side)
        legal = len(board.piece_map()) == material.men and positions.is_legal(board)
        assert is_legal_position(material.roles, material.colors, squares, side) == legal, (
            board.fen()
        )
        if legal:
            found.append(agreed_moves(material, board, squares))
    moves = np.concatenate(found)
    assert np.count_nonzero(moves[:, CAPTURED] >= 0) > 40 or name == "KvK"
    assert np.count_nonzero(moves[:, PROMOTION] >= 0) > 40 or name in WITHOUT_PAWNS


@pytest.mark.parametrize("name", ["KPvKP", "KPPvKP", "KRPvKP", "KBPvKP", "KQPvKP"])
def test_en_passant_is_that_of_python_chess_in_samples(name: str) -> None:
    material, draw, captures, refused = Material(name), random.Random(1886), 0, 0
    for _ in range(500):
        board = positions.random_board(draw, name, en_passant=1)
        squares, over = np.array(positions.squares_of(board, slots_of(material))), board.ep_square
        assert over is not None
        moves = agreed_moves(material, board, squares, over)
        men = Men(material.roles, material.colors, squares)
        assert may_have_jumped(
            men, squares, man_on(squares, over + (-8 if board.turn else 8)), int(not board.turn)
        )
        legal = sum(bool(is_en_passant(squares, move)) for move in moves)
        assert legal == sum(map(board.is_en_passant, board.legal_moves)), board.fen()
        captures, refused = (
            captures + legal,
            refused + len(list(board.generate_pseudo_legal_ep())) - legal,
        )
    assert captures > 100
    assert name == "KPvKP" or refused > 0  # without a slider nothing can forbid it
