"""A UCI engine that gives every move the evaluation that it is told, without a search.

Usage: valuer.py [--value MOVE=CENTIPAWNS ...] [--seen FILE] [--reply]
Moves that it is not told of are worth 0. With --reply it names the reply that it expects.
"""

from __future__ import annotations

import argparse
import os
import sys

import chess


def say(text: str) -> None:
    print(text, flush=True)


def number_after(word: str, words: list[str], default: int) -> int:
    return int(words[words.index(word) + 1]) if word in words else default


def board_in(words: list[str]) -> chess.Board:
    """The position of a `position` command."""
    moves = words.index("moves") if "moves" in words else len(words)
    board = chess.Board(" ".join(words[2:moves]))
    for move in words[moves + 1 :]:
        board.push_uci(move)
    return board


def reply_to(board: chess.Board, move: str) -> str:
    """A legal reply to a move, with a blank before it; nothing if there is none."""
    after = board.copy()
    after.push_uci(move)
    replies = sorted(reply.uci() for reply in after.legal_moves)
    return f" {replies[0]}" if replies else ""


def answer(
    board: chess.Board,
    words: list[str],
    values: dict[str, int],
    most_lines: int,
    *,
    replies: bool,
) -> None:
    """Tell of the best moves, and name the very best."""
    moves = [move.uci() for move in board.legal_moves]
    if "searchmoves" in words:
        moves = words[words.index("searchmoves") + 1 :]
    moves.sort(key=lambda move: (-values.get(move, 0), move))
    for number, move in enumerate(moves[:most_lines], 1):
        reply = reply_to(board, move) if replies else ""
        value = values.get(move, 0)
        say(f"info depth 1 multipv {number} score cp {value} nodes 1 pv {move}{reply}")
    say(f"bestmove {moves[0]}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--value", action="append", default=[])
    parser.add_argument("--seen", default=os.devnull)
    parser.add_argument("--reply", action="store_true")
    told = parser.parse_args()
    values = dict[str, int]()
    for text in told.value:
        move, _, centipawns = text.partition("=")
        values[move] = int(centipawns)
    board = chess.Board()
    most_lines = 1
    is_waiting = False
    go = list[str]()
    with open(told.seen, "a", encoding="utf-8", buffering=1) as seen:
        for text in iter(sys.stdin.readline, ""):
            seen.write(text)
            words = text.split()
            match words[0]:
                case "uci":
                    say("id name Valuer")
                    say("option name MultiPV type spin default 1 min 1 max 99")
                    say("option name Ponder type check default false")
                    say("option name Clear Hash type button")
                    say("option name Move Overhead type spin default 10 min 0 max 99")
                    say("uciok")
                case "isready":
                    say("readyok")
                case "setoption" if words[2] == "MultiPV":
                    most_lines = int(words[4])
                case "position":
                    board = board_in(words)
                case "go":
                    go = words
                    is_waiting = "infinite" in words or "ponder" in words
                    if not is_waiting:
                        answer(board, go, values, most_lines, replies=told.reply)
                case "stop" | "ponderhit" if is_waiting:
                    is_waiting = False
                    answer(board, go, values, most_lines, replies=told.reply)
                case "quit":
                    return


if __name__ == "__main__":
    main()
