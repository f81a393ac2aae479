"""Two games: how much r-mobility and whole-game mobility differ, counted in the tables of both, cell by cell.

Entry values are compared: what a position is worth when nothing before it counts. The counts are of all positions;
examples are drawn by a seed, so that a rare kind of difference in a large table may have none.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Final

import chess
import numpy as np

from tbgen.apps.records.census import count_table
from tbgen.apps.records.counting import PLACEMENTS, Meanings
from tbgen.apps.records.record import Count, Value
from tbgen.compiled.arrays import Ints, Ints32
from tbgen.errors import InputError, UsageError
from tbgen.index.layout import fen_of_cell
from tbgen.index.outcomes import ROWS, byte_of_row, row_of_byte
from tbgen.material import Material
from tbgen.probe import LineStep, Tablebase, open_tablebase
from tbgen.rules.points import Scoring
from tbgen.rules.position import own_score
from tbgen.score import Color, Mobility, Score
from tbgen.storage.files import folder_of_game, path_in, read_bounded
from tbgen.storage.reader import TableFile
from tbgen.text import parse_json
from tbgen.verify.resets import drawn_cells

Both = Mapping[Mobility, Tablebase]

FILE: Final = "two-games.json"
"""The comparison among the records of a folder."""
DRAWN: Final = 1 << 14
SEED: Final = 27
SAMPLED: Final = 40
"""Positions of each table whose lines are played to see which resets matter."""
SHOWN: Final = 20
_MOST_PLIES: Final = 24
"""Longer lines are not instructive."""
_DIGITS: Final = 6


@dataclass(frozen=True)
class Shares:
    """Parts of all placements on 64 squares, either side to move."""

    differing: float
    better_for_white: float
    """Where r-mobility is better for White, who has the stronger men."""
    better_for_black: float
    other_holder: float


@dataclass(frozen=True)
class Pair(Count):
    """How many positions have these two values."""

    r_mobility: Score
    whole_game: Score


@dataclass(frozen=True)
class Compared:
    """A table of either game."""

    material: Material
    positions: int
    """Placements."""
    shares: Shares
    points_to_white: float
    """White's average gain under r-mobility, by the exponential formula, over all positions."""
    points_where_differing: float
    """How far apart the games are where they differ."""
    resets: Mapping[str, int]
    """The first reset that matters, in best play from a sample of positions."""
    pairs: Mapping[Color, tuple[Pair, ...]] | None = None
    """By side to move, the most frequent first."""


@dataclass(frozen=True)
class BestPlay(Value):
    """The value of a position under a game, and its moves to the goal."""

    line: str


@dataclass(frozen=True)
class Example:
    """A position of which the games disagree."""

    material: Material
    fen: str
    r_mobility: BestPlay
    whole_game: BestPlay
    reset: str | None
    """The first that matters in best play under r-mobility, see `first_reset`."""

    @property
    def gain(self) -> Fraction:
        return gain_in_points(self.r_mobility.outcome, self.whole_game.outcome)


@dataclass(frozen=True)
class Farthest(BestPlay):
    """Where an outcome is farthest away under whole-game mobility, and what r-mobility says there."""

    material: Material
    fen: str
    other: Value


@dataclass(frozen=True)
class Comparison:
    """The content of the file that `tbgen study compare -o` writes."""

    tables: tuple[Compared, ...]
    resets: Mapping[str, int]
    positions: tuple[Example, ...]
    longest: tuple[Farthest, ...]


@cache
def gain_in_points(r_mobility: Score, whole_game: Score) -> Fraction:
    """White's points under r-mobility less those under whole-game mobility, by the exponential formula."""
    return Scoring().points(r_mobility)[0] - Scoring().points(whole_game)[0]


def compare(
    folders: Sequence[Path],
    materials: Iterable[Material],
    threads: int | None = None,
    tell: Callable[[Material], None] = lambda _: None,
) -> Comparison:
    """Compare the tables of some materials; `tell` hears of each one first.

    Arguments:
        folders: Where the tables are; each folder may have those of one game alone.
        materials: Those that have tables of both games.
        threads: How many count; by default as many as there are processors.
    """
    named = {game: [folder_of_game(folder, game) for folder in folders] for game in Mobility}
    where = {game: list(filter(Path.is_dir, named[game])) or named[game] for game in Mobility}
    tables, examples, farthest = list[Compared](), list[Example](), dict[Score, tuple[int, Material, str]]()
    with contextlib.ExitStack() as stack:
        both = {game: stack.enter_context(open_tablebase(where[game], game=game, compiled=True)) for game in Mobility}
        for material in materials:
            tell(material)
            with (
                TableFile(path_in(where[Mobility.RESET], material)) as reset,
                TableFile(path_in(where[Mobility.WHOLE_GAME], material)) as whole,
            ):
                pairs = pairs_in(reset, whole, threads)
                found = [_example_of(material, fen, both) for fen in _differing_positions(reset, whole, pairs)]
                # Of equal distances the first table counts, and White to move.
                for (_, outcome), (dtg, fen) in whole.longest.items():
                    if outcome not in farthest or dtg > farthest[outcome][0]:
                        farthest[outcome] = dtg, material, fen
            tables.append(table_of(material, pairs, found))
            examples += [each for each in found if max(each.r_mobility.dtg, each.whole_game.dtg) <= _MOST_PLIES]
        longest = [_farthest_of(*farthest[outcome][1:], both) for outcome in sorted(farthest, reverse=True)]
    resets = sum((Counter(each.resets) for each in tables), Counter[str]())
    return Comparison(tuple(tables), dict(resets.most_common()), tuple(_shown(examples)), tuple(longest))


def pairs_in(reset: TableFile, whole: TableFile, threads: int | None = None) -> dict[Color, list[Pair]]:
    """How often which pair of entry values occurs, by side to move.

    A kind of position (census.py) is a pair of rows (index/outcomes.py). The files of outcomes alone are read.
    """

    def kinds_of(begin: int, end: int) -> Ints32:
        one, other = (row_of_byte(file.entries(begin, end).astype(np.int64)) for file in (reset, whole))
        return (one * ROWS + other).astype(np.uint32)

    kinds = ROWS * ROWS
    nothing = Meanings(np.zeros(kinds, np.int16), np.zeros(kinds, np.int8), np.zeros(kinds, np.uint16))
    found = count_table(reset.order, nothing, kinds_of, threads=threads).kinds
    return {
        side: [_pair_of(kind, of_side[kind]) for kind in np.flatnonzero(of_side[:, PLACEMENTS]).tolist()]
        for side, of_side in zip(Color, found, strict=True)
    }


def _pair_of(kind: int, counts: Ints) -> Pair:
    return Pair(*counts.tolist(), *(Score.from_byte(byte_of_row(row)) for row in divmod(kind, ROWS)))


def table_of(material: Material, pairs: Mapping[Color, list[Pair]], examples: list[Example]) -> Compared:
    """A table's counts, and what resets do in its examples."""
    every = [each for of_side in pairs.values() for each in of_side]
    positions = sum(each.placements for each in every)
    differing = {side: [each for each in pairs[side] if each.r_mobility != each.whole_game] for side in Color}

    def share(holds: Callable[[Score, Score], bool]) -> float:
        found = sum(each.placements for each in every if holds(each.r_mobility, each.whole_game))
        return round(found / positions, _DIGITS)

    def mean(worth: Callable[[Fraction], Fraction], among: int) -> float:
        total = sum(worth(gain_in_points(each.r_mobility, each.whole_game)) * each.placements for each in every)
        return round(float(total / max(among, 1)), _DIGITS)

    kinds = ((each.reset or "only threatened").partition(",")[0] for each in examples)  # such as `capture frees`
    return Compared(
        material,
        positions,
        Shares(
            differing=share(lambda one, other: one != other),
            better_for_white=share(lambda one, other: one > other),
            better_for_black=share(lambda one, other: one < other),
            other_holder=share(lambda one, other: one.holder is not other.holder),
        ),
        points_to_white=mean(lambda gain: gain, positions),
        points_where_differing=mean(abs, sum(each.placements for some in differing.values() for each in some)),
        resets=dict(Counter(kinds).most_common()),
        pairs={side: tuple(sorted(some, key=_most_frequent_first)) for side, some in differing.items()},
    )


def _most_frequent_first(pair: Pair) -> tuple[int, str, str]:
    return -pair.placements, str(pair.r_mobility), str(pair.whole_game)


def _differing_positions(reset: TableFile, whole: TableFile, pairs: Mapping[Color, list[Pair]]) -> list[str]:
    """Some random positions of which the games disagree."""
    layout = reset.order.layout
    primary = sum(each.classes for of_side in pairs.values() for each in of_side) // layout.orders
    cells = drawn_cells(layout, min(DRAWN, primary // 2), SEED)
    differ = np.flatnonzero(reset.look_up(cells)[0] != whole.look_up(cells)[0])
    chosen = np.random.default_rng(SEED).permutation(cells[differ])[:SAMPLED]
    return [fen_of_cell(layout, cell) for cell in chosen.tolist()]


def _example_of(material: Material, fen: str, both: Both) -> Example:
    """A position with best play under both games."""
    board = chess.Board(fen)
    (one, line), (other, _) = (_best_play(both[game], board) for game in Mobility)
    return Example(material, fen, one, other, first_reset(board, line))


def _best_play(tables: Tablebase, board: chess.Board) -> tuple[BestPlay, list[LineStep]]:
    found = tables.probe(board)
    line = tables.line(board, max_plies=found.dtg or 0)
    return BestPlay(found.outcome, found.dtg or 0, " ".join(step.san for step in line)), line


def first_reset(board: chess.Board, line: Sequence[LineStep]) -> str | None:
    """The first move of a line after which the games no longer have the same score.

    Such as `capture frees, ply 3: Kxc2`: it rids the mover of the other side's score, or gives up one of its own.
    """
    kept, mover = own_score(board), Color.of(board.turn)
    for ply, step in enumerate(line, 1):
        kept = kept.after(step.own, reset=False)
        if kept != step.accrued:
            reset = "capture" if "x" in step.san else "promotion" if "=" in step.san else "pawn move"
            return f"{reset} {'frees' if kept.holder is not mover else 'gives up'}, ply {ply}: {step.san}"
        mover = mover.other
    return None


def _shown(examples: Iterable[Example]) -> list[Example]:
    """At most one of a table, those where the games are farthest apart; at equal distance the shortest lines."""
    chosen: dict[Material, Example] = {}
    for each in sorted(examples, key=lambda each: (-abs(each.gain), each.r_mobility.dtg + each.whole_game.dtg)):
        chosen.setdefault(each.material, each)
    return list(chosen.values())[:SHOWN]


def _farthest_of(material: Material, fen: str, both: Both) -> Farthest:
    board = chess.Board(fen)
    play, _ = _best_play(both[Mobility.WHOLE_GAME], board)
    other = both[Mobility.RESET].probe(board)
    return Farthest(play.outcome, play.dtg, play.line, material, fen, Value(other.outcome, other.dtg or 0))


def read_comparison(path: Path) -> Comparison:
    """Read the file that `tbgen study compare -o` has written."""
    try:
        found: Comparison = parse_json(read_bounded(path)).read(Comparison)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, InputError) as error:
        raise UsageError(f"{path} is not a file that `tbgen study compare -o` has written: {error}") from error
    return found
