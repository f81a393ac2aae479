"""Whole games, replayed from the bytes that their moves are written in."""

from __future__ import annotations

import numpy as np

from tbgen.board.attacks import pawn_attacks
from tbgen.board.board import BLACK, BOARD_WORDS, EN_PASSANT, KIND, KING, NO_MOVE, PAWN, TURN, WHITE, play
from tbgen.board.legality import is_safe
from tbgen.board.mobility import code_on
from tbgen.board.san import read_move
from tbgen.compiled.arrays import Bytes, Int, Ints, Words
from tbgen.compiled.jit import borrowing, inner
from tbgen.index.words import NOTHING, ONE, lowest_square

CODE, RESET, BARE_KINGS, TIMES_SEEN, FACTS = range(5)
"""The columns of `facts`: the rules ask these of every ply, and nothing else."""

HISTORY_WORDS = BOARD_WORDS + 1
"""The columns of `history`: a position, and how often it has arisen."""


@inner
def write_repetition_key(board: Words, key: Words) -> None:
    """Copy a position as the rule of repetition compares it.

    The en passant square stays only where a capture is legal: otherwise it makes no difference to the position.
    """
    for word in range(BOARD_WORDS):
        key[word] = board[word]
    if board[EN_PASSANT]:
        key[EN_PASSANT] = NOTHING
        side, target = np.int64(board[TURN]), lowest_square(board[EN_PASSANT])
        left = pawn_attacks(board[EN_PASSANT], side == WHITE) & board[side] & board[KIND + PAWN]
        while left:
            if is_safe(board, side, lowest_square(left), target):
                key[EN_PASSANT] = board[EN_PASSANT]
            left &= left - ONE


# history[ply, 0 .. BOARD_WORDS - 1] is a position, history[ply, BOARD_WORDS] how often it has arisen.
@inner
def times_seen(history: Words, ply: Int, since_reset: Int) -> Int:
    """The number of times that the position after a ply has arisen, this time included."""
    # With the same side to move, so every other ply; and after two plies at least one man stands elsewhere.
    for earlier in range(ply - 4, since_reset - 1, -2):
        word = WHITE
        while word <= EN_PASSANT and history[earlier, word] == history[ply, word]:
            word += 1
        if word > EN_PASSANT:
            return 1 + np.int64(history[earlier, BOARD_WORDS])
    return 1


# history as above; facts[ply] = CODE, RESET, BARE_KINGS, TIMES_SEEN of the position after so many plies.
@inner
def write_ply(board: Words, history: Words, facts: Ints, ply: Int, reset: bool, since_reset: Int) -> None:
    """Write down a position and what the rules ask of it."""
    write_repetition_key(board, history[ply])
    seen = times_seen(history, ply, since_reset)
    history[ply, BOARD_WORDS] = np.uint64(seen)
    facts[ply, CODE] = code_on(board)
    facts[ply, RESET] = reset
    facts[ply, BARE_KINGS] = (board[WHITE] | board[BLACK]) == board[KIND + KING]
    facts[ply, TIMES_SEEN] = seen


# spans[n] = where the n-th move begins in `text` and where it ends; history and facts as above.
@borrowing
def replay(text: Bytes, spans: Ints, board: Words, history: Words, facts: Ints, ply: Int, move: Int) -> Int:
    """Play the moves of a game on `board`; return the number of plies before the first that is not a legal move.

    The game begins, or goes on, after `ply` plies. `move` is the next move if the caller has read it, else NO_MOVE.
    """
    if ply == 0:
        write_ply(board, history, facts, 0, False, 0)
    since_reset = ply
    while since_reset > 0 and facts[since_reset, RESET] == 0:
        since_reset -= 1
    for number in range(ply, len(spans)):
        if move == NO_MOVE:
            move = read_move(board, text, np.int64(spans[number, 0]), np.int64(spans[number, 1]))
        if move == NO_MOVE:
            return number
        reset = play(board, move)
        if reset:
            since_reset = number + 1
        write_ply(board, history, facts, number + 1, reset, since_reset)
        move = NO_MOVE
    return len(spans)
