"""Square tables: rays of all men, and what lies between; the symmetries are those of symmetry.py.

Squares count from a1 = 0 along the ranks to h8 = 63. Every table is made of squares and loops.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Ints, Words
from tbgen.index.symmetry import FLIP_FILE as FLIP_FILE
from tbgen.index.symmetry import FLIP_RANK as FLIP_RANK
from tbgen.index.symmetry import INVERSE as INVERSE
from tbgen.index.symmetry import SYMMETRY as SYMMETRY
from tbgen.index.symmetry import TO_TRIANGLE as TO_TRIANGLE
from tbgen.index.symmetry import TRANSPOSE as TRANSPOSE
from tbgen.index.symmetry import TRIANGLE as TRIANGLE
from tbgen.index.symmetry import TRIANGLE_INDEX as TRIANGLE_INDEX
from tbgen.material import MOST_RAYS, Role


def bits_of(squares: npt.ArrayLike) -> int:
    """The set of some squares as a word; -1 is no square."""
    return sum(1 << int(square) for square in np.ravel(squares) if square >= 0)


class Rays(NamedTuple):
    """The rays of some men, as kernels take them; a man is his number among these."""

    paths: npt.NDArray[np.uint8]
    """[((man * 64 + square) * MOST_RAYS + ray) * RAY + n] -> squares he comes to one after another, then NOWHERE."""
    counts: Ints
    """[man] -> how many rays he has."""
    reached: Words
    """[man, square] -> the squares that he attacks on an empty board."""
    between: Words
    """[man, square, other square] -> the squares strictly between them on his way."""


def rays_of(roles: Sequence[Role]) -> Rays:
    """The rays of some men; a pawn has none."""
    counts = np.array([len(role.rays) for role in roles], np.int64)
    paths = np.empty((len(roles), 64, MOST_RAYS, RAY), np.uint8)
    reached, between = np.empty((len(roles), 64), np.uint64), np.empty((len(roles), 64, 64), np.uint64)
    for man, role in enumerate(roles):
        paths[man], reached[man], between[man] = _table_of(role)
    return Rays(paths.ravel(), counts, reached, between)


@cache
def _table_of(role: Role) -> tuple[npt.NDArray[np.uint8], Words, Words]:
    paths = np.full((64, MOST_RAYS, RAY), NOWHERE, np.uint8)
    reached, between = np.zeros(64, np.uint64), np.zeros((64, 64), np.uint64)
    for square in range(64):
        for ray, walk in enumerate(role.walks(square)):
            paths[square, ray, : len(walk)] = walk
            reached[square] |= np.uint64(bits_of(walk))
            for n, to in enumerate(walk):
                between[square, to] = bits_of(walk[:n])
    return paths, reached, between


NOWHERE: Final = 255
RAY: Final = 8
"""Squares of a ray in `Rays.paths`, NOWHERE after the last."""
_KING_WALKS: Final = [[to for walk in Role.KING.walks(square) for to in walk] for square in range(64)]
KING_TO: Final = np.array([[*squares, *[-1] * 8][:8] for squares in _KING_WALKS], np.int64)
"""[square, n] -> the squares a king's step away, then -1."""
KING_ATTACKS: Final = np.array([bits_of(row) for row in KING_TO], np.uint64)
PAWN_ATTACKS: Final = np.array(
    [
        [bits_of([to for to in _KING_WALKS[a] if to // 8 == a // 8 + up and to % 8 != a % 8]) for a in range(64)]
        for up in (1, -1)
    ],
    np.uint64,
)
"""[colour, square] -> the squares that a pawn attacks."""
