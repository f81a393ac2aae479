"""A folder of records: one file a material and an index, both the same bytes whenever they are written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from tbgen.apps.records.record import FORMAT, Record
from tbgen.errors import RecordError
from tbgen.library.manifest import read_manifest
from tbgen.material import Material
from tbgen.storage.files import every_material, write_whole
from tbgen.system.json_files import parse_json

FOLDER: Final = "records"
"""Within a folder of tables."""
INDEX: Final = "index.json"
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
    built, described = read_manifest(folder), _bytes_described(folder / FOLDER)
    found = []
    for material in wanted:
        made = built.get(str(material))
        is_whole = made is not None and made.wall_seconds is not None and made.sha256_of_distances is not None
        if made is not None and is_whole and described.get(str(material)) != made.bytes:
            found.append(material)
    return found


def _bytes_described(folder: Path) -> dict[str, int]:
    """The bytes of each table that the index lists; none if there is no index that can be read."""
    try:
        records = parse_json((folder / INDEX).read_bytes())["records"]
        return {name: each["bytes"].whole() for name, each in records.members()}
    except (OSError, ValueError):
        return {}


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
    """The records that `paths_of_records` names."""
    return [read_record(path) for path in paths_of_records(*folders)]


def write_record(folder: Path, record: Record) -> None:
    """Put a record into a folder, in the place of what the material had; `write_index` is to follow."""
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(path_of_record(folder, record.material), [record.to_text().encode()])


def merge(folder: Path, other: Path) -> list[Material]:
    """Take over the records of another folder; returns the materials whose record was not here in the same words."""
    taken = [record for record in records_in(other) if not _is_there(folder, record)]
    for record in taken:
        write_record(folder, record)
    write_index(folder)
    return [record.material for record in taken]


def _is_there(folder: Path, record: Record) -> bool:
    path = path_of_record(folder, record.material)
    return path.is_file() and path.read_bytes() == record.to_text().encode()


def is_index_behind(folder: Path) -> bool:
    """Whether a record is newer than the index, as when a command is killed between them."""
    index, newest = folder / INDEX, max((path.stat().st_mtime_ns for path in paths_of_records(folder)), default=0)
    return newest > (index.stat().st_mtime_ns if index.is_file() else 0)


def write_index(folder: Path) -> None:
    """Say in one file what records a folder has."""
    entries: dict[str, Any] = {}
    for path in paths_of_records(folder):
        record = read_record(path)
        longest = record.longest()
        entries[str(record.material)] = {
            "men": record.men,
            **vars(record.positions),
            "bytes": record.bytes,
            "longest": longest and {"outcome": str(longest[1]), "dtg": longest[2].dtg},
            "sha256": sha256(path.read_bytes()).hexdigest(),
        }
    facts = {"format": FORMAT, "records": entries}
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / INDEX, [json.dumps(facts, indent=1).encode() + b"\n"])
