"""The output of commands: tables, JSON and CSV; and files, whole or not at all."""

from __future__ import annotations

import contextlib
import csv
import enum
import io
import json
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import IO, Any

import click

from tbgen.apps.games.text import chunks_in
from tbgen.errors import InputFileError, UsageError
from tbgen.facts import flattened
from tbgen.rules.facts import parts_of, to_json
from tbgen.system import outputs
from tbgen.text import counted, printable

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


def present(
    form: Form, facts: Any, in_words: Callable[[], object], rows: Iterable[Facts] | None = None
) -> None:
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
    fullest_first = sorted(
        flat, key=len, reverse=True
    )  # so that the parts of a score are beside it
    writer = csv.DictWriter(
        text, dict.fromkeys(key for row in fullest_first for key in row), lineterminator="\n"
    )
    writer.writeheader()
    writer.writerows(flat)
    return text.getvalue()


def _rows_in(facts: Any) -> Sequence[Facts]:
    """The first list of objects within facts."""
    if isinstance(facts, list):
        return facts
    lists = [each for each in facts.values() if isinstance(each, list)]
    return next(
        (rows for rows in lists if rows and all(isinstance(row, Mapping) for row in rows)), [facts]
    )


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
    rows: Iterable[Any],
    columns: Heads,
    *,
    titles: Mapping[int, str] | None = None,
    note: str = "",
    none: str = "",
) -> None:
    """Print a table of facts under the heads of its columns, and a note; `none` replaces a table without rows."""
    cells = [
        [_cell(row[each] if isinstance(each, str) else each(row)) for each in columns.values()]
        for row in rows
    ]
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
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    sides = [
        ">" if all(map(_FLUSH_RIGHT.fullmatch, cells)) else "<"
        for _, *cells in zip(heads, *rows, strict=True)
    ]
    gap = "  " if sum(widths) + 2 * (len(widths) - 1) <= terminal_width() else " "
    for number, row in enumerate((heads, *rows), -1):
        if titles and number in titles:
            yield titles[number]
        cells = (
            f"{text:{side}{width}}" for text, width, side in zip(row, widths, sides, strict=True)
        )
        yield gap.join(cells).rstrip()


def terminal_width() -> float:
    """The columns of the terminal; any other output is unlimited."""
    if not sys.stdout.isatty():
        return math.inf
    import shutil  # importing it costs more than a probe

    return shutil.get_terminal_size().columns


_ENTRY = re.compile(rb'  \{|\["|(?:  "games"|      "GamesAsWhite"): ([0-9]+)')
"""The beginning of a line of JSON that is a game or a move of a strategy, or says how many games there are."""


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
    games = 0
    with contextlib.suppress(InputFileError):
        for chunk in chunks_in(name, may_be_empty=True):
            games += len(chunk.games)
            if games >= enough:
                break
    return games


def refuse_fewer(
    target: object, there: int, more: int, one: str = "entry", many: str = "entries"
) -> None:
    """Refuse to replace a file by one with fewer entries."""
    if more < there:
        raise UsageError(
            f"{target} has {counted(there, one, many)}, and {counted(more, one, many)} would take their place; "
            "write elsewhere, or give --force"
        )


def refuse_fewer_entries(name: str, other: str) -> None:
    """Refuse to replace a file by another one with fewer entries."""
    if there := entries_in(name):
        refuse_fewer(name, there, entries_in(other, there))


def written_whole(name: str, *, force: bool) -> contextlib.AbstractContextManager[IO[bytes]]:
    """A file to write to, which takes its name when all is written, and if `force` or if it has no fewer entries."""
    return outputs.written_whole(name, None if force else refuse_fewer_entries)


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
