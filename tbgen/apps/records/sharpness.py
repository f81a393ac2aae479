"""How sharp a table is: how many moves its positions have, and how many keep what these are worth.

No outcome belongs to two results of ordinary chess. So a move that keeps the outcome of a position
keeps its result as well, and the fewer moves do the former, the sharper the position is.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tbgen.apps.records.positions import TablePositions, results_of
from tbgen.apps.records.record import Sharpness, SideSharpness
from tbgen.compiled.arrays import Ints
from tbgen.index.bulk import weights_of
from tbgen.index.layout import layout_of
from tbgen.material import TableMaterial
from tbgen.score import Color
from tbgen.storage.files import Folders

_MOST_MOVES: Final = 256
_MOST_CELLS: Final = 1 << 24
"""Larger tables are sampled, unless they are asked for whole: all tables of five men."""
SAMPLED: Final = 1_000_000
"""The number of positions in a sample."""
_SEED: Final = 1


def sharpness_in(
    folders: Folders,
    material: TableMaterial,
    threads: int | None = None,
    *,
    sampled: int | None = None,
) -> dict[Color, SideSharpness]:
    """Count a table, or a sample of so many positions, by the side to move.

    MissingTableError if a table that its moves lead to is missing.
    """
    in_memory = sampled is None
    with TablePositions(folders, material, threads, in_memory=in_memory) as positions:

        def count(cells: Ints) -> npt.NDArray[np.int64]:
            return _counted(positions, cells, _classes_of(positions, cells))

        if sampled is None:
            parts = positions.for_each_part(count)
        else:
            cells = positions.drawn(sampled, _SEED)
            parts = iter([_counted(positions, cells, np.ones_like(cells))])
        return _sharpness_of(sum(parts, _no_counts()))


def _no_counts() -> npt.NDArray[np.int64]:
    return np.zeros((2, 2, 3, _MOST_MOVES), np.int64)


def sample_of(material: TableMaterial) -> int | None:
    """How many positions of a table are drawn; None if all of them are counted."""
    return SAMPLED if layout_of(material).cells > _MOST_CELLS else None


# counts[side to move, drawn, number of the field of Sharpness, moves]
def _sharpness_of(counts: npt.NDArray[np.int64]) -> dict[Color, SideSharpness]:
    """The sharpness of the positions with each side to move."""
    sides = {}
    for side in Color:
        of_side = counts[int(side)]
        sides[side] = SideSharpness(
            all=_sharpness(of_side.sum(axis=0)), drawn=_sharpness(of_side[1])
        )
    return sides


def _counted(positions: TablePositions, cells: Ints, weights: Ints) -> npt.NDArray[np.int64]:
    """The counts of some positions, see `_sharpness_of`; each position has its weight."""
    kept = positions.keeping(cells)
    sides = positions.sides(cells)
    are_drawn = (results_of(kept.entries) == 0).astype(np.int64)
    counts = _no_counts()
    for kind, numbers in enumerate((kept.moves, kept.result, kept.outcome)):
        np.add.at(counts[:, :, kind], (sides, are_drawn, numbers), weights)
    return counts


def _classes_of(positions: TablePositions, cells: Ints) -> Ints:
    """How many positions up to symmetry each cell stands for: orders of equal men.

    Two orders are one if a reflection exchanges the equal men.
    """
    layout = positions.layout
    classes = np.full(len(cells), layout.orders, np.int64)
    if layout.twins and not layout.pawns:
        squares = positions.squares(cells)
        is_own_image = weights_of(layout, squares) < 8 * layout.orders
        is_exchanged = is_own_image & (squares % 9 != 0).any(axis=1)
        classes[is_exchanged] //= 2
    return classes


def _sharpness(counts: Ints) -> Sharpness:
    moves, result, outcome = (tuple(np.trim_zeros(row, "b").tolist()) for row in counts)
    return Sharpness(moves, result, outcome)
