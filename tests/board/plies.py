"""Games for the kernels: written as bytes, and told ply by ply by python-chess alone."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Hashable, Sequence

import chess
import numpy as np

from tbgen.board.board import play, words_of
from tbgen.board.moves import MOST_MOVES, code_on, legal_moves
from tbgen.board.replay import FACTS, HISTORY_WORDS, replay
from tbgen.compiled.arrays import Int, Words
from tbgen.compiled.jit import kernel

ROOTS = (
    chess.STARTING_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30",
    "8/8/8/2K3k1/8/8/8/8 w - - 0 1",
)


def random_root(draw: random.Random) -> chess.Board:
    """An ordinary first position, one of Chess960, or one in the middle of a game."""
    if draw.random() < 0.4:
        return chess.Board.from_chess960_pos(draw.randrange(960))
    return chess.Board(draw.choice(ROOTS))


def random_game(draw: random.Random, most_plies: int) -> chess.Board:
    """A board with the moves of a random game on its stack."""
    board = random_root(draw)
    while len(board.move_stack) < most_plies:
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(draw.choice(moves))
    return board


def written(
    board: chess.Board, spell: Callable[[chess.Board, chess.Move], str] = chess.Board.san
) -> list[str]:
    """The moves on a board's stack."""
    walker = board.root()
    words = list[str]()
    for move in board.move_stack:
        words.append(spell(walker, move))
        walker.push(move)
    return words


def told_by_kernels(root: chess.Board, words: Sequence[str]) -> tuple[int, list[list[int]]]:
    """How many of the words are moves, and the facts of every ply.

    An `e` stands between the words: the word `4` is no move, though `e4` is one.
    """
    text = np.frombuffer("e".join(["", *words, ""]).encode(), np.uint8)
    spans = np.zeros((len(words), 2), np.int64)
    start = 1
    for number, word in enumerate(words):
        end = start + len(word.encode())
        spans[number] = (start, end)
        start = end + 1
    history = np.zeros((len(words) + 1, HISTORY_WORDS), np.uint64)
    facts = np.zeros((len(words) + 1, FACTS), np.int64)
    plies = int(replay(text, spans, words_of(root), history, facts, 0, -1))
    return plies, facts[: plies + 1].tolist()


def told_by_python_chess(board: chess.Board) -> list[list[int]]:
    """Code, reset, bare kings and how often the position has arisen, of every ply."""
    walker = board.root()
    seen = Counter[Hashable]()
    facts = list[list[int]]()
    for move in (None, *board.move_stack):
        reset = move is not None and walker.is_zeroing(move)
        if move is not None:
            walker.push(move)
        en_passant = walker.ep_square if walker.has_legal_en_passant() else None
        key = (walker.board_fen(), walker.turn, walker.clean_castling_rights(), en_passant)
        seen[key] += 1
        code = 2 * walker.legal_moves.count() + (not walker.is_check())
        facts.append([code, int(reset), int(walker.occupied == walker.kings), seen[key]])
    return facts


@kernel
def perft(board: Words, plies: Int) -> Int:
    """The number of ways to play so many plies. Moves of the last ply are counted, not played."""
    if plies == 1:
        return code_on(board) // 2
    moves = np.empty(MOST_MOVES, np.int64)
    ways: Int = 0
    for number in range(legal_moves(board, moves)):
        after = board.copy()
        play(after, moves[number])
        ways += perft(after, plies - 1)
    return ways
