"""The games of several files written one after the other, each still the game that it was."""

from __future__ import annotations

import re
from typing import IO, NamedTuple

from tbgen.apps.games.grammar import LINE_END
from tbgen.apps.games.text import Chunk
from tbgen.errors import PgnError

_LAST_LINE_ENDS = re.compile(rb"(?:\r\n|\n|\r){1,2}\Z")


class JoinedGames:
    """One file for the games of several.

    A file may end within a line, or within a comment that is not closed. An empty line keeps the
    next file apart from it. PgnError if even so the two would not be read as they are alone.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._name = ""
        self._last = b""
        """The last text of the file that is being written, with its last game."""
        self._before: _EndOfFile | None = None
        """The end of the file before, until text of this one is there."""

    def begin(self, name: str) -> None:
        """The texts from now on are those of another file."""
        if self._last:
            self._before = _EndOfFile(self._name, self._last)
        self._name = name
        self._last = b""

    def write(self, text: bytes) -> None:
        """Write the next text of a file: whole games, and whatever stands behind them."""
        if not text:
            return
        if self._before is not None:
            self._file.write(self._between(self._before, text))
            self._before = None
        self._file.write(text)
        self._last = text

    def _between(self, before: _EndOfFile, text: bytes) -> bytes:
        """What keeps a text apart from the end of the file before."""
        gap = _empty_line_after(before.text)
        apart = [*_games_of(before.text), *_games_of(text)]
        if _games_of(before.text + gap + text) != apart:
            raise PgnError(
                before.name,
                "it is cut off at its end, so no game can follow it in the same file; "
                f"name it behind {self._name}",
            )
        return gap


class _EndOfFile(NamedTuple):
    """The end of a file of games."""

    name: str
    text: bytes


def _empty_line_after(text: bytes) -> bytes:
    """The line ends that a text lacks to end with an empty line."""
    first = LINE_END.search(text)
    line_end = b"\n" if first is None else first[0]
    last = _LAST_LINE_ENDS.search(text[-2 * len(b"\r\n") :])
    present = 0 if last is None else len(LINE_END.findall(last[0]))
    return (2 - present) * line_end


def _games_of(text: bytes) -> list[object]:
    """All that a reader learns of each game in a text."""
    return [(game.tags, game.moves, game.result, game.problem) for game in Chunk(text).games]
