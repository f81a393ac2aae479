"""A folder of records: one file a material and an index, both the same bytes whenever they are written."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from tbgen.apps.records.places import INDEX, path_of_record, paths_of_records
from tbgen.apps.records.record import FORMAT, Record
from tbgen.errors import RecordError
from tbgen.material import Material
from tbgen.storage.files import write_whole

SCHEMA: Final = Path(__file__).parent / "schema.json"


def read_record(path: Path) -> Record:
    """The record in a file; RecordError if it is none, or another material's than its name says."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise RecordError(str(path), "it is not text") from None
    record = Record.from_text(text, str(path))
    if path.name != path_of_record(path.parent, record.material).name:
        raise RecordError(str(path), f"it is the record of {record.material}")
    return record


def records_in(*folders: Path) -> list[Record]:
    """All records of a folder, those with the fewest men first; of several, what the first has of each material."""
    return [read_record(path) for path in paths_of_records(*folders)]


def write_record(folder: Path, record: Record) -> None:
    """Put a record into a folder, in the place of what the material had; `write_index` is to follow."""
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(path_of_record(folder, record.material), [record.to_text().encode()])


def merge(folder: Path, other: Path) -> list[Material]:
    """Take over the records of another folder; says which were not here in the same words."""
    taken = [record for record in records_in(other) if not _is_there(folder, record)]
    for record in taken:
        write_record(folder, record)
    write_index(folder)
    return [record.material for record in taken]


def _is_there(folder: Path, record: Record) -> bool:
    path = path_of_record(folder, record.material)
    return path.is_file() and path.read_bytes() == record.to_text().encode()


def write_index(folder: Path) -> None:
    """Say in one file what records a folder has."""
    entries: dict[str, Any] = {}
    for path in paths_of_records(folder):
        record = read_record(path)
        longest = record.longest()
        entries[str(record.material)] = {
            "men": record.men,
            "placements": record.positions.placements,
            "classes": record.positions.classes,
            "bytes": record.bytes,
            "longest": None if longest is None else {"outcome": str(longest[1]), "dtg": longest[2].dtg},
            "sha256": sha256(path.read_bytes()).hexdigest(),
        }
    facts = {"format": FORMAT, "records": entries}
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / INDEX, [json.dumps(facts, indent=1).encode() + b"\n"])
