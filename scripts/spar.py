#!/usr/bin/env python3
"""Let `tbgen uci` play a match from random positions with even chances, and compare its results with the tables.

    spar.py --tables DIR                     200 positions of four men that its tables know
    spar.py --tables DIR --men 5             five men, with tables where games lead to one
    spar.py --tables DIR --judge DIR4        it has fewer tables than the judge, and searches
    spar.py --tables EMPTY --men 32 --games 400 --nodes 50000 --opponent-nodes 100   after six random plies

Four men are a piece or pawn a side, such that nobody forces mate or stalemate; five men are worth the same but for
two pawns. A *promise* is what the judge's tables say when the game first comes to a position that they know, with the
score that has accrued. It is kept if the game ends at least so well for tbgen.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import chess
import chess.pgn

from tbgen.probe import Tablebase, open_tablebase
from tbgen.rules.game import FiftyMoves, FiftyMoveSetting, Game
from tbgen.rules.points import Scoring
from tbgen.score import Color, Score

VALUES = {"P": 100, "N": 300, "B": 320, "R": 500, "Q": 900}
EVEN = 200
MOST_MOVES = 200
ALL_MEN = 32


def openings(judge: Tablebase, men: int, number: int) -> list[chess.Board]:
    draw, found = random.Random(men), list[chess.Board]()
    while len(found) < number:
        pieces = [draw.choice("PNBRQ") for _ in range(men - 2)]
        white, black = pieces[: len(pieces) // 2], pieces[len(pieces) // 2 :]
        if draw.random() < 0.5:
            white, black = black, white
        if abs(sum(VALUES[each] for each in white) - sum(VALUES[each] for each in black)) > EVEN:
            continue
        board, letters = chess.Board(None), "Kk" + "".join(white) + "".join(black).lower()
        for square, letter in zip(draw.sample(range(64), men), letters, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = draw.random() < 0.5
        if board.is_valid() and any(board.legal_moves) and is_open(judge, board):
            found.append(board)
    return found


def after_random_plies(number: int) -> list[chess.Board]:
    """Positions after six random plies of a game, with equal men and none more than a pawn to be taken."""
    draw, found = random.Random(7), dict[str, chess.Board]()
    while len(found) < number:
        board = chess.Board()
        for _ in range(6):
            board.push(draw.choice(list(board.legal_moves)))
        if board.is_check() or not any(board.legal_moves):
            continue
        letters = [man.symbol() for man in board.piece_map().values()]
        sides = (
            "".join(sorted(filter(test, letters))).upper() for test in (str.isupper, str.islower)
        )
        if len(set(sides)) == 1 and not any(is_loose(board, turn) for turn in chess.COLORS):
            found.setdefault(board.epd(), board)
    return list(found.values())


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
    (folder / "openings.epd").write_text("".join(f"{board.epd()}\n" for board in boards))
    tbgen = [
        "name=tbgen",
        f"cmd={sys.executable}",
        *(f"arg={word}" for word in ("-m", "tbgen", "uci", "--data")),
    ]
    subprocess.run(
        [sys.executable, "-m", "tbgen", "match", "-quiet", "-fifty", "none", "-maxmoves", str(MOST_MOVES),
         "-engine", *tbgen, f"arg={wanted.tables}", f"nodes={wanted.nodes}",
         "-engine", "name=opponent", f"cmd={wanted.opponent}", f"nodes={wanted.opponent_nodes}",
         "-each", "tc=inf", "-openings", f"file={folder / 'openings.epd'}", "format=epd",
         "-games", "2", "-rounds", str(len(boards) // 2), "-repeat", "1", "-pgnout", str(folder / "games.pgn")],
        check=True,
    )  # fmt: skip
    return folder / "games.pgn"


def replayed(read: chess.pgn.Game, judge: Tablebase) -> tuple[Score, Score | None]:
    """What a game ended with, and what was promised first."""
    game = Game(read.board(), fifty_moves=FiftyMoves(FiftyMoveSetting.NONE))
    promise = judge.get(game.board, game.accrued)
    for move in read.mainline_moves():
        game.push(move)
        if promise is None:
            promise = judge.get(game.board.copy(stack=False), game.accrued)
    return game.accrued, None if promise is None else promise.outcome


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
    counts, points = Counter[str](), 0.0
    with (
        open_tablebase(wanted.judge or wanted.tables) as judge,
        tempfile.TemporaryDirectory() as folder,
    ):
        if wanted.men == ALL_MEN:
            boards = [
                board for board in after_random_plies(wanted.games // 2) for _ in chess.COLORS
            ]
        else:
            boards = openings(judge, wanted.men, wanted.games)
        games = play(Path(folder), wanted, boards)
        with games.open() as file:
            while (read := chess.pgn.read_game(file)) is not None:
                final, promise = replayed(read, judge)
                mine = Color.of(read.headers["White"] == "tbgen")
                points += float(Scoring().points(final)[mine])
                counts["games"] += 1
                if promise is None:
                    counts["never known"] += 1
                elif final.worth_to(mine) < promise.worth_to(mine):
                    counts["lost some"] += 1
                    print(
                        f"{read.headers['FEN']}: tbgen has {mine}, promised {promise}, got {final}"
                    )
                else:
                    counts[
                        "won some"
                        if final.worth_to(mine) > promise.worth_to(mine)
                        else "as promised"
                    ] += 1
    print(", ".join(f"{name} {number}" for name, number in counts.items()))
    print(f"points {points:.2f} of {counts['games']}")


if __name__ == "__main__":
    main()
