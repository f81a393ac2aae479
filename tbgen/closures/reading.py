"""Reading: the values of solved blocks, and of the tables that they lead to.

A block with unsolved promotions is solved with the least that these can be worth to White, or with
the most, or with both. If a promotion is worth more to White, no position is worth less to him. So
the true values lie between. A block at cuts has bits, which give bounds.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import lru_cache, partial
from typing import Final, NamedTuple

import numpy as np

from tbgen.closures.bounds import (
    CELLS_AT_ONCE,
    UNKNOWN,
    Bound,
    Cuts,
    bounds_of_bits,
    bounds_of_values,
)
from tbgen.closures.closure import PlannedBlock
from tbgen.closures.placements import Node
from tbgen.closures.store import BlockArrays, BlockStore
from tbgen.errors import DamagedTableError
from tbgen.probe.opened import OpenTables
from tbgen.score import Score
from tbgen.storage.arrays import Array
from tbgen.table import Entries, Patterns

ENTRY: Final = "entry"
"""The values of all cells; those with Black to move are behind those with White to move."""
RIGHTS: Final = "en_passant"
"""The values of cells with a right to take en passant."""
ANSWERS: Final = "answers"
"""At cuts, the values of what was asked with an accrued score."""
PATTERN: Final = "pattern"
"""The pattern of each cell, which tells what any accrued score is worth there."""
PATTERNS: Final = [field.name for field in fields(Patterns)]
"""The parts that have the patterns themselves."""

ReadItems = Callable[[str, int, int | None], Array]
"""Reads the items of a part of a block from a first one to an end."""


class LostBlockError(Exception):
    """A block that was solved is not in the store any more."""


class SomeCells(NamedTuple):
    """The cells of a plane that are needed: those with a certain man on one of some squares."""

    stride: int
    """What a step of that man to the next square adds to a cell's number."""
    squares: frozenset[int]


ALL_CELLS: Final = SomeCells(1 << 62, frozenset([0]))


def at_cut(part: str, cut: Score) -> str:
    """The name of a part of a block for one of its cuts."""
    return f"{cut} {part}"


class SolvedBlocks:
    """The values of some blocks, and of tables.

    Arguments:
        tables: Have the values of all nodes that are not among the blocks.
        blocks: As they are solved, by their nodes.
        store: Has their values.
    """

    def __init__(
        self, tables: OpenTables, blocks: Mapping[Node, PlannedBlock], store: BlockStore
    ) -> None:
        self.tables = tables
        self.blocks = blocks
        self.store = store
        self._unsaved = dict[str, BlockArrays]()
        self._damaged = set[str]()
        self._patterns = lru_cache(len(Bound))(self._read_patterns)

    def solve(self, block: PlannedBlock) -> None:
        """Solve a block that another process has removed, or the disk has damaged."""
        raise LostBlockError(block.key)

    def _items(
        self,
        block: PlannedBlock,
        bound: Bound,
        part: str,
        first: int = 0,
        end: int | None = None,
        room: Array | None = None,
    ) -> Array:
        """Some items of a part of a block as it is solved with a bound."""
        name = block.name_with(bound)
        while True:
            arrays = self._unsaved.get(name)
            if arrays is not None:
                return arrays[part][first:end]
            stored = self.store.get(name)
            if stored is None:
                self.solve(block)
                continue
            try:
                return stored.items(part, first, end, room)
            except DamagedTableError:
                if name in self._damaged:
                    raise
                self._damaged.add(name)
                self.store.remove(name)

    def read(
        self,
        block: PlannedBlock,
        part: str,
        bound: Bound,
        first: int = 0,
        end: int | None = None,
        needed: SomeCells = ALL_CELLS,
        room: Entries | None = None,
    ) -> Entries:
        """Some values of a part of a block, with a bound in place of unsolved promotions.

        `part` is ENTRY, RIGHTS or ANSWERS. Only the cells that are needed have their values. They
        are in `room` or another array.
        """
        size = (block.node.cells if end is None else end) - first
        if not block.is_solved_with(bound):
            return _unknown_values(size, bound, room)
        if not block.cuts:
            return self._items(block, bound, part, first, end, room)
        items = partial(self._items, block, bound)
        if part != ENTRY:
            rows = [items(at_cut(part, cut)) for cut in block.cuts]
            return bounds_of_values(rows, block.cuts, bound)[first:end]
        entry: Entries = np.zeros(size, np.int8) if room is None else room
        for start in range(0, size, CELLS_AT_ONCE):
            part_of_entry = entry[start : start + CELLS_AT_ONCE]
            _read_bounds(items, block.cuts, bound, first + start, needed, part_of_entry)
        return entry

    def read_rights(self, block: PlannedBlock, bound: Bound, room: Entries) -> None:
        """Fill `room` with the values of a block's cells with a right to take en passant."""
        if block.is_solved_with(bound):
            room[:] = self.read(block, RIGHTS, bound)
        else:
            room[:] = UNKNOWN[bound]

    def held(self, block: PlannedBlock, bound: Bound, cell: int, accrued: Score) -> Score:
        """What an accrued score is worth in a cell of a root, where the cell's own does not count.

        At cuts, that is known of what was asked alone.
        """
        number = cell
        part = ENTRY
        if block.cuts:
            if (accrued, cell) not in block.queries:
                return Score.from_signed(UNKNOWN[bound])
            number = block.queries.index((accrued, cell))
            part = ANSWERS
        (signed,) = self.read(block, part, bound, number, number + 1)
        value = Score.from_signed(int(signed))
        if block.cuts or not block.is_solved_with(bound) or value.code < accrued.code:
            return value
        (pattern,) = self._items(block, bound, PATTERN, cell, cell + 1)
        outcome, _ = self._patterns(block, bound).held(int(pattern), accrued)
        return outcome

    def _read_patterns(self, block: PlannedBlock, bound: Bound) -> Patterns:
        return Patterns(*(self._items(block, bound, part) for part in PATTERNS))

    def is_exact(self, node: Node) -> bool:
        """Whether both bounds give all cells of a node the same values."""
        block = self.blocks.get(node)
        if block is not None:
            return block.is_exact and not block.cuts
        return bool(self.tables.digest(node.material) or self.tables.digest_of_pairs(*node))

    def plane(
        self,
        node: Node,
        side: int,
        bound: Bound,
        needed: SomeCells = ALL_CELLS,
        room: Entries | None = None,
    ) -> Entries:
        """The entry values of a node with one side to move; arguments are as for `read`.

        A node that is neither solved nor in a table has the bound everywhere.
        """
        half = node.cells // 2
        block = self.blocks.get(node)
        if block is not None:
            return self.read(block, ENTRY, bound, side * half, (side + 1) * half, needed, room)
        if self.tables.digest(node.material):
            return self.tables.plane(*node, side, room)
        if self.tables.digest_of_pairs(*node):
            return self.tables.plane_of_pairs(*node, side, room)
        return _unknown_values(half, bound, room)


def _unknown_values(size: int, bound: Bound, room: Entries | None) -> Entries:
    """The bound of values of which nothing is known, in `room` or a new array."""
    values = np.empty(size, np.int8) if room is None else room[:size]
    values[:] = UNKNOWN[bound]
    return values


def _read_bounds(
    items: ReadItems, cuts: Cuts, bound: Bound, first: int, needed: SomeCells, entry: Entries
) -> None:
    """Fill an array with the bounds of cells from `first` on, at least of those that are needed."""
    stride, squares = needed
    step = min(CELLS_AT_ONCE, stride)
    end = first + len(entry)
    bits = [items(at_cut(ENTRY, cut), first >> 3, (end + 7) >> 3) for cut in cuts]
    for start in range(0, len(entry), step):
        square = (first + start) // stride % 64
        if square in squares:
            part = entry[start : start + step]
            some_bits = [row[start >> 3 : ((start + step) >> 3) + 1] for row in bits]
            part[:] = bounds_of_bits(some_bits, cuts, bound, first & 7, len(part))
