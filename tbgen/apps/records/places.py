"""Places: where the records of a folder lie, and which of them are missing; known without the compiler."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from tbgen.library.manifest import read_manifest
from tbgen.material import Material
from tbgen.storage.files import every_material

FOLDER: Final = "records"
"""Within a folder of tables."""
INDEX: Final = "index.json"
SUFFIX: Final = ".json"


def path_of_record(folder: Path, material: Material) -> Path:
    return folder / f"{material}{SUFFIX}"


def paths_of_records(*folders: Path) -> Iterator[Path]:
    """All records of a folder, those with the fewest men first; of several, what the first has of each material."""
    for material in every_material():
        paths = (path_of_record(folder, material) for folder in folders)
        if (found := next(filter(Path.is_file, paths), None)) is not None:
            yield found


def is_index_behind(folder: Path) -> bool:
    """Whether a record is newer than the index, as when a build is killed between them."""
    index, newest = folder / INDEX, max((path.stat().st_mtime_ns for path in paths_of_records(folder)), default=0)
    return newest > (index.stat().st_mtime_ns if index.is_file() else 0)


def without_record(folder: Path, wanted: Iterable[Material]) -> list[Material]:
    """The tables with distances that were built in a folder and that its records do not describe."""
    built = read_manifest(folder)
    try:
        records: Any = json.loads((folder / FOLDER / INDEX).read_bytes())["records"]
        described = {name: each["bytes"] for name, each in records.items()}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        described = {}
    found = []
    for material in wanted:
        made = built.get(str(material))
        is_whole = made is not None and made.wall_seconds is not None and made.sha256_of_distances is not None
        if made is not None and is_whole and described.get(str(material)) != made.bytes:
            found.append(material)
    return found
