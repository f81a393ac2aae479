"""Planes as a solver has them, against places turned by numpy."""

from __future__ import annotations

import itertools
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pytest

from tbgen.material import Material
from tbgen.storage import planes
from tbgen.storage.order import order_of
from tbgen.storage.planes import entries_of_plane
from tbgen.storage.reader import TableFile

BLOCK = 1
SYMBOLS = 300


class MadeUpFile:
    """A file of a plane with made-up symbols."""

    def __init__(self, name: str, kind: npt.DTypeLike) -> None:
        draw = np.random.default_rng(5)
        self.order = order_of(Material.parse(name))
        self.entry_of_symbol = draw.integers(-128, 128, SYMBOLS).astype(np.int8)
        self.plane = draw.integers(0, SYMBOLS, self.order.plane_places).astype(kind)

    def symbols(self, first: int, end: int) -> npt.NDArray[Any]:
        start = (2 * BLOCK + 1) * len(self.plane)
        return self.plane[first - start : end - start].copy()


@pytest.mark.parametrize(
    ("name", "places_at_once", "kind"),
    [
        *itertools.product(("KvK", "KRvKN", "KPvKP"), (1, 1 << 14, 1 << 18), (np.uint16,)),
        *itertools.product(("KQvK", "KBPvK"), (1 << 14,), (np.uint16, np.uint32)),
        ("KBPvKN", 1 << 14, np.uint16),
    ],
)
def test_a_plane_has_the_entry_values_of_its_cells(
    monkeypatch: pytest.MonkeyPatch, name: str, places_at_once: int, kind: npt.DTypeLike
) -> None:
    monkeypatch.setattr(planes, "PLACES_AT_ONCE", places_at_once)
    file = MadeUpFile(name, kind)
    in_file = file.entry_of_symbol[file.plane].reshape(file.order.shape[2:])
    back = np.argsort(file.order.axes[2:])
    expected = in_file.transpose(back).ravel()
    room = np.zeros(len(expected), np.int8)
    assert entries_of_plane(cast("TableFile", file), BLOCK, 1, room) is room
    np.testing.assert_array_equal(room, expected)
    np.testing.assert_array_equal(entries_of_plane(cast("TableFile", file), BLOCK, 1), expected)
