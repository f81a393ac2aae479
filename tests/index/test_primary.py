"""Which cell is primary: kernels say the same as `Layout.cell_of`."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tbgen.index.kernels import (
    are_in_order,
    beside_image,
    has_two_cells,
    primary_black_kings,
    primary_white_kings,
)
from tbgen.index.layout import Layout, how_turned, layout_of
from tbgen.material import Material

NAMES = ["KvK", "KNvK", "KNNvK", "KNvKN", "KNNvKN", "KPvK", "KPPvK", "KNPPvK", "KNNPvK", "KPvKP"]
CASES = 500


def twin_start_of(layout: Layout) -> np.ndarray:
    start = np.arange(len(layout.slots), dtype=np.int64)
    for first, end in layout.twins:
        start[first:end] = first
    return start


def cells_in_order(layout: Layout) -> list[tuple[int, tuple[int, ...]]]:
    """Random cells whose equal men ascend, half of them in blocks that equal their mirror image, if
    there are any.
    """
    random_ = random.Random(str(layout.material))
    own_mirrors = [n for n, pawns in enumerate(layout.blocks) if layout.is_own_mirror(pawns)]
    found, start = [], twin_start_of(layout)
    while len(found) < CASES:
        cell = random_.randrange(layout.cells)
        if own_mirrors and len(found) % 2:
            cell = random_.choice(own_mirrors) * 2 * layout.block_words * 64 + cell % (
                layout.block_words * 64
            )
        _, squares = layout.squares_of(cell)
        if len(set(squares)) < len(squares):
            continue
        ascend = all(
            list(squares[first:end]) == sorted(squares[first:end]) for first, end in layout.twins
        )
        assert are_in_order(np.array(squares), start, layout.pawns + 1, len(squares) - 1) == ascend
        if ascend:
            found.append((cell, squares))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_kernels_name_the_same_cells_primary_as_the_layout(name: str) -> None:
    layout = layout_of(Material.parse(name))
    start, last = twin_start_of(layout), len(layout.slots) - 1
    images = np.zeros(len(layout.slots), np.int64)
    for cell, men in cells_in_order(layout):
        side, squares = layout.squares_of(cell)[0], np.array(men)
        how, king = (
            how_turned(layout.pawns, layout.is_own_mirror(men[: layout.pawns])),
            men[layout.pawns],
        )
        is_primary = layout.cell_of(side, men) == cell
        compared = beside_image(squares, start, layout.pawns + 1, last, images)
        assert bool(int(primary_black_kings(how, king, compared)) >> men[last] & 1) == is_primary
        compared = beside_image(squares, start, layout.pawns + 1, last + 1, images)
        assert bool(
            int(primary_white_kings(how, compared)) >> king & 1
        ) == is_primary or not has_two_cells(how, king)
        assert is_primary or has_two_cells(how, king)
