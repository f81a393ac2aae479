"""Checks of files: of tables, and of those that keep what was said."""

from __future__ import annotations

import difflib
from hashlib import sha256
from pathlib import Path

import pytest

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


def assert_as_kept(file: Path, now: str, request: pytest.FixtureRequest) -> None:
    """See that a text is as a file has it, which `pytest --rewrite` writes anew."""
    if request.config.getoption("--rewrite"):
        file.write_text(now, encoding="utf-8")
    before = file.read_text(encoding="utf-8")
    lines = (before.split("\n"), now.split("\n"))
    changed = "\n".join(difflib.unified_diff(*lines, file.name, "now", lineterm="", n=1))
    if changed:
        how = f".venv/bin/python -m pytest {request.path} --rewrite"
        pytest.fail(f"{changed}\nif this is meant: {how}", pytrace=False)
