"""Kernels of the rules of chess: man by man and square by square."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Ints, Word
from tbgen.compiled.jit import by_address, inner, small
from tbgen.index.squares import NOWHERE, RAY
from tbgen.men import MOST_RAYS
from tbgen.verify.cells import Men, cell_of, set_up, side_of

NOBODY = -1
NO_POSITION = 255
"""Instead of an own code."""
QUIETS = 1
RESETS = 2
MOST_MOVES = 256
_MOST_SLOTS = 8
_ONE = np.uint64(1)
_KNIGHT = 2
_QUEEN = 5


@by_address
class Buffers(NamedTuple):
    """Scratch space for a position and its moves."""

    squares: Ints
    board: Ints
    """[square] -> slot or NOBODY."""
    rest: Ints
    slot: Ints
    """[move] -> the moving slot, its target, the captured slot, the role of a promotion or 0."""
    to: Ints
    captured: Ints
    promotion: Ints
    cell: Ints
    """[move] -> the index after it, if it was looked up."""
    after: Ints


def new_scratch() -> Buffers:
    """A scratch buffer with room for any position."""
    return Buffers(
        squares=np.zeros(_MOST_SLOTS, np.int64),
        board=np.full(64, NOBODY, np.int64),
        rest=np.zeros(_MOST_SLOTS, np.int64),
        slot=np.zeros(MOST_MOVES, np.int64),
        to=np.zeros(MOST_MOVES, np.int64),
        captured=np.zeros(MOST_MOVES, np.int64),
        promotion=np.zeros(MOST_MOVES, np.int64),
        cell=np.zeros(MOST_MOVES, np.int64),
        after=np.zeros(_MOST_SLOTS, np.int64),
    )


@inner
def square_bit(square: Int) -> Word:
    return _ONE << np.uint64(square)


@inner
def is_safe(men: Men, squares: Ints, slot: Int, to: Int, captured: Int) -> bool:
    """Whether the king of the man in `slot` is not attacked once that man stands on `to`."""
    color = men.color[slot]
    king = men.king[color]
    target = to if slot == king else squares[king]
    occupied = square_bit(to)
    for other in range(men.color.size):
        if other not in (slot, captured):
            occupied |= square_bit(squares[other])
    for other in range(men.color.size):
        if men.color[other] == color or other == captured:
            continue
        start = squares[other]
        attacks = men.attacks[other, start] & square_bit(target)
        if attacks and men.rays.between[other, start, target] & occupied == 0:
            return False
    return True


@inner
def is_in_check(men: Men, squares: Ints, side: Int) -> bool:
    """Whether the king of a side is attacked."""
    king = men.king[side]
    return not is_safe(men, squares, king, squares[king], NOBODY)


@inner
def is_legal_position(men: Men, squares: Ints, side: Int) -> bool:
    """Whether all men stand on squares of their own and the side not to move is not in check."""
    occupied = np.uint64(0)
    for slot in range(men.color.size):
        if occupied & square_bit(squares[slot]):
            return False
        occupied |= square_bit(squares[slot])
    return not is_in_check(men, squares, 1 - side)


@inner
def note_move(
    scratch: Buffers, count: Int, slot: Int, to: Int, captured: Int, promotion: Int
) -> Int:
    """List a move; return the number of moves."""
    scratch.slot[count] = slot
    scratch.to[count] = to
    scratch.captured[count] = captured
    scratch.promotion[count] = promotion
    return count + 1


@inner
def list_piece_moves(men: Men, scratch: Buffers, slot: Int, wanted: Int, count: Int) -> Int:
    """List the legal moves of a man that is no pawn."""
    start = scratch.squares[slot]
    for ray in range(men.rays.counts[slot]):
        path = ((slot * 64 + start) * MOST_RAYS + ray) * RAY
        for at in range(path, path + RAY):
            to = int(men.rays.paths[at])
            if to == NOWHERE:
                break
            captured = scratch.board[to]
            sort = QUIETS if captured == NOBODY else RESETS
            is_own = captured != NOBODY and men.color[captured] == men.color[slot]
            if wanted & sort and not is_own and is_safe(men, scratch.squares, slot, to, captured):
                count = note_move(scratch, count, slot, to, captured, 0)
            if captured != NOBODY:
                break
    return count


@inner
def list_arrivals(men: Men, scratch: Buffers, slot: Int, to: Int, captured: Int, count: Int) -> Int:
    """List a pawn's move to a square, or its four promotions there, if they are legal."""
    if not is_safe(men, scratch.squares, slot, to, captured):
        return count
    rank = to >> 3
    if 0 < rank < 7:
        return note_move(scratch, count, slot, to, captured, 0)
    for role in range(_KNIGHT, _QUEEN + 1):
        count = note_move(scratch, count, slot, to, captured, role)
    return count


@inner
def list_pawn_moves(men: Men, scratch: Buffers, slot: Int, count: Int) -> Int:
    """List the legal moves of a pawn, except captures en passant."""
    start = scratch.squares[slot]
    is_white = men.color[slot] == 0
    up = 8 if is_white else -8
    first_rank = 1 if is_white else 6
    if scratch.board[start + up] == NOBODY:
        count = list_arrivals(men, scratch, slot, start + up, NOBODY, count)
        if start >> 3 == first_rank and scratch.board[start + 2 * up] == NOBODY:
            count = list_arrivals(men, scratch, slot, start + 2 * up, NOBODY, count)
    for aside in (-1, 1):
        to = start + up + aside
        if 0 <= (start & 7) + aside < 8:
            captured = scratch.board[to]
            if captured != NOBODY and men.color[captured] != men.color[slot]:
                count = list_arrivals(men, scratch, slot, to, captured, count)
    return count


@inner
def list_moves(men: Men, scratch: Buffers, side: Int, wanted: Int) -> Int:
    """List the moves of the position in the scratch buffer: quiet ones, resets or both.

    Return their number.
    """
    for slot in range(men.color.size):
        scratch.board[scratch.squares[slot]] = slot
    count: Int = 0
    for slot in range(men.color.size):
        if men.color[slot] != side:
            continue
        if slot >= men.pawns:
            count = list_piece_moves(men, scratch, slot, wanted, count)
        elif wanted & RESETS:
            count = list_pawn_moves(men, scratch, slot, count)
    for slot in range(men.color.size):
        scratch.board[scratch.squares[slot]] = NOBODY
    return count


@inner
def is_position(men: Men, cell: Int, scratch: Buffers) -> bool:
    """Whether a cell is the primary one of a legal position; if so, set the position up."""
    side = set_up(men, cell, scratch.squares)
    if not is_legal_position(men, scratch.squares, side):
        return False
    return cell_of(men, side, scratch.squares, scratch.rest) == cell


@inner
def own_code_in(men: Men, scratch: Buffers, side: Int) -> Int:
    in_check = is_in_check(men, scratch.squares, side)
    return 2 * list_moves(men, scratch, side, QUIETS | RESETS) + (0 if in_check else 1)


@small
def own_code_of(men: Men, cell: Int, scratch: Buffers) -> Int:
    """A position's own code; NO_POSITION if the cell is not the primary one of a legal position."""
    if not is_position(men, cell, scratch):
        return NO_POSITION
    return own_code_in(men, scratch, side_of(men, cell))


@inner
def write_squares_after(scratch: Buffers, move: Int, squares: Ints) -> None:
    """Write down the squares of the men after a listed move; a captured man keeps his."""
    for slot in range(squares.size):
        squares[slot] = scratch.to[move] if slot == scratch.slot[move] else scratch.squares[slot]


@inner
def quiet_cell(men: Men, scratch: Buffers, side: Int, move: Int) -> int:
    """The cell after a move within the material."""
    write_squares_after(scratch, move, scratch.after)
    return cell_of(men, 1 - side, scratch.after, scratch.rest)
