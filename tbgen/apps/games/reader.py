"""Reads the games of PGN files as a stream, and reports exactly what is wrong with a game."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator

from tbgen.apps.games.files import buffered, open_bytes
from tbgen.apps.games.game import GameSettings, PgnGame
from tbgen.arguments import expect
from tbgen.errors import PgnError, UsageError

__all__ = ["GameSettings", "PgnGame", "games_in", "read_games"]

_GATHERED_BYTES = 1 << 16


def read_games(path: str | os.PathLike[str], settings: GameSettings | None = None) -> Iterator[PgnGame | PgnError]:
    """Every game of a file in turn, or the error that is in its place; OSError if the file cannot be opened.

    `-` is the standard input. Files packed by gzip, bzip2, xz or zstd are read as they are.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise UsageError(f"path must be the path of a PGN file, not {path!r}")
    return _games_of_file(os.fspath(path), _expected(settings))


def games_in(
    lines: str | Iterable[str], name: str = "PGN", settings: GameSettings | None = None
) -> Iterator[PgnGame | PgnError]:
    """Every game of a text or its lines, or the error that is in its place; PgnError is raised if there is no game.

    Errors call the text by `name`.

    >>> [str(game.final) for game in games_in("1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0")]
    ['G0.0']
    """
    rule = _expected(settings)
    stream = buffered(_encoded([lines] if isinstance(lines, str) else lines))
    yield from _games_of(stream, name, rule, as_it_comes=True)


def _expected(settings: GameSettings | None) -> GameSettings:
    return (
        GameSettings()
        if settings is None
        else expect(settings, GameSettings, "settings", "GameSettings such as GameSettings()")
    )


def _games_of_file(path: str, settings: GameSettings) -> Iterator[PgnGame | PgnError]:
    with open_bytes(path) as stream:
        yield from _games_of(stream, path, settings)


def _games_of(
    stream: io.BufferedReader, name: str, settings: GameSettings, *, as_it_comes: bool = False
) -> Iterator[PgnGame | PgnError]:
    from tbgen.apps.games.chunks import chunks_of
    from tbgen.apps.games.replayed import games_of

    for chunk in chunks_of(stream, name, as_it_comes=as_it_comes):
        yield from games_of(chunk, name, settings)


def _encoded(lines: Iterable[str]) -> Iterator[bytes]:
    """Lines as bytes, some at a time, so that an endless source is read no further than its games are asked for.

    An empty line is a good moment to look: most games end there.
    """
    gathered, size = list[bytes](), 0
    for line in lines:
        ended = line if line.endswith(("\n", "\r")) else line + "\n"
        gathered.append(ended.encode("utf-8", "replace"))
        size += len(gathered[-1])
        if size >= _GATHERED_BYTES or not line.strip():
            yield b"".join(gathered)
            gathered, size = [], 0
    yield b"".join(gathered)
