"""Build: from wanted materials to table files, children first.

A table that is sound is left alone; one that is missing, damaged or outdated is made. Each file appears
whole or not at all, so a build that ends at any moment is taken up again by the same call. Whoever builds
holds the folder's lock and writes its manifest; the workers only put files there.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from tbgen.compiled.ahead import compile_for
from tbgen.compiled.known import Purpose
from tbgen.errors import BuildError, NotEnoughDiskError, TbgenError
from tbgen.library.costs import cost_of, crowding_of, pace_for, pace_of
from tbgen.library.estimate import Estimate, solving_share
from tbgen.library.limits import available_memory, free_disk
from tbgen.library.making import remove_blocks
from tbgen.library.manifest import FileRecord, read_manifest, record
from tbgen.library.passing import are_marked, enough, let_go, mark, unmark
from tbgen.library.plan import Plan, default_jobs, plan_of
from tbgen.library.steps import Machine, Start
from tbgen.library.survey import Finding, examine, survey
from tbgen.library.work import Made, Report
from tbgen.library.workers import Here, Processes, WorkerLostError, Workers
from tbgen.material import Material, build_order
from tbgen.storage.files import build_lock, path_of, remove_partials
from tbgen.storage.folders import game_of_folder
from tbgen.storage.layers import Layer

_TRIES = 2
"""How often a table is begun whose worker is lost."""

_LAST_TABLES = 8
"""Of so many tables it counts how crowded the machine was: a build of hours sees others come and go."""


@dataclass(frozen=True)
class Built:
    """A table that was made, its size and what it took."""

    finding: Finding
    positions: int
    bytes: int
    seconds: float
    cpu_seconds: float


class Watcher(Report, Protocol):
    """Who is told how a build goes on; `progress` may be called from any thread, and often."""

    def examines(self, material: Material, number: int, total: int) -> None:
        """The file of a table, if there is one, is now read, as number (from 1) of total."""

    def compiles(self, done: int, total: int) -> None:
        """So many kernels are compiled that were not, of how many; before the first table is begun."""

    def waiting(self) -> None:
        """Another build is at work in the folder."""

    def begins(self, finding: Finding, number: int, total: int) -> None:
        """The table is now made, as number (from 1) of total."""

    def expects(self, material: Material, estimate: Estimate) -> None:
        """How long the table that now begins is expected to take."""

    def built(self, built: Built) -> None:
        """The table is on the disk."""

    def again(self, material: Material, reason: str) -> None:
        """The table's worker is lost, and it is begun once more."""

    def failed(self, error: TbgenError) -> None:
        """A table cannot be made; those that do not need it still are."""

    def forecast(self, seconds: float) -> None:
        """How long the whole build is expected to take from now on."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a build may use; what is None is found out."""

    threads: int = 1
    """Of all tables together."""
    jobs: int | None = None
    """Tables made side by side; more than one means processes."""
    memory: int | None = None
    cluster: str | None = None
    """The address of a dask scheduler."""
    outcomes_only: bool = False
    """Keep distances no longer than tables that need them are made."""


def build(
    folder: Path,
    wanted: Iterable[Material],
    watcher: Watcher,
    settings: Settings | None = None,
) -> list[Finding]:
    """Make what is not sound, and say what was found before.

    BuildError if tables cannot be made or written; NotEnoughMemoryError, NotEnoughDiskError before anything is begun.
    More than one job means processes: a script that calls this needs `if __name__ == "__main__":` around it.
    """
    settings = settings or Settings()
    targets = build_order(wanted)
    with _files_of(folder, targets[-1]):
        findings = _enough(survey(folder, targets, watcher.examines), settings)
    work = [finding for finding in findings if not finding.is_sound]
    if not work:
        with contextlib.suppress(OSError):  # a folder that can only be read stays as it is
            if _gaps(folder, findings) or are_marked(folder, targets):
                with build_lock(folder, watcher.waiting):
                    _complete(folder, findings)
                    _settle(folder, targets, settings)
        return findings
    with _files_of(folder, work[0].material), build_lock(folder, watcher.waiting):
        remove_partials(folder)
        findings = [finding if finding.is_sound else examine(folder, finding.material) for finding in findings]
        findings = _enough(findings, settings)
        remove_blocks(folder, (finding.material for finding in findings if finding.is_sound))
        with _workers_for(folder, findings, watcher, settings) as (plan, workers):
            plan.check(free_disk(folder))
            compile_for(purposes_of((step.material for step in plan.steps), settings.threads), watcher.compiles)
            _Run(folder, plan, workers, watcher, findings, outcomes_only=settings.outcomes_only).run()
        _complete(folder, findings)
        _settle(folder, targets, settings)
    return findings


def _enough(findings: list[Finding], settings: Settings) -> list[Finding]:
    return enough(findings) if settings.outcomes_only else findings


def _settle(folder: Path, targets: Iterable[Material], settings: Settings) -> None:
    """Let go of the distances that nothing needs any more, or say that they are to stay."""
    if settings.outcomes_only:
        let_go(folder, targets, ())
    else:
        unmark(folder, targets)


def plan_for(folder: Path, wanted: Iterable[Material], settings: Settings) -> Plan:
    """What `build` would do."""
    findings = _enough(survey(folder, wanted), settings)
    if settings.cluster is None:
        return _plan(folder, findings, _machine(settings), settings.jobs)
    from tbgen.library.cluster import Cluster

    with Cluster(settings.cluster) as cluster:
        return _plan(folder, findings, cluster.machine(settings.memory), None)


def purposes_of(materials: Iterable[Material], threads: int) -> list[Purpose]:
    """What tables are to be made, as kernels see it."""
    materials, purposes = list(materials), [Purpose.TABLES]
    if any(material.pawns for material in materials):
        purposes.append(Purpose.PAWNS)
    if threads > 1 and any(material.men > 3 and not material.pawns for material in materials):
        purposes.append(Purpose.SHARED)
    return purposes


def _machine(settings: Settings) -> Machine:
    memory = available_memory() if settings.memory is None else settings.memory
    return Machine(settings.threads, settings.jobs or settings.threads, memory)


def _plan(folder: Path, findings: Iterable[Finding], machine: Machine, jobs: int | None) -> Plan:
    findings, known = list(findings), read_manifest(folder)
    measured = [(each.material, known[str(each.material)]) for each in findings if str(each.material) in known]
    sound = {each.material for each in findings if each.is_sound}
    game = game_of_folder(folder)
    pace = pace_of(measured, game)
    plan = plan_of((each.material for each in findings), sound, machine=machine, pace=pace, game=game)
    if jobs is None and machine.job_memory is None:
        return replace(plan, machine=replace(machine, jobs=default_jobs(plan)))
    return plan


@contextlib.contextmanager
def _workers_for(
    folder: Path, findings: Iterable[Finding], watcher: Watcher, settings: Settings
) -> Iterator[tuple[Plan, Workers]]:
    """The plan, and who carries it out."""
    if settings.cluster is None:
        plan = _plan(folder, findings, _machine(settings), settings.jobs)
        jobs = min(plan.machine.jobs, len(plan.steps))
        with Processes(jobs, watcher) if jobs > 1 else Here(watcher) as workers:
            yield plan, workers
        return
    from tbgen.library.cluster import Cluster

    with Cluster(settings.cluster) as cluster:
        yield _plan(folder, findings, cluster.machine(settings.memory), None), cluster


@dataclass
class _Run:
    """A plan on its way."""

    folder: Path
    plan: Plan
    workers: Workers
    watcher: Watcher
    findings: Iterable[Finding]
    over: set[Material] = field(default_factory=set)
    """Tables that are made, and those that cannot be."""
    running: dict[Future[Made], tuple[Start, float]] = field(default_factory=dict)
    begun: int = 0
    made: list[tuple[Material, FileRecord]] = field(default_factory=list)
    """The last one last."""
    tries: dict[Material, int] = field(default_factory=dict)
    errors: list[TbgenError] = field(default_factory=list)
    outcomes_only: bool = False

    def run(self) -> None:
        """Make all that can be made; the first error, if there is one, is raised when nothing is at work any more."""
        self._start()
        while self.running:
            for future in wait(self.running, return_when=FIRST_COMPLETED).done:
                start, _ = self.running.pop(future)
                self._finish(start, future.result if future.exception() is None else None, future.exception())
            self._start()
        if self.errors:
            raise self.errors[0]

    def _start(self) -> None:
        """Begin what the plan says is to begin now."""
        finding_of = {finding.material: finding for finding in self.findings}
        at_work = [start for start, _ in self.running.values()]
        for start in self.plan.next_starts(self.over, at_work):
            if not self._has_room(start):
                continue
            if start.material not in self.tries:
                self.begun += 1
                self.watcher.begins(finding_of[start.material], self.begun, len(self.plan.steps))
            self.tries[start.material] = self.tries.get(start.material, 0) + 1
            if self.outcomes_only:
                mark(self.folder, start.material)
            self.watcher.expects(start.material, self._estimate(start))
            name = str(start.material)
            future = self.workers.submit_table(self.folder, name, start.threads, start.granted)
            self.running[future] = start, time.monotonic()
        now = time.monotonic()
        elapsed = {start: now - begun for start, begun in self.running.values()}
        self.watcher.forecast(self.plan.seconds(self.over, elapsed))

    def _estimate(self, start: Start) -> Estimate:
        """By the tables that are made by now, which the plan could not know, and by how crowded it was for the last."""
        known, materials = read_manifest(self.folder), (finding.material for finding in self.findings)
        measured = [(each, known[str(each)]) for each in materials if str(each) in known]
        game = game_of_folder(self.folder)
        cost = cost_of(start.material, pace_for(start.material, measured, game), game)
        seconds = cost.wall_seconds(start.threads) * crowding_of(self.made[-_LAST_TABLES:], game)
        return Estimate(seconds, solving_share(start.material, measured))

    def _has_room(self, start: Start) -> bool:
        """Whether the disk can take the table; it has been asked for all of them before, but others write too."""
        free, needed = free_disk(self.folder), start.step.cost.bytes + start.scratch_bytes
        if free is None or needed <= free:
            return True
        self._give_up(start.material, NotEnoughDiskError(str(start.material), needed, free))
        return False

    def _finish(self, start: Start, result: Callable[[], Made] | None, error: BaseException | None) -> None:
        """A worker is done with a table, one way or the other."""
        material = start.material
        if result is not None:
            with _files_of(self.folder, material):
                self._enter(result())
        elif isinstance(error, WorkerLostError) and self.tries[material] < _TRIES:
            self.watcher.again(material, str(error))
        elif isinstance(error, WorkerLostError):
            reason = f"the process that made it was lost {_TRIES} times ({error}); perhaps memory ran out: try --jobs 1"
            self._give_up(material, BuildError(str(material), reason))
        elif isinstance(error, MemoryError):
            reason = "the system has no more memory; fewer threads need less"
            self._give_up(material, BuildError(str(material), reason))
        elif isinstance(error, OSError):
            reason = f"{error.filename or self.folder}: {error.strerror or error}"
            self.over.update(step.material for step in self.plan.steps)  # the others would fare no better
            self._give_up(material, BuildError(str(material), reason))
        elif isinstance(error, TbgenError):
            self._give_up(material, error)
        elif error is not None:
            raise error

    def _enter(self, made: Made) -> None:
        """Put a table that is made into the manifest."""
        paths = [path_of(self.folder, made.material, layer) for layer in Layer]
        if sum(path.stat().st_size for path in paths if path.exists()) != made.file.bytes:
            reason = f"its files are not in {self.folder}: do all workers share that folder?"
            self._give_up(made.material, BuildError(str(made.material), reason))
            return
        record(self.folder, {made.material: made.file})
        self.over.add(made.material)
        if self.outcomes_only:
            left = [step.material for step in self.plan.steps if step.material not in self.over]
            let_go(self.folder, self.over, left)  # those that were there wait until the manifest knows them
        self.made.append((made.material, made.file))
        finding = next(finding for finding in self.findings if finding.material == made.material)
        seconds, cpu_seconds = made.file.wall_seconds or 0.0, made.file.cpu_seconds or 0.0
        self.watcher.built(Built(finding, made.positions, made.file.bytes, seconds, cpu_seconds))

    def _give_up(self, material: Material, error: TbgenError) -> None:
        """Go on without a table and all that need it."""
        self.errors.append(error)
        self.over.update(step.material for step in self.plan.steps if material in build_order([step.material]))
        if len(self.over) < len(self.plan.steps):
            self.watcher.failed(error)


def _gaps(folder: Path, findings: Iterable[Finding]) -> list[tuple[Material, FileRecord]]:
    """The records that the manifest should have, for sound tables, and does not."""
    known, gaps = read_manifest(folder), list[tuple[Material, FileRecord]]()
    for finding in findings:
        found, noted = finding.file, known.get(str(finding.material))
        if found and (noted is None or not noted.is_same_file(found)):
            gaps.append((finding.material, found))
    return gaps


def _complete(folder: Path, findings: Iterable[Finding]) -> None:
    """Enter sound tables that were copied here, or that a build made which ended before it entered them."""
    if gaps := dict(_gaps(folder, findings)):
        record(folder, gaps)


@contextlib.contextmanager
def _files_of(folder: Path, material: Material) -> Iterator[None]:
    """Say which file could not be read or written, and why."""
    try:
        yield
    except OSError as error:
        raise BuildError(str(material), f"{error.filename or folder}: {error.strerror or error}") from error
