"""`tbgen list`: the tables that are there, and what they hold. `tbgen verify`: prove them, or compare them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import click

from tbgen.cli import complain_of, is_quiet, options
from tbgen.cli.options import Command, flag, option
from tbgen.cli.reporter import Work, progress
from tbgen.cli.showing import Facts, Form, Heads, present, show_facts
from tbgen.errors import TableError, UsageError, VerificationError
from tbgen.facts import facts_of
from tbgen.library.catalog import figures_of
from tbgen.material import Material
from tbgen.men import Man
from tbgen.score import Mobility
from tbgen.storage.files import folder_with, path_in, tables_of
from tbgen.text import counted, in_units

TableCheck = Callable[[Material, Work], tuple[Facts, str | None]]
"""The facts of a table, and what is wrong with it."""


@click.command("list", cls=Command)
def list_command(
    *,
    names: tuple[str, ...] = options.names_argument,
    figures: bool = flag("Show the figures of every table, as if all were named."),
    own: tuple[Man, ...] = options.OWN,
    mobility: Mobility = options.MOBILITY,
    folders: tuple[Path, ...] = options.FOLDERS,
    form: Form = options.FORM,
) -> int:
    """List the tables of the folders, or show the figures of those that are named.

    The figures say how often each outcome is the entry value in a table, and its longest distance.
    Positions count every placement on 64 squares, with equal men distinguished.
    Tables that cannot be used are named with the reason. JSON is an object where one table is named, else a list.

    \b
    Examples:
      tbgen list
      tbgen list --data tables --json
      tbgen list KBvK KNvK KvK
      tbgen list KBvKN --format csv
    """
    in_full = bool(names) or figures
    where = dict(tables_of(folders))
    wanted = options.named_or_there(names, folders) if in_full else list(where)
    found, faults = _each(
        wanted, lambda material, _: (figures_of(folder_with(folders, material), material), None)
    )
    if in_full:
        facts = found[0] if found and len(names) == 1 else found
        present(form, facts, lambda: _show(found), (row for each in found for row in _rows(each)))
    else:
        _list(found, where, folders, form)
    return complain_of(faults)


def _list(
    found: Sequence[Facts], where: dict[Material, Path], folders: Sequence[Path], form: Form
) -> None:
    """A row for each table that a probe would use."""
    folder_of = {str(material): str(folder) for material, folder in where.items()}
    facts = [
        {
            **{name: each[name] for name in ("material", "men", "positions", "bytes")},
            "folder": folder_of[each["material"]],
        }
        for each in found
    ]
    columns: Heads = {
        "table": "material",
        "men": "men",
        "positions": "positions",
        "size": lambda row: in_units(row["bytes"]),
        "from": "folder",
    }
    size = in_units(sum(each["bytes"] for each in found))
    note = f"{counted(len(found), 'table', 'tables')}, {size}; positions count every placement on 64 squares"
    present(
        form,
        facts,
        lambda: show_facts(
            facts, columns, note=note, none="" if where else options.no_tables(folders)
        ),
    )


def _each(wanted: Sequence[Material], check: TableCheck) -> tuple[list[Facts], list[TableError]]:
    """The facts of one table after another. A fault of one does not stop the others."""
    found, faults = list[Facts](), list[TableError]()
    with progress("tables", len(wanted)) as shown:
        for number, material in enumerate(wanted, 1):
            try:
                facts, fault = check(material, shown)
                found.append(facts)
                faults += [] if fault is None else [VerificationError(str(material), fault)]
            except TableError as error:
                faults.append(error)
            shown.reach(number, len(wanted), title="tables", detail="")
    return found, faults


def _rows(table: Facts) -> list[Facts]:
    """A row for each outcome of each side."""
    return [
        {"material": table["material"], "side": side, "outcome": outcome, **facts}
        for side, each in table["sides"].items()
        for outcome, facts in each["outcomes"].items()
    ]


def _show(tables: Sequence[Facts]) -> None:
    """The figures of tables, one table after another."""
    columns = {
        "outcome": "outcome",
        "positions": "count",
        "longest DTG": "max_dtg",
        "for example": "fen",
    }
    for number, table in enumerate(tables):
        size, positions = table["bytes"], table["positions"]
        if number:
            click.echo()
        click.echo(
            f"{table['material']}: {table['men']} men, {positions:,} positions (every placement on 64 squares)\n"
            f"{in_units(size)}, {size / max(positions, 1):.3f} bytes a position, made by tbgen {table['version']}"
        )
        if table["seconds"] is not None and table["cpu_seconds"] is not None:
            click.echo(f"built in {table['seconds']:.1f} s, {table['cpu_seconds']:.1f} CPU s")
        for side, each in table["sides"].items():
            click.echo(f"\n{side.capitalize()} to move: {each['positions']:,} positions")
            show_facts([row for row in _rows(table) if row["side"] == side], columns)


@click.command("verify", cls=Command, alone=[("--digest", "--sample")])
def verify(
    *,
    names: tuple[str, ...] = options.names_argument,
    sample: int | None = option(
        "Check N random positions of each table, not all.", type=click.IntRange(1)
    ),
    seed: int = option(
        "Draw other positions.", type=click.IntRange(0), default=0, needs="--sample"
    ),
    by_digest: bool = flag("Compare digests of the values with those of known tables.", "--digest"),
    known_in: Path | None = option(
        "Compare with this list of known tables, not with the one that comes with tbgen.",
        "--list",
        type=options.OLD_FILE,
        needs="--digest",
    ),
    output: Path | None = option(
        "Enter the digests into this list.", "-o", type=options.FILE, needs="--digest"
    ),
    threads: int | None = options.THREADS,
    own: tuple[Man, ...] = options.OWN,
    mobility: Mobility = options.MOBILITY,
    folders: tuple[Path, ...] = options.FOLDERS,
    form: Form = options.FORM,
) -> int:
    """Prove tables such as KBvK, or all tables of the folders.

    tbgen checks the bytes of each file, and the value and distance of every position with every accrued score
    against the moves, in the table and in those that captures and promotions lead to. If these have been
    verified too, a table that passes is right.
    --digest compares tables with those that others have: equal digests mean equal values.

    \b
    Examples:
      tbgen verify
      tbgen verify KBvK KPvK
      tbgen verify KBvKN --sample 100000 --seed 7
      tbgen verify --digest
    """
    if by_digest and not mobility.forgets and known_in is None:
        raise UsageError(
            f"the known digests are of r-mobility; name a list of {mobility} tables with --list"
        )
    wanted, note = options.named_or_there(names, folders), ""
    if by_digest:
        check, columns = _digests(folders, threads, known_in, output)
    else:
        check, columns = _proofs(folders, sample, seed, threads)
        note = "symmetric positions count once, mates and stalemates not at all"
    found, faults = _each(wanted, check)
    facts, shown = {"tables": found, "faults": list(map(str, faults))}, [] if is_quiet() else found
    present(form, facts, lambda: show_facts(shown, columns, note=note))
    return complain_of(faults)


def _proofs(
    folders: Sequence[Path], sample: int | None, seed: int, threads: int | None
) -> tuple[TableCheck, Heads]:
    """The check that proves every position or a sample, and the columns of its table."""
    from tbgen.verify import verify_file

    def check(material: Material, shown: Work) -> tuple[Facts, str | None]:
        report = verify_file(
            folder_with(folders, material),
            material,
            sample=sample,
            seed=seed,
            threads=threads,
            progress=lambda phase, done, total: shown.reach(
                done, total, title=f"{material}: {phase}"
            ),
            others=folders,
        )
        return report.facts(), None if report.violation is None else str(report.violation)

    return check, {
        "table": "material",
        "positions": "positions",
        "with accrued scores": "pairs",
        "seconds": "seconds",
        "verdict": lambda facts: "right" if facts["right"] else "wrong",
    }


def _digests(
    folders: Sequence[Path], threads: int | None, known_in: Path | None, output: Path | None
) -> tuple[TableCheck, Heads]:
    """The check that compares with a list of digests, and the columns of its table.

    It adds to `output` the digests that no list contradicts.
    """
    from tbgen.storage.reader import TableFile
    from tbgen.verify.digesting import KNOWN, digests_of, read_digests, write_digests

    known = read_digests(known_in or KNOWN)
    noted = read_digests(output) if output is not None and output.exists() else {}

    def check(material: Material, shown: Work) -> tuple[Facts, str | None]:
        shown.advance(0, detail=f"digest of {material}")
        with TableFile(path_in(folders, material)) as file:
            found = digests_of(file, threads)
        listed = [lists[material] for lists in (known, noted) if material in lists]
        difference = next(filter(None, map(found.difference, listed)), None)
        if (
            difference is None and found.distances is not None
        ):  # the list has only tables with distances
            noted[material] = found
            if output is not None:  # digests of all tables take long, so write each at once
                write_digests(output, noted)
        facts = facts_of(found, known=material in known, difference=difference)
        return {"material": str(material), **facts}, difference

    return check, {
        "table": "material",
        "outcomes": lambda facts: facts["outcomes"][:16],
        "distances": lambda facts: (facts["distances"] or "none")[:16],
        "verdict": lambda facts: (
            "differs"
            if facts["difference"]
            else "as known"
            if facts["known"]
            else "not in the list"
        ),
    }
