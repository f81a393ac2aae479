"""Survey: the condition in which the tables of a folder are found, and which distances are to go.

A mark beside a table says that its distances are there only because other tables need them; a build that goes on with
an interrupted one knows by it what to remove. Distances without a mark stay.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tbgen.errors import DamagedTableError, MissingTableError, OutdatedTableError
from tbgen.library.manifest import FileRecord, read_manifest, record
from tbgen.material import Material, build_order
from tbgen.storage.files import Layer, path_of
from tbgen.storage.reader import TableFile

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
            finding = dataclasses.replace(finding, condition=Condition.SOUND)
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
            record(folder, {material: dataclasses.replace(known, bytes=size, sha256_of_distances=None)})
        mark.unlink()
