"""Openings: a first position with moves, from a file of positions or of games."""

from __future__ import annotations

import functools
import random
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

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
"""The most openings that are kept after they have been read."""


@dataclass(frozen=True, slots=True)
class Opening:
    """A first position with the moves that are played before the engines take over."""

    board: chess.Board = field(default_factory=chess.Board)
    """With the moves on its stack."""
    accrued: Score | None = None
    komi: Komi | None = None


class BookEntry(NamedTuple):
    """An opening as it stands in its file, with its number there."""

    number: int
    text: str | bytes | None
    """The line of a position or the bytes of a game; None is the first position of chess."""


class Openings:
    """The openings of a match by their number in its schedule; a book that is used up begins anew.

    Each is read when it is first needed, for books have millions. A file of positions has EPD or
    FEN lines, and `#` begins a comment. Without a file there is one opening, the first position of
    chess. The seed decides a random order.

    >>> from tbgen.apps.match.settings import Tournament
    >>> Openings(MatchSettings((), Tournament(2))).read(7).board == chess.Board()
    True
    """

    def __init__(self, settings: MatchSettings, seed: int = 0) -> None:
        self._settings = settings
        self._wanted = settings.openings
        self._lots = random.Random(seed)
        self._drawn = list[int]()
        """Where the openings of a random order stand in the book, before it is rotated."""
        self._opening = functools.lru_cache(_MOST_KEPT)(self._read)
        path = self._wanted.file
        if path is None:
            self._entries = [BookEntry(1, None)]
        elif self._wanted.has_games:
            self._entries = _games_in(path)
        else:
            self._entries = _positions_in(path)
        if not self._entries:
            raise UsageError(f"{path} holds no openings")

    def __len__(self) -> int:
        return len(self._entries)

    def read(self, number: int) -> Opening:
        """An opening; UsageError names the line or the game if it cannot be played."""
        index = self._index_of(number)
        try:
            return self._opening(index)
        except TbgenError as error:
            entry = self._entries[index]
            kind = "line" if isinstance(entry.text, str) else "game"
            raise UsageError(f"{self._wanted.file}, {kind} {entry.number}: {error}") from None

    def komi_of(self, number: int) -> Komi | None:
        """The komi that an opening names; its moves are not played."""
        text = self._entries[self._index_of(number)].text
        if not isinstance(text, bytes):
            return None
        return read_tags(Chunk(text).games[0].tags).komi

    def _index_of(self, number: int) -> int:
        """Where an opening stands in the book."""
        size = len(self._entries)
        times, place = divmod(number, size)
        place = (place + self._wanted.start - 1) % size
        if not self._wanted.random:
            return place
        while len(self._drawn) < (times + 1) * size:
            self._drawn += self._lots.sample(range(size), size)
        return self._drawn[times * size + place]

    def _read(self, index: int) -> Opening:
        text = self._entries[index].text
        tags = dict[str, str]()
        moves = list[str]()
        if isinstance(text, bytes):
            (game_text,) = Chunk(text).games
            tags = game_text.tags
            moves = game_text.moves
        known = read_tags(tags)
        variant = tags.get("Variant", "")
        if variant.lower() in ORDINARY:
            variant = self._settings.variant
        fen = tags.get("FEN")
        if isinstance(text, str):
            fen = _fen_in(text) if variant in _CHESS else text.partition("#")[0].strip()
        board, accrued = root_of(fen, variant, known.accrued)
        self._refuse_other_variant(board)
        game = Game(board, accrued=accrued, fifty_moves=self._settings.rules.fifty_moves)
        for move in moves[: self._wanted.plies]:
            game.push_text(move)
        if game.ended is not None and game.ended.end is not None:
            raise UsageError(f"the game is over ({game.ended.end.value})")
        return Opening(game.board, accrued, known.komi)

    def _refuse_other_variant(self, board: chess.Board) -> None:
        """Refuse a board that is not of the variant of the match; Chess960 is chess."""
        variants = {str(board.uci_variant), self._settings.variant}
        if len(variants) > 1 and not variants <= _CHESS:
            raise UsageError(f"it is of {board.uci_variant}: give -variant {board.uci_variant}")


def _games_in(path: Path) -> list[BookEntry]:
    """The games of a PGN file as they are written."""
    entries = list[BookEntry]()
    for chunk in chunks_in(path, may_be_empty=True):
        for game in chunk.games:
            entries.append(BookEntry(game.number, chunk.text[game.span]))
    return entries


def _positions_in(path: Path) -> list[BookEntry]:
    """The lines of a file that are no comments."""
    entries = list[BookEntry]()
    for number, line in enumerate(read_lines(str(path)), start=1):
        if line.partition("#")[0].strip():
            entries.append(BookEntry(number, line))
    return entries


def _fen_in(line: str) -> str:
    """The FEN of a line of EPD; the operations `hmvc` and `fmvn` give its clocks."""
    fields = line.partition("#")[0].split()
    if len(fields) <= _EPD_FIELDS or fields[_EPD_FIELDS].isdigit():
        return " ".join(fields[: _FEN_FIELDS + 1])
    operations = dict(_CLOCKS.findall(" ".join(fields[_EPD_FIELDS:])))
    halfmove_clock = operations.get("hmvc", "0")
    move_number = operations.get("fmvn", "1")
    return " ".join((*fields[:_EPD_FIELDS], halfmove_clock, move_number))
