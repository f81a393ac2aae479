"""The kernel of the search: alpha-beta with a stack of its own, one frame a ply.

The value of a position with an accrued score at a depth depends on these three alone. Positions that the search has
passed do not matter; only positions of the game itself end it by repetition. So the transposition table uses a value at
its own depth alone, and affects nothing but the time.

Table values are requested in batches. A position whose value is not known yet is evaluated instead, and noted. Values
that depend on it (*unsure*) are not stored. The caller searches again when it has the answers.

Evaluations are in thousandths of a centipawn. A value is greater if it is better for the side to move.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tbgen.board.board import (
    BLACK,
    BOARD_WORDS,
    EN_PASSANT,
    KIND,
    KING,
    KING_ATTACKS,
    KNIGHT,
    PAWN,
    QUEEN,
    TURN,
    WHITE,
    attacked_by,
    copy_words,
    origin_of,
    play,
    promotion_of,
    role_on,
    target_of,
)
from tbgen.board.moves import code_on, legal_moves
from tbgen.compiled.arrays import Int, Ints, SignedBytes, Word, Words
from tbgen.compiled.jit import borrowing, by_address, inner, small
from tbgen.index.words import NOTHING, ONE, count, lowest_square, square_bit
from tbgen.probe.keys import has_table

CENTIPAWN = 1000
MATE = 20_000_000
"""A mate on the board. The plies that the search had left are added, so that a shorter way counts more."""
SURE_MATE = 19_000_000
"""A mate that a table promises."""
_SCORES = 1_200_000
"""The worth of a score is this, divided by its code and 2: stalemate 4 pawns, G1.5 2.4, G5.5 0.9. Neighbouring codes up
to 100 differ by more than the plies of a search.
"""

_VALUES = np.array([0, 100, 300, 320, 500, 900, 0], np.int64) * CENTIPAWN
"""[role]"""
_PAWN_STEP, _ROOM, _NEARNESS = 6 * CENTIPAWN, 5 * CENTIPAWN, 4 * CENTIPAWN
"""The worth of a pawn's step, of a square that the king can go to, and of a step of the stronger side's king towards
it.
"""
_AHEAD = 250 * CENTIPAWN
"""From this advantage on, the stronger side brings its king near the other one."""


@small
def worth_of(signed: Int, plies: Int) -> Int:
    """The worth of a signed score to White, with the plies that the search had left."""
    code = max(signed, -signed) - 1
    worth = plies + (SURE_MATE if code == 0 else _SCORES // (code + 2))
    return worth if signed > 0 else -worth


@inner
def men_of(board: Words, side: Int) -> Int:
    """The worth of a side's men, and the steps of its pawns."""
    total: Int = 0
    for role in range(KNIGHT, QUEEN + 1):
        total += count(board[side] & board[KIND + role]) * _VALUES[role]
    left = board[side] & board[KIND + PAWN]
    while left:
        rank = lowest_square(left) >> 3
        total += _VALUES[PAWN] + _PAWN_STEP * (6 - rank if side == BLACK else rank - 1)
        left &= left - ONE
    return total


@inner
def room_of(board: Words, side: Int) -> Int:
    """The number of squares that the king of a side may go to."""
    king = board[side] & board[KIND + KING]
    danger = attacked_by(board, 1 - side, (board[WHITE] | board[BLACK]) ^ king)
    return count(KING_ATTACKS[lowest_square(king)] & ~board[side] & ~danger)


@inner
def evaluation(board: Words, accrued: Int) -> Int:
    """The prospects of the side to move: the accrued score, the men, and the freedom of the kings."""
    ahead = men_of(board, WHITE) - men_of(board, BLACK)
    total = ahead + _ROOM * (room_of(board, WHITE) - room_of(board, BLACK)) + worth_of(accrued, 0)
    if abs(ahead) >= _AHEAD:
        one, other = lowest_square(board[WHITE] & board[KIND + KING]), lowest_square(board[BLACK] & board[KIND + KING])
        near = 7 - max(abs((one & 7) - (other & 7)), abs((one >> 3) - (other >> 3)))
        total += _NEARNESS * near if ahead > 0 else -_NEARNESS * near
    return -total if board[TURN] else total


DEEPEST, MOST_PLIES = 64, 128
"""Plies that are searched in full, and with the captures and promotions after them: at most 30 and 16."""
MOST, OPEN, UNKNOWN, NO_MOVE = 1 << 26, 1 << 27, 1 << 10, 0xFFFF
"""More than any value; in place of a value to be searched; of an outcome that a table is asked for; of a move."""

STOP, NODES, MOST_NODES, ASKED, FILED, HITS, MOST_MEN, STATUS = range(8)
"""The columns of `status`: whether to stop, positions looked at, how many may be; table values asked for, those that
are filed or asked for in all, and found; the most men of a table."""

ALPHA, BETA, FLOOR, DEPTH, BEST, BEST_MOVE, COUNT, NEXT, ACCRUED, UNSURE, LENGTH, FRAME = range(12)
"""The columns of a frame; FLOOR is alpha at the beginning, LENGTH that of the best line."""

_MULTIPLIER, _MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)
_FIRST, _CAPTURE = 1 << 50, 1 << 40


@by_address
class SearchState(NamedTuple):
    """The arrays of a search."""

    boards: Words
    """[ply, word]"""
    moves: Ints
    merits: Ints
    """[ply, move] the merit of a move: the greatest is tried first."""
    frames: Ints
    """[ply, column]"""
    lines: Ints
    """[ply, n] best play from a ply."""
    history: Ints
    """[side, move without promotion] the success of quiet moves."""
    stored: Ints
    """[slot, 5] a key, the least and the greatest possible value, the depth, the best move."""
    table_keys: Words
    table_outcomes: SignedBytes
    """[slot] the requested positions, and their signed outcomes; 0 while an outcome is unknown."""
    known: Words
    """The keys of the materials that have tables, sorted."""
    asked: Words
    """[n, word] the requested positions."""
    slots: Ints
    """[n] their slots."""
    over: Words
    """[n] the keys of positions that end the game if they arise once more, sorted; the last is greater than any."""
    status: Ints


@borrowing
def key_of(board: Words, accrued: Int) -> Word:
    """A number for a position with its accrued score, never 0."""
    key = np.uint64(accrued + 4096)
    for word in range(BOARD_WORDS):
        key = (key ^ board[word]) * _MULTIPLIER
        key ^= key >> _MIX
    return key if key else _MULTIPLIER


@inner
def is_over(s: SearchState, key: Word) -> bool:
    """Whether the game ends by repetition in the position of a key."""
    return bool(s.over[np.searchsorted(s.over, key)] == key)


@inner
def table_outcome(s: SearchState, board: Words) -> Int:
    """The signed outcome that a table has for a position in its own score; 0 without a table, or UNKNOWN."""
    if count(board[WHITE] | board[BLACK]) > s.status[MOST_MEN] or board[EN_PASSANT] or not has_table(board, s.known):
        return 0
    key, last = key_of(board, 0), len(s.table_keys) - 1
    slot = np.int64(key & np.uint64(last))
    while s.table_keys[slot] != NOTHING and s.table_keys[slot] != key:
        slot = (slot + 1) & last
    if s.table_keys[slot] == key:
        outcome = np.int64(s.table_outcomes[slot])
        s.status[HITS] += outcome != 0
        return outcome if outcome else UNKNOWN
    if 2 * s.status[FILED] > last:
        return 0
    copy_words(board, s.asked[s.status[ASKED]])
    s.slots[s.status[ASKED]] = slot
    s.table_keys[slot] = key
    s.status[ASKED] += 1
    s.status[FILED] += 1
    return UNKNOWN


@inner
def recall(s: SearchState, ply: Int, key: Word) -> tuple[Int, Int]:
    """The stored value for the depth and window of a frame, or OPEN; and the stored move."""
    frame, row = s.frames[ply], s.stored[np.int64(key & np.uint64(len(s.stored) - 1))]
    if row[0] != np.int64(key):
        return OPEN, NO_MOVE
    least, greatest = np.int64(row[1]), np.int64(row[2])
    value = least if least == greatest or least >= frame[BETA] else greatest if greatest <= frame[ALPHA] else OPEN
    return (value if row[3] == frame[DEPTH] else OPEN), np.int64(row[4])


@inner
def store(s: SearchState, ply: Int) -> None:
    """Store the result for a position."""
    frame, key = s.frames[ply], key_of(s.boards[ply], np.int64(s.frames[ply, ACCRUED]))
    if frame[UNSURE] or frame[DEPTH] < 0 or s.status[STOP]:
        return
    row, best = s.stored[np.int64(key & np.uint64(len(s.stored) - 1))], frame[BEST]
    row[0], row[3], row[4] = np.int64(key), frame[DEPTH], frame[BEST_MOVE]
    row[1], row[2] = -MOST if best <= frame[FLOOR] else best, MOST if best >= frame[BETA] else best


@inner
def is_forcing(board: Words, move: Int) -> bool:
    """Whether a move is a capture or a promotion."""
    enemies, target = board[1 - np.int64(board[TURN])], square_bit(target_of(move))
    en_passant = target == board[EN_PASSANT] and square_bit(origin_of(move)) & board[KIND + PAWN] != NOTHING
    return bool(promotion_of(move) or enemies & target or en_passant)


@inner
def merit_of(s: SearchState, board: Words, move: Int) -> Int:
    """The merit of a move: captures of much by little and promotions, then moves that have succeeded elsewhere."""
    side = np.int64(board[TURN])
    if not is_forcing(board, move):
        return s.history[side, move & 4095]
    victim = role_on(board, square_bit(target_of(move)) & board[1 - side])
    return _CAPTURE + 16 * (victim + promotion_of(move)) - role_on(board, square_bit(origin_of(move)))


@inner
def open_frame(s: SearchState, ply: Int, depth: Int, accrued: Int, alpha: Int, beta: Int) -> Int:
    """Prepare the search of the position on a ply; return its value if it is already known, else OPEN."""
    frame, board, moves = s.frames[ply], s.boards[ply], s.moves[ply]
    frame[ALPHA], frame[BETA], frame[FLOOR], frame[DEPTH], frame[ACCRUED] = alpha, beta, alpha, depth, accrued
    frame[BEST], frame[BEST_MOVE], frame[NEXT], frame[COUNT] = -MOST, NO_MOVE, 0, 0
    first: Int = NO_MOVE
    if depth >= 0:
        value, first = recall(s, ply, key_of(board, accrued))
        if value != OPEN:
            return value
    if depth <= 0:
        frame[BEST] = evaluation(board, accrued)
        frame[ALPHA] = max(alpha, np.int64(frame[BEST]))
        if frame[BEST] >= beta:
            return np.int64(frame[BEST])
    for n in range(legal_moves(board, moves)):
        if depth > 0 or is_forcing(board, moves[n]):
            moves[frame[COUNT]] = moves[n]
            s.merits[ply, frame[COUNT]] = _FIRST if moves[n] == first else merit_of(s, board, moves[n])
            frame[COUNT] += 1
    return OPEN if frame[COUNT] else np.int64(frame[BEST])


@inner
def next_move(s: SearchState, ply: Int) -> Int:
    """The move of a frame to try next."""
    frame, moves, merits = s.frames[ply], s.moves[ply], s.merits[ply]
    first: Int = np.int64(frame[NEXT])
    best = first + np.argmax(merits[first : frame[COUNT]])
    moves[first], moves[best] = moves[best], moves[first]
    merits[first], merits[best] = merits[best], merits[first]
    frame[NEXT] += 1
    return np.int64(moves[first])


@inner
def advance(s: SearchState, ply: Int) -> Int:
    """Make the next move of a frame; return the value after it if that needs no search, else OPEN."""
    frame, after = s.frames[ply], s.boards[ply + 1]
    copy_words(s.boards[ply], after)
    reset = play(after, next_move(s, ply))
    s.status[NODES] += 1
    s.frames[ply + 1, UNSURE] = s.frames[ply + 1, LENGTH] = 0
    depth, code = np.int64(frame[DEPTH]) - 1, code_on(after)
    if code <= 1:
        return -(MATE + depth if code == 0 else worth_of(code + 1, depth))
    accrued: Int = np.int64(frame[ACCRUED])
    sign: Int = 1 if after[TURN] else -1
    if reset or code + 1 < abs(frame[ACCRUED]):
        accrued = sign * (code + 1)
        outcome = table_outcome(s, after)
        if outcome == UNKNOWN:
            s.frames[ply + 1, UNSURE] = 1
            return evaluation(after, accrued)
        if outcome:
            return -sign * worth_of(outcome, depth)
    elif is_over(s, key_of(after, 0)):
        return -sign * worth_of(accrued, 0)
    return open_frame(s, ply + 1, depth, accrued, -np.int64(frame[BETA]), -np.int64(frame[ALPHA]))


@inner
def take_up(s: SearchState, ply: Int, value: Int) -> None:
    """Note the value of the last move that was tried."""
    frame = s.frames[ply]
    frame[UNSURE] |= s.frames[ply + 1, UNSURE]
    if value <= frame[BEST]:
        return
    move = np.int64(s.moves[ply, frame[NEXT] - 1])
    frame[BEST], frame[BEST_MOVE] = value, move
    if value <= frame[ALPHA]:
        return
    frame[ALPHA] = value
    s.lines[ply, 0] = move
    length = np.int64(s.frames[ply + 1, LENGTH])
    for n in range(length):
        s.lines[ply, n + 1] = s.lines[ply + 1, n]
    frame[LENGTH] = length + 1
    if value >= frame[BETA] and frame[DEPTH] > 0 and not is_forcing(s.boards[ply], move):
        s.history[np.int64(s.boards[ply, TURN]), move & 4095] += frame[DEPTH] * frame[DEPTH]


# s.boards[0] and s.frames[0] hold the root, s.moves[0] its moves
@borrowing
def search(s: SearchState) -> Int:
    """The value of the root by some of its moves; OPEN if the search was stopped."""
    ply: Int = 0
    while True:
        frame = s.frames[ply]
        if frame[NEXT] < frame[COUNT] and frame[BEST] < frame[BETA]:
            if s.status[STOP] or s.status[NODES] >= s.status[MOST_NODES] or s.status[ASKED] == len(s.asked):
                return OPEN
            value = advance(s, ply)
            if value == OPEN:
                ply += 1
            else:
                take_up(s, ply, -value)
        elif ply == 0:
            return np.int64(frame[BEST])
        else:
            store(s, ply)
            ply -= 1
            take_up(s, ply, -np.int64(s.frames[ply + 1, BEST]))
