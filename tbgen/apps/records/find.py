"""Positions of a table that satisfy a condition, as frames of polars, and as lines of EPD.

A condition is the part of a query in SQL after WHERE, such as `drawn AND only AND moves > 20`.
polars evaluates it part by part, so that only one part of a table is a frame at a time. Scores and
squares are enumerations: equal to their names, and scores in their order, the best for White last.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import numpy as np
import polars as pl

from tbgen.apps.records.positions import TablePositions
from tbgen.compiled.arrays import Bools, Ints
from tbgen.errors import ScoreFormatError, UsageError
from tbgen.index.layout import fen_of_cell
from tbgen.index.outcomes import ranks_of
from tbgen.material import Material, table_named
from tbgen.score import MOST_STORED_CODE, Color, Score
from tbgen.storage.files import Folders

_FILES: Final = "abcdefgh"
_SQUARES: Final = pl.Enum([f"{file}{rank}" for rank in range(1, 9) for file in _FILES])
_SCORES: Final = sorted(
    Score(code, holder) for code in range(MOST_STORED_CODE + 1) for holder in Color
)
_SCORE: Final = pl.Enum([str(score) for score in _SCORES])
_WORTHS: Final = ranks_of(np.array([score.signed for score in _SCORES]))
_OF_SCORES: Final = frozenset({"own", "outcome", "other"})
_TEXT: Final = re.compile("'([^']*)'")
_BARE: Final = re.compile(r"-?\bG\d+(?:\.\d)?\b|\b[a-h][1-8]\b")
"""A score or a square, which no column is called."""
_NUMBER: Final = re.compile(r"\d+(\.\d+)?")
_WORD: Final = re.compile("[a-z_][a-z_0-9]*")
_LOGIC: Final = frozenset({"and", "or", "not", "in", "between", "true", "false"})
"""A condition of these words and columns is NULL if it depends on a column that is NULL."""
_OPERATOR: Final = re.compile(r"(=|<>|!=|<|<=|>|>=|[-+*/%])[-+]?")
"""So is one of these operators; a sign may follow it."""
_SYMBOLS: Final = re.compile(r"[^\w\s(),]+")
_COSTLY: Final = {"keep_result": pl.Int32, "keep": pl.Int32, "only": pl.Boolean}
"""The columns that need all moves of a position."""
_SHOWN: Final = ("outcome", "plies", "moves", "keep_result", "keep")
_ZUGZWANG: Final = ("other", "zugzwang", "mate_zugzwang")
_LINES_AT_ONCE: Final = 1 << 12


class PositionCondition:
    """A condition on the columns of a table."""

    def __init__(self, positions: TablePositions, text: str) -> None:
        """Read a condition; UsageError if it is none, or names what the table does not have."""
        plain = _TEXT.sub("", text)
        bare = _BARE.search(plain)
        if bare is not None:
            raise UsageError(f"{bare[0]} in {text!r} needs single quotes: '{bare[0]}'")
        meant = _TEXT.sub(lambda quoted: f"'{_meant(quoted[1], text)}'", text)
        try:
            self._condition = pl.sql_expr(meant)
            self.names = sorted(set(self._condition.meta.root_names()))
        except (pl.exceptions.PolarsError, TypeError) as error:
            raise UsageError(f"{text!r} is not a condition: {_first_line(error)}") from None
        for name in self.names:
            if name not in positions.columns:
                columns = ", ".join(positions.columns)
                raise UsageError(f"{positions.material} has no column {name}; it has {columns}")
        self._costly = [name for name in _COSTLY if name in self.names]
        words = set(_WORD.findall(plain.lower()))
        operators = _SYMBOLS.findall(_NUMBER.sub("", plain))
        has_safe_words = words.issubset(_LOGIC.union(self.names))
        if not has_safe_words or not all(map(_OPERATOR.fullmatch, operators)):
            self._costly = []  # others may be true or false of NULL, as IS and <=> are
        self._text = text
        self._positions = positions
        self._chosen(np.zeros(0, np.int64))

    def cells(self) -> Iterator[Ints]:
        """The cells of the positions that satisfy it, part by part."""
        yield from self._positions.for_each_part(self._chosen)

    def _chosen(self, cells: Ints) -> Ints:
        """The cells among some whose positions satisfy it.

        Costly columns are found only where the others leave it open whether they do.
        """
        if self._costly:
            cheap = [name for name in self.names if name not in self._costly]
            unknown = {name: pl.lit(None, _COSTLY[name]) for name in self._costly}
            cells = self._cells_where(cells, cheap, unknown, if_open=True)
        return self._cells_where(cells, self.names, {}, if_open=False)

    def _cells_where(
        self, cells: Ints, names: Sequence[str], unknown: Mapping[str, pl.Expr], *, if_open: bool
    ) -> Ints:
        """The cells in which the condition is true by the columns in `names`.

        With `if_open`, also those in which it depends on the `unknown` columns.
        """
        # A condition without columns, such as true, has the length of another column.
        frame = frame_of(self._positions, cells, names or ["white"]).with_columns(**unknown)
        try:
            truth = frame.with_columns(truth=self._condition)["truth"]
        except pl.exceptions.PolarsError as error:
            raise UsageError(f"{self._text!r} is not a condition: {_first_line(error)}") from None
        if truth.dtype != pl.Boolean:
            raise UsageError(
                f"{self._text!r} is not a condition: it is a number, not true or false"
            )
        are_chosen: Bools = truth.fill_null(value=if_open).to_numpy()
        return cells[are_chosen]


def _meant(text: str, condition: str) -> str:
    """The square or the score that a text of a condition means, as the columns have it.

    'g3' is a square, 'G3' the score G3.0.
    """
    if text in _SQUARES.categories:
        return text
    with suppress(ScoreFormatError):
        score = str(Score(text))
        if score in _SCORE.categories:
            return score
    if text.lower() in _SQUARES.categories:
        return text.lower()
    raise UsageError(f"'{text}' in {condition!r} is neither a score such as 'G0.5' nor a square")


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


def frame_of(
    positions: TablePositions, cells: Ints, names: Collection[str] | None = None
) -> pl.DataFrame:
    """The columns of the positions in some cells, all or those with some names."""
    names = positions.columns if names is None else names
    columns = positions.select(cells, names)
    series = [_series(positions, name, values) for name, values in columns.items()]
    return pl.DataFrame(series)


def _series(positions: TablePositions, name: str, values: Any) -> pl.Series:
    if name in _OF_SCORES:
        numbers = pl.Series(name, _numbers_of(values)).cat.to(_SCORE)
        if name == "other":
            return numbers.set(pl.Series(values == 0), None)
        return numbers
    if name in positions.men:
        return pl.Series(name, values.astype(np.uint8)).cat.to(_SQUARES)
    if values.dtype == np.bool_:
        return pl.Series(name, values)
    return pl.Series(name, values.astype(np.int32))


def _numbers_of(signed: Ints) -> Any:
    """The number of each signed outcome among all scores; 0 for none."""
    return np.searchsorted(_WORTHS, ranks_of(signed)).astype(np.uint16)


def frames(folders: Folders, material: Material, where: str = "true") -> Iterator[pl.DataFrame]:
    """All positions of a table, or those that satisfy a condition, as frames, part by part.

    Arguments:
        folders: The folders of the table and of those that its moves lead to.
        material: The material of the table; with the colours exchanged, a MaterialError.
        where: A condition on the columns, as in SQL after WHERE.

    >>> zugzwangs = frames("data", Material.parse("KRvKB"), "zugzwang AND white")
    >>> sum(len(frame) for frame in zugzwangs)  # doctest: +SKIP
    """
    with TablePositions(folders, table_named(material)) as positions:
        for cells in PositionCondition(positions, where).cells():
            if len(cells):
                yield frame_of(positions, cells)


def first_of(parts: Iterator[Ints], limit: int | None) -> Ints:
    """The cells of all parts, or the first of them."""
    found = list[Ints]()
    left = limit
    for cells in parts:
        found.append(cells[:left])
        if left is not None:
            left -= len(found[-1])
            if left == 0:
                break
    return np.concatenate([np.zeros(0, np.int64), *found])


def drawn_of(parts: Iterator[Ints], count: int, seed: int) -> Ints:
    """Some of the cells of all parts, drawn at random, each as likely as any other."""
    random = np.random.default_rng(seed)
    cells = np.zeros(0, np.int64)
    lots = np.zeros(0)
    for part in parts:
        cells = np.concatenate([cells, part])
        lots = np.concatenate([lots, random.random(len(part))])
        kept = np.sort(np.argsort(lots, kind="stable")[:count])
        cells = cells[kept]
        lots = lots[kept]
    return cells


def epd_lines(positions: TablePositions, cells: Ints) -> Iterator[str]:
    """The positions in some cells as lines of EPD, with their values as operations."""
    for start in range(0, len(cells), _LINES_AT_ONCE):
        for facts in facts_of(positions, cells[start : start + _LINES_AT_ONCE]):
            placement = " ".join(facts.pop("fen").split()[:4])
            del facts["accrued"]  # no line needs it, as it is always the own score
            operations = [_operation(name, value) for name, value in facts.items()]
            yield f"{placement} {' '.join(operations)}"


def _operation(name: str, value: Any) -> str:
    return f'{name} "{value}";' if isinstance(value, str) else f"{name} {value};"


def facts_of(positions: TablePositions, cells: Ints) -> Iterator[dict[str, Any]]:
    """The FEN and the values of the positions in some cells.

    `zugzwang` is there only for a mutual zugzwang: `mate` if ordinary chess has it too.
    """
    names = [name for name in ("own", *_SHOWN, *_ZUGZWANG) if name in positions.columns]
    rows = frame_of(positions, cells, names).to_dicts()
    for cell, row in zip(cells.tolist(), rows, strict=True):
        is_zugzwang = row.pop("zugzwang")
        is_mate = row.pop("mate_zugzwang")
        other = row.pop("other")
        fen = fen_of_cell(positions.layout, cell)
        facts = {"fen": fen, "accrued": row.pop("own"), **row}
        if is_zugzwang:
            facts["zugzwang"] = "mate" if is_mate else "mobility"
            facts["other"] = other
        yield facts
