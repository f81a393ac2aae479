"""A folder of records: one file a material, the same bytes whenever they are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from tbgen.apps.records.record import Record
from tbgen.errors import RecordError
from tbgen.library.manifest import read_manifest
from tbgen.material import Material
from tbgen.storage.files import every_material, read_bounded, write_whole

FOLDER: Final = "records"
"""Within a folder of tables."""
SCHEMA: Final = Path(__file__).parent / "schema.json"


def path_of_record(folder: Path, material: Material) -> Path:
    return folder / f"{material}.json"


def paths_of_records(*folders: Path) -> Iterator[Path]:
    """All records of a folder, those with the fewest men first; of several, what the first has of each material."""
    for material in every_material():
        paths = (path_of_record(folder, material) for folder in folders)
        if (found := next(filter(Path.is_file, paths), None)) is not None:
            yield found


def without_record(folder: Path, wanted: Iterable[Material]) -> list[Material]:
    """The tables with distances that were built in a folder and that its records do not describe."""
    built, found = read_manifest(folder), list[Material]()
    for material in wanted:
        made = built.get(str(material))
        is_whole = made is not None and made.wall_seconds is not None and made.sha256_of_distances is not None
        if made is not None and is_whole and not _describes(path_of_record(folder / FOLDER, material), made.bytes):
            found.append(material)
    return found


def _describes(path: Path, size: int) -> bool:
    """Whether a file is the record of a table of so many bytes."""
    try:
        return read_record(path).bytes == size
    except (OSError, RecordError):
        return False


def read_record(path: Path) -> Record:
    """The record in a file; RecordError if it is none, or another material's than its name says."""
    try:
        text = read_bounded(path).decode()
    except UnicodeDecodeError:
        raise RecordError(str(path), "it is not text") from None
    record = Record.from_text(text, str(path))
    if path.name != path_of_record(path.parent, record.material).name:
        raise RecordError(str(path), f"it is the record of {record.material}")
    return record


def records_in(*folders: Path) -> list[Record]:
    """The records that `paths_of_records` names."""
    return [read_record(path) for path in paths_of_records(*folders)]


def write_record(folder: Path, record: Record) -> None:
    """Put a record into a folder, in the place of what the material had."""
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(path_of_record(folder, record.material), [record.to_text().encode()])
