"""What a position's moves give: its code from how many there are, and the best of its resets.

`kings` are black king squares: the positions of a word for which a move is legal. A reset's value is
folded into the scratch space as the mover's best so far; the best of all moves goes to the block.
"""

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Ints, Word
from tbgen.compiled.jit import borrowing, inlined, inner
from tbgen.index.kernels import goal_of_byte
from tbgen.index.layout import HOW_MASK, MIRRORED, TURNS
from tbgen.index.squares import SYMMETRY
from tbgen.index.words import NOTHING, lowest_and_rest
from tbgen.retro.resets.destinations import (
    NOT_HERE,
    AtHand,
    ChildTables,
    address_of,
    find_plane_and_cell,
    is_mirrored,
)
from tbgen.retro.words.block import Best, Block
from tbgen.retro.words.moves import (
    DOUBLE,
    GONE,
    ROLE,
    SLOT,
    TO,
    Scratch,
    count_moves,
    unpack_squares,
)

CHILD_HAS_NO_VALUE = 1
"""What can go wrong here; what else can, see patterns/worker.py."""


@inlined
def fold_value(best: Best, side: Int, square: Int, byte: Int, plies: Int) -> None:
    """Fold one reset's value into the mover's best."""
    known = best.outcome[square]
    if known != byte:
        if known != 0 and goal_of_byte(byte, side) > goal_of_byte(known, side):
            return
        best.outcome[square] = byte
        best.shortest[square] = plies
        best.longest[square] = plies
        return
    best.shortest[square] = min(best.shortest[square], plies)
    best.longest[square] = max(best.longest[square], plies)


@inner
def keep_best(block: Block, scratch: Scratch, side: Int, word: Int) -> None:
    """Keep the best resets of a word after those of the words before it."""
    kings, best, at = scratch.with_reset[0], scratch.folded, scratch.next_reset[side]
    block.resets[side, word], block.first_reset[side, word] = kings, at
    while kings:
        square, kings = lowest_and_rest(kings)
        block.best.outcome[at] = best.outcome[square]
        if len(block.best.shortest):
            block.best.shortest[at] = best.shortest[square]
            block.best.longest[at] = best.longest[square]
        at += 1
    scratch.next_reset[side] = at


class Row(NamedTuple):
    """Where a black king's square has its value: at `start` plus its image by the symmetry, shifted to the left."""

    start: Int
    """NOT_HERE if some squares have another symmetry, or no value is at hand."""
    symmetry: Int
    shift: Int


@inlined
def find_row(children: ChildTables, table: Int, side: Int, squares: Ints, flip: Int) -> Row:
    """The row of a position given by slots, in the other colours with `flip`; squares are as in `value_after`."""
    shapes = children.shapes
    pawns, others = shapes.pawns[table], shapes.others[table]
    how, king = address_of(shapes, table, squares) & HOW_MASK, pawns if flip else pawns + others + 1
    symmetry, square = TURNS[how, squares[pawns]], squares[king]
    if (flip and how > MIRRORED) or (pawns == 0 and SYMMETRY[symmetry, squares[0]] % 9 == 0):
        return Row(np.int64(NOT_HERE), symmetry, np.int64(0))
    plane, cell = find_plane_and_cell(shapes, table, side, squares)
    start, shift = children.planes.start[plane], 6 * (others + 1) if flip else np.int64(0)
    return Row(
        start + cell - (SYMMETRY[symmetry, square] << shift) if start >= 0 else start,
        symmetry,
        shift,
    )


@inlined
def value_at(values: AtHand, start: Int, cell: Int) -> tuple[np.int8, np.uint16]:
    """The entry value and distance of a cell of the half block that begins at `start`; 0 if it is not at hand."""
    if start < 0:
        return np.int8(0), np.uint16(0)
    at = np.int64(start + cell)
    return values.entry[at], values.dtg[at] if len(values.dtg) else np.uint16(0)


@inner
def fold_promotion(
    promotions: AtHand, scratch: Scratch, side: Int, word: Int, kings: Word, start: Int
) -> None:
    """Fold a promotion into every position; its values begin at `start`, in the order of the block's own cells."""
    while kings:
        square, kings = lowest_and_rest(kings)
        byte, plies = value_at(promotions, start, word * 64 + square)
        if byte == 0:
            scratch.status[0] = CHILD_HAS_NO_VALUE
        fold_value(scratch.folded, side, square, byte, plies)


# A right to take en passant changes the value only where a pawn can take: elsewhere the value kept for it is 0, and the
# position's ordinary value holds. Those values lie in the block's own order, so the file is mirrored with the block.
@inlined
def value_after(
    children: ChildTables, table: Int, side: Int, squares: Ints, file: Int
) -> tuple[np.int8, np.uint16]:
    """The entry value and distance of a position given by slots; `file` is that of a double step before it, or -1."""
    if file >= 0 and is_mirrored(children.shapes, squares):
        file ^= 7
    plane, cell = find_plane_and_cell(children.shapes, table, side, squares)
    if file >= 0:
        byte, plies = value_at(
            children.en_passant, children.en_passant.start[plane >> 1, side, file], cell
        )
        if byte:
            return byte, plies
    return value_at(children.planes, children.planes.start[plane], cell)


@inlined
def put_there(
    children: ChildTables, scratch: Scratch, reset: tuple[Int, Int, Int], slots: Int, flip: Int
) -> None:
    """Write the squares of the position at hand in the order of the table that a reset leads to, in its colours."""
    for n in range(slots):
        scratch.there[n] = (
            scratch.now[children.destinations.slots[reset[0], reset[1], reset[2], n]] ^ flip
        )


@inner
def fold_reset(children: ChildTables, scratch: Scratch, side: Int, kings: Word, move: Ints) -> None:
    """Fold what one reset leads to into every position."""
    slot, to, gone, role, double = move[SLOT], move[TO], move[GONE], move[ROLE], move[DOUBLE]
    now, there = scratch.now, scratch.there
    reset = (gone + 1, slot + 1 if role else 0, role)
    table, flip = children.destinations.table[reset], children.destinations.flip[reset]
    slots = children.shapes.pawns[table] + children.shapes.others[table] + 2
    black_king = children.shapes.pawns[0] + children.shapes.others[0] + 1
    next_side = side if flip else 1 - side
    was, byte, plies = now[slot], np.int8(0), np.uint16(0)
    now[slot] = to
    row = Row(np.int64(NOT_HERE), np.int64(0), np.int64(0))
    if slot != black_king and not double:
        put_there(children, scratch, reset, slots, flip)
        row = find_row(children, table, next_side, there, flip)
    while kings:
        square, kings = lowest_and_rest(kings)
        if row.start >= 0:
            byte, plies = value_at(
                children.planes, row.start, SYMMETRY[row.symmetry, square ^ flip] << row.shift
            )
        elif byte == 0 or slot != black_king:  # where the black king comes from does not matter
            if slot != black_king:
                now[black_king] = square
            put_there(children, scratch, reset, slots, flip)
            byte, plies = value_after(children, table, next_side, there, to & 7 if double else -1)
        if byte == 0:
            scratch.status[0] = CHILD_HAS_NO_VALUE
        fold_value(scratch.folded, side, square, -byte if flip else byte, plies)
    now[slot] = was


@inner
def fold_word(block: Block, children: ChildTables, scratch: Scratch, side: Int, word: Int) -> None:
    """Fold all resets of one side in a word, whose moves are noted, each into every position."""
    scratch.folded.outcome[:], scratch.with_reset[0] = 0, NOTHING
    for n in range(scratch.noted[0]):
        kings, move = scratch.kings[n], scratch.moves[n]
        if move[ROLE] and move[GONE] < 0:
            start = children.promotions.start[block.number[0], move[SLOT], move[ROLE]]
            fold_promotion(children.promotions, scratch, side, word, kings, start)
        elif move[GONE] >= 0 or move[SLOT] < children.shapes.pawns[0]:
            fold_reset(children, scratch, side, kings, move)
        else:
            continue
        scratch.with_reset[0] |= kings


@borrowing
def find_moves(block: Block, children: ChildTables, scratch: Scratch, first: int, end: int) -> int:
    """Codes and resets of a range of words; legal words must be there for the whole block."""
    for side in range(2):
        scratch.next_reset[side] = (side * block.geometry.words + first) * 64
    for word in range(first, end):
        if block.occupied[word] == NOTHING:
            block.next_code[:, word] = 255
            block.resets[:, word] = NOTHING
            continue
        unpack_squares(block, scratch, word)
        for side in range(2):
            count_moves(block, scratch, side, word)
            fold_word(block, children, scratch, side, word)
            keep_best(block, scratch, side, word)
    return int(scratch.status[0])
