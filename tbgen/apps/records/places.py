"""Places: where the records of a folder lie, and which of them a build still owes; known without the compiler."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tbgen.material import Material
from tbgen.storage.files import every_material

FOLDER: Final = "records"
"""Within a folder of tables."""
INDEX: Final = "index.json"
SUFFIX: Final = ".json"
DUE: Final = ".due"


def path_of_record(folder: Path, material: Material) -> Path:
    return folder / f"{material}{SUFFIX}"


def paths_of_records(*folders: Path) -> Iterator[Path]:
    """All records of a folder, those with the fewest men first; of several, what the first has of each material."""
    for material in every_material():
        paths = (path_of_record(folder, material) for folder in folders)
        if (found := next(filter(Path.is_file, paths), None)) is not None:
            yield found


def mark_of_due_record(folder: Path, material: Material) -> Path:
    """A file that is there from before a table has its name until its record is kept, should that never be."""
    return folder / f"{material}{DUE}"


def is_index_behind(folder: Path) -> bool:
    """Whether a record is newer than the index, as when a build is killed between them."""
    index, newest = folder / INDEX, max((path.stat().st_mtime_ns for path in paths_of_records(folder)), default=0)
    return newest > (index.stat().st_mtime_ns if index.is_file() else 0)
