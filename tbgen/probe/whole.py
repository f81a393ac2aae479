"""All positions of a table as arrays, part by part, for statistics of your own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Bools, Ints
from tbgen.index.bulk import are_legal, cells_of, weights_of
from tbgen.index.layout import Layout
from tbgen.index.squares import TRIANGLE
from tbgen.material import Material
from tbgen.probe.bulk import columns_of_slots
from tbgen.probe.opened import RANK_FLIP
from tbgen.storage.order import Order
from tbgen.storage.reader import TableFile


@dataclass(frozen=True, eq=False)
class TablePart:
    """Some positions of a table, with the values of their own scores.

    Positions that are the same by symmetry are one. No pawn may take en passant.
    """

    material: Material
    white_to_move: Bools
    squares: npt.NDArray[np.uint8]
    """[position, man] -> its square (a1 = 0 to h8 = 63); men follow the name of the material."""
    weight: Ints
    """How many placements of labelled men each stands for."""
    outcome: npt.NDArray[np.int8]
    """As `BulkProbe.outcome` has it: +(code + 1) if White holds it, -(code + 1) if Black does."""
    dtg: npt.NDArray[np.uint16] | None
    """The plies to the outcome; None for a table without distances."""

    def __len__(self) -> int:
        return len(self.outcome)

    def reversed(self) -> TablePart:
        """The same positions with the colours reversed, the columns of men where they are."""
        return replace(
            self,
            white_to_move=~self.white_to_move,
            squares=self.squares ^ np.uint8(RANK_FLIP),
            outcome=-self.outcome,
        )


def parts_of(
    file: TableFile, material: Material, cells: int, *, with_distances: bool
) -> Iterator[TablePart]:
    """The positions of a table in parts of so many cells, in the colours of `material`."""
    order = file.order
    layout = order.layout
    flipped = material != file.material
    columns = np.argsort(columns_of_slots(material, layout, flipped=flipped))
    for first, end in _ranges(order, cells):
        cells_of_part = order.cells_of(np.arange(first, end))
        sides, squares = _placed(layout, cells_of_part)
        chosen = np.flatnonzero(are_legal(layout, sides, squares))
        primary = cells_of(layout, sides[chosen], squares[chosen]) == cells_of_part[chosen]
        chosen = chosen[primary]
        dtg = None
        if with_distances:
            symbols, dtg = file.symbols_and_dtg(first, end)
            dtg = dtg[chosen]
            outcome = file.entries_of(symbols)
        else:
            outcome = file.entries(first, end)
        part = TablePart(
            material,
            white_to_move=sides[chosen] == 0,
            squares=squares[chosen][:, columns].astype(np.uint8),
            weight=weights_of(layout, squares[chosen]),
            outcome=outcome[chosen],
            dtg=dtg,
        )
        yield part.reversed() if flipped else part


def _ranges(order: Order, cells: int) -> Iterator[tuple[int, int]]:
    """The first place of each part, and the end of the last: whole planes, or parts of one."""
    plane = order.plane_places
    total = order.layout.cells
    if cells >= plane:
        step = cells - cells % plane
        for first in range(0, total, step):
            yield first, min(first + step, total)
        return
    for start in range(0, total, plane):
        for first in range(start, start + plane, cells):
            yield first, min(first + cells, start + plane)


def _placed(layout: Layout, cells: Ints) -> tuple[Ints, Ints]:
    """The sides to move of some cells, and [cell, slot] -> square; the positions may be illegal."""
    block, side, king, *rest = np.unravel_index(cells, layout.shape)
    if layout.pawns == 0:
        king = np.asarray(TRIANGLE)[king]
    pawns = np.asarray(layout.blocks, np.int64).reshape(len(layout.blocks), layout.pawns)[block]
    return side, np.column_stack([pawns, king, *rest])
