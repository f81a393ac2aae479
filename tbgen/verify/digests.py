"""Digests: those of known tables, which come with the program, and what a table is held against; needs no compiler."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tbgen.errors import MaterialError, UsageError
from tbgen.material import Material
from tbgen.storage.files import every_material, read_bounded, write_whole

KNOWN: Final = Path(__file__).with_name("digests.csv")
"""The list that comes with the program."""

_COLUMNS: Final = ("material", "outcomes", "distances")
_DIGEST: Final = re.compile("[0-9a-f]{64}")
_HEAD: Final = "# Digests of the values of tables, whatever bytes their files have; docs/digests.md defines them.\n"


@dataclass(frozen=True, slots=True)
class Digests:
    """What a table holds, in 64 hexadecimal digits a layer."""

    outcomes: str
    distances: str | None
    """Of outcomes and distances together; None where there are outcomes alone."""

    def difference(self, known: Digests) -> str | None:
        """What differs from the known table, in words; None if nothing does."""
        if self.outcomes != known.outcomes:
            return f"its outcomes have the digest {self.outcomes}, those of the known table {known.outcomes}"
        if self.distances is not None and self.distances != known.distances:
            return f"its distances have the digest {self.distances}, those of the known table {known.distances}"
        return None


def read_digests(path: Path = KNOWN) -> dict[Material, Digests]:
    """The digests of a list by material; UsageError, with the line, if it is not one."""
    try:
        lines = read_bounded(path).decode().splitlines()
    except UnicodeDecodeError:
        raise UsageError(f"{path} is no list of digests: it is not text") from None
    rows = [(number, line) for number, line in enumerate(lines, 1) if line and not line.startswith("#")]
    if not rows or rows[0][1].split(",") != list(_COLUMNS):
        raise UsageError(f"{path} is no list of digests: it has no head {','.join(_COLUMNS)}")
    found: dict[Material, Digests] = {}
    for number, line in rows[1:]:
        material, digests = _read(path, number, line)
        if material in found:
            raise UsageError(f"{path}, line {number}: {material} is there twice")
        found[material] = digests
    return found


def _read(path: Path, number: int, line: str) -> tuple[Material, Digests]:
    name, *digests = next(csv.reader([line]))
    try:
        material = Material.parse(name)
    except MaterialError as error:
        raise UsageError(f"{path}, line {number}: {error}") from None
    if not material.is_canonical or len(digests) != len(_COLUMNS) - 1 or not all(map(_DIGEST.fullmatch, digests)):
        raise UsageError(f"{path}, line {number}: not a table and two digests of 64 hexadecimal digits")
    return material, Digests(*digests)


def write_digests(path: Path, digests: Mapping[Material, Digests]) -> None:
    """Write a list, in build order."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for material in every_material():
        if material in digests and digests[material].distances is not None:
            writer.writerow((str(material), digests[material].outcomes, digests[material].distances))
    write_whole(path, [(_HEAD + written.getvalue()).encode()])
