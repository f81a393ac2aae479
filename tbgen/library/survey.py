"""Survey: the condition in which the tables of a folder are found."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tbgen.errors import DamagedTableError, MissingTableError, OutdatedTableError
from tbgen.library.manifest import FileRecord
from tbgen.material import Material, build_order
from tbgen.storage.files import path_of
from tbgen.storage.reader import TableFile


class Condition(enum.Enum):
    """What is found where a table should be."""

    SOUND = "sound"
    MISSING = "missing"
    DAMAGED = "damaged"
    OUTDATED = "outdated"
    WITHOUT_DISTANCES = "without distances"


@dataclass(frozen=True)
class Finding:
    """A material's condition, and why if its file cannot be used."""

    material: Material
    condition: Condition
    reason: str = ""
    file: FileRecord | None = field(default=None, compare=False)
    """Size and digests of a sound table."""

    @property
    def is_sound(self) -> bool:
        return self.condition is Condition.SOUND


def survey(
    folder: Path, wanted: Iterable[Material], tell: Callable[[Material, int, int], None] = lambda *_: None
) -> list[Finding]:
    """The condition of every wanted table and of all that it needs, in build order.

    `tell` hears of a material before its file is read, which is number (from 1) of total.
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
            digests = file.check()
            found = FileRecord(file.size, digests.outcomes, sha256_of_distances=digests.distances, game=str(file.game))
    except MissingTableError:
        return Finding(material, Condition.MISSING)
    except DamagedTableError as error:
        return Finding(material, Condition.DAMAGED, error.reason)
    except OutdatedTableError as error:
        return Finding(material, Condition.OUTDATED, f"{error.found} instead of {error.needed}")
    if digests.distances is None:
        return Finding(material, Condition.WITHOUT_DISTANCES, file=found)
    return Finding(material, Condition.SOUND, file=found)
