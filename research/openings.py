#!/usr/bin/env python3
"""Print openings with even chances for matches.

    openings.py 300 > openings.epd
    openings.py 300 --engine stockfish --seed 2026
    openings.py 3000 --games tcec/*.pgn --men 16 > endings.epd

Without games, each opening is a position after eight good moves by an engine. Each move is drawn
from the engine's best six within a third of a pawn. An opening is printed if the engine then sees
at most a fifth of a pawn for either side.

With games of TCEC's archive, each opening is the first position of a drawn game with so few men, if
the players' last evaluations of it (`wv=`) were at most a fifth of a pawn. Their order is that of
their digests.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import re
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.engine

PLIES = 8
LINES = 6
WITHIN = 35
"""Centipawns that a move of an opening may cost."""
EVEN = 20
"""Centipawns at its end."""
MATE = 10_000

VARIANT = re.compile(r'^\[(?:Variant "(?!normal)|FEN |SetUp )', re.MULTILINE)
EVALUATION = re.compile(r"\{(?:[^}]*?[ {]wv=([+-]?[0-9.M]+))?[^}]*\}")
"""A comment, of which the evaluation is kept."""
WORD = re.compile(r"wv:(\S+)|([KQRBNOa-h][\w=+#-]+)")


def opening(engine: chess.engine.SimpleEngine, lots: random.Random) -> chess.Board:
    board = chess.Board()
    for _ in range(PLIES):
        lines = engine.analyse(board, chess.engine.Limit(nodes=1500), multipv=LINES)
        values = [line["score"].relative.score(mate_score=MATE) for line in lines]
        good = list[chess.Move]()
        for line, value in zip(lines, values, strict=True):
            if value >= values[0] - WITHIN:
                good.append(line["pv"][0])
        board.push(lots.choice(good))
    return board


def print_searched(number: int, command: str, seed: int) -> None:
    """Print openings that an engine finds."""
    lots = random.Random(seed)
    printed = set[str]()
    with chess.engine.SimpleEngine.popen_uci(command) as engine:
        while len(printed) < number:
            board = opening(engine, lots)
            score = engine.analyse(board, chess.engine.Limit(nodes=6000))["score"]
            value = score.white().score(mate_score=MATE)
            if abs(value) <= EVEN and board.epd() not in printed:
                printed.add(board.epd())
                print(board.epd(), flush=True)


def drawn_games(path: Path) -> Iterator[str]:
    """The moves of the drawn games of ordinary chess in a file, with their evaluations."""
    text = EVALUATION.sub(r" wv:\1 ", path.read_bytes().decode("latin-1"))
    for game in re.split(r"\n\n(?=\[Event )", text):
        tags, _, moves = game.partition("\n\n")
        if '[Result "1/2-1/2"]' in tags and not VARIANT.search(tags):
            yield moves


def ending(moves: str, men: int) -> chess.Board | None:
    """The first position of a game with so few men, if its players call it even."""
    board = chess.Board()
    values = [float("inf")] * 2
    for value, san in WORD.findall(moves):
        if san:
            if chess.popcount(board.occupied) <= men:
                is_even = all(abs(value) <= EVEN / 100 for value in values)
                return board if is_even and not board.is_check() else None
            board.push_san(san)
        else:
            values[board.turn] = float(value) if "M" not in value else float("inf")
    return None


def print_endings(number: int, paths: list[Path], men: int) -> None:
    """Print the endings of games, in the order of their digests."""
    found = set[str]()
    for path in paths:
        for moves in drawn_games(path):
            board = ending(moves, men)
            if board is not None:
                found.add(board.epd())
    in_order = sorted(found, key=lambda epd: hashlib.sha256(epd.encode()).digest())
    for epd in in_order[:number]:
        print(epd)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("number", type=int)
    parser.add_argument("--engine", default="stockfish")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--games", type=Path, nargs="+")
    parser.add_argument("--men", type=int, default=16)
    wanted = parser.parse_args()
    if wanted.games:
        print_endings(wanted.number, wanted.games, wanted.men)
    else:
        print_searched(wanted.number, wanted.engine, wanted.seed)


if __name__ == "__main__":
    main()
