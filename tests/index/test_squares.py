"""Square tables against python-chess, which finds them another way."""

from __future__ import annotations

import itertools

import chess
import numpy as np

from tbgen.index.squares import (
    KING_TO,
    NOWHERE,
    PAWN_ATTACKS,
    RAY,
    SYMMETRY,
    TRIANGLE,
    TRIANGLE_INDEX,
    rays_of,
)
from tbgen.men import MOST_RAYS, Role
from tests.own_men import MEN

OFFICERS = (Role.KNIGHT, Role.BISHOP, Role.ROOK, Role.QUEEN, Role.KING)


def attacks(role: Role, square: int) -> set[int]:
    """The squares that a man attacks on an empty board."""
    board = chess.BaseBoard(None)
    board.set_piece_at(square, chess.Piece(int(role), chess.WHITE))
    return set(board.attacks(square))


def listed(row: np.ndarray, end: int = -1) -> list[int]:
    """The squares of a row before its first end, after which nothing may come."""
    squares = [int(square) for square in row]
    count = squares.index(end) if end in squares else len(squares)
    assert set(squares[count:]) <= {end}
    return squares[:count]


def test_moves_reach_what_a_man_attacks_on_an_empty_board() -> None:
    table = rays_of(OFFICERS)
    paths = table.paths.reshape(len(OFFICERS), 64, MOST_RAYS, RAY)
    for man, role in enumerate(OFFICERS):
        for square in range(64):
            rays = [listed(row, NOWHERE) for row in paths[man, square]]
            reached = list(itertools.chain.from_iterable(rays))
            assert len(reached) == len(set(reached))
            assert set(reached) == attacks(role, square)
            assert set(reached) == set(chess.SquareSet(int(table.reached[man, square])))
            assert not any(rays[int(table.counts[man]) :])
            if role is not Role.KNIGHT:
                between = [chess.between(square, to) for to in reached]
                assert table.between[man, square, reached].tolist() == between
    of_white = chess.BB_PAWN_ATTACKS[chess.WHITE]
    of_black = chess.BB_PAWN_ATTACKS[chess.BLACK]
    assert PAWN_ATTACKS.tolist() == [of_white, of_black]


def test_men_of_ones_own_go_alike_from_all_symmetric_squares_and_back() -> None:
    for words in rays_of(MEN).reached:
        reached = [set(chess.SquareSet(int(word))) for word in words]
        for square, targets in enumerate(reached):
            for image in SYMMETRY.tolist():
                assert reached[image[square]] == {image[target] for target in targets}
            for target in targets:
                assert square in reached[target]


def test_the_symmetries_are_eight_and_keep_all_distances() -> None:
    assert len({tuple(row) for row in SYMMETRY.tolist()}) == 8
    for row in SYMMETRY.tolist():
        assert sorted(row) == list(range(64))
        for square in range(64):
            images = {row[to] for to in listed(KING_TO[square])}
            assert set(listed(KING_TO[row[square]])) == images


def test_the_triangle_has_one_square_of_each_orbit() -> None:
    names = ["a1", "b1", "c1", "d1", "b2", "c2", "d2", "c3", "d3", "d4"]
    assert [chess.square_name(square) for square in TRIANGLE] == names
    orbits = [frozenset(SYMMETRY[:, square].tolist()) for square in TRIANGLE]
    assert len(set(orbits)) == 10
    assert [int(TRIANGLE_INDEX[square]) for square in TRIANGLE] == list(range(10))
    assert np.count_nonzero(TRIANGLE_INDEX == -1) == 54
    assert frozenset().union(*orbits) == frozenset(range(64))
