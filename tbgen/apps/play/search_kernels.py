"""The kernel of the search: alpha-beta, which calls itself for every move.

The value of a position with an accrued score at a depth depends on these three alone. Positions
that the search has passed do not matter; only positions of the game itself end it by repetition. So
the transposition table uses a value at its own depth alone, and affects nothing but the time.

Table values are requested in batches. A position whose value is not known yet is evaluated instead,
and noted. Values that depend on it (*unsure*) are not stored. The caller searches again when it has
the answers.

Evaluations are in thousandths of a centipawn. A value is greater if it is better for the side to
move.
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
from tbgen.probe.successors import has_table

CENTIPAWN = 1000
MATE = 20_000_000
"""A mate on the board.

The plies that the search had left are added, so that a shorter way counts more.
"""
SURE_MATE = 19_000_000
"""A mate that a table promises."""
_SCORES = 1_200_000
"""The worth of a score is this, divided by its code and 2: stalemate 4 pawns, G1.5 2.4, G5.5 0.9.

Neighbouring codes up to 100 differ by more than the plies of a search.
"""

_VALUES = np.array([0, 100, 300, 320, 500, 900, 0], np.int64) * CENTIPAWN
"""[role]"""
_PAWN_STEP = 6 * CENTIPAWN
"""The worth of a step of a pawn."""
_ROOM = 5 * CENTIPAWN
"""The worth of a square that the king can go to."""
_NEARNESS = 4 * CENTIPAWN
"""The worth of a step of the stronger side's king towards the other king."""
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
        steps = (6 - rank) if side == BLACK else (rank - 1)
        total += _VALUES[PAWN] + (_PAWN_STEP * steps)
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
    """The prospects of the side to move: the accrued score, the men, and the kings' freedom."""
    ahead = men_of(board, WHITE) - men_of(board, BLACK)
    more_room = room_of(board, WHITE) - room_of(board, BLACK)
    total = ahead + (_ROOM * more_room) + worth_of(accrued, 0)
    if abs(ahead) >= _AHEAD:
        white = lowest_square(board[WHITE] & board[KIND + KING])
        black = lowest_square(board[BLACK] & board[KIND + KING])
        files = abs((white & 7) - (black & 7))
        ranks = abs((white >> 3) - (black >> 3))
        nearness = _NEARNESS * (7 - max(files, ranks))
        total += nearness if ahead > 0 else -nearness
    return -total if board[TURN] else total


DEEPEST = 64
"""The most plies that are searched in full."""
MOST_PLIES = 128
"""More than those plies, and the captures and promotions after them: at most 30 and 16."""
MOST = 1 << 26
"""More than any value."""
OPEN = 1 << 27
"""In place of a value that needs a search, or whose search was stopped."""
UNKNOWN = 1 << 10
"""In place of a table's outcome that has been requested."""
NO_MOVE = 0xFFFF
"""In place of a move."""

# The columns of `status`.
STOP = 0
"""Not 0 to end the search."""
NODES = 1
"""The positions that have been searched."""
MOST_NODES = 2
"""The limit of them."""
ASKED = 3
"""The table values that have been requested since the last answers."""
FILED = 4
"""The table values that have been requested in all."""
HITS = 5
"""The table values that have been used."""
UNSURE = 6
"""The evaluations in place of table values that have been requested."""
MOST_MEN = 7
"""The most men of a table."""
STATUS_COLUMNS = 8

# A row of `stored`.
KEY = 0
LEAST = 1
GREATEST = 2
DEPTH = 3
REPLY = 4
STORED_COLUMNS = 5

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""2^64 divided by the golden ratio, an odd number whose bits look random."""
_MIX = np.uint64(29)
"""How far a product is shifted, so that its high bits reach the low ones."""
_ACCRUED_SHIFT = 4096
"""Greater than any accrued score; with it none is negative."""

_FIRST = 1 << 50
"""The merit of the move that was best before; no other merit has this bit."""
_CAPTURE = 1 << 40
"""The least merit of a capture or promotion."""
_WITHOUT_PROMOTION = 0xFFF
"""The bits of a move that have its squares."""


@by_address
class SearchState(NamedTuple):
    """The arrays of a search."""

    boards: Words
    """[ply, word]"""
    moves: Ints
    merits: Ints
    """[ply, move] the merit of a move: the greatest is tried first."""
    lines: Ints
    """[ply, n] best play from a ply; NO_MOVE follows it."""
    history: Ints
    """[side, move without promotion] the success of quiet moves."""
    stored: Ints
    """[slot, column] a key, the least and the greatest possible value, the depth, the best move."""
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
    """[n] the keys of positions that end the game if they arise once more, sorted.

    The last is greater than any.
    """
    status: Ints


@borrowing
def key_of(board: Words, accrued: Int) -> Word:
    """A number for a position with its accrued score, never 0."""
    key = np.uint64(accrued + _ACCRUED_SHIFT)
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
    """The signed outcome that a table has for a position in its own score.

    It is 0 without a table, and UNKNOWN if it has been requested.
    """
    if (
        count(board[WHITE] | board[BLACK]) > s.status[MOST_MEN]
        or board[EN_PASSANT]
        or not has_table(board, s.known)
    ):
        return 0
    key = key_of(board, 0)
    last = len(s.table_keys) - 1
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
def recall(row: Ints, key: Word, depth: Int, low: Int, high: Int) -> tuple[Int, Int]:
    """The stored value for a depth and a window, or OPEN; and the stored move."""
    if row[KEY] != np.int64(key):
        return OPEN, NO_MOVE
    least = np.int64(row[LEAST])
    greatest = np.int64(row[GREATEST])
    value: Int = OPEN
    if row[DEPTH] == depth:
        if least == greatest or least >= high:
            value = least
        elif greatest <= low:
            value = greatest
    return value, np.int64(row[REPLY])


@inner
def merit_of(s: SearchState, board: Words, move: Int) -> Int:
    """The merit of a move.

    Captures of much by little and promotions come first, then moves that have succeeded elsewhere.
    """
    side = np.int64(board[TURN])
    origin = square_bit(origin_of(move))
    target = square_bit(target_of(move))
    prey = board[1 - side] & target
    is_pawn = (origin & board[KIND + PAWN]) != NOTHING
    en_passant = is_pawn and target == board[EN_PASSANT]
    if prey or en_passant or promotion_of(move):
        victim = PAWN if en_passant else role_on(board, prey)
        gain = victim + promotion_of(move)
        return _CAPTURE + 16 * gain - role_on(board, origin)
    return s.history[side, move & _WITHOUT_PROMOTION]


@inner
def list_moves(s: SearchState, ply: Int, depth: Int, first: Int) -> Int:
    """List the moves to try on a ply, with their merits; return their number."""
    board = s.boards[ply]
    moves = s.moves[ply]
    listed = 0
    for n in range(legal_moves(board, moves)):
        move = moves[n]
        merit = merit_of(s, board, move)
        if depth > 0 or merit >= _CAPTURE:
            moves[listed] = move
            s.merits[ply, listed] = (merit | _FIRST) if move == first else merit
            listed += 1
    return listed


@inner
def next_move(s: SearchState, ply: Int, first: Int, listed: Int) -> Int:
    """The best of the moves from the number `first` on, which takes that number."""
    moves = s.moves[ply]
    merits = s.merits[ply]
    best = first + np.argmax(merits[first:listed])
    moves[first], moves[best] = moves[best], moves[first]
    merits[first], merits[best] = merits[best], merits[first]
    return np.int64(moves[first])


@inner
def advance(s: SearchState, ply: Int, move: Int, depth: Int, accrued: Int) -> tuple[Int, Int]:
    """Make a move. Return its value to the side that makes it, and the accrued score after it.

    The value is OPEN if it needs a search.
    """
    after = s.boards[ply + 1]
    copy_words(s.boards[ply], after)
    reset = play(after, move)
    code = code_on(after)
    s.status[NODES] += 1
    s.lines[ply + 1, 0] = NO_MOVE
    if code == 0:
        return MATE + depth, accrued
    if code == 1:
        return worth_of(code + 1, depth), accrued
    sign: Int = 1 if after[TURN] else -1
    if reset or code + 1 < max(accrued, -accrued):
        accrued = sign * (code + 1)
        outcome = table_outcome(s, after)
        if outcome == UNKNOWN:
            s.status[UNSURE] += 1
            return -evaluation(after, accrued), accrued
        if outcome:
            return sign * worth_of(outcome, depth), accrued
    elif is_over(s, key_of(after, 0)):
        return sign * worth_of(accrued, 0), accrued
    return OPEN, accrued


# s.boards[ply] holds the position before the move
@borrowing
def value_of(
    s: SearchState, ply: Int, move: Int, depth: Int, accrued: Int, alpha: Int, beta: Int
) -> Int:
    """The value of a move to the side that makes it; OPEN if the search stops.

    Outside `alpha` and `beta` it is a bound. `depth` is the number of plies after the move that are
    searched in full.
    """
    if s.status[STOP] or s.status[NODES] >= s.status[MOST_NODES] or s.status[ASKED] == len(s.asked):
        return OPEN
    unsure = s.status[UNSURE]
    value, accrued = advance(s, ply, move, depth, accrued)
    if value != OPEN:
        return value
    ply += 1
    low = -beta
    high = -alpha
    board = s.boards[ply]
    is_stored = depth >= 0  # captures beyond the depth are not
    key = key_of(board, accrued) if is_stored else NOTHING
    row = s.stored[np.int64(key & np.uint64(len(s.stored) - 1))]
    value, reply = recall(row, key, depth, low, high)
    if value != OPEN:
        return -value
    best: Int = -MOST
    if depth <= 0:
        best = evaluation(board, accrued)
        reply = NO_MOVE
    listed = list_moves(s, ply, depth, reply) if best < high else 0
    for number in range(listed):
        move = next_move(s, ply, number, listed)
        value = value_of(s, ply, move, depth - 1, accrued, max(low, best), high)
        if value == OPEN:
            return OPEN
        if value <= best:
            continue
        best = value
        reply = move
        if best >= high:
            is_quiet = (s.merits[ply, number] & ~_FIRST) < _CAPTURE
            if depth > 0 and is_quiet:
                s.history[np.int64(board[TURN]), move & _WITHOUT_PROMOTION] += depth * depth
            break
        if best > low:
            s.lines[ply, 0] = move
            for n in range(1, MOST_PLIES):
                s.lines[ply, n] = s.lines[ply + 1, n - 1]
    if listed and is_stored and s.status[UNSURE] == unsure:
        row[KEY] = np.int64(key)
        row[LEAST] = -MOST if best <= low else best
        row[GREATEST] = MOST if best >= high else best
        row[DEPTH] = depth
        row[REPLY] = reply
    return -best
