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
from tbgen.index.layout import Layout, layout_of
from tbgen.index.placements import how_turned
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
    plane = layout.block_words * 64
    start = twin_start_of(layout)
    cells = list[tuple[int, tuple[int, ...]]]()
    while len(cells) < CASES:
        cell = random_.randrange(layout.cells)
        if own_mirrors and len(cells) % 2:
            cell = random_.choice(own_mirrors) * 2 * plane + cell % plane
        _, squares = layout.squares_of(cell)
        if len(set(squares)) < len(squares):
            continue
        groups = [list(squares[first:end]) for first, end in layout.twins]
        ascend = all(group == sorted(group) for group in groups)
        assert are_in_order(np.array(squares), start, layout.pawns + 1, len(squares) - 1) == ascend
        if ascend:
            cells.append((cell, squares))
    return cells


@pytest.mark.parametrize("name", NAMES)
def test_kernels_name_the_same_cells_primary_as_the_layout(name: str) -> None:
    layout = layout_of(Material.parse(name))
    start = twin_start_of(layout)
    last = len(layout.slots) - 1
    images = np.zeros(len(layout.slots), np.int64)
    for cell, men in cells_in_order(layout):
        side, _ = layout.squares_of(cell)
        squares = np.array(men)
        king = men[layout.pawns]
        how = how_turned(layout.pawns, layout.is_own_mirror(men[: layout.pawns]))
        is_primary = layout.cell_of(side, men) == cell
        has_two = has_two_cells(how, king)
        assert is_primary or has_two

        compared = beside_image(squares, start, layout.pawns + 1, last, images)
        black_kings = int(primary_black_kings(how, king, compared))
        assert bool((black_kings >> men[last]) & 1) == is_primary

        compared = beside_image(squares, start, layout.pawns + 1, last + 1, images)
        white_kings = int(primary_white_kings(how, compared))
        if has_two:
            assert bool((white_kings >> king) & 1) == is_primary
