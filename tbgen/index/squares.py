"""Square tables: steps, rays and what lies between; the symmetries are those of symmetry.py.

Squares count from a1 = 0 along the ranks to h8 = 63. Every table is made of squares and loops.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tbgen.index.symmetry import FLIP_FILE as FLIP_FILE
from tbgen.index.symmetry import FLIP_RANK as FLIP_RANK
from tbgen.index.symmetry import INVERSE as INVERSE
from tbgen.index.symmetry import SYMMETRY as SYMMETRY
from tbgen.index.symmetry import TO_TRIANGLE as TO_TRIANGLE
from tbgen.index.symmetry import TRANSPOSE as TRANSPOSE
from tbgen.index.symmetry import TRIANGLE as TRIANGLE
from tbgen.index.symmetry import TRIANGLE_INDEX as TRIANGLE_INDEX
from tbgen.material import Role

Table = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

ROOK_STEPS: Final = ((0, 1), (1, 0), (0, -1), (-1, 0))
BISHOP_STEPS: Final = ((1, 1), (1, -1), (-1, -1), (-1, 1))
KING_STEPS: Final = ROOK_STEPS + BISHOP_STEPS
KNIGHT_STEPS: Final = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))

_STEPS: Final = {
    Role.KNIGHT: (KNIGHT_STEPS, 1),
    Role.BISHOP: (BISHOP_STEPS, 7),
    Role.ROOK: (ROOK_STEPS, 7),
    Role.QUEEN: (KING_STEPS, 7),
    Role.KING: (KING_STEPS, 1),
}
"""[role] -> its steps by file and rank, and how many of them it makes in a row."""


def _step(square: int, file_step: int, rank_step: int) -> int:
    file, rank = square % 8 + file_step, square // 8 + rank_step
    return rank * 8 + file if 0 <= file < 8 and 0 <= rank < 8 else -1


def _ray(square: int, step: tuple[int, int], most: int) -> list[int]:
    """The squares that a man comes to one after another, at most so many, with -1 where the board ends before."""
    ray = [square]
    while len(ray) <= most and ray[-1] >= 0:
        ray.append(_step(ray[-1], *step))
    return ray[1:]


def _moves() -> npt.NDArray[np.int8]:
    """[role, square, ray, n] -> squares a man comes to one after another along a ray, then -1 (no pawns)."""
    table = np.full((7, 64, 8, 8), -1, np.int8)
    for role, (steps, most) in _STEPS.items():
        for square in range(64):
            for n, step in enumerate(steps):
                ray = _ray(square, step, most)
                table[role, square, n, : len(ray)] = ray
    return table


def bits_of(squares: npt.ArrayLike) -> int:
    """The set of some squares as a word; -1 is no square."""
    return sum(1 << int(square) for square in np.ravel(squares) if square >= 0)


def _pawn_attacks() -> Words:
    """[colour, square] -> the squares that a pawn attacks."""
    table = np.zeros((2, 64), np.uint64)
    for color, up in ((0, 1), (1, -1)):
        for square in range(64):
            table[color, square] = bits_of([_step(square, -1, up), _step(square, 1, up)])
    return table


def _between() -> Words:
    """[a, b] -> the squares strictly between two squares on a line, else none."""
    between = np.zeros((64, 64), np.uint64)
    for a in range(64):
        for ray in range(8):
            squares = [int(square) for square in MOVES[Role.QUEEN, a, ray] if square >= 0]
            for n, b in enumerate(squares):
                between[a, b] = bits_of(squares[:n])
    return between


MOVES: Final = _moves()
KING_TO: Final = np.array([sorted(row, key=lambda to: to < 0) for row in MOVES[Role.KING, :, :, 0].tolist()], np.int64)
"""[square, n] -> the squares a king's step away, then -1."""
KING_ATTACKS: Final = np.array([bits_of(row) for row in KING_TO], np.uint64)
PAWN_ATTACKS: Final = _pawn_attacks()
BETWEEN: Final = _between()
NOWHERE: Final = 255
PATHS: Final = np.where(MOVES < 0, NOWHERE, MOVES.astype(np.int64)).astype(np.uint8).ravel()
"""[((role * 64 + square) * 8 + ray) * 8 + n] -> as MOVES, in one row, NOWHERE for -1."""
RAY_COUNT: Final = np.array([0, 0, 8, 4, 4, 8, 8], np.int64)
"""[role] -> how many rays it has in MOVES."""
REACHED: Final = np.array([[bits_of(MOVES[role, square]) for square in range(64)] for role in range(7)], np.uint64)
"""[role, square] -> the squares a man attacks on an empty board (no pawns)."""
