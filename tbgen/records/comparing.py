"""Comparing: the tables of r-mobility and of whole-game mobility side by side, and what is worth showing of it."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import chess

from tbgen.index.boards import fen_of_cell
from tbgen.material import Material
from tbgen.probe import Tablebase, open_tablebase
from tbgen.records.two_games import (
    Example,
    PairCounts,
    count_pairs,
    differing_cells,
    example_of,
    favoured,
    gain_in_points,
)
from tbgen.score import Color, Mobility, Outcome
from tbgen.storage.files import path_in
from tbgen.storage.folders import folder_of_game
from tbgen.storage.reader import TableFile

SAMPLED: Final = 40
"""Positions of each table whose lines are played to see which resets matter."""
SHOWN: Final = 20
_TRIED: Final = 6
"""Positions of each table, for either side that gains, that may be shown."""
_MOST_PLIES: Final = 24
"""Longer lines are not instructive."""


@dataclass(frozen=True)
class Farthest:
    """The longest way to an outcome under one game, over all tables."""

    outcome: Outcome
    material: Material
    fen: str
    dtg: int
    line: tuple[str, ...]
    other: tuple[Outcome, int]
    """What the other game says of the same position."""

    def facts(self) -> dict[str, Any]:
        return {
            "outcome": str(self.outcome),
            "material": str(self.material),
            "fen": self.fen,
            "dtg": self.dtg,
            "line": " ".join(self.line),
            "other": {"outcome": str(self.other[0]), "dtg": self.other[1]},
        }


@dataclass
class Comparison:
    """What was found in all tables."""

    counts: list[PairCounts] = field(default_factory=list)
    resets: dict[Material, Counter[str]] = field(default_factory=dict)
    """By table, what the first reset that matters in the lines of a sample is."""
    candidates: list[Example] = field(default_factory=list)
    longest: dict[Mobility, list[Farthest]] = field(default_factory=lambda: {game: [] for game in Mobility})

    def shown(self) -> list[Example]:
        """The positions where the games are farthest apart, at most one for each table and side that gains."""
        chosen: dict[tuple[Material, Color | None], Example] = {}
        for each in sorted(self.candidates, key=_interest):
            chosen.setdefault((each.material, favoured(each.pair)), each)
        return list(chosen.values())[:SHOWN]

    def facts(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "tables": [
                {**counts.facts(), "resets": dict(sorted(self.resets[counts.material].items()))}
                for counts in self.counts
            ],
            "longest": {str(game): [each.facts() for each in found] for game, found in self.longest.items()},
            "positions": [each.facts() for each in self.shown()],
        }


def _interest(example: Example) -> tuple[bool, Fraction, int, str]:
    """The smaller, the more there is to see: a reset that matters, far apart, short lines."""
    return example.turn is None, -abs(gain_in_points(example.pair)), sum(example.dtg), example.fen


class Comparer:
    """The tables of both games in some folders."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = {game: [folder_of_game(folder, game) for folder in folders] for game in Mobility}
        self.found = Comparison()
        self._farthest: dict[Mobility, dict[Outcome, tuple[int, Material, str]]] = {game: {} for game in Mobility}

    def compare(self, material: Material, threads: int | None = None) -> PairCounts:
        """Compare the tables of a material, and note what is worth showing."""
        with contextlib.ExitStack() as stack:
            reset, whole = (stack.enter_context(TableFile(path_in(self.folders[game], material))) for game in Mobility)
            counts = count_pairs(reset, whole, threads)
            self.found.counts.append(counts)
            for game, file in zip(Mobility, (reset, whole), strict=True):
                self._note_longest(game, file)
            self._note_examples(reset, whole)
        return counts

    @property
    def lines_to_play(self) -> int:
        """How many lines `finish` plays."""
        return sum(map(len, self._farthest.values()))

    def finish(self, played: Callable[[], object] = lambda: None) -> Comparison:
        """Play the longest lines, and call `played` after each."""
        with self._both() as tables:
            for game, other in (tuple(Mobility), tuple(reversed(Mobility))):
                for way in sorted(self._farthest[game].items(), reverse=True):
                    self.found.longest[game].append(_farthest(*way, tables[game], tables[other]))
                    played()
        return self.found

    @contextlib.contextmanager
    def _both(self) -> Iterator[dict[Mobility, Tablebase]]:
        with contextlib.ExitStack() as stack:
            yield {game: stack.enter_context(open_tablebase(self.folders[game], game=game)) for game in Mobility}

    def _note_longest(self, game: Mobility, file: TableFile) -> None:
        """Note where each score is farthest away; of equal distances the first table and White to move."""
        tallies = file.tallies
        for (side, outcome), fen in file.examples.items():
            dtg, known = tallies[side][outcome].max_dtg, self._farthest[game].get(outcome)
            if known is None or dtg > known[0]:
                self._farthest[game][outcome] = dtg, file.material, fen

    def _note_examples(self, reset: TableFile, whole: TableFile) -> None:
        """Play lines from a sample of the positions that differ, and from those where the games are farthest apart."""
        material, layout = reset.material, reset.order.layout
        cells, pairs = differing_cells(reset, whole)
        far = sorted(range(len(pairs)), key=lambda place: -abs(gain_in_points(pairs[place])))
        with self._both() as tables:

            def example(place: int) -> Example:
                fen = fen_of_cell(layout, int(cells[place]))
                return example_of(material, fen, tables[Mobility.RESET], tables[Mobility.WHOLE_GAME])

            self.found.resets[material] = Counter(map(_reset_in_words, map(example, range(len(cells))[:SAMPLED])))
            for side in Color:
                tried = [place for place in far if favoured(pairs[place]) is side][:_TRIED]
                self.found.candidates += [each for each in map(example, tried) if max(each.dtg) <= _MOST_PLIES]


def _farthest(outcome: Outcome, way: tuple[int, Material, str], tables: Tablebase, other: Tablebase) -> Farthest:
    """The longest way to an outcome, played."""
    dtg, material, fen = way
    board = chess.Board(fen)
    line = tuple(step.san for step in tables.line(board, max_plies=dtg)) if dtg else ()
    found = other.probe(board)
    return Farthest(outcome, material, fen, dtg, line, (found.outcome, found.dtg or 0))


def _reset_in_words(example: Example) -> str:
    """What the first reset in a line of r-mobility does that whole-game mobility does not know."""
    if example.turn is None:
        return "only threatened"
    return f"{example.turn.kind} {'frees' if example.turn.frees else 'gives up'}"
