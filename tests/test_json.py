"""The page on JSON says the shape of all that is printed; the description of the server is written from it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient

from scripts.openapi import TARGET, schemas, written
from tbgen.apps.site.server import application
from tbgen.apps.site.service import Settings
from tests.cli.calls import printed
from tests.library.mirrors import mirror_of

ROOT = Path(__file__).parent.parent
RECORDS = ROOT / "records"
FEN = "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0"
SHUT = "k7/p1p1p1p1/P1P1P1P1/8/8/p1p1p1p1/P1P1P1P1/K7 w - - 0 1"
BLOCKED = "8/8/4k3/4p3/4P3/8/4K3/8 w - - 0 1"
ANNOTATED = str(ROOT / "docs" / "examples" / "drawn.pgn")
GAMES = str(Path(__file__).parent / "golden" / "tcec_s18.pgn")


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
        asked = {"content": "1. e4 *\n\n1. e9 *", "headers": {"Content-Type": "text/plain"}}
        decided = client.post("/adjudicate", **asked).json()
        there, health = client.get("/tables").json(), client.get("/health").json()
    with mirror_of(table_folder) as mirror:
        fetched = json.loads(printed("fetch", "KvK", "--from", mirror.url, *data))
    plan = json.loads(printed("build", "KBvK", "--plan", "--json", "--data", str(tmp_path / "new")))
    return {
        "Position": probe,
        "Line step": line["line"][0],
        "Played moves": moves,
        "Game": games[0],
        "Annotated game": annotated,
        "Strip item": strip[0],
        "Decision": decided,
        "Catalog": there,
        "Fetch": fetched,
        "Server": health,
        "Listed table": json.loads(printed("list", *data))[0],
        "Table": json.loads(printed("list", "KvK", *data)),
        "Plan": plan,
        "Proof": json.loads(printed("verify", "KvK", "--sample", "5", "--threads", "1", *data))["tables"][0],
        "Digest": json.loads(printed("verify", "KvK", "--digest", *data))["tables"][0],
        "Record": json.loads((RECORDS / "KBvK.json").read_text(encoding="utf-8")),
        "Solved position": json.loads(printed("solve", BLOCKED, "-q", *data)),
        "Holds": holds,
        "Factors": factors,
        "Ending": factors["endings"]["KBvK"],
    }


def test_every_answer_has_the_shape_on_the_page_and_no_other_keys(answers: dict[str, Any]) -> None:
    shapes = {name.replace(" ", ""): {**shape, "additionalProperties": False} for name, shape in schemas().items()}
    shapes["Error"]["additionalProperties"] = True
    for name, answer in answers.items():
        schema = {"$ref": f"#/components/schemas/{name.replace(' ', '')}", "components": {"schemas": shapes}}
        faults = [f"{fault.json_path}: {fault.message}" for fault in Draft202012Validator(schema).iter_errors(answer)]
        assert faults == [], name
    parts = {"Move", "Ply", "Annotated ply", "Decided game", "Table to fetch", "Planned table", "Hold", "Hold proof"}
    elsewhere = {"Score", "Error", "Map", "Ordinary position", "Mainline", "Mainline move"}
    assert schemas().keys() == answers.keys() | parts | elsewhere


def test_the_description_for_programs_is_written_from_the_pages() -> None:
    assert TARGET.read_text(encoding="utf-8") == written(), "run scripts/openapi.py"


def test_scores_come_with_their_parts(answers: dict[str, Any]) -> None:
    position, decided = answers["Position"], answers["Decision"]["games"][0]
    texts = {position[key] for key in ("own", "accrued", "outcome")} | {move["outcome"] for move in position["moves"]}
    assert texts <= position["scores"].keys()
    assert {decided["final"], decided["accrued"]} <= decided["scores"].keys()
    for text, parts in (*position["scores"].items(), *decided["scores"].items()):
        sign, number = ("black", text[2:]) if text.startswith("-") else ("white", text[1:])
        assert (parts["holder"], parts["moves"], parts["check"]) == (sign, int(float(number)), number.endswith(".0"))
    ranks = [parts["rank"] for parts in position["scores"].values()]
    assert ranks == sorted(ranks, reverse=True)
