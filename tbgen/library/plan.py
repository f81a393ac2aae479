"""A plan: the tables to make, the cost of each, and which of them run side by side.

One greedy rule, `Plan.next_starts`, tells a build what to start, and the forecast what the build
will start.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from typing import Any

from tbgen.errors import NotEnoughDiskError, NotEnoughMemoryError
from tbgen.facts import facts_of, plain
from tbgen.index.layout import layout_of
from tbgen.library.costs import (
    MEASURED,
    Pace,
    TableCost,
    cost_of,
    least_memory,
    memory_needed,
    most_in_files,
)
from tbgen.material import Material, TableMaterial, build_order
from tbgen.score import Mobility

_WORTH_PROCESSES = 30.0
"""A build of at least so many CPU seconds starts processes."""
_LATE = 0.05
"""A table that takes longer than expected is expected to take this part of its time from now on."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The resources of a build."""

    threads: int = 1
    """The threads of all tables together."""
    jobs: int = 0
    """The most tables that are made side by side, in processes if more than one.

    0 leaves the number to the plan.
    """
    memory: int | None = None
    """The memory of all tables together; on a cluster, of each.

    A build without it takes all free memory.
    """
    cluster: str | None = None
    """The address of a dask scheduler.

    Each table then has a machine of its own, with an equal share of the threads.
    """
    outcomes_only: bool = False
    """Make outcomes alone."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A table to be made."""

    material: TableMaterial
    cost: TableCost
    needs: tuple[TableMaterial, ...]
    """Its children that have to be made first."""
    path_seconds: float
    """CPU seconds of the longest chain of tables that begins with this one."""


@dataclass(frozen=True, slots=True)
class Start:
    """A table at work, or in a forecast."""

    step: Step
    threads: int
    memory: int
    is_short: bool = False
    """Whether that is less memory than it needs: some of its arrays then lie in files."""
    begins: float = 0.0
    ends: float = 0.0
    """Both in seconds from now, in a forecast."""

    @property
    def material(self) -> TableMaterial:
        return self.step.material

    @property
    def scratch_bytes(self) -> int:
        """The disk for its solved blocks, and for the arrays that memory has no room for."""
        arrays = most_in_files(self.material) if self.is_short else 0
        return self.step.cost.scratch_bytes + arrays


@dataclass(frozen=True)
class Plan:
    """The tables to be made, in build order, and the resources for them."""

    steps: tuple[Step, ...]
    settings: Settings
    kept: int = 0
    """The number of tables that exist already."""
    pace: Pace = MEASURED

    @property
    def cpu_seconds(self) -> float:
        """CPU seconds of all tables that fit memory."""
        return self.pace.cpu * sum(step.cost.cpu_seconds for step in self.fitting)

    @property
    def bytes(self) -> int:
        return sum(step.cost.bytes for step in self.fitting)

    @cached_property
    def starts(self) -> list[Start]:
        """The forecast of each table from the beginning."""
        return self.schedule()

    @cached_property
    def scratch_bytes(self) -> int:
        """The most disk that tables take together during their builds."""
        return self._most_at_once(lambda start: start.scratch_bytes)

    @cached_property
    def peak_memory(self) -> int:
        """The most memory that tables take together during their builds."""
        return self._most_at_once(lambda start: start.memory)

    @cached_property
    def too_large(self) -> list[Step]:
        """Tables that need more memory than there is, even with arrays in files."""
        most = self.settings.memory
        if most is None:
            return []
        return [step for step in self.steps if self._least_memory(step.material) > most]

    def _least_memory(self, material: TableMaterial) -> int:
        """The memory without which a table is not made, by a single thread."""
        return least_memory(material, 1, self.settings.outcomes_only)

    @cached_property
    def fitting(self) -> list[Step]:
        """The tables that can be made."""
        return [start.step for start in self.starts]

    @cached_property
    def cut_off(self) -> list[Step]:
        """Tables that would fit, but need one that does not."""
        others = [*self.fitting, *self.too_large]
        return [step for step in self.steps if step not in others]

    def check(self, free_disk: int | None) -> None:
        """Refuse an impossible plan before anything begins."""
        memory = self.settings.memory
        if memory is not None and self.too_large:
            largest = max((step.material for step in self.too_large), key=self._least_memory)
            tables = len(self.too_large) + len(self.cut_off)
            least = self._least_memory(largest)
            raise NotEnoughMemoryError(str(largest), least, memory, tables)
        needed = self.bytes + self.scratch_bytes
        if self.steps and free_disk is not None and needed > free_disk:
            last = self.steps[-1].material
            raise NotEnoughDiskError(str(last), needed, free_disk, len(self.steps))

    def next_starts(
        self, over: Collection[TableMaterial], running: Collection[Start]
    ) -> list[Start]:
        """What to start now that some tables are over (made or given up) and some are at work.

        The longest chain goes first. A table that waits for memory is not overtaken, for it might
        wait for ever. The threads are shared out evenly; those that nobody else can use go to the
        tables that start.
        """
        ready = self._ready(over, running)[: self.settings.jobs - len(running)]
        starts = list[Start]()
        for number, step in enumerate(ready):
            start = self._fitted(step, [*running, *starts], sharers=len(ready) - number)
            if start is None:
                break
            starts.append(start)
        for number, start in enumerate(starts):
            others = [*running, *starts[:number], *starts[number + 1 :]]
            starts[number] = self._fitted(start.step, others) or start
        return starts

    def schedule(
        self, over: Iterable[TableMaterial] = (), running: Iterable[Start] = ()
    ) -> list[Start]:
        """The forecast of each table. Those at work may have begun before now."""
        done = set(over)
        at_work = list[Start]()
        for start in running:
            seconds = self.seconds_of(start)
            at_work.append(replace(start, ends=max(start.begins + seconds, _LATE * seconds)))
        starts = list(at_work)
        now = 0.0
        while True:
            for start in self.next_starts(done, at_work):
                begun = replace(start, begins=now, ends=now + self.seconds_of(start))
                starts.append(begun)
                at_work.append(begun)
            if not at_work:
                return starts
            first_end = min(at_work, key=attrgetter("ends"))
            at_work.remove(first_end)
            done.add(first_end.material)
            now = first_end.ends

    def seconds_of(self, start: Start) -> float:
        return self.pace.wall * start.step.cost.wall_seconds(start.threads)

    def seconds(self, over: Iterable[TableMaterial] = (), running: Iterable[Start] = ()) -> float:
        """The expected seconds from now on."""
        return max((start.ends for start in self.schedule(over, running)), default=0.0)

    def facts(self) -> dict[str, Any]:
        """The plan as JSON has it."""
        return {
            **facts_of(self.settings, "threads", "jobs", "memory"),
            **facts_of(self, "peak_memory", "kept", "bytes"),
            "outcome_bytes": sum(step.cost.outcome_bytes for step in self.fitting),
            "scratch_bytes": self.scratch_bytes,
            "seconds": round(self.seconds(), 1),
            "cpu_seconds": round(self.cpu_seconds, 1),
            "tables": [self._facts_of(start) for start in self.starts],
            "too_large": [
                facts_of(step, "material", least_memory=self._least_memory(step.material))
                for step in self.too_large
            ],
            "cut_off": plain([step.material for step in self.cut_off]),
        }

    def _facts_of(self, start: Start) -> dict[str, Any]:
        step = start.step
        return {
            **facts_of(step, "material", "needs"),
            "cells": layout_of(step.material).cells,
            "workers": 1,
            **facts_of(start, "threads", "memory", "scratch_bytes"),
            **facts_of(step.cost, "bytes", "outcome_bytes"),
            "cpu_seconds": round(self.pace.cpu * step.cost.cpu_seconds, 1),
            "path_seconds": round(self.pace.cpu * step.path_seconds, 1),
            "begins": round(start.begins, 1),
            "ends": round(start.ends, 1),
        }

    def _ready(self, over: Collection[TableMaterial], running: Collection[Start]) -> list[Step]:
        """The tables whose children are there, the longest chain first."""
        done = set(over)
        begun = done | {start.material for start in running}
        ready = list[Step]()
        for step in self.steps:
            is_waiting = step.material not in begun and step not in self.too_large
            if is_waiting and done.issuperset(step.needs):
                ready.append(step)
        return sorted(ready, key=attrgetter("path_seconds"), reverse=True)

    def _fitted(self, step: Step, at_work: Sequence[Start], sharers: int = 1) -> Start | None:
        """The start of a table with the most threads that memory allows.

        `sharers` tables share the idle threads. A table that takes all memory runs alone.
        """
        if self.settings.cluster is not None:  # each table has a machine of its own
            at_work = ()
            sharers = self.settings.jobs
        idle_threads = self.settings.threads - sum(start.threads for start in at_work)
        memory = sys.maxsize if self.settings.memory is None else self.settings.memory
        free = memory - sum(start.memory for start in at_work)
        most_threads = math.ceil(idle_threads / sharers)
        for threads in range(most_threads, 0, -1):
            needed = memory_needed(step.material, threads, self.settings.outcomes_only)
            if needed <= free:
                return Start(step, threads, needed)
        is_alone = free == memory
        if is_alone:
            for threads in range(most_threads, 0, -1):
                least = least_memory(step.material, threads, self.settings.outcomes_only)
                if least <= free:
                    return Start(step, threads, free, is_short=True)
        return None

    def _most_at_once(self, taken: Callable[[Start], int]) -> int:
        """The most that tables at work together take of something.

        That changes only when one begins.
        """
        most = 0
        for beginning in self.starts:
            now = beginning.begins
            at_work = [start for start in self.starts if start.begins <= now < start.ends]
            most = max(most, sum(map(taken, at_work)))
        return most


def plan_of(
    wanted: Iterable[Material],
    sound: Collection[TableMaterial] = (),
    *,
    settings: Settings,
    pace: Pace = MEASURED,
    mobility: Mobility = Mobility.RESET,
) -> Plan:
    """The plan for wanted tables that are not there yet, and for all that they need."""
    order = build_order(wanted)
    missing = [material for material in order if material not in sound]
    paths = dict.fromkeys(missing, 0.0)
    """[material] -> the CPU seconds of the longest chain that begins with it."""
    steps = list[Step]()
    for material in reversed(missing):
        cost = cost_of(material, mobility, outcomes_only=settings.outcomes_only)
        needs = tuple(child for child in material.children() if child in paths)
        paths[material] += cost.cpu_seconds
        for child in needs:
            paths[child] = max(paths[child], paths[material])
        steps.append(Step(material, cost, needs, paths[material]))
    steps.reverse()
    plan = Plan(tuple(steps), settings, len(order) - len(missing), pace)
    if settings.jobs == 0:
        return with_default_jobs(plan)
    return plan


def with_default_jobs(plan: Plan) -> Plan:
    """The plan with the number of tables side by side that makes it shortest.

    Processes start only where they pay.
    """

    def with_jobs(jobs: int) -> Plan:
        return replace(plan, settings=replace(plan.settings, jobs=jobs))

    one_by_one = with_jobs(1)
    if one_by_one.cpu_seconds < _WORTH_PROCESSES:
        return one_by_one
    threads = plan.settings.threads
    powers_of_two = [1 << exponent for exponent in range(threads.bit_length())]
    plans = [with_jobs(jobs) for jobs in sorted({threads, *powers_of_two}, reverse=True)]
    return min(plans, key=Plan.seconds)
