"""What commands print: tables for people, JSON and CSV for programs."""

from __future__ import annotations

import csv
import enum
import io
import json
import math
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import click

from tbgen.facts import flattened
from tbgen.rules.facts import parts_of, to_json
from tbgen.text import printable

Facts = Mapping[str, Any]
ShownRow = Mapping[str, object]
"""Head of a column -> the cell of a row."""

_NUMBER = r"(?:[<>~] ?)?[-+±]?G?[0-9½][0-9,.:½-]*(?: (?:%|[kMG]?B|[MG]iB))?%?"
_FLUSH_RIGHT = re.compile(rf"{_NUMBER}(?: {_NUMBER})*|[-?x]?")
"""A cell of a right-aligned column: a number, a score, a size or a time, or nothing."""
_FORMULA = re.compile(r"[=+@\t\r]|-(?!G?[0-9])")
"""The characters that begin a formula in a spreadsheet; names of players may begin with them."""
_GAP = "  "
_NARROW_GAP = " "


class Form(enum.Enum):
    """The output of a command: for people, or for programs."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


def print_facts(form: Form, facts: Any, rows: Iterable[Facts] | None = None) -> None:
    """Print facts as `text_of` writes them."""
    click.echo(text_of(form, facts, rows), nl=False)


def text_of(form: Form, facts: Any, rows: Iterable[Facts] | None = None) -> str:
    """Facts as JSON, or their rows as CSV.

    The rows are the list of objects within the facts, unless they are given; facts without such a
    list are one row.
    """
    if form is Form.JSON:
        return f"{to_json(facts, indent=2)}\n"
    if rows is None:
        rows = _rows_in(facts)
    flat_rows = [dict(_cells_of(row)) for row in rows]
    columns: dict[str, None] = {}
    # The fullest row first, so that the parts of a score are beside it.
    for row in sorted(flat_rows, key=len, reverse=True):
        columns.update(dict.fromkeys(row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat_rows)
    return text.getvalue()


def _rows_in(facts: Any) -> Sequence[Facts]:
    """The first list of objects within facts."""
    if isinstance(facts, list):
        return facts
    for value in facts.values():
        if isinstance(value, list) and value and all(isinstance(row, Mapping) for row in value):
            return value
    return [facts]


def _cells_of(facts: Facts, before: str = "") -> Iterator[tuple[str, object]]:
    """The fields of an object, with the parts of each score after it.

    Texts of a list have semicolons between them. Other lists and truth values are written as JSON.
    """
    for name, value in flattened(facts, before):
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            yield name, _without_formula("; ".join(value))
        elif isinstance(value, (list, bool)):
            yield name, json.dumps(value)
        elif isinstance(value, str):
            yield name, _without_formula(value)
            yield from _cells_of(parts_of(value), f"{name}.")
        else:
            yield name, value


def _without_formula(text: str) -> str:
    if _FORMULA.match(text):
        return f"'{text}"
    return text


def show_pairs(facts: Mapping[str, object], form: str = "{:10}{}") -> None:
    """Print a line for each fact with its name; None is left out."""
    for name, value in facts.items():
        if value is not None:
            click.echo(form.format(name, value))


def show_table(
    rows: Iterable[ShownRow],
    *,
    titles: Mapping[int, str] | None = None,
    note: str = "",
    none: str = "",
) -> None:
    """Print a table, and a note below it.

    Arguments:
        rows: The cells of each row, by the heads of their columns. All rows have the same heads.
        titles: Lines above rows, by their numbers from 0.
        note: A line below the table.
        none: A line that replaces a table without rows.
    """
    heads: list[str] = []
    cells = []
    for row in rows:
        heads = list(row)
        cells.append([_text_of_cell(value) for value in row.values()])
    if cells:
        for line in table_lines(heads, cells, titles):
            click.echo(line)
    last = note if cells else none
    if last:
        click.echo(last)


def _text_of_cell(value: object) -> str:
    if value is None:
        return "?"
    if isinstance(value, float):
        return f"{value:,.1f}"
    if isinstance(value, int):
        return f"{value:,}"
    return str(value)


def table_lines(
    heads: Sequence[str], rows: Sequence[Sequence[str]], titles: Mapping[int, str] | None = None
) -> Iterator[str]:
    """The lines of a table.

    Columns of numbers are right-aligned. Columns move closer on a narrow terminal. `titles` go
    above rows, by their numbers from 0.
    """
    rows = [[printable(cell) for cell in row] for row in rows]
    widths = []
    sides = []
    for head, *cells in zip(heads, *rows, strict=True):
        widths.append(max(map(len, [head, *cells])))
        are_numbers = all(_FLUSH_RIGHT.fullmatch(cell) for cell in cells)
        sides.append(">" if are_numbers else "<")
    full_width = sum(widths) + len(_GAP) * (len(widths) - 1)
    gap = _GAP if full_width <= terminal_width() else _NARROW_GAP
    for number, row in enumerate([heads, *rows], -1):
        if titles and number in titles:
            yield titles[number]
        cells = [
            f"{text:{side}{width}}" for text, width, side in zip(row, widths, sides, strict=True)
        ]
        yield gap.join(cells).rstrip()


def terminal_width() -> float:
    """The columns of the terminal; any other output is unlimited."""
    if not sys.stdout.isatty():
        return math.inf
    import shutil  # importing it costs more than a probe

    return shutil.get_terminal_size().columns
