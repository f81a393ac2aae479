"""The output of commands: tables, JSON and CSV; and files, whole or not at all."""

from __future__ import annotations

import contextlib
import csv
import enum
import glob
import io
import json
import math
import os
import re
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import click

from tbgen.errors import PgnError, UnreadableFileError, UsageError
from tbgen.rules.facts import parts_of, to_json
from tbgen.text import counted, flattened, printable

Facts = Mapping[str, Any]
Heads = Mapping[str, str | Callable[[Any], object]]
"""Head of a column -> the field with its cells, or a function of a row."""

_NUMBER = r"(?:[<>~] ?)?[-+±]?G?[0-9½][0-9,.:½-]*(?: (?:%|[kMG]?B|[MG]iB))?%?"
_FLUSH_RIGHT = re.compile(rf"{_NUMBER}(?: {_NUMBER})*|[-?x]?")
"""A cell of a right-aligned column: a number, a score, a size or a time, or nothing."""
_FORMULA = re.compile(r"[=+@\t\r]|-(?!G?[0-9])")
"""The characters that begin a formula in a spreadsheet; names of players may begin with them."""


class Form(enum.Enum):
    """The output of a command: for people, or for programs."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


def present(form: Form, facts: Any, in_words: Callable[[], object], rows: Iterable[Facts] | None = None) -> None:
    """Print facts for programs, or show them to people in words."""
    if form is Form.TABLE:
        in_words()
    else:
        print_facts(form, facts, rows)


def print_facts(form: Form, facts: Any, rows: Iterable[Facts] | None = None) -> None:
    """Print facts as `text_of` writes them."""
    click.echo(text_of(form, facts, rows), nl=False)


def text_of(form: Form, facts: Any, rows: Iterable[Facts] | None = None) -> str:
    """Facts as JSON, or their rows as CSV.

    The rows are the list of objects within the facts, unless they are given; facts without such a list are one row.
    """
    if form is Form.JSON:
        return f"{to_json(facts, indent=2)}\n"
    flat = [dict(_cells_of(row)) for row in (_rows_in(facts) if rows is None else rows)]
    text = io.StringIO()
    fullest_first = sorted(flat, key=len, reverse=True)  # so that the parts of a score are beside it
    writer = csv.DictWriter(text, dict.fromkeys(key for row in fullest_first for key in row), lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
    return text.getvalue()


def _rows_in(facts: Any) -> Sequence[Facts]:
    """The first list of objects within facts."""
    if isinstance(facts, list):
        return facts
    lists = [each for each in facts.values() if isinstance(each, list)]
    return next((rows for rows in lists if rows and all(isinstance(row, Mapping) for row in rows)), [facts])


def _cells_of(facts: Facts, before: str = "") -> Iterator[tuple[str, object]]:
    """The fields of an object, with the parts of each score after it; lists and truth values are JSON."""
    for name, value in flattened(facts, before):
        text = json.dumps(value) if isinstance(value, (list, bool)) else value
        yield name, f"'{text}" if isinstance(text, str) and _FORMULA.match(text) else text
        yield from _cells_of(parts_of(value) if isinstance(value, str) else {}, f"{name}.")


def show_pairs(facts: Mapping[str, object], form: str = "{:10}{}") -> None:
    """Print a line for each fact with its name; None is left out."""
    for name, value in facts.items():
        if value is not None:
            click.echo(form.format(name, value))


def show_facts(
    rows: Iterable[Any], columns: Heads, *, titles: Mapping[int, str] | None = None, note: str = "", none: str = ""
) -> None:
    """Print a table of facts under the heads of its columns, and a note; `none` replaces a table without rows."""
    cells = [[_cell(row[each] if isinstance(each, str) else each(row)) for each in columns.values()] for row in rows]
    lines = [*table_lines(list(columns), cells, titles), note] if cells else [none]
    click.echo("".join(f"{line}\n" for line in lines if line), nl=False)


def _cell(value: object) -> str:
    if value is None:
        return "?"
    if isinstance(value, float):
        return f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def table_lines(
    heads: Sequence[str], rows: Sequence[Sequence[str]], titles: Mapping[int, str] | None = None
) -> Iterator[str]:
    """The lines of a table; columns of numbers are right-aligned, and move closer on a narrow terminal.

    `titles` go above rows, by their numbers from 0.
    """
    rows = [[printable(cell) for cell in row] for row in rows]
    widths = _widths(heads, rows)
    sides = [">" if all(map(_FLUSH_RIGHT.fullmatch, cells)) else "<" for _, *cells in zip(heads, *rows, strict=True)]
    gap = "  " if sum(widths) + 2 * (len(widths) - 1) <= terminal_width() else " "
    for number, row in enumerate((heads, *rows), -1):
        if titles and number in titles:
            yield titles[number]
        cells = (f"{text:{side}{width}}" for text, width, side in zip(row, widths, sides, strict=True))
        yield gap.join(cells).rstrip()


def fits(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a table fits the terminal, if the output is one."""
    return sum(_widths(heads, rows)) + len(heads) - 1 <= terminal_width()


def _widths(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(heads, *rows, strict=True)]


def terminal_width() -> float:
    """The columns of the terminal; any other output is unlimited."""
    if not sys.stdout.isatty():
        return math.inf
    import shutil  # importing it costs more than a probe

    return shutil.get_terminal_size().columns


STANDARD_OUTPUT = "-"

_ENTRY = re.compile(rb'  \{|\["|(?:  "games"|      "GamesAsWhite"): ([0-9]+)')
"""The beginning of a line of JSON that is a game or a move of a strategy, or says how many games there are."""

_STALE_SECONDS = 7 * 86_400
"""The age at which a half-written file belongs to a run that was killed."""


def is_same_file(one: str, other: str) -> bool:
    """Whether two names mean one file, which may not exist yet."""
    try:
        return os.path.samefile(one, other)
    except OSError:
        return os.path.realpath(one) == os.path.realpath(other)


def entries_in(name: str, enough: float = math.inf) -> int:
    """How many games a PGN file has, or how many games or moves a file of JSON tells of; 0 for a page.

    A PGN file is not read beyond so many as are `enough`.
    """
    with open(name, "rb") as file:
        head = file.readline()
        if head.startswith((b"{", b"[\n")):
            return sum(int(match[1] or 1) for match in map(_ENTRY.match, file) if match)
    if head.startswith(b"<"):
        return 0
    from tbgen.apps.games.text import chunks_in  # which costs more than most commands

    games = 0
    with contextlib.suppress(PgnError):
        for chunk in chunks_in(name, may_be_empty=True):
            games += len(chunk)
            if games >= enough:
                break
    return games


def refuse_fewer(target: object, there: int, more: int, one: str = "entry", many: str = "entries") -> None:
    """Refuse to replace a file by one with fewer entries."""
    if more < there:
        raise UsageError(
            f"{target} has {counted(there, one, many)}, and {counted(more, one, many)} would take their place; "
            "write elsewhere, or give --force"
        )


class _NamedFile(io.FileIO):
    """A file whose errors name the file that it will replace."""

    def __init__(self, file: int | str, goal: str) -> None:
        super().__init__(file, "wb")
        self._goal = goal

    def write(self, data: Any) -> int:
        with _naming(self._goal):
            return super().write(data)


@contextlib.contextmanager
def _naming(name: str) -> Iterator[None]:
    """Let errors of the system name a file."""
    try:
        yield
    except OSError as error:
        raise UnreadableFileError(name, error.strerror or str(error)) from None


@contextlib.contextmanager
def rewritten(name: str) -> Iterator[IO[bytes]]:
    """A file to write that replaces an input file at the end, with the same owner and mode.

    Refused if the input file changes in the meantime, or if its owner cannot be kept.
    """
    before = os.stat(name)
    with _replaced(name, force=True) as file:
        yield file
        now = os.stat(name)
        if any(
            getattr(now, field) != getattr(before, field) for field in ("st_dev", "st_ino", "st_size", "st_mtime_ns")
        ):
            raise UnreadableFileError(name, "it has changed since it was read, and stays as it is")


@contextlib.contextmanager
def written_whole(name: str, *, force: bool = False) -> Iterator[IO[bytes]]:
    """A file to write to, which takes its name only when all is written; `-` is the standard output.

    A run that is cut short leaves the file as it was before; so does one that has fewer entries to write, unless
    `force` says otherwise. What exists and is no regular file, such as a device or a named pipe, is written to.
    """
    if name == STANDARD_OUTPUT:
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    else:
        is_device = os.path.exists(name) and not os.path.isfile(name)
        with io.BufferedWriter(_NamedFile(name, name)) if is_device else _replaced(name, force=force) as file:
            yield file


@contextlib.contextmanager
def _replaced(name: str, *, force: bool) -> Iterator[IO[bytes]]:
    """A file that replaces another, or none, at the end of the block that writes it; with its owner and mode."""
    path = Path(os.path.realpath(name))
    _remove_stale(path)
    partial = path.with_name(f".{path.name}.{os.urandom(4).hex()}.partial")
    # The mode for the group comes with the group itself.
    mode = path.stat().st_mode & 0o707 if path.exists() else 0o666
    with _naming(str(path)):
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with io.BufferedWriter(_NamedFile(descriptor, name)) as file:
            yield file
            file.flush()
            if path.exists():
                _keep_owner(file.fileno(), path)
            os.fsync(file.fileno())
        if path.exists() and not force and (there := entries_in(str(path))):
            refuse_fewer(name, there, entries_in(str(partial), there))
        os.replace(partial, path)
    finally:
        with contextlib.suppress(OSError):
            partial.unlink()


def _remove_stale(path: Path) -> None:
    """Remove what runs that were killed have left beside a path."""
    for partial in path.parent.glob(f".{glob.escape(path.name)}.{8 * '[0-9a-z_]'}.partial"):
        with contextlib.suppress(OSError):
            if time.time() - partial.lstat().st_mtime > _STALE_SECONDS:  # noqa: TID251 - the age of a file
                partial.unlink()


def _keep_owner(partial: int, path: Path) -> None:
    """Give a file the owner, group and mode of the one that it replaces."""
    ours, theirs = os.fstat(partial), path.stat()
    if (ours.st_uid, ours.st_gid) != (theirs.st_uid, theirs.st_gid):
        try:
            os.fchown(partial, theirs.st_uid, theirs.st_gid)
        except PermissionError:
            reason = "it belongs to another user or group, who would lose it; write to another file"
            raise UnreadableFileError(str(path), reason) from None
    os.fchmod(partial, stat.S_IMODE(theirs.st_mode))  # after the owner, because changing the owner clears some bits


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
        end = "\n]" if self._before == "," else self._before + "]"
        fields = (f",\n{to_json(name)}: {to_json(value)}" for name, value in rest.items())
        self._file.write(f"{end}{''.join(fields)}}}\n".encode())
