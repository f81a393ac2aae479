"""A material on its way from children to table: what is solved, with what, and what it has taken so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from tbgen.errors import BuildError, RepresentationError
from tbgen.index.layout import Layout
from tbgen.material import Material
from tbgen.retro.drive.runs import BlockStore
from tbgen.retro.levels.forcer import FORCED_TWICE, INTERNER_FULL, QUEUE_FULL, STATUS, TOO_FAR, TOO_HIGH, Worker
from tbgen.retro.levels.histories import OVERFLOWED
from tbgen.retro.resets.children import ChildReader
from tbgen.retro.resets.destinations import ChildLayouts, child_layouts_of
from tbgen.retro.words.geometry import Geometry, geometry_of
from tbgen.score import Mobility
from tbgen.system.process import peak_bytes
from tbgen.table import Child, Figures

Progress = Callable[[str, int | None, float, int], None]
"""Called with the phase, the accrued code if there is one, the part done, and how many cells are decided."""

NewArray = Callable[[int, npt.DTypeLike], npt.NDArray[Any]]
"""Makes a flat array of zeros: in memory, or in a file where memory is short."""


def quiet(phase: str, code: int | None, done: float, decided: int) -> None:
    """No progress."""


@dataclass
class Timer:
    """Seconds by phase."""

    phases: dict[str, float] = field(default_factory=dict)
    wall: float = field(default_factory=time.perf_counter)
    cpu: float = field(default_factory=time.process_time)

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Add the time spent inside to a phase."""
        start = time.perf_counter()
        yield
        self.phases[name] = self.phases.get(name, 0.0) + time.perf_counter() - start

    def figures(self, threads: int) -> Figures:
        """All that was measured."""
        wall, cpu = time.perf_counter() - self.wall, time.process_time() - self.cpu
        return Figures({k: round(v, 3) for k, v in self.phases.items()}, wall, cpu, peak_bytes(), threads)


@dataclass(eq=False)
class Task:
    """What is to be solved, from what, to where, and with how many threads."""

    layout: Layout
    children: Mapping[Material, Child]
    store: BlockStore
    threads: int
    pool: Executor
    progress: Progress = quiet
    new: NewArray = np.zeros
    """Makes the large arrays of a table of one block."""
    game: Mobility = Mobility.RESET
    timer: Timer = field(default_factory=Timer)
    geometry: Geometry = field(init=False)
    child_layouts: ChildLayouts = field(init=False)
    pawns: npt.NDArray[np.int64] = field(init=False)
    """[block, pawn] -> square."""

    def __post_init__(self) -> None:
        self.geometry = geometry_of(self.layout)
        self.child_layouts = child_layouts_of(self.layout)
        blocks = len(self.layout.blocks)
        self.pawns = np.array(self.layout.blocks, np.int64).reshape(blocks, self.layout.pawns)

    def child_reader(self) -> ChildReader:
        """What brings the values of children, and of blocks solved before, to hand."""
        return ChildReader(self.child_layouts, self.children, self.pool)

    @property
    def material(self) -> Material:
        return self.layout.material

    @property
    def block_cells(self) -> int:
        """Cells of a block, both sides to move together."""
        return self.layout.block_words * 128


def check_status(material: Material, status: int) -> None:
    """Raise what a kernel's status means, if it means anything."""
    if status == TOO_FAR:
        raise RepresentationError(f"a distance of {material}", "the solver's lists of distances")
    if status == INTERNER_FULL:
        raise RepresentationError(f"the number of patterns of {material}", "the solver's dictionary")
    if status == QUEUE_FULL:
        raise RepresentationError(f"the number of positions of {material} to look at", "the solver's queues")
    if status == TOO_HIGH:
        raise RepresentationError(f"an outcome of {material}", "the signed byte of a stored table")
    if status == FORCED_TWICE:
        reason = "both sides force a position: the solver contradicts itself, please report it"
        raise BuildError(str(material), reason)
    if status:
        reason = "a child table has no value for a position that a capture or promotion leads to"
        raise BuildError(str(material), reason)


def check_worker(material: Material, worker: Worker) -> None:
    """Raise what went wrong in a worker."""
    interners = (worker.white.interner, worker.black.interner, worker.pairs)
    check_status(material, INTERNER_FULL if any(interner.state[OVERFLOWED] for interner in interners) else 0)
    check_status(material, int(worker.white.state[STATUS] or worker.black.state[STATUS]))
