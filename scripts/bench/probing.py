"""Probes: from the shell, from Python with a chunk to read, again, and many at once."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from bench.log import ROOT, append
from bench.solving import materials_wanted

if TYPE_CHECKING:
    import chess

    from tbgen.material import Material

POSITIONS = 300
BULK = 200_000


def random_boards(material: Material, wanted: int) -> list[chess.Board]:
    """Seeded legal positions of a material, each with a move to make."""
    import chess
    import numpy as np

    random, found = np.random.default_rng(1), list[chess.Board]()
    men = [(chess.WHITE, role) for role in material.white] + [(chess.BLACK, role) for role in material.black]
    while len(found) < wanted:
        board = chess.Board(None)
        for (color, role), square in zip(men, random.permutation(64).tolist(), strict=False):
            board.set_piece_at(square, chess.Piece(int(role), color))
        board.turn = bool(random.integers(2))
        if board.is_valid() and any(board.legal_moves):
            found.append(board)
    return found


def timed(work: Callable[[chess.Board], object], boards: Sequence[chess.Board]) -> float:
    """Median CPU seconds of a piece of work on one board."""
    found = []
    for board in boards:
        began = time.process_time_ns()
        work(board)
        found.append(time.process_time_ns() - began)
    return median(found) / 1e9


def shell_seconds(board: chess.Board, data: Path) -> float:
    """CPU seconds of one `tbgen probe`, the start of the program included."""
    command = [sys.executable, "-m", "tbgen", "probe", board.fen(), "--data", str(data)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"bench: tbgen probe failed for {board.fen()}")
    return usage.ru_utime + usage.ru_stime


def bulk_seconds(data: Path, material: Material, *, with_accrued: bool = False) -> float:
    """CPU seconds a legal position when many are asked for that have been asked for before."""
    import numpy as np

    from tbgen.probe import open_tablebase

    random = np.random.default_rng(2)
    squares = random.integers(8, 56, (BULK, material.men))
    pawns = [n for n, role in enumerate((*material.white, *material.black)) if role == 1]
    squares = squares[[len(set(row)) == len(row) for row in squares[:, pawns].tolist()]]
    to_move = random.integers(0, 2, len(squares)).astype(bool)
    with open_tablebase(data, cache_bytes=1 << 30) as tables:
        legal = tables.probe_many(material, to_move, squares).outcome != 0
        to_move, squares = to_move[legal], squares[legal]
        accrued = random.integers(3, 16, len(squares)) * random.choice((-1, 1), len(squares)) if with_accrued else None
        tables.probe_many(material, to_move, squares, accrued=accrued)
        began = time.process_time()
        tables.probe_many(material, to_move, squares, accrued=accrued)
        return (time.process_time() - began) / len(squares)


def probe(options: argparse.Namespace) -> None:
    """Probe the tables of a folder: from the shell, from Python with a chunk to read, again, and many at once."""
    from tbgen.probe import open_tablebase

    with open_tablebase(options.data) as tables:
        there = tables.available()
    if not there:
        raise SystemExit("bench: the folder has no tables; build some with: tbgen build --men 4")
    wanted = materials_wanted(options) or [material for material in there if material.men == max(m.men for m in there)]
    print("CPU seconds, medians")
    for material in wanted:
        boards = random_boards(material, POSITIONS)
        show_probe(options, f"{material} shell", median(shell_seconds(board, options.data) for board in boards[:5]))
        for layers, only in (("", False), (" outcomes", True)):
            with open_tablebase(options.data, cache_bytes=1, outcomes_only=only) as tables:
                tables.probe(boards[0])
                show_probe(options, f"{material}{layers} cold chunk", timed(tables.probe, boards[1:]))
            with open_tablebase(options.data, outcomes_only=only) as tables:
                tables.probe_moves(boards[0])
                show_probe(options, f"{material}{layers} random", timed(tables.probe, boards[1:]))
                show_probe(options, f"{material}{layers} random moves", timed(tables.probe_moves, boards[1:]))
        with open_tablebase(options.data, cache_bytes=1 << 30) as tables:
            for board in boards:
                tables.probe_moves(board)
            show_probe(options, f"{material} warm", timed(tables.probe, boards))
            show_probe(options, f"{material} warm moves", timed(tables.probe_moves, boards))
        show_probe(options, f"{material} bulk", bulk_seconds(options.data, material))
        accrued = bulk_seconds(options.data, material, with_accrued=True)
        show_probe(options, f"{material} bulk, accrued", accrued)


def show_probe(options: argparse.Namespace, name: str, seconds: float) -> None:
    append(options, {"kind": "probe", "name": name, "seconds": seconds})
    print(f"{name:24} {seconds * 1e6:12.1f} µs {1 / max(seconds, 1e-9):14,.0f} a second", flush=True)
