"""`tbgen verify --digest`: what tables hold against what is known of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from tbgen.cli.first_use import compile_for
from tbgen.cli.terminal import complain_of, progress, show_rows
from tbgen.compiled.known import Purpose
from tbgen.errors import TableError, VerificationError
from tbgen.material import Material
from tbgen.storage.files import path_in
from tbgen.storage.reader import TableFile
from tbgen.verify.digests import KNOWN, Digests, read_digests, write_digests


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
    """Hold tables against a list of digests, and enter in another list what this one does not contradict."""
    known = read_digests(known_in or KNOWN)
    noted = read_digests(output) if output is not None and output.exists() else {}
    compile_for(Purpose.DIGESTS, quiet=quiet)
    facts: list[dict[str, Any]] = []
    faults: list[TableError] = []
    with progress("digests", len(wanted), quiet=quiet) as shown:
        for material in wanted:
            shown.advance(0, title=f"digest of {material}")
            try:
                found = _digests_in(folders, material, threads)
            except TableError as error:
                faults.append(error)
            else:
                differences = [
                    each for each in (_difference(found, lists.get(material)) for lists in (known, noted)) if each
                ]
                faults += [VerificationError(str(material), difference) for difference in differences[:1]]
                if not differences:
                    noted[material] = found
                    if output is not None:  # all tables take long: what is found is kept
                        write_digests(output, noted)
                facts.append(_facts(material, found, material in known, differences))
            shown.advance()
    if as_json:
        click.echo(json.dumps({"tables": facts, "faults": [str(fault) for fault in faults]}, indent=2))
    elif not quiet and facts:
        rows = [
            (each["material"], each["outcomes"][:16], (each["distances"] or "none")[:16], _verdict(each))
            for each in facts
        ]
        show_rows(("table", "outcomes", "distances", "verdict"), rows)
    return complain_of(faults)


def _digests_in(folders: Sequence[Path], material: Material, threads: int | None) -> Digests:
    from tbgen.verify.digesting import digests_of

    with TableFile(path_in(folders, material)) as file:
        return digests_of(file, threads)


def _difference(found: Digests, known: Digests | None) -> str | None:
    return None if known is None else found.difference(known)


def _facts(material: Material, found: Digests, is_known: bool, differences: Sequence[str]) -> dict[str, Any]:
    return {
        "material": str(material),
        "outcomes": found.outcomes,
        "distances": found.distances,
        "known": is_known,
        "difference": differences[0] if differences else None,
    }


def _verdict(fact: dict[str, Any]) -> str:
    if fact["difference"] is not None:
        return "differs"
    return "as known" if fact["known"] else "not in the list"
