"""Bounds: what a promotion is worth at least and at most where the position after it is not solved.

The other side replies. Where it can take the new man, what that leads to is known; every other reply is worth a mate,
White's for an upper bound and Black's for a lower one. Without any reply the position itself is the end.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping

import numpy as np

from tbgen.compiled.arrays import Int, SignedBytes
from tbgen.compiled.jit import borrowing
from tbgen.index.kernels import byte_of_rank, rank_of_byte
from tbgen.index.layout import Layout, Squares
from tbgen.index.words import NOTHING, ONE, lowest_square, square_bit
from tbgen.material import Role
from tbgen.retro.resets.destinations import ChildTables
from tbgen.retro.resets.folding import fold_reset
from tbgen.retro.words.block import Block, bare_block, enter_block, find_legal
from tbgen.retro.words.geometry import Geometry, geometry_of
from tbgen.retro.words.moves import GONE, SLOT, Scratch, new_scratch, note_moves, unpack_squares
from tbgen.score import STALEMATE_CODE, Color
from tbgen.table import Entries


class Bound(enum.Enum):
    """Which bound of the value for White an unsolved promotion is given."""

    LOWER = -1
    UPPER = 1


# entry[word * 64 + black king's square]: the best of the promotions folded so far, for the side that promotes; 0 where
# none is legal. `first` is the first word in which the new man stands where he is. limits[cell] is another bound of the
# same kind, if there are any. `children` are those before the promotion of the pawn in the slot `promoted`: taking the
# new man leads to where taking the pawn does, once the slots are those from before.
@borrowing
def fold_bounds(
    block: Block,
    children: ChildTables,
    scratch: Scratch,
    promoted: int,
    first: int,
    unknown: Int,
    limits: SignedBytes,
    entry: SignedBytes,
) -> int:
    """Fold the bounds of one promotion into those of the others."""
    new_man, side = len(scratch.men) + len(block.geometry.pawn_color), 1 - block.geometry.color[len(scratch.men) - 1]
    for number in range(block.geometry.words):
        word = first + number
        if block.occupied[word] == NOTHING:
            continue
        unpack_squares(block, scratch, word)
        note_moves(block, scratch, word, side)
        for slot in range(new_man, promoted, -1):
            scratch.now[slot] = scratch.now[slot - 1]
        scratch.folded.outcome[:] = 0
        moves, others = NOTHING, NOTHING
        for n in range(scratch.noted[0]):
            kings, move = scratch.kings[n], scratch.moves[n]
            moves |= kings
            if move[GONE] == new_man:
                move[GONE] = promoted
                move[SLOT] += promoted <= move[SLOT] < new_man
                fold_reset(children, scratch, side, kings, move)
            else:
                others |= kings
        kings = block.legal[side, word]
        while kings:
            square = lowest_square(kings)
            kings &= kings - ONE
            bit = square_bit(square)
            byte: Int = np.int64(scratch.folded.outcome[square])
            if not moves & bit:
                byte = byte_of_rank(0 if block.check[side, word] & bit else STALEMATE_CODE, 1 - side)
            elif others & bit and (byte == 0 or rank_of_byte(unknown, side) < rank_of_byte(byte, side)):
                byte = unknown
            cell = number * 64 + square
            if len(limits):
                limit: Int = np.int64(limits[cell])
                if (rank_of_byte(limit, 0) < rank_of_byte(byte, 0)) == (unknown < 0):
                    byte = limit
            if entry[cell] == 0 or rank_of_byte(byte, 1 - side) < rank_of_byte(np.int64(entry[cell]), 1 - side):
                entry[cell] = byte
    return scratch.status[0]


def bound_of_promotions(
    layout: Layout, pawns: Squares, promoted: int, limits: Mapping[Role, Entries], children: ChildTables, bound: Bound
) -> Entries:
    """Bounds of the best promotion of a pawn, in the order of the cells of the block with its side to move.

    `children` are those of the layout. `limits` has the roles, and for each other bounds of the same kind, or an empty
    array.
    """
    color = layout.slots[promoted][0]
    to = pawns[promoted] + (8 if color is Color.WHITE else -8)
    geometry, others = geometry_of(layout), np.array([*pawns[:promoted], *pawns[promoted + 1 :]], np.int64)
    entry, first = np.zeros(geometry.words * 64, np.int8), to * geometry.words
    for role, limit in limits.items():
        # Only the part of these words for the square that the new man is on is ever touched.
        block = bare_block(_geometry_after(geometry, promoted, int(color), int(role)), first + geometry.words)
        enter_block(block, 0, others)
        scratch = new_scratch(len(block.geometry.role))
        find_legal(block, scratch.men, first, first + geometry.words)
        if fold_bounds(block, children, scratch, promoted, first, bound.value, limit, entry):
            raise ValueError(f"no value of what takes the pawn promoted on {to} is at hand")
    return entry


def _geometry_after(geometry: Geometry, promoted: int, color: int, role: int) -> Geometry:
    """The geometry in which the new man is the last one, and the first axis of words says where he stands."""
    men = len(geometry.role)
    return geometry._replace(
        role=np.append(geometry.role, role),
        color=np.append(geometry.color, color),
        shift=np.append(geometry.shift, geometry.king_shift + 6),
        twin_start=np.append(geometry.twin_start, men),
        twin_end=np.append(geometry.twin_end, men + 1),
        king_square=np.tile(geometry.king_square, 64),
        pawn_color=np.delete(geometry.pawn_color, promoted),
    )
