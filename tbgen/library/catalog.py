"""Catalog: the tables of some folders that can be given away, as they were when somebody looked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from tbgen import __version__
from tbgen.errors import DamagedTableError, MissingTableError, OutdatedTableError, TableError
from tbgen.library.summary import Summary, summary_of
from tbgen.material import Material
from tbgen.storage.files import SUFFIX, path_of, tables_of
from tbgen.storage.schema import FORMAT, SEAL_BYTES, Seal


@dataclass(frozen=True)
class Entry:
    """A table that can be asked and fetched."""

    material: Material
    folder: Path
    bytes: int
    digest: str
    """SHA-256 of all that follows the file's seal."""

    @property
    def path(self) -> Path:
        return path_of(self.folder, self.material)

    @property
    def etag(self) -> str:
        return f'"{self.digest}"'

    def facts(self) -> dict[str, Any]:
        """The table as the catalog has it; what it holds in figures is asked for one by one."""
        return {
            "material": str(self.material),
            "men": self.material.men,
            "bytes": self.bytes,
            "sha256": self.digest,
            "file": f"{self.material}{SUFFIX}",
            "facts": f"{self.material}.json",
        }

    def summary(self) -> Summary:
        return summary_of(self.folder, self.material)


class Catalog:
    """The tables by name, and those that cannot be used."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self.entries: Mapping[str, Entry] = {}
        self.faults: list[TableError] = []
        found = {}
        for entry in _looked_at(folders):
            if isinstance(entry, Entry):
                found[str(entry.material)] = entry
            else:
                self.faults.append(entry)
        self.entries = found

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
        """A digest of the program's version and of all tables: two servers with the same one answer alike."""
        parts = [__version__, *(f"{name} {entry.digest}" for name, entry in sorted(self.entries.items()))]
        return sha256("\n".join(parts).encode()).hexdigest()[:32]

    def facts(self) -> dict[str, Any]:
        """All tables as JSON has them."""
        return {"tables": [entry.facts() for entry in self.entries.values()]}


def _looked_at(folders: Sequence[Path]) -> Iterator[Entry | TableError]:
    """Every table that a probe would use, those with the fewest men first, by its seal alone."""
    for material, folder in tables_of(folders):
        path = path_of(folder, material)
        try:
            with path.open("rb") as file:
                seal = Seal.from_bytes(file.read(SEAL_BYTES))
        except (OSError, ValueError) as error:
            yield DamagedTableError(str(path), str(error))
            continue
        if seal.format != FORMAT:
            yield OutdatedTableError(str(path), f"format {seal.format}", f"format {FORMAT}")
        elif seal.material != str(material) or seal.length != path.stat().st_size:
            yield DamagedTableError(str(path), "its seal is that of another file")
        else:
            yield Entry(material, folder, seal.length, seal.body_digest)
