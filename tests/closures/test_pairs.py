"""Closures that lead to a table of pairs: they stop there, and are right."""

import random
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import chess
import numpy as np
import numpy.typing as npt
import pytest

from tbgen.closures.bounds import Bound
from tbgen.closures.closure import Closure
from tbgen.closures.closure_solver import ClosureSolver
from tbgen.closures.costs import SolvePace
from tbgen.closures.placements import Node, RootNode, node_of
from tbgen.closures.policy import NEVER, Way
from tbgen.closures.reading import Plane, SolvedBlocks
from tbgen.closures.solver import PositionSolver
from tbgen.closures.store import BlockStore
from tbgen.errors import ClosureTooLargeError
from tbgen.index.bulk import are_legal, cells_of
from tbgen.index.layout import Layout, layout_of
from tbgen.material import Material, Scope
from tbgen.probe import open_tablebase
from tbgen.probe.opened import OpenTables
from tbgen.score import Color

EVERYTHING = Way(queen=NEVER, knight=NEVER, others=NEVER, coarse_free=NEVER)
"""All promotions are solved, all outcomes are found."""

LARGE_BLOCKS = 2
SMALL_BLOCKS = 16
"""This many blocks of each table are compared: of thirty tables two hundred."""
LARGE_OTHERS = 2
"""So many pieces stand beside two pawns and the kings in the largest blocks."""
MOST_CELLS = 1 << 27
"""A closure with more cells takes longer than a comparison is worth."""


@pytest.fixture
def own_pairs_folder(pairs_folder: Path, tmp_path: Path) -> Path:
    """A copy of the tables of two and three men and of the pairs of two pawns, to solve in."""
    return Path(shutil.copytree(pairs_folder, tmp_path / "tables"))


def worth_of(entries: npt.NDArray[np.int8]) -> npt.NDArray[np.int16]:
    """Outcomes as numbers: the greater, the better for White."""
    signed = entries.astype(np.int16)
    return np.sign(signed) * (128 - np.abs(signed))


@pytest.mark.parametrize(
    ("name", "squares"),
    [
        ("KPvKNP", "b3 b5"),
        pytest.param("KNPvKP", "c4 c5", marks=pytest.mark.slow),
        pytest.param("KBPvKP", "g4 g6", marks=pytest.mark.slow),
    ],
)
def test_a_closure_stops_at_pairs_and_its_bounds_lie_within_those_without_them(
    table_folder: Path, pairs_folder: Path, tmp_path: Path, name: str, squares: str
) -> None:
    root = node_of(Material.parse(name), [chess.parse_square(square) for square in squares.split()])
    planes = list[npt.NDArray[np.int16]]()
    blocks_of = list[set[str]]()
    for folder in (table_folder, pairs_folder):
        closure = Closure(OpenTables([folder], 1 << 20, outcomes_only=True), Way(0, 0, 0))
        closure.add(RootNode(root))
        blocks = ClosureSolver(closure, BlockStore(tmp_path / folder.parent.name / "solved"))
        blocks.solve_all(2, SolvePace())
        blocks_of.append({str(node) for node in closure.blocks})
        for bound in Bound:
            planes.append(
                worth_of(
                    np.concatenate([blocks.plane(Plane(root, side, bound)) for side in (0, 1)])
                )
            )
    lower_without, upper_without, lower, upper = planes
    assert (lower_without <= lower).all()
    assert (lower <= upper).all()
    assert (upper <= upper_without).all()
    without, with_pairs = blocks_of
    assert with_pairs < without
    pair = node_of(Material.parse("KPvKP"), root.pawns)
    assert str(pair) in without - with_pairs


def test_a_position_is_solved_as_far_as_a_table_of_pairs(own_pairs_folder: Path) -> None:
    """The king takes the knight, which leaves a pair; or he does not, and the knight goes on."""
    board = chess.Board("8/8/1k6/2N1p3/8/4P3/8/2K5 b - - 0 1")
    with PositionSolver([own_pairs_folder]) as solver:
        solution = solver.solve(board)
    taking = next(move for move in solution.moves if move.san == "Kxc5")
    board.push_san("Kxc5")
    with open_tablebase([own_pairs_folder]) as tables:
        assert taking.bracket.exact == tables.probe(board).outcome


def test_a_position_that_a_table_of_pairs_has_is_not_solved(own_pairs_folder: Path) -> None:
    with (
        PositionSolver([own_pairs_folder]) as solver,
        pytest.raises(ClosureTooLargeError, match="its table is there"),
    ):
        solver.solve("8/8/8/4p3/2k5/4P3/8/2K5 w - - 0 1")


def tables_of_six_men(folder: Path) -> list[Material]:
    """The tables of pairs of six men in a folder, those with small blocks first."""
    names = [path.name.removesuffix(".h5") for path in folder.glob("*.pairs.h5")]
    found = [Material.parse(name) for name in sorted(names)]
    of_six_men = [material for material in found if material.men == 6]
    return sorted(of_six_men, key=lambda material: layout_of(material).block_words)


def are_opposed(layout: Layout, pawns: Sequence[int]) -> bool:
    """Whether each pawn has an enemy's pawn before it on its file, so that none can promote."""
    colors = [color for color, _ in layout.slots[: len(pawns)]]
    white = [square for square, color in zip(pawns, colors, strict=True) if color is Color.WHITE]
    black = [square for square, color in zip(pawns, colors, strict=True) if color is Color.BLACK]
    is_white_stopped = all(any(is_below(pawn, enemy) for enemy in black) for pawn in white)
    is_black_stopped = all(any(is_below(enemy, pawn) for enemy in white) for pawn in black)
    return is_white_stopped and is_black_stopped


def is_below(square: int, other: int) -> bool:
    """Whether a square lies below another one on the same file."""
    return other - square in range(8, 56, 8)


def small_closures(whole: OpenTables, material: Material) -> Iterator[Closure]:
    """Closures of blocks of a table of pairs, in random order."""
    layout = layout_of(material)
    opposed = [pawns for pawns in layout.blocks if are_opposed(layout, pawns)]
    for pawns in random.Random(8).sample(opposed, len(opposed)):
        closure = Closure(whole, EVERYTHING)
        closure.add(RootNode(node_of(material.within(Scope.ALL), pawns)))
        if sum(block.node.cells for block in closure.blocks.values()) <= MOST_CELLS:
            yield closure


@pytest.mark.given_tables
def test_blocks_of_six_men_are_those_that_solving_a_position_finds(
    given_folder: Path, tmp_path: Path
) -> None:
    whole_folder = tmp_path / "whole"
    whole_folder.mkdir()
    for path in given_folder.glob("*.h5"):
        if ".pairs" not in path.name:
            (whole_folder / path.name).symlink_to(path.resolve())
    whole = OpenTables([whole_folder], 1 << 28, outcomes_only=True)
    pairs = OpenTables([given_folder], 1 << 28, outcomes_only=True)
    for material in tables_of_six_men(given_folder):
        layout = layout_of(material)
        wanted = LARGE_BLOCKS if layout.others == LARGE_OTHERS else SMALL_BLOCKS
        compared = set[str]()
        for closure in small_closures(whole, material):
            solved = ClosureSolver(closure, BlockStore(tmp_path / "solved"))
            solved.solve_all(2, SolvePace())
            for block in closure.blocks.values():
                assert_same_values(solved, pairs, block.node)
                compared.add(str(block.node))
            shutil.rmtree(tmp_path / "solved")
            if len(compared) >= wanted:
                break
        assert len(compared) >= wanted, material


def assert_same_values(solved: SolvedBlocks, pairs: OpenTables, node: Node) -> None:
    """Compare a solved block with that of the table of pairs."""
    for side in (0, 1):
        expected = solved.plane(Plane(node, side, Bound.LOWER))
        np.testing.assert_array_equal(solved.plane(Plane(node, side, Bound.UPPER)), expected)
        values = pairs.plane_of_pairs(node.material, node.pawns, side)
        differing = np.flatnonzero(values != expected)
        assert not are_positions(node, side, differing).any(), str(node)


def are_positions(node: Node, side: int, cells: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Which cells of a block with one side to move are the primary ones of legal positions."""
    layout = layout_of(node.material.within(Scope.PAIRS))
    sides = np.full(len(cells), side)
    pawns = [np.full(len(cells), square) for square in node.pawns]
    others = np.unravel_index(cells, (64,) * node.free)
    placed = np.stack([*pawns, *others], axis=1)
    plane = 2 * layout.blocks.index(node.pawns) + side
    are_primary = cells_of(layout, sides, placed) == plane * (node.cells // 2) + cells
    return are_primary & are_legal(layout, sides, placed)
