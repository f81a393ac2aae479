"""The content of a folder of tables: its manifest, a survey of its files, and its offer to others.

The manifest follows the files. It never decides whether a table is sound, because each file has its
own seal. Facts that differ from one build to the next, such as seconds, stand here and not in the
files. A survey reads all files.
"""

from __future__ import annotations

import contextlib
import enum
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from tbgen.errors import (
    DamagedTableError,
    MissingTableError,
    OutdatedTableError,
    TableError,
    UsageError,
)
from tbgen.facts import facts_of
from tbgen.material import Material, TableMaterial, build_order
from tbgen.reading import parse_json, read_as
from tbgen.score import Color
from tbgen.storage.files import FileRecord, open_regular, path_of, tables_of, write_whole
from tbgen.storage.layerfile import LayerFile
from tbgen.storage.reader import TableFile
from tbgen.storage.schema import SEAL_BYTES, Seal
from tbgen.system import __version__
from tbgen.system.watching import tell_nobody

MANIFEST = "manifest.json"
_FORMAT = 2


def _facts_in_manifest(folder: Path) -> dict[str, Any]:
    """Facts by material; none without a manifest, or if somebody has spoilt it."""
    with contextlib.suppress(OSError, ValueError, LookupError, TypeError, AttributeError):
        manifest = parse_json(open_regular(folder / MANIFEST).read())
        return dict(manifest["tables"])
    return {}


def read_manifest(folder: Path) -> dict[str, FileRecord]:
    """The records by material, without those that somebody has spoilt."""
    records = dict[str, FileRecord]()
    for name, facts in _facts_in_manifest(folder).items():
        with contextlib.suppress(ValueError):
            records[name] = read_as(FileRecord, facts)
    return records


def _record_of(folder: Path, material: TableMaterial) -> FileRecord | None:
    """The record of one table; None if the manifest has none, or somebody has spoilt it."""
    with contextlib.suppress(KeyError, ValueError):
        record: FileRecord = read_as(FileRecord, _facts_in_manifest(folder)[str(material)])
        return record
    return None


def record(folder: Path, files: Mapping[TableMaterial, FileRecord]) -> None:
    """Put the facts about some tables' files into the manifest; only for the holder of the lock."""
    records = read_manifest(folder)
    for material, file in files.items():
        records[str(material)] = file
    tables = {name: asdict(records[name]) for name in sorted(records)}
    facts = {"format": _FORMAT, "tables": tables}
    write_whole(folder / MANIFEST, [json.dumps(facts, indent=1).encode() + b"\n"])


class Condition(enum.Enum):
    """The state of a table in the folder."""

    SOUND = "sound"
    MISSING = "missing"
    DAMAGED = "damaged"
    OUTDATED = "outdated"
    WITHOUT_DISTANCES = "without distances"


@dataclass(frozen=True)
class Finding:
    """The condition of a table, with the reason if its files cannot be used."""

    material: TableMaterial
    condition: Condition
    reason: str = ""
    file: FileRecord | None = field(default=None, compare=False)
    """The size and digests of a sound table's files; no other has facts that stay."""

    @property
    def is_sound(self) -> bool:
        return self.condition is Condition.SOUND


def survey(
    folder: Path,
    wanted: Iterable[Material],
    tell: Callable[[TableMaterial, int, int], None] = tell_nobody,
    *,
    before: Mapping[TableMaterial, Finding] | None = None,
    outcomes_only: bool = False,
) -> dict[TableMaterial, Finding]:
    """The condition of every wanted table and of all that it needs, in build order.

    `tell` hears of each material before its files are read, as number (from 1) of total; files that
    were sound `before` are not read again. With `outcomes_only`, nobody misses distances.
    """
    findings = dict(before or {})
    targets = build_order(wanted)
    for number, material in enumerate(targets, 1):
        if material not in findings or not findings[material].is_sound:
            tell(material, number, len(targets))
            findings[material] = examine(folder, material, outcomes_only=outcomes_only)
    return findings


def examine(folder: Path, material: TableMaterial, *, outcomes_only: bool = False) -> Finding:
    """The condition of one table. Reads its files whole."""
    try:
        with TableFile(path_of(folder, material)) as file:
            record = file.check()
    except MissingTableError:
        return Finding(material, Condition.MISSING)
    except DamagedTableError as error:
        return Finding(material, Condition.DAMAGED, error.reason)
    except OutdatedTableError as error:
        return Finding(material, Condition.OUTDATED, f"{error.found} instead of {error.needed}")
    if not outcomes_only and record.sha256_of_distances is None:
        return Finding(material, Condition.WITHOUT_DISTANCES)
    return Finding(material, Condition.SOUND, file=record)


CATALOG: Final = "tables.json"
"""The name of the catalog of a server, beside the files of its tables."""
TABLES: Final = "tables"
"""The folder of both below a server's address."""


def figures_of(folder: Path, material: TableMaterial) -> dict[str, Any]:
    """The figures of one table as JSON has them.

    Counts are over all placements of labelled men on 64 squares. Times are None if the table was
    not built in this folder, and the longest distances if it has none.
    """
    with TableFile(path_of(folder, material)) as file:
        built = _record_of(folder, material)
        if built is None or built.bytes != file.size:
            built = FileRecord(file.size, "")
        sides = {str(side).lower(): _figures_of_side(file, side) for side in Color}
        return {
            "material": str(material),
            "men": material.men,
            "positions": sum(side["positions"] for side in sides.values()),
            "version": file.outcomes.index.attributes["generator"],
            "bytes": file.size,
            "distances": file.has_distances,
            "seconds": built.wall_seconds,
            **facts_of(built, "cpu_seconds", "peak_bytes", "threads", phases=built.phase_seconds),
            "symmetry_left_out": False,
            "sides": sides,
        }


def _figures_of_side(file: TableFile, side: Color) -> dict[str, Any]:
    counts = file.counts[side]
    longest = file.longest if file.has_distances else {}
    outcomes = {}
    for outcome, count in counts.items():
        dtg, fen, _ = longest.get((side, outcome), (None, None, None))
        outcomes[str(outcome)] = {"count": count, "max_dtg": dtg, "fen": fen}
    return {"positions": sum(counts.values()), "outcomes": outcomes}


@dataclass(frozen=True)
class StoredFile:
    """A file of a table, in a folder or offered by a server."""

    path: Path
    bytes: int
    digest: str
    """SHA-256 of all that follows the file's seal."""

    def facts(self) -> dict[str, Any]:
        return {"file": self.path.name, "bytes": self.bytes, "sha256": self.digest}

    def is_there(self) -> bool:
        """Whether the file at this path is still this one, by its seal and its size."""
        try:
            with open_regular(self.path) as file:
                seal = Seal.from_bytes(file.read(SEAL_BYTES))
                size = os.fstat(file.fileno()).st_size
        except (OSError, ValueError):
            return False
        return (size, seal.length, seal.sha256) == (self.bytes, self.bytes, self.digest)


@dataclass(frozen=True)
class Entry:
    """A table that can be probed and fetched."""

    material: TableMaterial
    files: Sequence[StoredFile]
    """Its outcomes, and its distances if it has any."""

    @property
    def digest(self) -> str:
        """The digest of the whole table."""
        return sha256("".join(file.digest for file in self.files).encode()).hexdigest()

    def facts(self) -> dict[str, Any]:
        """The table as the catalog has it. Its figures are a request of their own."""
        outcomes, *distances = self.files
        return {
            "material": str(self.material),
            "men": self.material.men,
            **outcomes.facts(),
            "distances": distances[0].facts() if distances else None,
            "facts": f"{self.material}.json",
        }

    def figures(self) -> dict[str, Any]:
        return figures_of(self.files[0].path.parent, self.material)


class Catalog:
    """The usable tables that a probe would take, by seals and indexes, the fewest men first."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self.entries = dict[str, Entry]()
        self.faults = list[TableError]()
        for material, folder in tables_of(folders):
            if material.own:
                raise UsageError(
                    f"{folder} has tables with men of your own;"
                    " servers and pages show those of chess alone"
                )
            try:
                with TableFile(path_of(folder, material)) as table:
                    files = [_stored(table.outcomes)]
                    if table.has_distances:
                        files.append(_stored(table.distances))
                    self.entries[str(material)] = Entry(material, files)
            except TableError as error:
                self.faults.append(error)

    def __len__(self) -> int:
        return len(self.entries)

    @cached_property
    def tag(self) -> str:
        """A digest of the version and of all tables.

        Servers with equal tags give equal answers.
        """
        lines = [__version__]
        for name in sorted(self.entries):
            lines.append(f"{name} {self.entries[name].digest}")
        return sha256("\n".join(lines).encode()).hexdigest()[:32]

    def facts(self) -> dict[str, Any]:
        """All tables as JSON has them."""
        return {"tables": [entry.facts() for entry in self.entries.values()]}


def _stored(file: LayerFile) -> StoredFile:
    return StoredFile(file.path, file.seal.length, file.seal.sha256)
