"""Placement: which arrays of a large block lie in memory and which in files, where memory is short.

Kernels see arrays either way. The worklists go through words in ascending order, so what a layer touches of a file it
touches from its beginning to its end. Arrays that are touched least leave memory first. Only what does not grow with
the block always stays: heads of queues, scratch space, and the bitmaps that say which words of a set have any cells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

Group = TypeVar("Group", bound=tuple[Any, ...])
Path = tuple[str, ...]
"""The names of the groups in which an array lies, from the outermost on, and its own."""

COLDEST_FIRST = (
    "numbers",
    "rows",
    "resets",
    "agenda",
    "interners",
    "histories",
    "patterns",
    "seeds",
    "codes",
    "values",
    "labels",
    "worklists",
    "sets",
)
"""What can lie in files, in the order of how much of it a level touches (record 270). The writer numbers all cells, row
after row, and reads the rows of patterns in order; resets are read where a cell is rechecked, a seventh of their pages;
histories change where a label is confirmed, a quarter. Of what fills the most that it may take has to be allowed, which
few tables do. Codes are read once a level, values written once a cell, labels read all the time. Sets of cells have 64
cells a word: a page of them serves 32,768, and every move looks at some."""

_SETS_OF_BLOCK = ("occupied", "legal", "check", "undecided", "frozen", "resets", "first_reset", "numbered", "next_code")
_SETS_OF_FORCER = ("free", "left", "blocked", "unlabelled", "labelled", "fresh", "out", "gained", "worst")

_ARRAYS: Mapping[str, tuple[str, ...]] = {
    "resets": ("best.outcome", "best.shortest", "best.longest"),
    "values": ("entry", "dtg"),
    "histories": ("history",),
    "codes": ("code",),
    "labels": ("label",),
    "worklists": ("bits", "words"),
    "sets": (*_SETS_OF_BLOCK, *_SETS_OF_FORCER),
}
"""The arrays of a worker, of values and of worklists that are as long as the block, by the ends of their paths."""

_NAMES = {ending: name for name, endings in _ARRAYS.items() for ending in endings}

_APART = frozenset(("seeds", "agenda", "interner", "pairs", "neighbours"))
"""Groups with arrays of other lengths: lists that fill as the work goes on, and scratch space."""

_FILLING = frozenset(("next", "site", "bits", "before", "event", "table"))
"""The arrays of lists that are as long as they may become."""


def name_of(path: Path) -> str | None:
    """What `COLDEST_FIRST` calls an array that is as long as the block; None if it is not."""
    return None if _APART.intersection(path) else _NAMES.get(".".join(path[-2:]), _NAMES.get(path[-1]))


class Files(Protocol):
    """Where arrays lie for which there is no memory."""

    def zeros(self, size: int, kind: npt.DTypeLike, rank: int = 0) -> npt.NDArray[Any]:
        """A flat array of zeros; those of the least rank are touched least."""


class Grant(NamedTuple):
    """What the arrays of a table may take of memory, and where the others go."""

    bytes: int
    files: Files
    slots: int
    """How many all threads together may have to find states with, while the table is written."""


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
            return self._grant.files.zeros(size, kind, COLDEST_FIRST.index(name))
        return np.zeros(size, kind)

    def has_in_files(self, name: str) -> bool:
        """Whether what this name stands for lies in files."""
        return name in self._in_files

    def new_list(self, name: str, group: Group) -> Group:
        """A new list, a queue or an interner, where it is to lie."""
        if name not in self._in_files:
            return group
        fields: Iterable[str] = getattr(group, "_fields", ())
        arrays = zip(fields, group, strict=True)
        return type(group)(*(self._new(name, array) if field in _FILLING else array for field, array in arrays))

    def new(self, group: Group) -> Group:
        """A group of arrays in which nothing has been written yet, those with names where they are to lie."""
        return replaced(group, lambda name, array: self._new(name, array) if self._has_to_move(name, array) else array)

    def placed(self, group: Group) -> Group:
        """A group of arrays with all that they hold, where they are to lie."""
        return replaced(
            group, lambda name, array: self._moved(name, array) if self._has_to_move(name, array) else array
        )

    def _has_to_move(self, name: str, array: npt.NDArray[Any]) -> bool:
        return self._grant is not None and name in self._in_files and _has_own_memory(array)

    def _new(self, name: str, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return self.zeros(name, array.size, array.dtype).reshape(array.shape)

    def _moved(self, name: str, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        moved = self._new(name, array)
        moved[...] = array
        return moved


def _has_own_memory(array: npt.NDArray[Any]) -> bool:
    """Whether numpy made the memory of an array, or of that which it is a view of."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array.base is None


def arrays_of(path: Path, value: Any) -> Iterator[tuple[Path, npt.NDArray[Any]]]:
    """All arrays in groups of groups of arrays, each with the names that lead to it."""
    if isinstance(value, np.ndarray):
        yield path, value
    elif isinstance(value, tuple):
        for name, each in zip(getattr(value, "_fields", ()), value, strict=True):
            yield from arrays_of((*path, name), each)


def replaced(group: Group, new: Callable[[str, npt.NDArray[Any]], npt.NDArray[Any]], path: Path = ()) -> Group:
    """The same groups of groups with other arrays in the place of those that have names."""

    def each(path: Path, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            name = name_of(path)
            return value if name is None else new(name, value)
        return replaced(value, new, path) if isinstance(value, tuple) else value

    fields: Iterable[str] = getattr(group, "_fields", ())
    return type(group)(*(each((*path, name), value) for name, value in zip(fields, group, strict=True)))


def names_in_files(needed: Mapping[str, int], most: int, already: Iterable[str] = ()) -> set[str]:
    """What has to lie in files so that the rest takes no more than `most` bytes, the coldest first."""
    found = set(already)
    for name in (name for name in COLDEST_FIRST if name in needed):
        if sum(size for other, size in needed.items() if other not in found) <= most:
            break
        found.add(name)
    return found
