from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import jsonschema

from tests.cli.calls import tbgen

NUMBERS = (
    *("Games", "GamesAsBlack", "GamesAsWhite", "WinsAsBlack", "WinsAsWhite", "LossAsBlack", "LossAsWhite"),
    *("Neustadtl", "Performance", "Rank", "Rating", "Score", "Strikes", "Elo"),
)
GAME = {
    "type": "object",
    "required": ["Game", "Result", "Winner"],
    "properties": {"Result": {"enum": [0, 0.5, 1]}, "Winner": {"enum": ["None", "White", "Black"]}},
}
MEETING = {
    "type": "object",
    "required": ["H2h", "Text", "Scores"],
    "properties": {
        "H2h": {"type": "number"},
        "Text": {"pattern": "^[01=]*$"},
        "Scores": {"type": "array", "items": GAME},
    },
}
ROW = {
    "type": "object",
    "required": [*NUMBERS, "Abbreviation", "Results"],
    "properties": {
        **{name: {"type": "number"} for name in NUMBERS},
        "Abbreviation": {"pattern": "^..$"},
        "Results": {"additionalProperties": MEETING},
    },
}
CROSSTABLE = {
    "type": "object",
    "required": ["Event", "Order", "Table"],
    "properties": {"Order": {"items": {"type": "string"}}, "Table": {"additionalProperties": ROW}},
}
"""The shape of `crosstable.json`, as clients of TCEC's site declare it."""

GOLDEN = Path(__file__).parent.parent / "golden"
S18 = str(GOLDEN / "tcec_s18.pgn")


def shown(*arguments: str) -> str:
    done = tbgen("standings", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_points_of_the_published_games_as_json_and_csv() -> None:
    facts = json.loads(shown(S18, "--json", "--tiebreak", "points,net"))
    assert facts["tiebreak"] == ["points", "net"]
    with (GOLDEN / "tcec_s18.csv").open(newline="") as file:
        assert {player["name"] for player in facts["players"]} == {
            row[side] for row in csv.DictReader(file) for side in ("white", "black")
        }
    rows = list(csv.DictReader(io.StringIO(shown(S18, "--format", "csv", "--tiebreak", "points,net"))))
    assert [row["points_exact"] for row in rows] == [player["points_exact"] for player in facts["players"]]


def test_a_result_that_the_tags_say_is_taken_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text('[White "a"]\n[Black "b"]\n[Result "1/2-1/2"]\n[RMobilityResult "-G0.5"]\n\n1. e4 1/2-1/2\n')
    facts = json.loads(shown(str(path), "--json"))
    assert [(player["name"], player["points"]) for player in facts["players"]] == [("b", 0.75), ("a", 0.25)]


def test_the_cross_table_of_tcec_has_every_game_once() -> None:
    facts = json.loads(shown(S18, "--crosstable", "--tiebreak", "tcec-league"))
    rows = facts["Table"]
    assert list(rows) == facts["Order"]
    scores = [score for row in rows.values() for met in row["Results"].values() for score in met["Scores"]]
    assert sorted(score["Game"] for score in scores) == sorted([*range(1, 21)] * 2)
    assert sum(row["Score"] for row in rows.values()) == sum(score["Result"] for score in scores) == 20
    wasp = rows["Wasp 3.90"]
    assert (wasp["Games"], wasp["GamesAsWhite"], wasp["WinsAsWhite"], wasp["Strikes"]) == (2, 1, 0, 0)
    assert len({row["Abbreviation"] for row in rows.values()}) == len(rows)
    jsonschema.Draft202012Validator(CROSSTABLE).validate(facts)


def test_a_preset_stands_for_the_criteria_of_its_rule() -> None:
    facts = json.loads(shown(S18, "--json", "--tiebreak", "tcec-swiss"))
    assert facts["tiebreak"] == ["classical", "sonneborn-berger", "points", "wins", "direct-encounter"]
    assert all(player["tiebreaks"].keys() == {"sonneborn-berger", "wins"} for player in facts["players"])


PROVISIONAL = (
    '[White "a"]\n[Black "b"]\n[Result "1/2-1/2"]\n[RMobilityResult "-G0.5"]\n'
    '[RMobilitySource "provisional"]\n[RMobilityMissing "KRPvKR"]\n\n1. e4 1/2-1/2\n'
)


def test_provisional_scores_are_told_below_the_table_on_the_page_and_in_json(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(PROVISIONAL * 2)
    said = f"2 of 2 games are provisional: no table KRPvKR (2); build it with: tbgen build --for {path}"
    assert shown(str(path)).splitlines()[-1] == said
    assert "2 of 2 games are provisional: no table KRPvKR (2)" in shown(str(path), "--html")
    assert json.loads(shown(str(path), "--json"))["provisional"] == {"KRPvKR": 2}
