"""Damaged files: a file that ends too early never gives another score."""

from __future__ import annotations

import contextlib
import io
import json
import random
from pathlib import Path

import pytest

from tbgen.apps.games.batch import GamesDecider, GamesTask
from tbgen.apps.games.read import PgnGame, games_in
from tbgen.apps.games.text import CUT_OFF, Chunk, chunks_of
from tests.cli.calls import tbgen
from tests.project import ROOT, S18

MATCH = b"".join(
    b'[Event "A match"]\n[Round "%d"]\n[White "Ann"]\n[Black "Bob"]\n[Result "%s"]\n'
    b'[Termination "adjudication"]\n[PlyCount "4"]\n\n'
    b"1. e4 {+0.31/12 0.51s} 1... e5 {-0.20/11 0.40s} 2. Nf3 {+0.30/14 1.2s}\n2... Nc6 %s\n\n"
    % (number, result, result)
    for number, result in enumerate([b"1-0", b"1/2-1/2", b"0-0", b"1/2-0", b"*", b"0-1/2"], 1)
)
ARCHIVES = {
    "tcec_s18": S18.read_bytes(),
    "six endings": (ROOT / "docs" / "examples" / "tcec.pgn").read_bytes(),
    "a match": MATCH * 8,
}
LAST_BYTES = 2000
RANDOM_CUTS = 2000


def verdicts_of(text: bytes) -> tuple[list[str], int]:
    """The verdicts on the games of a text as JSON, and how many games could not be read."""
    task = GamesTask(texts=False, facts=True)
    with contextlib.closing(GamesDecider(task)) as decider:
        reports = [
            decider.decide(chunk, "cut.pgn")
            for chunk in chunks_of([text], "cut.pgn", may_be_empty=True)
        ]
    facts = [fact for report in reports for fact in report.facts]
    return facts, sum(len(report.skipped) for report in reports)


def games_begun(text: bytes) -> int:
    return text.count(b"[Event ")


def assert_a_cut_is_told(whole: bytes, expected: list[str], cut: int) -> None:
    """The games before the cut have their verdicts.

    The one that is cut through has none, or that of the whole.
    """
    part = whole[:cut]
    verdicts, unread = verdicts_of(part)
    assert verdicts == expected[: len(verdicts)], cut
    assert unread <= 1, cut
    is_between_games = not unread
    if is_between_games:
        assert len(verdicts) == games_begun(part), cut


@pytest.mark.parametrize("name", ARCHIVES)
def test_a_cut_file_gives_the_verdicts_of_the_whole_or_says_that_it_is_cut(name: str) -> None:
    whole = ARCHIVES[name]
    expected, unread = verdicts_of(whole)
    assert unread == 0
    random_cuts = random.Random(18).sample(range(len(whole)), 20)
    for cut in (*range(len(whole) - 90, len(whole), 3), *random_cuts):
        assert_a_cut_is_told(whole, expected, cut)


@pytest.mark.slow
@pytest.mark.parametrize("name", ARCHIVES)
def test_no_cut_of_an_archive_gives_another_score(name: str) -> None:
    whole = ARCHIVES[name]
    expected, _ = verdicts_of(whole)
    draw = random.Random(1)
    random_cuts = [draw.randrange(len(whole)) for _ in range(RANDOM_CUTS)]
    for cut in (*range(max(0, len(whole) - LAST_BYTES), len(whole)), *random_cuts):
        assert_a_cut_is_told(whole, expected, cut)


HELD = '[White "Ann"]\n[Black "Bob"]\n[Result "1/2-1/2"]\n'


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("1. e4 e5 2. Nf3 N", CUT_OFF),
        ("1. e4 e5 2. Nf3 Nc6 1/2-1", CUT_OFF),
        (HELD, CUT_OFF),
        (f'{HELD}\n1. e4 e5\n\n[Event "next"]\n\n*', CUT_OFF),
        (HELD + '[FEN "8/8/8/4n3/8/3B4/1K3k2/8 w - - 0 60', "FEN"),
        ('[White "abc', "'[White \"abc' is no tag: it is not closed, or was cut off"),
        ('[White "a"] x\n\n1. e4 *', "is no tag"),
        ('[White "a"] [Black b"]\n\n1. e4 *', "is no tag"),
        ("[", "'[' is no tag"),
    ],
)
def test_a_game_without_its_end_is_unreadable(text: str, problem: str) -> None:
    error = next(iter(games_in(text)))
    assert problem in str(error)
    assert not isinstance(error, PgnGame)


def test_a_cut_file_is_refused_with_code_2_and_the_other_games_are_decided(tmp_path: Path) -> None:
    path = tmp_path / "cut.pgn"
    path.write_bytes(S18.read_bytes()[:16000])
    done = tbgen("adjudicate", str(path), "--verdicts", "-")
    assert done.returncode == 2
    assert f"{path}, game 16: {CUT_OFF}" in done.stderr
    facts = json.loads(done.stdout)
    assert (len(facts["games"]), facts["skipped"][0]["reason"]) == (15, CUT_OFF)


def test_two_tags_of_one_line_are_two_tags() -> None:
    (game,) = Chunk(b'[White "Ann"] [Black "B. [x]"][Round "1"]\n[Event "TCEC [S18]"]\n\n*').games
    assert game.tags == {"White": "Ann", "Black": "B. [x]", "Round": "1", "Event": "TCEC [S18]"}


@pytest.mark.parametrize(
    ("result", "points"),
    [("0-0", (0.0, 0.0)), ("1/2-0", (0.5, 0.0)), ("0-1/2", (0.0, 0.5)), ("½-0", (0.5, 0.0))],
)
@pytest.mark.parametrize("moves", ["", "1. e4 e5 "])
def test_an_arbiters_result_has_the_points_of_the_score_sheet(
    result: str, points: tuple[float, float], moves: str
) -> None:
    text = f'[White "Ann"]\n[Black "Bob"]\n[Result "{result}"]\n\n{moves}{result}\n'
    verdicts, unread = verdicts_of(text.encode())
    assert unread == 0
    facts = json.loads(verdicts[0])
    assert (facts["points"], facts["source"]) == ({"white": points[0], "black": points[1]}, "sheet")


def test_castling_with_zeros_is_no_double_forfeit() -> None:
    moves = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. 0-0 Nf6"
    for text in (f'[Result "0-0"]\n\n{moves} 5. d3 0-0 0-0\n', f"{moves} 1/2-1/2\n"):
        (game,) = games_in(io.StringIO(text))
        assert isinstance(game, PgnGame), game
        assert game.replayed.plies[7].san == "O-O"
    (castled_last,) = games_in(f"{moves[:-4]}")
    assert CUT_OFF in str(castled_last)


@pytest.mark.parametrize("result", ["1:0", "1-1", "1/2", "+-", "draw", "2-0"])
def test_a_result_without_a_meaning_is_refused_by_name(result: str) -> None:
    (error,) = games_in(f'[Result "{result}"]\n\n1. e4 e5 *\n')
    assert f'Result "{result}" is no result: write 1-0' in str(error)


@pytest.mark.parametrize("result", ["", "?"])
def test_an_empty_result_tag_leaves_the_word_behind_the_moves(result: str) -> None:
    (game,) = games_in(f'[Result "{result}"]\n\n1. e4 e5 ½-½\n')
    assert isinstance(game, PgnGame)
    assert game.result == "1/2-1/2"
