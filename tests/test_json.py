"""The page on JSON names the keys that are printed, all of them and no others."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tbgen.apps.site.server import application
from tbgen.apps.site.service import Settings
from tests.cli.calls import printed
from tests.library.mirrors import mirror_of

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
RECORDS = ROOT / "records"
FEN = "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0"
SHUT = "k7/p1p1p1p1/P1P1P1P1/8/8/p1p1p1p1/P1P1P1P1/K7 w - - 0 1"
BLOCKED = "8/8/4k3/4p3/4P3/8/4K3/8 w - - 0 1"
ANNOTATED = str(ROOT / "docs" / "examples" / "drawn.pgn")
GAMES = str(Path(__file__).parent / "golden" / "tcec_s18.pgn")


def keys_in(title: str) -> list[str]:
    """The keys that the table of a section names."""
    (section,) = re.findall(rf"^## {re.escape(title)}.*?\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    rows = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    return [key for row in rows for key in re.findall(r"`(\w+)`", row)]


@pytest.fixture
def answers(table_folder: Path, tmp_path: Path) -> dict[str, Any]:
    """An object for each section of the page."""
    data = ("--json", "--data", str(table_folder))
    probe, line = (json.loads(printed("probe", FEN, *how, *data)) for how in ((), ("--line",)))
    moves = json.loads(printed("score", "startpos", "e4", "--json"))
    games = json.loads(printed("score", "--pgn", GAMES, "--json"))["games"]
    (annotated,) = json.loads(printed("annotate", ANNOTATED, "-q", *data))
    holds = json.loads(printed("hold", SHUT, "--goal", "draw", "--json"))
    factors = json.loads(printed("study", "potential", "--json", "--records", str(RECORDS)))
    settings = Settings([table_folder], names=("testserver",))
    with TestClient(application(settings)) as client:
        strip = client.get("/r-mobility", params={"fen": FEN, "strip": "1"}).json()["strip"]
        decided = client.post("/adjudicate", content="1. e4 *", headers={"Content-Type": "text/plain"}).json()
        there, health = client.get("/tables").json()["tables"], client.get("/health").json()
    with mirror_of(table_folder) as mirror:
        fetched = json.loads(printed("fetch", "KvK", "--from", mirror.url, *data))
    plan = json.loads(printed("build", "KBvK", "--plan", "--json", "--data", str(tmp_path / "new")))
    return {
        "A position": probe,
        "A move of a probe": probe["moves"][0],
        "A line": line["line"][0],
        "Moves that were played": moves,
        "A ply": moves["plies"][1],
        "Games": games[0],
        "An annotated game": annotated,
        "Plies of an annotated game": annotated["plies"][1],
        "A strip": strip[0],
        "A game that was decided": decided["games"][0],
        "A table to fetch": there[0],
        "A fetch": fetched,
        "The server": health | health["limits"],
        "A table in the list": json.loads(printed("list", *data))[0],
        "A table:": json.loads(printed("list", "KvK", *data)),
        "A plan": plan,
        "A table of a plan": plan["tables"][0],
        "A proof": json.loads(printed("verify", "KvK", "--sample", "5", "--threads", "1", *data))["tables"][0],
        "A digest": json.loads(printed("verify", "KvK", "--digest", *data))["tables"][0],
        "A record": json.loads((RECORDS / "KBvK.json").read_text(encoding="utf-8")),
        "A solved position": json.loads(printed("solve", BLOCKED, "-q", *data)),
        "A hold: ": holds["white"],
        "What proves": holds["white"]["proof"],
        "Holds of both": holds,
        "Factors": factors | factors["endings"]["KBvK"],
    }


def test_every_key_has_its_place_on_the_page(answers: dict[str, Any]) -> None:
    assert {title: sorted(answer) for title, answer in answers.items()} == {
        title: sorted(keys_in(title)) for title in answers
    }
    assert len(re.findall("^## ", PAGE, re.MULTILINE)) == len(answers)
    assert list(answers["Games"]["moves"][1]) == list(answers["A ply"])
