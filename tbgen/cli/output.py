"""The files that commands write: each whole or not at all, and none over what is read."""

from __future__ import annotations

import contextlib
import itertools
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import IO

from tbgen.errors import UnreadableFileError, UsageError
from tbgen.rules.facts import to_json
from tbgen.system.inputs import PACKED_SUFFIXES
from tbgen.system.outputs import STANDARD_OUTPUT, is_same_file, written_whole


class Outputs:
    """The files that one command writes, checked before it begins and when each takes its name.

    A file replaces another one when all of it is written.
    """

    def __init__(
        self,
        files: Mapping[str, str | Path | None],
        *,
        read: Sequence[str] = (),
        kept: Mapping[str, str | Path | None] = MappingProxyType({}),
    ) -> None:
        """Refuse two names of one file, and the name of a file that is read.

        Arguments:
            files: The content of each file, such as "the copy", and its name; None is not written.
            read: The files that the command reads.
            kept: More files that the command changes in its own way, which no file may be.
        """
        self._names = {what: str(name) for what, name in files.items() if name is not None}
        _refuse_equal_names({**kept, **files})
        for name in self._names.values():
            if name != STANDARD_OUTPUT:
                refuse_no_file(name)
        self._refuse_names_of(read)

    def _refuse_names_of(self, sources: Sequence[str]) -> None:
        for name in self._names.values():
            if name == STANDARD_OUTPUT:
                continue
            if any(is_same_file(source, name) for source in sources):
                raise UsageError(f"{name} is what is read; name another file")

    @contextlib.contextmanager
    def open(self, what: str) -> Iterator[IO[bytes] | None]:
        """A file to write to, which takes its name at the end of the block; None if it has none."""
        if what not in self._names:
            yield None
            return
        with written_whole(self._names[what]) as file:
            yield file


def refuse_no_file(name: str) -> None:
    """Refuse a name that no file can have, or that would promise a packed one.

    Whatever would fail at the end of hours fails here.
    """
    path = Path(name)
    if path.is_dir():
        raise UnreadableFileError(name, "it is a folder; name a file in it")
    if not path.parent.exists():
        make = f"mkdir -p {shlex.quote(str(path.parent))}"
        reason = f"there is no folder {path.parent}; make it with: {make}"
        raise UnreadableFileError(name, reason)
    # A new file is written beside the one that it replaces.
    is_replaced = not path.exists() or path.is_file()
    folder = Path(os.path.realpath(path)).parent
    if is_replaced and not os.access(folder, os.W_OK | os.X_OK):
        raise UnreadableFileError(name, f"you may not write into the folder {folder}")
    if path.suffix in PACKED_SUFFIXES:
        raise UsageError(f"{name} would be plain text, not packed; write to {path.with_suffix('')}")


def _refuse_equal_names(files: Mapping[str, str | Path | None]) -> None:
    names = {what: str(name) for what, name in files.items() if name is not None}
    for one, other in itertools.combinations(names, 2):
        name = names[one]
        if is_same_file(name, names[other]):
            where = "the standard output" if name == STANDARD_OUTPUT else name
            raise UsageError(f"only one of {one} and {other} can go to {where}")


class GamesWriter:
    """Facts of games as JSON, written as the games arrive."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._before = '{"games": ['

    def add(self, *games: str) -> None:
        for game in games:
            self._file.write(f"{self._before}\n  {game}".encode())
            self._before = ","

    def finish(self, **rest: object) -> None:
        """Close the list, and write the facts after it."""
        if self._before == ",":
            self._file.write(b"\n]")
        else:
            self._file.write(f"{self._before}]".encode())
        for name, value in rest.items():
            self._file.write(f",\n{to_json(name)}: {to_json(value)}".encode())
        self._file.write(b"}\n")
