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
from tests.project import ROOT

DOCS = ROOT / "docs"
LINK = re.compile(r'href="([^"#:]+\.html)')
UNLISTED = {Path(f"{name}.html") for name in ("search", "genindex", "py-modindex")}
PAGES = sorted(
    page for page in (*ROOT.glob("*.md"), *DOCS.rglob("*.md")) if page.parent != DOCS / "adr"
)


def commands_of(command: click.Command, path: str) -> Iterator[str]:
    yield path
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands_of(inner, f"{path} {name}")


@pytest.mark.slow
def test_the_site_describes_every_public_name_and_every_command(tmp_path: Path) -> None:
    words = ("-W", "-n", "--keep-going", "-q", "-b", "html", "-D", "html_theme=basic")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *words, DOCS, tmp_path], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    cli, api = (
        (tmp_path / "cli.html").read_text(),
        "".join(page.read_text() for page in (tmp_path / "api").iterdir()),
    )
    assert [
        name for name in tbgen.__all__ if f'id="tbgen.{name}"' not in api and name != "__version__"
    ] == []
    assert [path for path in recommended() if f'id="{path}"' not in api] == []
    assert "__new__" not in api
    assert (
        clicks_to(tmp_path / "index.html")
        >= {page.relative_to(tmp_path) for page in tmp_path.rglob("*.html")} - UNLISTED
    )
    assert "python-chess.readthedocs.io/en/latest/core.html#chess.Board" in api
    context, found = click.Context(program), list[str]()
    for name in COMMANDS:
        command = program.get_command(context, name)
        assert command is not None
        found += commands_of(command, f"tbgen {name}")
    assert len(found) > len(COMMANDS)
    assert [path for path in found if f"Usage: {path} " not in cli] == []


def recommended() -> set[str]:
    """The names in modules that a page tells to call or to pass."""
    text = "".join(page.read_text("utf-8") for page in DOCS.glob("*.md"))
    return set(re.findall(r"`(tbgen(?:\.[a-z]+)+\.[A-Za-z]+(?:_[a-z]+)*)\(", text))


def clicks_to(index: Path) -> set[Path]:
    """The pages that the index leads to in two clicks."""
    found = {index}
    for _ in range(2):
        links = {
            (page.parent / link).resolve()
            for page in found
            for link in LINK.findall(page.read_text())
        }
        found |= {link for link in links if link.is_file()}
    return {page.relative_to(index.parent) for page in found}


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
            if "://" not in link and (
                not target.exists() or (anchor and anchor not in anchors_of(target))
            ):
                broken.append((str(page.relative_to(ROOT)), link))
    assert broken == []
