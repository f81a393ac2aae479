"""Comparing: the tables of r-mobility and of whole-game mobility side by side, and what is worth showing of it."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import chess
import numpy as np
import numpy.typing as npt

from tbgen.apps.records.two_games import (
    Example,
    Pair,
    PairCounts,
    PairTable,
    Sample,
    Turn,
    count_pairs,
    example_of,
    favoured,
    first_turn,
    gain_in_points,
)
from tbgen.index.layout import fen_of_cell, layout_of
from tbgen.material import Material
from tbgen.probe import Tablebase, open_tablebase
from tbgen.score import Color, Mobility, Outcome
from tbgen.storage.files import path_in
from tbgen.storage.folders import folder_of_game
from tbgen.storage.reader import TableFile

SAMPLED: Final = 40
"""Positions of each table whose lines are played to see which resets matter."""
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
    """Positions that may be shown."""
    longest: dict[Mobility, list[Farthest]] = field(default_factory=lambda: {game: [] for game in Mobility})

    def facts(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "tables": [
                {**counts.facts(), "resets": dict(sorted(self.resets[counts.material].items()))}
                for counts in self.counts
            ],
            "longest": {str(game): [each.facts() for each in found] for game, found in self.longest.items()},
            "positions": [each.facts() for each in self.candidates],
        }


class Comparer:
    """The tables of both games in some folders, each of which may have those of one game alone."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = {game: _folders_of_game(folders, game) for game in Mobility}
        self.found = Comparison()
        self._farthest: dict[Mobility, dict[Outcome, tuple[int, Material, str]]] = {game: {} for game in Mobility}

    def compare(self, material: Material, threads: int | None = None) -> PairCounts:
        """Compare the tables of a material, and note what is worth showing."""
        with contextlib.ExitStack() as stack:
            reset, whole = (stack.enter_context(TableFile(path_in(self.folders[game], material))) for game in Mobility)
            table, sample = PairTable.of(reset, whole), Sample(reset.order)
            counts = count_pairs(table, sample, threads)
            self.found.counts.append(counts)
            for game, file in zip(Mobility, (reset, whole), strict=True):
                self._note_longest(game, file)
            self._note_examples(material, *sample.differing(table.pairs))
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
            yield {
                game: stack.enter_context(open_tablebase(self.folders[game], game=game, compiled=True))
                for game in Mobility
            }

    def _note_longest(self, game: Mobility, file: TableFile) -> None:
        """Note where each score is farthest away; of equal distances the first table and White to move."""
        tallies = file.tallies
        for (side, outcome), fen in file.examples.items():
            dtg, known = tallies[side][outcome].max_dtg, self._farthest[game].get(outcome)
            if known is None or dtg > known[0]:
                self._farthest[game][outcome] = dtg, file.material, fen

    def _note_examples(self, material: Material, cells: npt.NDArray[np.int64], pairs: Sequence[Pair]) -> None:
        """Play lines from a sample of the positions that differ; note those that may be shown.

        They are one for each kind of reset in the sample, and those where the games are farthest apart.
        """
        layout = layout_of(material)
        far = sorted(range(len(pairs)), key=lambda place: -abs(gain_in_points(pairs[place])))
        with self._both() as tables:
            reset, whole = tables.values()
            sample = [fen_of_cell(layout, int(cell)) for cell in cells[:SAMPLED]]
            kinds = [_reset_in_words(first_turn(fen, reset)) for fen in sample]
            self.found.resets[material] = Counter(kinds)
            tried = list(dict(zip(reversed(kinds), reversed(sample), strict=True)).values())  # one of each kind
            for side in Color:
                places = [place for place in far if favoured(pairs[place]) is side][:_TRIED]
                tried += [fen_of_cell(layout, int(cells[place])) for place in places]
            examples = (example_of(material, fen, reset, whole, _MOST_PLIES) for fen in tried)
            self.found.candidates += [each for each in examples if each is not None]


def _folders_of_game(folders: Iterable[Path], game: Mobility) -> list[Path]:
    """Those that are there; all of them if none is, so that an error names the first."""
    named = [folder_of_game(folder, game) for folder in folders]
    return [folder for folder in named if folder.is_dir()] or named


def _farthest(outcome: Outcome, way: tuple[int, Material, str], tables: Tablebase, other: Tablebase) -> Farthest:
    """The longest way to an outcome, played."""
    dtg, material, fen = way
    board = chess.Board(fen)
    line = tuple(step.san for step in tables.line(board, max_plies=dtg)) if dtg else ()
    found = other.probe(board)
    return Farthest(outcome, material, fen, dtg, line, (found.outcome, found.dtg or 0))


def _reset_in_words(turn: Turn | None) -> str:
    """What the first reset in a line of r-mobility does that whole-game mobility does not know."""
    return "only threatened" if turn is None else turn.kind
