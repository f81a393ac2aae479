"""Solvers beside each other, and a build beside a server: killed at seeded moments, and what they
share removed.

Moments are counted in answers, or are CPU seconds, so that they mean the same on a busy machine.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import chess
from starlette.testclient import TestClient

from tbgen.closures.solver import PositionSolver
from tbgen.closures.store import FILE
from tbgen.material import table_named
from tbgen.probe import open_tablebase
from tbgen.storage.files import Layer, path_of
from tests.apps.site.conftest import client_of
from tests.attacks.attack import Attempt
from tests.library.kills import ON_DISK, assert_the_same_tables, cpu_seconds_of, finish, start
from tests.positions import random_board, random_root
from tests.project import ROOT

SOLVER = "tests.attacks.solver"
"""The module that each solver runs."""
BARE_KING = ("KvK", "KNvK", "KBvK", "KRvK", "KQvK")
"""The tables that a solve of KPvKP starts from."""
BUILT = ("KvK", "KNvK", "KBvK", "KRvK", "KPvK")
CACHE_BYTES = 200_000
"""Some ten blocks, so that each solver removes all the time what others read."""
POSITIONS = 6
SOLVES = 5
"""The positions that a solver solves before it ends by itself."""


def near_promotion(draw: random.Random) -> chess.Board:
    """A position in which the pawn of either side has a step or two to go."""
    while True:
        board = random_board(draw, "KPvKP")
        (white,) = board.pieces(chess.PAWN, chess.WHITE)
        (black,) = board.pieces(chess.PAWN, chess.BLACK)
        if chess.square_rank(white) >= 5 and chess.square_rank(black) <= 2:
            return board


def begin_solvers(folder: Path, tables: Path, _closing: ExitStack) -> Attempt:
    """Solvers are killed, and the blocks that they share are removed.

    Every bracket is that of one left in peace.
    """
    shared = folder / "shared"
    alone = folder / "alone"
    for target in (shared, alone):
        target.mkdir()
        for name in BARE_KING:
            shutil.copy(tables / f"{name}.h5", target)
    fens = [near_promotion(random.Random(number)).fen() for number in range(POSITIONS)]
    with PositionSolver(alone, threads=1) as solver:
        expected = {fen: str(solver.solve(fen).bracket) for fen in fens}

    def attempt(draw: random.Random) -> None:
        solvers = [Solver(shared, fens, draw) for _ in range(2)]
        for _ in range(draw.randint(2, 5)):
            solver = draw.choice(solvers)
            solver.hear(draw.randint(0, 4), expected)
            if draw.random() < 0.4:
                shutil.rmtree(shared / "solved", ignore_errors=True)
            else:
                solver.process.kill()
                solver.end()
                solvers.remove(solver)
                solvers.append(Solver(shared, fens, draw))
        for solver in solvers:
            solver.hear(SOLVES, expected)
            assert solver.end() == 0
        with PositionSolver(shared, threads=1) as last:
            assert {fen: str(last.solve(fen).bracket) for fen in fens} == expected
        left = [path.name for path in (shared / "solved").iterdir()]
        assert all(name.startswith(FILE) for name in left), left

    return attempt


class Solver:
    """A solver in a process of its own."""

    def __init__(self, folder: Path, fens: list[str], draw: random.Random) -> None:
        wanted = [draw.choice(fens) for _ in range(SOLVES)]
        command = [sys.executable, "-m", SOLVER, str(folder), str(CACHE_BYTES)]
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{fen}\n" for fen in wanted))
        self.process.stdin.close()

    def hear(self, answers: int, expected: dict[str, str]) -> None:
        """Wait for so many answers, or until there are no more, and compare them."""
        assert self.process.stdout is not None
        for _ in range(answers):
            line = self.process.stdout.readline()
            if not line:
                return
            fen, bracket = json.loads(line)
            assert bracket == expected[fen], (fen, bracket)

    def end(self) -> int:
        """Wait for its end, and return its exit code."""
        assert self.process.stdout is not None
        self.process.stdout.close()
        return self.process.wait()


def begin_builds(folder: Path, tables: Path, closing: ExitStack) -> Attempt:
    """Tables that are served are removed, and built again by builds that are killed.

    No answer is wrong.
    """
    served = folder / "served"
    served.mkdir()
    for path in tables.glob("*.*"):
        shutil.copy(path, served)
    draw_boards = random.Random(1)
    boards = [random_root(draw_boards, draw_boards.choice(BUILT)) for _ in range(40)]
    known = closing.enter_context(open_tablebase(tables))
    expected = {}
    for board in boards:
        probe = known.probe(board)
        expected[board.fen()] = (str(probe.outcome), probe.dtg)

    def attempt(draw: random.Random) -> None:
        with client_of(served) as client:
            for name in draw.sample(BUILT, 3):
                for layer in draw.choice([[Layer.OUTCOMES], [Layer.DISTANCES], [*Layer]]):
                    path_of(served, table_named(name), layer).unlink(missing_ok=True)
            for _ in range(draw.randint(1, 3)):
                build = start(served, BUILT, draw.choice([1, 2]), ON_DISK)
                enough = draw.uniform(0.0, 4.0)
                while build.poll() is None and cpu_seconds_of(build) < enough:
                    ask(client, draw.choice(boards).fen(), expected)
                build.kill()
                build.wait()
            finish(served, BUILT, ON_DISK)
            for board in boards:
                ask(client, board.fen(), expected)
        with client_of(served) as client:
            for board in boards:
                assert ask(client, board.fen(), expected)
        assert_the_same_tables(served, tables, [table_named(name) for name in BUILT])

    return attempt


def ask(client: TestClient, fen: str, expected: dict[str, tuple[str, int | None]]) -> bool:
    """Whether a server knows the value of a position; it must not say a wrong one."""
    answer = client.get("/r-mobility", params={"fen": fen})
    if answer.status_code != 200:
        assert 400 <= answer.status_code < 500 or answer.status_code == 503, answer.text
        return False
    facts = answer.json()
    outcome, dtg = expected[fen]
    assert facts["outcome"] == outcome, (fen, facts)
    assert facts["dtg"] in (dtg, None), (fen, facts)
    return facts["dtg"] == dtg
