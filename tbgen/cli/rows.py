"""Facts as people and programs read them: rows of a table, JSON, and CSV."""

from __future__ import annotations

import csv
import enum
import io
import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import click

from tbgen.rules.facts import parts_of, to_json
from tbgen.text import flattened, printable

Facts = Mapping[str, Any]
Column = str | Callable[[Facts], object]
"""The field that the cells of a column come from, or a function of a row."""

_NUMBER = r"(?:[<>~] ?)?[-+±]?G?[0-9½][0-9,.:½-]*(?: (?:%|[kMG]?B|[MG]iB))?%?"
_FLUSH_RIGHT = re.compile(rf"{_NUMBER}(?: {_NUMBER})*|[-?x]?")
"""A cell of a column that is flush right: numbers, scores, a size or a time, or none."""
_FORMULA = re.compile(r"[=+@\t\r]|-(?!G?[0-9])")
"""The characters with which a spreadsheet begins a formula; names of players may begin so."""


class Form(enum.Enum):
    """The output of a command: for people, or for programs."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"

    @property
    def is_table(self) -> bool:
        """Whether it is for people."""
        return self is Form.TABLE


def print_facts(form: Form, facts: Any, rows: Iterable[Facts] | None = None) -> None:
    """Print facts as `text_of` writes them."""
    click.echo(text_of(form, facts, rows), nl=False)


def text_of(form: Form, facts: Any, rows: Iterable[Facts] | None = None) -> str:
    """Facts as JSON, or their rows as CSV.

    The rows are the list of objects within the facts, unless they are given; facts without one are a row themselves.
    """
    if form is Form.JSON:
        return f"{to_json(facts, indent=2)}\n"
    flat = [dict(_cells_of(row)) for row in (_rows_in(facts) if rows is None else rows)]
    text = io.StringIO()
    fullest_first = sorted(flat, key=len, reverse=True)  # so that the parts of a score stand beside it
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
    """The fields of an object, with the parts of each score behind it; lists and truth values are JSON."""
    for name, value in flattened(facts, before):
        text = json.dumps(value) if isinstance(value, (list, bool)) else value
        yield name, f"'{text}" if isinstance(text, str) and _FORMULA.match(text) else text
        yield from _cells_of(parts_of(value) if isinstance(value, str) else {}, f"{name}.")


def show_facts(
    rows: Iterable[Facts],
    columns: Mapping[str, Column],
    *,
    whole: bool = False,
    titles: Mapping[int, str] | None = None,
) -> None:
    """A table of facts, with the heads of its columns."""
    cells = [[_cell(row[each] if isinstance(each, str) else each(row)) for each in columns.values()] for row in rows]
    show_rows(list(columns), cells, whole=whole, titles=titles)


def _cell(value: object) -> str:
    if value is None:
        return "?"
    if isinstance(value, float):
        return f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def show_rows(
    heads: Sequence[str], rows: Sequence[Sequence[str]], *, whole: bool = False, titles: Mapping[int, str] | None = None
) -> None:
    """Print rows under their heads, as `table_lines` sets them."""
    first, *rest = table_lines(heads, rows, whole=whole, titles=titles)
    for line in (click.style(first, bold=True) if shows_colors() else first, *rest):
        click.echo(line)


def table_lines(
    heads: Sequence[str], rows: Sequence[Sequence[str]], *, whole: bool = False, titles: Mapping[int, str] | None = None
) -> Iterator[str]:
    """The lines of a table; columns of numbers are flush right. `titles` go above rows, by their numbers from 0.

    Where a terminal is too narrow, columns move closer. If that is not enough, or if `whole` says that the
    last column is a text such as a FEN, the last one gets lines of its own: nothing is ever broken or cut.
    """
    rows = [[printable(cell) for cell in row] for row in rows]
    widths, room = _widths(heads, rows), terminal_width()
    sides = [">" if all(map(_FLUSH_RIGHT.fullmatch, cells)) else "<" for cells in zip(*rows, strict=True)]
    sides = sides or ["<" for _ in heads]
    is_wide = sum(widths) + 2 * (len(widths) - 1) > room
    below = is_wide and (whole or sum(widths) + len(widths) - 1 > room)
    gap = " " if is_wide and not whole else "  "
    for number, row in enumerate((heads, *rows), -1):
        cells = [f"{text:{side}{width}}" for text, width, side in zip(row, widths, sides, strict=True)]
        if titles and number in titles:
            yield titles[number]
        last = cells.pop().strip() if below else ""
        yield gap.join(cells).rstrip()
        if last:
            yield f"    {last}"


def fits(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a table has room on the terminal, if it is printed to one."""
    return sum(_widths(heads, rows)) + len(heads) - 1 <= terminal_width()


def _widths(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(heads, *rows, strict=True)]


def terminal_width() -> float:
    """The columns of the terminal that is printed to; anything else has room for all."""
    if not sys.stdout.isatty():
        return math.inf
    import shutil  # which costs more than a look at the tables

    return shutil.get_terminal_size().columns


def shows_colors() -> bool:
    """Whether a terminal shows colours and nobody has asked for none (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
