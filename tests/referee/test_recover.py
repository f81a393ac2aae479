"""A match that is killed goes on where it was: no game is lost, none is played twice."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tbgen.errors import MatchError, UsageError
from tbgen.referee.reading import settings_of
from tbgen.referee.record import GameRecord, finished_games
from tbgen.referee.run import play_match
from tbgen.referee.store import state_path
from tests.referee.matches import Silent, games_of, run, scripted, walker

SHORT = ["-games", "6", "-rounds", "2", "-maxmoves", "6", "-concurrency", "2", "-srand", "3"]
BOOK = "".join(f'[Event "{move}"]\n\n1. {move} *\n\n' for move in ("e4", "d4", "c4", "Nf3", "b3"))


def arguments(folder: Path, names: str, name: str, *more: str) -> list[str]:
    book = folder / "book.pgn"
    book.write_text(BOOK)
    players = [word for each in names.split() for word in walker(each)]
    return [*players, *SHORT, "-openings", f"file={book}", "order=random", "-pgnout", str(folder / name), *more]


def signature(pgn: Path) -> list[tuple[int, str, str, str]]:
    """Who played what in which game, sorted by its place in the schedule."""
    return sorted(
        (
            int(game.tags["MatchGame"]),
            game.tags["White"],
            game.tags["Black"],
            " ".join(ply.san for ply in game.game.plies[1:]),
        )
        for game in games_of(pgn)
    )


def killed_after(words: list[str], lines: int) -> bool:
    """Run the program and kill it when it has said so many lines; whether it got that far."""
    command = [sys.executable, "-m", "tbgen", "match", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        for _ in range(lines):
            if not process.stdout.readline():
                assert process.wait() == 0
                return False
        os.kill(process.pid, signal.SIGKILL)
    return True


def check_kills(folder: Path, names: str, moments: list[int], games: int) -> None:
    whole, broken = (arguments(folder, names, "whole.pgn"), arguments(folder, names, "broken.pgn", "-recover"))
    run(whole)
    for lines in moments:
        assert killed_after(broken, lines)
    assert not killed_after(broken, 1000)
    expected = signature(folder / "whole.pgn")
    assert [number for number, *_ in expected] == list(range(1, games + 1))
    assert signature(folder / "broken.pgn") == expected


def test_killed_now_and_then_a_match_comes_to_the_same_end(tmp_path: Path) -> None:
    check_kills(tmp_path, "Ann Bob", [1, 6], 12)


@pytest.mark.slow
def test_killed_at_twenty_moments_a_match_comes_to_the_same_end(tmp_path: Path) -> None:
    chance = random.Random(20)
    check_kills(tmp_path, "Ann Bob Eve", [chance.choice([0, 1, 2, 3, 3, 4, 5]) for _ in range(20)], 36)


def test_killed_at_any_byte_of_writing_only_whole_games_count(tmp_path: Path) -> None:
    pgn = tmp_path / "games.pgn"
    run([*scripted("Ann"), *scripted("Bob"), "-games", "3", "-pgnout", str(pgn)])
    text = pgn.read_text()
    match = text.partition('[MatchId "')[2].partition('"')[0]
    ends = [place + 2 for place in range(len(text)) if text.startswith("\n\n", place) and text[place - 1] in "01"]
    assert len(ends) == 3
    for length in range(len(text) + 1):
        games, whole = finished_games(text[:length], match)
        done = [end for end in ends if end <= length]
        assert [game.number for game in games] == list(range(1, len(done) + 1))
        assert whole == max(done, default=0)


@pytest.mark.parametrize("cut", [1, 2, 30, 200, 600])
def test_a_game_that_was_being_written_is_played_again(tmp_path: Path, cut: int) -> None:
    pgn = tmp_path / "games.pgn"
    words = [*scripted("Ann"), *scripted("Bob"), "-games", "4", "-pgnout", str(pgn)]
    run(words)
    expected = signature(pgn)
    reopen(pgn)
    os.truncate(pgn, pgn.stat().st_size - cut)
    _, again = run([*words, "-recover"])
    assert [record.pairing.number for record in again] == [4]
    assert signature(pgn) == expected


def reopen(pgn: Path) -> None:
    """As if the match had been killed before it could say that it was over."""
    state = state_path(pgn)
    state.write_text(state.read_text().replace('"finished": true', '"finished": false'))


def test_games_of_others_in_the_file_are_left_alone(tmp_path: Path) -> None:
    pgn = tmp_path / "games.pgn"
    pgn.write_text('[Event "Café"]\n[Result "*"]\n\n1. e4 *')
    words = [*scripted("Ann"), *scripted("Bob"), "-games", "2", "-pgnout", str(pgn)]
    run(words)
    reopen(pgn)
    standings, again = run([*words, "-recover"])
    assert (len(standings.results), again) == (2, [])
    assert [game.tags["Event"] for game in games_of(pgn)] == ["Café", "?", "?"]


def test_a_second_match_may_follow_in_the_same_file(tmp_path: Path) -> None:
    pgn = tmp_path / "games.pgn"
    words = [*scripted("Ann"), *scripted("Bob"), "-games", "2", "-pgnout", str(pgn)]
    run(words)
    standings, records = run(words)
    assert (len(records), len(standings.results), len(games_of(pgn))) == (2, 2, 4)


def test_a_match_that_is_not_over_is_not_overwritten(tmp_path: Path) -> None:
    pgn = tmp_path / "games.pgn"
    words = [*scripted("Ann"), *scripted("Bob"), "-games", "2", "-pgnout", str(pgn)]
    run(words)
    reopen(pgn)
    with pytest.raises(MatchError, match="go on with -recover"):
        run(words)


def test_a_match_that_never_had_a_game_is_begun_anew(tmp_path: Path) -> None:
    pgn, epd = tmp_path / "games.pgn", tmp_path / "book.epd"
    epd.write_text("nonsense\n")
    words = [*walker("Ann"), *walker("Bob"), "-maxmoves", "2", "-openings", f"file={epd}", "-pgnout", str(pgn)]
    with pytest.raises(UsageError, match="line 1"):
        run(words)
    epd.write_text("8/8/2k5/8/4K3/8/8/7R w - - 0 1\n")
    standings, _ = run(words)
    assert len(standings.results) == len(games_of(pgn)) == 2


def test_what_others_have_written_behind_a_finished_match_is_kept(tmp_path: Path) -> None:
    pgn = tmp_path / "games.pgn"
    words = [*scripted("Ann"), *scripted("Bob"), "-games", "2", "-srand", "4", "-pgnout", str(pgn)]
    run(words)
    with open(pgn, "a", encoding="utf-8") as file:
        file.write('[Event "Café"]\n\n1. e4 *')
    run([*words, "-rounds", "2", "-recover"])
    assert [game.tags["Event"] for game in games_of(pgn)] == ["?", "?", "Café", "?", "?"]


@pytest.mark.parametrize("other", [["-games", "4"], ["-fifty", "fide"], ["-each", "depth=3"], ["-srand", "9"]])
def test_another_match_cannot_go_on_in_its_place(tmp_path: Path, other: list[str]) -> None:
    pgn = tmp_path / "games.pgn"
    words = [*scripted("Ann"), *scripted("Bob"), "-games", "2", "-srand", "4", "-pgnout", str(pgn)]
    run(words)
    with pytest.raises(MatchError):
        run([*words, *other, "-recover"])


def test_more_rounds_go_on_where_fewer_ended(tmp_path: Path) -> None:
    pgn = tmp_path / "games.pgn"
    words = [*scripted("Ann"), *scripted("Bob"), "-games", "2", "-srand", "4", "-pgnout", str(pgn)]
    run(words)
    standings, records = run([*words, "-rounds", "2", "-recover"])
    assert ([record.pairing.number for record in records], len(standings.results)) == ([3, 4], 4)
    with pytest.raises(MatchError, match="give -rounds"):
        run([*words, "-recover"])


def test_two_referees_cannot_have_one_file(tmp_path: Path) -> None:
    pgn = tmp_path / "games.pgn"
    words = [*scripted("Ann"), *scripted("Bob"), "-games", "2", "-pgnout", str(pgn)]
    fcntl = pytest.importorskip("fcntl", reason="files cannot be locked on this system")
    with open(state_path(pgn), "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(MatchError, match="another match is writing"):
            run(words)


def test_a_file_that_has_become_shorter_is_not_written_to(tmp_path: Path) -> None:
    pgn = tmp_path / "games.pgn"
    pgn.write_text('[Event "Other"]\n\n1. e4 *\n\n')
    words = [*scripted("Ann"), *scripted("Bob"), "-games", "2", "-pgnout", str(pgn)]
    run(words)
    pgn.write_text("")
    with pytest.raises(MatchError, match="shorter"):
        run([*words, "-recover"])


def test_a_damaged_state_is_named(tmp_path: Path) -> None:
    pgn = tmp_path / "games.pgn"
    state_path(pgn).write_text("{")
    with pytest.raises(MatchError, match="damaged"):
        run([*scripted("Ann"), *scripted("Bob"), "-pgnout", str(pgn), "-recover"])


def test_a_match_stops_when_its_file_is_replaced_under_it(tmp_path: Path) -> None:
    """What it went on writing would be in no file that anybody can find."""
    pgn = tmp_path / "games.pgn"
    words = [*scripted("Ann"), *scripted("Bob"), "-games", "4", "-pgnout", str(pgn)]

    class Replacing(Silent):
        def game_over(self, board: int, record: GameRecord) -> None:
            super().game_over(board, record)
            copy = tmp_path / "copy.pgn"
            copy.write_bytes(pgn.read_bytes())
            copy.replace(pgn)

    view = Replacing()
    with pytest.raises(MatchError, match=r"games\.pgn is no longer the file"):
        asyncio.run(play_match(settings_of(words), view))
    assert len(view.records) == 1
    _, again = run([*words, "-recover"])
    assert [record.pairing.number for record in again] == [2, 3, 4]
    assert [number for number, *_ in signature(pgn)] == [1, 2, 3, 4]
