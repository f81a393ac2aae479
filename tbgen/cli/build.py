"""`tbgen build`: make the tables that are missing."""

from __future__ import annotations

import math
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import TypeVar

import click

from tbgen.apps.records.folder import FOLDER, is_index_behind, without_record
from tbgen.cli.completion import a_material
from tbgen.cli.data import game_option, in_units, new_folder_option, wanted_materials
from tbgen.cli.first_use import by_pawns, compile_for
from tbgen.cli.missing import lacking
from tbgen.cli.plan import show_plan
from tbgen.cli.refusals import refuse_beside, refuse_together, refuse_without
from tbgen.cli.terminal import complain, progress, show_rows
from tbgen.cli.watch import PlainWatcher, QuietWatcher, TerminalWatcher
from tbgen.compiled.known import Purpose
from tbgen.errors import UsageError
from tbgen.library.build import Built, Settings, build, plan_for
from tbgen.library.limits import free_disk
from tbgen.library.survey import Finding
from tbgen.library.workers import kill_all
from tbgen.material import Material, build_order
from tbgen.score import Mobility
from tbgen.storage.files import remove_partials
from tbgen.system.process import processors

T = TypeVar("T")
_SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]+)?) *([KMGT]?)i?B?", re.IGNORECASE)
_MOST_THREADS = 1024
_LEAST_MEMORY = 1 << 20
"""In bytes; whoever writes less has forgotten the unit."""


@click.command("build")
@click.argument("names", nargs=-1, metavar="[MATERIAL]...", shell_complete=a_material)
@click.option("--men", type=int, metavar="N", help="All materials with N men, kings included.")
@click.option("--all", "every", is_flag=True, help="All materials of two to five men.")
@click.option(
    "--for",
    "games",
    multiple=True,
    metavar="GAMES.pgn",
    help="What `tbgen adjudicate` lacks to decide these games; may be repeated.",
)
@game_option
@new_folder_option
@click.option(
    "--threads",
    type=click.IntRange(1, _MOST_THREADS),
    metavar="N",
    help="Threads of all tables together (default: one for each processor).",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, _MOST_THREADS),
    metavar="N",
    help="Make at most N tables at once, in processes (default: so many that the plan is shortest).",
)
@click.option("--memory", metavar="SIZE", help="Upper bound of memory, such as 8G (default: what is free).")
@click.option("--cluster", metavar="ADDRESS", help="Make tables on the workers of this dask scheduler.")
@click.option(
    "--outcomes",
    "outcomes_only",
    is_flag=True,
    help="Keep outcomes only: distances go when the tables that need them are made.",
)
@click.option(
    "--digest", "by_digest", is_flag=True, help="Say what of it differs from the known tables: docs/digests.md."
)
@click.option(
    "--plan", "only_plan", is_flag=True, help="Print what would be made, its cost and its time; make nothing."
)
@click.option("--json", "as_json", is_flag=True, help="Print the plan as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Print only errors.")
def command(
    names: tuple[str, ...],
    men: int | None,
    *,
    every: bool,
    games: tuple[str, ...],
    game: Mobility,
    data: Path,
    threads: int | None,
    jobs: int | None,
    memory: str | None,
    cluster: str | None,
    outcomes_only: bool,
    by_digest: bool,
    only_plan: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Build tables, such as KBvK or KRvKP, and all tables that they need.

    Sound tables are kept; damaged and outdated ones are made again. A build may be interrupted at any
    moment: the same command continues it. Tables that do not need each other are made at the same time,
    as far as threads and memory allow.

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
    if not only_plan:
        refuse_without("--plan", {"--json": as_json})
    refuse_together({"--plan": only_plan, "--quiet": quiet})
    refuse_together({"--plan": only_plan, "--digest": by_digest})
    if by_digest and not game.forgets:
        raise UsageError("the known digests are of r-mobility")
    if cluster is not None and (threads or jobs):
        raise UsageError("a cluster's workers say themselves how many they are and how many threads they have")
    if games:
        refuse_beside("--for", {" ".join(names): names, "--men": men, "--all": every})
    wanted = lacking(games, data, quiet=quiet) if games else wanted_materials(names, men, every=every)
    if not wanted:
        return 0
    room = None if memory is None else bytes_in(memory)
    settings = Settings(threads or processors(), jobs, room, cluster, outcomes_only)
    if only_plan:
        plan, disk = plan_for(data, wanted, settings), free_disk(data)
        show_plan(plan, disk, outcomes_only=outcomes_only, as_json=as_json)
        plan.check(disk)
        return 0
    new = _build(data, wanted, settings, quiet=quiet)
    if not by_digest or not new:
        return 0
    from tbgen.cli.verify_digest import compare_digests

    return compare_digests(new, (data,), settings.threads, quiet=quiet)


def _build(folder: Path, wanted: list[Material], settings: Settings, *, quiet: bool) -> list[Material]:
    """Build what is missing, show it, and return what was made."""
    with _watcher(quiet=quiet) as watcher:
        findings = _interruptibly(lambda: build(folder, wanted, watcher, settings), lambda: _leave(watcher, folder))
    _interruptibly(
        lambda: _keep_records(folder, wanted, settings.threads, quiet=quiet), lambda: _leave(watcher, folder)
    )
    if not quiet:
        _show_summary(findings, watcher.made)
    return [built.finding.material for built in watcher.made]


def _keep_records(folder: Path, targets: Sequence[Material], threads: int, *, quiet: bool) -> None:
    """Count the tables that were built and have no record yet; a build that was interrupted leaves them to the next."""
    wanted = without_record(folder, build_order(targets))
    if not wanted and not is_index_behind(folder / FOLDER):
        return
    compile_for(by_pawns(wanted, Purpose.RECORDS, Purpose.PAWN_RECORDS), quiet=quiet)
    from tbgen.apps.records.making import keep_records

    with progress("records", len(wanted), quiet=quiet) as shown:
        try:
            keep_records(folder, wanted, threads, lambda material: shown.advance(1, title=str(material)))
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
    size: int = math.ceil(float(amount) * 1024 ** " KMGT".index(unit.upper() or " "))
    if size < _LEAST_MEMORY:
        raise UsageError(f"{text!r} is less than 1 MiB; write a size such as 512M or 8G")
    return size


def _watcher(*, quiet: bool) -> QuietWatcher:
    if quiet:
        return QuietWatcher()
    return TerminalWatcher() if sys.stderr.isatty() else PlainWatcher()


def _show_summary(findings: list[Finding], made: list[Built]) -> None:
    """One row for each table that was made, and a line for the rest."""
    if made:
        rows = [
            (
                str(built.finding.material),
                built.finding.condition.value,
                f"{built.positions:,}",
                f"{built.seconds:.1f}",
                f"{built.cpu_seconds:.1f}",
                in_units(built.bytes),
            )
            for built in made
        ]
        show_rows(("table", "was", "positions", "seconds", "CPU seconds", "size"), rows, right="..rrrr")
        click.echo("no symmetry is left out of the positions")
    kept = sum(finding.is_sound for finding in findings)
    click.echo(f"{len(made)} built, {kept} already there")


def _leave(watcher: QuietWatcher, folder: Path) -> None:
    """Clear up after a build that is cut short by a signal."""
    watcher.close()
    kill_all(for_good=True)
    if watcher.has_lock:
        remove_partials(folder)
    complain("interrupted; finished tables are kept, the same command goes on from there")


def _interruptibly(work: Callable[[], T], leave: Callable[[], None]) -> T:
    """Do the work in a thread of its own, so that a signal ends the program at once and not after the kernel."""
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    def stop(number: int, frame: FrameType | None) -> None:
        try:
            leave()
            sys.stdout.flush()
        finally:
            os._exit(128 + number)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    worker = threading.Thread(target=run, daemon=True)
    try:
        worker.start()
        while worker.is_alive():
            worker.join(0.1)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if errors:
        raise errors[0]
    return results[0]
