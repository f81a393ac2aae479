"""What is answered of positions: the same as in Python."""

from __future__ import annotations

import json
import random

import chess
import pytest
from starlette.testclient import TestClient

from tbgen.apps.play.within import value_within
from tbgen.errors import AccruedError
from tbgen.material import materials
from tbgen.probe import Tablebase
from tbgen.rules.facts import with_scores
from tbgen.rules.points import Scheme, Scoring
from tbgen.rules.stage import FiftyMoves, FiftyMoveSetting
from tbgen.score import Color, Score
from tests.positions import AFTER_KE5, BISHOP, random_boards


def test_a_position_is_answered_as_python_answers_it(client: TestClient, tables: Tablebase) -> None:
    draw = random.Random(1)
    for board in random_boards(1, 40, materials(3)):
        accrued = draw.choice((None, Score(draw.randrange(2, 40), draw.choice(list(Color)))))
        found = client.get(
            "/r-mobility", params={"fen": board.fen(), "accrued": str(accrued or "")}
        ).json()
        try:
            expected, moves = tables.probe(board, accrued), tables.probe_moves(board, accrued)
        except AccruedError:
            assert found["error"] == "AccruedError"
        else:
            assert found == with_scores(
                {**expected.facts(), "moves": [each.facts() for each in moves]}
            )


def test_points_follow_the_scoring_that_is_asked_for(client: TestClient) -> None:
    asked = {"fen": AFTER_KE5, "brief": "1", "scoring": "komi", "komi": "G1.25", "cutoff": "G4.0"}
    found = client.get("/r-mobility", params=asked).json()
    assert (found["outcome"], found["scoring"], found["points"]) == (
        "G1.5",
        "komi",
        {"white": 0, "black": 1},
    )
    harmonic = client.get("/r-mobility", params={"fen": AFTER_KE5, "scoring": "harmonic"}).json()
    points = Scoring(Scheme.HARMONIC).points(Score("G1.5"))
    assert harmonic["points"] == {"white": float(points[0]), "black": float(points[1])}


def test_the_fifty_move_rule_counts_if_it_is_asked_for(
    client: TestClient, tables: Tablebase
) -> None:
    late = "8/8/4K3/6k1/8/7B/8/8 b - - 97 30"
    asked = {"fen": late, "accrued": "G4.0", "brief": "1"}
    plain = client.get("/r-mobility", params=asked).json()
    for setting in FiftyMoveSetting:
        cutoff = {"cutoff": "G5.0"} if setting is FiftyMoveSetting.RESET else {}
        found = client.get("/r-mobility", params={**asked, **cutoff, "fifty": setting.value}).json()
        rule = FiftyMoves(setting, 10) if cutoff else FiftyMoves(setting)
        assert found == with_scores(
            {**plain, **value_within(tables, chess.Board(late), Score("G4.0"), rule).facts()}
        )
    line = {"fen": late, "accrued": "G4.0", "fifty": "reset"}
    game = client.get(
        "/r-mobility/line", params=line, headers={"Accept": "application/x-chess-pgn"}
    ).text
    assert '[RMobilityClock "under reset, with 3 plies left, between G4.0 and G1.5"]' in game


def test_a_strip_has_the_value_with_every_score_that_can_have_accrued(
    client: TestClient, tables: Tablebase
) -> None:
    for board in random_boards(2, 12, materials(3)):
        strip = client.get(
            "/r-mobility", params={"fen": board.fen(), "strip": "1", "brief": "1"}
        ).json()["strip"]
        expected = [
            (str(each.accrued), str(each.outcome), each.dtg)
            for each in tables.probe_every_accrued(board)
        ]
        assert [(each["accrued"], each["outcome"], each["dtg"]) for each in strip] == expected
        accrued, outcomes = ([Score(each[key]) for each in strip] for key in ("accrued", "outcome"))
        assert accrued == sorted(accrued, reverse=True)
        assert outcomes == sorted(outcomes, reverse=True)


def test_a_line_is_best_play_as_json_or_as_a_game(client: TestClient, tables: Tablebase) -> None:
    asked = {"fen": AFTER_KE5}
    found = client.get("/r-mobility/line", params=asked)
    steps = tables.line(chess.Board(AFTER_KE5))
    facts = {
        **tables.probe(chess.Board(AFTER_KE5)).facts(),
        "line": [step.facts() for step in steps],
    }
    assert found.json() == with_scores(facts)
    game = client.get(
        "/r-mobility/line", params=asked, headers={"Accept": "application/x-chess-pgn"}
    )
    assert game.headers["content-type"].startswith("application/x-chess-pgn")
    assert f'[FEN "{AFTER_KE5}"]' in game.text
    assert {found.headers["vary"], game.headers["vary"]} == {"Accept"}
    assert found.headers["etag"] != game.headers["etag"]


def test_many_positions_are_answered_in_order_with_errors_in_place(client: TestClient) -> None:
    body = "\n".join(
        [
            f"{BISHOP} G4.0",
            "",
            "nonsense",
            json.dumps({"fen": BISHOP, "accrued": "G4.0", "moves": "Ke5"}),
            '{"fen": 3}',
            "{",
            '{"fen": "8/8/8/8/8/8/8/8 w - - 0 1", "more": "x"}',
            "8/8/8/4KQk1/8/8/6q1/8 w - - 0 1",
        ]
    )
    found = client.post(
        "/r-mobility?brief=1", content=body, headers={"Content-Type": "application/x-ndjson"}
    )
    assert found.headers["content-type"] == "application/x-ndjson"
    rows = [json.loads(line) for line in found.text.splitlines()]
    assert [row["number"] for row in rows] == [1, 3, 4, 5, 6, 7, 8]
    assert rows[1]["fen"] == "nonsense"
    assert [row.get("error") for row in rows] == [
        None, "FenError", None, "UsageError", "UsageError", "UsageError", "IllegalPositionError",
    ]  # fmt: skip
    assert (rows[0]["outcome"], rows[2]["accrued"]) == ("G1.5", "G3.5")


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
    assert [(row["number"], row.get("outcome"), row.get("error")) for row in found.json()] == [
        (1, "G1.5", None), (2, "G1.5", None), *((number, None, "UsageError") for number in range(3, 8)),
    ]  # fmt: skip
    assert client.post("/r-mobility", json=[]).json() == []
    for body in ('{"fen": "x"}', BISHOP, "[", "3"):
        found = client.post(
            "/r-mobility", content=body, headers={"Content-Type": "application/json"}
        )
        assert (found.status_code, found.json()["error"]) == (400, "UsageError")


def test_the_main_line_of_ordinary_chess_leads_to_mate(client: TestClient) -> None:
    fen = "8/8/8/8/8/2k5/1R6/K7 w - - 0 80"
    found = client.get(
        "/standard/mainline", params={"fen": fen, "dtc": "always", "source": "x"}
    ).json()
    board, distances = chess.Board(fen), [each["dtm"] for each in found["mainline"]]
    for each in found["mainline"]:
        assert board.parse_san(each["san"]).uci() == each["uci"]
        board.push_uci(each["uci"])
    assert (board.is_checkmate(), found["winner"], found["dtm"], len(distances)) == (
        True,
        "w",
        31,
        31,
    )
    assert distances == [30 - ply if ply % 2 else ply - 30 for ply in range(31)]
    drawn = client.get("/standard/mainline", params={"fen": AFTER_KE5}).json()
    assert (drawn["mainline"], drawn["winner"]) == ([], None)
    assert (
        client.get("/standard/mainline", params={"fen": "4k2r/8/8/8/8/8/8/R3K3 b"}).status_code
        == 404
    )


def test_many_positions_have_their_moves_unless_they_are_left_out(client: TestClient) -> None:
    whole = client.get("/r-mobility", params={"fen": BISHOP, "strip": "1"}).json()
    found = client.post(
        "/r-mobility?strip=1", content=BISHOP, headers={"Content-Type": "text/plain"}
    )
    assert json.loads(found.text) == {"number": 1, **whole}


@pytest.mark.parametrize(
    ("fen", "category", "dtm"),
    [
        ("8/8/8/8/8/1k6/8/K1q5 w - - 0 1", "loss", 0),
        ("8/8/8/8/8/1k6/2q5/K7 b - - 0 1", "win", 1),
        ("8/8/8/8/8/1k6/2q5/K7 w - - 0 1", "draw", None),
        (AFTER_KE5, "draw", None),
        ("8/8/8/8/8/1k6/2q5/K7 b - - 99 80", "win", 1),
        ("k7/8/1K6/8/8/8/8/7R b - - 98 80", "loss", -2),
        ("8/8/8/8/8/2k5/1R6/K7 w - - 69 80", "win", 31),
        ("8/8/8/8/8/2k5/1R6/K7 w - - 70 80", "maybe-win", 31),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "unknown", None),
        ("4k3/8/8/8/8/8/4PPP1/4K2R w - - 0 1", "unknown", None),
    ],
)
def test_ordinary_chess_has_wins_losses_and_distances_to_mate(
    client: TestClient, fen: str, category: str, dtm: int | None
) -> None:
    found = client.get("/standard", params={"fen": fen}).json()
    assert (found["category"], found["dtm"]) == (category, dtm)


def test_moves_of_ordinary_chess_are_seen_from_the_other_side_and_best_first(
    client: TestClient,
) -> None:
    opposite = {
        "win": "loss",
        "draw": "draw",
        "loss": "win",
        "maybe-win": "maybe-loss",
        "maybe-loss": "maybe-win",
    }
    for board in random_boards(3, 20, materials(3)):
        found = client.get("/standard", params={"fen": board.fen()}).json()
        assert (found["checkmate"], found["stalemate"]) == (
            board.is_checkmate(),
            board.is_stalemate(),
        )
        if found["moves"]:
            best = found["moves"][0]
            assert found["category"] == opposite[best["category"]]
            if found["dtm"] is not None:
                assert abs(found["dtm"]) == abs(best["dtm"]) + 1
        assert {each["uci"]: (each["san"], each["zeroing"]) for each in found["moves"]} == {
            move.uci(): (board.san(move), board.is_zeroing(move)) for move in board.legal_moves
        }


def test_captures_and_promotions_are_conversions_and_other_pawn_moves_only_restart_the_clock(
    client: TestClient,
) -> None:
    fen = "8/P2k4/8/1pP5/8/3p4/4P3/4K3 w - b6 0 1"
    answer = client.get("/standard", params={"fen": fen}).json()
    kinds = {move["san"]: (move["zeroing"], move["conversion"]) for move in answer["moves"]}
    assert kinds["a8=Q"] == (True, True)
    assert kinds["exd3"] == (True, True)
    assert kinds["cxb6"] == (True, True), "a capture en passant"
    assert kinds["e4"] == (True, False)
    assert kinds["Kd2"] == (False, False)
