"""Where games start: positions and first moves from EPD, FEN and PGN files.

>>> [str(each) for each in read_positions(["8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0"], "test")]
['8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0']
"""

from __future__ import annotations

import enum
import random
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import chess

from tbgen.errors import PgnError, TbgenError, UsageError
from tbgen.pgn.reader import read_games
from tbgen.pgn.tags import read_tags
from tbgen.rules.fen import format_fen, parse_fen
from tbgen.rules.game import FiftyMoves, Game
from tbgen.rules.points import Komi
from tbgen.score import Accrued

_EPD_FIELDS = 4
_FEN_FIELDS = 6


class Order(enum.Enum):
    """In which order openings are taken from their file."""

    SEQUENTIAL = "sequential"
    RANDOM = "random"


@dataclass(frozen=True, slots=True)
class Opening:
    """A first position with the moves that are played before the engines take over."""

    fen: str = chess.STARTING_FEN
    accrued: Accrued | None = None
    moves: tuple[str, ...] = ()
    komi: Komi | None = None
    chess960: bool = False

    def __str__(self) -> str:
        start = self.fen if self.accrued is None else f"{self.fen} {self.accrued}"
        return " ".join((start, *self.moves))

    def game(self, fifty_moves: FiftyMoves | None = None) -> Game:
        """A game in which the opening has been played."""
        board = chess.Board(self.fen, chess960=self.chess960)
        game = Game(board, accrued=self.accrued, fifty_moves=fifty_moves)
        for move in self.moves:
            game.push(chess.Move.from_uci(move))
        return game


STANDARD = Opening()


def read_openings(
    path: Path,
    *,
    pgn: bool,
    most_plies: int | None = None,
    fifty_moves: FiftyMoves | None = None,
    chess960: bool = False,
) -> list[Opening]:
    """Every opening of a file; one that cannot be read, or in which the game is over, is an error."""
    if pgn:
        openings = _from_pgn(path, most_plies, chess960=chess960)
    else:
        with open(path, encoding="utf-8-sig") as file:
            openings = read_positions(file, str(path), chess960=chess960)
    if not openings:
        raise UsageError(f"{path} holds no openings")
    for number, opening in enumerate(openings, start=1):
        ended = opening.game(fifty_moves).ended
        if ended is not None and ended.end is not None:
            raise UsageError(f"opening {number} of {path} is no opening: the game is over ({ended.end.value})")
    return openings


def read_positions(lines: Iterable[str], name: str, *, chess960: bool = False) -> list[Opening]:
    """Positions, one a line: EPD with or without operations, or FEN with or without an accrued score."""
    openings = []
    for number, line in enumerate(lines, start=1):
        text = _fen_in(line)
        if not text:
            continue
        try:
            board, accrued = parse_fen(text, chess960=chess960)
        except TbgenError as error:
            raise UsageError(f"{name}, line {number}: {error}") from None
        fen = board.fen(shredder=board.chess960, en_passant="fen")
        openings.append(Opening(fen, accrued, chess960=board.chess960))
    return openings


def _fen_in(line: str) -> str:
    """The FEN that a line of EPD stands for; `hmvc` and `fmvn` are its clocks."""
    fields = line.partition("#")[0].split()
    if len(fields) <= _EPD_FIELDS or fields[_EPD_FIELDS].isdigit():
        return " ".join(fields[: _FEN_FIELDS + 1])
    operations = dict(
        each.split(maxsplit=1) for each in " ".join(fields[_EPD_FIELDS:]).split(";") if len(each.split()) > 1
    )
    clocks = operations.get("hmvc", "0"), operations.get("fmvn", "1")
    return " ".join((*fields[:_EPD_FIELDS], *clocks))


def _from_pgn(path: Path, most_plies: int | None, *, chess960: bool) -> list[Opening]:
    openings = []
    for found in read_games(str(path)):
        if isinstance(found, PgnError):
            raise found
        board = found.game.board.root()
        first = found.game.plies[0]
        moves = islice(found.game.plies, 1, None if most_plies is None else most_plies + 1)
        openings.append(
            Opening(
                fen=board.fen(shredder=board.chess960, en_passant="fen"),
                accrued=first.accrued if first.accrued != first.own else None,
                moves=tuple(ply.move.uci() for ply in moves if ply.move is not None),
                komi=read_tags(found.tags).komi,
                chess960=chess960 or board.chess960,
            )
        )
    return openings


def ordered(count: int, needed: int, *, order: Order, start: int, seed: int) -> list[int]:
    """Which openings are played, first to last; a file that is used up begins anew.

    >>> ordered(3, 5, order=Order.SEQUENTIAL, start=2, seed=0)
    [1, 2, 0, 1, 2]
    """
    if order is Order.SEQUENTIAL:
        return [(start - 1 + place) % count for place in range(needed)]
    shuffler, places = random.Random(seed), list[int]()
    while len(places) < needed:
        once = list(range(count))
        shuffler.shuffle(once)
        places += once
    return places[:needed]


def fen_of(game: Game) -> str:
    """The first position of a game with its accrued score."""
    return format_fen(game.board.root(), game.plies[0].accrued)


__all__ = ["STANDARD", "Opening", "Order", "fen_of", "ordered", "read_openings", "read_positions"]
