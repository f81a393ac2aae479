from __future__ import annotations

import io
import json
from pathlib import Path

import chess.pgn
import pytest

from tests.cli.calls import complaint, printed

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
