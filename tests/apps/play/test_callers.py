"""One answer for the same end of a game, whoever is asked: the library, commands, a server, an archive, a referee."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Sequence
from pathlib import Path

from tbgen.apps.games.decide import Adjudicator
from tbgen.apps.play.within import ClockedValue, value_within
from tbgen.probe import open_tablebase
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


def compare(folder: Path, ends: Sequence[str], work: Path) -> None:
    """All ends under both settings, and under `reset` as games of an archive and of a match."""
    known: dict[str, ClockedValue] = {}
    games, epd, played = work / "games.pgn", work / "ends.epd", work / "match.pgn"
    with open_tablebase(folder) as tables, client_of(folder) as client:
        for end, setting in itertools.product(
            ends, (FiftyMoveSetting.FIDE, FiftyMoveSetting.RESET)
        ):
            board, given = parse_fen(end)
            known[end] = found = value_within(tables, board, given, FiftyMoves(setting))
            accrued = found.accrued
            asked = {"fen": board.fen(), "accrued": str(accrued), "fifty": setting.value}
            told = [
                client.get(page, params=asked).json()
                for page in ("/r-mobility", "/r-mobility/line")
            ]
            probe, fifty = (
                ("probe", end, "--json", "--data", str(folder)),
                ("--fifty", setting.value),
            )
            told += [json.loads(printed(*probe, *fifty, *how)) for how in ((), ("--line",))]
            facts, game = (
                found.facts(),
                Game(board, accrued=accrued, fifty_moves=FiftyMoves(setting)),
            )
            assert [{key: each[key] for key in facts} for each in told] == [facts] * 4
            assert Adjudicator(tables).decide(game).clocked == found
        assert "within" not in json.loads(printed(*probe))
        positions = [(parse_fen(fen)[0], each.accrued) for fen, each in known.items()]
        games.write_text(
            "".join(
                f'[SetUp "1"]\n[FEN "{board.fen()}"]\n[RMobilityAccrued "{accrued}"]\n[Result "*"]\n\n*\n\n'
                for board, accrued in positions
            )
        )
        archive = tbgen("adjudicate", str(games), "--data", str(folder)).stdout
        said = re.findall(r'\[RMobilityClock "(.*)"\]', archive)
        assert said == [str(each) for each in known.values() if each.matters]
        epd.write_text("".join(f"{fen}\n" for fen in known))
        openings = [
            "-openings",
            f"file={epd}",
            "-games",
            str(2 * len(ends)),
            "-pgnout",
            str(played),
        ]
        run([*walker("Ann"), *walker("Bob"), *openings, "-tb", str(folder)])
        matters = 0
        for match in games_of(played):
            if (
                match.tags["RMobilitySource"] == "tablebase"
            ):  # a few plies after the end that it began with
                board = match.replayed.board.copy(stack=False)
                board.halfmove_clock = (
                    match.replayed.last.counter
                )  # under `reset` an improvement starts it anew
                found = value_within(tables, board, match.replayed.accrued)
                details, _, but = match.tags["TerminationDetails"].partition(", but ")
                assert details.startswith(f"tablebase {found.table} in ")
                assert but == (str(found) if found.matters else "")
                matters += found.matters
    assert matters > 0


def test_everyone_gives_the_same_answer_for_the_same_end(
    table_folder: Path, tmp_path: Path
) -> None:
    compare(table_folder, ENDS, tmp_path)
