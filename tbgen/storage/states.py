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

Records = npt.NDArray[Any]
"""Items of several fields, as schema.py declares them."""
Ids = npt.NDArray[np.unsignedinteger[Any]]


@dataclass(frozen=True, eq=False)
class States:
    """Column by column what a state's number means."""

    entry: npt.NDArray[np.int8]
    dtg: npt.NDArray[np.uint16]
    pattern: npt.NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.entry)


def smallest(count: int) -> type[np.unsignedinteger[Any]]:
    """The smallest type that can number so many things."""
    if count <= 1 << 8:
        return np.uint8
    return np.uint16 if count <= 1 << 16 else np.uint32
