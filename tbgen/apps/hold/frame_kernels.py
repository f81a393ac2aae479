"""Kernels of frames: two men move, everything else stands still, 64 positions at a time.

A frame fixes all men but one of either side: B, of the side that holds, and C, of the other. A word has a bit for every
square of C. `word = plane * ROWS + row`: row 0-63 is the square of B, row 64 is B on its first square with its castling
rights; plane 0 has C without castling rights, plane 1 has it on its first square with them. Side to move: 0 B, 1 C.

A quiet move of one of the two men is legal if and only if the position that it leads to is one, since the man that
moves is the only one that changes its place. So legality of all moves is a bit of the successor's word.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tbgen.board.board import BISHOP, KIND, KING, KNIGHT, RIGHTS, ROOK, TURN
from tbgen.board.legality import attackers
from tbgen.board.mobility import code_on
from tbgen.board.moves import piece_reach
from tbgen.compiled.arrays import Int, Ints, SignedShorts, Word, Words
from tbgen.compiled.jit import borrowing, by_address, inner
from tbgen.index.words import NOT_A_FILE, NOT_H_FILE, NOTHING, count, lowest_square, square_bit

ROWS = 65
WORDS = 2 * ROWS
FIRST = 64
"""The row of B on its first square with its castling rights."""
B_MOVES, C_MOVES = 0, 1
NEVER = -1
NO_POSITION = -1

_ONE = np.uint64(1)


@by_address
class Men(NamedTuple):
    """The two men of a frame."""

    side: int
    """That of B."""
    b_role: int
    b_first: int
    b_rights: int
    """1 if B has castling rights on its first square."""
    c_role: int
    c_first: int
    c_rights: int


@by_address
class Positions(NamedTuple):
    """The positions of a frame, and the moves of its two men."""

    codes: SignedShorts
    """[side to move, word, square of C] own code, -1 where there is no position."""
    legal: Words
    """[side to move, word]"""
    leaves: Words
    """[word] C is to move and has a move that is no quiet one of its man of the frame."""
    can: Words
    """[word] B is to move and has a quiet move of its man of the frame."""
    steps: Ints
    """[row, ray, step] rows that B's man may reach along rays, -1 behind the last one."""


@by_address
class Level(NamedTuple):
    """What is known at one threshold."""

    plies: SignedShorts
    """[side to move, word, square of C] plies that C needs at least, -1 where it never gets out."""
    broken_b: Words
    """[word] B is to move, and C gets out."""
    broken_c: Words
    arrived: Words
    """[layer, word] C is to move in 2 * layer + 1 plies from its way out, with the position's own code as threshold."""
    lower: Words
    """[word] a scratch buffer, and another one."""
    held: Words


# board: words without the two men; rights[b, c]: RIGHTS words with B's and C's rights lost (0) or kept (1)
@borrowing
def fill_codes(board: Words, rights: Words, men: Men, found: Positions) -> Int:
    """Count the legal moves of all positions; how many positions there are."""
    occupied = board[0] | board[1]
    positions: Int = 0
    for row in range(ROWS):
        square = men.b_first if row == FIRST else row
        keeps_b = np.int64(row == FIRST)
        if occupied & square_bit(square) or keeps_b > men.b_rights:
            continue
        board[men.side] ^= square_bit(square)
        board[KIND + men.b_role] ^= square_bit(square)
        for plane in range(1 + men.c_rights):
            board[RIGHTS] = rights[keeps_b, plane]
            squares = square_bit(men.c_first) if plane else ~NOTHING
            squares &= ~(occupied | square_bit(square))
            while squares:
                c_square = lowest_square(squares)
                positions += fill_pair(board, men, plane * ROWS + row, c_square, found)
                squares &= squares - _ONE
        board[men.side] ^= square_bit(square)
        board[KIND + men.b_role] ^= square_bit(square)
    return positions


@inner
def fill_pair(board: Words, men: Men, word: Int, c_square: Int, found: Positions) -> Int:
    """Count the moves of both sides with the two men in their places; how many of the two are positions."""
    bit, positions = square_bit(c_square), 0
    board[1 - men.side] ^= bit
    board[KIND + men.c_role] ^= bit
    for turn in range(2):
        mover = men.side if turn == B_MOVES else 1 - men.side
        king = lowest_square(board[1 - mover] & board[KIND + KING])
        if attackers(board, king, mover, board[0] | board[1]) == NOTHING:
            board[TURN] = np.uint64(mover)
            found.codes[turn, word, c_square] = code_on(board)
            found.legal[turn, word] |= bit
            positions += 1
    board[1 - men.side] ^= bit
    board[KIND + men.c_role] ^= bit
    return positions


# fixed: the men that stand still
@borrowing
def fill_moves(fixed: Word, men: Men, found: Positions) -> Int:
    """Find where B can move its man, and where C has a way out of the frame."""
    words = ROWS * (1 + men.c_rights)
    for word in range(words):
        row = word % ROWS
        if found.legal[B_MOVES, word] | found.legal[C_MOVES, word] == NOTHING:
            continue
        found.can[word] = b_successors(found.legal[C_MOVES], found, word) & found.legal[B_MOVES, word]
        square = men.b_first if row == FIRST else row
        left = found.legal[C_MOVES, word]
        while left:
            c_square = lowest_square(left)
            targets = piece_reach(men.c_role, c_square, fixed | square_bit(square)) & found.legal[B_MOVES, row]
            if count(targets) != found.codes[C_MOVES, word, c_square] >> 1:
                found.leaves[word] |= square_bit(c_square)
            left &= left - _ONE
    return words


# targets[word]: positions with C to move
@inner
def b_successors(targets: Words, found: Positions, word: Int) -> Word:
    """The squares of C with which B's man has a move to a target."""
    row, plane = word % ROWS, word // ROWS
    reached = NOTHING
    for ray in range(found.steps.shape[1]):
        clear = ~NOTHING  # squares of C that do not stand in the way so far
        for step in range(found.steps.shape[2]):
            to = found.steps[row, ray, step]
            if to < 0:
                break
            reached |= targets[plane * ROWS + to] & clear
            clear &= ~square_bit(to)
    return reached


@inner
def slide(word: Word, empty: Word, shift: Int, guard: Word) -> Word:
    """The squares that sliders attack in one direction; `guard` are those from which a step stays on the board."""
    reached = NOTHING
    for _ in range(7):
        word &= guard
        word = word << np.uint64(shift) if shift > 0 else word >> np.uint64(-shift)
        if word == NOTHING:
            break
        reached |= word
        word &= empty
    return reached


@inner
def origins(role: Int, targets: Word, empty: Word) -> Word:
    """The squares from which a man reaches one of the targets; moves of pieces go both ways."""
    if role in (KNIGHT, KING):
        found = NOTHING
        while targets:
            found |= piece_reach(role, lowest_square(targets), NOTHING)
            targets &= targets - _ONE
        return found
    found = NOTHING
    if role != BISHOP:
        found |= slide(targets, empty, 8, ~NOTHING) | slide(targets, empty, -8, ~NOTHING)
        found |= slide(targets, empty, 1, NOT_H_FILE) | slide(targets, empty, -1, NOT_A_FILE)
    if role != ROOK:
        found |= slide(targets, empty, 9, NOT_H_FILE) | slide(targets, empty, -7, NOT_H_FILE)
        found |= slide(targets, empty, 7, NOT_A_FILE) | slide(targets, empty, -9, NOT_A_FILE)
    return found


@inner
def note(plies: SignedShorts, turn: Int, word: Int, squares: Word, layer: Int) -> bool:
    """Give new members of a set their number of plies; whether there are any."""
    if squares == NOTHING:
        return False
    while squares:
        plies[turn, word, lowest_square(squares)] = layer
        squares &= squares - _ONE
    return True


# lower[word]: C is to move and the code is below the threshold, so that B has just lowered it
@inner
def begin_level(found: Positions, threshold: Int, level: Level, lower: Words) -> None:
    """Layer 0: B is to move and C's score counts, or B has moves, but none of its man of the frame."""
    for word in range(WORDS):
        lower[word] = level.broken_b[word] = level.broken_c[word] = NOTHING
        left = found.legal[B_MOVES, word]
        while left:
            square = lowest_square(left)
            code = found.codes[B_MOVES, word, square]
            if code < threshold or (code > 1 and found.can[word] & square_bit(square) == NOTHING):
                level.broken_b[word] |= square_bit(square)
            left &= left - _ONE
        note(level.plies, B_MOVES, word, level.broken_b[word], 0)
        left = found.legal[C_MOVES, word]
        while left:
            if found.codes[C_MOVES, word, lowest_square(left)] < threshold:
                lower[word] |= left & (~left + _ONE)
            left &= left - _ONE


@inner
def layer_of_c(found: Positions, men: Men, fixed: Word, layer: Int, level: Level) -> bool:
    """C is to move and can break out, or reach a position that is broken; whether one is new."""
    changed = False
    for word in range(ROWS * (1 + men.c_rights)):
        row = word % ROWS
        square = men.b_first if row == FIRST else row
        fresh = found.leaves[word]
        targets = level.broken_b[row]
        if targets:
            fresh |= origins(men.c_role, targets, ~(fixed | square_bit(square)))
        fresh &= found.legal[C_MOVES, word] & ~level.broken_c[word]
        level.broken_c[word] |= fresh
        changed |= note(level.plies, C_MOVES, word, fresh, layer)
    return changed


# held[word]: C is to move, and has not been found to get out after B's arrival
@inner
def layer_of_b(found: Positions, men: Men, layer: Int, level: Level, held: Words) -> bool:
    """B is to move, and all its moves lead to positions that are broken; whether one is new."""
    changed = False
    for word in range(ROWS * (1 + men.c_rights)):
        undecided = found.can[word] & ~level.broken_b[word]
        if undecided == NOTHING:
            continue
        fresh = undecided & ~b_successors(held, found, word)
        level.broken_b[word] |= fresh
        changed |= note(level.plies, B_MOVES, word, fresh, layer)
    return changed


@borrowing
def solve_level(found: Positions, men: Men, fixed: Word, threshold: Int, last: Int, level: Level) -> Int:
    """Grow the set from which C gets out, layer by layer; the last layer of C.

    `last` is the last layer of C at any lower threshold: B may move to a position whose own code is the new threshold,
    and that may take C longer than anything at this one. So an empty layer is not the end before that.
    """
    lower, held = level.lower, level.held
    level.plies[:] = NEVER
    begin_level(found, threshold, level, lower)
    for word in range(WORDS):
        held[word] = found.legal[C_MOVES, word]
    layer, deepest, changed = 1, last, True
    while changed or layer <= last:
        changed = layer_of_c(found, men, fixed, layer, level)
        if changed:
            deepest = max(deepest, layer)
        for word in range(WORDS):
            if layer <= last:
                held[word] &= ~(level.arrived[layer >> 1, word] & lower[word])
            held[word] &= ~(level.broken_c[word] & ~lower[word])
        changed |= layer_of_b(found, men, layer + 1, level, held)
        layer += 2
    return deepest


@borrowing
def note_arrivals(found: Positions, men: Men, code: Int, level: Level) -> Int:
    """Note how long C needs where B has just reached a code, which is the threshold of this level."""
    arrivals = 0
    for word in range(ROWS * (1 + men.c_rights)):
        left = level.broken_c[word]
        while left:
            square = lowest_square(left)
            if found.codes[C_MOVES, word, square] == code:
                level.arrived[level.plies[C_MOVES, word, square] >> 1, word] |= square_bit(square)
                arrivals += 1
            left &= left - _ONE
    return arrivals
