"""Published counts: wins, draws and losses of ordinary chess, and its longest mates, against what tables say.

`ordinary_tables.csv` has them for all endings of three to five men. G0.0 is mate in either game, so a position is worth
`G0.0` exactly where White wins an ordinary ending with the fifty-move rule ignored, and its distance is that to mate.
"""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from tbgen.errors import MaterialError, UsageError
from tbgen.material import Material
from tbgen.probe.bulk import board_of
from tbgen.score import MATE_CODE, Color, Score
from tbgen.storage.files import read_bounded
from tbgen.storage.reader import TableFile
from tbgen.text import trouble

ORDINARY: Final = Path(__file__).with_name("ordinary_tables.csv")
_RESULTS = ("wins", "draws", "losses")
_IMAGES_WITH_PAWNS = 2
_IMAGES = 8


@dataclass(frozen=True, slots=True)
class Published:
    """The published figures of an ending."""

    counts: Mapping[Color, tuple[int, int, int]]
    """By side to move: won, drawn and lost for that side; labelled men, one position for each class of symmetry."""
    longest_mates: Mapping[Color, int]
    """By winner, in moves of the winner, who is to move; 0 where there is no such mate."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A figure of a table that is not the published one."""

    material: Material
    what: str
    found: int
    published: int

    def __str__(self) -> str:
        return f"{self.what}: {self.found:,} instead of {self.published:,}"


def read_published(path: Path) -> dict[Material, Published]:
    """The endings of a file with the columns of `ordinary_tables.csv`; lines that begin with # are comments."""
    try:
        lines = [line for line in read_bounded(path).decode().splitlines() if not line.startswith("#")]
        return {Material.parse(row["material"]).canonical(): _published(row) for row in csv.DictReader(lines)}
    except (KeyError, TypeError, ValueError, MaterialError) as error:
        raise UsageError(f"{path} has no published counts: {trouble(error)}; see docs/verification.md") from None


def _published(row: Mapping[str, str]) -> Published:
    counts, longest = {}, {}
    for side in Color:
        name = str(side).lower()
        wins, draws, losses = (int(row[f"{name}_to_move_{result}"]) for result in _RESULTS)
        counts[side] = wins, draws, losses
        longest[side] = int(row[f"longest_{name}_mate_moves"])
    return Published(counts, longest)


def differences(file: TableFile, published: Published) -> Iterator[Difference]:
    """Where a table differs from what is published of it."""
    for side in Color:
        found = _counts(file, side)
        for result, ours, theirs in zip(_RESULTS, found, published.counts[side], strict=True):
            if ours != theirs:
                yield Difference(file.material, f"{result} with {side} to move", ours, theirs)
        tally = file.tallies[side].get(Score(MATE_CODE, side))
        moves = 0 if tally is None else (tally.max_dtg + 1) // 2
        if moves != published.longest_mates[side]:
            yield Difference(file.material, f"moves of {side}'s longest mate", moves, published.longest_mates[side])


def _counts(file: TableFile, side: Color) -> tuple[int, int, int]:
    """Won, drawn and lost positions with a side to move, one for each class of symmetry."""
    classes = _classes(file, side)
    wins, losses = (classes.get(Score(MATE_CODE, winner), 0) for winner in (side, side.other))
    return wins, sum(classes.values()) - wins - losses, losses


def _classes(file: TableFile, side: Color) -> dict[Score, int]:
    """Positions up to symmetry, by Burnside's count: all placements, and those that a symmetry leaves as they are."""
    tallies = file.tallies[side]
    if file.material.pawns:
        return {outcome: tally.count // _IMAGES_WITH_PAWNS for outcome, tally in tallies.items()}
    own_images = _on_diagonals(file, side)
    return {
        outcome: (tally.count + own_images.get(outcome.to_byte(), 0)) // _IMAGES for outcome, tally in tallies.items()
    }


def _on_diagonals(file: TableFile, side: Color) -> dict[int, int]:
    """[entry value as a byte] -> placements with all men on one of the two long diagonals, their own mirror images."""
    layout = file.order.layout
    placements = [
        squares
        for squares in itertools.permutations(range(0, 64, 9), len(layout.slots))
        if not board_of(layout.slots, int(side), squares).was_into_check()
    ]
    cells = np.array([layout.cell_of(int(side), squares) for squares in placements], np.int64)
    bytes_, counts = np.unique(file.look_up(cells)[0], return_counts=True)
    return dict(zip(bytes_.tolist(), (2 * counts).tolist(), strict=True))
