"""The table of the solver's files, in the docstring of `tbgen.retro`, against its folder."""

from __future__ import annotations

import re
from pathlib import Path

from tbgen import retro

FOLDER = Path(retro.__file__).parent
LINES = dict(re.findall(r"^(\w+/\w+\.py) +(\S.*)$", retro.__doc__ or "", re.MULTILINE))


def test_every_file_of_the_solver_stands_in_the_table_and_nothing_else() -> None:
    files = {path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.py") if path.name != "__init__.py"}
    assert set(LINES) == files


def test_no_two_files_are_said_to_do_the_same() -> None:
    assert len(set(LINES.values())) == len(LINES)
