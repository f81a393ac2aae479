"""States: what is said of a cell.

A *state* is an entry value, its distance and a pattern of the middle. A table has few different ones,
numbered from the most frequent on. Files keep a state in parts, its symbol (symbols.py) apart from its
distance and detail. Cells that hold no position get the state of the cell before them.

The states of one symbol and one distance are a *group*. A cell's symbol and distance say which group its state is in,
and its detail which of these; most groups have one state.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import WideInts
from tbgen.errors import RepresentationError
from tbgen.score import Color
from tbgen.table import Distances, Entries, Numbers, Patterns

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


def occurring(numbers: WideInts, patterns: Patterns) -> tuple[WideInts, Patterns]:
    """The patterns that states have, and their new numbers: cells without a position may have had others."""
    occurs = np.zeros(len(patterns), np.bool_)
    occurs[numbers], occurs[0] = True, True
    if occurs.all():
        return numbers, patterns
    lengths = patterns.start[1:].astype(np.int64) - patterns.start[:-1]
    rows = np.repeat(occurs, lengths)
    start = in_32_bits(np.concatenate([[0], np.cumsum(lengths[occurs])]), "rows")
    renumbered: WideInts = (np.cumsum(occurs) - 1).astype(np.uint32)
    holder, code, outcome, dtg = patterns.holder, patterns.code, patterns.outcome, patterns.dtg
    return renumbered[numbers], Patterns(start, holder[rows], code[rows], outcome[rows], dtg[rows])


def flips_of(entry: Entries, side: Color) -> Distances:
    """Which bit of a distance a file has flipped, by entry value.

    Who holds an outcome reaches it with a move, so the distance is odd if that side is to move and even if not. With
    the lowest bit flipped in one case the number is always even, and compresses as its half would.
    """
    flips: Distances = ((entry > 0) == (side is Color.WHITE)).astype(np.uint16)
    return flips


def patterns_of(records: Records, rows: Records) -> tuple[Numbers, Patterns]:
    """The pattern of each state, and all patterns: those of the table of which these are the details."""
    first, count = records["first"], records["rows"]
    begins = np.zeros(len(rows) + 1, np.bool_)
    begins[first[count > 0]] = True
    number = np.where(count > 0, np.cumsum(begins, dtype=np.uint32)[first], 0).astype(np.uint32)
    start = in_32_bits(np.concatenate([[0], np.flatnonzero(begins), [len(rows)]]), "rows")
    return number, Patterns(start, *[np.ascontiguousarray(rows[name]) for name in ("holder", "code", "outcome", "dtg")])
