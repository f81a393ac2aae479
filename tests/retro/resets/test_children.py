"""The planes that files give, and where planes of the table itself lie in memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tbgen.index.layout import layout_of
from tbgen.material import table_named
from tbgen.retro.resets.children import hold_planes
from tbgen.retro.resets.destinations import NOT_HERE
from tbgen.score import Color
from tbgen.storage.files import path_of
from tbgen.storage.reader import TableFile
from tbgen.table import Box


def cells_of_box(box: Box) -> np.ndarray:
    """Where the cells of a box lie in the arrays that it reads, an axis for each man."""
    cells = np.zeros((), np.int64)
    for size, stride in zip(box.size.tolist(), box.stride.tolist(), strict=True):
        cells = cells[..., np.newaxis] + np.arange(size) * stride
    return cells


def part_of_plane(box: Box) -> tuple[slice, ...]:
    """The digits of each man in a box."""
    firsts = box.first.tolist()
    sizes = box.size.tolist()
    return tuple(slice(first, first + size) for first, size in zip(firsts, sizes, strict=True))


@pytest.mark.parametrize("name", ["KQvK", "KPvK"])
def test_a_file_gives_the_planes_that_its_table_has(table_folder: Path, name: str) -> None:
    material = table_named(name)
    layout = layout_of(material)
    with TableFile(path_of(table_folder, material)) as file:
        whole = file.values()
        for block in {0, len(layout.blocks) // 2, len(layout.blocks) - 1}:
            for side in Color:
                plane = whole.boxes(block, side)[0].read()
                for box in file.boxes(block, side):
                    cells = cells_of_box(box)
                    part = part_of_plane(box)
                    for column, expected in zip(box.read(), plane, strict=True):
                        here = np.asarray(expected).reshape(layout.shape[2:])[part]
                        np.testing.assert_array_equal(here, np.asarray(column)[cells])


def test_planes_that_are_asked_for_again_stay_where_they_are() -> None:
    """Three halves of ten cells; planes 0 to 5."""
    start = np.full(6, NOT_HERE, np.int64)
    halves = range(0, 30, 10)
    assert hold_planes(start, halves, [1, 4]) == [1, 4]
    assert start.tolist() == [NOT_HERE, 0, NOT_HERE, NOT_HERE, 10, NOT_HERE]
    assert hold_planes(start, halves, [0, 4, 5]) == [0, 5]
    assert start.tolist() == [0, NOT_HERE, NOT_HERE, NOT_HERE, 10, 20]
    assert hold_planes(start, halves, []) == []
    assert set(start.tolist()) == {NOT_HERE}
