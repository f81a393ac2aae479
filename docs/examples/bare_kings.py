"""Whether the rule that ends a game of bare kings ends it too early.

    python docs/examples/bare_kings.py [TABLES]

Two plies have left eight moves each, the second by Black, and G8.5 has accrued. Counts the moves of
Black that lead there, and those after which White still improves the score: of all, and of the best
moves.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import chess

from tbgen import Score, Tablebase

ACCRUED = Score("G8.5")
MOST_MOVES = 8


def positions() -> Iterator[chess.Board]:
    """All positions of two kings with Black to move and eight moves."""
    for white in chess.SQUARES:
        for black in chess.SQUARES:
            board = chess.Board(None)
            board.set_piece_at(white, chess.Piece(chess.KING, chess.WHITE))
            board.set_piece_at(black, chess.Piece(chess.KING, chess.BLACK))
            board.turn = chess.BLACK
            board.halfmove_clock = 1
            is_legal = chess.square_distance(white, black) > 1
            if is_legal and board.legal_moves.count() == MOST_MOVES:
                yield board


def counts_in(tables: Tablebase) -> dict[str, tuple[int, int]]:
    """The moves to positions with eight moves, and those after which White improves the score."""
    every = [0, 0]
    best = [0, 0]
    for board in positions():
        for move in tables.probe_moves(board, ACCRUED):
            after = board.copy()
            after.push(move.move)
            if after.legal_moves.count() != MOST_MOVES:
                continue
            is_improved = move.outcome != ACCRUED
            for counts in [every, best] if move.best else [every]:
                counts[0] += 1
                counts[1] += is_improved
    return {"all moves": (every[0], every[1]), "best moves": (best[0], best[1])}


if __name__ == "__main__":
    with Tablebase(sys.argv[1] if len(sys.argv) > 1 else "data") as tables:
        for kind, (number, improved) in counts_in(tables).items():
            print(f"{kind}: {number:,}, and {improved:,} let White improve {ACCRUED}")
