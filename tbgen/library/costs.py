"""The cost of a table, as measured once on one machine, and the pace of this machine.

`measured/GAME.csv` has a row for each table of two to five men, and the outcomes of the thirty
tables of pairs; `scripts/bench.py costs --write` makes it from a folder that was built by one
thread. What it does not have is estimated by the cells of the five-man tables of the same class.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from tbgen.index.layout import Layout, layout_of
from tbgen.material import TableMaterial, table_named
from tbgen.men import AnyMan, Role
from tbgen.score import Mobility
from tbgen.storage.files import FileRecord
from tbgen.storage.order import MOST_KEPT_PLACES

_WORTH: dict[AnyMan, int] = {
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
_LEAST_LEFT = 30
"""A table at work takes at least one part of this many of its time so far, whatever was expected.
"""
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

    The memory has a margin above the peaks in `records/built.csv`. Of a table without pawns the
    largest is 18.6 bytes a cell beside the program (KBNvKB), 10.6 against a bare king; with pawns
    10.9 (KBPvKR) and 5.5. A test holds every recorded peak below its plan.
    """

    memory: float
    outcomes: float
    """The memory of outcomes alone: 12.9 for KRNvKR, 4.8 for KRPvKR."""
    against_bare_king: int
    least: float
    """The memory if the large arrays lie in files."""
    files: int
    """The size of these files."""
    further: int
    """The memory of another thread, which solves a block of its own, for each cell of the block."""
    serial: float
    """The part of the work that threads do not share."""


_WITHOUT_PAWNS = _Rates(
    memory=20, outcomes=14, against_bare_king=12, least=8, files=24, further=0, serial=0.16
)
_WITH_PAWNS = _Rates(
    memory=12, outcomes=7, against_bare_king=7, least=6, files=5, further=20, serial=0.07
)
_NOT_KEPT = _Rates(
    memory=8, outcomes=2.0, against_bare_king=7, least=6, files=1, further=20, serial=0.07
)
"""Those of larger tables with pawns, the numbers of whose states are not kept.

For outcomes, 1.9 for KRPvKNP with pairs, and less for others. The other rates are estimates.
"""


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
        return self.cpu_seconds * (self.serial + (1 - self.serial) / threads)


@cache
def memory_needed(material: TableMaterial, threads: int, outcomes_only: bool = False) -> int:
    """The most memory that building a canonical table takes, with all arrays in memory."""
    rates = _rates_of(material)
    rate = rates.outcomes if outcomes_only else rates.memory
    if len(material.black) == 1:
        rate = min(rate, rates.against_bare_king)
    return _memory(material, threads, rate)


@cache
def least_memory(material: TableMaterial, threads: int = 1, outcomes_only: bool = False) -> int:
    """The same with the large arrays in files: with less memory the table is not made."""
    rates = _rates_of(material)
    least = min(rates.least, rates.outcomes) if outcomes_only else rates.least
    return _memory(material, threads, least)


def most_in_files(material: TableMaterial) -> int:
    """The disk that the large arrays take if the table is made with less memory than it needs."""
    return _rates_of(material).files * layout_of(material).cells


def _memory(material: TableMaterial, threads: int, rate: float) -> int:
    """The memory with so many bytes a cell."""
    layout = layout_of(material)
    cells_of_block = 2 * 64 * layout.block_words
    further_threads = (threads - 1) * _rates_of(material).further * cells_of_block
    of_cells = round(rate * layout.cells)
    return _PROGRAM_BYTES + threads * _THREAD_BYTES + further_threads + of_cells


def _rates_of(material: TableMaterial) -> _Rates:
    if not material.pawns:
        return _WITHOUT_PAWNS
    if layout_of(material).cells > MOST_KEPT_PLACES:
        return _NOT_KEPT
    return _WITH_PAWNS


def class_of(material: TableMaterial) -> tuple[str, bool]:
    """The class of a canonical material: how even its sides are, and whether it has pawns.

    Costs a cell are similar within a class.
    """
    has_pawns = material.pawns > 0
    if len(material.black) == 1:
        return "bare king", has_pawns
    if abs(_worth_of(material.white) - _worth_of(material.black)) >= _DECIDED:
        return "uneven", has_pawns
    return "even", has_pawns


def _worth_of(men: Iterable[AnyMan]) -> int:
    return sum(_WORTH.get(role, _OWN_WORTH) for role in men)


def primary_cells(material: TableMaterial) -> float:
    """The cells of a table, where each position of equal men counts once."""
    layout = layout_of(material)
    copies = 1
    for start, end in layout.twins:  # equal pawns have no spare cells
        copies *= math.factorial(end - start)
    return layout.cells / copies


def measured_file(mobility: Mobility) -> Path:
    return Path(__file__).with_name("measured") / f"{mobility}.csv"


class _MeasuredCost(NamedTuple):
    """What a table took, or a primary cell of some tables."""

    cpu_seconds: float
    outcome_bytes: float
    distance_bytes: float


@cache
def _measured(mobility: Mobility) -> Mapping[TableMaterial, _MeasuredCost]:
    """The figures of the tables of a mobility that were built with distances."""
    measured = dict[TableMaterial, _MeasuredCost]()
    for name, *figures in _rows(mobility):
        if all(figures):
            measured[table_named(name)] = _MeasuredCost(*map(float, figures))
    return measured


@cache
def _known_outcome_bytes(mobility: Mobility) -> Mapping[TableMaterial, int]:
    """The sizes of all files of outcomes that are known."""
    return {table_named(name): int(size) for name, _, size, _ in _rows(mobility)}


def _rows(mobility: Mobility) -> list[list[str]]:
    """The rows of the file of a mobility; figures that nobody has measured are empty."""
    with measured_file(mobility).open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    return rows


@cache
def _figures_of_cell(kind: tuple[str, bool], mobility: Mobility) -> _MeasuredCost:
    """The figures of a primary cell of the largest measured tables of a class."""
    measured = _measured(mobility)
    most_men = max(material.men for material in measured)
    cells = 0.0
    cpu_seconds = 0.0
    outcome_bytes = 0.0
    distance_bytes = 0.0
    for material, figures in measured.items():
        if material.men == most_men and class_of(material) == kind:
            cells += primary_cells(material)
            cpu_seconds += figures.cpu_seconds
            outcome_bytes += figures.outcome_bytes
            distance_bytes += figures.distance_bytes
    return _MeasuredCost(cpu_seconds / cells, outcome_bytes / cells, distance_bytes / cells)


def fits_memory(layout: Layout) -> bool:
    """Whether a table's solved blocks stay in memory: if it is small, or has just one."""
    return len(layout.blocks) == 1 or layout.cells <= MOST_KEPT_CELLS


def cost_of(
    material: TableMaterial, mobility: Mobility = Mobility.RESET, *, outcomes_only: bool = False
) -> TableCost:
    """The cost of a table, as measured or by its class."""
    figures = _measured(mobility).get(material) or _estimated(material, mobility)
    outcome_bytes = round(figures.outcome_bytes)
    both_bytes = outcome_bytes + round(figures.distance_bytes)
    scratch_bytes = 0
    if not fits_memory(layout_of(material)):
        scratch_bytes = round(both_bytes * _SCRATCH_FACTOR)
    cpu_seconds = figures.cpu_seconds
    if outcomes_only:
        cpu_seconds *= _OUTCOMES_SHARE
    return TableCost(
        cpu_seconds,
        outcome_bytes,
        bytes=outcome_bytes if outcomes_only else both_bytes,
        scratch_bytes=scratch_bytes,
        serial=_rates_of(material).serial,
    )


def _estimated(material: TableMaterial, mobility: Mobility) -> _MeasuredCost:
    """The figures of a table by its class, and its own outcomes if their size is known.

    Distances grow with the outcomes.
    """
    cells = primary_cells(material)
    of_cell = _figures_of_cell(class_of(material), mobility)
    estimated_bytes = cells * of_cell.outcome_bytes
    outcome_bytes = _known_outcome_bytes(mobility).get(material, estimated_bytes)
    return _MeasuredCost(
        cells * of_cell.cpu_seconds,
        outcome_bytes,
        cells * of_cell.distance_bytes * outcome_bytes / estimated_bytes,
    )


class Pace(NamedTuple):
    """What tables take here, as multiples of what they took on the machine of the measurements."""

    wall: float = 1.0
    """Of seconds that pass, which other programs on the machine make longer."""
    cpu: float = 1.0
    """Of CPU seconds."""


MEASURED: Final = Pace()
"""The pace of the machine of the measurements."""


def pace_of(
    built: Iterable[tuple[TableMaterial, FileRecord]], mobility: Mobility = Mobility.RESET
) -> Pace:
    """The pace of tables that were built here; that of the measurements without a large one."""
    wall_seconds = expected_wall_seconds = 0.0
    cpu_seconds = expected_cpu_seconds = 0.0
    for material, file in built:
        is_large = layout_of(material).cells >= _LARGE_CELLS
        cost = cost_of(material, mobility, outcomes_only=file.sha256_of_distances is None)
        if is_large and file.wall_seconds and file.threads:
            wall_seconds += file.wall_seconds
            expected_wall_seconds += cost.wall_seconds(file.threads)
        if is_large and file.cpu_seconds:
            cpu_seconds += file.cpu_seconds
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

    The share of its blocks that are solved counts, the more of them there are; what other phases
    say of their progress tells little of the time.
    """
    left = expected - elapsed
    if phase == "blocks" and done > 0:
        left_by_blocks = elapsed / done - elapsed
        left = done * left_by_blocks + (1 - done) * left
    return max(left, elapsed / _LEAST_LEFT)
