"""A game as it is written: its tags, the moves of its main line, its result, and what is wrong with the writing."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from tbgen.apps.games import scan as at
from tbgen.apps.games.chunks import ScannedChunk, chunks_of
from tbgen.apps.games.files import open_bytes

_RESULTS = (None, "1-0", "0-1", "1/2-1/2", "*")
_PROBLEMS = (None, "a comment is not closed", "a variation is not closed", "a control character")
_ESCAPED = re.compile(r'\\(["\\])')


class Movetext(NamedTuple):
    """The words of a game, before anybody has played it."""

    tags: dict[str, str]
    moves: list[str]
    result: str | None
    problem: str | None


def movetexts(path: str | os.PathLike[str]) -> Iterator[Movetext]:
    """The games of a file as they are written; PgnError if it is no PGN file."""
    name = os.fspath(path)
    with open_bytes(name) as stream:
        for chunk in chunks_of(stream, name, may_be_empty=True):
            for game in range(len(chunk.games)):
                yield movetext_of(chunk, game)


def movetext_of(chunk: ScannedChunk, game: int) -> Movetext:
    """The words of a game."""
    moves = [decoded(chunk.text[start:end]) for start, end in chunk.moves_of(game).tolist()]
    return Movetext(tags_of(chunk, game), moves, result_of(chunk, game), problem_of(chunk, game))


def tags_of(chunk: ScannedChunk, game: int) -> dict[str, str]:
    """The tags of a game; of two with the same name the last counts."""
    tags, text = {}, chunk.text
    for _, _, name, name_end, value, value_end in chunk.tags_of(game).tolist():
        written = decoded(text[value:value_end])
        tags[text[name:name_end].decode("ascii")] = _ESCAPED.sub(r"\1", written) if "\\" in written else written
    return tags


def result_of(chunk: ScannedChunk, game: int) -> str | None:
    """The result that stands behind the moves."""
    return _RESULTS[chunk.games[game, at.RESULT]]


def problem_of(chunk: ScannedChunk, game: int) -> str | None:
    """What is wrong with the writing of a game."""
    return _PROBLEMS[chunk.games[game, at.PROBLEM]]


def decoded(text: bytes) -> str:
    """A text of UTF-8, or what is not, byte by byte, of Latin-1."""
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return text.decode("utf-8", "tbgen-latin-1")
