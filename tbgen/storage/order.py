"""The order in which a file has the cells of a table.

The file's array has the axes of the layout in another order, which compresses a fifth to a quarter
better. The white king varies fastest, because the state changes least between neighbouring squares
of his. A *place* is a cell's index in that order. A chunk is a range of places, so a division finds
a place's chunk.

Block and side to move stay outermost in both orders. So a plane of cells is a plane of places, and
tbgen can convert a table part by part.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Ints
from tbgen.index.layout import Layout, layout_of
from tbgen.material import TableMaterial
from tbgen.storage.schema import CHUNK_CELLS

Place = TypeVar("Place", int, npt.NDArray[np.int64])

_PART_CELLS = 1 << 22

LEAST_TILE_SIDE = 32
"""A tile with fewer squares of the white king has another man's squares, too."""

MOST_KEPT_PLACES = 1 << 30
"""The numbers of the states of larger tables are not kept while the table is written: they would
take four gigabytes and more. Each is looked up again when its place is written."""


class Order:
    """The order of the axes in a file's array, its shape, and that of a chunk.

    An axis has its number in the layout.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        # From the black king (slowest) back to the white king (fastest). With the others fixed, a
        # row of places differs in the white king alone, and most neighbours in it have the same
        # state.
        other_men = reversed(range(3, len(layout.shape)))
        self.axes = (0, 1, *other_men, 2)
        self.shape = tuple(layout.shape[axis] for axis in self.axes)
        self.chunk = _chunk_of(self.shape)
        self.chunk_cells = math.prod(self.chunk)
        self.steps = [0] * len(self.axes)
        """[axis of the layout] -> the distance of neighbours along it, in places."""
        for number, axis in enumerate(self.axes):
            self.steps[axis] = math.prod(self.shape[number + 1 :])

    @property
    def names(self) -> list[str]:
        """The names of the axes of the file's array."""
        names = ["pawns", "side to move"]
        for color, role in self.layout.slots[self.layout.pawns :]:
            names.append(f"{color} {role.name}".lower())
        return [names[axis] for axis in self.axes]

    @property
    def chunks(self) -> list[slice]:
        return self._slices(self.chunk_cells)

    @property
    def plane_places(self) -> int:
        """The number of consecutive places with the same block and side to move."""
        return self.layout.block_words * 64

    def place_of(self, cell: Place) -> Place:
        """The place of a cell, or of each of an array of cells.

        >>> from tbgen.material import Material
        >>> order_of(Material.parse("KvK").canonical()).place_of(1)
        10
        """
        shape = self.layout.shape
        left: Any = cell
        place: Any = 0
        for axis in range(len(shape) - 1, 0, -1):
            left, index = divmod(left, shape[axis])
            place += index * self.steps[axis]
        place += left * self.steps[0]
        return cast("Place", place)

    def cells_of(self, places: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        indices = np.unravel_index(places, self.shape)
        in_layout = [indices[number] for number in np.argsort(self.axes)]
        cells: npt.NDArray[np.int64] = np.ravel_multi_index(in_layout, self.layout.shape)
        return cells

    def box_of(self, start: int) -> tuple[Ints, Ints, Ints]:
        """The cells of a chunk of a plane, and those that differ from them in the black king alone.

        By the layout's axes within a plane: the first index and the size of each, and the distance
        of its neighbours.
        """
        shape = self.shape[2:]
        size = np.array([shape[0], *self.chunk[3:]], np.int64)
        first = np.array(np.unravel_index(start, shape), np.int64)
        stride = np.array([np.prod(size[axis + 1 :]) for axis in range(len(size))], np.int64)
        back = np.argsort(self.axes[2:])
        return first[back], size[back], stride[back]

    def from_file(
        self, places: npt.NDArray[Any], room: npt.NDArray[Any] | None = None
    ) -> npt.NDArray[Any]:
        """All places, or whole planes, in the order of the cells, in `room` or a new array."""
        back = [0, *np.argsort(self.axes[2:]) + 1]
        source = places.reshape(-1, *self.shape[2:]).transpose(back)
        cells = np.empty(source.shape, source.dtype) if room is None else room.reshape(source.shape)
        # The white king varies fastest in one order, and the black king in the other. Tiles of both
        # pass through a small array that stays in a cache: four times as fast as all at once.
        white_king = 1
        tile_axes = 2
        if source.shape[white_king] < LEAST_TILE_SIDE and source.ndim > 3:
            tile_axes = 3
        cell_tiles = np.moveaxis(cells, white_king, -tile_axes)
        source_tiles = np.moveaxis(source, white_king, -tile_axes)
        shape = cell_tiles.shape[-tile_axes:]
        tile = np.empty(tuple(reversed(shape)), source.dtype)
        for at in np.ndindex(cell_tiles.shape[:-tile_axes]):
            tile[...] = source_tiles[at].T
            cell_tiles[at] = tile.T
        return cells.ravel()

    def black_part(self, first: int, items: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The items with Black to move among some places from `first` on.

        The places are a part of a plane, or whole planes.
        """
        plane = self.plane_places
        by_plane = items.reshape(-1, min(plane, len(items)))
        first_side = first // plane % 2
        first_black = 0 if first_side else 1
        return by_plane[first_black::2]

    def parts(self) -> list[slice]:
        """Runs of cells that are also runs of places: planes, many together if they are small."""
        return self._slices(self.plane_places * max(1, _PART_CELLS // self.plane_places))

    def _slices(self, size: int) -> list[slice]:
        """Slices of all cells, or of all places, of a given size."""
        return [
            slice(start, min(start + size, self.layout.cells))
            for start in range(0, self.layout.cells, size)
        ]


def _chunk_of(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Trailing axes whole, then a power of two of one axis, then ones.

    So a chunk is a box of the array and at the same time a range of places, and every chunk of a
    plane is full.
    """
    chunk = list[int]()
    room = CHUNK_CELLS
    for size in reversed(shape):
        power_of_two = 1 << (room.bit_length() - 1)
        chunk.append(size if size <= room else power_of_two)
        room //= chunk[-1]
    return tuple(reversed(chunk))


@lru_cache(maxsize=256)
def order_of(material: TableMaterial) -> Order:
    """The order of a canonical material's cells in its files."""
    return Order(layout_of(material))
