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
from tbgen.storage.files import WrittenTable, write_whole
from tbgen.storage.schema import GAME
from tbgen.table import Figures

MANIFEST = "manifest.json"
_FORMAT = 2


@dataclass(frozen=True)
class FileRecord:
    """What is known of a table's files; times and memory are None if it was not built in this folder."""

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

    def is_sound(self) -> bool:
        """Whether every value is of its kind; a manifest may have been edited."""
        times = (self.wall_seconds, self.cpu_seconds, self.peak_bytes, self.threads)
        numbers = [self.bytes, *(value for value in times if value is not None)]
        texts = (self.sha256, self.game, *([] if self.sha256_of_distances is None else [self.sha256_of_distances]))
        if not all(isinstance(text, str) for text in texts) or not isinstance(self.phase_seconds, dict):
            return False
        return all(type(value) in (int, float) for value in (*numbers, *self.phase_seconds.values()))

    @classmethod
    def of_build(cls, written: WrittenTable, figures: Figures, game: str = GAME) -> FileRecord:
        wall, cpu = round(figures.wall_seconds, 3), round(figures.cpu_seconds, 3)
        return cls(
            written.bytes,
            written.outcomes.sha256,
            wall,
            cpu,
            figures.peak_bytes,
            figures.threads,
            dict(figures.phase_seconds),
            written.distances.sha256,
            game,
        )

    def is_same_file(self, other: FileRecord) -> bool:
        """Whether both tell of the same bytes."""
        mine, others = ((each.bytes, each.sha256, each.sha256_of_distances, each.game) for each in (self, other))
        return mine == others


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
