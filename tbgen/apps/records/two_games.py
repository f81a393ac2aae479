"""Two games: how much r-mobility and whole-game mobility differ, counted in the tables of both, cell by cell.

Entry values are compared: what a position is worth when nothing before it counts. The counts are of all positions;
examples are drawn from cells by a seed, so that a rare kind of difference in a large table may have none.
What is found is JSON from the start: several runs may count different tables, and `joined` puts them together.
"""

from __future__ import annotations

import contextlib
import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import chess
import numpy as np
import numpy.typing as npt

from tbgen.apps.records.census import Numbers, count_of, count_table
from tbgen.apps.records.counting import PLACEMENTS, Meanings
from tbgen.apps.records.record import Count
from tbgen.errors import InputError, UsageError
from tbgen.index.layout import fen_of_cell
from tbgen.index.outcomes import ROWS, row_of_byte
from tbgen.material import Material
from tbgen.probe import LineStep, Tablebase, open_tablebase
from tbgen.rules.fen import parse_fen
from tbgen.rules.points import Scoring
from tbgen.score import Color, Mobility, Score
from tbgen.storage.files import every_material, path_in
from tbgen.storage.folders import folder_of_game
from tbgen.storage.reader import TableFile
from tbgen.system.json_files import ANY, Field, parse_json
from tbgen.verify.cells import men_of, numbering_of
from tbgen.verify.moves import new_scratch
from tbgen.verify.sample import find_positions

Pair = tuple[Score, Score]
"""What r-mobility and whole-game mobility say of a position."""
Facts = Mapping[str, Any]

DRAWN: Final = 1 << 17
SEED: Final = 27
SAMPLED: Final = 40
"""Positions of each table whose lines are played to see which resets matter."""
SHOWN: Final = 20
SHARES: Final = ("differing", "better_for_white", "better_for_black", "other_holder")
"""What is counted of each table beside all positions."""

_TRIED: Final = 6
"""Positions of each table, for either side that gains, that may be shown."""
_MOST_PLIES: Final = 24
"""Longer lines are not instructive."""


def favoured(pair: Pair) -> Color | None:
    """The side for which r-mobility is better."""
    one, other = pair
    return None if one == other else Color.WHITE if one > other else Color.BLACK


@cache
def gain_in_points(pair: Pair) -> Fraction:
    """White's points under r-mobility less those under whole-game mobility, by the exponential formula."""
    one, other = (Scoring().points(outcome)[0] for outcome in pair)
    return one - other


class PairedTables:
    """The tables of a material under both games, by their files of outcomes alone.

    A kind of position (census.py) is a pair of entry values. The kinds of cells that a seed draws are noted as the
    count reads their chunks.
    """

    def __init__(self, reset: TableFile, whole: TableFile) -> None:
        self._files, self._order = (reset, whole), reset.order
        first, second = (sorted({each for side in Color for each in file.counts[side]}) for file in self._files)
        self._pairs = list(itertools.product(first, second))
        self._of_symbol = _numbers(reset, first) * np.uint32(len(second)), _numbers(whole, second)
        cells, draw = self._order.layout.cells, np.random.default_rng(SEED)
        self._cells = draw.permutation(cells) if cells <= DRAWN else draw.integers(0, cells, DRAWN)
        places = self._order.place_of(self._cells)
        self._by_place = np.argsort(places)
        self._places = places[self._by_place]
        self._drawn = np.zeros(len(self._cells), np.uint32)

    def count(self, threads: int | None = None) -> dict[Color, dict[Pair, Count]]:
        """How often which pair of entry values occurs, by side to move."""
        size = len(self._pairs)
        meanings = Meanings(np.zeros(size, np.int16), np.zeros(size, np.int8), np.zeros(size, np.uint16))
        found = count_table(self._order, meanings, self._kinds_of, threads=threads).kinds
        there = {side: np.flatnonzero(found[side, :, PLACEMENTS]).tolist() for side in Color}
        return {side: {self._pairs[kind]: count_of(found[side, kind]) for kind in there[side]} for side in Color}

    def differing(self) -> list[tuple[str, Pair]]:
        """The drawn positions of which the games disagree, in random order; `count` has to be called before."""
        layout = self._order.layout
        kinds = np.flatnonzero([one != other for one, other in self._pairs])
        chosen = np.isin(self._drawn, kinds)
        cells, pairs = self._cells[chosen], self._drawn[chosen]
        is_position = np.zeros(len(cells), np.bool_)
        find_positions(men_of(layout), numbering_of(layout), new_scratch(), cells, is_position)
        found = zip(cells[is_position].tolist(), pairs[is_position].tolist(), strict=True)
        return [(fen_of_cell(layout, cell), self._pairs[kind]) for cell, kind in found]

    def _kinds_of(self, first: int, end: int) -> Numbers:
        """The kinds of some places in a row; several threads may ask."""
        symbols = (file.symbols(first, end) for file in self._files)
        one, other = (of.take(each) for of, each in zip(self._of_symbol, symbols, strict=True))
        kinds: Numbers = one + other
        some = slice(*np.searchsorted(self._places, (first, end)))
        self._drawn[self._by_place[some]] = kinds[self._places[some] - first]
        return kinds


def _numbers(file: TableFile, outcomes: Iterable[Score]) -> Numbers:
    """[symbol] -> the number of its entry value; 0 for a value of no position."""
    numbers = np.zeros(ROWS, np.uint32)
    for number, outcome in enumerate(outcomes):
        numbers[row_of_byte(outcome.to_byte())] = number
    of_symbols: npt.NDArray[np.uint32] = numbers[row_of_byte(file.column("symbols")["entry"].astype(np.int64))]
    return of_symbols


def counts_of(material: Material, sides: Mapping[Color, Mapping[Pair, Count]]) -> dict[str, Any]:
    """The counts of a table; but for `classes`, all are placements."""
    every = [(pair, count) for of_side in sides.values() for pair, count in of_side.items()]

    def placements(holds: Callable[[Pair], bool]) -> int:
        return sum(count.placements for pair, count in every if holds(pair))

    def mean(worth: Callable[[Fraction], Fraction], among: int) -> float:
        total = sum(worth(gain_in_points(pair)) * count.placements for pair, count in every)
        return round(float(total / max(among, 1)), 6)

    def often(game: int) -> dict[str, int]:
        found: Counter[Score] = Counter()
        for pair, count in every:
            found[pair[game]] += count.placements
        return {str(outcome): found[outcome] for outcome in sorted(found, reverse=True)}

    positions, differing = placements(lambda _: True), placements(lambda pair: pair[0] != pair[1])
    return {
        "material": str(material),
        "positions": positions,
        "classes": sum(count.classes for _, count in every),
        "differing": differing,
        "better_for_white": placements(lambda pair: favoured(pair) is Color.WHITE),
        "better_for_black": placements(lambda pair: favoured(pair) is Color.BLACK),
        "other_holder": placements(lambda pair: pair[0].holder is not pair[1].holder),
        "points_to_white": mean(lambda gain: gain, positions),
        "points_where_differing": mean(abs, differing),
        "outcomes": {str(game): often(number) for number, game in enumerate(Mobility)},
        "sides": {str(side).lower(): _rows(of_side) for side, of_side in sides.items()},
    }


def _rows(counts: Mapping[Pair, Count]) -> list[list[Any]]:
    """The pairs that differ, the most frequent first: both outcomes, placements, classes."""
    rows = [[str(one), str(other), each.placements, each.classes] for (one, other), each in counts.items()]
    return sorted((row for row in rows if row[0] != row[1]), key=lambda row: (-row[2], row[0], row[1]))


class Comparer:
    """The tables of both games in some folders, each of which may have those of one game alone."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = {game: _folders_of_game(folders, game) for game in Mobility}
        self._tables: list[dict[str, Any]] = []
        self._positions: list[Facts] = []
        self._longest: dict[Mobility, list[Facts]] = {game: [] for game in Mobility}
        self._farthest: dict[Mobility, dict[Score, tuple[int, Material, str]]] = {game: {} for game in Mobility}

    def compare(self, material: Material, threads: int | None = None) -> Facts:
        """Compare the tables of a material, and note what is worth showing; returns the counts."""
        with contextlib.ExitStack() as stack:
            files = [stack.enter_context(TableFile(path_in(self._folders[game], material))) for game in Mobility]
            both = PairedTables(*files)
            counts = counts_of(material, both.count(threads))
            for game, file in zip(Mobility, files, strict=True):
                self._note_farthest(game, file)
            self._tables.append({**counts, "resets": self._note_positions(material, both.differing())})
        return counts

    @property
    def lines_to_play(self) -> int:
        """How many lines `finish` plays."""
        return sum(map(len, self._farthest.values()))

    def finish(self, played: Callable[[], object] = lambda: None) -> None:
        """Play the longest lines, and call `played` after each."""
        with self._both() as tables:
            for game, other in (tuple(Mobility), tuple(reversed(Mobility))):
                for outcome, (dtg, material, fen) in sorted(self._farthest[game].items(), reverse=True):
                    there = tables[other].probe(chess.Board(fen))
                    self._longest[game].append(
                        {
                            "outcome": str(outcome),
                            "material": str(material),
                            "fen": fen,
                            "dtg": dtg,
                            "line": _sans(_line(tables[game], chess.Board(fen), dtg)),
                            "other": {"outcome": str(there.outcome), "dtg": there.dtg or 0},
                        }
                    )
                    played()

    def facts(self) -> dict[str, Any]:
        """All that was found, as JSON has it."""
        longest = {str(game): found for game, found in self._longest.items()}
        return {"tables": self._tables, "longest": longest, "positions": self._positions}

    @contextlib.contextmanager
    def _both(self) -> Iterator[dict[Mobility, Tablebase]]:
        with contextlib.ExitStack() as stack:
            yield {
                game: stack.enter_context(open_tablebase(self._folders[game], game=game, compiled=True))
                for game in Mobility
            }

    def _note_farthest(self, game: Mobility, file: TableFile) -> None:
        """Note where each score is farthest away; of equal distances the first table and White to move."""
        tallies = file.tallies
        for (side, outcome), fen in file.examples.items():
            dtg, known = tallies[side][outcome].max_dtg, self._farthest[game].get(outcome)
            if known is None or dtg > known[0]:
                self._farthest[game][outcome] = dtg, file.material, fen

    def _note_positions(self, material: Material, differing: Sequence[tuple[str, Pair]]) -> dict[str, int]:
        """Note positions that may be shown; returns how often which kind of reset matters in the lines of a sample.

        Shown may be one position for each kind of reset, and those where the games are farthest apart.
        """
        far = sorted(differing, key=lambda each: -abs(gain_in_points(each[1])))
        with self._both() as tables:
            reset, whole = tables.values()
            sample = [fen for fen, _ in differing[:SAMPLED]]
            kinds = [_kind_of(_reset_of(fen, reset)) or "only threatened" for fen in sample]
            tried = list(dict(zip(reversed(kinds), reversed(sample), strict=True)).values())  # one of each kind
            for side in Color:
                tried += [fen for fen, pair in far if favoured(pair) is side][:_TRIED]
            found = (_example_of(material, fen, reset, whole) for fen in tried)
            self._positions += [each for each in found if each is not None]
        return dict(sorted(Counter(kinds).items()))


def _folders_of_game(folders: Iterable[Path], game: Mobility) -> list[Path]:
    """Those that are there; all of them if none is, so that an error names the first."""
    named = [folder_of_game(folder, game) for folder in folders]
    return [folder for folder in named if folder.is_dir()] or named


def _line(tables: Tablebase, board: chess.Board, plies: int) -> list[LineStep]:
    return tables.line(board, max_plies=plies) if plies else []


def _sans(line: Iterable[LineStep]) -> str:
    return " ".join(step.san for step in line)


def _example_of(material: Material, fen: str, reset: Tablebase, whole: Tablebase) -> dict[str, Any] | None:
    """A position with best play under both games, up to the goal; None if that is long in either."""
    board = chess.Board(fen)
    found = [tables.probe(board) for tables in (reset, whole)]
    if max(each.dtg or 0 for each in found) > _MOST_PLIES:
        return None
    lines = [_line(tables, board, each.dtg or 0) for tables, each in zip((reset, whole), found, strict=True)]
    one, other = (
        {"outcome": str(each.outcome), "dtg": each.dtg or 0, "line": _sans(line)}
        for each, line in zip(found, lines, strict=True)
    )
    return {
        "material": str(material),
        "fen": fen,
        "r_mobility": one,
        "whole_game": other,
        "points_to_white": round(float(gain_in_points((found[0].outcome, found[1].outcome))), 6),
        "reset": first_reset(board, found[0].own, lines[0]),
    }


def _reset_of(fen: str, reset: Tablebase) -> str | None:
    """The first reset that matters in best play under r-mobility."""
    board = chess.Board(fen)
    found = reset.probe(board)
    return first_reset(board, found.own, _line(reset, board, found.dtg or 0))


def first_reset(board: chess.Board, own: Score, line: Sequence[LineStep]) -> str | None:
    """The first move of a line after which the games no longer have the same score.

    Such as `capture frees, ply 3: Kxc2`: it rids the mover of the other side's score, or gives up one of its own.
    """
    kept, mover = own, Color.WHITE if board.turn == chess.WHITE else Color.BLACK
    for ply, step in enumerate(line, 1):
        kept = kept.after(step.own, reset=False)
        if kept != step.accrued:
            reset = "capture" if "x" in step.san else "promotion" if "=" in step.san else "pawn move"
            return f"{reset} {'frees' if kept.holder is not mover else 'gives up'}, ply {ply}: {step.san}"
        mover = mover.other
    return None


def _kind_of(reset: str | None) -> str:
    """Such as `capture frees`; empty if no reset matters."""
    return (reset or "").partition(",")[0]


def _a_fen(field: Field) -> None:
    parse_fen(field.text())


def _a_material(field: Field) -> None:
    if Material.parse(field.text()).canonical() not in every_material():
        raise ValueError(f"{field.name} is {field.value}, which has no table")


def _an_outcome(field: Field) -> None:
    Score(field.text())


_WORTH: Final = {"outcome": _an_outcome, "dtg": Field.whole}
_WAY: Final = {**_WORTH, "material": _a_material, "fen": _a_fen, "line": Field.text, "other": _WORTH}
_PLAY: Final = {**_WORTH, "line": Field.text}
_TABLE: Final = {
    "material": _a_material,
    "positions": Field.positive,
    **dict.fromkeys(("classes", *SHARES), Field.whole),
    **dict.fromkeys(("points_to_white", "points_where_differing"), Field.number),
    "resets": {ANY: Field.whole},
    "outcomes": {str(game): {ANY: Field.whole} for game in Mobility},
}
_FORM: Final = {
    "tables": [_TABLE],
    "longest": {str(game): [_WAY] for game in Mobility},
    "positions": [
        {
            "material": _a_material,
            "fen": _a_fen,
            "r_mobility": _PLAY,
            "whole_game": _PLAY,
            "reset": Field.text_or_none,
        }
    ],
}
"""What `tbgen study compare -o` writes and this program reads."""


def read_comparison(path: Path) -> Facts:
    """What `tbgen study compare -o` has written."""
    try:
        facts = parse_json(path.read_bytes())
        facts.expect(_FORM)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, InputError) as error:
        raise UsageError(f"{path} is not a file that `tbgen study compare -o` has written: {error}") from error
    found: Facts = facts.value
    return found


def joined(parts: Sequence[Facts]) -> dict[str, Any]:
    """The findings of several runs as one run would have made them; of a table that several have, the first."""
    order = {str(material): place for place, material in enumerate(every_material())}
    tables: dict[str, Facts] = {}
    for table in (table for part in parts for table in part["tables"]):
        tables.setdefault(table["material"], table)
    positions = {each["fen"]: each for part in parts for each in part["positions"]}
    longest = {}
    for game in map(str, Mobility):
        ways = [way for part in parts for way in part["longest"][game]]
        farthest: dict[Score, Facts] = {}
        for way in sorted(ways, key=lambda way: (-way["dtg"], order[way["material"]])):
            farthest.setdefault(outcome_of(way), way)
        longest[game] = [farthest[outcome] for outcome in sorted(farthest, reverse=True)]
    return {
        "tables": sorted(tables.values(), key=lambda table: order[table["material"]]),
        "longest": longest,
        "positions": sorted(positions.values(), key=lambda each: order[each["material"]]),
    }


def outcome_of(facts: Facts) -> Score:
    return Score(facts["outcome"])


def shown(positions: Iterable[Facts]) -> list[Facts]:
    """Positions of all kinds in turn, of each kind those where the games are farthest apart; at most one of a table.

    A kind is what the reset that matters is and does, and which side gains by it.
    """
    kinds = defaultdict[tuple[str, bool], list[Facts]](list)
    for each in sorted(positions, key=_interest):
        kinds[_kind_of(each["reset"]), _gain_of(each) > 0].append(each)
    chosen: dict[str, Facts] = {}
    while kinds and len(chosen) < SHOWN:
        for kind, some in list(kinds.items()):
            new = next((each for each in some if each["material"] not in chosen), None)
            if new is None:
                del kinds[kind]
            elif len(chosen) < SHOWN:
                chosen[new["material"]] = new
    return list(chosen.values())


def _interest(example: Facts) -> tuple[bool, Fraction, int, str]:
    """The smaller, the more there is to see: a reset that matters, far apart, short lines."""
    plies = example["r_mobility"]["dtg"] + example["whole_game"]["dtg"]
    return example["reset"] is None, -abs(_gain_of(example)), plies, example["fen"]


def _gain_of(example: Facts) -> Fraction:
    return gain_in_points((outcome_of(example["r_mobility"]), outcome_of(example["whole_game"])))


class Row(NamedTuple):
    """A table, or all tables of a number of men; shares are of all positions."""

    name: str
    tables: int
    positions: int
    shares: tuple[float, ...]
    """As SHARES names them."""
    points: float
    """What r-mobility gives White more, on average."""
    apart: float
    """How far apart the games are where they differ, in points."""


def row_of(name: str, tables: Sequence[Facts]) -> Row:
    """Some tables together; points are those of a single one."""
    positions = sum(table["positions"] for table in tables)
    shares = tuple(sum(table[share] for table in tables) / positions for share in SHARES)
    return Row(name, len(tables), positions, shares, tables[0]["points_to_white"], tables[0]["points_where_differing"])


def rows_of(facts: Facts) -> list[Row]:
    """The tables, those first in which the games differ most often."""
    rows = [row_of(table["material"], [table]) for table in facts["tables"]]
    return sorted(rows, key=lambda row: (-row.shares[0], row.name))


def totals_of(facts: Facts) -> list[Row]:
    """All tables of each number of men, the fewest first."""
    by_men = defaultdict[int, list[Facts]](list)
    for table in facts["tables"]:
        by_men[Material.parse(table["material"]).men].append(table)
    return [row_of(str(men), some) for men, some in sorted(by_men.items())]


def resets_of(facts: Facts) -> dict[str, int]:
    """What the first reset that matters is in the lines of samples, the commonest first."""
    found: Counter[str] = Counter()
    for table in facts["tables"]:
        found.update(table["resets"])
    return dict(found.most_common())


def ways_of(facts: Facts) -> list[tuple[Score, Facts | None, Facts | None]]:
    """The longest way to each score under either game; None where no table has one."""
    reset, whole = ({outcome_of(way): way for way in facts["longest"][str(game)]} for game in Mobility)
    return [(each, reset.get(each), whole.get(each)) for each in sorted(reset.keys() | whole.keys(), reverse=True)]
