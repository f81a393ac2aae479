"""The documentation: its links lead somewhere, and as a site it describes every public name and every command."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import tbgen
from tbgen.cli import COMMANDS
from tbgen.cli import tbgen as program

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(page for page in (*ROOT.glob("*.md"), *DOCS.rglob("*.md")) if page.parent != DOCS / "adr")


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


def anchors_of(page: Path) -> set[str]:
    """The names under which the headings of a page can be linked to."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_links_of_every_page_lead_somewhere() -> None:
    broken = []
    for page in PAGES:
        for link in re.findall(r"\](?:\(|: )([^)\s]+)", page.read_text(encoding="utf-8")):
            path, _, anchor = link.partition("#")
            target = page.parent / path if path else page
            if "://" not in link and (not target.exists() or (anchor and anchor not in anchors_of(target))):
                broken.append((str(page.relative_to(ROOT)), link))
    assert broken == []
