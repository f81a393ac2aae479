"""The schedule of a match: pairings in order, with colours, and the openings that they are played from.

>>> for pairing in schedule(Tournament(players=3, games=2)):
...     print(pairing.number, pairing.round, pairing.white, pairing.black, pairing.opening)
1 1 1 2 0
2 1 2 1 0
3 1 2 0 1
4 1 0 2 1
5 1 0 1 2
6 1 1 0 2
"""

from __future__ import annotations

import enum
import functools
import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import chess

from tbgen.apps.games.files import read_lines
from tbgen.apps.games.game import ORDINARY, root_of
from tbgen.apps.games.tags import read_tags
from tbgen.errors import TbgenError, UsageError
from tbgen.rules.game import FiftyMoves, Game
from tbgen.rules.notation import format_fen
from tbgen.rules.points import Komi
from tbgen.score import Score

if TYPE_CHECKING:
    from tbgen.apps.games.chunks import Movetext


_EPD_FIELDS = 4
_FEN_FIELDS = 6


class OpeningOrder(enum.Enum):
    """The order in which openings are taken from their file."""

    SEQUENTIAL = "sequential"
    RANDOM = "random"


@dataclass(frozen=True, slots=True)
class Opening:
    """A first position with the moves that are played before the engines take over."""

    fen: str = chess.STARTING_FEN
    accrued: Score | None = None
    moves: tuple[str, ...] = ()
    komi: Komi | None = None
    chess960: bool = False

    def game(self, fifty_moves: FiftyMoves | None = None) -> Game:
        """A game in which the opening has been played."""
        board = chess.Board(self.fen, chess960=self.chess960)
        for move in self.moves:
            board.push_uci(move)
        return Game(board, accrued=self.accrued, fifty_moves=fifty_moves)


class Book:
    """The openings of a file, each read when it is first needed: books have millions.

    A file of positions has EPD or FEN lines, and `#` begins a comment.
    """

    def __init__(
        self,
        path: Path,
        *,
        pgn: bool,
        most_plies: int | None = None,
        fifty_moves: FiftyMoves | None = None,
        chess960: bool = False,
    ) -> None:
        self._path, self._most_plies, self._fifty_moves, self._chess960 = path, most_plies, fifty_moves, chess960
        self._opening = functools.cache(self._read)
        if pgn:
            from tbgen.apps.games.chunks import movetexts  # which loads the compiler; books of positions do without

            self._entries: list[tuple[int, str | Movetext]] = list(enumerate(movetexts(path), start=1))
        else:
            lines = enumerate(read_lines(str(path)), start=1)
            self._entries = [(number, line) for number, line in lines if line.partition("#")[0].strip()]
        if not self._entries:
            raise UsageError(f"{path} holds no openings")

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, place: int) -> Opening:
        """An opening; UsageError names the line or the game if it cannot be played."""
        try:
            return self._opening(place)
        except TbgenError as error:
            number, entry = self._entries[place]
            kind = "line" if isinstance(entry, str) else "game"
            raise UsageError(f"{self._path}, {kind} {number}: {error}") from None

    def _read(self, place: int) -> Opening:
        entry = self._entries[place][1]
        tags, moves = ({"FEN": _fen_in(entry)}, []) if isinstance(entry, str) else entry
        known, variant = read_tags(tags), tags.get("Variant", "")
        if self._chess960 and variant.lower() in ORDINARY:
            variant = "chess960"
        board, accrued = root_of(tags.get("FEN"), variant, known.accrued)
        game = Game(board, accrued=accrued, fifty_moves=self._fifty_moves)
        for move in moves[: self._most_plies]:
            game.push_text(move)
        if game.ended is not None and game.ended.end is not None:
            raise UsageError(f"the game is over ({game.ended.end.value})")
        return Opening(
            fen=board.fen(shredder=board.chess960, en_passant="fen"),
            accrued=accrued,
            moves=tuple(move.uci() for move in game.board.move_stack),
            komi=known.komi,
            chess960=board.chess960,
        )


def _fen_in(line: str) -> str:
    """The FEN of a line of EPD; the operations `hmvc` and `fmvn` give its clocks."""
    fields = line.partition("#")[0].split()
    if len(fields) <= _EPD_FIELDS or fields[_EPD_FIELDS].isdigit():
        return " ".join(fields[: _FEN_FIELDS + 1])
    operations = dict(
        each.split(maxsplit=1) for each in " ".join(fields[_EPD_FIELDS:]).split(";") if len(each.split()) > 1
    )
    clocks = operations.get("hmvc", "0"), operations.get("fmvn", "1")
    return " ".join((*fields[:_EPD_FIELDS], *clocks))


def ordered(count: int, needed: int, *, order: OpeningOrder, start: int, seed: int) -> list[int]:
    """Which openings are played, first to last; a file that is used up begins anew.

    >>> ordered(3, 5, order=OpeningOrder.SEQUENTIAL, start=2, seed=0)
    [1, 2, 0, 1, 2]
    """
    if order is OpeningOrder.SEQUENTIAL:
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


MOST_GAMES = 1_000_000
"""The longest schedule: about half a gigabyte, and years of play."""


class Format(enum.Enum):
    """The kind of tournament."""

    ROUND_ROBIN = "round-robin"
    """Everyone plays everyone."""
    GAUNTLET = "gauntlet"
    """The seeds, by default the first engine, play all others."""
    PYRAMID = "pyramid"
    """Every engine plays all engines before it."""
    KNOCKOUT = "knockout"
    """The winners of a round meet in the next."""


class Policy(enum.Enum):
    """When the next opening is taken."""

    DEFAULT = "default"
    """When an opening has been repeated often enough."""
    ENCOUNTER = "encounter"
    """When other players meet."""
    ROUND = "round"
    """When a new round begins."""


@dataclass(frozen=True, slots=True)
class Tournament:
    """The shape of a schedule; `games` counts those of an encounter in a round."""

    players: int
    games: int = 2
    rounds: int = 1
    repeat: int = 2
    format: Format = Format.ROUND_ROBIN
    seeds: int = 1
    swap: bool = True
    policy: Policy = Policy.DEFAULT


@dataclass(frozen=True, slots=True)
class Pairing:
    """A game to be played; players and openings are numbers from 0, games and rounds from 1.

    The two games of a `pair` are between the same players, one after the other.
    """

    number: int
    round: int
    white: int
    black: int
    opening: int
    pair: int


def schedule(plan: Tournament) -> list[Pairing]:
    """Every game of a match; of a knockout none, for its games follow from each other."""
    pairings: list[Pairing] = []
    if plan.format is Format.KNOCKOUT:
        return pairings
    pairs: dict[tuple[int, int], int] = {}
    openings: dict[tuple[int, int], int] = {}
    encounters = _encounters(plan)
    total = len(encounters) * plan.rounds * plan.games
    if total > MOST_GAMES:
        raise UsageError(f"a match of {total:,} games is too long; {MOST_GAMES:,} is the most")
    for number, (meeting, (first, second)) in product(range(1, plan.rounds + 1), enumerate(encounters)):
        for game in range((number - 1) * plan.games, number * plan.games):
            white, black = (second, first) if plan.swap and game % 2 else (first, second)
            pair = pairs.setdefault((meeting, game // 2), len(pairs))
            same_opening = {
                Policy.ROUND: (number, 0),
                Policy.ENCOUNTER: (number, meeting),
                Policy.DEFAULT: (meeting, game // plan.repeat),
            }
            opening = openings.setdefault(same_opening[plan.policy], len(openings))
            pairings.append(Pairing(len(pairings) + 1, number, white, black, opening, pair))
    return pairings


def openings_needed(pairings: Sequence[Pairing]) -> int:
    """How many openings a schedule goes through."""
    return max((pairing.opening for pairing in pairings), default=-1) + 1


def _encounters(plan: Tournament) -> list[tuple[int, int]]:
    """Pairs of players, in an order that lets each of them rest."""
    if plan.format is Format.GAUNTLET:
        if not 1 <= plan.seeds < plan.players:
            raise UsageError(f"-seeds {plan.seeds} leaves no gauntlet with {plan.players} engines")
        return [(seed, other) for other in range(plan.seeds, plan.players) for seed in range(plan.seeds)]
    if plan.format is Format.PYRAMID:
        return [(player, other) for player in range(1, plan.players) for other in range(player)]
    return _round_robin(plan.players)


def _round_robin(players: int) -> list[tuple[int, int]]:
    """The circle method: the first player keeps its seat and the others move on by one."""
    seats: list[int | None] = [*range(players), *([None] if players % 2 else [])]
    encounters = []
    for turn in range(len(seats) - 1):
        for place in range(len(seats) // 2):
            first, second = seats[place], seats[-1 - place]
            if first is not None and second is not None:
                encounters.append((second, first) if place == 0 and turn % 2 else (first, second))
        seats = [seats[0], seats[-1], *seats[1:-1]]
    return encounters
