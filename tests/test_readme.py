"""What README.md, docs/commands.md and docs/python.md show is what the program prints."""

from __future__ import annotations

import doctest
import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from tbgen import cli
from tests.project import RECORDS, ROOT

README = ROOT / "README.md"
COMMANDS = ROOT / "docs" / "commands.md"
PYTHON = ROOT / "docs" / "python.md"
TEXT = README.read_text(encoding="utf-8")
COMMANDS_TEXT = COMMANDS.read_text(encoding="utf-8")
ASKING = re.findall(
    r"^    \$ tbgen ((?:probe|line|list|info)\b.*)$", TEXT + COMMANDS_TEXT, re.MULTILINE
)


def run(command: str, folder: Path) -> str:
    """The output of a command of a page."""
    result = CliRunner().invoke(
        cli.tbgen,
        shlex.split(command, comments=True),
        env={"TBGEN_DATA": str(folder)},
        standalone_mode=False,
        catch_exceptions=False,
    )
    return result.stdout


def rows_of(text: str) -> list[str]:
    """Its lines, with single spaces instead of columns."""
    return [" ".join(line.split()) for line in text.splitlines()]


def shown_below(command: str, text: str) -> str:
    """The lines below a command of a page, up to the next command or paragraph."""
    match = re.search(
        rf"^    \$ (?:\./scripts/)?tbgen {re.escape(command)}\n((?:    (?!\$).*\n|\n(?=    ))+)",
        text,
        re.M,
    )
    assert match is not None
    return re.sub(r"^    ", "", match[1], flags=re.MULTILINE)


@pytest.mark.parametrize(
    "page", [README, COMMANDS, PYTHON, ROOT / "docs" / "hold.md"], ids=lambda page: page.name
)
def test_the_python_of_a_page_runs(page: Path, table_folder: Path) -> None:
    names = {"FOLDER": str(table_folder)}
    result = doctest.testfile(str(page), module_relative=False, encoding="utf-8", extraglobs=names)
    assert result.failed == 0


@pytest.mark.parametrize("command", ASKING)
def test_the_questions_of_the_pages_have_answers(command: str, table_folder: Path) -> None:
    assert rows_of(run(command, table_folder))


def test_the_probe_of_the_commands_page_prints_what_it_shows(table_folder: Path) -> None:
    command = 'probe "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0"'
    shown = [row for row in rows_of(shown_below(command, COMMANDS_TEXT)) if row not in ("", "...")]
    printed = rows_of(run(command, table_folder))
    assert len(shown) == 10
    assert [row for row in shown if row not in printed] == []


@pytest.mark.slow
def test_what_the_readme_says_of_retis_study_is_so(four_men_folder: Path) -> None:
    printed = run('probe "7K/8/k1P5/7p/8/8/8/8 w - - 0 1" --json', four_men_folder)
    best, *others = json.loads(printed)["moves"]
    assert best["san"] == "Kg7"
    assert best["outcome"] == "-G2.5"
    assert {move["outcome"] for move in others} == {"-G0.0"}


def test_the_sizes_of_the_readme_are_those_of_the_records() -> None:
    """Tables and their bytes with distances, by the most men that they have."""
    records = [json.loads(path.read_text(encoding="utf-8")) for path in RECORDS.glob("K*.json")]
    row = re.compile(
        r"^\| `tbgen build --(?:men \d|all)`[^|]*"
        r" \| (\d+) \| [^|]+ \| [^|]+ \| [^|]+ \| ([\d.]+) ([MG])B \|$",
        re.MULTILINE,
    )
    rows = row.findall(TEXT)
    assert len(rows) == 3
    for men, (tables, size, unit) in zip((3, 4, 5), rows, strict=True):
        sizes = [record["bytes"] for record in records if record["men"] <= men]
        assert len(sizes) == int(tables)
        assert written_like(size, sum(sizes), unit) == size


def written_like(shown: str, size: int, unit: str) -> str:
    """A number of bytes in megabytes or gigabytes, with as many digits as a page shows."""
    _, _, decimals = shown.partition(".")
    unit_bytes = 1e6 if unit == "M" else 1e9
    return f"{size / unit_bytes:.{len(decimals)}f}"
