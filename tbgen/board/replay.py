"""Games replayed from the bytes that their moves are written in, in SAN or as in UCI.

The kernels accept what python-chess accepts: castling with O or 0, missing or superfluous signs of
capture, check and mate, more of the origin than is needed, promotions with or without `=`, and the
long forms of UCI.
"""

from __future__ import annotations

import chess
import numpy as np

from tbgen.board.board import (
    BLACK,
    BOARD_WORDS,
    CHESS960,
    EN_PASSANT,
    KIND,
    KING,
    LAST_RANKS,
    NO_MOVE,
    PAWN,
    TURN,
    WHITE,
    copy_words,
    packed_move,
    play,
    role_on,
)
from tbgen.board.moves import Bounds, bounds_of, code_within, targets_of
from tbgen.compiled.arrays import Bytes, Int, Ints, Words
from tbgen.compiled.jit import borrowing, inner, small
from tbgen.index.words import NOTHING, ONE, lowest_and_rest, lowest_square, square_bit

_FILES = np.array([*chess.BB_FILES, chess.BB_ALL], np.uint64)
_RANKS = np.array([*chess.BB_RANKS, chess.BB_ALL], np.uint64)
"""[number of a file or rank] -> its squares; all squares for -1, which means an unwritten one."""
_CAPITAL_O = ord("O")
_ZERO = ord("0")
_ONE = ord("1")
_EIGHT = ord("8")
_A = ord("a")
_H = ord("h")
_X = ord("x")
_HYPHEN = ord("-")
_PLUS = ord("+")
_HASH = ord("#")
_EQUALS = ord("=")
_TO_CAPITAL = ord("A") - ord("a")

_ROLES = np.zeros(256, np.int64)
"""[byte] -> the role of a capital letter."""
_ROLES[list(b"PNBRQK")] = range(PAWN, KING + 1)


@small
def is_file(letter: Int) -> bool:
    """Whether a byte is a letter from a to h."""
    return bool(_A <= letter <= _H)


@small
def is_rank(digit: Int) -> bool:
    """Whether a byte is a digit from 1 to 8."""
    return bool(_ONE <= digit <= _EIGHT)


@inner
def read_move(board: Words, bounds: Bounds, text: Bytes, start: Int, end: Int) -> Int:
    """The legal move that `text[start:end]` writes; NO_MOVE if there is none or more than one."""
    last = end
    if last - start > 1 and (text[last - 1] == _PLUS or text[last - 1] == _HASH):
        last -= 1
    if text[start] == _CAPITAL_O or text[start] == _ZERO:
        return _read_castling(board, bounds, text, start, last)
    promotion = 0
    if last - start > 2 and not is_rank(text[last - 1]):
        letter = text[last - 1]
        promotion = _ROLES[letter + _TO_CAPITAL if letter >= _A else letter]
        if promotion <= PAWN:
            return NO_MOVE
        last -= 1
        if text[last - 1] == _EQUALS:
            last -= 1
    if last - start < 2 or not (is_file(text[last - 2]) and is_rank(text[last - 1])):
        return NO_MOVE
    target = np.int64(text[last - 2]) - _A + 8 * (np.int64(text[last - 1]) - _ONE)
    last -= 2
    if last > start and (text[last - 1] == _HYPHEN or text[last - 1] == _X):
        last -= 1
    role = np.int64(0)
    file = np.int64(-1)
    rank = np.int64(-1)
    at = start
    if at < last and _ROLES[text[at]] > PAWN:
        role = _ROLES[text[at]]
        at += 1
    if at < last and is_file(text[at]):
        file = np.int64(text[at]) - _A
        at += 1
    if at < last and is_rank(text[at]):
        rank = np.int64(text[at]) - _ONE
        at += 1
    if at < last:
        return NO_MOVE
    if role == 0 and file >= 0 and rank >= 0:
        return _from_square(board, bounds, file + 8 * rank, target, promotion, end - start == 4)
    return _only_legal_move(board, bounds, role, file, rank, target, promotion)


@inner
def _only_legal_move(
    board: Words, bounds: Bounds, role: Int, file: Int, rank: Int, target: Int, promotion: Int
) -> Int:
    """The one legal move of a role to a square from a file and rank, each -1 if it is not written.

    NO_MOVE if there is none or more than one. Role 0 stands for a pawn move without a letter: `e4`.
    """
    side = np.int64(board[TURN])
    bit = square_bit(target)
    if role == 0:
        role = PAWN
        if file < 0:
            file = target & 7
    promotes = role == PAWN and bit & LAST_RANKS != NOTHING
    if promotion == KING or (promotion > 0) != promotes:
        return NO_MOVE
    left = board[side] & board[KIND + role] & _FILES[file] & _RANKS[rank]
    move: Int = NO_MOVE
    while left:
        origin, left = lowest_and_rest(left)
        if targets_of(board, side, role, origin, bounds) & bit & ~board[side]:
            if move != NO_MOVE:
                return NO_MOVE
            move = packed_move(origin, target, promotion)
    return move


@inner
def _from_square(
    board: Words, bounds: Bounds, origin: Int, target: Int, promotion: Int, is_plain: bool
) -> Int:
    """The legal move from one square to another.

    `is_plain` says that only the squares were written.
    """
    side = np.int64(board[TURN])
    role = role_on(board, square_bit(origin) & board[side])
    named = square_bit(target)
    home = 56 * side
    # The king's own step can mean castling with a rook in the corner; under Chess960 only if just
    # the squares are written.
    if origin == home + 4 and (is_plain or not board[CHESS960]):
        if target == home + 2:
            named |= square_bit(home)
        elif target == home + 6:
            named |= square_bit(home + 7)
    rooks = bounds.steps & board[side] & named
    if role == KING and promotion == 0 and rooks:
        return packed_move(origin, lowest_square(rooks), 0)
    return _only_legal_move(board, bounds, role, origin & 7, origin >> 3, target, promotion)


@inner
def _read_castling(board: Words, bounds: Bounds, text: Bytes, start: Int, last: Int) -> Int:
    """Castling as O-O or O-O-O, all with the letter or all with the digit."""
    length = last - start
    if length != 3 and length != 5:
        return NO_MOVE
    for n in range(1, length):
        expected = _HYPHEN if n & 1 else text[start]
        if text[start + n] != expected:
            return NO_MOVE
    side = np.int64(board[TURN])
    king = lowest_square(board[side] & board[KIND + KING])
    below = square_bit(king) - ONE
    rooks = bounds.steps & board[side]
    rooks &= below if length == 5 else ~below
    if rooks == NOTHING:
        return NO_MOVE
    return packed_move(king, lowest_square(rooks), 0)


CODE, RESET, BARE_KINGS, TIMES_SEEN, FACTS = range(5)
"""The columns of `facts`: all that the rules ask about a ply."""

HISTORY_WORDS = BOARD_WORDS + 1
"""The columns of `history`: a position, and how often it has arisen."""


# history[ply, 0 .. BOARD_WORDS - 1] is a position, history[ply, BOARD_WORDS] how often it has
# arisen.
@inner
def times_seen(history: Words, ply: Int) -> Int:
    """The number of times that the position after a ply has arisen, this time included."""
    # With the same side to move, so every other ply; and after two plies at least one man stands
    # elsewhere.
    for earlier in range(ply - 4, -1, -2):
        if history[earlier, KIND + PAWN] != history[ply, KIND + PAWN]:
            return 1  # no pawn goes back
        for word in range(EN_PASSANT + 1):
            if history[earlier, word] != history[ply, word]:
                break
        else:
            return 1 + np.int64(history[earlier, BOARD_WORDS])
    return 1


# history as above; facts[ply] = CODE, RESET, BARE_KINGS, TIMES_SEEN of the position after so many
# plies.
@inner
def write_ply(
    board: Words, bounds: Bounds, history: Words, facts: Ints, ply: Int, reset: bool
) -> None:
    """Write down a position and the facts that the rules ask about it."""
    copy_words(board, history[ply])
    if bounds.takers == NOTHING:  # an idle right changes nothing
        history[ply, EN_PASSANT] = NOTHING
    seen = times_seen(history, ply)
    history[ply, BOARD_WORDS] = np.uint64(seen)
    facts[ply, CODE] = code_within(board, bounds)
    facts[ply, RESET] = reset
    facts[ply, BARE_KINGS] = (board[WHITE] | board[BLACK]) == board[KIND + KING]
    facts[ply, TIMES_SEEN] = seen


# spans[n] = where the n-th move begins in `text` and where it ends; history and facts as above.
@borrowing
def replay(
    text: Bytes, spans: Ints, board: Words, history: Words, facts: Ints, ply: Int, move: Int
) -> Int:
    """Play the moves of a game on `board`.

    Return the number of plies before the first that is not a legal move.

    The game begins, or goes on, after `ply` plies. `move` is the next move if the caller has read
    it, else NO_MOVE.
    """
    bounds = bounds_of(board, np.int64(board[TURN]))
    if ply == 0:
        write_ply(board, bounds, history, facts, 0, False)
    for number in range(ply, len(spans)):
        if move == NO_MOVE:
            start = np.int64(spans[number, 0])
            end = np.int64(spans[number, 1])
            move = read_move(board, bounds, text, start, end)
        if move == NO_MOVE:
            return number
        reset = play(board, move)
        bounds = bounds_of(board, np.int64(board[TURN]))
        write_ply(board, bounds, history, facts, number + 1, reset)
        move = NO_MOVE
    return len(spans)
