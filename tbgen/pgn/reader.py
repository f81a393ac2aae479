"""Games in PGN files: read as a stream, exact about what is wrong with a game."""

from __future__ import annotations

import os
from collections.abc import Iterator

from tbgen.arguments import expect
from tbgen.errors import PgnError, UsageError
from tbgen.pgn.files import open_bytes
from tbgen.pgn.game import PgnGame, Settings
from tbgen.pgn.plain import Movetext, games_in, movetexts

__all__ = ["Movetext", "PgnGame", "Settings", "games_in", "movetexts", "read_games"]


def read_games(path: str | os.PathLike[str], settings: Settings | None = None) -> Iterator[PgnGame | PgnError]:
    """Every game of a file in turn, or the error that is in its place; OSError if the file cannot be opened.

    `-` is the standard input. Files packed by gzip, bzip2, xz or zstd are read as they are.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise UsageError(f"path must be the path of a PGN file, not {path!r}")
    rule = Settings() if settings is None else expect(settings, Settings, "settings", "Settings such as Settings()")
    return _games(os.fspath(path), rule)


def _games(path: str, rule: Settings) -> Iterator[PgnGame | PgnError]:
    from tbgen.pgn.blocks import blocks_of
    from tbgen.pgn.compiled import games_of

    with open_bytes(path) as stream:
        for block in blocks_of(stream, path):
            yield from games_of(block, path, rule)
