"""A stream of PGN in chunks of whole games, and the tags, moves and results of these games as they are written."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

from tbgen.apps.games import scan as at
from tbgen.apps.games.files import read_pieces
from tbgen.compiled.arrays import Bytes, Ints
from tbgen.errors import PgnError

_LONG_GAME_BYTES = 1 << 20
"""From here on a game is looked at again only when it has doubled, or a slow input would take quadratic time."""
MOST_GAME_BYTES = 64 << 20
"""The longest game that is read: what has no end in sight must not take all memory."""
_RESULTS: tuple[str | None, ...] = (None, *(result.decode() for result in at.RESULTS))
_PROBLEMS = (None, "a comment is not closed", "a variation is not closed")
_ESCAPED = re.compile(r'\\(["\\])')


class Chunk(NamedTuple):
    """A text of whole games, and what must be known of the text before it; small enough to send to a process."""

    text: bytes
    in_line: bool
    """Whether the text begins within a line."""
    number: int
    """The number of the first game."""


class ScannedChunk(NamedTuple):
    """A chunk with the rows that the scanner found in it; `scan` describes the columns."""

    chunk: Chunk
    data: Bytes
    games: Ints
    tags: Ints
    moves: Ints

    @property
    def text(self) -> bytes:
        return self.chunk.text

    def tag_rows(self, game: int) -> Ints:
        row = self.games[game]
        return self.tags[row[at.FIRST_TAG] : row[at.LAST_TAG]]

    def move_rows(self, game: int) -> Ints:
        row = self.games[game]
        return self.moves[row[at.FIRST_MOVE] : row[at.LAST_MOVE]]

    def tags_of(self, game: int) -> dict[str, str]:
        """The tags of a game; of two with the same name the last counts."""
        tags, text = {}, self.text
        for _, _, name, name_end, value, value_end in self.tag_rows(game).tolist():
            written = decoded(text[value:value_end])
            tags[text[name:name_end].decode("ascii")] = _ESCAPED.sub(r"\1", written) if "\\" in written else written
        return tags

    def moves_of(self, game: int) -> list[str]:
        """The moves of a game as they are written."""
        return [decoded(self.text[start:end]) for start, end in self.move_rows(game).tolist()]

    def result_of(self, game: int) -> str | None:
        """The result that stands behind the moves."""
        return _RESULTS[int(self.games[game, at.RESULT])]

    def problem_of(self, game: int) -> str | None:
        """The error of syntax in a game, if it has one."""
        return _PROBLEMS[self.games[game, at.PROBLEM]]

    def bounds(self, game: int) -> tuple[int, int]:
        """Where the text of a game begins, with what stands before it, and where it ends."""
        start = 0 if game == 0 else int(self.games[game - 1, at.END])
        return start, int(self.games[game, at.END])

    def rest(self) -> bytes:
        """The text behind the last game."""
        return self.text[self.bounds(len(self.games) - 1)[1] :] if len(self.games) else self.text


def scanned(chunk: Chunk, *, is_last: bool = True) -> ScannedChunk:
    """Find the games of a chunk; unless it is the last of its file, its last game may still go on."""
    data = np.frombuffer(chunk.text, np.uint8)
    columns = (at.GAME_COLUMNS, at.TAG_COLUMNS, at.MOVE_COLUMNS)
    rows = (np.empty((len(data) // 2 + 3, number), np.int64) for number in columns)  # enough for any text
    found = at.ScanRows(np.zeros(at.STATE_WORDS, np.int64), *rows)
    at.scan(data, is_last, chunk.in_line, found)
    counts = [int(found.state[each]) for each in (at.GAMES, at.TAGS, at.MOVES)]
    games, tags, moves = (table[:n].copy() for table, n in zip(found[1:], counts, strict=True))
    return ScannedChunk(chunk, data, games, tags, moves)


def chunks_of(pieces: Iterable[bytes], name: str, *, may_be_empty: bool = False) -> Iterator[ScannedChunk]:
    """The games of a text that comes in pieces, as soon as they are whole; an error if there are none."""
    read, size, wanted, in_line, number = list[bytes](), 0, 0, False, 1
    for piece in chain(pieces, [None]):
        read.append(piece or b"")
        size += len(read[-1])
        if piece is not None and size < wanted:
            continue
        text = b"".join(read)
        found = scanned(Chunk(text, in_line, number), is_last=piece is None)
        if piece is None:
            yield found
        elif len(found.games):
            cut = int(found.games[-1, at.END])
            yield found._replace(chunk=found.chunk._replace(text=text[:cut]))
            in_line, number = text[cut - 1] not in at.LINE_ENDS, number + len(found.games)
            text = text[cut:]
        read, size = [text], len(text)
        wanted = 2 * size if size >= _LONG_GAME_BYTES else 0
        if size > MOST_GAME_BYTES:
            raise PgnError(name, f"it is longer than {MOST_GAME_BYTES >> 20} MB", number=number)
    if number == 1 and not len(found.games) and not may_be_empty:
        raise PgnError(name, "it holds no games")


Movetext = tuple[dict[str, str], list[str]]
"""The tags and moves of a game, before anybody has played it."""


def movetexts(path: str | os.PathLike[str]) -> Iterator[Movetext]:
    """The games of a file as they are written; PgnError if it is no PGN file."""
    name = os.fspath(path)
    for chunk in chunks_of(read_pieces(name), name, may_be_empty=True):
        for game in range(len(chunk.games)):
            yield chunk.tags_of(game), chunk.moves_of(game)


def decoded(text: bytes) -> str:
    """UTF-8 text; bytes that are not UTF-8 are Latin-1."""
    return text.decode("utf-8", "tbgen-latin-1")
