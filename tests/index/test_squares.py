"""Square tables against python-chess, which finds them another way."""

from __future__ import annotations

import chess
import numpy as np

from tbgen.index.squares import (
    BETWEEN,
    FLIP_FILE,
    FLIP_RANK,
    INVERSE,
    KING_ATTACKS,
    KING_STEPS,
    KING_TO,
    KNIGHT_ATTACKS,
    KNIGHT_TO,
    MOVES,
    NOWHERE,
    PATHS,
    PAWN_ATTACKS,
    RAY_COUNT,
    RAYS,
    REACHED,
    SYMMETRY,
    TO_TRIANGLE,
    TRANSPOSE,
    TRIANGLE,
    TRIANGLE_INDEX,
    bits_of,
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


def test_a_set_of_squares_is_the_sum_of_their_bits() -> None:
    assert bits_of([]) == 0
    assert bits_of([0, 63, -1]) == 1 | 1 << 63
    assert bits_of([[1, -1], [2, -1]]) == 6


def test_kings_and_knights_step_where_python_chess_lets_them() -> None:
    for square in range(64):
        for role, steps, words in ((Role.KING, KING_TO, KING_ATTACKS), (Role.KNIGHT, KNIGHT_TO, KNIGHT_ATTACKS)):
            found = listed(steps[square])
            assert len(found) == len(set(found))
            assert set(found) == attacks(role, square)
            assert set(chess.SquareSet(int(words[square]))) == attacks(role, square)


def test_rays_go_straight_to_the_edge() -> None:
    for square in range(64):
        for ray, (file_step, rank_step) in enumerate(KING_STEPS):
            expected, file, rank = [], square % 8 + file_step, square // 8 + rank_step
            while 0 <= file < 8 and 0 <= rank < 8:
                expected.append(8 * rank + file)
                file, rank = file + file_step, rank + rank_step
            assert listed(RAYS[square, ray]) == expected


def test_moves_reach_what_a_man_attacks_on_an_empty_board() -> None:
    for role in OFFICERS:
        for square in range(64):
            rays = [listed(row) for row in MOVES[role, square]]
            found = [to for ray in rays for to in ray]
            assert len(found) == len(set(found))
            assert set(found) == attacks(role, square) == set(chess.SquareSet(int(REACHED[role, square])))
            assert not any(rays[int(RAY_COUNT[role]) :])


def test_pawns_have_no_moves_of_that_kind() -> None:
    assert (MOVES[Role.PAWN] == -1).all()
    assert RAY_COUNT[Role.PAWN] == REACHED[Role.PAWN].max() == 0


def test_pawns_attack_what_python_chess_says() -> None:
    for square in range(64):
        for color, turn in enumerate((chess.WHITE, chess.BLACK)):
            assert int(PAWN_ATTACKS[color, square]) == int(chess.BB_PAWN_ATTACKS[turn][square])


def test_between_is_what_python_chess_says() -> None:
    for square in range(64):
        for other in range(64):
            assert int(BETWEEN[square, other]) == int(chess.between(square, other))


def test_each_symmetry_is_its_flips_and_then_its_transposition() -> None:
    for symmetry in range(8):
        for square in range(64):
            file, rank = square % 8, square // 8
            file = 7 - file if symmetry & FLIP_FILE else file
            rank = 7 - rank if symmetry & FLIP_RANK else rank
            expected = 8 * file + rank if symmetry & TRANSPOSE else 8 * rank + file
            assert SYMMETRY[symmetry, square] == expected


def test_the_symmetries_are_eight_and_keep_all_distances() -> None:
    assert len({tuple(row) for row in SYMMETRY.tolist()}) == 8
    for row in SYMMETRY.tolist():
        assert sorted(row) == list(range(64))
        assert all(
            set(listed(KING_TO[row[square]])) == {row[to] for to in listed(KING_TO[square])} for square in range(64)
        )


def test_an_inverse_undoes_its_symmetry() -> None:
    for symmetry in range(8):
        assert SYMMETRY[INVERSE[symmetry]][SYMMETRY[symmetry]].tolist() == list(range(64))
        assert INVERSE[INVERSE[symmetry]] == symmetry


def test_the_triangle_has_one_square_of_each_orbit() -> None:
    names = ["a1", "b1", "c1", "d1", "b2", "c2", "d2", "c3", "d3", "d4"]
    assert [chess.square_name(square) for square in TRIANGLE] == names
    orbits = [frozenset(SYMMETRY[:, square].tolist()) for square in TRIANGLE]
    assert len(set(orbits)) == 10
    assert [int(TRIANGLE_INDEX[square]) for square in TRIANGLE] == list(range(10))
    assert np.count_nonzero(TRIANGLE_INDEX == -1) == 54
    assert frozenset().union(*orbits) == frozenset(range(64))


def test_the_first_symmetry_that_fits_brings_a_square_into_the_triangle() -> None:
    for square in range(64):
        fitting = [symmetry for symmetry in range(8) if int(SYMMETRY[symmetry, square]) in TRIANGLE]
        assert TO_TRIANGLE[square] == fitting[0]


def test_paths_are_the_moves_in_one_row() -> None:
    paths = PATHS.reshape(MOVES.shape)
    assert (MOVES >= 0).tolist() == (paths != NOWHERE).tolist()
    assert paths[MOVES >= 0].tolist() == MOVES[MOVES >= 0].tolist()
