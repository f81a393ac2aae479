"""Whole games, played from the bytes they are written in."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbgen._jit import inner, kernel
from tbgen.index.words import NOTHING, ONE, lowest_square
from tbgen.pgn.attacks import pawn_attacks
from tbgen.pgn.board import (
    BLACK,
    BOARD_WORDS,
    EN_PASSANT,
    KIND,
    KING_ROLE,
    NO_MOVE,
    PAWN,
    TURN,
    WHITE,
    code_on,
    is_safe,
    play,
)
from tbgen.pgn.san import read_move

History = npt.NDArray[np.uint64]
Facts = npt.NDArray[np.int64]
FACTS = 4


@inner
def remember(board, known):
    """Keep a position as repetition sees it: with an en passant square only where a capture is legal."""
    for word in range(BOARD_WORDS):
        known[word] = board[word]
    if board[EN_PASSANT]:
        known[EN_PASSANT] = NOTHING
        side, target = np.int64(board[TURN]), lowest_square(board[EN_PASSANT])
        left = pawn_attacks(board[EN_PASSANT], side == WHITE) & board[side] & board[KIND + PAWN]
        while left:
            if is_safe(board, side, lowest_square(left), target):
                known[EN_PASSANT] = board[EN_PASSANT]
            left &= left - ONE


@inner
def times_seen(history, ply, since_reset):
    """How often the position after a ply has arisen, this time included."""
    for earlier in range(ply - 4, since_reset - 1, -2):
        word = WHITE
        while word <= EN_PASSANT and history[earlier, word] == history[ply, word]:
            word += 1
        if word > EN_PASSANT:
            return 1 + np.int64(history[earlier, BOARD_WORDS])
    return 1


# history[ply, 0 .. BOARD_WORDS - 1] is a position, history[ply, BOARD_WORDS] how often it has arisen.
# facts[ply] = code, whether the move was a reset, whether only kings are left, how often the position has arisen.
@inner
def note(board, history, ply, reset, since_reset, facts):
    """Write down what the rules ask of a ply."""
    remember(board, history[ply])
    seen = times_seen(history, ply, since_reset)
    history[ply, BOARD_WORDS] = np.uint64(seen)
    facts[ply, 0] = code_on(board)
    facts[ply, 1] = reset
    facts[ply, 2] = (board[WHITE] | board[BLACK]) == board[KIND + KING_ROLE]
    facts[ply, 3] = seen


@kernel
def replay(text, words, board, history, facts, ply, move):
    """Play the moves that `text[words[n, 0]:words[n, 1]]` write; after how many plies one of them is no legal move.

    Begins at `ply`, on the board, with a move that has been read already, or with NO_MOVE.
    """
    if ply == 0:
        note(board, history, 0, False, 0, facts)
    since_reset = ply
    while since_reset > 0 and facts[since_reset, 1] == 0:
        since_reset -= 1
    for number in range(ply, len(words)):
        if move == NO_MOVE:
            move = read_move(board, text, np.int64(words[number, 0]), np.int64(words[number, 1]))
        if move == NO_MOVE:
            return number
        reset = play(board, move)
        if reset:
            since_reset = number + 1
        note(board, history, number + 1, reset, since_reset, facts)
        move = NO_MOVE
    return len(words)
