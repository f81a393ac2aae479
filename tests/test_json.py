"""openapi.json declares the shape of all that programs read.

Each score in it comes with its parts.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient

from tbgen.apps.server.application import application
from tbgen.apps.server.service import ServerSettings
from tbgen.cli.showing import Form, text_of
from tests.apps.match.matches import scripted
from tests.cli.calls import printed, tbgen
from tests.library.mirrors import mirror_of
from tests.project import RECORDS, ROOT, S18

OPENAPI = ROOT / "tbgen" / "apps" / "server" / "openapi.json"
FEN = "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0"
SHUT = "k7/p1p1p1p1/P1P1P1P1/8/8/p1p1p1p1/P1P1P1P1/K7 w - - 0 1"
BLOCKED = "8/8/4k3/4p3/4P3/8/4K3/8 w - - 0 1"
ANNOTATED = str(ROOT / "docs" / "examples" / "drawn.pgn")
GAMES = str(S18)
LEAGUE = "TCEC Season 18 - League 2"

WITHIN: dict[str, tuple[Any, ...]] = {
    "Move": ("Position", "moves", 0),
    "Line step": ("line", "line", 0),
    "Ply": ("Played moves", "plies", 1),
    "Game": ("games", "games", 0),
    "Annotated game": ("annotated", 0),
    "Annotated ply": ("annotated", 0, "plies", 0),
    "Strip item": ("Strip", "strip", 0),
    "Decided game": ("Decision", "games", 0),
    "Error": ("Decision", "skipped", 0),
    "Standings": ("Events", "events", 0),
    "Player": ("Events", "events", 0, "players", 0),
    "Meeting": ("Match", "meetings", 0),
    "Table to fetch": ("Catalog", "tables", 0),
    "File to fetch": ("Catalog", "tables", 0, "distances"),
    "Listed table": ("list", 0),
    "Planned table": ("Plan", "tables", 0),
    "Proof": ("proofs", "tables", 0),
    "Digest": ("digests", "tables", 0),
    "Ending": ("Factors", "endings", "KBvK"),
    "Found position": ("Found positions", "positions", 0),
    "Hold": ("Holds", "white"),
    "Hold proof": ("Holds", "white", "proof"),
    "Score": ("Position", "scores", "G1.5"),
    "Points": ("Position", "points"),
}
"""Where objects of a section are that are part of a document."""
SCORELESS = {
    "Cross table",
    "Match",
    "Catalog",
    "Fetch",
    "Server",
    "list",
    "Plan",
    "proofs",
    "digests",
} | {"site/tables/tables.json"}


@pytest.fixture(scope="module")
def documents(
    table_folder: Path, whole_game_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """All that is written for programs, by a section of the page where the whole is one."""
    made = tmp_path_factory.mktemp("json")
    data = ("--json", "--data", str(table_folder))

    def in_file(*words: str) -> Any:
        """The file of a command whose last word names it."""
        (made / "file.json").unlink(missing_ok=True)
        tbgen(*words, str(made / "file.json"), folder=table_folder)
        return json.loads((made / "file.json").read_text())

    def asked(*words: str) -> Any:
        return json.loads(printed(*words))

    settings = ServerSettings([table_folder], names=("testserver",))
    with TestClient(application(settings)) as client:
        asks = {"fen": FEN, "strip": "1"}

        def got(path: str, *names: str) -> Any:
            return client.get(path, params={name: asks[name] for name in names}).json()

        served = {
            "Strip": got("/r-mobility", "fen", "strip"),
            "served line": got("/r-mobility/line", "fen"),
            "served table": got("/tables/KBvK.json"),
            "Catalog": got("/tables"),
            "Server": got("/health"),
            "array": client.post("/r-mobility", json=[FEN, "no position"]).json(),
            "lines": [
                json.loads(line)
                for line in client.post("/r-mobility", content=f"{FEN}\n").text.splitlines()
            ],
            "Decision": client.post(
                "/adjudicate", content="1. e4 *\n\n1. e9 *", headers={"Content-Type": "text/plain"}
            ).json(),
        }
    with mirror_of(table_folder) as mirror:
        fetched = asked("fetch", "KvK", "--from", mirror.url, *data)
    (made / "records").mkdir()
    shutil.copy(RECORDS / "KBvK.json", made / "records")
    site = (
        "site",
        "--explorer",
        "--records",
        str(made / "records"),
        "-o",
        str(made / "site"),
        "-q",
    )
    printed(*site, folder=table_folder)
    match = ("match", *scripted("Ann"), *scripted("Bob"), "-games", "2", "-q")
    hold = ("hold", SHUT, "--goal", "draw")
    numbered = tbgen("probe", "-", *data[1:], given=f"{FEN}\n".encode()).stdout
    return {
        **served,
        "Position": asked("probe", FEN, *data),
        "numbered": json.loads(numbered),
        "line": asked("probe", FEN, "--line", *data),
        "Played moves": asked("score", "startpos", "e4", "--json"),
        "games": asked("score", "--pgn", GAMES, "--json"),
        "annotated": asked("annotate", ANNOTATED, "-q", *data),
        "verdicts": in_file("adjudicate", ANNOTATED, GAMES, "-q", "--verdicts"),
        "Events": asked("standings", GAMES, "--event", LEAGUE, "-q", *data),
        "Cross table": in_file(*match, "-crosstable"),
        "Match": in_file(*match, "-jsonout"),
        "Fetch": fetched,
        "list": asked("list", *data),
        "Table": asked("list", "KvK", *data),
        "Plan": asked("build", "KBvK", "--plan", "--json", "--data", str(made / "new")),
        "proofs": asked("verify", "KvK", "--sample", "5", "--threads", "1", *data),
        "digests": asked("verify", "KvK", "--digest", *data),
        "Record": json.loads((RECORDS / "KBvK.json").read_text()),
        "Found positions": asked("study", "find", "KPvK", "--where", "zugzwang", *data),
        "Solved position": asked(
            "solve", BLOCKED, "--line", "-q", "--json", "--data", f"{made}:{table_folder}"
        ),
        "Holds": asked(*hold, "--json"),
        "Strategy": in_file(*hold, "--side", "white", "-q", "--strategy"),
        **{
            str(file.relative_to(made)): json.loads(file.read_text())
            for file in (made / "site").glob("[dt]a*/*.json")
        },
    }


def part_of(documents: dict[str, Any], section: str) -> Any:
    name, *path = WITHIN.get(section, (section,))
    found = documents[name]
    for step in path:
        found = found[step]
    return found


def test_every_answer_has_the_shape_of_its_schema_and_no_other_keys(
    documents: dict[str, Any],
) -> None:
    described = json.loads(OPENAPI.read_text(encoding="utf-8"))
    schemas = described["components"]["schemas"]
    shapes = dict[str, Any]()
    for name, schema in schemas.items():
        is_open = name == "Error" or schema["type"] != "object"
        shapes[name] = schema if is_open else {**schema, "additionalProperties": False}
    for name, schema in schemas.items():
        if name == "ScoreText":
            continue
        validator = Draft202012Validator(
            {"$ref": f"#/components/schemas/{name}", "components": {"schemas": shapes}}
        )
        answer = part_of(documents, schema["title"])
        faults = [f"{fault.json_path}: {fault.message}" for fault in validator.iter_errors(answer)]
        assert faults == [], f"schema {name}"


def test_every_kind_of_object_has_its_place_on_the_page() -> None:
    page = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    described = json.loads(OPENAPI.read_text(encoding="utf-8"))
    titles = {schema["title"] for schema in described["components"]["schemas"].values()}
    table = page.partition("## Where each kind comes from")[2]
    named = re.split(r", | with | and |; |\| |\n", table)
    assert titles - {"Error", "Points", "Score", "Score as text"} <= {
        name.strip(" |") for name in named
    }


def scores_in(value: Any, legend: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Every score that a document writes, with its parts in the nearest legend.

    A score is a key or a value.
    """
    if isinstance(value, dict):
        legend = {**legend, **value.get("scores", {})}
        for key, each in value.items():
            yield from scores_in(key, legend)
            yield from () if key == "scores" else scores_in(each, legend)
    elif isinstance(value, list):
        for each in value:
            yield from scores_in(each, legend)
    elif isinstance(value, str) and re.fullmatch(r"-?G\d+\.\d", value):
        yield value, legend.get(value)


def test_every_score_in_any_json_has_its_parts_in_a_legend(documents: dict[str, Any]) -> None:
    for name, document in documents.items():
        found = list(scores_in(document, {}))
        assert (found == []) is (name in SCORELESS), name
        for text, parts in found:
            side, number = ("black", text[2:]) if text.startswith("-") else ("white", text[1:])
            in_check = number.endswith(".0")
            assert parts is not None, (name, text)
            assert parts["holder"] == side
            assert parts["moves"] == int(float(number))
            assert parts["check"] == in_check
        ranks = (
            [parts["rank"] for parts in document.get("scores", {}).values()]
            if isinstance(document, dict)
            else []
        )
        assert ranks == sorted(set(ranks), reverse=True)


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_a_client_in_javascript_finds_the_parts_of_every_score(documents: dict[str, Any]) -> None:
    script = str(ROOT / "tests" / "apps" / "site" / "legend.mjs")
    done = subprocess.run(
        [str(shutil.which("node")), script],
        input=json.dumps(documents),
        capture_output=True,
        text=True,
        check=True,
    )
    expected = dict[str, list[str]]()
    for name, document in documents.items():
        expected[name] = sorted({text for text, _ in scores_in(document, {})})
    assert json.loads(done.stdout) == expected


def test_csv_has_the_parts_of_a_score_beside_it() -> None:
    head, first = text_of(Form.CSV, [{"outcome": "G1.5"}]).splitlines()
    assert head == "outcome,outcome.holder,outcome.moves,outcome.check,outcome.rank"
    assert first == "G1.5,white,1,false,1997"
