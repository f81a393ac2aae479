"""Measure `tbgen solve`: `truth` against tables whose promotions are hidden, `reach` on a list of
ends.

    brackets.py truth FOLDER KRPvKR:4 KPvKP:30 > truth.csv
    brackets.py reach FOLDER ends.tsv --games 100 > reach.csv
    brackets.py reach FOLDER ends.tsv --material KRPvKRP --files a > rook-pawns.csv

Both write CSV. Samples are seeded. `--files` takes ends whose pawns stand on these files, or on
their mirror images.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import math
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import chess
import numpy as np

from tbgen import open_tablebase
from tbgen.closures.answers import Brackets
from tbgen.closures.bounds import Bound
from tbgen.closures.closure import Closure
from tbgen.closures.closure_solver import ClosureSolver
from tbgen.closures.costs import SolvePace
from tbgen.closures.placements import Node, RootNode, cell_on, node_of
from tbgen.closures.policy import Way
from tbgen.closures.reading import Plane
from tbgen.closures.solver import PositionSolver
from tbgen.closures.store import BlockStore
from tbgen.errors import TbgenError
from tbgen.index.layout import fen_of_cell, layout_of
from tbgen.index.outcomes import ranks_of
from tbgen.material import Material
from tbgen.probe.opened import OpenTables
from tbgen.rules.points import Scoring
from tbgen.rules.position import accruable, bare_sides, own_score
from tbgen.score import Score

SEED = 48
NO_CUTS = 9
"""So many more free men than are solved: no block is solved at cuts."""
PART_CELLS = 1 << 22
"""The cells that are compared at once, as arrays of 64 bits take memory."""


class Hiding(OpenTables):
    """The tables of fewer men than a material has: what it promotes to has no table."""

    men = 0

    def digest(self, material: Material) -> str:
        return super().digest(material) if material.men < self.men else ""


def truth(
    folder: Path, material: Material, roots: int, given: argparse.Namespace
) -> dict[str, object]:
    """Solve the closures of some blocks, and compare each cell and some pairs with the table."""
    draw = random.Random(SEED)
    tables = OpenTables([folder], 1 << 26, outcomes_only=True)
    known = Hiding([folder], 1 << 26, outcomes_only=True)
    known.men = material.men
    free = given.most_free
    way = Way(queen=free, knight=free, others=free, coarse_free=free + NO_CUTS)
    closure = Closure(known, way)
    for pawns in draw.sample(layout_of(material).blocks, roots):
        closure.add(RootNode(node_of(material, pawns)))
    nodes = [node for node in closure.blocks if node.material == material]
    began = time.process_time()
    counted = np.zeros(5, np.int64)
    compared = np.zeros(2, np.int64)
    with tempfile.TemporaryDirectory() as name, open_tablebase(folder) as asked:
        blocks = ClosureSolver(closure, BlockStore(Path(name)))
        blocks.solve_all(1, SolvePace())
        took = time.process_time() - began
        for node in nodes:
            if node.layout.is_own_mirror(node.pawns):
                continue  # a table has half of those cells
            for side in range(2):
                lower = blocks.plane(Plane(node, side, Bound.LOWER))
                upper = blocks.plane(Plane(node, side, Bound.UPPER))
                counted += counts(lower, upper, tables.plane(*node, side))
        for node in nodes:
            boards = [random_board(draw, node) for _ in range(given.pairs // len(nodes))]
            accrued = draw.choice(may_accrue(boards[0]))
            boards = [board for board in boards if accrued in may_accrue(board)]
            closure = Closure(known, closure.way)
            queries = [(accrued, cell_on(node, board)) for board in boards]
            closure.add(RootNode(node, queries, has_right=False))
            blocks = ClosureSolver(closure, blocks.store)
            blocks.solve_all(1, SolvePace())
            for board in boards:
                bracket = Brackets(blocks).bracket(board, accrued)
                value = asked.probe(board, accrued).outcome
                compared += [1, not bracket.lower <= value <= bracket.upper]
    cells, exact, drawn, drawn_exact, excluded = counted.tolist()
    return {
        "material": material,
        "most_free": free,
        "blocks": len(nodes),
        "cells": cells,
        "exact": round(exact / cells, 4),
        "drawn": drawn,
        "exact_of_drawn": round(drawn_exact / max(drawn, 1), 4),
        "excluded": excluded,
        "pairs": compared[0],
        "pairs_excluded": compared[1],
        "cpu_seconds": round(took, 1),
    }


def counts(lower: np.ndarray, upper: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Cells, exact ones; cells whose value is no mate, exact ones of them; cells whose value is
    excluded.
    """
    found = np.zeros(5, np.int64)
    for start in range(0, len(lower), PART_CELLS):
        part = slice(start, start + PART_CELLS)
        legal = lower[part] != 0
        least = lower[part][legal].astype(np.int64)
        most = upper[part][legal].astype(np.int64)
        known = value[part][legal].astype(np.int64)
        exact = least == most
        drawn = abs(known) > 1
        excluded = (ranks_of(least) > ranks_of(known)) | (ranks_of(known) > ranks_of(most))
        found += [len(known), exact.sum(), drawn.sum(), (exact & drawn).sum(), excluded.sum()]
    return found


def random_board(draw: random.Random, node: Node) -> chess.Board:
    """A legal position of a block."""
    layout = node.layout
    block = layout.address_of(node.pawns) >> 2
    while True:
        cell = draw.randrange(
            2 * block * layout.block_words * 64, 2 * (block + 1) * layout.block_words * 64
        )
        board = chess.Board(fen_of_cell(layout, cell))
        if board.occupied.bit_count() == node.material.men and board.is_valid():
            return board


def may_accrue(board: chess.Board) -> list[Score]:
    """The scores that can have accrued in a position."""
    return accruable(own_score(board), bare_sides(board))


def files_of(fen: str) -> set[str]:
    """The files a-d on which pawns stand, or their mirror images."""
    pawns = chess.scan_forward(chess.Board(f"{fen.split()[0]} w - - 0 1").pawns)
    return {"abcddcba"[square % 8] for square in pawns}


def reach(folder: Path, ends: Path, given: argparse.Namespace) -> Iterator[dict[str, object]]:
    """Solve a sample of ends, the cheapest first, each from nothing but what the ends before it
    have left.
    """
    rows = list(csv.reader(ends.open(), delimiter="\t"))[1:]
    rows = [
        row
        for row in rows
        if given.material in (None, row[1]) and files_of(row[2]) <= set(given.files)
    ]
    if not rows:
        raise SystemExit(f"{ends} has no ends of this material with pawns on these files alone")

    def position_of(row: list[str]) -> tuple[str, str]:
        return " ".join([*row[2].split()[:4], "0", "1"]), row[3]

    def planned(row: list[str]) -> float:
        try:
            return solver.plan(*position_of(row)).cpu_seconds
        except TbgenError:
            return math.inf

    with PositionSolver(folder, budget=given.budget, threads=2) as solver:
        for row in sorted(
            random.Random(given.seed).sample(rows, min(given.games, len(rows))), key=planned
        ):
            men, name, fen, accrued, _ = row
            free = int(men) - name.count("P")
            began = time.process_time()
            found = {"lower": "", "upper": "", "width": "", "exact": "", "refused": ""}
            try:
                bracket = solver.solve(*position_of(row)).bracket
                points = [Scoring().points(end)[0] for end in (bracket.lower, bracket.upper)]
                found |= {
                    "lower": str(bracket.lower),
                    "upper": str(bracket.upper),
                    "exact": str(bracket.is_exact),
                }
                found["width"] = str(round(float(points[1] - points[0]), 6))
            except TbgenError as error:
                found["refused"] = type(error).__name__
            took = round(time.process_time() - began, 1)
            yield {
                "men": men,
                "free": free,
                "material": name,
                "fen": fen,
                "accrued": accrued,
                **found,
                "cpu_seconds": took,
            }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("measure", choices=("truth", "reach"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("what", nargs="+")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seed", type=int, default=SEED, help="draw another sample of ends")
    parser.add_argument("--material", help="take ends of this material alone")
    parser.add_argument(
        "--files", default="abcd", help="take ends whose pawns stand on these files of a-d"
    )
    parser.add_argument("--budget", type=int, default=1200)
    parser.add_argument("--pairs", type=int, default=10_000)
    parser.add_argument("--most-free", type=int, default=4)
    given = parser.parse_args()
    if given.measure == "truth":
        asked = [each.split(":") for each in given.what]
        rows: Iterator[dict[str, object]] = (
            truth(given.folder, Material.parse(name), int(roots), given) for name, roots in asked
        )
    else:
        rows = reach(given.folder, Path(given.what[0]), given)
    first = next(iter(rows))
    writer = csv.DictWriter(sys.stdout, list(first), lineterminator="\n")
    writer.writeheader()
    for row in itertools.chain([first], rows):
        writer.writerow(row)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
