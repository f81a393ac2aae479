"""Steps: a table to be made, a table at work, and when it is; what each takes of the machine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tbgen.library.costs import Cost
from tbgen.material import Material


@dataclass(frozen=True, slots=True)
class Machine:
    """What there is to work with; memory in bytes, None where nothing limits it."""

    threads: int
    jobs: int
    """How many tables may be made side by side."""
    memory: int | None = None
    job_memory: int | None = None
    """What each job has, where jobs run on machines of their own."""

    @property
    def most_memory(self) -> int | None:
        """What a single table can have."""
        limits = [limit for limit in (self.memory, self.job_memory) if limit is not None]
        return min(limits, default=None)


@dataclass(frozen=True, slots=True)
class Step:
    """A table to be made; `needs` are those of its children that have to be made before."""

    material: Material
    cells: int
    cost: Cost
    needs: tuple[Material, ...]
    path_seconds: float
    """What has to follow one after another from here to the end, this table included, each on one thread."""

    def memory(self, threads: int) -> int:
        """Bytes that it takes on so many threads."""
        return _memory(self.material, threads)

    def least_memory(self, threads: int) -> int:
        """Bytes without which it cannot be made; with less than `memory` a part of its arrays lies on disk."""
        return _least_memory(self.material, threads)


@dataclass(frozen=True, slots=True)
class Start:
    """A table at work."""

    step: Step
    threads: int
    granted: int | None = None
    """Bytes of memory, where it cannot have all that it takes."""

    @property
    def material(self) -> Material:
        return self.step.material

    @property
    def memory(self) -> int:
        """Of the worker that makes it."""
        if self.granted is None:
            return self.step.memory(self.threads)
        return max(self.granted, self.step.least_memory(self.threads))

    @property
    def scratch_bytes(self) -> int:
        """Bytes on disk while it is made: solved blocks, and arrays that have no room in memory."""
        arrays = 0 if self.granted is None else _most_in_files(self.material, self.threads)
        return self.step.cost.scratch_bytes + arrays

    @property
    def seconds(self) -> float:
        return self.step.cost.wall_seconds(self.threads)


@dataclass(frozen=True, slots=True)
class Slot:
    """When a table is expected to be at work, in seconds from the beginning."""

    start: Start
    begins: float
    ends: float

    @property
    def scratch(self) -> int:
        """Bytes on disk meanwhile."""
        return self.start.scratch_bytes

    def facts(self) -> dict[str, Any]:
        """It as JSON has it."""
        start, step = self.start, self.start.step
        return {
            "material": str(step.material),
            "needs": [str(material) for material in step.needs],
            "cells": step.cells,
            "threads": start.threads,
            "workers": 1,
            "memory": start.memory,
            "bytes": step.cost.bytes,
            "outcome_bytes": step.cost.outcome_bytes,
            "scratch_bytes": self.scratch,
            "cpu_seconds": round(step.cost.cpu_seconds, 1),
            "path_seconds": round(step.path_seconds, 1),
            "begins": round(self.begins, 1),
            "ends": round(self.ends, 1),
        }


@lru_cache(maxsize=1024)
def _memory(material: Material, threads: int) -> int:
    from tbgen.retro import memory_needed

    return memory_needed(material, threads)


@lru_cache(maxsize=1024)
def _least_memory(material: Material, threads: int) -> int:
    from tbgen.retro import least_memory

    return least_memory(material, threads)


def _most_in_files(material: Material, threads: int) -> int:
    from tbgen.retro import most_in_files

    return most_in_files(material, threads)
