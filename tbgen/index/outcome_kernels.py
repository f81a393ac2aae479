"""Kernels of outcomes as numbers: signed bytes and rows are those of outcomes.py.

A *rank* orders the outcomes that a table stores for a *forcer*, a side that forces something: 0 is its own mate, the
best, 255 (WORST_RANK) the other side's. So of two outcomes the forcer prefers the one of the smaller rank.
"""

from __future__ import annotations

from typing import Final

from tbgen.compiled.arrays import Int
from tbgen.compiled.jit import small
from tbgen.index import outcomes
from tbgen.score import Color

RANKS: Final = 256
WORST_RANK: Final = RANKS - 1
_WHITE: Final = int(Color.WHITE)

row_of_byte = small(outcomes.row_of_byte)
byte_of_row = small(outcomes.byte_of_row)


@small
def rank_of_byte(byte: Int, forcer: Int) -> Int:
    """The rank for a forcer of an outcome's signed byte."""
    rank = byte - 1 if byte > 0 else WORST_RANK + 1 + byte
    return rank if forcer == _WHITE else WORST_RANK - rank


@small
def byte_of_rank(rank: Int, forcer: Int) -> Int:
    """The signed byte of an outcome that has this rank for a forcer."""
    if forcer != _WHITE:
        rank = WORST_RANK - rank
    return rank + 1 if rank < RANKS // 2 else rank - RANKS
