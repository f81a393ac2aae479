"""Catalog: the tables of some folders that can be given away, as they were when somebody looked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from tbgen import __version__
from tbgen.errors import MissingTableError, TableError
from tbgen.library.summary import Summary, summary_of
from tbgen.material import MOST_BUILT_MEN, MOST_TABLE_MEN, Material
from tbgen.storage.files import path_of, tables_of
from tbgen.storage.layerfile import LayerFile
from tbgen.storage.reader import TableFile
from tbgen.storage.schema import SEAL_BYTES, Seal

CATALOG: Final = "tables.json"
"""What lists the tables of a server, beside their files."""
TABLES: Final = "tables"
"""Where both are below the address of a server."""


@dataclass(frozen=True)
class StoredFile:
    """A file of a table."""

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
        """Whether the file of this path is still this one, by its seal."""
        try:
            with self.path.open("rb") as file:
                seal = Seal.from_bytes(file.read(SEAL_BYTES))
        except (OSError, ValueError):
            return False
        return (seal.length, seal.body_digest) == (self.bytes, self.digest)


@dataclass(frozen=True)
class Entry:
    """A table that can be asked and fetched."""

    material: Material
    folder: Path
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
        return summary_of(self.folder, self.material)


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
                outcomes, distances = _stored(table.outcomes), None
                if table.has_distances:
                    distances = _stored(table.distances)
                yield Entry(material, folder, outcomes, distances)
        except TableError as error:
            yield error


def _stored(file: LayerFile) -> StoredFile:
    return StoredFile(file.path, file.seal.length, file.seal.body_digest)
