"""Scripts of UCI that no program should send: each `go` has one answer, which is legal, and nothing
hangs.
"""

from __future__ import annotations

import random
from contextlib import ExitStack
from pathlib import Path

import chess

from tbgen.apps.play.protocol import Protocol
from tests.attacks.attack import Attempt

LINES = 10
POSITIONS = (
    "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30",
    "8/8/3k4/8/2r5/8/3KR3/4B3 w - - 4 30",
    "8/8/8/8/8/5k2/5p2/5K2 w - - 0 1",
)
ACCRUED = ("G1.0", "-G4.5", "G0.0", "G99.5", "Gx", "")
NUMBERS = ("1", "-1", "x", "", "1e3", "0x10", "٣", "9" * 23, "9" * 400, "-" + "9" * 5000)
LIMITS = (
    "depth",
    "nodes",
    "mate",
    "movetime",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "searchmoves",
)
WORDS = (
    "position",
    "startpos",
    "fen",
    "moves",
    "e2e4",
    "h8h1",
    "infinite",
    "ponder",
    "stop",
    "ponderhit",
    "isready",
    "setoption",
    "name",
    "value",
    "MultiPV",
    "TablePath",
    "Accrued",
    "G1.0",
    "uci",
    "ucinewgame",
    "x" * 10_000,
)


def begin(folder: Path, tables: Path, closing: ExitStack) -> Attempt:
    def attempt(draw: random.Random) -> None:
        script = list[str]()
        expected = list[chess.Board | None]()
        board = chess.Board()
        known: chess.Board | None = board
        for _ in range(LINES):
            kind = draw.random()
            if kind < 0.25:
                fen = " ".join(draw.choice(POSITIONS).split()[:6])
                script.append(f"position fen {fen} {draw.choice(ACCRUED)}")
                known = chess.Board(fen)
            elif kind < 0.5:
                script.append(f"go {_limits(draw)}")
                expected.append(known)
            elif kind < 0.6:
                name, values = draw.choice(
                    [
                        ("Accrued", ACCRUED),
                        ("MultiPV", NUMBERS),
                        ("TablePath", (tables, "", "nowhere", "x" * 9999)),
                    ]
                )
                script.append(f"setoption name {name} value {draw.choice(values)}")
            else:
                words = draw.choices((*WORDS, *NUMBERS, *LIMITS), k=draw.randint(1, 5))
                words = words if words[0] not in ("go", "quit") else ["isready"]
                script.append(" ".join(words))
                known = (
                    None if script[-1].split()[:1] == ["position"] else known
                )  # what comes of it may be anything legal, or nothing
        said = list[str]()
        Protocol(tables, said.append).run(script)
        answers = [
            line.removeprefix("bestmove ")
            for each in said
            for line in each.splitlines()
            if "bestmove" in line
        ]
        assert len(answers) == len(expected), script
        for answer, there in zip(answers, expected, strict=True):
            if there is not None and there.legal_moves:
                assert chess.Move.from_uci(answer) in there.legal_moves, script

    return attempt


def _limits(draw: random.Random) -> str:
    """A search that ends soon, or when it is stopped, with other words around it."""
    sure = draw.choice(["nodes 300", *("depth 1", "movetime 1") * 8, "infinite", "ponder"])
    others = [
        f"{draw.choice(LIMITS)} {draw.choice(NUMBERS)}" for _ in range(draw.choice([0, 0, 1, 2]))
    ]
    return " ".join(
        [*others, sure]
        if "depth 1" in sure
        else [sure, *(each for each in others if "9" not in each)]
    )
