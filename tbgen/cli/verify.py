"""`tbgen verify`: prove tables, or compare them with what is known of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from tbgen.cli.folders import folders_option, named_or_there, names_argument
from tbgen.cli.options import (
    a_file,
    game_option,
    json_option,
    quiet_option,
    refuse_together,
    refuse_without,
    threads_option,
)
from tbgen.cli.reporter import Work, by_pawns, compile_for, progress
from tbgen.cli.terminal import complain_of, print_json, show_rows
from tbgen.compiled.known import Purpose
from tbgen.errors import TableError, UsageError, VerificationError
from tbgen.material import Material
from tbgen.score import Mobility
from tbgen.storage.files import folder_with, path_in

Facts = Mapping[str, Any]


@click.command("verify")
@names_argument
@click.option("--sample", type=click.IntRange(1), metavar="N", help="Check N random positions of each table, not all.")
@click.option("--seed", type=click.IntRange(0), metavar="N", help="With --sample: draw other positions (default 0).")
@click.option(
    "--against",
    metavar="FILE",
    shell_complete=a_file,
    help="Compare wins, draws, losses and longest mates with published ones: a CSV file, or the word `ordinary`.",
)
@click.option("--digest", "by_digest", is_flag=True, help="Compare digests of the values with those of known tables.")
@click.option(
    "--list",
    "known_in",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="With --digest: compare with this list of known tables, not with the one that comes with tbgen.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="With --digest: enter the digests into this list.",
)
@threads_option
@game_option
@folders_option
@json_option
@quiet_option
def command(
    names: tuple[str, ...],
    *,
    sample: int | None,
    seed: int | None,
    against: str | None,
    by_digest: bool,
    known_in: Path | None,
    output: Path | None,
    threads: int | None,
    game: Mobility,
    folders: tuple[Path, ...],
    as_json: bool,
    quiet: bool,
) -> int:
    """Prove tables such as KBvK, or all tables of the folders.

    Checks the bytes of each file, and the value and distance of every position with every accrued score
    against the moves, in the table and in those that captures and promotions lead to. If these have been
    verified too, a table that passes is right.
    --digest compares tables with those that others have: equal digests mean equal values.

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
    if by_digest and not game.forgets and known_in is None:
        raise UsageError(f"the known digests are of r-mobility; name a list of {game} tables with --list")
    if against is not None and threads is not None:
        raise UsageError("--against looks at counts alone; leave out --threads")
    wanted = named_or_there(names, folders)
    if by_digest:
        return compare_digests(wanted, folders, threads, known_in=known_in, output=output, as_json=as_json, quiet=quiet)
    if against is not None:
        return _checked(wanted, _comparison(against, folders), as_json=as_json, quiet=quiet)
    proof = _proof(wanted, folders, sample, seed or 0, threads, quiet=quiet)
    return _checked(wanted, proof, as_json=as_json, quiet=quiet)


class _Checking(NamedTuple):
    """How tables are checked, and how that is shown."""

    check: Callable[[Material, Work], tuple[Facts, str | None]]
    """The facts of a table, and what is wrong with it."""
    heads: Sequence[str]
    row: Callable[[Facts], Sequence[str]]
    right: str = ""
    note: str | None = None


def _checked(wanted: Sequence[Material], checking: _Checking, *, as_json: bool, quiet: bool) -> int:
    """Check one table after another. A fault of one does not stop the others."""
    found: list[Facts] = []
    faults: list[TableError] = []
    with progress("tables", len(wanted), quiet=quiet) as shown:
        for number, material in enumerate(wanted):
            try:
                facts, fault = checking.check(material, shown)
            except TableError as error:
                faults.append(error)
            else:
                found.append(facts)
                faults += [] if fault is None else [VerificationError(str(material), fault)]
            shown.reach(number + 1, len(wanted), title="tables", detail="")
    if as_json:
        print_json({"tables": found, "faults": [str(fault) for fault in faults]})
    elif not quiet and found:
        show_rows(checking.heads, [checking.row(facts) for facts in found], right=checking.right)
        if checking.note is not None:
            click.echo(checking.note)
    return complain_of(faults)


def _proof(
    wanted: Sequence[Material],
    folders: Sequence[Path],
    sample: int | None,
    seed: int,
    threads: int | None,
    *,
    quiet: bool,
) -> _Checking:
    """Prove every position, or a sample."""
    of_all, of_some = (Purpose.PROOFS, Purpose.PAWN_PROOFS), (Purpose.SAMPLES, Purpose.PAWN_SAMPLES)
    compile_for(by_pawns(wanted, *(of_all if sample is None else of_some)), quiet=quiet)
    from tbgen.verify import verify_file  # not before: the compiler would wait for it

    def check(material: Material, shown: Work) -> tuple[Facts, str | None]:
        def tell(phase: str, done: int, total: int) -> None:
            shown.reach(done, total, title=f"{material}: {phase}")

        folder = folder_with(folders, material)
        report = verify_file(folder, material, sample=sample, seed=seed, threads=threads, progress=tell, others=folders)
        return report.facts(), None if report.violation is None else str(report.violation)

    return _Checking(
        check,
        ("table", "positions", "with accrued scores", "seconds", "verdict"),
        lambda facts: (
            facts["material"],
            f"{facts['positions']:,}",
            f"{facts['pairs']:,}",
            f"{facts['seconds']:.1f}",
            "right" if facts["right"] else "wrong",
        ),
        right=".rrr",
        note="positions that a symmetry of the board makes equal count once",
    )


def _comparison(against: str, folders: Sequence[Path]) -> _Checking:
    """Compare the tables with published counts."""
    from tbgen.apps.records.published import ORDINARY, differences, read_published
    from tbgen.storage.reader import TableFile

    published = read_published(ORDINARY if against == "ordinary" else Path(against))

    def check(material: Material, shown: Work) -> tuple[Facts, str | None]:
        with TableFile(path_in(folders, material)) as file:
            found = [str(each) for each in differences(file, published[material])] if material in published else []
        facts = {"material": str(material), "published": material in published, "differences": found}
        return facts, found[0] if found else None

    def verdict(facts: Facts) -> str:
        return "; ".join(facts["differences"]) or ("as published" if facts["published"] else "nothing is published")

    return _Checking(check, ("table", "verdict"), lambda facts: (facts["material"], verdict(facts)))


def compare_digests(
    wanted: Sequence[Material],
    folders: Sequence[Path],
    threads: int | None = None,
    *,
    known_in: Path | None = None,
    output: Path | None = None,
    as_json: bool = False,
    quiet: bool,
) -> int:
    """Compare tables with a list of digests, and enter in another list what this one does not contradict."""
    from tbgen.storage.reader import TableFile
    from tbgen.verify.digesting import digests_of
    from tbgen.verify.digests import KNOWN, read_digests, write_digests

    known = read_digests(known_in or KNOWN)
    noted = read_digests(output) if output is not None and output.exists() else {}
    compile_for(Purpose.DIGESTS, quiet=quiet)

    def check(material: Material, shown: Work) -> tuple[Facts, str | None]:
        shown.advance(0, detail=f"digest of {material}")
        with TableFile(path_in(folders, material)) as file:
            found = digests_of(file, threads)
        listed = [lists[material] for lists in (known, noted) if material in lists]
        difference = next(filter(None, map(found.difference, listed)), None)
        if difference is None:
            noted[material] = found
            if output is not None:  # all tables take long: what is found is kept
                write_digests(output, noted)
        facts = {"material": str(material), "outcomes": found.outcomes, "distances": found.distances}
        return {**facts, "known": material in known, "difference": difference}, difference

    def row(facts: Facts) -> Sequence[str]:
        verdict = "as known" if facts["known"] else "not in the list"
        digests = (facts["outcomes"][:16], (facts["distances"] or "none")[:16])
        return (facts["material"], *digests, verdict if facts["difference"] is None else "differs")

    checking = _Checking(check, ("table", "outcomes", "distances", "verdict"), row)
    return _checked(wanted, checking, as_json=as_json, quiet=quiet)
