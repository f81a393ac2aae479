"""Costs: what a table takes, as measured once on our machine, and how this machine compares.

`measured/GAME.csv` has a row for each table of two to five men; `scripts/bench.py costs --write` makes it from a folder
that was built by one thread. A larger table is estimated by the cells of measured tables of its class: with or without
pawns, and by how even the sides are.
"""

from __future__ import annotations

import csv
import enum
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tbgen.index.layout import layout_of
from tbgen.library.manifest import FileRecord
from tbgen.material import Material, Role
from tbgen.score import Color, Mobility
from tbgen.table import fits_memory

MEASURED = Path(__file__).with_name("measured")

_WORTH = {Role.PAWN: 1, Role.KNIGHT: 3, Role.BISHOP: 3, Role.ROOK: 5, Role.QUEEN: 9, Role.KING: 0}
_DECIDED = 4
"""From this difference in worth on, the stronger side mostly wins."""
_LARGE_CELLS = 1 << 20
"""Smaller tables take as long as a process takes to start, and say nothing of the machine."""
_SCRATCH_FACTOR = 3.3
"""How much larger the solved blocks of a table are on disk than its files."""
_SERIAL, _SERIAL_WITH_PAWNS = 0.16, 0.07
"""The part of the work that threads do not share."""

MIB = 1 << 20
_PROGRAM_BYTES = 576 * MIB
"""The program and its kernels; two thirds of it where these have to be compiled first."""
_THREAD_BYTES = 64 * MIB
"""What a thread has in hand of a child or of solved blocks on disk."""
_ALONE, _WITH_PAWNS = {False: 20, True: 12}, {False: 10, True: 7}
"""[whether Black has a bare king] -> bytes of memory a cell, of a table of one block and of one of many.

They have a margin above the peaks in `records/built.csv`. Of a table without pawns the largest is 18.6 bytes a cell
beside the program (KBNvKB), 10.6 against a bare king; with pawns 9.1 (KBPvKN) and 6.3."""
_LEAST_ALONE, _LEAST_WITH_PAWNS = 8, 6
"""The same where the large arrays lie in files."""
_FILES_ALONE, _FILES_WITH_PAWNS = 24, 5
"""Bytes a cell of these files."""
_BLOCK_CELL_BYTES = 20
"""What a further thread takes that solves a block of its own, a cell of the block."""


class Balance(enum.Enum):
    """How even the sides are."""

    BARE = "bare king"
    DECIDED = "uneven"
    EVEN = "even"


@dataclass(frozen=True, slots=True)
class Cost:
    """What a table takes."""

    cpu_seconds: float
    outcome_bytes: int
    """The size of the outcomes file."""
    distance_bytes: int
    """The size of the distances file."""
    scratch_bytes: int
    """The disk that its solved blocks take while it is made."""
    serial: float
    """The part of the work that threads do not share."""

    @property
    def bytes(self) -> int:
        return self.outcome_bytes + self.distance_bytes

    def wall_seconds(self, threads: int) -> float:
        """How long it takes with so many threads."""
        return self.cpu_seconds * (self.serial + (1 - self.serial) / threads)


@cache
def memory_needed(material: Material, threads: int) -> int:
    """The most memory that making a canonical material's table takes, with all arrays in memory."""
    rates = _WITH_PAWNS if material.pawns else _ALONE
    return _beside_cells(material, threads) + rates[len(material.black) == 1] * layout_of(material).cells


@cache
def least_memory(material: Material, threads: int = 1) -> int:
    """The same with the large arrays in files: with less memory the table is not made."""
    rate = _LEAST_WITH_PAWNS if material.pawns else _LEAST_ALONE
    return _beside_cells(material, threads) + rate * layout_of(material).cells


def most_in_files(material: Material) -> int:
    """The disk that the large arrays take while a table is made with less memory than it takes."""
    return (_FILES_WITH_PAWNS if material.pawns else _FILES_ALONE) * layout_of(material).cells


def _beside_cells(material: Material, threads: int) -> int:
    """The program, and what each thread has for itself."""
    further = _BLOCK_CELL_BYTES * 128 * layout_of(material).block_words if material.pawns else 0
    return _PROGRAM_BYTES + threads * _THREAD_BYTES + (threads - 1) * further


Row = tuple[float, float, float]
"""CPU seconds, bytes of outcomes, bytes of distances."""


def class_of(material: Material) -> tuple[Balance, bool]:
    """The balance of a canonical material, and whether it has pawns."""
    if len(material.black) == 1:
        return Balance.BARE, material.pawns > 0
    white, black = (sum(_WORTH[role] for role in material.side(color)) for color in Color)
    return Balance.DECIDED if abs(white - black) >= _DECIDED else Balance.EVEN, material.pawns > 0


def primary_cells(material: Material) -> float:
    """The cells of a table, where each position of equal men counts once."""
    layout, orders = layout_of(material), 1
    for start, end in layout.twins:  # equal pawns have no cells to spare
        orders *= math.factorial(end - start)
    return layout.cells / orders


def measured_file(game: Mobility) -> Path:
    return MEASURED / f"{game}.csv"


@cache
def _measured(game: Mobility) -> Mapping[str, Row]:
    """[material] -> what the tables of a game took."""
    with measured_file(game).open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        next(rows)
        return {name: (float(cpu), float(outcomes), float(distances)) for name, cpu, outcomes, distances in rows}


@cache
def _rate_of(kind: tuple[Balance, bool], game: Mobility) -> Row:
    """What a primary cell of the largest measured tables of a class takes."""
    names = [name for name in _measured(game) if class_of(Material.parse(name)) == kind]
    tables = [Material.parse(name) for name in names]
    most = max(table.men for table in tables)
    large = [table for table in tables if table.men == most]
    cells = sum(primary_cells(table) for table in large)
    rows = [_measured(game)[str(table)] for table in large]
    cpu, outcomes, distances = (sum(column) / cells for column in zip(*rows, strict=True))
    return cpu, outcomes, distances


def cost_of(material: Material, pace: float = 1.0, game: Mobility = Mobility.RESET) -> Cost:
    """What a table takes on a machine that needs `pace` times the CPU seconds of ours."""
    known, layout, kind = _measured(game).get(str(material)), layout_of(material), class_of(material)
    if known is None:
        cells = primary_cells(material)
        cpu, outcomes, distances = _rate_of(kind, game)
        known = cells * cpu, cells * outcomes, cells * distances
    seconds, outcome_bytes, distance_bytes = known
    files = outcome_bytes + distance_bytes
    return Cost(
        cpu_seconds=seconds * pace,
        outcome_bytes=round(outcome_bytes),
        distance_bytes=round(distance_bytes),
        scratch_bytes=0 if fits_memory(layout) else round(files * _SCRATCH_FACTOR),
        serial=_SERIAL_WITH_PAWNS if material.pawns else _SERIAL,
    )


def pace_of(built: Iterable[tuple[Material, FileRecord]], game: Mobility = Mobility.RESET) -> float:
    """How this machine compares with ours by the tables that it has built; 1 if it has built none that takes long."""
    taken = expected = 0.0
    for material, record in built:
        if record.cpu_seconds is not None and layout_of(material).cells >= _LARGE_CELLS:
            taken += record.cpu_seconds
            expected += cost_of(material, game=game).cpu_seconds
    return taken / expected if expected else 1.0


def seconds_left(expected: float, elapsed: float, phase: str, done: float) -> float:
    """How long a table that was expected to take so long still takes.

    The share of its blocks that are solved counts, the more of them there are; what other phases say of their progress
    tells little of the time.
    """
    left = expected - elapsed
    if phase == "blocks" and done > 0:
        left = done * (elapsed / done - elapsed) + (1 - done) * left
    return max(left, elapsed / 30)
