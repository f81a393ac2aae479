"""Keys of materials, by which kernels find out whether a board has a table.

A key has the number of men of each role and side in four bits; kings are left out.
"""

from __future__ import annotations

import numpy as np

from tbgen.board.board import KIND, KING, PAWN, RIGHTS
from tbgen.compiled.arrays import Words
from tbgen.compiled.jit import inner
from tbgen.index.words import NOTHING, count
from tbgen.material import Material, Role
from tbgen.probe.tablebase import Tablebase


def key_of(material: Material) -> int:
    """The key of a material."""
    sides = enumerate((material.white, material.black))
    return sum(1 << 8 * role + 4 * side for side, men in sides for role in men if role is not Role.KING)


def keys_of(tables: Tablebase) -> Words:
    """The keys of the materials that have tables, in either order of colours, sorted."""
    there = [material for material in tables.available() if not material.own]
    return np.array(sorted({key_of(each) for men in there for each in (men, men.flipped())}), np.uint64)


# keys: as `keys_of` makes them
@inner
def has_table(board: Words, keys: Words) -> bool:
    """Whether there is a table for a position."""
    if board[RIGHTS]:
        return False
    key = NOTHING
    for role in range(PAWN, KING):
        for side in range(2):
            key |= np.uint64(count(board[side] & board[KIND + role])) << np.uint64(8 * role + 4 * side)
    index = np.searchsorted(keys, key)
    return bool(index < len(keys) and keys[index] == key)
