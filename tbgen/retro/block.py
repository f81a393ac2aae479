"""Block: the arrays in which one placement of the pawns is solved.

Words are [side to move, word], cells [side to move, 64 * word + black king square]. Labels belong to a
*forcer*, the side that forces: for each cell the best outcome it forces, and in how many plies. A label
is `rank << 16 | plies`, where an outcome's rank counts from the forcer's best (its own mate, 0) to its
worst (the other's mate, 255); a smaller label is better, NO_LABEL is none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen._jit import small
from tbgen.retro.geometry import WHITE, Geometry

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

NO_LABEL = np.uint32(0xFFFFFFFF)
RANKS = 256
WORST_RANK = 255


class Block(NamedTuple):
    """Where one block is solved; the arrays serve one block after another."""

    pawns: Ints
    pawn_set: Words
    occupied: Words
    """[word] all men but the black king; NOTHING where the word holds no position."""
    legal: Words
    check: Words
    open: Words
    """Legal cells whose own code is above the level just done."""
    undecided: Words
    """Open cells that neither side had forced when the level before was done."""
    code: npt.NDArray[np.uint8]
    next_code: npt.NDArray[np.uint8]
    """[side, word] the lowest code among open cells, 255 if there are none."""
    by_code: npt.NDArray[np.uint8]
    """[side, 64 * word + n] the legal squares of a word in ascending order of their codes."""
    frozen: npt.NDArray[np.uint8]
    """[side, word] how many of them are frozen."""
    reset: npt.NDArray[np.int8]
    """The mover's best outcome over resets, as a signed byte; 0 where there is no reset."""
    near: npt.NDArray[np.uint16]
    """Plies to that outcome by the shortest and by the longest reset."""
    far: npt.NDArray[np.uint16]
    label: npt.NDArray[np.uint32]
    """[forcer, side, cell]"""
    history: npt.NDArray[np.int32]
    """[forcer, side, cell] how the labels of the middle changed from level to level: see patterns.py."""


def new_block(geometry: Geometry) -> Block:
    """Arrays for the blocks of a material."""
    words, cells = geometry.words, geometry.words * 64
    return Block(
        np.zeros(len(geometry.pawn_color), np.int64),
        np.zeros(1, np.uint64),
        np.zeros(words, np.uint64),
        np.zeros((2, words), np.uint64),
        np.zeros((2, words), np.uint64),
        np.zeros((2, words), np.uint64),
        np.zeros((2, words), np.uint64),
        np.zeros((2, cells), np.uint8),
        np.zeros((2, words), np.uint8),
        np.zeros((2, cells), np.uint8),
        np.zeros((2, words), np.uint8),
        np.zeros((2, cells), np.int8),
        np.zeros((2, cells), np.uint16),
        np.zeros((2, cells), np.uint16),
        np.zeros((2, 2, cells), np.uint32),
        np.zeros((2, 2, cells), np.int32),
    )


@small
def rank_of_byte(byte, forcer):
    """The rank for a forcer of an outcome's signed byte."""
    rank = byte - 1 if byte > 0 else WORST_RANK + 1 + byte
    return rank if forcer == WHITE else WORST_RANK - rank


@small
def byte_of_rank(rank, forcer):
    """The signed byte of an outcome that has this rank for a forcer."""
    if forcer != WHITE:
        rank = WORST_RANK - rank
    return rank + 1 if rank < 128 else rank - WORST_RANK - 1
