from __future__ import annotations

import io
import json
from pathlib import Path

import chess.pgn
import pytest

from tests.cli.calls import complaint, printed, tbgen

LOST = (
    '[White "Ann"]\n[Black "Bob"]\n[Result "1/2-1/2"]\n[FEN "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0"]\n\n'
    "30. Bg4 Kf4 1/2-1/2\n\n"
)
OPENING = "1. e4 e5 *\n\n"


@pytest.fixture
def game(tmp_path: Path) -> str:
    path = tmp_path / "game.pgn"
    path.write_text(LOST + OPENING)
    return str(path)


def test_a_game_is_shown_ply_by_ply(game: str, table_folder: Path) -> None:
    lines = printed("annotate", game, "--data", str(table_folder)).splitlines()
    assert lines[0] == "1. Ann - Bob, 1/2-1/2: tables know 2 plies, all of the game"
    assert lines[1].split() == ["ply", "move", "outcome", "DTG", "accrued", "lost"]
    assert lines[2].split() == ["0", "G1.5", "5", "G4.0"]
    assert lines[3].split(maxsplit=6)[:6] == ["1", "30.", "Bg4", "-G5.5", "11", "G4.0"]
    assert lines[3].endswith("0.0627  gives G1.5 away to Black; Ke5 kept it")
    assert lines[5].startswith("White gave away 0.0627 and Black 0.0")
    assert lines[-1] == "2. ? - ?, *: no table knows a position of this game"


def test_comments_go_into_a_copy_that_other_programs_read(game: str, table_folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.pgn"
    assert printed("annotate", game, "-o", str(out), "--data", str(table_folder)) == ""
    text = out.read_text()
    assert text.endswith(OPENING)
    read = chess.pgn.read_game(io.StringIO(text.replace(" G4.0", "", 1)))
    assert read is not None
    assert next(iter(read.mainline())).comment.startswith("tbgen: -G5.5 in 11 plies; gives G1.5 away to Black")
    assert printed("annotate", str(out), "--pgn", "--data", str(table_folder)) == text


def test_json_and_a_page_of_one_game(game: str, table_folder: Path, tmp_path: Path) -> None:
    facts = json.loads(printed("annotate", game, "--json", "--data", str(table_folder)))
    assert [(each["white"], len(each["plies"])) for each in facts] == [("Ann", 3), ("?", 0)]
    page = tmp_path / "game.html"
    assert printed("annotate", game, "--number", "1", "--html", "-o", str(page), "--data", str(table_folder)) == ""
    assert "<h1>Ann – Bob</h1>" in page.read_text()
    assert complaint("annotate", game, "--number", "3", "--data", str(table_folder)) == (
        2,
        f"tbgen: {game}: it holds 2 games, and no game 3",
    )


def test_what_is_missing_and_what_cannot_be_read_are_named(tmp_path: Path, table_folder: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text('[FEN "8/8/4K3/5Bk1/8/8/8/R7 w - - 0 30"]\n\n30. Ra5 Kf4 *\n\n1. Ke2 *\n\n')
    done = tbgen("annotate", str(path), "--data", str(table_folder))
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "positions whose table is missing: KRBvK (3); build with: tbgen build KRBvK",
        f"tbgen: {path}, game 2, ply 1: illegal move 'Ke2'",
    ]
    assert "name another file" in complaint("annotate", str(path), "-o", str(path), "--data", str(table_folder))[1]
    assert "cannot be given together" in complaint("annotate", str(path), "--pgn", "--html")[1]
