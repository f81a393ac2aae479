from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calls import complaint, tbgen

GOLDEN = Path(__file__).parent.parent / "golden"


def score(*arguments: str, given: bytes | None = None) -> str:
    done = tbgen("score", *arguments, given=given)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_a_line_as_json() -> None:
    facts = json.loads(score("--json", "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0", "Bh3", "Kh4"))
    assert facts["accrued"] == "G4.0"
    assert facts["reached_at_ply"] == 0
    assert [ply["san"] for ply in facts["plies"]] == [None, "Bh3", "Kh4"]
    assert facts["end"] is None
    assert facts["fen"].endswith("w - - 35 31")
    assert facts["points"] == {"white": 0.501953125, "black": 0.498046875}


@pytest.mark.parametrize(
    ("options", "points"),
    [
        (["--scoring", "harmonic"], "points 0.5833-0.4167 (harmonic)"),
        (["--scoring", "winner"], "points 1-0 (winner)"),
        (["--scoring", "winner", "--cutoff", "G2.5"], "points 1/2-1/2 (winner)"),
        (["--scoring", "komi"], "points 1-0 (komi)"),
        (["--scoring", "komi", "--komi", "G2.25"], "points 0-1 (komi)"),
        (["--scoring", "komi", "--komi", "2.25"], "points 0-1 (komi)"),
        (["--scoring", "komi", "--komi", "-G2.25"], "points 1-0 (komi)"),
    ],
)
def test_the_scoring_can_be_chosen(options: list[str], points: str) -> None:
    fen = "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G2.5"
    assert points in score(*options, fen)


def test_a_pgn_comes_from_the_standard_input_too() -> None:
    facts = json.loads(score("--pgn", "-", "--json", given=b"1. e4 e5 1/2-1/2\n"))
    assert facts["games"][0]["final"] == "-G29.5"
    assert facts["games"][0]["white"] == "?"


def test_latin_1_names_come_out_right(tmp_path: Path) -> None:
    path = tmp_path / "a.pgn"
    path.write_bytes('[White "Jörg"]\n\n1. e4 *\n'.encode("latin-1"))
    assert json.loads(score("--json", "--pgn", str(path)))["games"][0]["white"] == "Jörg"


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "it holds no games"), (b"\x00\x01\x02", "binary file"), (b"\n\n", "it holds no games")],
)
def test_bad_files_get_one_clear_line(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "a.pgn"
    path.write_bytes(content)
    assert words in complaint("score", "--pgn", str(path))[1]
    done = tbgen("score", "--json", "--pgn", str(path))
    facts = json.loads(done.stdout)
    assert facts["games"] == []
    assert [(each["file"], each["number"], words in each["reason"]) for each in facts["skipped"]] == [
        (str(path), None, True)
    ]
    assert done.returncode == 2


@pytest.mark.parametrize(("game", "accrued"), [("whole-game", "-G20.5"), ("r-mobility", "G26.5")])
def test_a_line_is_scored_by_either_game(game: str, accrued: str) -> None:
    facts = json.loads(score("startpos", "e4", "e5", "Qh5", "Nc6", "--json", "--game", game))
    assert facts["accrued"] == accrued


def test_under_whole_game_mobility_a_score_of_a_fen_counts_whatever_its_clock_says() -> None:
    fen = "8/8/8/8/8/1k6/2B5/5K2 b - - 0 1 G1.5"
    assert json.loads(score(fen, "--json", "--game", "whole-game"))["accrued"] == "G1.5"
    assert json.loads(score(fen, "--json"))["accrued"] != "G1.5"
