"""Timing: what solving takes, and how callers learn of its progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tbgen.system.process import peak_bytes
from tbgen.table import Figures

Progress = Callable[[str, int | None, float, int], None]
"""Called with the phase, the level if there is one, the part done, and how many cells are decided."""


def quiet(phase: str, level: int | None, done: float, decided: int) -> None:
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

    def figures(self, sweeps: int, threads: int) -> Figures:
        """All that was measured."""
        peak = peak_bytes()
        wall, cpu = time.perf_counter() - self.wall, time.process_time() - self.cpu
        return Figures({k: round(v, 3) for k, v in self.phases.items()}, wall, cpu, peak, sweeps, threads)
