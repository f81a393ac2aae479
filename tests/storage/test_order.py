from __future__ import annotations

import numpy as np
import pytest

from tbgen.material import Material
from tbgen.storage.files import Layer
from tbgen.storage.order import order_of
from tbgen.storage.schema import CHUNK_CELLS


@pytest.mark.parametrize("name", ["KvK", "KBvK", "KPvK", "KBvKN", "KPPvK"])
def test_the_place_of_a_cell_is_where_the_file_has_it(name: str) -> None:
    order = order_of(Material.parse(name))
    cells = np.arange(order.layout.cells)
    in_file = cells.reshape(order.layout.shape).transpose(order.axes).ravel()
    some = np.random.default_rng(3).integers(0, len(cells), 200)
    assert in_file[order.place_of(some)].tolist() == some.tolist()
    assert [order.place_of(cell) for cell in some.tolist()] == order.place_of(some).tolist()
    assert (order.from_file(in_file) == cells).all()


@pytest.mark.parametrize("name", ["KvK", "KBvK", "KPvK", "KBvKN", "KPPvK", "KPPPvK", "KRBvKN", "KRPvKP"])
def test_a_chunk_is_a_run_of_places(name: str) -> None:
    order = order_of(Material.parse(name))
    for layer in Layer:
        whole = list(order.chunk_in(layer))
        cells = int(np.prod(whole))
        assert cells <= CHUNK_CELLS[layer]
        assert order.chunk_cells % cells == 0
        while whole and whole[0] == 1:
            whole.pop(0)
        assert tuple(whole[1:]) == order.shape[len(order.shape) - len(whole) + 1 :]
        first = len(order.shape) - len(whole)
        assert first == 0 or order.shape[first] % whole[0] == 0 or all(size == 1 for size in order.shape[:first])
    assert order.chunk == order.chunk_in(Layer.OUTCOMES)


@pytest.mark.parametrize("name", ["KvK", "KBvK", "KPvK", "KBvKN"])
def test_who_is_to_move_is_told_of_whole_planes_and_of_their_parts(name: str) -> None:
    order = order_of(Material.parse(name))
    cells, plane = order.layout.cells, order.plane_places
    for size in {order.chunk_cells, min(plane, order.chunk_cells), min(2 * plane, cells)}:
        for first in range(0, cells, size):
            places = np.arange(first, min(first + size, cells))
            black = [place for place in places.tolist() if place // plane % 2]
            assert order.black_part(first, places).ravel().tolist() == black


def test_axes_are_named() -> None:
    assert order_of(Material.parse("KBvKN")).names == [
        "pawns",
        "side to move",
        "black king",
        "black knight",
        "white bishop",
        "white king",
    ]
