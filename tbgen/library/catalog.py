"""Catalog: the tables of some folders: their files, as they were when somebody looked, and their figures."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from tbgen import __version__
from tbgen.errors import MissingTableError, TableError
from tbgen.library.manifest import FileRecord, read_manifest
from tbgen.material import MOST_BUILT_MEN, MOST_TABLE_MEN, Material
from tbgen.score import Color, Score
from tbgen.storage.files import folder_with, open_regular, path_of, tables_of
from tbgen.storage.layerfile import LayerFile
from tbgen.storage.reader import TableFile
from tbgen.storage.schema import SEAL_BYTES, Seal
from tbgen.text import facts_of

CATALOG: Final = "tables.json"
"""The name of the list of a server's tables, beside their files."""
TABLES: Final = "tables"
"""Where both are below the address of a server."""


@dataclass(frozen=True)
class Summary:
    """A table in figures; counts are over all placements of labelled men on 64 squares."""

    material: Material
    folder: Path
    version: str
    """Of the program that made the table."""
    bytes: int
    counts: Mapping[Color, Mapping[Score, int]]
    """By side to move, best outcome for White first."""
    longest: Mapping[tuple[Color, Score], tuple[int, str]]
    """The longest distance to an outcome and the FEN of a position that has it; empty if the table has no distances."""
    build: FileRecord
    """Its times are None if the table was not built in this folder."""

    @property
    def men(self) -> int:
        return self.material.men

    @property
    def positions(self) -> int:
        return sum(self.side_positions(side) for side in Color)

    def side_positions(self, side: Color) -> int:
        """Legal positions with this side to move."""
        return sum(self.counts[side].values())

    def facts(self) -> dict[str, Any]:
        """The summary as JSON has it."""
        return {
            **facts_of(self, "material", "men", "positions", "version", "bytes", seconds=self.build.wall_seconds),
            **facts_of(self.build, "cpu_seconds", "peak_bytes", "threads", phases=self.build.phase_seconds),
            "symmetry_left_out": False,
            "sides": {str(side).lower(): self._side_facts(side) for side in Color},
        }

    def _side_facts(self, side: Color) -> dict[str, Any]:
        outcomes = {
            str(outcome): {"count": count, "max_dtg": dtg, "fen": fen}
            for outcome, count in self.counts[side].items()
            for dtg, fen in [self.longest.get((side, outcome), (None, None))]
        }
        return {"positions": self.side_positions(side), "outcomes": outcomes}


def summary_of(folder: Path, material: Material) -> Summary:
    """The figures of one table."""
    with TableFile(path_of(folder, material)) as file:
        made = read_manifest(folder).get(str(material))
        if made is None or made.bytes != file.size:
            made = FileRecord(file.size, "")
        tallies, examples = (file.tallies, file.examples) if file.has_distances else ({}, {})
        longest = {(side, outcome): (tallies[side][outcome].max_dtg, fen) for (side, outcome), fen in examples.items()}
        return Summary(material, folder, file.attributes["generator"], file.size, file.counts, longest, made)


def summaries(folders: Sequence[Path], materials: Iterable[Material]) -> Iterator[Summary | TableError]:
    """The tables of some materials that a probe of the folders would use, or what is wrong with them."""
    for material in materials:
        try:
            yield summary_of(folder_with(folders, material), material)
        except TableError as error:
            yield error


@dataclass(frozen=True)
class StoredFile:
    """A file of a table, in a folder or offered by a server."""

    path: Path
    bytes: int
    digest: str
    """SHA-256 of all that follows the file's seal."""

    @property
    def etag(self) -> str:
        return f'"{self.digest}"'

    def facts(self) -> dict[str, Any]:
        return {"file": self.path.name, "bytes": self.bytes, "sha256": self.digest}

    def is_there(self) -> bool:
        """Whether the file of this path is still this one, by its seal and its size."""
        try:
            with open_regular(self.path) as file:
                seal, size = Seal.from_bytes(file.read(SEAL_BYTES)), os.fstat(file.fileno()).st_size
        except (OSError, ValueError):
            return False
        return (size, seal.length, seal.body_digest) == (self.bytes, self.bytes, self.digest)


@dataclass(frozen=True)
class Entry:
    """A table that can be asked and fetched."""

    material: Material
    outcomes: StoredFile
    distances: StoredFile | None

    @property
    def files(self) -> list[StoredFile]:
        return [self.outcomes] if self.distances is None else [self.outcomes, self.distances]

    @property
    def bytes(self) -> int:
        return sum(each.bytes for each in self.files)

    @property
    def digest(self) -> str:
        """Of all that the table has."""
        return sha256("".join(each.digest for each in self.files).encode()).hexdigest()

    @property
    def etag(self) -> str:
        return f'"{self.digest}"'

    def facts(self) -> dict[str, Any]:
        """The table as the catalog has it; what it holds in figures is asked for one by one."""
        return {
            "material": str(self.material),
            "men": self.material.men,
            **self.outcomes.facts(),
            "distances": None if self.distances is None else self.distances.facts(),
            "facts": f"{self.material}.json",
        }

    def file(self, name: str) -> StoredFile | None:
        """The file of a name; None if the table has none."""
        return next((each for each in self.files if each.path.name == name), None)

    def summary(self) -> Summary:
        return summary_of(self.outcomes.path.parent, self.material)


class Catalog:
    """The tables that are offered by name, and those that cannot be used; of tables with so many men at most."""

    def __init__(self, folders: Sequence[Path], most_men: int = MOST_BUILT_MEN) -> None:
        looked_at = list(_looked_at(folders, most_men))
        self._all = {str(entry.material): entry for entry in looked_at if isinstance(entry, Entry)}
        self.entries: Mapping[str, Entry] = {
            name: entry for name, entry in self._all.items() if entry.material.men <= MOST_TABLE_MEN
        }
        """Pages and `tbgen fetch` read tables of two to five men (record 282)."""
        self.faults = [fault for fault in looked_at if isinstance(fault, TableError)]

    def __len__(self) -> int:
        return len(self.entries)

    def entry(self, name: str) -> Entry:
        """The table of a name; MissingTableError if there is none."""
        try:
            return self.entries[name]
        except KeyError:
            raise MissingTableError(name) from None

    @cached_property
    def tag(self) -> str:
        """A digest of the version and of all tables, offered or not: two servers with the same one answer alike."""
        parts = [__version__, *(f"{name} {entry.digest}" for name, entry in sorted(self._all.items()))]
        return sha256("\n".join(parts).encode()).hexdigest()[:32]

    def facts(self) -> dict[str, Any]:
        """All tables as JSON has them."""
        return {"tables": [entry.facts() for entry in self.entries.values()]}


def _looked_at(folders: Sequence[Path], most_men: int) -> Iterator[Entry | TableError]:
    """Every table that a probe would use, those with the fewest men first, by seals and index."""
    for material, folder in tables_of(folders):
        if material.men > most_men:
            continue
        try:
            with TableFile(path_of(folder, material)) as table:
                distances = _stored(table.distances) if table.has_distances else None
                yield Entry(material, _stored(table.outcomes), distances)
        except TableError as error:
            yield error


def _stored(file: LayerFile) -> StoredFile:
    return StoredFile(file.path, file.seal.length, file.seal.body_digest)
