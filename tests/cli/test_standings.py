from __future__ import annotations

import re
from pathlib import Path

import pytest

from tbgen.apps.events.players import PlayerRow
from tests.cli.calls import printed, tbgen
from tests.project import S18


def test_a_table_of_many_players_is_shown_without_a_look_at_every_pair(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "open.pgn"
    path.write_text(
        "".join(f'[White "{n}"]\n[Black "{n + 1}"]\n\n1. e4 1/2-1/2\n\n' for n in range(0, 60, 2))
    )
    monkeypatch.setattr(PlayerRow, "points_against", None)
    lines = printed("standings", str(path)).splitlines()
    assert lines[2].split() == ["player", "games", "classical", "points"]
    assert len(lines) == 65
    assert lines[-1].startswith("0, 10, 12, 14, 16, 18 and 54 others all have 0.5 points. ")


@pytest.mark.parametrize("number", [1, 2, 9])
@pytest.mark.parametrize("corrected", ["1-0", "0-1", "1/2-1/2"])
def test_a_result_that_is_corrected_after_a_decision_counts_and_is_said(
    tmp_path: Path, number: int, corrected: str
) -> None:
    decided = tmp_path / "decided.pgn"
    assert tbgen("adjudicate", str(S18), "-o", str(decided), "-q").returncode == 0
    before = printed("standings", str(decided), "--json", "-q")
    games = decided.read_text().split("[Event ")
    (was,) = re.findall(r'\[Result "(.*)"\]', games[number])
    games[number] = games[number].replace(was, corrected)
    decided.write_text("[Event ".join(games))
    done = tbgen("standings", str(decided), "--json", "-q")
    if was == corrected:
        assert (done.stdout, done.stderr) == (before, "")
        return
    (said,) = done.stderr.splitlines()
    told = f"tbgen: {decided}, game {number}: warning: RMobilityResult says "
    assert said.startswith(told)
    assert done.stdout != before
    again = tmp_path / "again.pgn"
    assert tbgen("adjudicate", str(decided), "-o", str(again), "-q").stderr == f"{said}\n"
    assert printed("standings", str(again), "--json", "-q") == done.stdout


def test_a_contradiction_in_another_event_is_no_warning_of_the_chosen_one(tmp_path: Path) -> None:
    path = tmp_path / "season.pgn"
    game = '[Event "{}"]\n[White "Ann"]\n[Black "Bob"]\n[Result "1-0"]\n\n1. e4 e5 {}\n\n'
    path.write_text(game.format("Good", "1-0") + game.format("Bad", "0-1"))
    assert "the end of the moves" in tbgen("standings", str(path)).stderr
    assert tbgen("standings", str(path), "--event", "Good").stderr == ""


DECIDED = """[Event "Cup"]
[White "Ann"]
[Black "Bob"]
[Result "1/2-1/2"]
[SetUp "1"]
[FEN "8/8/8/4KBk1/8/8/8/8 b - - 0 1"]
[RMobilityResult "{result}"]
[RMobilitySource "{source}"]
[RMobilityTablebase "{table}"]

1... Kh4 1/2-1/2
"""


@pytest.mark.parametrize(
    ("result", "source", "table", "said"),
    [
        ("G1.5", "tablebase", "KBvK 1", None),
        ("G1.5", "tablebase", "KBNvK 1", "KBNvK decided it, but the moves end with KBvK"),
        ("G1.5", "tablebase", "KBvKN 1", "KBvKN decided it, but the moves end with KBvK"),
        ("G3.5", "game", "", None),
        ("G4.0", "game", "", 'RMobilityResult says "G4.0", but the game is worth G3.5'),
    ],
)
def test_a_decision_that_is_not_of_these_moves_is_said(
    tmp_path: Path, result: str, source: str, table: str, said: str | None
) -> None:
    path = tmp_path / "cup.pgn"
    path.write_text(DECIDED.format(result=result, source=source, table=table))
    warned = tbgen("standings", str(path)).stderr
    if said is None:
        assert warned == ""
    else:
        assert warned == f"tbgen: {path}, game 1: warning: {said}; adjudicate it again\n"


def test_a_table_that_has_come_since_asks_for_another_decision(tmp_path: Path) -> None:
    path = tmp_path / "cup.pgn"
    text = DECIDED.format(result="G3.5", source="provisional", table="")
    path.write_text(text.replace("RMobilityTablebase", "RMobilityMissing").replace('""', '"KBvK"'))
    assert "it is here now, so adjudicate the games again" in printed("standings", str(path))
    path.write_text(path.read_text().replace('"KBvK"', '"KQRvKB"'))
    assert "build it with: tbgen build" in printed("standings", str(path))
