"""Some blocks of a material that is too large to be solved whole; what lies outside them is the caller's word."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from .code import Values
from .en_passant import en_passant_key
from .graph import Resets
from .material import Squares, descent, material_of
from .moves import NO_MAN, NO_PROMOTION, NO_SQUARE
from .solver import Block, ReferenceTable

Outside = Callable[[str, NDArray[np.int64], Squares], Values]
"""Entry values and distances of positions of a material: its name, sides to move, the squares of each man."""


class Excerpt(ReferenceTable):
    """The blocks of `placements`, each after those that its double steps lead to."""

    def __init__(self, name: str, placements: Sequence[tuple[int, ...]], outside: Outside) -> None:
        self.material, self.reduced, self.outside = material_of(name), False, outside
        self.blocks: dict[tuple[int, ...], Block] = {}
        for placement in placements:
            self.blocks[placement] = self._build(placement)
            self.blocks[placement].solve()

    def _read_kind(
        self, resets: Resets, rows: NDArray[np.int64], captured: int, promoted: int, promotion: int
    ) -> Values:
        side = resets.side[rows].astype(np.int64)
        squares = [column.astype(np.int64) for column in resets.squares[rows].T]
        if captured != NO_MAN or promotion != NO_PROMOTION:
            way = descent(self.material, captured, promoted, promotion)
            there, *others = way.cells(side, squares)
            entry, dtg = self.outside(way.material.name, there, others)
            return np.int16(-1 if way.colors_swapped else 1) * entry, dtg
        entry, dtg = self.outside(self.material.name, side, squares)
        for placement, block in self.blocks.items():
            here = np.all(
                [
                    squares[man] == at
                    for man, at in zip(self.material.pawns, placement, strict=True)
                ],
                axis=0,
            )
            jumped = resets.en_passant[rows].astype(np.int64)
            entry[here], dtg[here] = self._inside(
                block, (side[here], *[each[here] for each in squares]), jumped[here]
            )
        return entry, dtg

    def _inside(
        self, block: Block, index: tuple[NDArray[np.int64], ...], jumped: NDArray[np.int64]
    ) -> Values:
        """The values of positions of a solved block, by the square just jumped over if that can be captured on."""
        keys = en_passant_key(self._index(block), block.nodes.en_passant)
        order = np.argsort(keys)
        node = np.full(len(jumped), -1, np.int64)
        for over in (np.full_like(jumped, NO_SQUARE), jumped):
            wanted = en_passant_key(index, over)
            found = order[np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)]
            node = np.where(keys[found] == wanted, found, node)
        if (node < 0).any():
            raise ValueError("a pawn move leads to what is no position of its block")
        return block.entry[node], block.dtg[node]
