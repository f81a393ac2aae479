"""The same end of a game has one answer, whoever is asked.

The library, commands, a server, an archive and a referee give it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tbgen.apps.games.decide import Adjudicator
from tbgen.apps.play.clock import ClockedValue, value_within
from tbgen.probe import Tablebase
from tbgen.rules.game import Game
from tbgen.rules.notation import parse_fen
from tbgen.rules.stage import FiftyMoves, FiftyMoveSetting
from tests.apps.match.matches import games_of, run, walker
from tests.apps.site.conftest import client_of
from tests.cli.calls import printed, tbgen

ENDS = [
    "8/8/4K3/6k1/8/7B/8/8 b - - 97 30 G4.0",
    "8/8/4K3/6k1/8/7B/8/8 b - - 90 30 G3.5",
    "8/8/8/8/3k4/8/8/K2N4 w - - 96 30",
    "8/3P4/8/8/8/2k5/8/K7 w - - 97 30",
    "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0",
]
"""Positions with few plies left, and one with many."""


@pytest.fixture
def client(table_folder: Path) -> Iterator[TestClient]:
    with client_of(table_folder) as client:
        yield client


def clocked_values(tables: Tablebase) -> dict[str, ClockedValue]:
    """The answer of the library to each end under `reset`."""
    values = {}
    for end in ENDS:
        board, accrued = parse_fen(end)
        rule = FiftyMoves(FiftyMoveSetting.RESET)
        values[end] = value_within(tables, board, accrued, rule)
    return values


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("setting", [FiftyMoveSetting.FIDE, FiftyMoveSetting.RESET])
def test_a_server_commands_and_a_referee_say_of_an_end_what_the_library_says(
    tables: Tablebase,
    table_folder: Path,
    client: TestClient,
    end: str,
    setting: FiftyMoveSetting,
) -> None:
    board, given = parse_fen(end)
    rule = FiftyMoves(setting)
    value = value_within(tables, board, given, rule)
    expected = value.facts()

    question = {"fen": board.fen(), "accrued": str(value.accrued), "fifty": setting.value}
    assert part_of(client.get("/r-mobility", params=question).json(), expected) == expected
    assert part_of(client.get("/r-mobility/line", params=question).json(), expected) == expected

    probe = ("probe", end, "--json", "--data", str(table_folder))
    with_rule = (*probe, "--fifty", setting.value)
    assert part_of(json.loads(printed(*with_rule)), expected) == expected
    assert part_of(json.loads(printed(*with_rule, "--line")), expected) == expected

    default = value_within(tables, board, given)
    by_default = default.facts() if default.matters else {}
    del question["fifty"]
    for answer in (client.get("/r-mobility", params=question).json(), json.loads(printed(*probe))):
        assert {name: answer[name] for name in expected if name in answer} == by_default

    game = Game(board, accrued=value.accrued, fifty_moves=rule)
    assert Adjudicator(tables).decide(game).clocked == value


def part_of(facts: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: facts[name] for name in names}


def test_games_of_an_archive_get_the_answers_of_the_library(
    tables: Tablebase, table_folder: Path, tmp_path: Path
) -> None:
    games = tmp_path / "games.pgn"
    expected = list[str]()
    with games.open("w") as file:
        for end, value in clocked_values(tables).items():
            board, _ = parse_fen(end)
            file.write(f'[SetUp "1"]\n[FEN "{board.fen()}"]\n')
            file.write(f'[RMobilityAccrued "{value.accrued}"]\n[Result "*"]\n\n*\n\n')
            if value.matters:
                expected.append(str(value))
    archive = tbgen("adjudicate", str(games), "--data", str(table_folder)).stdout
    assert re.findall(r'\[RMobilityClock "(.*)"\]', archive) == expected


def test_games_that_tables_decide_in_a_match_get_the_answers_of_the_library(
    tables: Tablebase, table_folder: Path, tmp_path: Path
) -> None:
    openings = tmp_path / "ends.epd"
    openings.write_text("".join(f"{end}\n" for end in ENDS))
    games = tmp_path / "match.pgn"
    words = ["-openings", f"file={openings}", "-games", str(2 * len(ENDS))]
    words += ["-pgnout", str(games), "-tb", str(table_folder)]
    run([*walker("Ann"), *walker("Bob"), *words])
    matters = 0
    for game in games_of(games):
        if game.tags["RMobilitySource"] != "tablebase":
            continue
        # The referee asks a few plies after the end that the game began with.
        board = game.replayed.board.copy(stack=False)
        board.halfmove_clock = game.replayed.last.counter  # an improvement starts it anew
        value = value_within(tables, board, game.replayed.accrued)
        details, _, but = game.tags["TerminationDetails"].partition(", but ")
        assert details.startswith(f"tablebase {value.table} in ")
        assert but == (str(value) if value.matters else "")
        matters += value.matters
    assert matters > 0
