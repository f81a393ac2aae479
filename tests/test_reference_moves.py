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
    NO_PROMOTION,
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
SAMPLE = 1200


def slots_of(material: Material) -> list[tuple[int, int]]:
    return list(zip(material.colors.tolist(), material.roles.tolist(), strict=True))


def agreed_moves(
    material: Material, board: chess.Board, squares: np.ndarray, jumped: int = NO_SQUARE
) -> np.ndarray:
    """The moves, one a row; they and the score are those of python-chess."""
    roles = material.roles
    colors = material.colors
    side = int(not board.turn)
    rows = np.empty((MOST_MOVES, 4), np.int64)
    number = legal_moves(roles, colors, squares, side, jumped, rows)
    moves = []
    for man, to, _, promotion in rows[:number].tolist():
        role = promotion if promotion != NO_PROMOTION else None
        moves.append(chess.Move(int(squares[man]), to, role))
    assert len(moves) == len(set(moves)), board.fen()
    assert set(moves) == set(board.legal_moves), board.fen()
    expected_code = 2 * board.legal_moves.count() + (not board.is_check())
    assert own_code(roles, colors, squares, side, number) == expected_code, board.fen()
    return rows[:number]


@pytest.mark.parametrize("name", WITHOUT_PAWNS + WITH_PAWNS)
def test_legality_moves_and_scores_are_those_of_python_chess_in_samples(name: str) -> None:
    material = Material(name)
    draw = np.random.default_rng(20200508)
    sides = draw.integers(0, 2, SAMPLE)
    placed = draw.integers(0, 64, (SAMPLE, material.men))
    placed[:, material.pawns] = draw.integers(8, 56, (SAMPLE, len(material.pawns)))
    lists = []
    for side, squares in zip(sides.tolist(), placed, strict=True):
        board = positions.board_of(slots_of(material), squares, side)
        stand_apart = len(board.piece_map()) == material.men
        expected = stand_apart and positions.is_legal(board)
        is_legal = is_legal_position(material.roles, material.colors, squares, side)
        assert is_legal == expected, board.fen()
        if is_legal:
            lists.append(agreed_moves(material, board, squares))
    moves = np.concatenate(lists)
    assert np.count_nonzero(moves[:, CAPTURED] >= 0) > 40 or name == "KvK"
    assert np.count_nonzero(moves[:, PROMOTION] >= 0) > 40 or name in WITHOUT_PAWNS


@pytest.mark.parametrize("name", ["KPvKP", "KPPvKP", "KRPvKP", "KBPvKP", "KQPvKP"])
def test_en_passant_is_that_of_python_chess_in_samples(name: str) -> None:
    material = Material(name)
    draw = random.Random(1886)
    captures = 0
    refused = 0
    for _ in range(500):
        board = positions.random_board(draw, name, en_passant=1)
        squares = np.array(positions.squares_of(board, slots_of(material)))
        over = board.ep_square
        assert over is not None
        moves = agreed_moves(material, board, squares, over)
        men = Men(material.roles, material.colors, squares)
        jumper = man_on(squares, over - 8 if board.turn else over + 8)
        assert may_have_jumped(men, squares, jumper, int(not board.turn))
        legal = sum(bool(is_en_passant(squares, move)) for move in moves)
        pseudo_legal = len(list(board.generate_pseudo_legal_ep()))
        assert legal == sum(map(board.is_en_passant, board.legal_moves)), board.fen()
        captures += legal
        refused += pseudo_legal - legal
    assert captures > 100
    assert name == "KPvKP" or refused > 0  # without a slider nothing can forbid it
