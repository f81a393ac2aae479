"""A UCI engine that answers at once with a legal move which the position alone decides.

Usage: walker.py [--salt TEXT [--mischief N]]; another salt is another player, and with mischief it misbehaves
in one position of N.
"""

from __future__ import annotations

import os
import signal
import sys
from zlib import crc32

import chess


def misbehave(number: int) -> str:
    """One of the things that an engine should not do; a move, if it is that."""
    if number == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    if number in (1, 2):
        sys.exit(number - 1)
    return ("a1a1", "0000", "(none)", "e9e9", "resign")[number - 3]


def main() -> None:
    salt = sys.argv[2] if sys.argv[1:2] == ["--salt"] else ""
    mischief = int(sys.argv[4]) if sys.argv[3:4] == ["--mischief"] else 0
    board, begun = chess.Board(), ""
    for text in sys.stdin:
        words = text.split()
        if words[:1] == ["uci"]:
            print(f"id name Walker{salt}\noption name UCI_Chess960 type check default false\nuciok", flush=True)
        elif words[:1] == ["isready"]:
            print("readyok", flush=True)
        elif words[:1] == ["position"]:
            start, _, moves = text.strip().partition(" moves ")
            if (start, moves.split()[: len(board.move_stack)]) != (begun, [move.uci() for move in board.move_stack]):
                board = chess.Board(chess.STARTING_FEN if words[1] == "startpos" else " ".join(words[2:8]))
                begun = start
            for move in moves.split()[len(board.move_stack) :]:
                board.push(chess.Move.from_uci(move))
        elif words[:1] == ["go"]:
            legal = sorted(move.uci() for move in board.legal_moves)
            chosen = legal[crc32(f"{salt}{board.fen()}".encode()) % len(legal)]
            luck = crc32(f"{board.fen()}{salt}".encode())
            if mischief and luck % mischief == 0:
                chosen = misbehave(luck // mischief % 8)
            print(f"info depth 1 score cp {len(legal)} nodes {len(legal)}\nbestmove {chosen}", flush=True)
        elif words[:1] == ["quit"]:
            return


if __name__ == "__main__":
    main()
