"""How much a file tells of: games of PGN and JSON, moves of a strategy, positions of EPD."""

from __future__ import annotations

import contextlib
import json
import math
import re
from typing import Any, TextIO

from tbgen.apps.games.text import chunks_in
from tbgen.errors import InputFileError

_JSON = re.compile(rb'\s*(\{|\[\s*[][{"])')
"""The first bytes of a JSON object or list; a PGN file may begin with the bracket of a tag."""
_EPD = re.compile(rb"([1-8A-Za-z]+/){7}[1-8A-Za-z]+ [wb] ")
"""The first bytes of a list of positions, a line each."""
_HEAD_BYTES = 1024
_BEHIND_VALUES = (",", ":", "]", "}", " ", "\n", "\r", "\t")
_PAGE = b"<"
"""The first byte of a page."""


def entries_in(name: str, enough: float = math.inf) -> int:
    """How many games a PGN file has, or how many games or moves a JSON file tells of.

    An EPD file has a position in each line, and a page has none of all these.

    A PGN file is not read beyond so many as are `enough`.
    """
    with open(name, "rb") as file:
        head = file.read(_HEAD_BYTES)
    if head.startswith(_PAGE):
        return 0
    if _JSON.match(head):
        return _entries_of_json(name)
    if _EPD.match(head):
        with open(name, "rb") as positions:
            return sum(1 for _ in positions)
    games = 0
    with contextlib.suppress(InputFileError):
        for chunk in chunks_in(name, may_be_empty=True):
            games += len(chunk.games)
            if games >= enough:
                break
    return games


def _entries_of_json(name: str) -> int:
    """The games of a list, of verdicts, of a match or of a cross table; the moves of a strategy.

    Any other file has none, and so has text that is no JSON.
    """
    with open(name, encoding="utf-8", errors="replace") as file:
        reader = JsonReader(file)
        try:
            if reader.next_sign() == "[":
                return reader.count_items()
            return _entries_of_object(reader)
        except (ValueError, RecursionError):
            return 0


def _entries_of_object(reader: JsonReader) -> int:
    reader.expect("{")
    entries = 0
    while reader.next_sign() != "}":
        if reader.next_sign() == ",":
            reader.expect(",")
        key = reader.value()
        reader.expect(":")
        if key in ("games", "moves") and reader.next_sign() == "[":
            entries += reader.count_items()
            continue
        value = reader.value()
        if key == "games" and isinstance(value, int):
            entries += value
        elif key == "Table" and isinstance(value, dict):
            entries += sum(_games_of_row(row) for row in value.values())
    return entries


def _games_of_row(row: Any) -> int:
    """The games that a player of a cross table had with the white men."""
    games = row.get("GamesAsWhite") if isinstance(row, dict) else None
    return games if isinstance(games, int) else 0


class JsonReader:
    """Reads one value of a JSON text after another, and keeps none: a list may be an archive.

    ValueError if the text is no JSON.
    """

    _PIECE = 1 << 16
    _LARGEST = 1 << 26
    """No game, and no other single value, takes so many characters."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._text = ""
        """What is read of the file, and not yet of the values."""
        self._is_at_end = False

    def next_sign(self) -> str:
        """The next character that is no space, which stays."""
        self._text = self._text.lstrip()
        while not self._text:
            if self._is_at_end:
                raise ValueError("it ends too early")
            self._read_on()
            self._text = self._text.lstrip()
        return self._text[0]

    def expect(self, sign: str) -> None:
        """Take the next character, which must be this one."""
        if self.next_sign() != sign:
            raise ValueError(f"it has no {sign}")
        self._text = self._text[1:]

    def value(self) -> Any:
        """Take the next value."""
        self.next_sign()
        while True:
            try:
                value, end = json.JSONDecoder().raw_decode(self._text)
            except ValueError:
                if self._is_at_end or len(self._text) > self._LARGEST:
                    raise
            else:
                # A number may go on in the next piece, also behind a point.
                is_whole = self._text[end : end + 1] in _BEHIND_VALUES
                if is_whole or self._is_at_end:
                    self._text = self._text[end:]
                    return value
            self._read_on()

    def count_items(self) -> int:
        """Take a list, and count its items."""
        self.expect("[")
        number = 0
        while self.next_sign() != "]":
            if number > 0:
                self.expect(",")
            self.value()
            number += 1
        self.expect("]")
        return number

    def _read_on(self) -> None:
        """Read as much again as there is, so that a large value is not decoded too often."""
        piece = self._file.read(max(self._PIECE, len(self._text)))
        self._is_at_end = not piece
        self._text += piece
