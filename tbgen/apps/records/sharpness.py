"""How sharp a table is: how many moves its positions have, and how many keep what these are worth.

No outcome belongs to two results of ordinary chess. So a move that keeps the outcome of a position
keeps its result as well, and the fewer moves do the former, the sharper the position is.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbgen.apps.records.positions import TablePositions
from tbgen.apps.records.record import Sharpness, SideSharpness
from tbgen.compiled.arrays import Ints
from tbgen.index.bulk import weights_of
from tbgen.material import Material
from tbgen.score import Color
from tbgen.storage.files import Folders

_MOST_MOVES = 256


def sharpness_in(
    folders: Folders, material: Material, threads: int | None = None
) -> dict[Color, SideSharpness]:
    """Count a table, by the side to move.

    MissingTableError if a table that its moves lead to is missing.
    """
    with TablePositions(folders, material, threads) as positions:
        # [side to move, drawn, moves or those that keep the result or the outcome, their number]
        counts = np.zeros((2, 2, 3, _MOST_MOVES), np.int64)

        def count(cells: Ints) -> npt.NDArray[np.int64]:
            return _counted(positions, cells)

        for part in positions.for_each_part(count):
            counts += part
    sides = {}
    for side in Color:
        drawn = counts[int(side), 1]
        every = counts[int(side)].sum(axis=0)
        sides[side] = SideSharpness(all=_sharpness(every), drawn=_sharpness(drawn))
    return sides


def _counted(positions: TablePositions, cells: Ints) -> npt.NDArray[np.int64]:
    """The counts of some positions, see `sharpness_in`."""
    kept = positions.keeping(cells)
    columns = positions.select(cells, ["white", "drawn", "moves"])
    classes = _classes_of(positions, cells)
    counts = np.zeros((2, 2, 3, _MOST_MOVES), np.int64)
    for side in Color:
        for is_drawn in (False, True):
            is_side = columns["white"] == (side is Color.WHITE)
            chosen = is_side & (columns["drawn"] == is_drawn)
            for kind, numbers in enumerate((columns["moves"], kept.result, kept.outcome)):
                found = np.bincount(numbers[chosen], classes[chosen], _MOST_MOVES)
                counts[int(side), int(is_drawn), kind] = found.astype(np.int64)
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
