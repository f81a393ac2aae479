"""The command that docs/gui.md tells a user to make, started as chess programs start an engine."""

from __future__ import annotations

import stat
import subprocess
from pathlib import Path
from subprocess import PIPE, STDOUT

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
    steps = STEP.finditer((DOCS / "gui.md").read_text("utf-8"))
    first_file = next(step for step in steps if step["name"])
    path = home / "tbgen-uci"
    path.write_text(unindented(first_file["text"]))
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
    """Cute Chess sends these lines and waits for the answers. It never sets an option UCI_..."""
    with subprocess.Popen(
        [command], cwd=tmp_path, text=True, stdin=PIPE, stdout=PIPE, stderr=STDOUT, bufsize=1
    ) as engine:
        ask(engine, "uci", "uciok")
        ask(engine, "isready", "readyok")
        ask(engine, "ucinewgame")
        ask(engine, f"position {position}")
        ask(engine, "isready", "readyok")
        clocks = "wtime 9000 btime 9000 winc 100 binc 100"
        answer = ask(engine, f"go {clocks} nodes 50", "bestmove")
        ask(engine, "stop")
        ask(engine, "quit")
    assert engine.returncode == 0
    _, best, *_ = answer.split()
    assert chess.Move.from_uci(best) in board_of(position).legal_moves


def ask(engine: subprocess.Popen[str], line: str, awaited: str = "") -> str:
    """Send a line and read up to the line that begins with the awaited word, if there is one."""
    assert engine.stdin is not None
    assert engine.stdout is not None
    engine.stdin.write(f"{line}\n")
    answer = ""
    while not answer.startswith(awaited):
        answer = engine.stdout.readline()
        assert answer, f"no {awaited} after {line}"
    return answer


def board_of(position: str) -> chess.Board:
    """The board of a UCI position."""
    start, _, moves = position.partition(" moves ")
    board = chess.Board()
    if start != "startpos":
        board = chess.Board(start.removeprefix("fen ").removesuffix(" G4.0"))
    for move in moves.split():
        board.push_uci(move)
    return board
