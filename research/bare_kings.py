"""Whether the rule that ends a game of bare kings ends it too early.

    python research/bare_kings.py [TABLES]

Two plies have left eight moves each, the second by Black, and G8.5 has accrued. Counts the moves of
Black that lead there, and those after which White still improves the score: of all, and of the best
moves.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

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


@dataclass
class Counts:
    """The moves to positions with eight moves, and those after which White improves the score."""

    number: int = 0
    improved: int = 0


def counts_in(tables: Tablebase) -> dict[str, Counts]:
    """The counts of all moves, and of the best ones."""
    every = Counts()
    best = Counts()
    for board in positions():
        for move in tables.probe_moves(board, ACCRUED):
            after = board.copy()
            after.push(move.move)
            if after.legal_moves.count() != MOST_MOVES:
                continue
            is_improved = move.outcome != ACCRUED
            kinds = [every]
            if move.best:
                kinds.append(best)
            for counts in kinds:
                counts.number += 1
                counts.improved += is_improved
    return {"all moves": every, "best moves": best}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tables", nargs="?", default="data")
    with Tablebase(parser.parse_args().tables) as tables:
        for kind, counts in counts_in(tables).items():
            print(f"{kind}: {counts.number:,}, and {counts.improved:,} let White improve {ACCRUED}")
