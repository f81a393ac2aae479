"""The cost of a table, as measured once on the machine of the measurements, and the pace of this machine.

`measured/GAME.csv` has a row for each table of two to five men; `scripts/bench.py costs --write` makes it from a folder
that was built by one thread. A larger table is estimated by the cells of the five-man tables of its class.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from tbgen.index.layout import Layout, layout_of
from tbgen.material import Material
from tbgen.men import Kind, Role
from tbgen.score import Color, Mobility
from tbgen.storage.files import FileRecord

_WORTH: dict[Kind, int] = {
    Role.PAWN: 1,
    Role.KNIGHT: 3,
    Role.BISHOP: 3,
    Role.ROOK: 5,
    Role.QUEEN: 9,
    Role.KING: 0,
}
_OWN_WORTH = 3
"""The worth of any man of your own."""
MOST_KEPT_CELLS = 1 << 24
"""Tables with at most this many cells are solved in seconds and stay in memory."""
_DECIDED = 4
"""With this difference in worth or more, the stronger side mostly wins."""
_LARGE_CELLS = 1 << 20
"""Smaller tables take about the start of a process, and tell nothing about the machine."""
_MOST_PACE = 1000.0
"""A greater number in a manifest has been edited."""
_SCRATCH_FACTOR = 3.3
"""The size of a table's solved blocks on disk, as a multiple of its files."""

_OUTCOMES_SHARE = 0.5
"""The CPU time of outcomes alone, as a part of that of a table with distances."""

_PROGRAM_BYTES = 576 << 20
"""The program and its kernels; two thirds of it if the kernels have to be compiled first."""
_THREAD_BYTES = 64 << 20
"""The memory of a thread for parts of a child or of solved blocks on disk."""


class _Rates(NamedTuple):
    """The costs of tables with or without pawns, in bytes a cell unless a field says otherwise.

    The memory has a margin above the peaks in `records/built.csv`. Of a table without pawns the largest is 18.6 bytes
    a cell beside the program (KBNvKB), 10.6 against a bare king; with pawns 9.1 (KBPvKN) and 6.3.
    """

    memory: int
    outcomes: int
    """The memory of outcomes alone: 12.9 for KRNvKR."""
    against_bare_king: int
    least: int
    """The memory if the large arrays lie in files."""
    files: int
    """The size of these files."""
    further: int
    """The memory of another thread, which solves a block of its own, for each cell of the block."""
    serial: float
    """The part of the work that threads do not share."""


_RATES = {
    False: _Rates(
        memory=20, outcomes=14, against_bare_king=12, least=8, files=24, further=0, serial=0.16
    ),
    True: _Rates(
        memory=10, outcomes=10, against_bare_king=7, least=6, files=5, further=20, serial=0.07
    ),
}
"""[whether a table has pawns] -> its rates."""


@dataclass(frozen=True, slots=True)
class TableCost:
    """The cost of a table on the machine of the measurements."""

    cpu_seconds: float
    outcome_bytes: int
    bytes: int
    """The size of its files."""
    scratch_bytes: int
    """The disk that its solved blocks take during the build."""
    serial: float
    """The part of the work that threads do not share."""

    def wall_seconds(self, threads: int) -> float:
        """The seconds that it takes with so many threads."""
        return self.cpu_seconds * (self.serial + (1 - self.serial) / threads)


@cache
def memory_needed(material: Material, threads: int, outcomes_only: bool = False) -> int:
    """The most memory that a canonical material's table takes during its build, with all arrays in memory."""
    rates = _RATES[material.pawns > 0]
    rate = rates.outcomes if outcomes_only else rates.memory
    return _memory(
        material, threads, min(rate, rates.against_bare_king) if len(material.black) == 1 else rate
    )


@cache
def least_memory(material: Material, threads: int = 1) -> int:
    """The same with the large arrays in files: with less memory the table is not made."""
    return _memory(material, threads, _RATES[material.pawns > 0].least)


def most_in_files(material: Material) -> int:
    """The disk that the large arrays take if the table is made with less memory than it needs."""
    return _RATES[material.pawns > 0].files * layout_of(material).cells


def _memory(material: Material, threads: int, rate: int) -> int:
    layout = layout_of(material)
    further = _RATES[material.pawns > 0].further * 128 * layout.block_words
    return _PROGRAM_BYTES + threads * _THREAD_BYTES + (threads - 1) * further + rate * layout.cells


def class_of(material: Material) -> tuple[str, bool]:
    """The class of a canonical material: how even its sides are, and whether it has pawns. Costs a cell are similar
    within a class.
    """
    white, black = (
        sum(_WORTH.get(role, _OWN_WORTH) for role in material.side(color)) for color in Color
    )
    balance = "uneven" if abs(white - black) >= _DECIDED else "even"
    return "bare king" if len(material.black) == 1 else balance, material.pawns > 0


def primary_cells(material: Material) -> float:
    """The cells of a table, where each position of equal men counts once."""
    layout = layout_of(material)  # equal pawns have no spare cells
    return layout.cells / math.prod(math.factorial(end - start) for start, end in layout.twins)


def measured_file(mobility: Mobility) -> Path:
    return Path(__file__).with_name("measured") / f"{mobility}.csv"


@cache
def _measured(mobility: Mobility) -> Mapping[Material, Sequence[float]]:
    """The CPU seconds, bytes of outcomes and bytes of distances of the tables of a mobility."""
    with measured_file(mobility).open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
        return {Material.parse(name): [*map(float, figures)] for name, *figures in rows}


@cache
def _rates_by_cell(kind: tuple[str, bool], mobility: Mobility) -> Sequence[float]:
    """The costs of a primary cell, in the units of `_measured`: for the largest measured tables of a class."""
    known = _measured(mobility)
    most = max(material.men for material in known)
    large = [material for material in known if material.men == most and class_of(material) == kind]
    cells = sum(map(primary_cells, large))
    return [
        sum(column) / cells for column in zip(*(known[material] for material in large), strict=True)
    ]


def fits_memory(layout: Layout) -> bool:
    """Whether a table's solved blocks stay in memory: if it is small, or has just one."""
    return len(layout.blocks) == 1 or layout.cells <= MOST_KEPT_CELLS


def cost_of(
    material: Material, mobility: Mobility = Mobility.RESET, *, outcomes_only: bool = False
) -> TableCost:
    """The cost of a table, as measured or by its class."""
    figures = _measured(mobility).get(material)
    if figures is None:
        figures = [
            primary_cells(material) * rate for rate in _rates_by_cell(class_of(material), mobility)
        ]
    outcomes, size = round(figures[1]), round(figures[1]) + round(figures[2])
    scratch = 0 if fits_memory(layout_of(material)) else round(size * _SCRATCH_FACTOR)
    seconds = figures[0] * (_OUTCOMES_SHARE if outcomes_only else 1.0)
    kept, serial = outcomes if outcomes_only else size, _RATES[material.pawns > 0].serial
    return TableCost(seconds, outcomes, kept, scratch, serial)


class Pace(NamedTuple):
    """What tables take on this machine, as multiples of what they took on that of the measurements."""

    wall: float = 1.0
    """Of seconds that pass, which other programs on the machine make longer."""
    cpu: float = 1.0
    """Of CPU seconds."""


MEASURED: Final = Pace()
"""The pace of the machine of the measurements."""


def pace_of(
    built: Iterable[tuple[Material, FileRecord]], mobility: Mobility = Mobility.RESET
) -> Pace:
    """The pace of tables that were built here; that of the measurements without a large one."""
    wall_seconds = expected_wall_seconds = 0.0
    cpu_seconds = expected_cpu_seconds = 0.0
    for material, made in built:
        is_large = layout_of(material).cells >= _LARGE_CELLS
        cost = cost_of(material, mobility, outcomes_only=made.sha256_of_distances is None)
        if is_large and made.wall_seconds and made.threads:
            wall_seconds += made.wall_seconds
            expected_wall_seconds += cost.wall_seconds(made.threads)
        if is_large and made.cpu_seconds:
            cpu_seconds += made.cpu_seconds
            expected_cpu_seconds += cost.cpu_seconds
    return Pace(
        _multiple(wall_seconds, expected_wall_seconds),
        _multiple(cpu_seconds, expected_cpu_seconds),
    )


def _multiple(seconds: float, expected: float) -> float:
    """How many times as long as expected; 1 where nothing was expected."""
    if not expected:
        return 1.0
    return min(max(seconds / expected, 1 / _MOST_PACE), _MOST_PACE)


def seconds_left(expected: float, elapsed: float, phase: str, done: float) -> float:
    """The seconds left for a table with this expected time.

    The share of its blocks that are solved counts, the more of them there are; what other phases say of their progress
    tells little of the time.
    """
    left = expected - elapsed
    if phase == "blocks" and done > 0:
        left = done * (elapsed / done - elapsed) + (1 - done) * left
    return max(left, elapsed / 30)
