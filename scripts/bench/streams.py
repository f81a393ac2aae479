"""Streams of probes over many tables: the first of a table, random ones, and along lines of play; by class of table."""

from __future__ import annotations

import argparse
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from bench.probing import random_boards, show_probe

if TYPE_CHECKING:
    import chess

    from tbgen.material import Material

PLIES = 40
"""How far a line of play is followed at most; it ends where a man is taken or promoted."""


def streams(options: argparse.Namespace) -> None:
    """Probe positions of all tables of a folder with the ordinary cache, each layer for itself."""
    from tbgen.library.costs import class_of
    from tbgen.probe import open_tablebase

    with open_tablebase(options.data) as tables:
        there = [material for material in tables.available() if options.men in (None, material.men)]
    if not there:
        raise SystemExit("bench: the folder has no such tables")
    boards = {material: random_boards(material, options.positions) for material in there}
    classes: defaultdict[str, list[Material]] = defaultdict(list)
    for material in there:
        balance, pawns = class_of(material)
        classes[f"{balance.value}, {'pawns' if pawns else 'no pawns'}"].append(material)
    print(f"{len(there)} tables, {options.positions} positions of each; a probe, means of CPU and of wall")
    for layer, only in (("outcomes", True), ("both layers", False)):
        for name, some in (("all", there), *sorted(classes.items())):
            stream = [board for material in some for board in boards[material]]
            random.Random(0).shuffle(stream)
            first = [boards[material][0] for material in some]
            lines = [board for material in some for board in line_from(boards[material][1])]
            for kind, asked in (("first", first), ("random", stream), ("lines", lines)):
                with open_tablebase(options.data, outcomes_only=only) as tables:
                    measure(options, f"{name}: {layer}, {kind}", tables.probe, asked)
            with open_tablebase(options.data, outcomes_only=only) as tables:
                measure(options, f"{name}: {layer}, random moves", tables.probe_moves, stream[: len(stream) // 8])


def line_from(board: chess.Board) -> Iterator[chess.Board]:
    """The positions of a line of moves drawn at random."""
    board, chance, men = board.copy(), random.Random(board.fen()), board.occupied.bit_count()
    kinds = board.pawns.bit_count()
    for _ in range(PLIES):
        if board.occupied.bit_count() != men or board.pawns.bit_count() != kinds or not any(board.legal_moves):
            return
        yield board.copy(stack=False)
        board.push(chance.choice(list(board.legal_moves)))


def measure(
    options: argparse.Namespace, name: str, work: Callable[[chess.Board], object], boards: Sequence[chess.Board]
) -> None:
    """Show what a piece of work takes for each of some boards."""
    wall, cpu = time.perf_counter(), time.process_time()
    for board in boards:
        work(board)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    show_probe(options, name, cpu / len(boards))
    show_probe(options, f"{name}, wall", wall / len(boards))
