"""Planes in reversed colours, against the cell of each reversed position."""

import numpy as np
import pytest

from tbgen.index.layout import Layout, layout_of, partial_layout, slots_of
from tbgen.index.placements import HOW_BITS, HOW_MASK
from tbgen.index.reversal import reversed_pawns, reversed_plane
from tbgen.material import Material

POSITIONS = 400
"""A wrong order of men or squares is wrong for nearly all of them."""
CASES = [
    ("KBPvKN", (11,), "mirrored or not, no equal men"),
    ("KBPvKN", (14,), "on the files e-h"),
    ("KRRPvK", (25,), "equal men"),
    ("KRPvKRP.pairs", (12, 44), "a pair on the files e-h"),
    ("KPPvKPP.pairs", (9, 14, 41, 46), "pawns that are their own mirror image"),
    ("KPPvKPP.pairs", (9, 11, 41, 53), "two pairs"),
]


@pytest.mark.parametrize(("name", "pawns", "why"), CASES)
@pytest.mark.parametrize("side", [0, 1])
def test_a_reversed_plane_has_the_values_of_reversed_positions(
    name: str, pawns: tuple[int, ...], why: str, side: int
) -> None:
    layout = layout_of(Material.parse(name))
    address = layout.address_of(pawns)
    block = address >> HOW_BITS
    plane_cells = layout.block_words * 64
    draw = np.random.default_rng(len(why))
    entries = draw.integers(-127, 128, plane_cells).astype(np.int8)

    turned = layout.material.flipped()
    reversed_layout = partial_layout(turned, [mirrored_pawns(layout, turned, pawns)])
    (turned_pawns,) = reversed_layout.blocks
    assert set(reversed_pawns(layout, turned_pawns)) in (
        set(pawns),
        {square ^ 7 for square in pawns},
    )
    address = layout.address_of(reversed_pawns(layout, turned_pawns))
    values = reversed_plane(layout, address, entries)

    men = len(layout.slots) - layout.pawns
    for _ in range(POSITIONS):
        others = draw.choice(64, men, replace=False).tolist()
        squares = [*turned_pawns, *others]
        cell = np.ravel_multi_index(others, (64,) * men)
        left = list(zip(reversed_layout.slots, squares, strict=True))
        there = []
        for color, kind in layout.slots:
            man = next(man for man in left if man[0] == (color.other, kind))
            left.remove(man)
            there.append(man[1] ^ 56)
        expected = layout.cell_of(side, there) - (2 * block + side) * plane_cells
        assert values[cell] == -entries[expected], (address & HOW_MASK, squares)


def mirrored_pawns(layout: Layout, turned: Material, pawns: tuple[int, ...]) -> tuple[int, ...]:
    """The pawns of the reversed position, in the order of its slots."""
    left = list(zip(layout.slots, pawns, strict=False))
    squares = []
    for color, kind in slots_of(turned)[: len(pawns)]:
        man = next(man for man in left if man[0] == (color.other, kind))
        left.remove(man)
        squares.append(man[1] ^ 56)
    return tuple(squares)
