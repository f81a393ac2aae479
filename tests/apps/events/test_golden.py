"""Events as the shell, JSON, CSV and the pages show them, held word for word.

After a change that is meant: .venv/bin/python -m pytest tests/apps/events/test_golden.py --rewrite
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.calls import tbgen
from tests.files import assert_as_kept
from tests.project import S18

GOLDEN = Path(__file__).parent / "golden"
CUP = GOLDEN / "cup.pgn"
_CHANGING = (
    (re.compile(r'(<meta name="generator" content="tbgen )[^"]*'), r"\1VERSION"),
    (re.compile(r"changed [^,]*, [0-9:]* UTC"), "changed LATELY"),
    (re.compile(r"<style>.*</style>", re.DOTALL), "<style></style>"),
)
FORMS: dict[str, tuple[Path, tuple[str, ...]]] = {
    "league.txt": (S18, ("--tiebreak", "tcec-league")),
    "league.json": (S18, ("--tiebreak", "tcec-league", "--json")),
    "cup.txt": (CUP, ()),
    "cup-over.txt": (CUP, ("--final", "Club Swiss", "--tiebreak", "otb")),
    "cup.json": (CUP, ("--json",)),
    "cup.csv": (CUP, ("--csv",)),
}
PAGES = {
    "league": (S18, ("tcec-season-18-league-2/index.html",)),
    "cup": (CUP, ("index.html", "club-cup/index.html", "club-swiss/index.html", "events.json")),
    "cup alone": (CUP, ("club-cup/r1-bob-cid.html",)),
}


def check(name: str, text: str, request: pytest.FixtureRequest) -> None:
    for changing, settled in _CHANGING:
        text = changing.sub(settled, text)
    assert_as_kept(GOLDEN / name, text, request)


@pytest.mark.parametrize("name", FORMS)
def test_an_event_is_shown_as_before(
    name: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    games, words = FORMS[name]
    done = tbgen("standings", str(games), *words, folder=tmp_path)
    said = done.stderr.replace(f"{games.parent}/", "")
    check(name, done.stdout.replace(f"{games.parent}/", "") + said, request)


@pytest.mark.parametrize("name", PAGES)
def test_the_pages_of_an_event_are_as_before(
    name: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    games, paths = PAGES[name]
    words = ("--event", "Club Cup") if name == "cup alone" else ()
    www = tmp_path / "www"
    tbgen("standings", str(games), "--pages", str(www), *words, folder=tmp_path)
    for path in paths:
        text = (www / path).read_text(encoding="utf-8")
        check(f"{name} {path.replace('/', ' ')}".replace(" ", "-"), text, request)
