"""The documentation as a site: it builds without a warning, and describes every public name and every command."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import tbgen
from tbgen.cli import COMMANDS
from tbgen.cli import tbgen as program

DOCS = Path(__file__).parent.parent / "docs"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    command = [sys.executable, "-m", "sphinx", "-W", "-n", "--keep-going", "-q", "-b", "html", str(DOCS), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return folder


def test_every_public_name_is_described(site: Path) -> None:
    page = (site / "api.html").read_text()
    assert [name for name in tbgen.__all__ if f'id="tbgen.{name}"' not in page and name != "__version__"] == []


def commands_of(command: click.Command, path: str) -> Iterator[str]:
    yield path
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands_of(inner, f"{path} {name}")


def test_every_command_is_described(site: Path) -> None:
    page, context = (site / "cli.html").read_text(), click.Context(program)
    found = [
        path
        for name in COMMANDS
        if (command := program.get_command(context, name))
        for path in commands_of(command, f"tbgen {name}")
    ]
    assert len(found) > len(COMMANDS)
    assert [path for path in found if f"Usage: {path} " not in page] == []


def test_types_of_python_chess_lead_to_its_documentation(site: Path) -> None:
    assert "python-chess.readthedocs.io/en/latest/core.html#chess.Board" in (site / "api.html").read_text()
