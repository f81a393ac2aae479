"""States: what is said of a cell.

A *state* is an entry value, its distance and a pattern of the middle. A table has few different ones,
numbered from the most frequent on. Files keep a state in parts, its symbol (symbols.py) apart from its
distance and detail (details.py). Cells that hold no position get the state of the cell before them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import WideInts
from tbgen.errors import RepresentationError

Records = npt.NDArray[Any]
"""Items of several fields, as schema.py declares them."""
Ids = npt.NDArray[np.unsignedinteger[Any] | np.int64]


@dataclass(frozen=True, eq=False)
class States:
    """Column by column what a state's number means."""

    entry: npt.NDArray[np.int8]
    dtg: npt.NDArray[np.uint16]
    pattern: WideInts

    def __len__(self) -> int:
        return len(self.entry)


def in_32_bits(numbers: npt.NDArray[Any], what: str) -> npt.NDArray[np.uint32]:
    """Numbers as a file has them; an error where one is too large, for numpy would cut it off."""
    check_32_bits(int(numbers.max(initial=0)), what)
    return numbers.astype(np.uint32)


def check_32_bits(number: int, what: str) -> None:
    """Raise if a file has no room for a number."""
    if number >> 32:
        raise RepresentationError(f"the number of {what}", "the 32 bits that files have for it")


def smallest(count: int) -> type[np.unsignedinteger[Any]]:
    """The smallest type that can number so many things."""
    if count <= 1 << 8:
        return np.uint8
    if count > 1 << 32:
        raise RepresentationError(f"{count} kinds of places", "the 32 bits that files have for one")
    return np.uint16 if count <= 1 << 16 else np.uint32
