"""Manifest: what a folder of tables has, for people and for copying; and what it took to build it.

The manifest follows the files and is never asked whether a table is sound: each file's own seal says that. What
differs from one build to the next, such as seconds, stands here and not in the files.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from tbgen.material import Material
from tbgen.storage.files import FileDigests, open_regular, write_whole
from tbgen.storage.schema import GAME
from tbgen.system.json_files import parse_json
from tbgen.table import Figures

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
