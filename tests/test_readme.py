from __future__ import annotations

import contextlib
import doctest
import io
import re
import shlex
import textwrap
from pathlib import Path

import pytest
from click.testing import CliRunner

from tbgen import cli

README = Path(__file__).parent.parent / "README.md"
TEXT = README.read_text(encoding="utf-8")
ASKING = re.findall(r"^    \$ tbgen ((?:probe|line|list|info)\b.*)$", TEXT, re.MULTILINE)


def printed(command: str, folder: Path) -> list[str]:
    """The lines that a command of the readme prints, without what sets them in columns."""
    settings = {"env": {"TBGEN_DATA": str(folder)}, "standalone_mode": False, "catch_exceptions": False}
    result = CliRunner().invoke(cli.tbgen, shlex.split(command, comments=True), **settings)
    return [" ".join(line.split()) for line in result.output.splitlines()]


def test_the_python_of_the_readme_runs() -> None:
    assert doctest.testfile(str(README), module_relative=False).failed == 0


def test_the_python_page_runs(table_folder: Path) -> None:
    page = README.parent / "docs" / "python.md"
    names = {"FOLDER": str(table_folder)}
    assert doctest.testfile(str(page), module_relative=False, encoding="utf-8", extraglobs=names).failed == 0


def test_the_probes_from_python_in_the_readme_run(table_folder: Path) -> None:
    match = re.search(r"with python-chess's boards:\n\n((?:    .*\n|\n)+)", TEXT)
    assert match is not None
    code = textwrap.dedent(match[1])
    assert code.count('open_tablebase("data")') == 1
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(code.replace('"data"', repr(str(table_folder))), {})
    assert shown.getvalue().splitlines()[:2] == ["G1.5 5", "Ke5 G1.5 5 False True True"]


def test_the_first_example_of_the_readme_prints_what_it_shows() -> None:
    match = re.search(r"    \$ tbgen (score startpos .*)\n((?:    [^$].*\n)+)", TEXT)
    assert match is not None
    result = CliRunner().invoke(cli.tbgen, match[1].split(), standalone_mode=False)
    assert result.output == re.sub("^    ", "", match[2], flags=re.MULTILINE)


@pytest.mark.parametrize("command", ASKING)
def test_the_questions_of_the_readme_have_answers(command: str, table_folder: Path) -> None:
    assert printed(command, table_folder)


def test_the_probe_of_the_readme_prints_what_it_shows(table_folder: Path) -> None:
    match = re.search(r"    \$ tbgen (probe .*)\n    \.\.\.\n((?:.*\n)+?)    \.\.\.\n", TEXT)
    assert match is not None
    shown = [" ".join(line.split()) for line in match[2].splitlines() if line.strip()]
    found = printed(match[1], table_folder)
    assert [line for line in shown if line not in found] == []
