"""Every legal move of 64 positions at a time, noted for a word, and mobility counted bit by bit.

`kings` are black king squares: the positions of a word for which a move is legal.
"""

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Bytes, Int, Ints, SignedBytes, Word, Words
from tbgen.compiled.jit import by_address, inlined, inner, small
from tbgen.index.kernels import rays_start
from tbgen.index.resets import NO_SLOT
from tbgen.index.squares import KING_ATTACKS, KING_TO, NOWHERE, PAWN_ATTACKS, RAY
from tbgen.index.words import NOTHING, king_step, square_bit
from tbgen.men import Role
from tbgen.retro.words.block import (
    NO_CODE,
    Best,
    Block,
    new_best,
    white_attacks,
    white_king_attacked,
)
from tbgen.retro.words.geometry import BLACK, WHITE, Geometry, king_of, unpack_men, word_after

MOST_SLOTS = 32
"""The most men of a position, kings included."""

PLANES = 8
"""Bit planes of a count: no position has 256 moves."""

NO_ROLE = 0
"""In place of a role, where nobody promotes."""

SLOT, TO, GONE, ROLE, DOUBLE = range(5)
"""Fields of a move: the slot that moves, the square it goes to, the slot that is captured (or
NO_SLOT), the role that a pawn becomes (or NO_ROLE), whether it is a pawn's double step."""

MOST_MOVES = 512
"""Moves of one side in all the positions of a word, at most."""


@by_address
class Scratch(NamedTuple):
    """Scratch space of one thread while it looks at one word."""

    men: Ints
    """[man] the squares of the word's other men."""
    now: Ints
    """[slot] the squares of the position at hand."""
    there: Ints
    """[slot] the squares of its successor, as its table has them; as many again for their image."""
    kings: Words
    """[move] the black king squares for which it is legal."""
    moves: Ints
    """[move, field] SLOT, TO, GONE, ROLE, DOUBLE."""
    noted: Ints
    """[0] how many moves are noted."""
    planes: Words
    """[plane] the move counts of 64 positions: bit x of plane n is bit n of the count of x."""
    captures: Words
    """[pawn] the black king squares with which it may take en passant."""
    asked: Bytes
    """[square] all bits set where a move that is folded is legal."""
    line: SignedBytes
    """[square] the outcomes that a move leads to."""
    folded: Best
    """[square] as far as the moves of the word have been folded."""
    with_reset: Words
    """The black king squares that have one, as far as they have been folded."""
    next_reset: Ints
    """[side] the number of the next cell that has one."""
    status: Ints
    """[0] what has gone wrong, 0 for nothing."""


def new_scratch(men: int) -> Scratch:
    """Scratch space for a material with so many other men."""
    return Scratch(
        men=np.zeros(men, np.int64),
        now=np.zeros(MOST_SLOTS, np.int64),
        there=np.zeros(2 * MOST_SLOTS, np.int64),
        kings=np.zeros(MOST_MOVES, np.uint64),
        moves=np.zeros((MOST_MOVES, 5), np.int64),
        noted=np.zeros(1, np.int64),
        planes=np.zeros(PLANES, np.uint64),
        captures=np.zeros(MOST_SLOTS, np.uint64),
        asked=np.zeros(64, np.uint8),
        line=np.zeros(64, np.int8),
        folded=new_best(64),
        with_reset=np.zeros(1, np.uint64),
        next_reset=np.zeros(2, np.int64),
        status=np.zeros(1, np.int64),
    )


@inlined
def note_move(
    scratch: Scratch, kings: Word, slot: Int, to: Int, gone: Int, role: Int, double: Int
) -> None:
    """Note a move, if it is legal anywhere.

    Of a quiet move only the squares matter: it is counted and not folded.
    """
    if kings:
        n = scratch.noted[0]
        scratch.noted[0] = n + 1
        scratch.kings[n] = kings
        move = scratch.moves[n]
        move[SLOT] = slot
        move[TO] = to
        move[GONE] = gone
        move[ROLE] = role
        move[DOUBLE] = double


@small
def add_move(planes: Words, kings: Word) -> None:
    """Add one to the counts of some positions: a ripple-carry addition, plane by plane."""
    for plane in range(PLANES):
        carry = planes[plane] & kings
        planes[plane] ^= kings
        kings = carry
        if kings == NOTHING:
            return


_TRANSPOSITION = ((7, 0x00AA00AA00AA00AA), (14, 0x0000CCCC0000CCCC), (28, 0x00000000F0F0F0F0))
"""Mirrors eight rows of eight bits in the diagonal: bits that lie so far apart change places."""


@inner
def write_codes(block: Block, scratch: Scratch, side: Int, word: Int) -> None:
    """Write the code of each cell of a word, a byte, from the lower planes of the counts.

    A cell that is not legal has NO_CODE.
    """
    illegal = ~block.legal[side, word]
    lowest = np.uint64(NO_CODE)
    for first in range(0, 64, 8):
        shift = np.uint64(first)
        rows = ((~block.check[side, word] | illegal) >> shift) & np.uint64(255)
        for plane in range(PLANES - 1):
            row = ((scratch.planes[plane] | illegal) >> shift) & np.uint64(255)
            rows |= row << np.uint64(8 * plane + 8)
        for apart, bits in _TRANSPOSITION:
            changing = (rows ^ (rows >> np.uint64(apart))) & np.uint64(bits)
            rows ^= changing ^ (changing << np.uint64(apart))
        for square in range(first, first + 8):
            code = rows & np.uint64(255)
            block.code[side, word * 64 + square] = code
            lowest = min(lowest, code)
            rows >>= np.uint64(8)
    block.next_code[side, word] = lowest


@inlined
def lowest_code(block: Block, side: Int, word: Int) -> np.uint8:
    """The lowest of the codes that are written for the cells of a word."""
    lowest = np.uint8(NO_CODE)
    for square in range(64):
        lowest = min(lowest, block.code[side, np.uint64(word) * np.uint64(64) + np.uint64(square)])
    return lowest


KNIGHT = int(Role.KNIGHT)
QUEEN = int(Role.QUEEN)

OPPOSITE = 2
"""King directions that differ in this bit lead opposite ways."""


@inner
def slot_on(geometry: Geometry, now: Ints, color: Int, square: Int) -> int:
    """The slot of a man of a colour on a square, kings left out; NO_SLOT if there is none."""
    others = len(geometry.pawn_color) + 1
    for n in range(len(geometry.color)):
        if geometry.color[n] == color and now[others + n] == square:
            return others + n
    for n in range(len(geometry.pawn_color)):
        if geometry.pawn_color[n] == color and now[n] == square:
            return n
    return NO_SLOT


@inner
def kings_after_move(
    side: Int, block: Block, men: Ints, king: Int, occupied: Word, gone: Int
) -> Word:
    """Black king squares with which the mover's king is safe once a man has moved.

    That man is not the black king.
    """
    if side == WHITE:
        return ~(white_king_attacked(block, men, king, occupied, gone) | KING_ATTACKS[king])
    return ~white_attacks(block, men, king, occupied, gone)


@inner
def note_white_king_moves(block: Block, scratch: Scratch, word: Int, quiet: bool) -> None:
    """Captures of the white king, and with `quiet` his steps."""
    geometry = block.geometry
    king = king_of(geometry, word)
    occupied = block.occupied[word]
    slot = len(geometry.pawn_color)
    for to in KING_TO[king]:
        if to < 0:
            break
        gone = slot_on(geometry, scratch.now, BLACK, to)
        if gone == NO_SLOT and (occupied & square_bit(to) or not quiet):
            continue
        now_occupied = (occupied & ~square_bit(king)) | square_bit(to)
        kings = block.legal[WHITE, word] & ~square_bit(to)
        kings &= kings_after_move(WHITE, block, scratch.men, to, now_occupied, gone)
        note_move(scratch, kings, slot, to, gone, NO_ROLE, 0)


@inner
def note_black_king_moves(block: Block, scratch: Scratch, word: Int, quiet: bool) -> None:
    """Captures of the black king, whose squares are the kings, and with `quiet` his steps."""
    geometry = block.geometry
    king = king_of(geometry, word)
    occupied = block.occupied[word]
    slot = len(block.pawns) + len(geometry.color) + 1
    if quiet:
        for direction in range(8):
            before = king_step(block.legal[WHITE, word], direction ^ OPPOSITE)
            note_move(scratch, block.legal[BLACK, word] & before, slot, 0, NO_SLOT, NO_ROLE, 0)
    for prey in range(slot):
        to = scratch.now[prey]
        if slot_on(geometry, scratch.now, WHITE, to) != prey:
            continue
        safe = kings_after_move(BLACK, block, scratch.men, king, occupied & ~square_bit(to), prey)
        if safe & square_bit(to):
            kings = block.legal[BLACK, word] & KING_ATTACKS[to]
            note_move(scratch, kings, slot, to, prey, NO_ROLE, 0)


@inner
def note_man_moves(
    block: Block, scratch: Scratch, word: Int, side: Int, man: Int, quiet: bool
) -> None:
    """Captures of a man that is neither king nor pawn, and with `quiet` his other moves."""
    geometry = block.geometry
    men = scratch.men
    king = king_of(geometry, word)
    occupied = block.occupied[word]
    start = men[man]
    slot = len(block.pawns) + 1 + man
    path = rays_start(man, start)
    paths = geometry.rays.paths
    for _ in range(geometry.rays.counts[man]):
        clear = block.legal[side, word]
        for at in range(path, path + np.uint64(RAY)):
            to = np.int64(paths[at])
            if to == NOWHERE:
                break
            clear &= ~square_bit(to)
            if not occupied & square_bit(to):
                if quiet:
                    kings = clear & block.legal[1 - side, word_after(geometry, word, men, man, to)]
                    note_move(scratch, kings, slot, to, NO_SLOT, NO_ROLE, 0)
                continue
            gone = slot_on(geometry, scratch.now, 1 - side, to)
            if gone != NO_SLOT:
                men[man] = to
                now_occupied = occupied & ~square_bit(start)
                kings = clear & kings_after_move(side, block, men, king, now_occupied, gone)
                men[man] = start
                note_move(scratch, kings, slot, to, gone, NO_ROLE, 0)
            break
        path += np.uint64(RAY)


@inner
def note_arrival(
    block: Block,
    scratch: Scratch,
    word: Int,
    side: Int,
    pawn: Int,
    to: Int,
    prey: Int,
    kings: Word,
) -> None:
    """Note a pawn's move to a square, or its promotions there.

    The mover's king must be safe afterwards.
    """
    pawns = block.pawns
    start = block.pawns[pawn]
    king = king_of(block.geometry, word)
    pawns[pawn] = to
    occupied = (block.occupied[word] & ~square_bit(start)) | square_bit(to)
    legal = kings & kings_after_move(side, block, scratch.men, king, occupied, prey)
    pawns[pawn] = start
    if 0 < to >> 3 < 7:
        is_double = abs(to - start) == 16
        note_move(scratch, legal, pawn, to, prey, NO_ROLE, int(is_double))
    else:
        for role in range(KNIGHT, QUEEN + 1):
            note_move(scratch, legal, pawn, to, prey, role, 0)


@inner
def note_pawn_moves(block: Block, scratch: Scratch, word: Int, side: Int, pawn: Int) -> None:
    """Steps, double steps, captures and promotions of a pawn, but for captures en passant."""
    geometry = block.geometry
    kings = block.legal[side, word]
    start = block.pawns[pawn]
    up = 8 if side == WHITE else -8
    home_rank = 1 if side == WHITE else 6
    most_steps = 2 if start >> 3 == home_rank else 1
    way = NOTHING
    for steps in range(1, most_steps + 1):
        to = start + up * steps
        way |= square_bit(to)
        if block.occupied[word] & way:
            break
        note_arrival(block, scratch, word, side, pawn, to, NO_SLOT, kings & ~way)
    for prey in range(len(geometry.pawn_color) + len(geometry.color) + 1):
        to = scratch.now[prey]
        is_enemy = slot_on(geometry, scratch.now, 1 - side, to) == prey
        if is_enemy and PAWN_ATTACKS[side, start] & square_bit(to):
            note_arrival(block, scratch, word, side, pawn, to, prey, kings)


@inner
def unpack_squares(block: Block, scratch: Scratch, word: Int) -> None:
    """Write the squares of a word, but for the black king's, into `men` and `now`."""
    geometry = block.geometry
    unpack_men(geometry, word, scratch.men)
    pawns = len(geometry.pawn_color)
    for n in range(pawns):
        scratch.now[n] = block.pawns[n]
    scratch.now[pawns] = king_of(geometry, word)
    for n in range(len(scratch.men)):
        scratch.now[pawns + 1 + n] = scratch.men[n]


@inner
def note_king_moves(block: Block, scratch: Scratch, word: Int, side: Int, quiet: bool) -> None:
    """Captures of a side's king, and with `quiet` his steps."""
    if side == WHITE:
        note_white_king_moves(block, scratch, word, quiet)
    else:
        note_black_king_moves(block, scratch, word, quiet)


@inner
def note_moves_of_pawns(block: Block, scratch: Scratch, word: Int, side: Int) -> None:
    """Every move of a side's pawns, but for captures en passant."""
    geometry = block.geometry
    for pawn in range(len(geometry.pawn_color)):
        if geometry.pawn_color[pawn] == side:
            note_pawn_moves(block, scratch, word, side, pawn)


@inner
def note_moves(block: Block, scratch: Scratch, word: Int, side: Int, quiet: bool) -> None:
    """Note every move of one side in a word, or its resets alone."""
    scratch.noted[0] = 0
    note_king_moves(block, scratch, word, side, quiet)
    for man in range(len(scratch.men)):
        if block.geometry.color[man] == side:
            note_man_moves(block, scratch, word, side, man, quiet)
    note_moves_of_pawns(block, scratch, word, side)


@inner
def note_enough_moves(block: Block, scratch: Scratch, word: Int, side: Int, asked: Word) -> None:
    """Note every capture of a king or piece in a word, and a quiet move for all that have one.

    Once each of the positions `asked` has such a move, no more are noted. A pawn's moves are noted
    only if some have none without them.
    """
    scratch.noted[0] = 0
    note_king_moves(block, scratch, word, side, True)
    for man in range(len(scratch.men)):
        if block.geometry.color[man] == side:
            lacking = asked & ~kings_with_quiet_move(scratch)
            note_man_moves(block, scratch, word, side, man, lacking != NOTHING)
    if asked & ~kings_with_quiet_move(scratch):
        note_moves_of_pawns(block, scratch, word, side)


@inlined
def kings_with_quiet_move(scratch: Scratch) -> Word:
    """The black king squares for which a move that takes nothing is noted."""
    kings = NOTHING
    for n in range(scratch.noted[0]):
        if scratch.moves[n, GONE] == NO_SLOT:
            kings |= scratch.kings[n]
    return kings


@inner
def count_moves(block: Block, scratch: Scratch, side: Int, word: Int) -> None:
    """Note every move of one side in a word, and count them for its cells.

    If nobody asks for counts, only resets are noted.
    """
    has_codes = block.code.shape[1] > 0
    planes = block.counts.shape[2]
    note_moves(block, scratch, word, side, has_codes or planes > 0)
    if has_codes or planes:
        scratch.planes[:] = 0
        for n in range(scratch.noted[0]):
            add_move(scratch.planes, scratch.kings[n])
    if has_codes:
        write_codes(block, scratch, side, word)
    too_many = NOTHING
    for plane in range(PLANES - 1, -1, -1):
        if plane < planes:
            block.counts[side, word, plane] = scratch.planes[plane] | too_many
        else:
            too_many |= scratch.planes[plane]
