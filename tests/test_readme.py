from __future__ import annotations

import doctest
import re
from pathlib import Path

from click.testing import CliRunner

from tbgen import cli

README = Path(__file__).parent.parent / "README.md"


def test_the_python_of_the_readme_runs() -> None:
    assert doctest.testfile(str(README), module_relative=False).failed == 0


def test_the_first_example_of_the_readme_prints_what_it_shows() -> None:
    match = re.search(r"    \$ tbgen (score startpos .*)\n((?:    [^$].*\n)+)", README.read_text(encoding="utf-8"))
    assert match is not None
    result = CliRunner().invoke(cli.tbgen, match[1].split(), standalone_mode=False)
    assert result.output == re.sub("^    ", "", match[2], flags=re.MULTILINE)
