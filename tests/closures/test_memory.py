"""The memory of blocks that are asked cuts, beside what their plan says."""

import multiprocessing
import threading
import tracemalloc
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pytest

from tbgen.closures.bounds import Bound, CutQuestion
from tbgen.closures.closure import Closure, PlannedBlock
from tbgen.closures.closure_solver import ClosureSolver
from tbgen.closures.costs import SolvePace
from tbgen.closures.placements import RootNode, node_of
from tbgen.closures.policy import Way
from tbgen.closures.reading import Plane, SolvedBlocks
from tbgen.closures.store import BlockStore
from tbgen.index.placements import Squares
from tbgen.material import Material
from tbgen.probe.opened import OpenTables
from tbgen.retro.drive import single
from tbgen.score import Score
from tbgen.system import process
from tbgen.system.process import forget_peak, peak_bytes
from tbgen.table import Entries

CUTS = (Score("G3.0"), Score("G0.5"), Score("-G0.5"), Score("-G3.0"))
OTHER_BYTES = 1 << 25
"""What the program takes besides, of the half GiB that a plan has for it."""
MOST_OUTCOME = 20
SCATTERED = np.random.default_rng(5).permutation(
    np.setdiff1d(np.arange(-MOST_OUTCOME, MOST_OUTCOME + 1, dtype=np.int8), [0])
)


class ScatteredTables(OpenTables):
    """Tables of all that captures and pawn steps lead to, with scattered outcomes."""

    def __init__(self, material: Material) -> None:
        super().__init__([Path("nowhere")], 0, outcomes_only=True)
        self.material = material

    def digest(self, material: Material) -> str:
        is_promotion = material.men == self.material.men and material.pawns < self.material.pawns
        return "" if is_promotion else "scattered"

    def plane(
        self, material: Material, pawns: Squares, side: int, room: Entries | None = None
    ) -> Entries:
        cells = node_of(material, pawns).cells // 2
        values = np.empty(cells, np.int8) if room is None else room
        for first in range(0, cells, len(SCATTERED)):
            values[first : first + len(SCATTERED)] = SCATTERED[: cells - first]
        return values


def planned(name: str, squares: str, folder: Path) -> tuple[PlannedBlock, ClosureSolver]:
    """A block that is asked cuts, with bounds in place of its promotions."""
    material = Material.parse(name)
    node = node_of(material, [chess.parse_square(square) for square in squares.split()])
    way = Way(0, 0, 0, coarse_free=0)
    closure = Closure(ScatteredTables(material), way, CutQuestion(Bound.UPPER, CUTS))
    block = closure.add(RootNode(node))
    assert list(closure.blocks.values()) == [block]
    return block, ClosureSolver(closure, BlockStore(folder / "solved"))


def taken_and_planned(name: str, squares: str, folder: Path) -> tuple[int, int]:
    """The memory that a block takes, and that of its plan with two questions at once."""
    _, small = planned("KPvKP", squares if name.endswith("P") else "a7 h2", folder)
    small.solve_all(1, SolvePace())  # so that kernels are loaded
    block, blocks = planned(name, squares, folder)
    assert block.node.free == 4
    forget_peak()
    before = peak_bytes()
    blocks.solve_all(1, SolvePace())
    cost = block.cost
    return peak_bytes() - before, cost.memory_bytes + cost.question_bytes


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "squares"),
    [("KNPvKN", "a7"), ("KNPvKNP", "e4 d4")],
    ids=["a promotion is bounded", "a pawn may be taken en passant"],
)
def test_a_block_with_four_free_men_takes_the_memory_of_its_plan(
    tmp_path: Path, name: str, squares: str
) -> None:
    """In a process of its own, whose memory no other test has used."""
    anew = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, anew) as pool:
        taken, of_plan = pool.submit(taken_and_planned, name, squares, tmp_path).result()
    assert 0.6 * of_plan < taken < of_plan + OTHER_BYTES


@pytest.mark.parametrize(("room", "most"), [(1 << 40, 2), (1 << 10, 1)])
def test_questions_take_turns_where_memory_is_scarce(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int, most: int
) -> None:
    asking = threading.Semaphore(most)
    asked = list[int]()
    together = threading.Barrier(most)
    solve = vars(single)["solve_threshold"]

    def watched(*what: Any) -> None:
        assert asking.acquire(blocking=False), "more questions than memory has room for"
        together.wait(60)
        solve(*what)
        together.wait(60)
        asked.append(what[-2])
        asking.release()

    monkeypatch.setattr(single, "solve_threshold", watched)
    monkeypatch.setattr(process, "available_memory", lambda: room)
    _, blocks = planned("KPvKP", "a7 h2", tmp_path)
    blocks.solve_all(1, SolvePace())
    assert len(asked) == len(CUTS)


@pytest.mark.parametrize("squares", ["a7 h3", "h7 a2"], ids=["White's", "Black's"])
def test_a_bounded_promotion_is_promised_memory_for_a_rank_alone(
    tmp_path: Path, squares: str
) -> None:
    """A system may refuse to promise more memory than it has, even if it is never touched."""
    _, small = planned("KPvKP", "a7 h2", tmp_path)
    small.solve_all(1, SolvePace())  # so that kernels are loaded
    block, blocks = planned("KNPvKP", squares, tmp_path)
    tracemalloc.start()
    try:
        blocks.solve(block)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 12 * block.node.cells, "with room for all ranks it is 22 times as much"


def test_small_planes_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = list[tuple[str, Bound]]()
    exact = node_of(Material.parse("KPvK"), [9])
    monkeypatch.setattr(SolvedBlocks, "is_exact", lambda _, node: node == exact)

    def read_plane(_: SolvedBlocks, plane: Plane, *__: object) -> None:
        read.append((f"{plane.node} {plane.side}", plane.bound))

    monkeypatch.setattr(SolvedBlocks, "_read_plane", read_plane)
    closure = Closure(ScatteredTables(exact.material), Way(0, 0, 0))
    kept = ClosureSolver(closure, BlockStore(tmp_path))

    def ask(material: str, square: int, side: int, bound: Bound) -> None:
        node = node_of(Material.parse(material), [square])
        kept.fill_plane(Plane(node, side, bound), np.zeros(node.cells // 2, np.int8))

    for _ in range(2):
        for bound in Bound:
            ask("KPvK", 8, 0, bound)
            ask("KPvK", 9, 1, bound)
        ask("KRBPvK", 8, 0, Bound.LOWER)
    large = ("KRBPvK-a2 0", Bound.LOWER)
    assert read == [
        ("KPvK-a2 0", Bound.LOWER),
        ("KPvK-b2 1", Bound.LOWER),
        ("KPvK-a2 0", Bound.UPPER),
        large,
        large,
    ]
