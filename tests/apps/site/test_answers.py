"""What is answered of positions: the same as in Python."""

from __future__ import annotations

import json
import random

import chess
from starlette.testclient import TestClient

from tbgen.apps.play.clock import value_within
from tbgen.errors import AccruedError
from tbgen.material import materials
from tbgen.probe import Tablebase
from tbgen.rules.facts import with_scores
from tbgen.rules.points import Scheme, Scoring
from tbgen.rules.stage import FiftyMoves, FiftyMoveSetting
from tbgen.score import Color, Score
from tests.positions import AFTER_KE5, BISHOP, random_boards

AS_PGN = {"Accept": "application/x-chess-pgn"}


def test_a_position_is_answered_as_python_answers_it(client: TestClient, tables: Tablebase) -> None:
    draw = random.Random(1)
    for board in random_boards(1, 40, materials(3)):
        accrued = draw.choice((None, Score(draw.randrange(2, 40), draw.choice(list(Color)))))
        question = {"fen": board.fen(), "accrued": str(accrued or "")}
        answer = client.get("/r-mobility", params=question).json()
        try:
            facts = tables.probe(board, accrued).facts()
        except AccruedError:
            assert answer["error"] == "AccruedError"
        else:
            moves = [move.facts() for move in tables.probe_moves(board, accrued)]
            assert answer == with_scores({**facts, "moves": moves})


def test_points_follow_the_scoring_that_is_asked_for(client: TestClient) -> None:
    asked = {"fen": AFTER_KE5, "brief": "1", "scoring": "komi", "komi": "G1.25", "cutoff": "G4.0"}
    found = client.get("/r-mobility", params=asked).json()
    assert found["outcome"] == "G1.5"
    assert found["scoring"] == "komi"
    assert found["points"] == {"white": 0, "black": 1}
    harmonic = client.get("/r-mobility", params={"fen": AFTER_KE5, "scoring": "harmonic"}).json()
    white, black = Scoring(Scheme.HARMONIC).points(Score("G1.5"))
    assert harmonic["points"] == {"white": float(white), "black": float(black)}


def test_the_fifty_move_rule_counts_if_it_is_asked_for(
    client: TestClient, tables: Tablebase
) -> None:
    late = "8/8/4K3/6k1/8/7B/8/8 b - - 97 30"
    asked = {"fen": late, "accrued": "G4.0", "brief": "1"}
    plain = client.get("/r-mobility", params=asked).json()
    for setting in FiftyMoveSetting:
        question = {**asked, "fifty": setting.value}
        rule = FiftyMoves(setting)
        if setting is FiftyMoveSetting.RESET:
            question["cutoff"] = "G5.0"
            rule = FiftyMoves(setting, 10)
        found = client.get("/r-mobility", params=question).json()
        value = value_within(tables, chess.Board(late), Score("G4.0"), rule)
        assert found == with_scores({**plain, **value.facts()})
    line = {"fen": late, "accrued": "G4.0", "fifty": "reset"}
    game = client.get("/r-mobility/line", params=line, headers=AS_PGN).text
    assert '[RMobilityClock "under reset, with 3 plies left, between G4.0 and G1.5"]' in game


def test_a_strip_has_the_value_with_every_score_that_can_have_accrued(
    client: TestClient, tables: Tablebase
) -> None:
    for board in random_boards(2, 12, materials(3)):
        question = {"fen": board.fen(), "strip": "1", "brief": "1"}
        strip = client.get("/r-mobility", params=question).json()["strip"]
        probes = tables.probe_every_accrued(board)
        for value, probe in zip(strip, probes, strict=True):
            assert value["accrued"] == str(probe.accrued)
            assert value["outcome"] == str(probe.outcome)
            assert value["dtg"] == probe.dtg
        accrued = [probe.accrued for probe in probes]
        outcomes = [probe.outcome for probe in probes]
        assert accrued == sorted(accrued, reverse=True)
        assert outcomes == sorted(outcomes, reverse=True)


def test_a_line_is_best_play_as_json_or_as_a_game(client: TestClient, tables: Tablebase) -> None:
    asked = {"fen": AFTER_KE5}
    found = client.get("/r-mobility/line", params=asked)
    facts = tables.probe(AFTER_KE5).facts()
    facts["line"] = [step.facts() for step in tables.line(AFTER_KE5)]
    assert found.json() == with_scores(facts)
    game = client.get("/r-mobility/line", params=asked, headers=AS_PGN)
    assert game.headers["content-type"].startswith("application/x-chess-pgn")
    assert f'[FEN "{AFTER_KE5}"]' in game.text
    assert {found.headers["vary"], game.headers["vary"]} == {"Accept, Origin"}
    assert found.headers["etag"] != game.headers["etag"]


def test_many_positions_are_answered_in_order_with_errors_in_place(client: TestClient) -> None:
    lines = [
        f"{BISHOP} G4.0",
        "",
        "nonsense",
        json.dumps({"fen": BISHOP, "accrued": "G4.0", "moves": "Ke5"}),
        '{"fen": 3}',
        "{",
        '{"fen": "8/8/8/8/8/8/8/8 w - - 0 1", "more": "x"}',
        "8/8/8/4KQk1/8/8/6q1/8 w - - 0 1",
    ]
    as_lines = {"Content-Type": "application/x-ndjson"}
    found = client.post("/r-mobility?brief=1", content="\n".join(lines), headers=as_lines)
    assert found.headers["content-type"] == "application/x-ndjson"
    rows = {row["number"]: row for row in map(json.loads, found.text.splitlines())}
    assert {number: row.get("error") for number, row in rows.items()} == {
        1: None,
        3: "FenError",
        4: None,
        5: "UsageError",
        6: "UsageError",
        7: "UsageError",
        8: "IllegalPositionError",
    }
    assert list(rows) == sorted(rows)
    assert rows[1]["outcome"] == "G1.5"
    assert rows[3]["fen"] == "nonsense"
    assert rows[4]["accrued"] == "G3.5"


def test_an_array_is_answered_by_an_array(client: TestClient) -> None:
    asked = [
        f"{BISHOP} G4.0",
        {"fen": BISHOP, "accrued": "G4.0", "moves": "Ke5"},
        3,
        None,
        ["x"],
        "",
        {"fen": 3},
    ]
    found = client.post("/r-mobility?brief=1", json=asked)
    assert found.headers["content-type"] == "application/json"
    rows = found.json()
    assert [row["number"] for row in rows] == [1, 2, 3, 4, 5, 6, 7]
    for row in rows[:2]:
        assert row["outcome"] == "G1.5"
        assert "error" not in row
    for row in rows[2:]:
        assert row["error"] == "UsageError"
        assert "outcome" not in row
    assert client.post("/r-mobility", json=[]).json() == []
    as_json = {"Content-Type": "application/json"}
    for body in ('{"fen": "x"}', BISHOP, "[", "3"):
        found = client.post("/r-mobility", content=body, headers=as_json)
        assert found.status_code == 400
        assert found.json()["error"] == "UsageError"


def test_many_positions_have_their_moves_unless_they_are_left_out(client: TestClient) -> None:
    whole = client.get("/r-mobility", params={"fen": BISHOP, "strip": "1"}).json()
    as_text = {"Content-Type": "text/plain"}
    found = client.post("/r-mobility?strip=1", content=BISHOP, headers=as_text)
    assert json.loads(found.text) == {"number": 1, **whole}
