"""Bounds: what a promotion is worth at least and at most where the position after it is not solved.

The other side replies. Where it can take the new man, what that leads to is known; every other reply is worth a mate,
White's for an upper bound and Black's for a lower one. Without any reply the position itself is the end.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tbgen.compiled.arrays import Int, SignedBytes
from tbgen.compiled.jit import borrowing
from tbgen.index.kernels import byte_of_rank, rank_of_byte
from tbgen.index.layout import Layout, Squares
from tbgen.index.words import NOTHING, ONE, lowest_square, square_bit
from tbgen.material import Role
from tbgen.retro.resets.destinations import ChildTables, Destinations, pack_destinations
from tbgen.retro.resets.folding import fold_reset
from tbgen.retro.words.block import Block, enter_block, find_legal, new_block
from tbgen.retro.words.geometry import Geometry, geometry_of
from tbgen.retro.words.moves import GONE, Scratch, new_scratch, note_moves, unpack_squares
from tbgen.score import STALEMATE_CODE, Color
from tbgen.table import Entries

_STALEMATE = STALEMATE_CODE


# entry[word * 64 + black king's square]: the best of the promotions folded so far, for the side that promotes; 0 where
# none is legal. `first` is the first word in which the new man stands where he is. `side` is to reply. limits[cell] is
# another bound of the same kind, if there are any.
@borrowing
def fold_bounds(
    block: Block,
    children: ChildTables,
    scratch: Scratch,
    side: Int,
    first: int,
    unknown: Int,
    limits: SignedBytes,
    entry: SignedBytes,
) -> int:
    """Fold the bounds of one promotion into those of the others."""
    taken = len(scratch.men) + len(block.geometry.pawn_color)
    for number in range(block.geometry.words):
        word = first + number
        if block.occupied[word] == NOTHING:
            continue
        unpack_squares(block, scratch, word)
        note_moves(block, scratch, word, side)
        scratch.folded.outcome[:] = 0
        moves, others = NOTHING, NOTHING
        for n in range(scratch.noted[0]):
            kings = scratch.kings[n]
            moves |= kings
            if scratch.moves[n, GONE] == taken:
                fold_reset(children, scratch, side, kings, scratch.moves[n])
            else:
                others |= kings
        kings = block.legal[side, word]
        while kings:
            square = lowest_square(kings)
            kings &= kings - ONE
            bit = square_bit(square)
            byte: Int = np.int64(scratch.folded.outcome[square])
            if not moves & bit:
                byte = byte_of_rank(0 if block.check[side, word] & bit else _STALEMATE, 1 - side)
            elif others & bit and (byte == 0 or rank_of_byte(unknown, side) < rank_of_byte(byte, side)):
                byte = unknown
            cell = number * 64 + square
            if len(limits):
                limit: Int = np.int64(limits[cell])
                if (rank_of_byte(limit, 0) < rank_of_byte(byte, 0)) == (unknown < 0):
                    byte = limit
            if entry[cell] == 0 or rank_of_byte(byte, 1 - side) < rank_of_byte(np.int64(entry[cell]), 1 - side):
                entry[cell] = byte
    status: int = scratch.status[0]
    return status


def bound_of_promotions(
    layout: Layout, pawns: Squares, promoted: int, limits: Mapping[Role, Entries], children: ChildTables, unknown: int
) -> Entries:
    """Bounds of the best promotion of a pawn, in the order of the cells of the block with its side to move.

    Every reply that does not take the new man is worth `unknown`. `children` are those of the layout. `limits` has the
    roles, and for each other bounds of the same kind, or an empty array.
    """
    color = layout.slots[promoted][0]
    to = pawns[promoted] + (8 if color is Color.WHITE else -8)
    geometry = geometry_of(layout)
    entry = np.zeros(geometry.words * 64, np.int8)
    others = [*pawns[:promoted], *pawns[promoted + 1 :]]
    after = _children_after(layout, promoted, children)
    for role, limit in limits.items():
        block = _block_after(geometry, promoted, int(color), int(role), to)
        enter_block(block, 0, np.array(others, np.int64))
        scratch, first = new_scratch(len(block.geometry.role)), to * geometry.words
        find_legal(block, scratch.men, first, first + geometry.words)
        if fold_bounds(block, after, scratch, int(color.other), first, unknown, limit, entry):
            raise ValueError(f"no value of what takes the pawn promoted on {to} is at hand")
    return entry


def _block_after(geometry: Geometry, promoted: int, color: int, role: int, to: int) -> Block:
    """A block in which the new man is the last one, and the first axis of words says where he stands.

    Of its arrays, which have room for all his squares, only the part for the one that he is on is ever touched.
    """
    men, words = len(geometry.role), geometry.words
    turned = geometry._replace(
        role=np.append(geometry.role, role),
        color=np.append(geometry.color, color),
        shift=np.append(geometry.shift, geometry.king_shift + 6),
        twin_start=np.append(geometry.twin_start, men),
        twin_end=np.append(geometry.twin_end, men + 1),
        king_square=np.tile(geometry.king_square, 64),
        pawn_color=np.delete(geometry.pawn_color, promoted),
    )
    few = new_block(turned._replace(words=0))
    room = (to + 1) * words
    return few._replace(
        geometry=turned,
        occupied=np.zeros(room, np.uint64),
        legal=np.zeros((2, room), np.uint64),
        check=np.zeros((2, room), np.uint64),
    )


def _children_after(layout: Layout, promoted: int, children: ChildTables) -> ChildTables:
    """The same tables after the promotion: taking the new man leads to where taking the pawn does."""
    shapes, before = children.shapes, children.destinations
    pawns, others = shapes.pawns.copy(), shapes.others.copy()
    pawns[0] -= 1
    others[0] += 1
    new_man, black_king = len(layout.slots) - 2, len(layout.slots) - 1
    slot_after = [slot - (promoted < slot < black_king) for slot in range(len(layout.slots))]
    destinations = pack_destinations([], [])
    was, now = (promoted + 1, 0, 0), (new_man + 1, 0, 0)
    destinations.table[now], destinations.flip[now] = before.table[was], before.flip[was]
    destinations.slots[now] = np.array(slot_after + [0] * len(before.slots[was]))[before.slots[was]]
    return children._replace(
        shapes=shapes._replace(pawns=pawns, others=others), destinations=Destinations(*destinations)
    )
