"""Some blocks of a material that is too large to be solved whole.

The caller gives the values of all positions outside of them.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from .code import Values
from .en_passant import en_passant_key
from .graph import NO_NODE, Resets
from .material import Squares, descent, material_of
from .moves import NO_MAN, NO_PROMOTION, NO_SQUARE
from .solver import Block, ReferenceTable

Outside = Callable[[str, NDArray[np.int64], Squares], Values]
"""The name of a material, sides to move, squares of each man -> entry values and distances."""


class Excerpt(ReferenceTable):
    """The blocks of `placements`, each after those that its double steps lead to."""

    def __init__(self, name: str, placements: Sequence[tuple[int, ...]], outside: Outside) -> None:
        self.material = material_of(name)
        self.reduced = False
        self.outside = outside
        self.blocks: dict[tuple[int, ...], Block] = {}
        for placement in placements:
            self.blocks[placement] = self._build(placement)
            self.blocks[placement].solve()

    def read_kind(
        self, resets: Resets, rows: NDArray[np.int64], captured: int, promoted: int, promotion: int
    ) -> Values:
        side = resets.side[rows].astype(np.int64)
        squares = [column.astype(np.int64) for column in resets.squares[rows].T]
        if captured != NO_MAN or promotion != NO_PROMOTION:
            way = descent(self.material, captured, promoted, promotion)
            child_side, *child_squares = way.cells(side, squares)
            entry, dtg = self.outside(way.material.name, child_side, child_squares)
            sign = np.int16(-1 if way.colors_swapped else 1)
            return sign * entry, dtg
        entry, dtg = self.outside(self.material.name, side, squares)
        jumped = resets.en_passant[rows].astype(np.int64)
        pawns = np.stack([squares[pawn] for pawn in self.material.pawns], axis=1)
        for placement, block in self.blocks.items():
            here = np.all(pawns == placement, axis=1)
            index = (side[here], *[square[here] for square in squares])
            entry[here], dtg[here] = self._inside(block, index, jumped[here])
        return entry, dtg

    def _inside(
        self, block: Block, index: tuple[NDArray[np.int64], ...], jumped: NDArray[np.int64]
    ) -> Values:
        """The values of positions of a solved block.

        `jumped` has the square that a pawn has just jumped over. It counts where a capture en
        passant is legal: only there the block has a node with that square.
        """
        keys = en_passant_key(self.index_of(block), block.nodes.en_passant)
        order = np.argsort(keys)
        node = np.full(len(jumped), NO_NODE, np.int64)
        no_square = np.full_like(jumped, NO_SQUARE)
        for square in (no_square, jumped):
            wanted = en_passant_key(index, square)
            row = np.searchsorted(keys, wanted, sorter=order)
            nearest = order[np.minimum(row, len(keys) - 1)]
            node = np.where(keys[nearest] == wanted, nearest, node)
        if (node == NO_NODE).any():
            raise ValueError("a pawn move leads to what is no position of its block")
        return block.entry[node], block.dtg[node]
