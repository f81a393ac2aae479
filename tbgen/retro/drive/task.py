"""A material on its way from children to table: what is solved, with what, and what went wrong."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import numpy as np

from tbgen.compiled.arrays import NewArray
from tbgen.errors import BuildError, RepresentationError
from tbgen.index.layout import Layout
from tbgen.material import Material
from tbgen.retro.cells.worker import FullError, Room
from tbgen.retro.drive.methods import DISTANCES, Method
from tbgen.retro.drive.runs import RunStore
from tbgen.retro.resets.children import ChildReader, ValuesSource
from tbgen.retro.resets.destinations import ChildTables, child_layouts_of
from tbgen.retro.status import (
    CHILD_HAS_NO_VALUE,
    FORCED_TWICE,
    INTERNER_FULL,
    QUEUE_FULL,
    TOO_FAR,
    TOO_HIGH,
)
from tbgen.score import Mobility
from tbgen.system.watching import WatchTable, tell_nobody
from tbgen.table import Child


class WaveReader(Protocol):
    """What brings values to hand, wave by wave.

    A block may be solved in several rounds, each with other values of what moves lead to.
    """

    @property
    def readings(self) -> Sequence[ChildTables]:
        """[round] what the blocks of the last wave need."""

    def rounds_of(self, block: int) -> Sequence[int]:
        """The rounds in which a block is solved."""

    def read_captures(self) -> None:
        """Read what stays at hand for all waves."""

    def read_wave(self, blocks: Sequence[int], solved: ValuesSource) -> None:
        """Read all that some blocks of a wave ask for."""


@dataclass(eq=False)
class Task:
    """What is to be solved, from what, to where, and with how many threads."""

    layout: Layout
    children: Mapping[Material, Child]
    store: RunStore
    threads: int
    pool: Executor
    progress: WatchTable = tell_nobody
    new: NewArray = np.zeros
    """Makes the large arrays of a table of one block."""
    mobility: Mobility = Mobility.RESET
    method: Method[Any] = DISTANCES
    phase_seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Add the time spent inside to a phase."""
        start = time.perf_counter()
        yield
        seconds = time.perf_counter() - start
        self.phase_seconds[name] = self.phase_seconds.get(name, 0.0) + seconds

    def child_reader(self) -> ChildReader:
        """What brings the values of children, and of blocks solved before, to hand."""
        return ChildReader(
            child_layouts_of(self.layout), self.children, self.pool, plies=self.method.plies
        )

    @property
    def material(self) -> Material:
        return self.layout.material

    @property
    def block_cells(self) -> int:
        """Cells of a block, both sides to move together."""
        return self.layout.block_words * 128


TOO_LARGE = {
    TOO_FAR: ("a distance of {}", "the solver's lists of distances"),
    INTERNER_FULL: ("the number of patterns of {}", "the solver's dictionary"),
    QUEUE_FULL: ("the number of positions of {} to look at", "the solver's queues"),
    TOO_HIGH: ("an outcome of {}", "the signed byte of a stored table"),
}
"""[status] what of a material is too large, and for what."""

CONTRADICTIONS = {
    FORCED_TWICE: "both sides force a position: the solver contradicts itself, please report it",
    CHILD_HAS_NO_VALUE: (
        "a child table has no value for a position that a capture or promotion leads to"
    ),
}


def check_status(material: Material, status: int) -> None:
    """Raise what a kernel's status means, if it means anything.

    Raises:
        FullError: if more room would help.
        RepresentationError: if nothing would.
        BuildError: if what has been solved contradicts itself.
    """
    if status in TOO_LARGE:
        what, where = TOO_LARGE[status]
        error = FullError if status in (INTERNER_FULL, QUEUE_FULL) else RepresentationError
        raise error(what.format(material), where)
    if status:
        raise BuildError(str(material), CONTRADICTIONS[status])


T = TypeVar("T")


def with_growing_room(room: Room, work: Callable[[Room], T]) -> T:
    """Do some work, anew with twice the room as long as the room does not suffice."""
    while True:
        try:
            return work(room)
        except FullError as full:
            room = room.doubled(full)
