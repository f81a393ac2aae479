"""Build: from wanted materials to table files, children first.

A sound table is left alone; a missing, damaged or outdated one is made. A file appears whole or not
at all, so the same call goes on with a build that ended at any moment. The builder holds the lock
of the folder and writes its manifest; workers only put files there.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from tbgen.errors import BuildError, NotEnoughDiskError, TbgenError
from tbgen.library.catalog import Condition, Finding, read_manifest, record, survey
from tbgen.library.costs import Pace, pace_of
from tbgen.library.plan import Plan, Settings, Start, plan_of
from tbgen.library.workers import BuiltTable, Cluster, Maker, WorkerLostError, make_table, processes
from tbgen.material import MOST_BUILT_MEN, Material, TableMaterial, build_order, table_material
from tbgen.storage.files import (
    FileRecord,
    Layer,
    build_lock,
    men_of_folder,
    mobility_of,
    path_of,
    remove,
    remove_partials,
    tables_in,
)
from tbgen.storage.scratch import scratch_path
from tbgen.system.process import available_memory, free_disk
from tbgen.system.watching import tell_nobody

_TRIES = 2
"""The attempts at a table whose worker is lost."""


@dataclass(eq=False)
class Watcher:
    """Receives each step of a build.

    This class calls `tell` with each table and the part of it that is done.
    """

    tell: Callable[[TableMaterial, float], None] = tell_nobody

    def examines(self, material: TableMaterial, number: int, total: int) -> None:
        """The files of a table are read next, as number (from 1) of total."""

    def says(self, text: str) -> None:
        """An unusual event: another build is at work, a worker is lost, a table fails."""

    def begins(self, finding: Finding, number: int, total: int, seconds: float) -> None:
        """A table is made next, as number (from 1) of total.

        It is expected to take so many seconds.
        """
        self.tell(finding.material, 0.0)

    def progress(
        self, material: TableMaterial, phase: str, code: int | None, done: float, decided: int
    ) -> None:
        """The part of the table's work that is done (0 to 1), and the decided positions.

        Often, from any thread.
        """
        self.tell(material, done)

    def built(self, table: BuiltTable) -> None:
        """A table is on the disk."""
        self.tell(table.material, 1.0)

    def forecast(self, seconds: float) -> None:
        """The expected seconds for the rest of the build."""


def build(
    folder: Path,
    wanted: Iterable[Material],
    watcher: Watcher | None = None,
    settings: Settings | None = None,
) -> list[Finding]:
    """Make the tables that are not sound, and return the findings before.

    BuildError if tables cannot be made or written; NotEnoughMemoryError, NotEnoughDiskError before
    anything begins. More than one job means processes: a script that calls this needs `if __name__
    == "__main__":` around it.
    """
    watcher = watcher or Watcher()
    settings = settings or Settings()
    targets = build_order(wanted)
    only = settings.outcomes_only
    try:
        findings = survey(folder, targets, watcher.examines, outcomes_only=only)
        if not _are_sound(findings):
            findings = _make_missing(folder, findings, watcher, settings)
        elif _gaps(folder, findings):
            with contextlib.suppress(OSError):  # the folder may be read-only
                findings = _make_missing(folder, findings, watcher, settings)
        return list(findings.values())
    except OSError as error:
        raise _naming_the_file(error, folder, targets[-1]) from error


def _make_missing(
    folder: Path, findings: Mapping[TableMaterial, Finding], watcher: Watcher, settings: Settings
) -> dict[TableMaterial, Finding]:
    """Make the unsound tables and complete the manifest, as the only builder of the folder.

    Returns the findings before, at the moment when no other builder was at work.
    """
    waiting = "another build is at work in this folder; waiting for it to end ..."
    with build_lock(folder, partial(watcher.says, waiting)):
        remove_partials(folder)
        # Another builder may have made some of them in the meantime.
        now = survey(folder, findings, before=findings, outcomes_only=settings.outcomes_only)
        for material, finding in now.items():
            if finding.is_sound:
                remove(scratch_path(folder, material))
        if not _are_sound(now):
            _make(folder, now, watcher, settings)
        if gaps := _gaps(folder, now):
            record(folder, gaps)
    return now


def _are_sound(findings: Mapping[TableMaterial, Finding]) -> bool:
    return all(finding.is_sound for finding in findings.values())


def build_tables(
    materials: Iterable[str | Material],
    folder: str | os.PathLike[str],
    *,
    threads: int = 1,
    jobs: int = 1,
    memory: int | None = None,
    outcomes_only: bool = False,
    progress: Callable[[Material, float], None] | None = None,
) -> list[Material]:
    """Build tables and all tables that they need, as `tbgen build` does.

    Arguments:
        materials: Materials or their names.
        folder: The folder of tables. A folder called whole-game gets tables of that mobility.
        threads: The threads of all tables together.
        jobs: The number of tables that are built at once. More than one job needs processes: put
            `if __name__ == "__main__":` around the call.
        memory: The most memory in bytes; all free memory without it.
        outcomes_only: Build outcomes without distances, in about half the time.
        progress: The build calls it with a table and the part of the table that is done, from any
            thread.

    Returns:
        The tables that the call has built, those first that others need.

    Raises:
        BuildError: A table cannot be built or written.
        NotEnoughMemoryError: The tables need more memory. The build has not started.
        NotEnoughDiskError: The tables need more disk. The build has not started.
        MaterialError: A text names no material.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [build_tables(["KvK"], folder) for _ in range(2)]
    [[Material.parse('KvK')], []]
    """
    path = Path(folder)
    men = men_of_folder(path)
    wanted = [table_material(material, MOST_BUILT_MEN, men) for material in materials]
    watcher = Watcher(progress or tell_nobody)
    settings = Settings(threads, jobs, memory, outcomes_only=outcomes_only)
    findings = build(path, wanted, watcher, settings)
    return [finding.material for finding in findings if not finding.is_sound]


def plan_for(folder: Path, wanted: Iterable[Material], settings: Settings) -> Plan:
    """The plan that `build` would follow."""
    with _cluster_of(settings) as cluster:
        findings = survey(folder, wanted, outcomes_only=settings.outcomes_only)
        return _plan(folder, findings, settings, cluster)


def outlook(folder: Path, wanted: Iterable[Material], threads: int) -> Plan:
    """The plan for the outcomes of some tables, by the names of files alone.

    Every file counts as sound.
    """
    tables = set(tables_in(folder))
    findings = {}
    for material in build_order(wanted):
        condition = Condition.SOUND if material in tables else Condition.MISSING
        findings[material] = Finding(material, condition)
    return _plan(folder, findings, Settings(threads, outcomes_only=True))


def _make(
    folder: Path, findings: Mapping[TableMaterial, Finding], watcher: Watcher, settings: Settings
) -> None:
    """Make the tables that are not sound, if they fit."""
    with _cluster_of(settings) as cluster:
        plan = _plan(folder, findings, settings, cluster)
        plan.check(free_disk(folder))
        jobs = min(plan.settings.jobs, len(plan.steps))
        makers: contextlib.AbstractContextManager[Maker]
        if cluster is not None:
            makers = contextlib.nullcontext(cluster.make)
        elif jobs > 1:
            makers = processes()
        else:
            makers = contextlib.nullcontext(make_table)
        # An interrupted build leaves a cluster before it waits for the threads that wait for its
        # workers.
        with makers as make, ThreadPoolExecutor(jobs) as pool, cluster or contextlib.nullcontext():
            _Execution(folder, plan, partial(pool.submit, make), watcher, findings).run()


def _plan(
    folder: Path,
    findings: Mapping[TableMaterial, Finding],
    settings: Settings,
    cluster: Cluster | None = None,
) -> Plan:
    """The plan for the unsound tables, at the pace of the tables that were built in the folder."""
    if cluster is not None:
        settings = cluster.settings(settings)
    elif settings.memory is None:
        settings = replace(settings, memory=available_memory())
    sound = {material for material, finding in findings.items() if finding.is_sound}
    return plan_of(
        findings,
        sound,
        settings=settings,
        pace=_pace(folder, findings),
        mobility=mobility_of(folder),
    )


def _pace(folder: Path, targets: Iterable[TableMaterial]) -> Pace:
    """The pace of those tables that the manifest knows."""
    records = read_manifest(folder)
    built = [(target, records[str(target)]) for target in targets if str(target) in records]
    return pace_of(built, mobility_of(folder))


def _cluster_of(settings: Settings) -> contextlib.AbstractContextManager[Cluster | None]:
    return contextlib.nullcontext() if settings.cluster is None else Cluster(settings.cluster)


@dataclass
class _Execution:
    folder: Path
    plan: Plan
    submit: Callable[..., Future[BuiltTable]]
    """Starts a table in a thread; it takes the arguments of `make_table`."""
    watcher: Watcher
    findings: Mapping[TableMaterial, Finding]
    over: set[TableMaterial] = field(default_factory=set)
    """Finished tables, and those that cannot be made."""
    running: dict[Future[BuiltTable], Start] = field(default_factory=dict)
    """The tables at work, with the time when each began."""
    tries: Counter[TableMaterial] = field(default_factory=Counter)
    """The number of attempts at each table."""
    errors: list[TbgenError] = field(default_factory=list)

    def run(self) -> None:
        """Make all tables that can be made.

        Raise the first error, if there is one, when no table is at work.
        """
        self._start()
        while self.running:
            for future in wait(self.running, return_when=FIRST_COMPLETED).done:
                material = self.running.pop(future).material
                try:
                    self._enter(future.result())
                except Exception as error:
                    self._fail(material, error)
                else:
                    self.watcher.built(future.result())
            self._start()
        if self.errors:
            raise self.errors[0]

    def _start(self) -> None:
        """Start the tables that the plan starts now, and others for those that do not fit."""
        all_fit = False
        while not all_fit:
            all_fit = True
            for start in self.plan.next_starts(self.over, self.running.values()):
                if not self._begin_if_it_fits(start):
                    all_fit = False
        now = time.monotonic()
        running = [replace(start, begins=start.begins - now) for start in self.running.values()]
        self.watcher.forecast(self.plan.seconds(self.over, running))

    def _begin_if_it_fits(self, start: Start) -> bool:
        """Start a table, or give it up if the disk has no room for it.

        The whole plan was checked before, but other programs write, too.
        """
        free = free_disk(self.folder)
        needed = start.step.cost.bytes + start.scratch_bytes
        fits = free is None or needed <= free
        if fits:
            self._begin(start)
        else:
            assert free is not None
            self._give_up(start.material, NotEnoughDiskError(str(start.material), needed, free))
        return fits

    def _begin(self, start: Start) -> None:
        material = start.material
        if material not in self.tries:
            finding = self.findings[material]
            number = len(self.tries) + 1
            expected = self.plan.seconds_of(start)
            self.watcher.begins(finding, number, len(self.plan.steps), expected)
        self.tries[material] += 1
        future = self.submit(
            self.folder,
            str(material),
            start.threads,
            start.memory if start.is_short else None,
            self.plan.settings.outcomes_only,
            partial(self.watcher.progress, material),
        )
        self.running[future] = replace(start, begins=time.monotonic())

    def _enter(self, table: BuiltTable) -> None:
        """Put a finished table into the manifest."""
        material = table.material
        paths = [path_of(self.folder, material, layer) for layer in Layer]
        size = sum(path.stat().st_size for path in paths if path.exists())
        if size != table.file.bytes:
            reason = f"its files are not in {self.folder}: do all workers share that folder?"
            raise BuildError(str(material), reason)
        record(self.folder, {material: table.file})
        self.over.add(material)
        self.plan = replace(self.plan, pace=_pace(self.folder, self.findings))

    def _fail(self, material: TableMaterial, error: Exception) -> None:
        """Start a table again, or go on without it."""
        match error:
            case TbgenError():
                failure = error
            case WorkerLostError() if self.tries[material] < _TRIES:
                lost = f"the process that made it was lost ({error})"
                self.watcher.says(f"{material}: {lost}; building it once more")
                return
            case WorkerLostError():
                lost = f"the process that made it was lost {_TRIES} times ({error})"
                failure = BuildError(str(material), f"{lost}; perhaps memory ran out: try --jobs 1")
            case MemoryError():
                reason = "the system has no more memory; fewer threads need less"
                failure = BuildError(str(material), reason)
            case OSError():
                failure = _naming_the_file(error, self.folder, material)
                # The other tables would fail as well.
                self.over.update(step.material for step in self.plan.steps)
            case _:
                raise error
        self._give_up(material, failure)

    def _give_up(self, material: TableMaterial, error: TbgenError) -> None:
        """Go on without a table and all that need it."""
        self.errors.append(error)
        for step in self.plan.steps:
            if material in build_order([step.material]):
                self.over.add(step.material)
        if len(self.over) < len(self.plan.steps):
            self.watcher.says(f"{error}; going on with the tables that do not need it")


def _gaps(
    folder: Path, findings: Mapping[TableMaterial, Finding]
) -> dict[TableMaterial, FileRecord]:
    """Sound tables without a right entry in the manifest, copied here or left by another build."""
    records = read_manifest(folder)
    gaps = {}
    for material, finding in findings.items():
        if finding.file and finding.file != records.get(str(material)):
            gaps[material] = finding.file
    return gaps


def _naming_the_file(error: OSError, folder: Path, material: TableMaterial) -> BuildError:
    return BuildError(str(material), f"{error.filename or folder}: {error.strerror or error}")
