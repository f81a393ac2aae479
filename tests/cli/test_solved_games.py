"""`tbgen solve --for`: last positions of games are solved, and then decide them."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import chess.pgn
import pytest

from tests.cli.calls import tbgen

GAME = """\
[FEN "8/8/3p4/3P4/1k6/3Kp3/4P3/8 b - - 0 1"]
[Result "1/2-1/2"]

1/2-1/2
"""
"""A budget of 6 CPU seconds solves it, one of 0 allows nothing."""


def test_a_game_is_decided_by_what_was_solved_before(own_folder: Path, tmp_path: Path) -> None:
    game = tmp_path / "game.pgn"
    game.write_text(GAME)
    data = ["--data", str(own_folder)]
    before = tbgen("adjudicate", str(game), *data).stdout
    assert '[RMobilitySource "game"]' in before
    solve = ["solve", "--for", str(game), *data, "--budget"]
    refused = tbgen(*solve, "0")
    assert refused.stdout == ""
    assert "game 1 left out: more than 0 CPU seconds by the plan; try a larger" in refused.stderr
    assert tbgen("adjudicate", str(game), *data).stdout == before
    solved = tbgen(*solve, "6")
    assert solved.stdout.splitlines()[1].split() == ["1", "?", "-", "?", "G5.5"]
    copy = tbgen("adjudicate", str(game), *data)
    assert '[RMobilitySource "solved"]' in copy.stdout
    (facts,) = json.loads(tbgen(*solve, "6", "--json").stdout)["games"]
    assert (facts["number"], facts["lower"], facts["exact"]) == (1, facts["upper"], True)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (f"{GAME}\n1. e4 Ke5 *\n".encode(), "game 2, ply 2: illegal move 'Ke5'"),
        (GAME[:-3].encode(), "game 1: its moves end without a result"),
        (b"\0\1", "it is a binary file, not text"),
        (gzip.compress(GAME.encode(), mtime=0)[:-9], "its compressed data is damaged or cut short"),
    ],
)
def test_a_plan_tells_what_cannot_be_read(
    own_folder: Path, tmp_path: Path, content: bytes, problem: str
) -> None:
    games = tmp_path / "games.pgn"
    games.write_bytes(content)
    done = tbgen("solve", "--for", str(games), "--plan", "--data", str(own_folder))
    assert done.returncode == 2
    assert problem in done.stderr


BEFORE = "8/8/3p4/3P4/1k6/4p3/2K1P3/8 w - - 0 1"
"""A move before that position."""


def test_an_annotated_game_ends_with_what_was_solved_and_a_line(
    own_folder: Path, tmp_path: Path
) -> None:
    game = tmp_path / "game.pgn"
    game.write_text(f'[FEN "{BEFORE}"]\n[Result "1/2-1/2"]\n\n1. Kd3 1/2-1/2\n')
    words = ["annotate", str(game), "--data", str(own_folder)]
    (unsolved,) = json.loads(tbgen(*words, "--json").stdout)
    assert unsolved["solved"] is None
    data = ["--data", str(own_folder)]
    solved = json.loads(tbgen("solve", BEFORE, "Kd3", "--line", "--json", *data).stdout)
    (annotated,) = json.loads(tbgen(*words, "--json").stdout)
    for name in ("fen", "accrued", "lower", "upper", "exact", "moves", "line"):
        assert annotated["solved"][name] == solved[name]
    value = solved["lower"]["outcome"]
    first = solved["line"][0]["san"]
    told = f"{value} with best play, solved; a line that keeps it: 1... {first}"
    assert told in tbgen(*words).stdout
    commented = chess.pgn.read_game(io.StringIO(tbgen(*words, "-o", "-").stdout))
    assert commented is not None
    assert f"tbgen: {told}" in commented.end().comment
    page = tmp_path / "page.html"
    tbgen(*words, "-o", str(page))
    assert told in page.read_text()


def test_the_page_of_a_game_tells_what_was_solved_since_it_was_written(
    own_folder: Path, tmp_path: Path
) -> None:
    game = tmp_path / "game.pgn"
    tags = '[White "Ann"]\n[Black "Bob"]\n[RMobilityResult "G5.5"]\n'
    game.write_text(f'{tags}[FEN "{BEFORE}"]\n[Result "1/2-1/2"]\n\n1. Kd3 1/2-1/2\n')
    data = ["--data", str(own_folder)]
    words = ["standings", str(game), "--pages", str(tmp_path / "www"), *data]

    def told() -> bool:
        (page,) = (tmp_path / "www" / "event").glob("*ann*.html")
        return "with best play, solved; a line that keeps it: 1... " in page.read_text()

    tbgen(*words)
    assert not told()
    tbgen("solve", BEFORE, "Kd3", "--line", *data)
    tbgen(*words)
    assert told()
    assert ", 0 of them new or changed" in tbgen(*words).stderr + tbgen(*words).stdout


def test_standings_say_which_games_only_a_solve_decides(own_folder: Path, tmp_path: Path) -> None:
    game = tmp_path / "game.pgn"
    game.write_text(f'[White "Ann"]\n[Black "Bob"]\n{GAME}')
    told = f"see what solving takes: tbgen solve --for {game} --plan"
    for command in ("standings", "adjudicate"):
        assert told in tbgen(command, str(game), "--data", str(own_folder)).stderr


def test_a_game_that_ends_with_rights_to_castle_is_annotated_beside_solved_blocks(
    own_folder: Path, tmp_path: Path
) -> None:
    (own_folder / "solved").mkdir()
    game = tmp_path / "game.pgn"
    game.write_text("1. e4 e5 *\n")
    done = tbgen("annotate", str(game), "--data", str(own_folder))
    assert "no table knows a position of this game" in done.stdout
