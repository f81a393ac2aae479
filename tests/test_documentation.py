"""The documentation: its links lead somewhere.

As a site it describes every public name and every command.
"""

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
PAGES = sorted((*ROOT.glob("*.md"), *DOCS.rglob("*.md")))


def commands_of(command: click.Command, path: str) -> Iterator[str]:
    yield path
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands_of(inner, f"{path} {name}")


@pytest.mark.slow
def test_the_site_describes_every_public_name_and_every_command(tmp_path: Path) -> None:
    words = ("-W", "-n", "--keep-going", "-q", "-b", "html", "-D", "html_theme=basic")
    run = subprocess.run(
        [sys.executable, "-m", "sphinx", *words, DOCS, tmp_path], capture_output=True, text=True
    )
    assert (run.returncode, run.stderr) == (0, "")

    api = "".join(page.read_text() for page in (tmp_path / "api").iterdir())
    for name in tbgen.__all__:
        assert f'id="tbgen.{name}"' in api or name == "__version__", name
    for name in recommended():
        assert f'id="{name}"' in api, name
    assert "__new__" not in api
    assert "python-chess.readthedocs.io/en/latest/core.html#chess.Board" in api

    pages = {page.relative_to(tmp_path) for page in tmp_path.rglob("*.html")}
    assert pages - UNLISTED <= clicks_to(tmp_path / "index.html")

    cli = (tmp_path / "cli.html").read_text()
    commands = list[str]()
    for name in COMMANDS:
        command = program.get_command(click.Context(program), name)
        assert command is not None
        commands += commands_of(command, f"tbgen {name}")
    assert len(commands) > len(COMMANDS)
    for path in commands:
        assert f"Usage: {path} " in cli, path


def recommended() -> set[str]:
    """The names in modules that pages say to call."""
    text = "".join(page.read_text("utf-8") for page in DOCS.glob("*.md"))
    return set(re.findall(r"`(tbgen(?:\.[a-z]+)+\.[A-Za-z]+(?:_[a-z]+)*)\(", text))


def clicks_to(index: Path) -> set[Path]:
    """The pages that the index leads to in two clicks."""
    pages = {index}
    for _ in range(2):
        reached = set[Path]()
        for page in pages:
            for link in LINK.findall(page.read_text()):
                reached.add((page.parent / link).resolve())
        pages |= {page for page in reached if page.is_file()}
    return {page.relative_to(index.parent) for page in pages}


def anchors_of(page: Path) -> set[str]:
    """The names under which the headings of a page can be linked to."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_links_of_every_page_lead_somewhere() -> None:
    broken = []
    for page in PAGES:
        for link in re.findall(r"\](?:\(|: )([^)\s]+)", page.read_text(encoding="utf-8")):
            if "://" in link:
                continue
            path, _, anchor = link.partition("#")
            target = page.parent / path if path else page
            if not target.exists() or (anchor and anchor not in anchors_of(target)):
                broken.append((str(page.relative_to(ROOT)), link))
    assert broken == []


def with_braces_written_out(text: str) -> str:
    """A text with `a_b a_c` in place of `a_{b,c}`."""

    def every(braces: re.Match[str]) -> str:
        start, middles, end = braces.groups()
        return " ".join(f"{start}{middle}{end}" for middle in middles.split(","))

    return re.sub(r"([\w/]*)\{([\w.,]+)\}([\w.]*)", every, text)


@pytest.mark.parametrize("page", ["AGENTS.md", "CONTRIBUTING.md", "docs/testing.md"])
def test_the_files_that_a_page_for_contributors_names_are_there(page: str) -> None:
    text = with_braces_written_out((ROOT / page).read_text(encoding="utf-8"))
    named = set(re.findall(r"(?<![\w/])(?:clients|docs|scripts|tbgen|tests)/[\w./]*\w", text))
    named -= {"scripts/NAME.py"}
    assert named != set()
    assert {name for name in named if not (ROOT / name).exists()} == set()


def test_contributors_are_told_of_every_script() -> None:
    text = with_braces_written_out((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    scripts = {path.name for path in (ROOT / "scripts").iterdir() if path.is_file()}
    assert {name for name in scripts if name not in text} == set()


def test_no_page_has_marks_of_a_conflict() -> None:
    marks = re.compile(r"^(?:<{7} |>{7} |={7}$)", re.MULTILINE)
    assert [page for page in PAGES if marks.search(page.read_text(encoding="utf-8"))] == []
