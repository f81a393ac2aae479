"""Bounds: what a promotion is worth at least and at most where the position after it is not solved.

The other side replies. Where it can take the new man, what that leads to is known; every other reply is worth a mate,
White's for an upper bound and Black's for a lower one. Without any reply the position itself is the end.

Classes of mates make bounds closer: from which positions of a block with one pawn a side forces mate, a bit a position.
That is the first phase of the solver alone, without codes, plies and middles. A position is in the *certain* class of
a forcer if it mates even where unsolved promotions count as no mate. It is not even in the *possible* class if it does
not mate where they count as one.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Ints, SignedBytes, Words
from tbgen.compiled.jit import borrowing, by_address, inlined, inner, small
from tbgen.index.kernels import byte_of_rank, rank_of_byte
from tbgen.index.layout import Layout, Squares
from tbgen.index.words import EVERYTHING, NOTHING, ONE, lowest_square, square_bit
from tbgen.material import Role
from tbgen.retro.levels.classes import check_defender_cells, mark_before_members
from tbgen.retro.levels.forcer import Forcer, leave_free
from tbgen.retro.resets.destinations import ChildTables, Shapes, find_plane_and_cell
from tbgen.retro.resets.folding import fold_reset
from tbgen.retro.words.block import Block, enter_block, find_legal, new_block
from tbgen.retro.words.geometry import BLACK, WHITE, Geometry, geometry_of
from tbgen.retro.words.moves import GONE, ROLE, SLOT, TO, Scratch, new_scratch, note_moves, unpack_squares
from tbgen.retro.words.worklist import Worklist, add_bits, list_words
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
    status: int = scratch.status[0]
    return status


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


def bare_block(geometry: Geometry, words: int) -> Block:
    """A block with room for so many words, and none for codes and resets."""
    few, pair = new_block(geometry._replace(words=0)), (2, words)
    legal, check = np.zeros(pair, np.uint64), np.zeros(pair, np.uint64)
    return few._replace(geometry=geometry, occupied=np.zeros(words, np.uint64), legal=legal, check=check)


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


CERTAIN, POSSIBLE = 0, 1
KEYS = 13


@by_address
class After(NamedTuple):
    """The mates after resets, as bits."""

    steps: Words
    """[step, certain or possible, forcer, word] after a single and a double step of the pawn, or its promotion."""
    pawn_gone: Words
    """[forcer, word] after the capture of the pawn."""
    man_gone: Words
    """[man * KEYS + key, forcer, word without the man's axis] after the capture of a man."""


@small
def key_of_capture(by_pawn: bool, to_right: bool, role: Int) -> Int:
    """By which man another one is captured: the pawn's direction and its new role matter."""
    return 1 + 6 * to_right + role if by_pawn else np.int64(0)


# axes: the slots of the child's words, from the outermost. now, there: scratch space for the squares here and there.
@borrowing
def expand_child(
    shapes: Shapes, slots: Ints, flip: Int, entry: SignedBytes, axes: Ints, now: Ints, there: Ints, bits: Words
) -> None:
    """bits[forcer, word] of the positions of one plane of a child, in the colours and the order of words here."""
    black_king = axes[-1]
    men = len(axes) - 1
    for word in range(bits.shape[1]):
        for n in range(men):
            now[axes[n]] = word >> 6 * (men - 1 - n) & 63
        for king in range(64):
            now[black_king] = king
            for n in range(len(slots)):
                there[n] = now[slots[n]] ^ flip
            _, cell = find_plane_and_cell(shapes, 0, 0, there)
            byte = -entry[cell] if flip else entry[cell]
            if byte == 1:
                bits[WHITE, word] |= square_bit(king)
            elif byte == -1:
                bits[BLACK, word] |= square_bit(king)


@inlined
def word_after(block: Block, scratch: Scratch, move: Ints) -> Int:
    """The word of the squares at hand after a move, the axis of a man that it takes left out."""
    pawns = len(block.pawns)
    was = scratch.now[move[SLOT]]
    scratch.now[move[SLOT]] = move[TO]
    word: Int = scratch.now[pawns]
    for slot in range(pawns + 1, pawns + 1 + len(scratch.men)):
        if slot != move[GONE]:
            word = word << 6 | scratch.now[slot]
    scratch.now[move[SLOT]] = was
    return word


# reach[certain or possible, forcer, side, word]: the forcer's positions with a reset to a mate of his; the defender's
# with one that is none. Positions with a reset are added to those in check.
@borrowing
def find_resets(block: Block, after: After, scratch: Scratch, reach: Words, first: int, end: int) -> None:
    """Find the positions that reach a mate by a reset, or avoid one, with the sides first to end to move."""
    pawns, black_king = len(block.pawns), len(block.pawns) + len(block.geometry.role) + 1
    for word in range(len(block.occupied)):
        if block.occupied[word] == NOTHING:
            continue
        unpack_squares(block, scratch, word)
        for side in range(first, end):
            note_moves(block, scratch, word, side)
            for n in range(scratch.noted[0]):
                move, kings = scratch.moves[n], scratch.kings[n]
                slot, to, gone = move[SLOT], move[TO], move[GONE]
                if gone < 0 and slot >= pawns:
                    continue
                block.check[side, word] |= kings
                was, there = scratch.now[slot], word_after(block, scratch, move)
                step = 1 if gone < 0 and abs(to - was) == 16 else 0
                key = (gone - pawns - 1) * KEYS + key_of_capture(slot < pawns, to & 7 > was & 7, move[ROLE])
                for forcer in range(2):
                    for sure in range(2):
                        if gone < 0:
                            bits = after.steps[step, sure, forcer, there]
                        elif gone < pawns:
                            bits = after.pawn_gone[forcer, there]
                        else:
                            bits = after.man_gone[key, forcer, there]
                        if slot == black_king:
                            bits = EVERYTHING if bits & square_bit(to) else NOTHING
                        reach[sure, forcer, side, word] |= kings & (bits if side == forcer else ~bits)


@inner
def join(forcer: Forcer, side: Int, worklist: Worklist) -> int:
    """Make the marked positions members; in how many words they are."""
    size = list_words(worklist)
    for n in range(size):
        word = np.int64(worklist.words[n])
        bits = worklist.bits[word]
        leave_free(forcer.forced, side, word, bits)
        if side == forcer.side:
            forcer.forced.left[word] &= ~bits
    return size


# reach[side, word], as for this forcer; block.check[side, word]: positions in check, and those with a reset.
@borrowing
def spread_mates(block: Block, forcer: Forcer, reach: Words) -> None:
    """Let all positions join from which the forcer forces mate; those that are members stay so."""
    side, members = forcer.side, forcer.forced
    joining, yielding, checked = forcer.joining, forcer.yielding, forcer.checked
    for word in range(len(members.left)):
        members.blocked[word] = reach[1 - side, word]
        add_bits(joining, word, reach[side, word] & members.free[side, word])
        add_bits(checked, word, block.check[1 - side, word] & members.free[1 - side, word] & ~members.blocked[word])
    while joining.size[0] + checked.size[0]:
        check_defender_cells(block, forcer)
        others = join(forcer, 1 - side, yielding)
        own = join(forcer, side, joining)
        mark_before_members(block, forcer, side, joining, own, checked)
        mark_before_members(block, forcer, 1 - side, yielding, others, joining)
