"""Costs: what a table is expected to take, by its class, as measured.

Tables fall into six classes: with and without pawns, and by how even the sides are. What a class costs is counted in
primary cells, those that equal men do not double. `scripts/bench.py costs` fits the figures to a folder of tables.
Tables of whole-game mobility have figures of their own: they have no middles, and no patterns.
"""

from __future__ import annotations

import csv
import enum
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from tbgen.index.layout import layout_of
from tbgen.library.manifest import FileRecord
from tbgen.material import Material, Role
from tbgen.score import Color, Mobility
from tbgen.table import fits_memory

MEASURED = Path(__file__).with_name("measured")
"""A file for each game: material and CPU seconds of tables that were made on our machine.

`scripts/bench.py costs --write` writes it."""

_WORTH = {Role.PAWN: 1, Role.KNIGHT: 3, Role.BISHOP: 3, Role.ROOK: 5, Role.QUEEN: 9, Role.KING: 0}
_DECIDED = 4
"""From this difference in worth on the stronger side mostly wins."""
_LARGE_CELLS = 1 << 20
"""Tables below this take what starting takes, and say nothing of the machine."""
_TELLING_SECONDS = 1.0
"""Tables that took less say nothing of what else is at work."""


class Balance(enum.Enum):
    """How even the sides are."""

    BARE = "bare king"
    DECIDED = "uneven"
    EVEN = "even"


@dataclass(frozen=True, slots=True)
class Rate:
    """What tables of a class take."""

    microseconds: float
    """CPU time a primary cell."""
    outcomes: float
    """Bytes of the file of outcomes, a primary cell."""
    distances: float
    """The same of distances."""
    serial: float
    """The part of the work that threads do not share."""


RATES: Mapping[Mobility, Mapping[tuple[Balance, bool], Rate]] = {
    Mobility.RESET: {
        (Balance.BARE, False): Rate(0.16, 0.011, 0.133, 0.20),
        (Balance.BARE, True): Rate(0.10, 0.003, 0.141, 0.06),
        (Balance.DECIDED, False): Rate(0.19, 0.027, 0.214, 0.21),
        (Balance.DECIDED, True): Rate(0.12, 0.024, 0.197, 0.09),
        (Balance.EVEN, False): Rate(0.49, 0.225, 0.396, 0.15),
        (Balance.EVEN, True): Rate(0.20, 0.070, 0.383, 0.07),
    },
    Mobility.WHOLE_GAME: {
        (Balance.BARE, False): Rate(0.21, 0.011, 0.128, 0.20),
        (Balance.BARE, True): Rate(0.11, 0.003, 0.141, 0.06),
        (Balance.DECIDED, False): Rate(0.25, 0.028, 0.204, 0.21),
        (Balance.DECIDED, True): Rate(0.13, 0.024, 0.193, 0.09),
        (Balance.EVEN, False): Rate(0.36, 0.159, 0.183, 0.15),
        (Balance.EVEN, True): Rate(0.15, 0.071, 0.274, 0.07),
    },
}
"""[game][balance, whether there are pawns]; docs/measurements/sets.md has what they were fitted to."""

LARGE_RATES: Mapping[Mobility, Mapping[tuple[Balance, bool], Rate]] = {
    Mobility.RESET: {
        (Balance.BARE, False): Rate(0.09, 0.009, 0.110, 0.22),
        (Balance.BARE, True): Rate(0.10, 0.004, 0.127, 0.05),
        (Balance.DECIDED, False): Rate(0.15, 0.039, 0.196, 0.16),
        (Balance.DECIDED, True): Rate(0.14, 0.023, 0.224, 0.09),
        (Balance.EVEN, False): Rate(0.55, 0.150, 0.649, 0.13),
        (Balance.EVEN, True): Rate(0.51, 0.210, 0.760, 0.07),
    },
    Mobility.WHOLE_GAME: {
        (Balance.BARE, False): Rate(0.11, 0.009, 0.110, 0.22),
        (Balance.BARE, True): Rate(0.10, 0.004, 0.127, 0.05),
        (Balance.DECIDED, False): Rate(0.13, 0.033, 0.180, 0.16),
        (Balance.DECIDED, True): Rate(0.12, 0.022, 0.211, 0.09),
        (Balance.EVEN, False): Rate(0.20, 0.102, 0.299, 0.16),
        (Balance.EVEN, True): Rate(0.16, 0.125, 0.312, 0.07),
    },
}
"""The same for large blocks, which do not fit a processor's cache, and whose positions have more patterns."""

LARGE_BLOCK_CELLS = 1 << 24

START_SECONDS = 0.1
START_BYTES = 50_000
"""What the smallest table takes."""


SCRATCH_FACTOR = 3.3
"""How much larger than its file a table's solved blocks are, while they lie on disk."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a table is expected to take."""

    cpu_seconds: float
    bytes: int
    """Of both files."""
    outcome_bytes: int
    """Of the file of outcomes."""
    scratch_bytes: int
    """On disk while it is made."""
    serial: float

    def wall_seconds(self, threads: int) -> float:
        """How long it takes on so many threads."""
        return self.cpu_seconds * (self.serial + (1 - self.serial) / threads)


def balance_of(material: Material) -> Balance:
    """How even the sides of a canonical material are."""
    if len(material.black) == 1:
        return Balance.BARE
    white, black = (sum(_WORTH[role] for role in material.side(color)) for color in Color)
    return Balance.DECIDED if abs(white - black) >= _DECIDED else Balance.EVEN


def class_of(material: Material) -> tuple[Balance, bool]:
    """The class that a canonical material is in."""
    return balance_of(material), material.pawns > 0


def primary_cells(material: Material) -> float:
    """Cells, each position of equal men counted once."""
    layout, orders = layout_of(material), 1
    for start, end in layout.twins:  # equal pawns have no cells to spare
        orders *= math.factorial(end - start)
    return layout.cells / orders


def is_large(material: Material) -> bool:
    """Whether its blocks are larger than a processor's cache."""
    return layout_of(material).block_words * 128 >= LARGE_BLOCK_CELLS


@cache
def measured_seconds(game: Mobility) -> Mapping[str, float]:
    """[material] -> CPU seconds that a table of a game has taken on our machine.

    Two tables of a class and of the same size differ by a factor of up to three, which no rate says.
    """
    with measured_file(game).open(encoding="utf-8", newline="") as file:
        return {row["material"]: float(row["cpu_seconds"]) for row in csv.DictReader(file)}


def measured_file(game: Mobility) -> Path:
    """Where the CPU seconds of the tables of a game stand."""
    return MEASURED / f"{game}.csv"


def cost_of(material: Material, pace: float = 1.0, game: Mobility = Mobility.RESET) -> Cost:
    """What a table is expected to take on a machine that needs `pace` times the CPU seconds of ours."""
    cells, layout = primary_cells(material), layout_of(material)
    rate = (LARGE_RATES if is_large(material) else RATES)[game][class_of(material)]
    by_rate = START_SECONDS + cells * rate.microseconds * 1e-6
    seconds = measured_seconds(game).get(str(material), by_rate)
    outcomes = round(cells * rate.outcomes) + START_BYTES // 2
    size = outcomes + round(cells * rate.distances) + START_BYTES // 2
    scratch = round(size * SCRATCH_FACTOR) if not fits_memory(layout) else 0
    return Cost(seconds * pace, size, outcomes, scratch, rate.serial)


Measured = Sequence[tuple[Material, FileRecord]]
"""Tables that a folder has, and what they took."""


def pace_of(measured: Iterable[tuple[Material, FileRecord]], game: Mobility = Mobility.RESET) -> float:
    """How this machine compares with ours, by the tables of a game that it has built; 1 if none is worth counting."""
    known = [
        (record.cpu_seconds, cost_of(material, game=game).cpu_seconds)
        for material, record in measured
        if record.cpu_seconds is not None and _tells(material, record)
    ]
    return sum(taken for taken, _ in known) / sum(expected for _, expected in known) if known else 1.0


def pace_for(material: Material, measured: Measured, game: Mobility = Mobility.RESET) -> float:
    """The same for a table: the more tables of its class and size of blocks there are, the more they count.

    A change of the solver, or another processor, makes one class quicker and leaves another as it is.
    """
    kind = class_of(material), is_large(material)
    like = [each for each in measured if _tells(*each) and (class_of(each[0]), is_large(each[0])) == kind]
    weight = len(like) / (len(like) + 1)
    return float(pace_of(measured, game) ** (1 - weight) * pace_of(like, game) ** weight)


def _tells(material: Material, record: FileRecord) -> bool:
    """Whether a table says something of the machine."""
    return record.cpu_seconds is not None and layout_of(material).cells >= _LARGE_CELLS


def crowding_of(measured: Measured, game: Mobility = Mobility.RESET) -> float:
    """How much longer tables took than their CPU seconds would take threads that have a processor each.

    Tables at work beside each other share processors, and other programs want them, too.
    """
    taken, alone = 0.0, 0.0
    for material, record in measured:
        wall, cpu, threads = record.wall_seconds, record.cpu_seconds, record.threads
        if wall and cpu and threads and wall >= _TELLING_SECONDS:
            taken += wall
            alone += replace(cost_of(material, game=game), cpu_seconds=cpu).wall_seconds(threads)
    return taken / alone if taken else 1.0
