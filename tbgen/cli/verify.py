"""`tbgen verify`: prove tables, one ply at a time."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from tbgen.cli.completion import a_file, a_table
from tbgen.cli.data import folders_option, game_option, named_material, tables_there
from tbgen.cli.first_use import by_pawns, compile_for
from tbgen.cli.refusals import refuse_together, refuse_without
from tbgen.cli.terminal import complain_of, duration, progress, seconds_left, show_rows
from tbgen.compiled.known import Purpose
from tbgen.errors import TableError, UsageError, VerificationError
from tbgen.material import Material
from tbgen.score import Mobility
from tbgen.storage.files import folder_with, path_in

if TYPE_CHECKING:
    from tbgen.verify import Report

_MOST_THREADS = 1024


@click.command("verify")
@click.argument("names", nargs=-1, metavar="[MATERIAL]...", shell_complete=a_table)
@game_option
@folders_option
@click.option("--sample", type=click.IntRange(1), metavar="N", help="Check N random positions of each table, not all.")
@click.option("--seed", type=click.IntRange(0), metavar="N", help="Which random positions (default 0).")
@click.option(
    "--against",
    metavar="FILE",
    shell_complete=a_file,
    help="Compare wins, draws, losses and longest mates with published ones: a CSV file, or the word `ordinary`.",
)
@click.option("--digest", "by_digest", is_flag=True, help="Hold digests of the values against those of known tables.")
@click.option(
    "--list",
    "known_in",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="With --digest: another list of known tables than the one that came with the program.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="With --digest: a list to enter the digests into.",
)
@click.option(
    "--threads", type=click.IntRange(1, _MOST_THREADS), metavar="N", help="Threads (default: one for each processor)."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Show nothing but errors; the exit code says the rest.")
def command(
    names: tuple[str, ...],
    *,
    game: Mobility,
    folders: tuple[Path, ...],
    sample: int | None,
    seed: int | None,
    against: str | None,
    by_digest: bool,
    known_in: Path | None,
    output: Path | None,
    threads: int | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Prove tables such as KBvK, or all tables of the folders.

    Checks the bytes of each file, and the value and distance of every position with every accrued score
    against the moves, in the table and in those that captures and promotions lead to. If these have been
    verified too, a table that passes is right.
    --digest proves that tables are those that others have: docs/digests.md.

    \b
    Examples:
      tbgen verify
      tbgen verify KBvK KPvK
      tbgen verify KBvKN --sample 100000 --seed 7
      tbgen verify --against ordinary
      tbgen verify --digest
    """
    if sample is None:
        refuse_without("--sample", {"--seed": seed})
    refuse_together({"--json": as_json, "--quiet": quiet})
    refuse_together({"--digest": by_digest, "--sample": sample, "--against": against})
    if not by_digest:
        refuse_without("--digest", {"--list": known_in, "--output": output})
    wanted = [named_material(name) for name in names] or tables_there(folders)
    if by_digest:
        if not game.forgets and known_in is None:
            raise UsageError(f"the known digests are of r-mobility; name a list of {game} tables with --list")
        from tbgen.cli.verify_digest import compare_digests

        return compare_digests(wanted, folders, threads, known_in=known_in, output=output, as_json=as_json, quiet=quiet)
    if against is not None:
        if sample is not None or threads is not None:
            raise UsageError("--against looks at counts alone; leave out --sample and --threads")
        return _compare(against, wanted, folders, as_json=as_json, quiet=quiet)
    reports, faults = _prove(wanted, folders, _Sampling(sample, seed or 0), threads, quiet=quiet)
    if not quiet:
        _show(reports, faults, as_json=as_json)
    return complain_of(faults)


class _Sampling(NamedTuple):
    """How many positions of a table are looked at, if not all, and which."""

    sample: int | None
    seed: int


def _prove(
    wanted: Sequence[Material], folders: Sequence[Path], sampling: _Sampling, threads: int | None, *, quiet: bool
) -> tuple[list[Report], list[TableError]]:
    """Verify one table after the other; what is wrong with one does not keep the others waiting."""
    reports: list[Report] = []
    faults: list[TableError] = []
    of_all, of_some = (Purpose.PROOFS, Purpose.PAWN_PROOFS), (Purpose.SAMPLES, Purpose.PAWN_SAMPLES)
    compile_for(by_pawns(wanted, *(of_all if sampling.sample is None else of_some)), quiet=quiet)
    from tbgen.verify import verify_file  # not before: the compiler would wait for it

    with progress("verifying", len(wanted), quiet=quiet) as shown:
        for material in wanted:
            tell = _teller(material, lambda title: shown.advance(0, title=title))
            try:
                where = folder_with(folders, material)
                report = verify_file(
                    where, material, **sampling._asdict(), threads=threads, progress=tell, others=folders
                )
            except TableError as error:
                faults.append(error)
            else:
                reports.append(report)
                if report.violation is not None:
                    faults.append(VerificationError(str(material), str(report.violation)))
            shown.advance()
    return reports, faults


def _teller(material: Material, show: Callable[[str], None]) -> Callable[[str, int, int], None]:
    """What is told of a phase: how much of it is done, and about how long the rest takes."""
    begun: dict[str, float] = {}

    def tell(phase: str, done: int, total: int) -> None:
        now = time.monotonic()
        left = seconds_left(now - begun.setdefault(phase, now), done / total)
        show(f"{material}: {phase} {100 * done // total} %" + ("" if left is None else f", {duration(left)} left"))

    return tell


def _compare(against: str, wanted: list[Material], folders: tuple[Path, ...], *, as_json: bool, quiet: bool) -> int:
    """Hold the tables against published counts."""
    from tbgen.apps.records.published import ORDINARY, differences, read_published
    from tbgen.storage.reader import TableFile

    published = read_published(ORDINARY if against == "ordinary" else Path(against))
    facts: list[dict[str, Any]] = []
    faults: list[TableError] = []
    for material in wanted:
        fact: dict[str, Any] = {"material": str(material), "published": material in published, "differences": []}
        try:
            with TableFile(path_in(folders, material)) as file:
                found = list(differences(file, published[material])) if material in published else []
        except TableError as error:
            faults.append(error)
            continue
        fact["differences"] = [str(difference) for difference in found]
        faults += [VerificationError(str(material), str(found[0]))] if found else []
        facts.append(fact)
    if as_json:
        click.echo(json.dumps({"tables": facts, "faults": [str(fault) for fault in faults]}, indent=2))
    elif not quiet and facts:
        show_rows(("table", "verdict"), [(fact["material"], _verdict(fact)) for fact in facts])
    return complain_of(faults)


def _verdict(fact: dict[str, Any]) -> str:
    if not fact["published"]:
        return "nothing is published"
    return "; ".join(fact["differences"]) or "as published"


def _show(reports: list[Report], faults: list[TableError], *, as_json: bool) -> None:
    if as_json:
        facts = {"tables": [report.facts() for report in reports], "faults": [str(fault) for fault in faults]}
        click.echo(json.dumps(facts, indent=2))
        return
    rows = [
        (
            str(report.material),
            f"{report.positions:,}",
            f"{report.pairs:,}",
            f"{report.seconds:.1f}",
            "right" if report.violation is None else "wrong",
        )
        for report in reports
    ]
    if rows:
        show_rows(("table", "positions", "with accrued scores", "seconds", "verdict"), rows, right=".rrr")
        click.echo("positions that a symmetry of the board makes equal count once")
