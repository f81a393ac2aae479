"""The cross table as TCEC's site reads it."""

from __future__ import annotations

import contextlib
import json

import jsonschema

from tbgen.apps.events.criteria import PRESETS
from tbgen.apps.events.standings import Standings
from tbgen.apps.games.batch import GamesDecider, GamesTask
from tbgen.apps.games.event_game import EventGame
from tbgen.apps.games.text import chunks_in
from tbgen.apps.match.tcec import tcec_json
from tbgen.rules.facts import to_json
from tests.apps.events.test_event import game
from tests.project import S18

NUMBERS = (
    "Games",
    "GamesAsBlack",
    "GamesAsWhite",
    "WinsAsBlack",
    "WinsAsWhite",
    "LossAsBlack",
    "LossAsWhite",
    "Neustadtl",
    "Performance",
    "Rank",
    "Rating",
    "Score",
    "Strikes",
    "Elo",
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


def published_games() -> list[EventGame]:
    with contextlib.closing(GamesDecider(GamesTask(texts=False, results=True))) as decider:
        found = []
        for chunk in chunks_in(S18):
            found += decider.decide(chunk, "tcec_s18.pgn").results
        return found


def test_the_cross_table_of_tcec_has_every_game_once() -> None:
    facts = json.loads(to_json(tcec_json(Standings(published_games(), PRESETS["tcec-league"]))))
    rows = facts["Table"]
    assert list(rows) == facts["Order"]
    scores = [
        score for row in rows.values() for met in row["Results"].values() for score in met["Scores"]
    ]
    assert sorted(score["Game"] for score in scores) == sorted([*range(1, 21)] * 2)
    assert (
        sum(row["Score"] for row in rows.values()) == sum(score["Result"] for score in scores) == 20
    )
    wasp = rows["Wasp 3.90"]
    assert (wasp["Games"], wasp["GamesAsWhite"], wasp["WinsAsWhite"], wasp["Strikes"]) == (
        2,
        1,
        0,
        0,
    )
    assert len({row["Abbreviation"] for row in rows.values()}) == len(rows)
    jsonschema.Draft202012Validator(CROSSTABLE).validate(facts)


def test_a_bye_is_no_opponent() -> None:
    bye = game("Ann", "bye", "G0.0", "1-0")._replace(plies=0)
    table = tcec_json(Standings([bye, game("Ann", "Cid", "G1.5")]))["Table"]
    assert table["Ann"]["Results"].keys() == {"Cid"}


def test_a_rating_changes_by_games_between_rated_players_alone() -> None:
    rated = {"WhiteElo": "2700", "BlackElo": "2700"}
    games = [game("Ann", "Bob", "G0.0", "1-0")._replace(tags=rated), game("Ann", "Cid", "G0.5")]
    games[1] = games[1]._replace(tags={"WhiteElo": "2700"})
    table = tcec_json(Standings(games))["Table"]
    assert [table[name]["Elo"] for name in ("Ann", "Bob", "Cid")] == [16, -16, 0]
