"""Handover: what the solver, tables in memory and files of tables pass each other, as plain arrays.

A table is solved in *runs* of blocks. A run has a dictionary of patterns of its own; when all runs are there, the
dictionaries become one, and the cells are handed on in *pieces* with the numbers that their patterns have in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Ints, Ints32, Shorts, SignedBytes, WideInts

Entries = SignedBytes
"""[cell] -> entry value as a signed outcome byte, 0 where there is no position."""
Distances = Shorts
Numbers = Ints32
"""[cell] -> number of its pattern."""


@dataclass(frozen=True, eq=False)
class Box:
    """Some cells of a plane (a block with one side to move): a range of every axis from one king to the other."""

    first: Ints
    size: Ints
    stride: Ints
    """[axis] how far apart neighbours lie in what `read` gives."""
    read: Callable[[], tuple[Entries, Distances]]
    """Entry values and distances; they are only looked for when this is called."""


def often_first(often: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
    """The numbers of some things, those first that occur most often, and equally frequent ones in ascending order.

    Where there are fewer than 2**32 of them, and of each, it is one sort of plain numbers.
    """
    rare = np.uint64(often.max(initial=0)) - often.astype(np.uint64, copy=False)
    if max(len(rare), int(rare.max(initial=0))) >> 32:  # of tables of six men some states have billions of cells
        return np.argsort(rare, kind="stable").astype(np.uint64)
    rare <<= np.uint64(32)
    rare |= np.arange(len(often), dtype=np.uint64)
    rare.sort()
    rare &= np.uint64(0xFFFFFFFF)
    return rare


class Dictionary(NamedTuple):
    """The patterns of a run: pattern n has the rows start[n] to start[n + 1], each of them one number."""

    start: Ints
    rows: Ints
    often: Ints
    """[pattern] -> how many cells have it."""


class Cells(NamedTuple):
    """What some cells hold; flat arrays."""

    entry: Entries
    dtg: Distances
    pattern: Numbers

    def part(self, first: int, end: int) -> Cells:
        return Cells(self.entry[first:end], self.dtg[first:end], self.pattern[first:end])

    @classmethod
    def room(cls, size: int) -> Cells:
        """Room for so many cells."""
        return cls(np.empty(size, np.int8), np.empty(size, np.uint16), np.empty(size, np.uint32))

    @classmethod
    def joined(cls, parts: Sequence[Cells]) -> Cells:
        """Some parts, one after another."""
        entry, dtg, pattern = zip(*parts, strict=True)
        return cls(np.concatenate(entry), np.concatenate(dtg), np.concatenate(pattern))


class Piece(NamedTuple):
    """Some cells whose patterns have numbers of their own."""

    first: int
    """The first cell."""
    cells: Cells
    numbers: WideInts
    """[their pattern] -> pattern of the table."""


@dataclass(frozen=True, eq=False)
class Run:
    """A run of a table's cells that are solved."""

    first: int
    """Its first cell, and the one after its last."""
    end: int
    rows: int
    """Of its dictionary."""
    found: Ints
    """What a tally counts, see retro/drive/counts.py; cells count from the run's first."""
    en_passant: tuple[Entries, Distances]
    """Values of its positions with a right to take en passant, in the order of the family's EnPassant."""
