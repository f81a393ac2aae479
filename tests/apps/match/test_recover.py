"""A match that is killed goes on where it was: no game is lost, none is played twice."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tbgen.apps.games.game import PgnGame
from tbgen.apps.games.reader import read_games
from tbgen.apps.match.arguments import settings_of
from tbgen.apps.match.play import GameRecord
from tbgen.apps.match.run import play_match
from tbgen.apps.match.store import recovered, state_path
from tbgen.errors import MatchError
from tests.apps.match.matches import Silent, games_of, run, scripted, walker

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


def killed_after(words: list[str], lines: int, beginning: str = "") -> bool:
    """Run the program and kill it when it has said so many lines that begin so; whether it got that far."""
    command = [sys.executable, "-m", "tbgen", "match", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        for line in process.stdout if lines else ():
            lines -= line.startswith(beginning)
            if not lines:
                break
        if lines:
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


def two_engines(folder: Path, *more: str) -> tuple[Path, list[str]]:
    """A file of games and the words of a match that writes it."""
    pgn = folder / "games.pgn"
    return pgn, [*scripted("Ann"), *scripted("Bob"), "-games", "2", "-srand", "4", *more, "-pgnout", str(pgn)]


def played(folder: Path, *more: str) -> tuple[Path, list[str]]:
    """A match that has been played but could not say that it is over."""
    pgn, words = two_engines(folder, *more)
    run(words)
    state = state_path(pgn)
    state.write_text(state.read_text().replace('"finished": true', '"finished": false'))
    return pgn, words


def numbers_played(words: list[str]) -> list[int]:
    return [record.pairing.number for record in run(words)[1]]


def test_killed_at_many_bytes_of_writing_only_whole_games_count(tmp_path: Path) -> None:
    pgn, _ = played(tmp_path, "-games", "3")
    cut = tmp_path / "cut.pgn"
    for newline in (b"\n", b"\r\n"):
        text = pgn.read_bytes().replace(b"\n", newline)
        match = text.partition(b'[MatchId "')[2].partition(b'"')[0].decode()
        ends = [each.end() for each in re.finditer(rb"(?<=[ \n])(1/2-1/2|1-0|0-1)(?=\r?\n\r?\n)", text)]
        assert len(ends) == 3
        near_ends = (end + more for end in ends for more in range(-9, 3))
        for length in sorted({*range(0, len(text), 11), *near_ends, len(text)}):
            cut.write_bytes(text[:length])
            done = [end for end in ends if end <= length]
            found = recovered(cut, match)
            assert ([game.number for game in found.games], found.end) == (
                list(range(1, len(done) + 1)),
                max(done, default=0),
            )


@pytest.mark.parametrize(
    ("foreign", "is_whole"),
    [
        (b'[Event "Caf\xe9"]\r\n[Result "*"]\r\n\r\n1. e4 *\r\n\r\n', True),
        (b'[Event "no empty line"]\n\n1. e4 e5', False),
        (b"1. e4 {a comment that is not closed", False),
        (b"% a note\n", False),
    ],
)
def test_nothing_that_others_wrote_behind_the_games_of_a_match_is_lost(
    tmp_path: Path, foreign: bytes, is_whole: bool
) -> None:
    pgn, words = played(tmp_path)
    expected, text = signature(pgn), pgn.read_bytes()
    end, beside = text.rindex(b"[Event"), tmp_path / "games.pgn.cut-off"
    pgn.write_bytes(text[:end] + foreign)
    view = Silent()
    asyncio.run(play_match(settings_of([*words, "-recover"]), view))
    assert [record.pairing.number for record in view.records] == [2]
    moved = [] if is_whole else [f"an unfinished game at the end of {pgn} has been moved to {beside}"]
    assert view.said == moved
    assert (
        pgn.read_bytes().startswith(text[:end] + foreign)
        if is_whole
        else beside.read_bytes().strip() == foreign.strip()
    )
    games = [game for game in read_games(pgn) if isinstance(game, PgnGame) and "MatchId" in game.tags]
    assert [int(game.tags["MatchGame"]) for game in games] == [number for number, *_ in expected]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('[MatchGame "1"]', '[MatchGame "2"]', "game 2 of the match twice"),
        ('[MatchGame "1"]', '[MatchGame "one"]', "game 1: it is one of the match, but was changed"),
        ('[RMobilityResult "', '[RMobilityResult "X', "game 1: it is one of the match, but was changed"),
        ("[PlyCount ", "[Plies ", "game 1: it is one of the match, but its tag PlyCount is gone"),
    ],
)
def test_a_game_of_the_match_that_was_tampered_with_is_named(tmp_path: Path, old: str, new: str, words: str) -> None:
    pgn, arguments = played(tmp_path)
    pgn.write_text(pgn.read_text().replace(old, new, 1))
    with pytest.raises(MatchError, match=words):
        run([*arguments, "-recover"])


def test_a_match_that_is_not_over_is_not_overwritten_and_one_that_is_may_be_followed(tmp_path: Path) -> None:
    pgn, words = played(tmp_path)
    with pytest.raises(MatchError, match="go on with -recover"):
        run(words)
    assert numbers_played([*words, "-recover"]) == []
    assert numbers_played(words) == [1, 2]
    assert len(games_of(pgn)) == 4


@pytest.mark.parametrize("other", [["-games", "4"], ["-fifty", "fide"], ["-each", "depth=3"], ["-srand", "9"]])
def test_another_match_cannot_go_on_in_its_place(tmp_path: Path, other: list[str]) -> None:
    _, words = two_engines(tmp_path)
    run(words)
    with pytest.raises(MatchError):
        run([*words, *other, "-recover"])


def test_two_referees_cannot_have_one_file(tmp_path: Path) -> None:
    pgn, words = two_engines(tmp_path)
    fcntl = pytest.importorskip("fcntl", reason="files cannot be locked on this system")
    with open(state_path(pgn), "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(MatchError, match="another match is writing"):
            run(words)


SOUND = {"match": "12345678", "seed": 0, "start": 0, "digest": "", "finished": False}


@pytest.mark.parametrize(
    "state",
    [
        *("{", "[]", "1", "{}", "[" * 100_000, "\udcff"),
        *(
            json.dumps(SOUND | wrong)
            for wrong in ({"match": 2}, {"match": "a"}, {"match": "\udcff1234567"}, {"start": "0"}, {"start": -1})
        ),
    ],
)
def test_a_damaged_state_is_named(tmp_path: Path, state: str) -> None:
    pgn, words = two_engines(tmp_path)
    state_path(pgn).write_text(state, errors="surrogateescape")
    with pytest.raises(MatchError, match="damaged"):
        run([*words, "-recover"])


def test_a_match_stops_when_its_file_is_replaced_under_it(tmp_path: Path) -> None:
    """What it went on writing would be in no file that anybody can find."""
    pgn, words = two_engines(tmp_path, "-games", "4")

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
    assert numbers_played([*words, "-recover"]) == [2, 3, 4]
    assert [number for number, *_ in signature(pgn)] == [1, 2, 3, 4]
