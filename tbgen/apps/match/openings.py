"""Openings: a first position with moves, from files of positions or of games, and the order in which they are taken."""

from __future__ import annotations

import functools
import random
import re
from dataclasses import dataclass, field

import chess

from tbgen.apps.games.tags import ORDINARY, read_tags, root_of
from tbgen.apps.games.text import Chunk, chunks_in
from tbgen.apps.match.settings import MatchSettings
from tbgen.errors import TbgenError, UsageError
from tbgen.rules.game import Game
from tbgen.rules.points import Komi
from tbgen.score import Score
from tbgen.system.inputs import read_lines

_EPD_FIELDS = 4
_FEN_FIELDS = 6
_CLOCKS = re.compile(r"(?:^|; ?)(hmvc|fmvn) ([^ ;]+)")
_CHESS = {"chess", "chess960"}
_MOST_KEPT = 1000
"""So many openings are kept once they have been read."""


@dataclass(frozen=True, slots=True)
class Opening:
    """A first position with the moves that are played before the engines take over."""

    board: chess.Board = field(default_factory=chess.Board)
    """With the moves on its stack."""
    accrued: Score | None = None
    komi: Komi | None = None


class Openings:
    """The openings of a match by their number in its schedule; a book that is used up begins anew.

    Each is read when it is first needed, for books have millions. A file of positions has EPD or FEN lines, and `#`
    begins a comment. Without a file there is one opening, the first position of chess. The seed decides a random order.

    >>> from tbgen.apps.match.settings import Tournament
    >>> Openings(MatchSettings((), Tournament(2))).read(7).board == chess.Board()
    True
    """

    def __init__(self, settings: MatchSettings, seed: int = 0) -> None:
        self._settings, self._wanted = settings, settings.openings
        self._lots, self._drawn = random.Random(seed), list[int]()
        self._opening = functools.lru_cache(_MOST_KEPT)(self._read)
        path = self._wanted.file
        self._entries: list[tuple[int, str | bytes | None]] = [(1, None)]
        if path is not None and self._wanted.pgn:
            chunks = chunks_in(path, may_be_empty=True)
            self._entries = [
                (game.number, chunk.text[game.span]) for chunk in chunks for game in chunk.games
            ]
        elif path is not None:
            lines = enumerate(read_lines(str(path)), start=1)
            self._entries = [
                (number, line) for number, line in lines if line.partition("#")[0].strip()
            ]
        if not self._entries:
            raise UsageError(f"{path} holds no openings")

    def read(self, number: int) -> Opening:
        """An opening; UsageError names the line or the game if it cannot be played."""
        index = self._index_of(number)
        try:
            return self._opening(index)
        except TbgenError as error:
            number, entry = self._entries[index]
            where = f"{self._wanted.file}, {'line' if isinstance(entry, str) else 'game'} {number}"
            raise UsageError(f"{where}: {error}") from None

    def komi_of(self, number: int) -> Komi | None:
        """The komi that an opening names; its moves are not played."""
        entry = self._entries[self._index_of(number)][1]
        return read_tags(Chunk(entry).games[0].tags).komi if isinstance(entry, bytes) else None

    def _index_of(self, number: int) -> int:
        """Where an opening stands in the book."""
        openings = len(self._entries)
        if not self._wanted.random:
            return (self._wanted.start - 1 + number) % openings
        while len(self._drawn) <= number:
            self._drawn += self._lots.sample(range(openings), openings)
        return self._drawn[number]

    def _read(self, index: int) -> Opening:
        entry = self._entries[index][1]
        tags, moves = dict[str, str](), list[str]()
        if isinstance(entry, bytes):
            (written,) = Chunk(entry).games
            tags, moves = written.tags, written.moves
        known, variant = read_tags(tags), tags.get("Variant", "")
        if variant.lower() in ORDINARY:
            variant = self._settings.variant
        if isinstance(entry, str):
            tags = {"FEN": _fen_in(entry) if variant in _CHESS else entry.partition("#")[0].strip()}
        board, accrued = root_of(tags.get("FEN"), variant, known.accrued)
        if (
            board.uci_variant != self._settings.variant
            and not {board.uci_variant, self._settings.variant} <= _CHESS
        ):
            raise UsageError(f"it is of {board.uci_variant}: give -variant {board.uci_variant}")
        game = Game(board, accrued=accrued, fifty_moves=self._settings.rules.fifty_moves)
        for move in moves[: self._wanted.plies]:
            game.push_text(move)
        if game.ended is not None and game.ended.end is not None:
            raise UsageError(f"the game is over ({game.ended.end.value})")
        return Opening(game.board, accrued, known.komi)


def _fen_in(line: str) -> str:
    """The FEN of a line of EPD; the operations `hmvc` and `fmvn` give its clocks."""
    fields = line.partition("#")[0].split()
    if len(fields) <= _EPD_FIELDS or fields[_EPD_FIELDS].isdigit():
        return " ".join(fields[: _FEN_FIELDS + 1])
    clocks = {"hmvc": "0", "fmvn": "1"} | dict(_CLOCKS.findall(" ".join(fields[_EPD_FIELDS:])))
    return " ".join((*fields[:_EPD_FIELDS], *clocks.values()))
