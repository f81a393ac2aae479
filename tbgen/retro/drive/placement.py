"""Placement: which arrays of a large block lie in memory and which in files, where memory is short.

Kernels see arrays either way. The worklists go through words in ascending order, so what a layer touches of a file it
touches from its beginning to its end. Arrays that are touched least leave memory first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

Group = TypeVar("Group", bound=tuple[Any, ...])

COLDEST_FIRST = ("numbers", "resets", "values", "histories", "patterns", "codes", "labels")
"""What can lie in files. The writer numbers all cells, row after row; resets are read where a cell is rechecked, values
written once a cell, histories read and written where a label is confirmed; codes are read once a cell and level, labels
all the time."""


class Files(Protocol):
    """Where arrays lie that memory has no room for."""

    def zeros(self, size: int, kind: npt.DTypeLike) -> npt.NDArray[Any]:
        """A flat array of zeros."""


class Grant(NamedTuple):
    """What the arrays of a table may take of memory, and where the others go."""

    bytes: int
    files: Files


class Placement:
    """Where the arrays of a block lie."""

    def __init__(self, grant: Grant | None) -> None:
        self._grant = grant
        self._in_files: set[str] = set()

    def plan(self, needed: Mapping[str, int]) -> None:
        """Decide for arrays with these bytes which have to lie in files from now on; what does once stays there."""
        if self._grant is not None:
            self._in_files |= names_in_files(needed, self._grant.bytes, self._in_files)

    def zeros(self, name: str, size: int, kind: npt.DTypeLike) -> npt.NDArray[Any]:
        """A new flat array that belongs to what this name stands for."""
        if self._grant is not None and name in self._in_files:
            return self._grant.files.zeros(size, kind)
        return np.zeros(size, kind)

    def placed(self, name: str, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """An array that is in memory where it is to lie."""
        if self._grant is None or name not in self._in_files or not _has_own_memory(array):
            return array
        moved = self.zeros(name, array.size, array.dtype)
        moved[:] = array.reshape(-1)
        return moved.reshape(array.shape)

    def group(self, name: str, group: Group) -> Group:
        """The same of all arrays of a group."""
        return type(group)(*(self.placed(name, array) for array in group))


def _has_own_memory(array: npt.NDArray[Any]) -> bool:
    """Whether numpy made the memory of an array, or of that which it is a view of."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array.base is None


def names_in_files(needed: Mapping[str, int], most: int, already: Iterable[str] = ()) -> set[str]:
    """What has to lie in files so that the rest takes no more than `most` bytes, the coldest first."""
    found = set(already)
    for name in (name for name in COLDEST_FIRST if name in needed):
        if sum(size for other, size in needed.items() if other not in found) <= most:
            break
        found.add(name)
    return found
