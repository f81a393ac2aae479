"""Closures that lead to a table of pairs: they stop there, and are right."""

import shutil
from pathlib import Path

import chess
import numpy as np
import numpy.typing as npt
import pytest

from tbgen.closures.blocks import SolvedBlocks, solve_closure
from tbgen.closures.closure import Closure
from tbgen.closures.cuts import Bound
from tbgen.closures.folder import BlockFolder
from tbgen.closures.nodes import node_of
from tbgen.closures.ways import Way
from tbgen.library.workers import make_table
from tbgen.material import Material
from tbgen.probe.opened import OpenTables


@pytest.fixture(scope="module")
def pairs_folder(table_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables of two and three men, and that of the pairs of two pawns."""
    folder = tmp_path_factory.mktemp("pairs") / "tables"
    shutil.copytree(table_folder, folder)
    make_table(folder, "KPvKP.pairs", 2)
    return folder


def worth_of(entries: npt.NDArray[np.int8]) -> npt.NDArray[np.int16]:
    """Outcomes as numbers: the greater, the better for White."""
    signed = entries.astype(np.int16)
    return np.sign(signed) * (128 - np.abs(signed))


@pytest.mark.parametrize(
    ("name", "squares"), [("KNPvKP", "c4 c5"), ("KPvKNP", "b3 b5"), ("KBPvKP", "g4 g6")]
)
def test_a_closure_stops_at_pairs_and_its_bounds_lie_within_those_without_them(
    table_folder: Path, pairs_folder: Path, tmp_path: Path, name: str, squares: str
) -> None:
    root = node_of(Material.parse(name), [chess.parse_square(square) for square in squares.split()])
    planes = list[npt.NDArray[np.int16]]()
    blocks_of = list[set[str]]()
    for folder in (table_folder, pairs_folder):
        closure = Closure(OpenTables([folder], 1 << 20, outcomes_only=True), Way(0, 0, 0))
        closure.add(root)
        blocks = SolvedBlocks(closure, BlockFolder(tmp_path / folder.parent.name / "solved"))
        solve_closure(blocks, 2, lambda _: None)
        blocks_of.append({str(node) for node in closure.blocks})
        for bound in Bound:
            planes.append(
                worth_of(np.concatenate([blocks.plane(root, side, bound) for side in (0, 1)]))
            )
    lower_without, upper_without, lower, upper = planes
    assert (lower_without <= lower).all()
    assert (lower <= upper).all()
    assert (upper <= upper_without).all()
    without, with_pairs = blocks_of
    assert with_pairs < without
    pair = node_of(Material.parse("KPvKP"), root.pawns)
    assert str(pair) in without - with_pairs
