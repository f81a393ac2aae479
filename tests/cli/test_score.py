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


def test_a_pgn_comes_from_the_standard_input_too() -> None:
    facts = json.loads(score("--pgn", "-", "--json", given=b"1. e4 e5 1/2-1/2\n"))
    assert facts["games"][0]["final"] == "-G29.5"
    assert facts["games"][0]["white"] == "?"


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


def test_under_whole_game_mobility_a_score_of_a_fen_counts_whatever_its_clock_says() -> None:
    fen = "8/8/8/8/8/1k6/2B5/5K2 b - - 0 1 G1.5"
    assert json.loads(score(fen, "--json", "--game", "whole-game"))["accrued"] == "G1.5"
    assert json.loads(score(fen, "--json"))["accrued"] != "G1.5"
