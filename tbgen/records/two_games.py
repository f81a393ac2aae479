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

from tbgen.index.outcomes import ROWS, row_of_byte
from tbgen.material import Material
from tbgen.probe import LineStep, Tablebase
from tbgen.records.census import NOBODY, Count, Numbers, count_table
from tbgen.records.counting import PLACEMENTS, Meanings
from tbgen.rules.points import Scoring
from tbgen.score import Accrued, Color, Mobility, Outcome
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


def count_pairs(reset: TableFile, whole: TableFile, threads: int | None = None) -> PairCounts:
    """Count all positions of a material by their entry values in its tables of either game."""
    files = reset, whole
    outcomes = [sorted({each for side in Color for each in file.tallies[side]}) for file in files]
    first, second = (_numbers(file, known) for file, known in zip(files, outcomes, strict=True))
    pairs = list(itertools.product(outcomes[0], outcomes[1]))
    width, size = np.uint32(len(outcomes[1])), len(pairs)

    def kinds_of_chunk(number: int) -> Numbers:
        kinds: Numbers = first[reset.chunk(number)] * width + second[whole.chunk(number)]
        return kinds

    meanings = Meanings(np.zeros(size, np.int16), np.zeros(size, np.int8), np.zeros(size, np.uint16))
    found = count_table(reset.order, meanings, kinds_of_chunk, threads=threads).kinds
    there = {side: np.flatnonzero(found[side, :, PLACEMENTS]).tolist() for side in Color}
    sides = {side: {pairs[kind]: Count.of(found[side, kind]) for kind in there[side]} for side in Color}
    return PairCounts(reset.material, sides)


def _numbers(file: TableFile, outcomes: Iterable[Outcome]) -> Numbers:
    """[state] -> the number of its entry value; 0 for a value of no position."""
    numbers = np.zeros(ROWS, np.uint32)
    for number, outcome in enumerate(outcomes):
        numbers[row_of_byte(outcome.to_byte())] = number
    of_states: Numbers = numbers[row_of_byte(file.states.entry.astype(np.int64))]
    return of_states


def differing_cells(
    reset: TableFile, whole: TableFile, most: int = DRAWN, seed: int = SEED
) -> tuple[npt.NDArray[np.int64], list[Pair]]:
    """Positions of which the games disagree, in random order, among so many cells that are drawn; and their pairs."""
    layout, draw = reset.order.layout, np.random.default_rng(seed)
    drawn = draw.permutation(layout.cells) if layout.cells <= most else draw.integers(0, layout.cells, most)
    one, other = (file.look_up(drawn)[0] for file in (reset, whole))
    differing = np.flatnonzero(one != other)
    is_position = np.zeros(len(differing), np.bool_)
    find_positions(men_of(layout), numbering_of(layout), new_scratch(), drawn[differing], is_position)
    chosen = differing[is_position]
    pairs = zip(one[chosen].tolist(), other[chosen].tolist(), strict=True)
    return drawn[chosen], [(Outcome.from_byte(a), Outcome.from_byte(b)) for a, b in pairs]


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
        """`capture`, `promotion` or `pawn move`."""
        return "capture" if "x" in self.san else "promotion" if "=" in self.san else "pawn move"

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


def example_of(material: Material, fen: str, reset: Tablebase, whole: Tablebase) -> Example:
    """A position with best play under both games, up to the goal."""
    board = chess.Board(fen)
    found = [tables.probe(board) for tables in (reset, whole)]
    dtg = found[0].dtg or 0, found[1].dtg or 0
    lines = [
        tables.line(board, max_plies=plies) if plies else [] for tables, plies in zip((reset, whole), dtg, strict=True)
    ]
    sans = [tuple(step.san for step in line) for line in lines]
    pair = found[0].outcome, found[1].outcome
    return Example(material, fen, pair, dtg, (sans[0], sans[1]), turn_of(board, found[0].own, lines[0]))


def turn_of(board: chess.Board, own: Accrued, line: Sequence[LineStep]) -> Turn | None:
    """Where a line under r-mobility first has another score than the same moves under whole-game mobility."""
    kept, mover = own, Color.WHITE if board.turn == chess.WHITE else Color.BLACK
    for ply, step in enumerate(line, 1):
        kept = kept.after(step.own, reset=False)
        if kept != step.accrued:
            return Turn(ply, step.san, mover, kept, step.accrued)
        mover = mover.other
    return None
