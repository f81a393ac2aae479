"""Folders: one or several, as people and engines name them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from tbgen.errors import UsageError
from tbgen.score import Mobility

Folders = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
"""One folder or several: a path, a text with `os.pathsep` between the paths, or a sequence of paths.

A text that is the name of a folder is that folder, whatever signs it has.
"""


def folders_in(folders: Folders) -> tuple[Path, ...]:
    """The folders that are named, in their order.

    >>> [folder.name for folder in folders_in(os.pathsep.join(("three", "four")))]
    ['three', 'four']
    """
    wanted, given = "a path, or several in a sequence", cast(object, folders)
    if isinstance(given, str):
        paths: Sequence[object] = [path for path in _parts(given) if path]
    elif isinstance(given, os.PathLike):
        paths = [given]
    else:
        paths = given if isinstance(given, Sequence) else ()
    found = tuple(Path(path) for path in paths if isinstance(path, (str, os.PathLike)))
    if not found or len(found) < len(paths):
        raise UsageError(f"folders must be {wanted}, not {folders!r}")
    return found


def folder_of_game(folder: Path, game: Mobility) -> Path:
    """Where a folder of tables keeps those of a game; the folder of whole-game tables itself may be named, too.

    >>> folder_of_game(Path("data"), Mobility.WHOLE_GAME).as_posix(), folder_of_game(Path("data"), Mobility.RESET).name
    ('data/whole-game', 'data')
    """
    if game_of_folder(folder) is game:
        return folder
    if game is Mobility.RESET:
        raise UsageError(f"{folder} is a folder of {game_of_folder(folder)} tables; say so with --game, or game=")
    return folder / str(Mobility.WHOLE_GAME)


def game_of_folder(folder: Path) -> Mobility:
    """The game of the tables in a folder, by its name: a file must never be taken for one of the other game."""
    return Mobility.WHOLE_GAME if folder.name == str(Mobility.WHOLE_GAME) else Mobility.RESET


def _parts(text: str) -> list[str]:
    return [text] if os.path.isdir(text) else text.split(os.pathsep)
