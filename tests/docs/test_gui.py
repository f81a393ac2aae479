"""The command that docs/gui.md tells a user to make, started as programs with a board start an engine."""

from __future__ import annotations

import re
import stat
import subprocess
from pathlib import Path

import chess.engine
import pytest

from tests.docs.test_journeys import DOCS, STEP, home, install, unindented

__all__ = ["home"]

OPENING = "startpos moves e2e4 e7e5"
ACCRUED = "fen 8/8/4K3/6k1/8/7B/8/8 b - - 1 30 G4.0"
"""As cuteRMob writes a position."""


@pytest.fixture
def command(home: Path, table_folder: Path) -> Path:
    install(home)
    (home / "chess" / "data").symlink_to(table_folder)
    text = next(
        step["text"] for step in STEP.finditer((DOCS / "gui.md").read_text("utf-8")) if step["name"]
    )
    path = home / "tbgen-uci"
    path.write_text(unindented(text))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_python_chess_plays_a_game_with_it(command: Path, tmp_path: Path) -> None:
    board = chess.Board("8/8/4K3/6k1/8/7B/8/8 b - - 1 30")
    with chess.engine.SimpleEngine.popen_uci([str(command)], timeout=600, cwd=tmp_path) as engine:
        engine.configure({"Accrued": "G4.0"})
        for _ in range(8):
            board.push(engine.play(board, chess.engine.Limit(nodes=50)).move or chess.Move.null())
    assert chess.Move.null() not in board.move_stack


@pytest.mark.parametrize("position", [OPENING, ACCRUED])
def test_it_answers_as_cute_chess_asks(command: Path, position: str, tmp_path: Path) -> None:
    """Cute Chess sends these lines, waits for `uciok`, `readyok` and `bestmove`, and never sets an option UCI_..."""
    dialogue = (
        *(("uci", "uciok"), ("isready", "readyok")),
        *(("ucinewgame", ""), (f"position {position}", ""), ("isready", "readyok")),
        *(
            ("go wtime 9000 btime 9000 winc 100 binc 100 nodes 50", "bestmove"),
            ("stop", ""),
            ("quit", ""),
        ),
    )
    with subprocess.Popen(
        [command], cwd=tmp_path, text=True, stdin=-1, stdout=-1, stderr=-2, bufsize=1
    ) as engine:
        assert engine.stdin is not None
        assert engine.stdout is not None
        said = ""
        for line, awaited in dialogue:
            engine.stdin.write(f"{line}\n")
            while awaited and not (said := engine.stdout.readline()).startswith(awaited):
                assert said, f"no {awaited} after {line}"
            if awaited == "bestmove":
                best = said.split()[1]
    assert engine.returncode == 0
    board = (
        chess.Board() if position == OPENING else chess.Board(re.sub(r"^fen | G4.0$", "", position))
    )
    for move in position.partition(" moves ")[2].split():
        board.push_uci(move)
    assert chess.Move.from_uci(best) in board.legal_moves
