"""A match that is killed goes on where it was: no game is lost, none is played twice."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path

import pytest

from tbgen.apps.games.read import PgnGame, read_games
from tbgen.apps.match.journal import FileJournal, state_path, stored_games
from tbgen.apps.match.options import settings_of
from tbgen.apps.match.sheet import Sheet
from tbgen.errors import MatchError
from tests.apps.match.matches import Silent, games_of, played, run, scripted, walker

SHORT = ["-games", "6", "-rounds", "2", "-maxmoves", "6", "-concurrency", "2", "-srand", "3"]
BOOK = "".join(f'[Event "{move}"]\n\n1. {move} *\n\n' for move in ("e4", "d4", "c4", "Nf3", "b3"))


def signature(pgn: Path) -> list[tuple[int, str, str, str]]:
    """Who played what in which game, sorted by its place in the schedule."""
    return sorted(
        (
            int(game.tags["MatchGame"]),
            game.tags["White"],
            game.tags["Black"],
            " ".join(ply.san for ply in game.replayed.plies[1:]),
        )
        for game in games_of(pgn)
    )


def killed_after(words: list[str], lines: int, beginning: str = "") -> bool:
    """Kill the program when it has said so many lines with a beginning; whether it got that far."""
    command = [sys.executable, "-m", "tbgen", "match", *words]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        heard = islice((line for line in process.stdout if line.startswith(beginning)), lines)
        if len(list(heard)) == lines:
            process.kill()
            return True
        assert process.wait() == 0
    return False


def test_killed_on_its_way_a_match_comes_to_the_same_end(tmp_path: Path) -> None:
    (book := tmp_path / "book.pgn").write_text(BOOK)
    words = [
        *walker("Ann"),
        *walker("Bob"),
        *SHORT,
        "-openings",
        f"file={book}",
        "order=random",
        "-pgnout",
    ]
    run([*words, str(tmp_path / "whole.pgn")])
    broken = [*words, str(tmp_path / "broken.pgn"), "-recover"]
    assert killed_after(broken, 6)
    assert not killed_after(broken, 1000)
    expected = signature(tmp_path / "whole.pgn")
    assert [number for number, *_ in expected] == list(range(1, 13))
    assert signature(tmp_path / "broken.pgn") == expected


def words_of(pgn: Path, *more: str) -> list[str]:
    """A match of two engines that writes to a file."""
    return [
        *scripted("Ann"),
        *scripted("Bob"),
        "-games",
        "2",
        "-srand",
        "4",
        *more,
        "-pgnout",
        str(pgn),
    ]


@contextmanager
def journal_of(words: list[str]) -> Iterator[tuple[FileJournal, list[int], list[str]]]:
    """The file of a match before its first game, the games that have been played, and notes."""
    with ExitStack() as opened:
        notes: list[str] = []
        journal = FileJournal(settings_of(words), opened, notes.append)
        yield journal, [game.number for game in journal.recovered()], notes


@pytest.fixture(scope="module")
def unfinished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a match that has been played but could not say that it is over."""
    pgn = tmp_path_factory.mktemp("match") / "games.pgn"
    run(words_of(pgn))
    state = state_path(pgn)
    state.write_text(state.read_text().replace('"finished": true', '"finished": false'))
    return pgn


@pytest.fixture
def pgn(unfinished: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(unfinished.parent, tmp_path, dirs_exist_ok=True)) / unfinished.name


def numbers_played(words: list[str]) -> list[int]:
    return [sheet.pairing.number for sheet in run(words)[1]]


def test_killed_at_many_bytes_of_writing_only_whole_games_count(pgn: Path) -> None:
    cut = pgn.with_name("cut.pgn")
    for newline in (b"\n", b"\r\n"):
        text = pgn.read_bytes().replace(b"\n", newline)
        match = text.partition(b'[MatchId "')[2].partition(b'"')[0].decode()
        ends = [
            each.end() for each in re.finditer(rb"(?<=[ \n])(1/2-1/2|1-0|0-1)(?=\r?\n\r?\n)", text)
        ]
        assert len(ends) == 2
        near_ends = (end + more for end in ends for more in range(-9, 3))
        for length in sorted({*range(0, len(text), 11), *near_ends, len(text)}):
            cut.write_bytes(text[:length])
            done = [end for end in ends if end <= length]
            found = [(end, game and game.number) for end, game in stored_games(cut, match)]
            assert found == list(zip(done, range(1, len(done) + 1), strict=True))


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
    pgn: Path, foreign: bytes, is_whole: bool
) -> None:
    text = pgn.read_bytes()
    end = text.rindex(b"[Event")
    beside = pgn.with_name("games.pgn.cut-off")
    pgn.write_bytes(text[:end] + foreign)
    with journal_of([*words_of(pgn), "-recover"]) as (journal, numbers, notes):
        assert numbers == [1]
        moved = (
            []
            if is_whole
            else [f"an unfinished game at the end of {pgn} has been moved to {beside}"]
        )
        assert notes == moved
        journal.append(text[end:].decode())
    assert (
        pgn.read_bytes().startswith(text[:end] + foreign)
        if is_whole
        else beside.read_bytes().strip() == foreign.strip()
    )
    games = [
        game for game in read_games(pgn) if isinstance(game, PgnGame) and "MatchId" in game.tags
    ]
    assert [int(game.tags["MatchGame"]) for game in games] == [1, 2]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('[MatchGame "1"]', '[MatchGame "2"]', "game 2 of the match twice"),
        ('[MatchGame "1"]', '[MatchGame "one"]', "game 1: it is one of the match, but was changed"),
        (
            '[RMobilityResult "',
            '[RMobilityResult "X',
            "game 1: it is one of the match, but was changed",
        ),
        ("[PlyCount ", "[Plies ", "game 1: it is one of the match, but its tag PlyCount is gone"),
    ],
)
def test_a_game_of_the_match_that_was_tampered_with_is_named(
    pgn: Path, old: str, new: str, words: str
) -> None:
    pgn.write_text(pgn.read_text().replace(old, new, 1))
    with pytest.raises(MatchError, match=words):
        run([*words_of(pgn), "-recover"])


def test_a_match_that_is_not_over_is_not_overwritten_and_one_that_is_may_be_followed(
    pgn: Path,
) -> None:
    with pytest.raises(MatchError, match="go on with -recover"), journal_of(words_of(pgn)):
        pass
    assert numbers_played(words_of(pgn, "-recover")) == []
    assert numbers_played(words_of(pgn)) == [1, 2]
    assert len(games_of(pgn)) == 4


@pytest.mark.parametrize(
    "other", [["-games", "4"], ["-fifty", "fide"], ["-each", "depth=3"], ["-srand", "9"]]
)
def test_another_match_cannot_go_on_in_its_place(pgn: Path, other: list[str]) -> None:
    with pytest.raises(MatchError), journal_of([*words_of(pgn), *other, "-recover"]):
        pass


def test_two_referees_cannot_have_one_file(tmp_path: Path) -> None:
    words = words_of(tmp_path / "games.pgn")
    with (
        journal_of(words),
        pytest.raises(MatchError, match="another match is writing"),
        journal_of(words),
    ):
        pass


SOUND = {"match": "12345678", "seed": 0, "start": 0, "digest": "", "finished": False}


NO_OBJECTS = ["{", "[]", "1", "{}", "[" * 100_000, "\udcff"]
WRONG_FACTS: list[dict[str, object]] = [
    {"match": 2},
    {"match": "a"},
    {"match": "\udcff1234567"},
    {"start": "0"},
    {"start": -1},
]
DAMAGED = NO_OBJECTS + [json.dumps(SOUND | facts) for facts in WRONG_FACTS]


@pytest.mark.parametrize("state", DAMAGED)
def test_a_damaged_state_is_named(tmp_path: Path, state: str) -> None:
    state_path(tmp_path / "games.pgn").write_text(state, errors="surrogateescape")
    with (
        pytest.raises(MatchError, match="damaged"),
        journal_of(words_of(tmp_path / "games.pgn", "-recover")),
    ):
        pass


def test_a_match_stops_when_its_file_is_replaced_under_it(tmp_path: Path) -> None:
    """What it went on writing would be in no file that anybody can find."""
    pgn = tmp_path / "games.pgn"
    words = words_of(pgn, "-games", "4")

    class Replacing(Silent):
        def game_over(self, sheet: Sheet) -> None:
            super().game_over(sheet)
            copy = tmp_path / "copy.pgn"
            copy.write_bytes(pgn.read_bytes())
            copy.replace(pgn)

    view = Replacing()
    with pytest.raises(MatchError, match=r"games\.pgn is no longer the file"):
        played(words, view)
    assert len(view.sheets) == 1
    assert numbers_played([*words, "-recover"]) == [2, 3, 4]
    assert [number for number, *_ in signature(pgn)] == [1, 2, 3, 4]
