from __future__ import annotations

import numpy as np
import pytest

from tbgen.material import Material
from tbgen.storage.order import order_of


@pytest.mark.parametrize("name", ["KvK", "KBvK", "KPvK", "KBvKN", "KPPvK"])
def test_the_place_of_a_cell_is_where_the_file_has_it(name: str) -> None:
    order = order_of(Material.parse(name))
    cells = np.arange(order.layout.cells)
    in_file = cells.reshape(order.layout.shape).transpose(order.axes).ravel()
    some = np.random.default_rng(3).integers(0, len(cells), 200)
    assert in_file[order.place_of(some)].tolist() == some.tolist()
    assert [order.place_of(cell) for cell in some.tolist()] == order.place_of(some).tolist()
    assert (order.from_file(in_file) == cells).all()


@pytest.mark.parametrize("name", ["KvK", "KBvK", "KPvK", "KBvKN"])
def test_who_is_to_move_is_told_of_whole_planes_and_of_their_parts(name: str) -> None:
    order = order_of(Material.parse(name))
    cells = order.layout.cells
    plane = order.plane_places
    for size in {order.chunk_cells, min(plane, order.chunk_cells), min(2 * plane, cells)}:
        for first in range(0, cells, size):
            places = np.arange(first, min(first + size, cells))
            black = [place for place in places.tolist() if place // plane % 2]
            assert order.black_part(first, places).ravel().tolist() == black
