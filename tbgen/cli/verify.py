"""`tbgen verify`: prove tables, or compare them with those of others."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tbgen.cli import complain_of, is_quiet, options
from tbgen.cli.command import Command, refuse_without
from tbgen.cli.materials import built_names_argument, named_or_there
from tbgen.cli.reporter import Work
from tbgen.cli.showing import Facts, Form, ShownRow, print_facts, show_table
from tbgen.cli.tables import TableCheck, check_each
from tbgen.errors import UsageError
from tbgen.facts import facts_of
from tbgen.material import TableMaterial
from tbgen.storage.files import folder_with, mobility_of, path_in

if TYPE_CHECKING:
    from tbgen.verify.digesting import Digests

_SHOWN_DIGITS = 16
"""The first digits of a digest, which tell tables apart on a terminal."""


@click.command("verify", cls=Command)
@built_names_argument
@click.option(
    "--sample",
    metavar="N",
    type=click.IntRange(1),
    help="Check N random positions of each table, not all.",
)
@click.option(
    "--seed",
    metavar="N",
    type=click.IntRange(0),
    default=0,
    help="With --sample: draw other positions (default 0).",
)
@click.option(
    "--digest",
    "by_digest",
    is_flag=True,
    help="Compare digests of the values with those of known tables.",
)
@click.option(
    "--list",
    "known_in",
    metavar="FILE",
    type=options.OLD_FILE,
    help="With --digest: compare with this list of known tables, not with the one that comes with "
    "tbgen.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=options.FILE,
    help="With --digest: enter the digests into this list.",
)
@options.threads_option
@options.any_folders_option
@options.json_option
def command(
    *,
    names: tuple[str, ...],
    sample: int | None,
    seed: int,
    by_digest: bool,
    known_in: Path | None,
    output: Path | None,
    threads: int | None,
    folders: tuple[Path, ...],
    form: Form,
) -> int:
    """Prove tables such as KBvK, or all tables of the folders.

    tbgen checks the bytes of each file, and the value and distance of every position with every
    accrued score against the moves, in the table and in those that captures and promotions lead to.
    If these have been verified too, a table that passes is right. Outcomes alone are compared with
    the moves as well, which finds faults but proves nothing. --digest compares tables with those
    that others have: equal digests mean equal values. With --digest and --sample, tbgen does both.

    \b
    Examples:
      tbgen verify
      tbgen verify KBvK KPvK
      tbgen verify KBvKN --sample 100000 --seed 7
      tbgen verify --digest
      tbgen verify KRPvKRP --digest --sample 1000000 --data gift --data tables
    """
    refuse_without("--sample", "--seed")
    refuse_without("--digest", "--list", "--output")
    mobility = mobility_of(folders[0])
    if by_digest and not mobility.forgets and known_in is None:
        raise UsageError(
            f"the known digests are of r-mobility; name a list of {mobility} tables with --list"
        )
    materials = named_or_there(names, folders)
    by_moves = not by_digest or sample is not None
    checks = list[TableCheck]()
    if by_digest:
        checks.append(_digests(folders, threads, known_in, output))
    if by_moves:
        checks.append(_proofs(folders, sample, seed, threads))
    tables, faults = check_each(materials, partial(_all_of, checks))
    if form is not Form.TABLE:
        print_facts(form, {"tables": tables, "faults": [str(fault) for fault in faults]})
    elif not is_quiet():
        if by_digest:
            show_table(map(_row_of_digest, tables))
        if by_moves:
            show_table(map(_row_of_proof, tables), note=_note_of_proofs(tables))
    return complain_of(faults)


def _all_of(
    checks: Sequence[TableCheck], material: TableMaterial, work: Work
) -> tuple[Facts, str | None]:
    """What several checks find of a table, with the first fault."""
    found: Facts = {}
    fault = None
    for check in checks:
        facts, fault_of_check = check(material, work)
        found = {**found, **facts}
        fault = fault or fault_of_check
    return found, fault


def _proofs(
    folders: Sequence[Path], sample: int | None, seed: int, threads: int | None
) -> TableCheck:
    """The check that proves every position or a sample."""
    from tbgen.verify import verify_file

    def check(material: TableMaterial, work: Work) -> tuple[Facts, str | None]:
        def tell(phase: str, done: float, total: float) -> None:
            work.reach(done, total, title=f"{material}: {phase}")

        report = verify_file(
            folder_with(folders, material),
            material,
            sample=sample,
            seed=seed,
            threads=threads,
            progress=tell,
            others=folders,
        )
        fault = None if report.violation is None else str(report.violation)
        return report.facts(), fault

    return check


def _note_of_proofs(tables: Sequence[Facts]) -> str:
    """What the rows do not say."""
    note = "symmetric positions count once, mates and stalemates not at all"
    if any(table["outcomes_only"] for table in tables):
        note += "; outcomes that agree with all moves are not proved without distances"
    return note


def _row_of_proof(table: Facts) -> ShownRow:
    if not table["right"]:
        verdict = "wrong"
    elif table["outcomes_only"]:
        verdict = "agrees with its moves"
    else:
        verdict = "right"
    return {
        "table": table["material"],
        "positions": table["positions"],
        "with accrued scores": table["pairs"],
        "seconds": table["seconds"],
        "verdict": verdict,
    }


def _digests(
    folders: Sequence[Path], threads: int | None, known_in: Path | None, output: Path | None
) -> TableCheck:
    """The check that compares with a list of digests.

    It adds to `output` the digests that no list contradicts.
    """
    from tbgen.storage.reader import TableFile
    from tbgen.verify.digesting import KNOWN, digests_of, read_digests, write_digests

    known = read_digests(known_in or KNOWN)
    noted = {}
    if output is not None and output.exists():
        noted = read_digests(output)

    def check(material: TableMaterial, work: Work) -> tuple[Facts, str | None]:
        work.advance(0, detail=f"digest of {material}")
        with TableFile(path_in(folders, material)) as file:
            digests = digests_of(file, threads)
        difference = None
        for digests_of_material in (known, noted):
            if material in digests_of_material and difference is None:
                difference = digests.difference(digests_of_material[material])
        if difference is None:
            noted[material] = _fuller(digests, noted.get(material))
            if output is not None:  # digests of all tables take long, so write each at once
                write_digests(output, noted)
        facts = facts_of(digests, known=material in known, difference=difference)
        return {"material": str(material), **facts}, difference

    return check


def _fuller(digests: Digests, noted: Digests | None) -> Digests:
    """The digests to note: a list keeps those of distances that it has."""
    if digests.distances is None and noted is not None:
        return noted
    return digests


def _row_of_digest(table: Facts) -> ShownRow:
    if table["difference"]:
        verdict = "differs"
    elif table["known"]:
        verdict = "as known"
    else:
        verdict = "not in the list"
    return {
        "table": table["material"],
        "outcomes": table["outcomes"][:_SHOWN_DIGITS],
        "distances": (table["distances"] or "none")[:_SHOWN_DIGITS],
        "verdict": verdict,
    }
