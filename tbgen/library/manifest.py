"""Manifest: what a folder of tables has, for people and for copying; and what it took to build it.

The manifest follows the files and is never asked whether a table is sound: each file's own seal says that. What
differs from one build to the next, such as seconds, stands here and not in the files. A survey reads them all.

A mark beside a table says that its distances are there only because other tables need them; a build that goes on with
an interrupted one knows by it what to remove. Distances without a mark stay.
"""

from __future__ import annotations

import contextlib
import enum
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Final

from tbgen.errors import DamagedTableError, MissingTableError, OutdatedTableError
from tbgen.material import Material, build_order
from tbgen.storage.files import FileDigests, Layer, open_regular, path_of, write_whole
from tbgen.storage.reader import TableFile
from tbgen.storage.schema import GAME
from tbgen.table import Figures
from tbgen.text import parse_json

MANIFEST = "manifest.json"
_FORMAT = 2


@dataclass(frozen=True)
class FileRecord:
    """The facts about a table's files; times and memory are None if it was built elsewhere."""

    bytes: int
    """Of outcomes and distances."""
    sha256: str
    """Of the file of outcomes."""
    wall_seconds: float | None = None
    cpu_seconds: float | None = None
    peak_bytes: int | None = None
    threads: int | None = None
    phase_seconds: Mapping[str, float] = field(default_factory=dict)
    sha256_of_distances: str | None = None
    """None where there are none."""
    game: str = GAME

    @classmethod
    def of(cls, files: FileDigests, game: str = GAME, figures: Figures | None = None) -> FileRecord:
        """The record of a table's files, with its figures if it was built."""
        found = cls(files.bytes, files.outcomes, sha256_of_distances=files.distances, game=game)
        return found if figures is None else replace(found, **asdict(figures))

    def is_same_file(self, other: FileRecord) -> bool:
        """Whether both tell of the same bytes."""
        mine, others = ((each.bytes, each.sha256, each.sha256_of_distances, each.game) for each in (self, other))
        return mine == others


def read_manifest(folder: Path) -> dict[str, FileRecord]:
    """The records by material; none where there is no manifest, and none that somebody has spoilt."""
    known = dict[str, FileRecord]()
    try:
        with open_regular(folder / MANIFEST) as file:
            tables = [*parse_json(file.read())["tables"].members()]
    except (OSError, ValueError):
        return known
    for name, each in tables:
        with contextlib.suppress(ValueError):
            known[name] = each.read(FileRecord)
    return known


def record(folder: Path, made: Mapping[Material, FileRecord]) -> None:
    """Put what is known of some tables' files into the manifest; only for who has the lock."""
    records = {**read_manifest(folder), **{str(material): record for material, record in made.items()}}
    facts = {"format": _FORMAT, "tables": {name: asdict(records[name]) for name in sorted(records)}}
    write_whole(folder / MANIFEST, [json.dumps(facts, indent=1).encode() + b"\n"])


MARK: Final = ".passing"


class Condition(enum.Enum):
    """The state of a table in the folder."""

    SOUND = "sound"
    MISSING = "missing"
    DAMAGED = "damaged"
    OUTDATED = "outdated"
    WITHOUT_DISTANCES = "without distances"


@dataclass(frozen=True)
class Finding:
    """The condition of a table, and why if its files cannot be used."""

    material: Material
    condition: Condition
    reason: str = ""
    file: FileRecord | None = field(default=None, compare=False)
    """Size and digests of the files, if they can be used."""

    @property
    def is_sound(self) -> bool:
        return self.condition is Condition.SOUND


def survey(
    folder: Path, wanted: Iterable[Material], tell: Callable[[Material, int, int], None] = lambda *_: None
) -> list[Finding]:
    """The condition of every wanted table and of all that it needs, in build order.

    `tell` hears of each material before its files are read, as number (from 1) of total.
    """
    findings, targets = list[Finding](), build_order(wanted)
    for number, material in enumerate(targets, 1):
        tell(material, number, len(targets))
        findings.append(examine(folder, material))
    return findings


def examine(folder: Path, material: Material) -> Finding:
    """The condition of one table; its files are read whole."""
    try:
        with TableFile(path_of(folder, material)) as file:
            found = FileRecord.of(file.check(), str(file.game))
    except MissingTableError:
        return Finding(material, Condition.MISSING)
    except DamagedTableError as error:
        return Finding(material, Condition.DAMAGED, error.reason)
    except OutdatedTableError as error:
        return Finding(material, Condition.OUTDATED, f"{error.found} instead of {error.needed}")
    is_whole = found.sha256_of_distances is not None
    return Finding(material, Condition.SOUND if is_whole else Condition.WITHOUT_DISTANCES, file=found)


def without_needless_distances(findings: Sequence[Finding]) -> list[Finding]:
    """The findings, in build order, where outcomes are enough: distances are missed only if a table to be made needs
    them."""
    needed, found = set[Material](), list[Finding]()
    for finding in reversed(findings):
        if finding.condition is Condition.WITHOUT_DISTANCES and finding.material not in needed:
            finding = replace(finding, condition=Condition.SOUND)
        if not finding.is_sound:
            needed.update(finding.material.children())
        found.append(finding)
    return found[::-1]


def mark_of(folder: Path, material: Material) -> Path:
    """The file that says that the distances of a table are to go."""
    return folder / f"{material}{MARK}"


def let_go(folder: Path, materials: Iterable[Material], to_be_made: Collection[Material] = ()) -> None:
    """Remove the distances of marked tables that no table needs which is still to be made."""
    needed = {child for material in to_be_made for child in material.children()} | set(to_be_made)
    for material in materials:
        mark, outcomes = mark_of(folder, material), path_of(folder, material)
        if material in needed or not mark.exists():
            continue
        path_of(folder, material, Layer.DISTANCES).unlink(missing_ok=True)
        known = read_manifest(folder).get(str(material))
        if known is not None and outcomes.exists():
            size = outcomes.stat().st_size
            record(folder, {material: replace(known, bytes=size, sha256_of_distances=None)})
        mark.unlink()
