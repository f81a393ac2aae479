"""Manifest: what a folder of tables has, for people and for copying; and what it took to build it.

The manifest follows the files and is never asked whether a table is sound: each file's own seal says that. What
differs from one build to the next, such as seconds, stands here and not in the files.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tbgen.material import Material
from tbgen.storage.files import write_whole
from tbgen.table import Figures

MANIFEST = "manifest.json"
_FORMAT = 1


@dataclass(frozen=True)
class FileRecord:
    """What is known of a file; times and memory are None if it was not built in this folder."""

    bytes: int
    sha256: str
    wall_seconds: float | None = None
    cpu_seconds: float | None = None
    peak_bytes: int | None = None
    threads: int | None = None
    phase_seconds: Mapping[str, float] = field(default_factory=dict)

    def is_sound(self) -> bool:
        """Whether every value is of its kind; a manifest may have been edited."""
        times = (self.wall_seconds, self.cpu_seconds, self.peak_bytes, self.threads)
        numbers = [self.bytes, *(value for value in times if value is not None)]
        if not isinstance(self.sha256, str) or not isinstance(self.phase_seconds, dict):
            return False
        return all(type(value) in (int, float) for value in (*numbers, *self.phase_seconds.values()))

    @classmethod
    def of_build(cls, size: int, sha256: str, figures: Figures) -> FileRecord:
        wall, cpu = round(figures.wall_seconds, 3), round(figures.cpu_seconds, 3)
        return cls(size, sha256, wall, cpu, figures.peak_bytes, figures.threads, dict(figures.phase_seconds))


def read_manifest(folder: Path) -> dict[str, FileRecord]:
    """The records by material; none where there is no manifest or it cannot be read."""
    try:
        facts: Any = json.loads((folder / MANIFEST).read_bytes())
        known = {name: FileRecord(**fields) for name, fields in facts["tables"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
    return {name: each for name, each in known.items() if each.is_sound()}


def record(folder: Path, made: Mapping[Material, FileRecord]) -> None:
    """Put what is known of some tables' files into the manifest; only for who has the lock."""
    records = {**read_manifest(folder), **{str(material): record for material, record in made.items()}}
    facts = {"format": _FORMAT, "tables": {name: asdict(records[name]) for name in sorted(records)}}
    write_whole(folder / MANIFEST, [json.dumps(facts, indent=1).encode() + b"\n"])
