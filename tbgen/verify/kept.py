"""The cells whose values a check has in its arrays: whole blocks of a table, or some cells."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Ints
from tbgen.compiled.jit import by_address, inner
from tbgen.index.layout import Layout

_NOT_KEPT = -1
_WHOLE_TABLE = 62
"""The bits of a cell's number within its block where the table has one block."""


@by_address
class KeptCells(NamedTuple):
    """Kept cells in ascending order. The *index* of a cell is its place among them."""

    some: Ints
    """The cells, unless whole blocks are kept."""
    blocks: Ints
    """The kept blocks; none where only some cells are kept."""
    first: Ints
    """[block] -> the index of its first cell, or -1."""
    bits: int
    """The bits of a cell's number within its block."""
    total: int
    """The number of kept cells. Arrays have an empty item more, for a cell that is not kept."""


def some_cells(cells: Ints) -> KeptCells:
    """Some cells, in ascending order."""
    none = np.zeros(0, np.int64)
    return KeptCells(cells, none, none, 0, len(cells))


def whole_blocks(layout: Layout, blocks: Ints) -> KeptCells:
    """All cells of some blocks, in ascending order."""
    cells = cells_of_block(layout)
    first = np.full(len(layout.blocks), _NOT_KEPT, np.int64)
    first[blocks] = np.arange(len(blocks)) * cells
    # Where pawns stand, a block has a power of two of cells.
    bits = cells.bit_length() - 1 if layout.pawns else _WHOLE_TABLE
    return KeptCells(np.zeros(0, np.int64), blocks, first, bits, len(blocks) * cells)


def whole_table(layout: Layout) -> KeptCells:
    return whole_blocks(layout, np.arange(len(layout.blocks)))


def cells_of_block(layout: Layout) -> int:
    """The number of cells of a block, with both sides to move."""
    return layout.cells // len(layout.blocks)


def cells_at(kept: KeptCells, indices: Ints) -> Ints:
    if kept.blocks.size == 0:
        return kept.some[indices]
    places = indices >> kept.bits
    return indices + ((kept.blocks[places] - places) << kept.bits)


@inner
def cell_at(kept: KeptCells, index: Int) -> Int:
    if kept.blocks.size == 0:
        return kept.some[index]
    place = index >> kept.bits
    return index + ((kept.blocks[place] - place) << kept.bits)


@inner
def index_of_cell(kept: KeptCells, cell: Int) -> Int:
    """The index of a cell. One that is not kept has the last index, which is empty."""
    if kept.blocks.size:
        first = kept.first[cell >> kept.bits]
        if first == _NOT_KEPT:
            return kept.total
        return first + (cell & ((1 << kept.bits) - 1))
    index = np.searchsorted(kept.some, cell)
    return index if index < kept.total and kept.some[index] == cell else kept.total
