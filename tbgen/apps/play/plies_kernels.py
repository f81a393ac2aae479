"""Kernels that list what a few plies lead to, over positions that are one number each.

The men of a position are told by kind, White's first, in the order king, queen, rook, bishop, knight, pawn:
*counts* has four bits for each kind, how many there are, and *squares* six bits for each man, equal men in ascending
order. As long as nothing is captured and no pawn moves, the counts stay, and the squares alone are the position.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tbgen.board.board import BOARD_WORDS, EN_PASSANT, KIND, KING, PAWN, TURN, copy_words, play
from tbgen.board.mobility import code_on
from tbgen.board.moves import MOST_MOVES, legal_moves
from tbgen.compiled.arrays import Bools, Int, Ints, Words
from tbgen.compiled.jit import borrowing, by_address, inner
from tbgen.index.words import NOTHING, ONE, lowest_square, square_bit

COUNT_BITS, SQUARE_BITS = 4, 6
NO_SQUARE = -1


@inner
def counts_of(board: Words) -> Int:
    """How many men of each kind stand on a board."""
    counts: Int = 0
    for side in range(2):
        for role in range(KING, PAWN - 1, -1):
            number, men = 0, board[side] & board[KIND + role]
            while men:
                number += 1
                men &= men - ONE
            counts = counts << COUNT_BITS | number
    return counts


@inner
def squares_of(board: Words) -> Int:
    """Where the men of a board stand."""
    squares: Int = 0
    for side in range(2):
        for role in range(KING, PAWN - 1, -1):
            men = board[side] & board[KIND + role]
            while men:
                squares = squares << SQUARE_BITS | lowest_square(men)
                men &= men - ONE
    return squares


@inner
def set_up(board: Words, counts: Int, squares: Int, turn: Int) -> None:
    """Put men on a board, which has no rights to castle or to take en passant."""
    board[:] = NOTHING
    board[TURN] = np.uint64(turn)
    for side in range(1, -1, -1):
        for role in range(PAWN, KING + 1):
            for _ in range(counts & 15):
                bit = square_bit(squares & 63)
                board[side] |= bit
                board[KIND + role] |= bit
                squares >>= SQUARE_BITS
            counts >>= COUNT_BITS


@by_address
class Successors(NamedTuple):
    """What moves lead to, a row a move: counts, squares and code of the position, whether the move was a reset, and
    the square behind a pawn that has just made a double step, or NO_SQUARE."""

    counts: Ints
    squares: Ints
    codes: Ints
    resets: Bools
    passants: Ints
    moves: Ints
    """Scratch buffers: the moves on a board, the board before them, and after one."""
    before: Words
    after: Words


def no_successors(moves: int) -> Successors:
    """Room for the successors by so many moves."""
    return Successors(
        counts=np.empty(moves, np.int64),
        squares=np.empty(moves, np.int64),
        codes=np.empty(moves, np.int64),
        resets=np.empty(moves, np.bool_),
        passants=np.empty(moves, np.int64),
        moves=np.empty(MOST_MOVES, np.int64),
        before=np.empty(BOARD_WORDS, np.uint64),
        after=np.empty(BOARD_WORDS, np.uint64),
    )


@borrowing
def list_successors(board: Words, first: Int, found: Successors) -> Int:
    """List what the legal moves on a board lead to, from a row on; returns how many moves there are."""
    moves, after = found.moves, found.after
    number = legal_moves(board, moves)
    for n in range(number):
        copy_words(board, after)
        row = first + n
        found.resets[row] = play(after, moves[n])
        found.counts[row], found.squares[row], found.codes[row] = counts_of(after), squares_of(after), code_on(after)
        found.passants[row] = lowest_square(after[EN_PASSANT]) if after[EN_PASSANT] else NO_SQUARE
    return number


# states[n] -> squares of a position; its successors go to the rows start[n] to start[n + 1]
@borrowing
def expand_states(counts: Int, turn: Int, states: Ints, start: Ints, found: Successors) -> Int:
    """List the successors of positions with the same men and side to move; returns how many there are."""
    for n in range(len(states)):
        set_up(found.before, counts, states[n], turn)
        list_successors(found.before, start[n], found)
    return np.int64(start[len(states)])


@borrowing
def men_on(board: Words) -> tuple[Int, Int]:
    """Counts and squares of a board."""
    return counts_of(board), squares_of(board)
