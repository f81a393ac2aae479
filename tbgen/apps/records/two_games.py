"""Two games: how much r-mobility and whole-game mobility differ, counted in the tables of both, cell by cell.

Entry values are compared: what a position is worth when nothing before it counts. The counts are of all positions;
examples are drawn from cells by a seed, so that a rare kind of difference in a large table may have none.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, Final

import chess
import numpy as np
import numpy.typing as npt

from tbgen.apps.records.census import NOBODY, Count, Numbers, count_table
from tbgen.apps.records.counting import PLACEMENTS, Meanings
from tbgen.index.outcomes import ROWS, row_of_byte
from tbgen.material import Material
from tbgen.probe import LineStep, Tablebase
from tbgen.rules.points import Scoring
from tbgen.score import Accrued, Color, Mobility, Outcome
from tbgen.storage.order import Order
from tbgen.storage.reader import TableFile
from tbgen.verify.listing import find_positions
from tbgen.verify.men import men_of, numbering_of
from tbgen.verify.moves import new_scratch

Pair = tuple[Outcome, Outcome]
"""What r-mobility and whole-game mobility say of a position."""

DRAWN: Final = 1 << 17
SEED: Final = 27


@dataclass(frozen=True)
class PairCounts:
    """How often which pair of entry values occurs, by side to move."""

    material: Material
    sides: Mapping[Color, Mapping[Pair, Count]]

    def count(self, holds: Callable[[Pair], bool] = lambda pair: True) -> Count:
        """The positions whose pair has a property."""
        return sum((count for pair, count in self._all() if holds(pair)), NOBODY)

    def points(self, weight: Callable[[Fraction], Fraction], among: Count) -> float:
        """The sum of what is made of White's gain in each position, divided by a number of positions."""
        total = sum(weight(gain_in_points(pair)) * count.placements for pair, count in self._all())
        return round(float(total / max(among.placements, 1)), 6)

    def _all(self) -> Iterator[tuple[Pair, Count]]:
        for of_side in self.sides.values():
            yield from of_side.items()

    def facts(self) -> dict[str, Any]:
        """As JSON has it; but for `classes`, all are placements."""
        positions, differing = self.count(), self.count(lambda pair: pair[0] != pair[1])
        return {
            "material": str(self.material),
            "positions": positions.placements,
            "classes": positions.classes,
            "differing": differing.placements,
            "better_for_white": self.count(lambda pair: favoured(pair) is Color.WHITE).placements,
            "better_for_black": self.count(lambda pair: favoured(pair) is Color.BLACK).placements,
            "other_holder": self.count(lambda pair: pair[0].holder is not pair[1].holder).placements,
            "points_to_white": self.points(lambda gain: gain, positions),
            "points_where_differing": self.points(abs, differing),
            "outcomes": {str(game): self._outcomes(number) for number, game in enumerate(Mobility)},
            "sides": {str(side).lower(): _rows(self.sides[side]) for side in Color},
        }

    def _outcomes(self, number: int) -> dict[str, int]:
        """How often each outcome occurs under one of the games, best for White first."""
        found: Counter[Outcome] = Counter()
        for pair, count in self._all():
            found[pair[number]] += count.placements
        return {str(outcome): found[outcome] for outcome in sorted(found, reverse=True)}


def _rows(counts: Mapping[Pair, Count]) -> list[list[Any]]:
    """The pairs that differ, the most frequent first: both outcomes, placements, classes."""
    rows = [[str(one), str(other), each.placements, each.classes] for (one, other), each in counts.items()]
    return sorted((row for row in rows if row[0] != row[1]), key=lambda row: (-row[2], row[0], row[1]))


def favoured(pair: Pair) -> Color | None:
    """The side for which r-mobility is better."""
    one, other = pair
    return None if one == other else Color.WHITE if one > other else Color.BLACK


@cache
def gain_in_points(pair: Pair) -> Fraction:
    """White's points under r-mobility less those under whole-game mobility, by the exponential formula."""
    one, other = (Scoring().points(outcome)[0] for outcome in pair)
    return one - other


@dataclass(frozen=True, eq=False)
class PairTable:
    """What the tables of either game say of each position of a material, by their files of outcomes alone.

    A kind of position (records/census.py) is a pair of entry values.
    """

    reset: TableFile
    whole: TableFile
    pairs: Sequence[Pair]
    """[kind]"""
    first: Numbers
    """[symbol of r-mobility's file] -> the first kind with that entry value."""
    second: Numbers
    """[symbol of whole-game mobility's file] -> how much further the kind is."""

    @classmethod
    def of(cls, reset: TableFile, whole: TableFile) -> PairTable:
        one, other = (sorted({each for side in Color for each in file.counts[side]}) for file in (reset, whole))
        first = _numbers(reset, one) * np.uint32(len(other))
        return cls(reset, whole, list(itertools.product(one, other)), first, _numbers(whole, other))

    @property
    def order(self) -> Order:
        return self.reset.order

    def of_chunk(self, number: int) -> Numbers:
        """The kinds of the places of a chunk."""
        first = number * self.order.chunk_cells
        end = min(first + self.order.chunk_cells, self.order.layout.cells)
        kinds: Numbers = self.first.take(self.reset.symbols(first, end))
        kinds += self.second.take(self.whole.symbols(first, end))
        return kinds


def _numbers(file: TableFile, outcomes: Iterable[Outcome]) -> Numbers:
    """[symbol] -> the number of its entry value; 0 for a value of no position."""
    numbers = np.zeros(ROWS, np.uint32)
    for number, outcome in enumerate(outcomes):
        numbers[row_of_byte(outcome.to_byte())] = number
    of_symbols: Numbers = numbers[row_of_byte(file.column("symbols")["entry"].astype(np.int64))]
    return of_symbols


class Sample:
    """Cells drawn by a seed, and their kinds, which are picked from the chunks that the count reads anyway."""

    def __init__(self, order: Order, most: int = DRAWN, seed: int = SEED) -> None:
        cells, draw = order.layout.cells, np.random.default_rng(seed)
        self.layout = order.layout
        self.cells = draw.permutation(cells) if cells <= most else draw.integers(0, cells, most)
        """In random order."""
        self.kinds = np.zeros(len(self.cells), np.uint32)
        places = order.places_of(self.cells)
        self._sorted = np.argsort(places)
        self._chunks, self._offsets = np.divmod(places[self._sorted], order.chunk_cells)

    def pick(self, number: int, kinds: Numbers) -> None:
        """Note what a chunk says of the cells that were drawn from it; chunks may be picked from by several threads."""
        start, stop = np.searchsorted(self._chunks, (number, number + 1))
        self.kinds[self._sorted[start:stop]] = kinds[self._offsets[start:stop]]

    def differing(self, pairs: Sequence[Pair]) -> tuple[npt.NDArray[np.int64], list[Pair]]:
        """The positions among the cells of which the games disagree, in random order; and their pairs."""
        kinds = np.flatnonzero([one != other for one, other in pairs])
        chosen = np.flatnonzero(np.isin(self.kinds, kinds))
        is_position = np.zeros(len(chosen), np.bool_)
        men, numbering = men_of(self.layout), numbering_of(self.layout)
        find_positions(men, numbering, new_scratch(), self.cells[chosen], is_position)
        chosen = chosen[is_position]
        return self.cells[chosen], [pairs[kind] for kind in self.kinds[chosen].tolist()]


def count_pairs(table: PairTable, sample: Sample, threads: int | None = None) -> PairCounts:
    """Count all positions of a material by their entry values in its tables of either game, and pick a sample."""
    pairs = table.pairs
    size = len(pairs)

    def kinds_of_chunk(number: int) -> Numbers:
        kinds = table.of_chunk(number)
        sample.pick(number, kinds)
        return kinds

    meanings = Meanings(np.zeros(size, np.int16), np.zeros(size, np.int8), np.zeros(size, np.uint16))
    found = count_table(table.order, meanings, kinds_of_chunk, threads=threads).kinds
    there = {side: np.flatnonzero(found[side, :, PLACEMENTS]).tolist() for side in Color}
    sides = {side: {pairs[kind]: Count.of(found[side, kind]) for kind in there[side]} for side in Color}
    return PairCounts(table.reset.material, sides)


@dataclass(frozen=True)
class Turn:
    """The first reset of a line after which the two games no longer have the same score."""

    ply: int
    san: str
    mover: Color
    kept: Accrued
    """What has accrued under whole-game mobility, and"""
    fresh: Accrued
    """under r-mobility."""

    @property
    def kind(self) -> str:
        """Such as `capture frees`, `promotion gives up`, `pawn move frees`."""
        reset = "capture" if "x" in self.san else "promotion" if "=" in self.san else "pawn move"
        return f"{reset} {'frees' if self.frees else 'gives up'}"

    @property
    def frees(self) -> bool:
        """Whether the mover has rid itself of the other side's score, and not thrown away one of its own."""
        return self.kept.holder is not self.mover


@dataclass(frozen=True)
class Example:
    """A position of which the games disagree, and best play in both."""

    material: Material
    fen: str
    pair: Pair
    dtg: tuple[int, int]
    lines: tuple[tuple[str, ...], tuple[str, ...]]
    turn: Turn | None
    """In the line of r-mobility."""

    def facts(self) -> dict[str, Any]:
        return {
            "material": str(self.material),
            "fen": self.fen,
            "r_mobility": {"outcome": str(self.pair[0]), "dtg": self.dtg[0], "line": " ".join(self.lines[0])},
            "whole_game": {"outcome": str(self.pair[1]), "dtg": self.dtg[1], "line": " ".join(self.lines[1])},
            "points_to_white": round(float(gain_in_points(self.pair)), 6),
            "reset": None if self.turn is None else f"{self.turn.kind}, ply {self.turn.ply}: {self.turn.san}",
        }


def example_of(material: Material, fen: str, reset: Tablebase, whole: Tablebase, most_plies: int) -> Example | None:
    """A position with best play under both games, up to the goal; None if that takes more plies in either."""
    board = chess.Board(fen)
    found = [tables.probe(board) for tables in (reset, whole)]
    dtg = found[0].dtg or 0, found[1].dtg or 0
    if max(dtg) > most_plies:
        return None
    lines = [_line(tables, board, plies) for tables, plies in zip((reset, whole), dtg, strict=True)]
    sans = [tuple(step.san for step in line) for line in lines]
    pair = found[0].outcome, found[1].outcome
    return Example(material, fen, pair, dtg, (sans[0], sans[1]), turn_of(board, found[0].own, lines[0]))


def first_turn(fen: str, reset: Tablebase) -> Turn | None:
    """Where best play under r-mobility has another score than the same moves under whole-game mobility."""
    board = chess.Board(fen)
    found = reset.probe(board)
    return turn_of(board, found.own, _line(reset, board, found.dtg or 0))


def _line(tables: Tablebase, board: chess.Board, plies: int) -> list[LineStep]:
    return tables.line(board, max_plies=plies) if plies else []


def turn_of(board: chess.Board, own: Accrued, line: Sequence[LineStep]) -> Turn | None:
    """Where a line under r-mobility first has another score than the same moves under whole-game mobility."""
    kept, mover = own, Color.WHITE if board.turn == chess.WHITE else Color.BLACK
    for ply, step in enumerate(line, 1):
        kept = kept.after(step.own, reset=False)
        if kept != step.accrued:
            return Turn(ply, step.san, mover, kept, step.accrued)
        mover = mover.other
    return None
