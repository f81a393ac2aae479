"""Whole matches between engines written in Python."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tbgen.apps.games.decide import Adjudicator
from tbgen.apps.games.read import PgnGame
from tbgen.apps.games.results import winner_of
from tbgen.apps.games.tags import read_tags
from tbgen.apps.match.bench import Bench, Shared
from tbgen.apps.match.journal import FileJournal
from tbgen.apps.match.runner import Match
from tbgen.apps.match.sheet import Sheet
from tbgen.errors import MatchError
from tbgen.probe import open_tablebase
from tbgen.rules.points import format_points
from tests.apps.match.matches import (
    FakeBench,
    Silent,
    games_of,
    referee_of,
    run,
    scripted,
    walker,
)

WALKERS = [*walker("Ann"), *walker("Bob")]
FEW = ["-maxmoves", "15"]


def check(game: PgnGame, decider: Adjudicator | None = None) -> None:
    """The tags of a game say what the rules make of its moves."""
    tags = read_tags(game.tags)
    ended = game.replayed.ended
    assert ended is None or ended.number == game.replayed.last.number
    if game.tags["Termination"] == "normal":
        assert ended is not None
        assert ended.end is not None
        assert game.tags["TerminationDetails"] == ended.end.value
    winner = winner_of(game.result) if game.tags["RMobilitySource"] == "result" else None
    verdict = (decider or Adjudicator()).decide(game.replayed, winner=winner)
    assert tags.outcome is not None
    assert (verdict.final, verdict.source.value) == (tags.outcome, game.tags["RMobilitySource"])
    assert game.tags["Points"] == format_points(
        game.scoring.points(tags.outcome), game.scoring.scheme
    )
    assert int(game.tags["PlyCount"]) == game.replayed.last.number


def test_every_game_of_a_match_is_played_and_scored_by_the_rules(pgn: Path) -> None:
    standings, sheets = run(
        [*WALKERS, *walker("Eve"), "-games", "1", "-concurrency", "2", "-pgnout", str(pgn)]
    )
    games = games_of(pgn)
    assert len(games) == len(sheets) == 3
    assert sorted(standings.games) == [1, 2, 3]
    for game in games:
        check(game)
    outcomes = Counter((game.tags["White"], game.tags["RMobilityResult"]) for game in games)
    found = Counter(
        (standings.names(sheet.pairing)[0], str(sheet.ending.outcome)) for sheet in sheets
    )
    assert outcomes == found
    points = sum(standings.record(player, standings.scoring).games.points for player in range(3))
    assert points == 3


@pytest.mark.parametrize("fifty", ["none", "fide", "reset", "legacy"])
def test_a_game_replays_under_the_fifty_move_rule_that_it_was_played_by(
    pgn: Path, tmp_path: Path, fifty: str
) -> None:
    epd = tmp_path / "rook.epd"
    epd.write_text("8/8/4k3/8/8/8/1R6/K7 w - - 80 90 G8.5\n")
    run(
        [
            *WALKERS,
            "-fifty",
            fifty,
            "-openings",
            f"file={epd}",
            "-maxmoves",
            "60",
            "-pgnout",
            str(pgn),
        ]
    )
    for game in games_of(pgn):
        check(game)
        assert game.tags["RMobilityAccrued"] == "G8.5"
        assert game.replayed.fifty_moves.setting.value == fifty


def test_an_opening_is_played_with_both_colours(pgn: Path, tmp_path: Path) -> None:
    book = tmp_path / "book.pgn"
    book.write_text('[Event "a"]\n[Komi "G4.25"]\n\n1. e4 c5 *\n\n[Event "b"]\n\n1. d4 d5 *\n')
    run(
        [
            *WALKERS,
            "-games",
            "4",
            "-scoring",
            "komi",
            *FEW,
            "-openings",
            f"file={book}",
            "-pgnout",
            str(pgn),
        ]
    )
    games = games_of(pgn)
    assert [
        (game.tags["White"], game.tags["Komi"], game.replayed.plies[2].san) for game in games
    ] == [
        ("Ann", "G4.25", "c5"),
        ("Bob", "G4.25", "c5"),
        ("Ann", "G5.75", "d5"),
        ("Bob", "G5.75", "d5"),
    ]
    for game in games:
        check(game)


def test_an_engine_that_knows_the_variant_is_told_the_accrued_score_and_the_rules(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seen, epd = tmp_path / "seen", tmp_path / "start.epd"
    epd.write_text("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0\n")
    line = "f5h3 g5h4 e6f5"
    announced = ["--announce", "UCI_RMobility type check default false", "--announce"]
    announced.append("UCI_RMobilityFifty type combo default reset var reset var fide")
    knowing = scripted("Knows", "--line", line, "--seen", str(seen), *announced)
    plain = scripted("Plain", "--line", line, "--seen", str(tmp_path / "plain"))
    words = ["-games", "1", "-fifty", "fide", "-openings", f"file={epd}", "-maxmoves", "1"]
    run([*knowing, *plain, "-debug", *words])
    log = [line[16:] for line in capsys.readouterr().err.splitlines() if line.startswith("Plain ")]
    assert {"> go nodes 1", "< bestmove g5h4"} <= set(log)
    assert {
        "setoption name UCI_RMobility value true",
        "setoption name UCI_RMobilityFifty value fide",
        "position fen 8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0",
    } <= set(seen.read_text().splitlines())
    plain_told = (tmp_path / "plain").read_text()
    assert "position fen 8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 moves f5h3" in plain_told
    assert "UCI_RMobility" not in plain_told


def test_comments_have_clock_score_depth_and_changes_of_the_accrued_score(pgn: Path) -> None:
    engines = [*scripted("Ann", limit="tc=600+1"), *scripted("Bob", limit="tc=600+1")]
    _, (sheet,) = run([*engines, "-games", "1", "-pgnout", str(pgn)])
    text = " ".join(pgn.read_text().partition("\n\n")[2].split())
    assert text.startswith("1. f3 {[%clk 0:10:0")
    assert "+0.10/7" in text
    for before, ply in zip(sheet.game.plies, sheet.game.plies[1:], strict=False):
        comment = text.partition(ply.san)[2].partition("}")[0]
        assert (f"accrued {ply.accrued}" in comment) == (
            (ply.accrued, ply.since) != (before.accrued, before.since)
        )


def test_tables_decide_with_the_score_on_the_sheet(
    pgn: Path, tmp_path: Path, table_folder: Path
) -> None:
    epd = tmp_path / "bishops.epd"
    epd.write_text("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0\n8/8/8/4KBk1/8/8/7p/8 w - - 0 1\n")
    arguments = [*WALKERS, "-games", "4", "-openings", f"file={epd}", "-tbpieces", "3"]
    (empty := tmp_path / "empty").mkdir()
    arguments += ["-tb", os.pathsep.join([str(empty), str(table_folder)])]
    run([*arguments, "-pgnout", str(pgn)])
    with open_tablebase(table_folder) as tables:
        for game in games_of(pgn):
            check(game, Adjudicator(tables))
            assert game.tags["RMobilitySource"] == "tablebase"
            found = tables.probe(game.replayed.board, game.replayed.accrued)
            words = f"tablebase {found.outcome} in {found.dtg} pl{'y' if found.dtg == 1 else 'ies'}"
            assert game.tags["TerminationDetails"] == words
            assert game.tags["RMobilityTablebase"] == f"{found.material.canonical()} {found.dtg}"
            assert words in " ".join(pgn.read_text().split())


def test_the_referee_can_do_without_tables() -> None:
    heavy = ("tbgen.probe", "tbgen.storage", "numpy", "numba", "h5py")
    code = (
        "import sys, tbgen.cli.match; "
        f"print([name for name in sys.modules if name.startswith({heavy!r})])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_full_disk_is_told_even_if_another_game_has_just_decided_the_test(
    pgn: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both_play = threading.Barrier(2)
    is_decided = threading.Event()

    def append(journal: FileJournal, text: str) -> None:
        both_play.wait()
        if '[MatchGame "2"]' in text:
            is_decided.wait()
            raise MatchError("the disk is full")

    monkeypatch.setattr(FileJournal, "append", append)
    assert disk_is_full(pgn, is_decided, monkeypatch, FakeBench)


def test_a_full_disk_is_told_even_if_the_test_is_decided_while_engines_quit(
    pgn: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both_play = threading.Barrier(2)
    is_decided = threading.Event()
    quits = threading.Event()

    def append(journal: FileJournal, text: str) -> None:
        both_play.wait()
        if '[MatchGame "2"]' in text:
            raise MatchError("the disk is full")
        quits.wait()

    class SlowToQuit(FakeBench):
        async def close(self) -> None:
            quits.set()
            while not is_decided.is_set():
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.01)

    monkeypatch.setattr(FileJournal, "append", append)
    assert disk_is_full(pgn, is_decided, monkeypatch, SlowToQuit)


def disk_is_full(
    pgn: Path,
    is_decided: threading.Event,
    monkeypatch: pytest.MonkeyPatch,
    bench: Callable[[Shared], Bench],
) -> bool:
    """Whether a match of two games, decided by the first that is kept, says so."""

    class Deciding(Silent):
        def game_over(self, sheet: Sheet) -> None:
            is_decided.set()

    monkeypatch.setattr(Match, "is_decided", lambda match: is_decided.is_set())
    words = ["-engine", "cmd=Ann", "-engine", "cmd=Bob", "-each", "depth=1", "-concurrency", "2"]
    referee = referee_of([*words, "-pgnout", str(pgn)], Deciding(), bench)
    try:
        asyncio.run(referee.play())
    except MatchError as error:
        return "disk is full" in str(error)
    return False
