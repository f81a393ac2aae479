"""`tbgen build`: build missing tables and show progress."""

from __future__ import annotations

import math
import os
import re
import signal
import sys
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import TypeVar

import click

from tbgen.apps.records.record import without_record
from tbgen.cli import complain, is_quiet, options, signals_to
from tbgen.cli.command import Command
from tbgen.cli.materials import Wanted, wanted_options
from tbgen.cli.reporter import Reporter, Work, clock, duration, reporter
from tbgen.cli.showing import Facts, Form, ShownRow, print_facts, show_pairs, show_table
from tbgen.compiled.notice import Notice, heard_by
from tbgen.errors import UsageError
from tbgen.library.build import Watcher, build, plan_for
from tbgen.library.catalog import Condition, Finding
from tbgen.library.costs import seconds_left
from tbgen.library.plan import Settings
from tbgen.library.workers import BuiltTable, kill_all
from tbgen.material import (
    MOST_PAIRS_MEN,
    Scope,
    TableMaterial,
    build_order,
    pairs_materials,
)
from tbgen.men import Man
from tbgen.score import Mobility
from tbgen.storage.files import men_of_folder, remove_partials
from tbgen.system.process import free_disk, processors
from tbgen.text import counted, in_gib, in_units

_SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]+)?) *([KMGT]?)i?B?", re.IGNORECASE)
_UNITS = ("", "K", "M", "G", "T")
"""[power of 1024] -> the letter of a unit."""
_MOST_JOBS = 1024
_LEAST_SIZE = 1 << 20
"""A smaller number lacks its unit."""
_LOOK_SECONDS = 0.2
"""How long a signal may go unseen."""

R = TypeVar("R")


def _memory_of(context: click.Context, option: click.Parameter, text: str | None) -> int | None:
    if text is None:
        return None
    return bytes_in(text)


@click.command("build", cls=Command)
@wanted_options
@click.option(
    "--for",
    "games",
    metavar="GAMES.pgn",
    type=options.NAME,
    multiple=True,
    help="Build the missing tables that would decide these games; repeat it for more files.",
)
@click.option(
    "--pairs",
    is_flag=True,
    help="Build tables of the positions in which two pawns face each other on a file: of the named "
    "materials, or all thirty of six men.",
)
@click.option(
    "--memory",
    metavar="SIZE",
    callback=_memory_of,
    help="Use at most SIZE of memory, such as 8G (default: all free memory).",
)
@options.threads_option
@click.option(
    "--jobs",
    metavar="N",
    type=click.IntRange(1, _MOST_JOBS),
    help="Build at most N tables at once, in processes (default: the number with the shortest "
    "plan).",
)
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Build tables on the workers of this dask scheduler.",
)
@click.option(
    "--outcomes",
    "outcomes_only",
    is_flag=True,
    help="Build outcomes only, without distances: in half the time, with a sixth of the disk.",
)
@click.option(
    "--plan",
    "only_plan",
    is_flag=True,
    help="Print the tables to build, their cost and their times, and stop.",
)
@options.own_option
@options.mobility_option
@options.data_option
@options.json_option
def command(
    *,
    wanted: Wanted,
    games: tuple[str, ...],
    pairs: bool,
    memory: int | None,
    threads: int | None,
    jobs: int | None,
    cluster: str | None,
    outcomes_only: bool,
    only_plan: bool,
    own: tuple[Man, ...],
    mobility: Mobility,
    data: Path,
    form: Form,
) -> None:
    """Build tables, such as KBvK or KRvKP, and all tables that they need.

    tbgen keeps sound tables, and builds damaged and outdated tables again. You may interrupt a
    build at any moment: the same command continues it. Tables that do not need each other are built
    at the same time, as far as threads and memory allow. --json prints the plan.

    \b
    Examples:
      tbgen build KBvK KRvKN
      tbgen build --men 4 --data tables
      tbgen build --for scored.pgn --plan
      tbgen build --men 5 --plan
      tbgen build KRPvKRP --plan --memory 512G --threads 32
      tbgen build --men 4 --outcomes
      tbgen build KRPvKRP --pairs --outcomes
      tbgen build --pairs --outcomes --plan
      tbgen build --men 5 --jobs 4 --threads 8 --memory 24G
      tbgen build --men 5 --data /shared/tables --cluster tcp://host:8786
    """
    if form is not Form.TABLE and not only_plan:
        raise UsageError("--json means nothing without --plan")
    if cluster is not None and (threads or jobs):
        raise UsageError(
            "the cluster sets the number of workers and threads; leave out --threads and --jobs"
        )
    if games:
        materials = _materials_for(games, wanted, data, pairs=pairs)
    elif pairs:
        materials = _pairs_materials(wanted)
    else:
        men = men_of_folder(data)
        materials = wanted.materials(own=men)
    if not materials:
        return
    settings = Settings(threads or processors(), jobs or 0, memory, cluster, outcomes_only)
    if only_plan:
        _plan(data, materials, settings, form)
    else:
        _build(data, materials, settings)


def _materials_for(
    games: Sequence[str], wanted: Wanted, folder: Path, *, pairs: bool
) -> list[TableMaterial]:
    """The tables that some games lack."""
    from tbgen.cli.reading import lacking

    given = ["--for", *wanted.given]
    if pairs:
        given.append("--pairs")
    if len(given) > 1:
        raise UsageError(f"{' and '.join(given)} cannot be given together")
    return lacking(games, folder)


def _pairs_materials(wanted: Wanted) -> list[TableMaterial]:
    """The tables of pairs of the named materials; without any, all of six men."""
    if not wanted.given:
        return pairs_materials(MOST_PAIRS_MEN)
    if wanted.names:
        whole = wanted.materials(MOST_PAIRS_MEN)
        return [material.within(Scope.PAIRS).canonical() for material in whole]
    return [
        material.within(Scope.PAIRS).canonical()
        for material in wanted.materials(MOST_PAIRS_MEN)
        if material.may_have_pairs
    ]


def _plan(folder: Path, materials: list[TableMaterial], settings: Settings, form: Form) -> None:
    """Print the plan of a build; an error if it cannot fit."""
    plan = plan_for(folder, materials, settings)
    disk = free_disk(folder)
    if form is Form.TABLE:
        _show_plan(plan.facts(), disk)
    else:
        print_facts(form, plan.facts())
    plan.check(disk)


def _build(folder: Path, wanted: list[TableMaterial], settings: Settings) -> None:
    """Build what is missing, count what was built, and show it."""
    with reporter() as shown:
        watcher = BuildWatcher(shown)

        def stop(number: int, frame: object) -> None:
            try:
                shown.close()  # whatever the threads of the build still find out
                kill_all()
                if watcher.begun:  # tables begin only under the lock of the folder
                    remove_partials(folder)
                complain(
                    "interrupted; finished tables are kept, the same command goes on from there"
                )
                sys.stdout.flush()
            finally:
                os._exit(128 + number)

        # In a thread of its own: a signal ends the program at once, and not after the kernel.
        with (
            heard_by(watcher.tell_of_compiling),
            signals_to(stop, signal.SIGINT, signal.SIGTERM),
            ThreadPoolExecutor(1) as worker,
        ):
            building = worker.submit(build, folder, wanted, watcher, settings)
            findings = _result_of(building)
            counting = worker.submit(_keep_records, folder, wanted, settings.threads, watcher)
            _result_of(counting)
    if not is_quiet():
        _show_summary(findings, watcher.made)


def _result_of(future: Future[R]) -> R:
    """The result of a thread, for the main thread, which handles signals in the meantime.

    A thread that waits without end was seen to sleep through a signal that came while a process was
    started: the build went on to its end. So this thread looks now and then.
    """
    while not future.done():
        wait([future], timeout=_LOOK_SECONDS)
    return future.result()


def _keep_records(
    folder: Path, targets: Sequence[TableMaterial], threads: int, watcher: BuildWatcher
) -> None:
    """Count the tables that were built and have no record yet.

    A build that was interrupted leaves them to the next.
    """
    wanted = without_record(folder, build_order(targets))
    if not wanted or men_of_folder(folder):  # a record does not say how men move
        return
    from tbgen.apps.records.census import keep_records

    def tell(material: TableMaterial) -> None:
        watcher.counts(material, len(wanted))

    try:
        keep_records(folder, wanted, threads, tell)
    except OSError as error:
        complain(f"the tables are there, their records are not: {error}")


def bytes_in(text: str) -> int:
    """A size that a person wrote.

    >>> bytes_in("1.5G")
    1610612736
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"{text!r} is not a size such as 512M or 8G")
    amount, unit = match.groups()
    size: int = math.ceil(float(amount) * 1024 ** _UNITS.index(unit.upper()))
    if size < _LEAST_SIZE:
        raise UsageError(f"{text!r} is less than 1 MiB; give a unit, such as 8G")
    return size


def _show_summary(findings: list[Finding], made: list[BuiltTable]) -> None:
    """One row for each table that was made, and a line for the rest."""
    condition_of = {finding.material: finding.condition for finding in findings}
    rows: list[ShownRow] = []
    for table in made:
        row = {
            "table": table.material,
            "was": condition_of[table.material].value,
            "positions": table.positions,
            "seconds": table.file.wall_seconds,
            "CPU seconds": table.file.cpu_seconds,
            "size": in_units(table.file.bytes),
        }
        rows.append(row)
    show_table(rows, note="positions count every placement on 64 squares")
    kept = sum(finding.is_sound for finding in findings)
    click.echo(f"{len(made)} built, {kept} already there")


def _show_plan(plan: Facts, free: int | None) -> None:
    """The tables in their expected order, and their total cost."""
    show_table(map(_row_of_plan, plan["tables"]))
    memory = in_gib(plan["peak_memory"])
    if plan["memory"] is not None:
        memory += f" of {in_gib(plan['memory'], math.floor)}"
    disk = in_units(plan["bytes"])
    if free is not None:
        disk += f" of {in_units(free)} free"
    show_pairs(
        {
            "tables": f"{len(plan['tables'])} to build, {plan['kept']} already there, "
            f"at most {plan['jobs']} at once",
            "time": f"{duration(plan['seconds'])} with "
            f"{counted(plan['threads'], 'thread', 'threads')}, "
            f"{plan['cpu_seconds']:,.0f} CPU seconds",
            "memory": memory,
            "disk": disk,
            "outcomes": f"{in_units(plan['outcome_bytes'])} of that",
            "scratch": f"{in_units(plan['scratch_bytes'])} more until the end",
        }
    )
    smallest_first = sorted(plan["too_large"], key=lambda table: table["least_memory"])
    show_table(map(_row_of_skipped, smallest_first))
    if plan["cut_off"]:
        number = counted(len(plan["cut_off"]), "table needs", "tables need")
        click.echo(f"skipped: {number} one of these: {', '.join(plan['cut_off'])}")


def _row_of_plan(table: Facts) -> ShownRow:
    return {
        "table": table["material"],
        "cells": table["cells"],
        "memory": in_gib(table["memory"]),
        "disk": in_units(table["bytes"]),
        "CPU seconds": table["cpu_seconds"],
        "threads": table["threads"],
        "begins": clock(table["begins"]),
        "ends": clock(table["ends"]),
    }


def _row_of_skipped(table: Facts) -> ShownRow:
    return {"skipped": table["material"], "least memory": in_gib(table["least_memory"])}


_TABLES = "tables"
_LOOKING = "looking at what is there"
_RECORDS = "records"
_TABLES_SECONDS = 60.0
"""The seconds between lines about all tables; each table has its own."""
_LEAST_SECONDS = 1e-9
"""No share divides by less."""


class BuildWatcher(Watcher):
    """Tells a reporter of a build, and keeps what was built; see tbgen.library.build.Watcher."""

    def __init__(self, reporter: Reporter | None = None) -> None:
        super().__init__()
        self.made: list[BuiltTable] = []
        self.begun: dict[TableMaterial, float] = {}
        """[table that was begun] -> the seconds that it was expected to take."""
        self._reporter = Reporter(quiet=True) if reporter is None else reporter
        self._at_work: dict[TableMaterial, Work] = {}

    def examines(self, material: TableMaterial, number: int, total: int) -> None:
        self._reporter.work(_LOOKING, total).reach(number, detail=str(material))

    def says(self, text: str) -> None:
        self._reporter.say(text)

    def begins(self, finding: Finding, number: int, total: int, seconds: float) -> None:
        material = finding.material
        self.begun[material] = seconds
        if finding.condition in (Condition.DAMAGED, Condition.OUTDATED):
            self._reporter.say(
                f"{material} is {finding.condition.value} ({finding.reason}); building it again"
            )
        title = f"{material} ({number} of {total})"
        self._reporter.end(_LOOKING, title)  # that of an earlier try, too
        self._reporter.work(_TABLES, total, every=_TABLES_SECONDS)
        work = self._reporter.work(title, 1, as_share=True)
        self._at_work[material] = work
        self._reporter.log(f"{work.title} ...")
        work.reach(0)

    def progress(
        self, material: TableMaterial, phase: str, code: int | None, done: float, decided: int
    ) -> None:
        work = self._at_work.get(material)
        if work is not None:
            left = seconds_left(self.begun[material], work.elapsed, phase, done)
            share = work.elapsed / max(work.elapsed + left, _LEAST_SECONDS)
            work.reach(share, detail=describe(phase, code, decided), left=left)

    def tell_of_compiling(self, notice: Notice) -> None:
        """The tables at work take longer by that."""
        self._reporter.tell_of_compiling(notice)
        for material in list(self._at_work):
            self.begun[material] += notice.seconds
            self.progress(material, "compiling", None, 0, 0)

    def built(self, made: BuiltTable) -> None:
        self.made.append(made)
        title = self._at_work.pop(made.material).title
        self._reporter.end(title)
        self._reporter.log(
            f"{title}: {made.positions:,} positions in {made.file.wall_seconds or 0:.1f} s"
        )

    def forecast(self, seconds: float) -> None:
        if self.begun:
            left = max(0, seconds)
            for work in list(self._at_work.values()):  # that of each table, too
                left = max(left, work.left or 0)
            self._reporter.work(_TABLES).reach(len(self.made), left=left)

    def counts(self, material: TableMaterial, total: int) -> None:
        """Show that a record is made, and how many there will be."""
        self._reporter.end(_LOOKING, _TABLES)
        self._reporter.work(_RECORDS, total).advance(detail=str(material))


def describe(phase: str, code: int | None, decided: int) -> str:
    """The work in progress.

    >>> describe("accrued", 7, 1234567)
    'accrued G3.5, 1,234,567 positions decided'
    """
    line = phase
    if code is not None:
        line += f" G{code // 2}.{5 * (code % 2)}"
    if decided:
        line += f", {decided:,} positions decided"
    return line
