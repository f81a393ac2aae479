"""Square tables against python-chess, which finds them another way."""

from __future__ import annotations

import chess
import numpy as np

from tbgen.index.squares import (
    KING_TO,
    MOVES,
    PAWN_ATTACKS,
    RAY_COUNT,
    REACHED,
    SYMMETRY,
    TRIANGLE,
    TRIANGLE_INDEX,
)
from tbgen.material import Role

OFFICERS = (Role.KNIGHT, Role.BISHOP, Role.ROOK, Role.QUEEN, Role.KING)


def attacks(role: Role, square: int) -> set[int]:
    """What a man attacks on an empty board."""
    board = chess.BaseBoard(None)
    board.set_piece_at(square, chess.Piece(int(role), chess.WHITE))
    return set(board.attacks(square))


def listed(row: np.ndarray) -> list[int]:
    """The squares of a row before its first -1, after which nothing may come."""
    squares = [int(square) for square in row]
    end = squares.index(-1) if -1 in squares else len(squares)
    assert set(squares[end:]) <= {-1}
    return squares[:end]


def test_moves_reach_what_a_man_attacks_on_an_empty_board() -> None:
    for role in OFFICERS:
        for square in range(64):
            rays = [listed(row) for row in MOVES[role, square]]
            found = [to for ray in rays for to in ray]
            assert len(found) == len(set(found))
            assert set(found) == attacks(role, square) == set(chess.SquareSet(int(REACHED[role, square])))
            assert not any(rays[int(RAY_COUNT[role]) :])
    assert PAWN_ATTACKS.tolist() == [chess.BB_PAWN_ATTACKS[side] for side in (chess.WHITE, chess.BLACK)]


def test_the_symmetries_are_eight_and_keep_all_distances() -> None:
    assert len({tuple(row) for row in SYMMETRY.tolist()}) == 8
    for row in SYMMETRY.tolist():
        assert sorted(row) == list(range(64))
        assert all(
            set(listed(KING_TO[row[square]])) == {row[to] for to in listed(KING_TO[square])} for square in range(64)
        )


def test_the_triangle_has_one_square_of_each_orbit() -> None:
    names = ["a1", "b1", "c1", "d1", "b2", "c2", "d2", "c3", "d3", "d4"]
    assert [chess.square_name(square) for square in TRIANGLE] == names
    orbits = [frozenset(SYMMETRY[:, square].tolist()) for square in TRIANGLE]
    assert len(set(orbits)) == 10
    assert [int(TRIANGLE_INDEX[square]) for square in TRIANGLE] == list(range(10))
    assert np.count_nonzero(TRIANGLE_INDEX == -1) == 54
    assert frozenset().union(*orbits) == frozenset(range(64))
