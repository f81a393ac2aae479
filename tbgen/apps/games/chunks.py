"""A stream of PGN in chunks of whole games, and the tags, moves and results of these games as they are written."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np

from tbgen.apps.games import scan as at
from tbgen.apps.games.files import read_pieces
from tbgen.compiled.arrays import Ints
from tbgen.errors import PgnError

_LONG_GAME_BYTES = 1 << 20
"""From here on a game is looked at again only when it has doubled, or a slow input would take quadratic time."""
MOST_GAME_BYTES = 64 << 20
"""The longest game that is read: what has no end in sight must not take all memory."""
_RESULTS: tuple[str | None, ...] = (None, *(result.decode() for result in at.RESULTS))
_PROBLEMS = (None, "a comment is not closed", "a variation is not closed")
_ESCAPED = re.compile(r'\\(["\\])')


class Chunk:
    """A text of whole games with the rows that the scanner found in it; `scan` describes the columns.

    `in_line` says whether it begins within a line, and `number` is that of its first game. Unless it is the last of its
    file, its last game may still go on.
    """

    def __init__(self, text: bytes, in_line: bool = False, number: int = 1, *, is_last: bool = True) -> None:
        self.text, self.in_line, self.number = text, in_line, number
        self.data = np.frombuffer(text, np.uint8)
        columns = (at.GAME_COLUMNS, at.TAG_COLUMNS, at.MOVE_COLUMNS)
        rows = (np.empty((len(text) // 2 + 3, width), np.int64) for width in columns)  # enough for any text
        found = at.ScanRows(np.zeros(at.STATE_WORDS, np.int64), *rows)
        at.scan(self.data, is_last, in_line, found)
        counts = [int(found.state[each]) for each in (at.GAMES, at.TAGS, at.MOVES)]
        self.games, self.tags, self.moves = (table[:n].copy() for table, n in zip(found[1:], counts, strict=True))

    def tag_rows(self, game: int) -> Ints:
        return self.tags[self.games[game, at.FIRST_TAG] : self.games[game, at.LAST_TAG]]

    def move_rows(self, game: int) -> Ints:
        return self.moves[self.games[game, at.FIRST_MOVE] : self.games[game, at.LAST_MOVE]]

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

    def span(self, game: int) -> slice:
        """The place of a game in the text, with what stands before it."""
        return slice(int(self.games[game - 1, at.END]) if game else 0, int(self.games[game, at.END]))

    def rest(self) -> bytes:
        """The text behind the last game."""
        return self.text[self.span(len(self.games) - 1).stop :] if len(self.games) else self.text


def chunks_of(pieces: Iterable[bytes], name: str, *, may_be_empty: bool = False) -> Iterator[Chunk]:
    """The games of a text that comes in pieces, as soon as they are whole; an error if there are none."""
    read, wanted, in_line, number = bytearray(), 0, False, 1
    for piece in chain(pieces, [None]):
        read += piece or b""
        if piece is not None and len(read) < wanted:
            continue
        chunk = Chunk(bytes(read), in_line, number, is_last=piece is None)
        if piece is None:
            yield chunk
        elif len(chunk.games):
            chunk.text = chunk.text[: chunk.games[-1, at.END]]
            del read[: len(chunk.text)]
            yield chunk
            in_line, number = chunk.text[-1] not in at.LINE_ENDS, number + len(chunk.games)
        wanted = 2 * len(read) if len(read) >= _LONG_GAME_BYTES else 0
        if len(read) > MOST_GAME_BYTES:
            raise PgnError(name, f"it is longer than {MOST_GAME_BYTES >> 20} MB", number=number)
    if number == 1 and not len(chunk.games) and not may_be_empty:
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
