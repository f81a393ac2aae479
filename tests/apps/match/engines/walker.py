"""A UCI engine that answers at once with a legal move which the position alone decides.

Usage: walker.py [--salt TEXT]; another salt is another player.
"""

from __future__ import annotations

import sys
from zlib import crc32

import chess
import chess.variant

VARIANTS = [board.uci_variant for board in chess.variant.VARIANTS]


def main() -> None:
    salt = sys.argv[2] if sys.argv[1:2] == ["--salt"] else ""
    board = chess.Board()
    begun = ""
    for text in sys.stdin:
        words = text.split()
        if words[:1] == ["uci"]:
            variants = " ".join(f"var {name}" for name in VARIANTS)
            print(f"id name Walker{salt}\noption name UCI_Chess960 type check default false")
            print(f"option name UCI_Variant type combo default chess {variants}\nuciok", flush=True)
        elif words[:3] == ["setoption", "name", "UCI_Variant"]:
            if words[4] != board.uci_variant:
                board = next(
                    each for each in chess.variant.VARIANTS if each.uci_variant == words[4]
                )()
                begun = ""
        elif words[:1] == ["isready"]:
            print("readyok", flush=True)
        elif words[:1] == ["position"]:
            start, _, moves = text.strip().partition(" moves ")
            if (start, moves.split()[: len(board.move_stack)]) != (
                begun,
                [move.uci() for move in board.move_stack],
            ):
                board = type(board)()
                if words[1] != "startpos":
                    board.set_fen(start.removeprefix("position fen "))
                begun = start
            for move in moves.split()[len(board.move_stack) :]:
                board.push(chess.Move.from_uci(move))
        elif words[:1] == ["go"]:
            legal = sorted(move.uci() for move in board.legal_moves)
            chosen = legal[crc32(f"{salt}{board.fen()}".encode()) % len(legal)]
            print(
                f"info depth 1 score cp {len(legal)} nodes {len(legal)}\nbestmove {chosen}",
                flush=True,
            )
        elif words[:1] == ["quit"]:
            return


if __name__ == "__main__":
    main()
