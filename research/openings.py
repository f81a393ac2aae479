#!/usr/bin/env python3
"""Print openings with even chances for matches: positions after eight good moves by an engine.

    openings.py 300 > openings.epd
    openings.py 300 --engine stockfish --seed 2026

Each move is drawn from the engine's best six within a third of a pawn. An opening is printed if
the engine then sees at most a fifth of a pawn for either side.
"""

from __future__ import annotations

import argparse
import random

import chess
import chess.engine

PLIES = 8
LINES = 6
WITHIN = 35
"""Centipawns that a move of an opening may cost."""
EVEN = 20
"""Centipawns at its end."""
MATE = 10_000


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


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("number", type=int)
    parser.add_argument("--engine", default="stockfish")
    parser.add_argument("--seed", type=int, default=2026)
    wanted = parser.parse_args()
    lots = random.Random(wanted.seed)
    printed = set[str]()
    with chess.engine.SimpleEngine.popen_uci(wanted.engine) as engine:
        while len(printed) < wanted.number:
            board = opening(engine, lots)
            score = engine.analyse(board, chess.engine.Limit(nodes=6000))["score"]
            value = score.white().score(mate_score=MATE)
            if abs(value) <= EVEN and board.epd() not in printed:
                printed.add(board.epd())
                print(board.epd(), flush=True)


if __name__ == "__main__":
    main()
