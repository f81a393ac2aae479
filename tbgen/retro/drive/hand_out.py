"""Hand-out: the runs of a wave, given to whoever is ready to solve one: a thread here, or one of another process.

Both ask in the same way. A run whose solver is lost is given to the next one that asks.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from tbgen.compiled.arrays import Ints
from tbgen.handover import Distances, Entries
from tbgen.retro.drive.run_solver import Blocks, SolvedRun


class Needed(NamedTuple):
    """A run of blocks, and what it needs of blocks that were solved before, for a process that does not have them."""

    blocks: Blocks
    planes: Ints
    """The planes of the table itself that it asks for, in ascending order."""
    entry: Entries
    dtg: Distances
    """What their cells hold, plane after plane."""
    en_passant: tuple[Entries, Distances]
    """Values of their blocks with a right to take en passant, block after block."""


class Shared(Protocol):
    """A table's blocks, for other processes; safe to call from several threads."""

    def take(self) -> Needed | None:
        """The next run, once there is one; None when there will be no more."""

    def keep(self, solved: SolvedRun, cpu_seconds: float) -> None:
        """Keep a run that was taken and has been solved in another process, which took so long."""

    def give_back(self, blocks: Blocks) -> None:
        """Let others solve a run that was taken, because its solver is lost."""


class Helpers(Protocol):
    """Other processes that solve blocks of a table."""

    @property
    def threads(self) -> int:
        """How many they have together, at most."""

    def at_work(self, shared: Shared) -> AbstractContextManager[None]:
        """Let them take part; those that come late, or are lost on the way, do no harm."""


class HandOut:
    """The runs of one wave after another, each given to one thread at a time."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._open: deque[Blocks] = deque()
        self._out: set[Blocks] = set()
        self._error: BaseException | None = None
        self._is_over = False

    def solve_all(self, runs: Iterable[Blocks]) -> None:
        """Hand out the runs of a wave, and wait until all are done; what a thread failed with is raised here."""
        with self._changed:
            self._open.extend(runs)
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._error is not None or not (self._open or self._out))
            if self._error is not None:
                raise self._error

    def take(self) -> Blocks | None:
        """The next run, once there is one; None when there will be no more."""
        with self._changed:
            self._changed.wait_for(lambda: self._open or self._is_over)
            if self._is_over:
                return None
            blocks = self._open.popleft()
            self._out.add(blocks)
            return blocks

    def is_out(self, blocks: Blocks) -> bool:
        """Whether somebody has a run who may still bring it."""
        with self._changed:
            return blocks in self._out

    def done(self, blocks: Blocks) -> None:
        """A run is kept."""
        with self._changed:
            self._out.discard(blocks)
            self._changed.notify_all()

    def give_back(self, blocks: Blocks) -> None:
        """A run is to be given to somebody else; not again if it is."""
        with self._changed:
            if blocks in self._out:
                self._out.remove(blocks)
                self._open.appendleft(blocks)
                self._changed.notify_all()

    def fail(self, error: BaseException) -> None:
        """No run is worth solving any more."""
        with self._changed:
            self._error = self._error or error
        self.close()

    def close(self) -> None:
        """There are no more runs."""
        with self._changed:
            self._is_over = True
            self._changed.notify_all()
