"""What tests ask of the files of tables."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from tbgen.storage.reader import TableFile


def check_file(path: Path) -> None:
    """Read a table whole; an error of TableError if it is not, byte for byte, a table that was written here."""
    with TableFile(path) as file:
        file.check()


def digest_of_file(path: Path) -> str:
    """The SHA-256 of a file."""
    return sha256(path.read_bytes()).hexdigest()
