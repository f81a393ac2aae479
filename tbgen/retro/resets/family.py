"""Family: the values that resets lead to, as kernels read them.

Captures lead to tables with a man less, which are held whole. Promotions lead to tables that may be larger than the one
that is being solved, and pawn moves to blocks of its own: of these, only what the blocks being solved can reach is in
memory (see children.py and promotions.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Ints, Shorts, SignedBytes
from tbgen.compiled.jit import by_address
from tbgen.index.layout import Layout, layout_of
from tbgen.material import Material
from tbgen.retro.resets.destinations import (
    Destinations,
    Reset,
    Shapes,
    pack_destinations,
    resets_of,
    shapes_of,
)
from tbgen.retro.words.movelist import NO_SLOT
from tbgen.score import Color

NOT_HERE = -1


@by_address
class Planes(NamedTuple):
    """Entry values and distances of the planes that are in memory."""

    start: Ints
    """[plane] -> where its cells begin below, or NOT_HERE."""
    entry: SignedBytes
    dtg: Shorts


@by_address
class Promotions(NamedTuple):
    """What promotions lead to, cell beside cell with the block and side to move they come from, in its colours."""

    start: Ints
    """[block, pawn, new role] -> where its cells begin below, or NOT_HERE."""
    entry: SignedBytes
    dtg: Shorts


@by_address
class EnPassant(NamedTuple):
    """Entry values with a right to take en passant, one a cell; 0 where nobody can."""

    start: Ints
    """[block, side to move, file of the pawn just moved] -> where its cells begin below, or NOT_HERE."""
    entry: SignedBytes
    dtg: Shorts


@by_address
class Family(NamedTuple):
    """A table and its children, for kernels."""

    shapes: Shapes
    destinations: Destinations
    planes: Planes
    promotions: Promotions
    en_passant: EnPassant


class Kinship(NamedTuple):
    """The tables of a family by number, and how they hang together."""

    layouts: Sequence[Layout]
    resets: Sequence[Reset]

    @property
    def captures(self) -> list[int]:
        """The tables that captures lead to, by number."""
        return sorted({self.number_of(reset.material) for reset in self.resets if reset.gone != NO_SLOT})

    def number_of(self, material: Material) -> int:
        return [layout.material for layout in self.layouts].index(material)


def kinship_of(layout: Layout) -> Kinship:
    """Which tables a table needs; itself is number 0."""
    layouts = [layout, *[layout_of(material) for material in layout.material.children()]]
    return Kinship(layouts, resets_of(layout))


def empty_family(kinship: Kinship) -> Family:
    """A family in which no value is in memory yet."""
    layout, nothing = kinship.layouts[0], (np.zeros(0, np.int8), np.zeros(0, np.uint16))
    shapes = shapes_of(kinship.layouts)
    start, cells = en_passant_places(layout)
    return Family(
        shapes=shapes,
        destinations=pack_destinations(kinship.resets, [each.material for each in kinship.layouts]),
        planes=Planes(np.full(shapes.plane_start[-1], NOT_HERE, np.int64), *nothing),
        promotions=Promotions(np.full((len(layout.blocks), max(layout.pawns, 1), 8), NOT_HERE, np.int64), *nothing),
        en_passant=EnPassant(start, np.zeros(cells, np.int8), np.zeros(cells, np.uint16)),
    )


def en_passant_places(layout: Layout) -> tuple[Ints, int]:
    """Room for the values of blocks in which a pawn may just have made a double step beside an enemy pawn."""
    start, cells = np.full((len(layout.blocks), 2, 8), NOT_HERE, np.int64), 0
    for number, block in enumerate(layout.blocks):
        for (color, _), square in zip(layout.slots, block, strict=False):
            rank = 3 if color is Color.WHITE else 4
            enemies = [s for (other, _), s in zip(layout.slots, block, strict=False) if other is not color]
            if square // 8 == rank and any(s // 8 == rank and abs(s - square) == 1 for s in enemies):
                start[number, color.other, square % 8] = cells
                cells += layout.block_words * 64
    return start, cells
