"""What a position's moves give: its code from how many there are, and the best of its resets.

`kings` are black king squares: the positions of a word for which a move is legal. A reset's value
is folded into the scratch space as the mover's best so far; the best of all moves goes to the
block.
"""

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Bytes, Int, Ints, SignedBytes, Word
from tbgen.compiled.jit import borrowing, inlined, inner
from tbgen.index.kernels import goal_of_byte
from tbgen.index.layout import TURNS
from tbgen.index.placements import HOW_MASK, MIRRORED
from tbgen.index.resets import NO_SLOT
from tbgen.index.squares import SYMMETRY
from tbgen.index.words import NOTHING, lowest_and_rest
from tbgen.retro.resets.destinations import (
    NOT_HERE,
    AtHand,
    ChildTables,
    Shapes,
    address_of,
    find_cell,
    find_plane_and_cell,
    plane_of,
)
from tbgen.retro.status import CHILD_HAS_NO_VALUE
from tbgen.retro.words.block import NO_CODE, Best, Block
from tbgen.retro.words.moves import (
    DOUBLE,
    GONE,
    NO_ROLE,
    ROLE,
    SLOT,
    TO,
    Scratch,
    count_moves,
    lowest_code,
    note_moves,
    unpack_squares,
)


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
    kings = scratch.with_reset[0]
    best = scratch.folded
    at = scratch.next_reset[side]
    block.resets[side, word] = kings
    block.first_reset[side, word] = at
    while kings:
        square, kings = lowest_and_rest(kings)
        block.best.outcome[at] = best.outcome[square]
        if len(block.best.shortest):
            block.best.shortest[at] = best.shortest[square]
            block.best.longest[at] = best.longest[square]
        at += 1
    scratch.next_reset[side] = at


class Row(NamedTuple):
    """Where the values of positions lie that differ in the black king alone.

    A cell there is a number of digits of six bits:

        white king | other men ... | black king

    The king that is black here is the last digit there, or the first where the colours change
    sides. Only that digit differs, so a position's cell is `first` plus the image of its black
    king's square, shifted to that digit.
    """

    plane: Int
    """NOT_HERE if some squares have another symmetry."""
    first: Int
    symmetry: Int
    """The symmetry that the board has been turned by."""
    shift: Int
    """How many bits lie to the right of the digit."""


NO_ROW = Row(np.int64(NOT_HERE), np.int64(0), np.int64(0), np.int64(0))


@inlined
def find_row(shapes: Shapes, table: Int, side: Int, squares: Ints, flip: Int) -> Row:
    """The row of a position given by slots, in the other colours with `flip`.

    Its `squares` are overwritten.
    """
    pawns = shapes.pawns[table]
    others = shapes.others[table]
    address = address_of(shapes, table, squares)
    how = address & HOW_MASK
    symmetry = TURNS[how, squares[pawns]]
    # The white king there may say how the board is turned; where it comes to the long diagonal, the
    # other men say whether their image is taken.
    is_turned_by_king = flip and how > MIRRORED
    is_on_diagonal = pawns == 0 and SYMMETRY[symmetry, squares[0]] % 9 == 0
    if is_turned_by_king or is_on_diagonal:
        return NO_ROW
    if flip:
        king = squares[pawns]
        shift = 6 * (others + 1)
    else:
        king = squares[pawns + others + 1]
        shift = np.int64(0)
    plane = plane_of(shapes, table, side, address)
    cell = find_cell(shapes, table, squares, address)
    return Row(plane, cell - (SYMMETRY[symmetry, king] << shift), symmetry, shift)


@inlined
def value_at(values: AtHand, start: Int, cell: Int) -> tuple[np.int8, np.uint16]:
    """The entry value and distance of a cell of the half that begins at `start`; else 0."""
    if start < 0:
        return np.int8(0), np.uint16(0)
    at = np.int64(start + cell)
    plies = values.dtg[at] if len(values.dtg) else np.uint16(0)
    return values.entry[at], plies


_BYTES_OF_ROW = np.array(
    [[255 * (row >> file & 1) for file in range(8)] for row in range(256)], np.uint8
)
"""[eight bits] -> a byte for each of them, of the same bits."""


@inlined
def spread(word: Word, squares: Bytes) -> None:
    """Write a byte for each square of a word: 255 if it is there, else 0."""
    for rank in range(8):
        row = (word >> np.uint64(8 * rank)) & np.uint64(255)
        for file in range(8):
            squares[np.uint64(8 * rank + file)] = _BYTES_OF_ROW[row, np.uint64(file)]


@inlined
def merit_of_byte(byte: np.uint8, mover: Int) -> np.uint8:
    """The merit of an outcome's byte, both unsigned: the best for the mover has the greatest.

    White's best byte is 1, and Black's 255; 0 for none stays the least. White's merits are what the
    bytes lack to 256. So the byte of a merit is found in the same way.
    """
    change = np.uint8(255 * (1 - mover))  # all bits of a byte that is taken from 256
    return np.uint8(np.uint8(byte ^ change) - change)


@inner
def fold_line(scratch: Scratch, side: Int, kings: Word, values: SignedBytes, start: Int) -> None:
    """Fold a reset whose outcomes, without plies, lie in the order of the black king's squares.

    Nothing branches in the loop over these squares, so that the machine does many at once.
    """
    asked = scratch.asked
    spread(kings, asked)
    outcome = scratch.folded.outcome
    lacking = np.uint8(0)
    for square in range(64):
        at = np.uint64(square)
        merit = merit_of_byte(np.uint8(values[np.uint64(start) + at]), side) & asked[at]
        lacking |= asked[at] & np.uint8(255 * (merit == 0))
        known = merit_of_byte(np.uint8(outcome[at]), side)
        outcome[at] = np.int8(merit_of_byte(max(merit, known), side))
    if lacking:
        scratch.status[0] = CHILD_HAS_NO_VALUE


# A right to take en passant changes the value only where a pawn can take: elsewhere the value kept
# for it is 0, and the position's ordinary value holds.
@inner
def take_rights(
    line: SignedBytes, rights: SignedBytes, with_right: Int, values: SignedBytes, start: Int
) -> None:
    """Write the values of a line of positions with a right to take en passant."""
    for square in range(64):
        at = np.uint64(square)
        byte = rights[np.uint64(with_right) + at]
        line[at] = byte if byte else values[np.uint64(start) + at]


@inner
def fold_promotion(
    promotions: AtHand, scratch: Scratch, side: Int, word: Int, kings: Word, start: Int
) -> None:
    """Fold a promotion into every position.

    Its values begin at `start`, in the order of the block's own cells.
    """
    if start >= 0 and not len(promotions.dtg):
        fold_line(scratch, side, kings, promotions.entry, start + word * 64)
        return
    while kings:
        square, kings = lowest_and_rest(kings)
        byte, plies = value_at(promotions, start, word * 64 + square)
        if byte == 0:
            scratch.status[0] = CHILD_HAS_NO_VALUE
        fold_value(scratch.folded, side, square, byte, plies)


@inlined
def starts_of(children: ChildTables, row: Row, side: Int, move: Ints) -> tuple[Int, Int]:
    """Where the values of a row begin that a move leads to, and those with a right to take.

    NOT_HERE if there are none.
    """
    start: Int = np.int64(NOT_HERE)
    with_right: Int = np.int64(NOT_HERE)
    if row.plane == NOT_HERE:
        return start, with_right
    start = children.planes.start[row.plane]
    if start >= 0:
        start += row.first
    if move[DOUBLE]:
        # Values with rights lie in the block's own order, so the file is mirrored with it.
        file = (move[TO] ^ 7 if row.symmetry else move[TO]) & 7
        with_right = children.en_passant.start[row.plane >> 1, side, file]
        if with_right >= 0:
            with_right += row.first
    return start, with_right


@inlined
def put_there(
    children: ChildTables, scratch: Scratch, reset: tuple[Int, Int, Int], slots: Int, flip: Int
) -> None:
    """Write the squares of the position at hand as the table that a reset leads to has them."""
    gone, promoted, role = reset
    for there in range(slots):
        here = children.destinations.slots[gone, promoted, role, there]
        scratch.there[there] = scratch.now[here] ^ flip


@inner
def fold_reset(children: ChildTables, scratch: Scratch, side: Int, kings: Word, move: Ints) -> None:
    """Fold what one reset leads to into every position."""
    slot = move[SLOT]
    to = move[TO]
    gone = move[GONE]
    role = move[ROLE]
    now = scratch.now
    there = scratch.there
    promoted = NO_SLOT if role == NO_ROLE else slot
    reset = (gone + 1, promoted + 1, role)
    table = children.destinations.table[reset]
    flip = children.destinations.flip[reset]
    shapes = children.shapes
    planes = children.planes
    rights = children.en_passant
    slots = shapes.pawns[table] + shapes.others[table] + 2
    black_king = shapes.pawns[0] + shapes.others[0] + 1
    next_side = side if flip else 1 - side
    was = now[slot]
    now[slot] = to
    row = NO_ROW
    if slot != black_king:
        put_there(children, scratch, reset, slots, flip)
        row = find_row(shapes, table, next_side, there, flip)
    start, with_right = starts_of(children, row, next_side, move)
    is_in_order = start >= 0 and row.symmetry == 0 and not flip
    if is_in_order and not len(planes.dtg):
        if with_right >= 0:
            take_rights(scratch.line, rights.entry, with_right, planes.entry, start)
            fold_line(scratch, side, kings, scratch.line, np.int64(0))
        else:
            fold_line(scratch, side, kings, planes.entry, start)
        kings = NOTHING
    byte = np.int8(0)
    plies = np.uint16(0)
    while kings:
        square, kings = lowest_and_rest(kings)
        if start >= 0:
            cell = SYMMETRY[row.symmetry, square ^ flip] << row.shift
            byte, plies = value_at(rights, with_right, cell)
            if byte == 0:
                byte, plies = value_at(planes, start, cell)
        elif byte == 0 or slot != black_king:  # where the black king comes from does not matter
            if slot != black_king:
                now[black_king] = square
            put_there(children, scratch, reset, slots, flip)
            plane, cell = find_plane_and_cell(shapes, table, next_side, there)
            byte, plies = value_at(planes, planes.start[plane], cell)
        if byte == 0:
            scratch.status[0] = CHILD_HAS_NO_VALUE
        fold_value(scratch.folded, side, square, -byte if flip else byte, plies)
    now[slot] = was


@inner
def fold_word(block: Block, children: ChildTables, scratch: Scratch, side: Int, word: Int) -> None:
    """Fold all resets of one side in a word, whose moves are noted, each into every position."""
    scratch.folded.outcome[:] = 0
    scratch.folded.shortest[:] = 0  # lines have no plies
    scratch.folded.longest[:] = 0
    scratch.with_reset[0] = NOTHING
    for n in range(scratch.noted[0]):
        kings = scratch.kings[n]
        move = scratch.moves[n]
        is_capture = move[GONE] != NO_SLOT
        is_pawn_move = move[SLOT] < children.shapes.pawns[0]
        if not is_capture and not is_pawn_move:
            continue
        if move[ROLE] != NO_ROLE and not is_capture:
            start = children.promotions.start[block.number[0], move[SLOT], move[ROLE]]
            fold_promotion(children.promotions, scratch, side, word, kings, start)
        else:
            fold_reset(children, scratch, side, kings, move)
        scratch.with_reset[0] |= kings


@borrowing
def find_moves(block: Block, children: ChildTables, scratch: Scratch, first: int, end: int) -> int:
    """Codes and resets of a range of words; legal words must be there for the whole block."""
    for side in range(2):
        scratch.next_reset[side] = (side * block.geometry.words + first) * 64
    for word in range(first, end):
        if block.occupied[word] == NOTHING:
            block.next_code[:, word] = NO_CODE
            block.resets[:, word] = NOTHING
            continue
        unpack_squares(block, scratch, word)
        for side in range(2):
            count_moves(block, scratch, side, word)
            fold_word(block, children, scratch, side, word)
            keep_best(block, scratch, side, word)
    return int(scratch.status[0])


@borrowing
def find_other_resets(
    block: Block, children: ChildTables, scratch: Scratch, first: int, end: int
) -> int:
    """The resets of a range of words anew, whose moves lead to other values now.

    The codes that solving has passed are the next ones again.
    """
    for side in range(2):
        scratch.next_reset[side] = (side * block.geometry.words + first) * 64
    for word in range(first, end):
        if block.occupied[word] == NOTHING:
            continue
        unpack_squares(block, scratch, word)
        for side in range(2):
            note_moves(block, scratch, word, side, False)
            fold_word(block, children, scratch, side, word)
            keep_best(block, scratch, side, word)
            block.next_code[side, word] = lowest_code(block, side, word)
    return int(scratch.status[0])
