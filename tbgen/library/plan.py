"""Plan: which tables are made, what each is expected to take, and what runs beside what.

The same rule, `Plan.next_starts`, tells a build what to start and the forecast what will have been started.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from tbgen.errors import NotEnoughDiskError, NotEnoughMemoryError
from tbgen.index.layout import layout_of
from tbgen.library.costs import cost_of
from tbgen.library.steps import Machine, Slot, Start, Step
from tbgen.material import Material, build_order
from tbgen.score import Mobility

_WORTH_PROCESSES = 30.0
"""From so many CPU seconds on it pays to start processes."""


@dataclass(frozen=True)
class Plan:
    """The tables to be made, in build order, and on what."""

    steps: tuple[Step, ...]
    machine: Machine
    kept: int = 0
    """How many tables are there already."""

    @property
    def cpu_seconds(self) -> float:
        """Of what there is memory for, as are the bytes."""
        return sum(step.cost.cpu_seconds for step in self.fitting)

    @property
    def bytes(self) -> int:
        """Of all the files."""
        return sum(step.cost.bytes for step in self.fitting)

    @property
    def outcome_bytes(self) -> int:
        """Of the files of outcomes alone."""
        return sum(step.cost.outcome_bytes for step in self.fitting)

    @property
    def scratch_bytes(self) -> int:
        """Of solved blocks, at the moment when most of them lie on disk."""
        return self._most(lambda slot: slot.scratch)

    @property
    def peak_memory(self) -> int:
        """Of the tables that are made side by side, at the moment when they take most."""
        return self._most(lambda slot: slot.start.memory)

    def _most(self, taken: Callable[[Slot], int]) -> int:
        """The most that the tables at work take together at any moment."""
        slots = self.schedule()
        return max((sum(map(taken, _beside(at.begins, slots))) for at in slots), default=0)

    @cached_property
    def by_urgency(self) -> list[Step]:
        """Those for which there is memory, and of these those first that most depends on."""
        return sorted(self.fitting, key=lambda step: -step.path_seconds)

    def check(self, free_disk: int | None) -> None:
        """Refuse what cannot be done, before anything is begun."""
        most = self.machine.most_memory
        if most is not None and self.too_large:
            largest = max(self.too_large, key=lambda step: step.least_memory(1))
            raise NotEnoughMemoryError(
                str(largest.material), largest.least_memory(1), most, len(self.too_large) + len(self.cut_off)
            )
        needed = self.bytes + self.scratch_bytes
        if self.steps and free_disk is not None and needed > free_disk:
            raise NotEnoughDiskError(str(self.steps[-1].material), needed, free_disk, len(self.steps))

    @cached_property
    def too_large(self) -> list[Step]:
        """Tables for which there is not enough memory, whatever lies on disk."""
        most = self.machine.most_memory
        return [] if most is None else [step for step in self.steps if step.least_memory(1) > most]

    @cached_property
    def cut_off(self) -> list[Step]:
        """Tables for which there is enough, but not for all that they need."""
        without = {step.material for step in self.too_large}
        cut_off = list[Step]()
        for step in self.steps:
            if step.material not in without and not without.isdisjoint(step.needs):
                without.add(step.material)
                cut_off.append(step)
        return cut_off

    @cached_property
    def fitting(self) -> list[Step]:
        """Tables for which there is enough, as there is for all that they need."""
        without = {step.material for step in [*self.too_large, *self.cut_off]}
        return [step for step in self.steps if step.material not in without]

    def next_starts(self, over: Collection[Material], running: Collection[Start]) -> list[Start]:
        """What is started now that some tables are made (or given up) and some are at work.

        The longest way to the end goes first. Threads that nobody else can use are shared out among those that start. A
        table for which memory is missing holds its place: what is less urgent starts only if both fit together.
        Threads that are left because of that go to those that start, as far as memory allows.
        """
        busy = {start.material for start in running}
        ready = [step for step in self.by_urgency if step.material not in busy and step.material not in over]
        ready = [step for step in ready if all(need in over for need in step.needs)]
        started, held, at_work = list[Start](), list[Start](), list(running)
        for number, step in enumerate(ready):
            jobs = self.machine.jobs - len(at_work)
            threads = self.machine.threads - sum(start.threads for start in at_work)
            if jobs <= 0 or threads <= 0:
                break
            share = math.ceil(threads / min(jobs, len(ready) - number))
            if self.machine.job_memory is not None:
                share = min(share, self.machine.threads // self.machine.jobs)
            start = self._fitting(step, share, at_work, held)
            if start is None:
                held.append(self._start(step, 1))
            else:
                started.append(start)
                at_work.append(start)
        if self.machine.job_memory is not None:
            return started
        return self._widened(started, running)

    def _widened(self, started: Sequence[Start], running: Collection[Start]) -> list[Start]:
        """The same starts, with the threads that would be idle."""
        widened = list(started)
        for number, start in enumerate(started):
            beside = [*running, *widened[:number], *widened[number + 1 :]]
            idle = self.machine.threads - start.threads - sum(each.threads for each in beside)
            widened[number] = self._fitting(start.step, start.threads + idle, beside, []) or start
        return widened

    def _fitting(self, step: Step, most_threads: int, at_work: Sequence[Start], held: Sequence[Start]) -> Start | None:
        """The start with the most threads that memory allows."""
        if self.machine.job_memory is not None:
            free: int | None = self.machine.job_memory
        elif self.machine.memory is not None:
            free = self.machine.memory - self._taken(at_work, held[0] if held else None)
        else:
            free = None
        starts = (self._start(step, threads) for threads in range(most_threads, 0, -1))
        return next((start for start in starts if free is None or start.memory <= free), None)

    def _start(self, step: Step, threads: int) -> Start:
        """A start; a table that takes more memory than there is gets all of it, and nothing runs beside it."""
        most = self.machine.most_memory
        return Start(step, threads, None if most is None or step.memory(threads) <= most else most)

    @staticmethod
    def _taken(at_work: Sequence[Start], behind: Start | None) -> int:
        """Memory in use; or, for what would start before its turn, what must stay free for the one it overtakes."""
        taken = sum(start.memory for start in at_work)
        if behind is None:
            return taken
        urgency = behind.step.path_seconds
        overtakers = sum(start.memory for start in at_work if start.step.path_seconds <= urgency)
        return max(taken, behind.memory + overtakers)

    def schedule(self, over: Iterable[Material] = (), running: Mapping[Start, float] | None = None) -> list[Slot]:
        """What is expected to run when, from now on; `running` says how long those at work have been so."""
        done, now, count = set(over), 0.0, 0
        at_work: list[tuple[float, int, Start]] = []
        slots = []
        for start, elapsed in (running or {}).items():
            ends = max(start.seconds - elapsed, 0.05 * start.seconds)
            heapq.heappush(at_work, (ends, count, start))
            slots.append(Slot(start, -elapsed, ends))
            count += 1
        while True:
            for start in self.next_starts(done, [each for _, _, each in at_work]):
                heapq.heappush(at_work, (now + start.seconds, count, start))
                slots.append(Slot(start, now, now + start.seconds))
                count += 1
            if not at_work:
                return slots
            now, _, ended = heapq.heappop(at_work)
            done.add(ended.material)

    def seconds(self, over: Iterable[Material] = (), running: Mapping[Start, float] | None = None) -> float:
        """How long it is expected to take from now on."""
        return max((slot.ends for slot in self.schedule(over, running)), default=0.0)

    def facts(self) -> dict[str, Any]:
        """The plan as JSON has it."""
        slots = self.schedule()
        return {
            "threads": self.machine.threads,
            "jobs": self.machine.jobs,
            "memory": self.machine.most_memory,
            "peak_memory": self.peak_memory,
            "kept": self.kept,
            "seconds": round(max((slot.ends for slot in slots), default=0.0), 1),
            "cpu_seconds": round(self.cpu_seconds, 1),
            "bytes": self.bytes,
            "outcome_bytes": self.outcome_bytes,
            "scratch_bytes": self.scratch_bytes,
            "tables": [slot.facts() for slot in slots],
            "too_large": [
                {"material": str(step.material), "least_memory": step.least_memory(1)} for step in self.too_large
            ],
            "cut_off": [str(step.material) for step in self.cut_off],
        }


def _beside(moment: float, slots: Iterable[Slot]) -> list[Slot]:
    return [slot for slot in slots if slot.begins <= moment < slot.ends]


def plan_of(
    wanted: Iterable[Material],
    sound: Collection[Material] = (),
    *,
    machine: Machine,
    pace: float = 1.0,
    game: Mobility = Mobility.RESET,
) -> Plan:
    """The plan for what is wanted and not there yet."""
    order = build_order(wanted)
    missing = [material for material in order if material not in sound]
    needs = {material: tuple(child for child in material.children() if child in set(missing)) for material in missing}
    costs = {material: cost_of(material, pace, game) for material in missing}
    paths = dict.fromkeys(missing, 0.0)
    for material in reversed(missing):
        paths[material] += costs[material].cpu_seconds
        for child in needs[material]:
            paths[child] = max(paths[child], paths[material])
    steps = (
        Step(material, layout_of(material).cells, costs[material], needs[material], paths[material])
        for material in missing
    )
    return Plan(tuple(steps), machine, len(order) - len(missing))


def default_jobs(plan: Plan) -> int:
    """How many tables are made side by side if nobody says: so many that the plan is shortest.

    Processes are started only where they pay.
    """
    if plan.cpu_seconds < _WORTH_PROCESSES:
        return 1
    threads = plan.machine.threads
    numbers = sorted({threads, *(1 << n for n in range(threads.bit_length()))}, reverse=True)
    return min(numbers, key=lambda jobs: replace(plan, machine=replace(plan.machine, jobs=jobs)).seconds())
