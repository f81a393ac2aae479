#!/usr/bin/env python3
"""Let `tbgen uci` play a match, and compare its results with tables.

    spar.py --tables DIR                 200 positions of four men that its tables know
    spar.py --tables DIR --men 5         five men, with tables where games lead to one
    spar.py --tables DIR --judge DIR4    fewer tables than the judge has: it searches

    spar.py --tables EMPTY --men 32 --games 400 --nodes 50000 --opponent-nodes 100
                                         whole games, each after six random plies

The positions of few men are random and have even chances. The men of the two sides differ by two
pawns at most, and the judge's tables promise neither mate nor stalemate.

A *promise* is what the judge's tables say of the first position of a game that they know, with the
score that has accrued. It is kept if the game ends at least so well for tbgen.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import chess
import chess.pgn

from tbgen.probe import Tablebase, open_tablebase
from tbgen.rules.game import FiftyMoves, FiftyMoveSetting, Game
from tbgen.rules.points import Scoring
from tbgen.score import Color, Score

VALUES = {"P": 100, "N": 300, "B": 320, "R": 500, "Q": 900}
"""The worth of men in centipawns."""
EVEN = 200
"""Sides whose men differ by more do not have even chances."""
MOST_MOVES = 200
ALL_MEN = 32
"""The men of whole games."""
RANDOM_PLIES = 6


def openings(judge: Tablebase, men: int, number: int) -> list[chess.Board]:
    """Random positions of few men with even chances."""
    lots = random.Random(men)
    boards = list[chess.Board]()
    while len(boards) < number:
        board = random_board(lots, men)
        if board is None or not board.is_valid() or not any(board.legal_moves):
            continue
        if is_open(judge, board):
            boards.append(board)
    return boards


def random_board(lots: random.Random, men: int) -> chess.Board | None:
    """A random placement of two kings and other men; None if one side has much more."""
    letters = [lots.choice("PNBRQ") for _ in range(men - 2)]
    half = len(letters) // 2
    white = letters[:half]
    black = letters[half:]
    if lots.random() < 0.5:
        white, black = black, white
    if abs(worth(white) - worth(black)) > EVEN:
        return None
    board = chess.Board(None)
    symbols = ["K", "k", *white, *(letter.lower() for letter in black)]
    squares = lots.sample(range(64), men)
    for square, symbol in zip(squares, symbols, strict=True):
        board.set_piece_at(square, chess.Piece.from_symbol(symbol))
    board.turn = lots.random() < 0.5
    return board


def worth(letters: Iterable[str]) -> int:
    return sum(VALUES[letter] for letter in letters)


def after_random_plies(number: int) -> list[chess.Board]:
    """Positions after some random plies, with equal men and none more than a pawn to be taken."""
    lots = random.Random(7)
    boards = dict[str, chess.Board]()
    while len(boards) < number:
        board = chess.Board()
        for _ in range(RANDOM_PLIES):
            board.push(lots.choice(list(board.legal_moves)))
        if board.is_check() or not any(board.legal_moves):
            continue
        if men_of(board, chess.WHITE) != men_of(board, chess.BLACK):
            continue
        if not any(is_loose(board, turn) for turn in chess.COLORS):
            boards.setdefault(board.epd(), board)
    return list(boards.values())


def men_of(board: chess.Board, side: chess.Color) -> list[chess.PieceType]:
    return sorted(man.piece_type for man in board.piece_map().values() if man.color == side)


def is_loose(board: chess.Board, turn: chess.Color) -> bool:
    """Whether a side could take more than a pawn."""
    turned = board.copy(stack=False)
    turned.turn = turn
    return any(
        turned.piece_type_at(move.to_square) not in (None, chess.PAWN)
        for move in turned.generate_legal_captures()
    )


def is_open(judge: Tablebase, board: chess.Board) -> bool:
    """Whether neither side is known to force mate or stalemate."""
    known = judge.get(board)
    return known is None or not (known.outcome.is_mate or known.outcome.is_stalemate)


def play(folder: Path, wanted: argparse.Namespace, boards: list[chess.Board]) -> Path:
    """The PGN file of the match."""
    book = folder / "openings.epd"
    book.write_text("".join(f"{board.epd()}\n" for board in boards))
    games = folder / "games.pgn"
    match = [sys.executable, "-m", "tbgen", "match"]
    match += ["-quiet", "-fifty", "none", "-maxmoves", str(MOST_MOVES)]
    match += ["-engine", "name=tbgen", f"cmd={sys.executable}", f"nodes={wanted.nodes}"]
    match += [f"arg={word}" for word in ("-m", "tbgen", "uci", "--data", wanted.tables)]
    match += ["-engine", "name=opponent", f"cmd={wanted.opponent}"]
    match += [f"nodes={wanted.opponent_nodes}", "-each", "tc=inf"]
    match += ["-openings", f"file={book}", "format=epd"]
    match += ["-games", "2", "-rounds", str(len(boards) // 2), "-repeat", "1"]
    match += ["-pgnout", str(games)]
    subprocess.run(match, check=True)
    return games


def replayed(read: chess.pgn.Game, judge: Tablebase) -> tuple[Score, Score | None]:
    """The final score of a game, and the first promise."""
    game = Game(read.board(), fifty_moves=FiftyMoves(FiftyMoveSetting.NONE))
    promise = judge.get(game.board, game.accrued)
    for move in read.mainline_moves():
        game.push(move)
        if promise is None:
            promise = judge.get(game.board.copy(stack=False), game.accrued)
    return game.accrued, None if promise is None else promise.outcome


class Results:
    """Counts of games by what became of the promise, and tbgen's points."""

    def __init__(self) -> None:
        self.games = 0
        self.points = 0.0
        self.counts = Counter[str]()

    def add(self, read: chess.pgn.Game, judge: Tablebase) -> None:
        final, promise = replayed(read, judge)
        side = Color.of(read.headers["White"] == "tbgen")
        self.games += 1
        self.points += float(Scoring().points(final)[side])
        if promise is None:
            self.counts["never known"] += 1
            return
        gain = final.worth_to(side) - promise.worth_to(side)
        if gain < 0:
            self.counts["lost some"] += 1
            fen = read.headers["FEN"]
            print(f"{fen}: tbgen has {side}, promised {promise}, got {final}")
        elif gain > 0:
            self.counts["won some"] += 1
        else:
            self.counts["as promised"] += 1

    def __str__(self) -> str:
        counts = [f"games {self.games}"]
        counts += [f"{name} {number}" for name, number in self.counts.items()]
        return f"{', '.join(counts)}\npoints {self.points:.2f} of {self.games}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", required=True, help="those of the player")
    parser.add_argument("--judge", help="those that say what was promised, if others")
    parser.add_argument("--men", type=int, default=4)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--nodes", type=int, default=8_000, help="of tbgen's searches")
    parser.add_argument("--opponent", default="stockfish")
    parser.add_argument("--opponent-nodes", type=int, default=4_000)
    wanted = parser.parse_args()
    results = Results()
    with (
        open_tablebase(wanted.judge or wanted.tables) as judge,
        tempfile.TemporaryDirectory() as folder,
    ):
        if wanted.men == ALL_MEN:
            boards = list[chess.Board]()
            for board in after_random_plies(wanted.games // 2):
                boards += [board, board]  # once with either colour
        else:
            boards = openings(judge, wanted.men, wanted.games)
        games = play(Path(folder), wanted, boards)
        with games.open() as file:
            while (read := chess.pgn.read_game(file)) is not None:
                results.add(read, judge)
    print(results)


if __name__ == "__main__":
    main()
