"""Checks of the files of tables."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from tbgen.storage.files import path_of, tables_in
from tbgen.storage.reader import TableFile


def check_file(path: Path) -> None:
    """Read a whole table; a TableError if any byte is not as it was written."""
    with TableFile(path) as file:
        file.check()


def check_tables(folder: Path) -> None:
    """Read the outcomes of all tables of a folder."""
    for material in tables_in(folder):
        check_file(path_of(folder, material))


def digest_of_file(path: Path) -> str:
    """The SHA-256 of a file."""
    return sha256(path.read_bytes()).hexdigest()
