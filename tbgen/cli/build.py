"""`tbgen build`: build missing tables and show progress."""

from __future__ import annotations

import math
import os
import re
import signal
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import click

from tbgen.apps.records.record import without_record
from tbgen.cli import complain, is_quiet, options, signals_to
from tbgen.cli.options import Command, Wanted, flag, option, refuse_together, wanted_options
from tbgen.cli.reporter import Reporter, Work, clock, duration, reporter
from tbgen.cli.showing import Facts, Form, present, show_facts, show_pairs
from tbgen.errors import UsageError
from tbgen.library.build import Watcher, build, plan_for
from tbgen.library.catalog import Condition, Finding
from tbgen.library.costs import seconds_left
from tbgen.library.plan import Settings
from tbgen.library.workers import Made, kill_all
from tbgen.material import Material, all_materials, build_order
from tbgen.men import Man
from tbgen.score import Mobility
from tbgen.storage.files import men_of_folder, remove_partials
from tbgen.system.process import free_disk, processors
from tbgen.text import counted, in_gib, in_units

_SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]+)?) *([KMGT]?)i?B?", re.IGNORECASE)


@click.command("build", cls=Command)
def command(
    *,
    wanted: Wanted = wanted_options("every material of two to five men"),
    games: tuple[str, ...] = option(
        "Build the missing tables that would decide these games; repeat it for more files.",
        "--for",
        type=options.NAME,
        multiple=True,
        metavar="GAMES.pgn",
    ),
    memory: int | None = option(
        "Use at most SIZE of memory, such as 8G (default: all free memory).",
        metavar="SIZE",
        callback=lambda ctx, option, value: None if value is None else bytes_in(value),
    ),
    threads: int | None = options.THREADS,
    jobs: int | None = option(
        "Build at most N tables at once, in processes (default: the number with the shortest plan).",
        type=click.IntRange(1, options.MOST_THREADS),
    ),
    cluster: str | None = option(
        "Build tables on the workers of this dask scheduler.", metavar="ADDRESS"
    ),
    outcomes_only: bool = flag(
        "Build outcomes only, without distances: in half the time, with a sixth of the disk.",
        "--outcomes",
    ),
    only_plan: bool = flag(
        "Print the tables to build, their cost and their times, and stop.", "--plan"
    ),
    own: tuple[Man, ...] = options.OWN,
    mobility: Mobility = options.MOBILITY,
    data: Path = options.DATA,
    form: Form = options.FORM,
) -> None:
    """Build tables, such as KBvK or KRvKP, and all tables that they need.

    tbgen keeps sound tables, and builds damaged and outdated tables again. You may interrupt a build at any
    moment: the same command continues it. Tables that do not need each other are built at the same time,
    as far as threads and memory allow. --json prints the plan.

    \b
    Examples:
      tbgen build KBvK KRvKN
      tbgen build --men 4 --data tables
      tbgen build --for scored.pgn --plan
      tbgen build --all --plan
      tbgen build KRPvKRP --plan --memory 512G --threads 32
      tbgen build --men 4 --outcomes
      tbgen build --all --jobs 4 --threads 8 --memory 24G
      tbgen build --all --data /shared/tables --cluster tcp://host:8786
    """
    if not (only_plan or form is Form.TABLE):
        raise UsageError("--format means nothing without --plan")
    if cluster is not None and (threads or jobs):
        raise UsageError(
            "the cluster sets the number of workers and threads; leave out --threads and --jobs"
        )
    if games:
        from tbgen.cli.reading import lacking

        refuse_together(["--for", *wanted.given])
        materials = lacking(games, data)
    else:
        men = men_of_folder(data)
        materials = wanted.materials(every=partial(all_materials, men), own=men)
    if not materials:
        return
    settings = Settings(threads or processors(), jobs or 0, memory, cluster, outcomes_only)
    if only_plan:
        plan, disk = plan_for(data, materials, settings), free_disk(data)
        present(form, plan.facts(), lambda: _show_plan(plan.facts(), disk))
        plan.check(disk)
    else:
        _build(data, materials, settings)


def _build(folder: Path, wanted: list[Material], settings: Settings) -> None:
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
        with signals_to(stop, signal.SIGINT, signal.SIGTERM), ThreadPoolExecutor(1) as worker:
            findings = worker.submit(build, folder, wanted, watcher, settings).result()
            worker.submit(_keep_records, folder, wanted, settings.threads, watcher).result()
    if not is_quiet():
        _show_summary(findings, watcher.made)


def _keep_records(
    folder: Path, targets: Sequence[Material], threads: int, watcher: BuildWatcher
) -> None:
    """Count the tables that were built and have no record yet; a build that was interrupted leaves them to the next."""
    wanted = without_record(folder, build_order(targets))
    if not wanted or men_of_folder(folder):  # a record does not say how men move
        return
    from tbgen.apps.records.census import keep_records

    try:
        keep_records(
            folder, wanted, threads, lambda material: watcher.counts(material, len(wanted))
        )
    except OSError as error:
        complain(f"the tables are there, their records are not: {error}")


def bytes_in(text: str) -> int:
    """A size that a person wrote.

    >>> bytes_in("1.5G")
    1610612736
    """
    match = _SIZE.fullmatch(text.strip())
    amount, unit = match.groups() if match else ("0", "")
    size: int = math.ceil(float(amount) * 1024 ** " KMGT".index(unit.upper() or " "))
    if size < 1 << 20:  # no size, or a number that lacks its unit
        raise UsageError(f"{text!r} is not a size such as 512M or 8G, of at least 1 MiB")
    return size


def _show_summary(findings: list[Finding], made: list[Made]) -> None:
    """One row for each table that was made, and a line for the rest."""
    was = {finding.material: finding.condition.value for finding in findings}
    show_facts(
        made,
        {
            "table": lambda table: table.material,
            "was": lambda table: was[table.material],
            "positions": lambda table: table.positions,
            "seconds": lambda table: table.file.wall_seconds,
            "CPU seconds": lambda table: table.file.cpu_seconds,
            "size": lambda table: in_units(table.file.bytes),
        },
        note="positions count every placement on 64 squares",
    )
    click.echo(f"{len(made)} built, {sum(finding.is_sound for finding in findings)} already there")


def _show_plan(plan: Facts, free: int | None) -> None:
    """The tables in their expected order, and their total cost."""
    show_facts(
        plan["tables"],
        {
            "table": "material",
            "cells": "cells",
            "memory": lambda table: in_gib(table["memory"]),
            "disk": lambda table: in_units(table["bytes"]),
            "CPU seconds": "cpu_seconds",
            "threads": "threads",
            "begins": lambda table: clock(table["begins"]),
            "ends": lambda table: clock(table["ends"]),
        },
    )
    show_pairs(
        {
            "tables": f"{len(plan['tables'])} to build, {plan['kept']} already there, at most {plan['jobs']} at once",
            "time": f"{duration(plan['seconds'])} with {counted(plan['threads'], 'thread', 'threads')}, "
            f"{plan['cpu_seconds']:,.0f} CPU seconds",
            "memory": in_gib(plan["peak_memory"])
            + ("" if plan["memory"] is None else f" of {in_gib(plan['memory'], math.floor)}"),
            "disk": in_units(plan["bytes"])
            + ("" if free is None else f" of {in_units(free)} free"),
            "outcomes": f"{in_units(plan['outcome_bytes'])} of that",
            "scratch": f"{in_units(plan['scratch_bytes'])} more until the end",
        }
    )
    smallest_first = sorted(plan["too_large"], key=lambda table: table["least_memory"])
    show_facts(
        smallest_first,
        {"skipped": "material", "least memory": lambda table: in_gib(table["least_memory"])},
    )
    if plan["cut_off"]:
        number = counted(len(plan["cut_off"]), "table needs", "tables need")
        click.echo(f"skipped: {number} one of these: {', '.join(plan['cut_off'])}")


_TABLES, _LOOKING = "tables", "looking at what is there"


class BuildWatcher(Watcher):
    """Tells a reporter of a build, and keeps what was built; see tbgen.library.build.Watcher."""

    def __init__(self, reporter: Reporter | None = None) -> None:
        super().__init__()
        self.made: list[Made] = []
        self.begun: dict[Material, float] = {}
        """[table that was begun] -> the seconds that it was expected to take."""
        self._reporter = Reporter(quiet=True) if reporter is None else reporter
        self._at_work: dict[Material, Work] = {}

    def examines(self, material: Material, number: int, total: int) -> None:
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
        self._reporter.work(_TABLES, total, every=60)
        work = self._at_work[material] = self._reporter.work(title, 1, as_share=True)
        self._reporter.log(f"{work.title} ...")
        work.reach(0)

    def progress(
        self, material: Material, phase: str, code: int | None, done: float, decided: int
    ) -> None:
        work = self._at_work.get(material)
        if work is not None:
            left = seconds_left(self.begun[material], work.elapsed, phase, done)
            share = work.elapsed / max(work.elapsed + left, 1e-9)
            work.reach(share, detail=describe(phase, code, decided), left=left)

    def built(self, made: Made) -> None:
        self.made.append(made)
        title = self._at_work.pop(made.material).title
        self._reporter.end(title)
        self._reporter.log(
            f"{title}: {made.positions:,} positions in {made.file.wall_seconds or 0:.1f} s"
        )

    def forecast(self, seconds: float) -> None:
        if self.begun:
            left = max(
                0, seconds, *(work.left or 0 for work in list(self._at_work.values()))
            )  # that of each table, too
            self._reporter.work(_TABLES).reach(len(self.made), left=left)

    def counts(self, material: Material, total: int) -> None:
        """Show that a record is made, and how many there will be."""
        self._reporter.end(_LOOKING, _TABLES)
        self._reporter.work("records", total).advance(detail=str(material))


def describe(phase: str, code: int | None, decided: int) -> str:
    """The work in progress.

    >>> describe("accrued", 7, 1234567)
    'accrued G3.5, 1,234,567 positions decided'
    """
    where = phase if code is None else f"{phase} G{code // 2}.{5 * (code % 2)}"
    return f"{where}, {decided:,} positions decided" if decided else where
