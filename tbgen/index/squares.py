"""The eight symmetries of the board, its triangle, and the rays of all men.

Squares count from a1 = 0 along the ranks to h8 = 63. A symmetry is a sum of FLIP_FILE, FLIP_RANK
and TRANSPOSE: first the flips, then the transposition (a1-h8 stays).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen.betza import walks_from
from tbgen.compiled.arrays import Ints, Words
from tbgen.men import MOST_RAYS, AnyMan, Role

FLIP_FILE: Final = 1
FLIP_RANK: Final = 2
TRANSPOSE: Final = 4

_SQUARES: Final = np.arange(64, dtype=np.int64)
_FILES: Final = _SQUARES % 8
_RANKS: Final = _SQUARES // 8


def _images(symmetry: int) -> Ints:
    """[square] -> where a symmetry brings it."""
    squares = _SQUARES
    if symmetry & FLIP_FILE:
        squares = squares ^ 7
    if symmetry & FLIP_RANK:
        squares = squares ^ 56
    if symmetry & TRANSPOSE:
        squares = squares % 8 * 8 + squares // 8
    return squares


SYMMETRY: Final = np.stack([_images(symmetry) for symmetry in range(8)])
"""[symmetry, square] -> where it brings the square."""
INVERSE: Final = np.array(
    [np.flatnonzero(SYMMETRY[:, images[1]] == 1)[0] for images in SYMMETRY], np.int64
)
"""[symmetry] -> the one that undoes it, and so brings b1 back."""

TRIANGLE: Final = tuple(8 * rank + file for rank in range(4) for file in range(rank, 4))
"""a1-d1-d4: one of the eight symmetries brings any square here."""

TRIANGLE_INDEX: Final = np.full(64, -1, np.int64)
"""[square] -> its index in the triangle, or -1."""
TRIANGLE_INDEX[list(TRIANGLE)] = range(len(TRIANGLE))
TO_TRIANGLE: Final = np.argmax(TRIANGLE_INDEX[SYMMETRY] >= 0, axis=0)
"""[square] -> the first symmetry that brings it into the triangle."""


def is_light(square: int) -> bool:
    """Whether a square is light, as h1 is."""
    return (square % 8 + square // 8) % 2 == 1


LIGHT_BISHOP: Final = (1, 8)
"""[color] what a bishop on a light square adds to the number of a *shade*.

A shade says how many bishops of each side stand on light squares, up to seven.
"""


def bits_of(are_in: npt.NDArray[np.bool_]) -> Words:
    """Sets of squares as words; the last axis says of each square whether it is in the set."""
    return np.packbits(are_in, axis=-1, bitorder="little").view(np.uint64)[..., 0]


class Rays(NamedTuple):
    """The rays of some men, as kernels take them; a man is his number among these."""

    paths: npt.NDArray[np.uint8]
    """[((man * 64 + square) * MOST_RAYS + ray) * RAY + n] -> the squares of a ray, then NOWHERE."""
    counts: Ints
    """[man] -> how many rays he has."""
    reached: Words
    """[man, square] -> the squares that he attacks on an empty board."""
    between: Words
    """[man, square, other square] -> the squares strictly between them on his way."""


def rays_of(kinds: Sequence[AnyMan]) -> Rays:
    """The rays of some men; a pawn has none."""
    counts = np.array([len(kind.rays) for kind in kinds], np.int64)
    paths = np.empty((len(kinds), 64, MOST_RAYS, RAY), np.uint8)
    reached = np.empty((len(kinds), 64), np.uint64)
    between = np.empty((len(kinds), 64, 64), np.uint64)
    for man, kind in enumerate(kinds):
        paths[man], reached[man], between[man] = _table_of(kind)
    return Rays(paths.ravel(), counts, reached, between)


@cache
def _table_of(kind: AnyMan) -> tuple[npt.NDArray[np.uint8], Words, Words]:
    paths = np.full((64, MOST_RAYS, RAY), NOWHERE, np.uint8)
    reached = np.zeros(64, np.uint64)
    between = np.zeros((64, 64), np.uint64)
    for square in range(64):
        for ray, walk in enumerate(walks_from(square, kind.rays)):
            paths[square, ray, : len(walk)] = walk
            passed = 0
            for to in walk:
                between[square, to] = passed
                passed |= 1 << to
            reached[square] |= np.uint64(passed)
    return paths, reached, between


NOWHERE: Final = 255
RAY: Final = 8
"""Squares of a ray in `Rays.paths`, NOWHERE after the last."""
_RIGHT: Final = _FILES - _FILES[:, None]
_UP: Final = _RANKS - _RANKS[:, None]
"""[square, other] -> how many files to the right, or ranks up, the other one lies."""
KING_ATTACKS: Final = bits_of(np.maximum(abs(_RIGHT), abs(_UP)) == 1)


def _king_targets() -> Ints:
    targets = np.full((64, 8), -1, np.int64)
    for square in range(64):
        steps = sorted(to for walk in walks_from(square, Role.KING.rays) for to in walk)
        targets[square, : len(steps)] = steps
    return targets


KING_TO: Final = _king_targets()
"""[square, n] -> the squares a king's step away, then -1."""
PAWN_ATTACKS: Final = np.stack([bits_of((up == _UP) & (abs(_RIGHT) == 1)) for up in (1, -1)])
"""[colour, square] -> the squares that a pawn attacks."""
