"""Reading: the values of solved blocks, and of the tables that they lead to.

A block with unsolved promotions is solved with the least that these can be worth to White, or with
the most, or with both. If a promotion is worth more to White, no position is worth less to him. So
the true values lie between. A block at cuts has bits, which give bounds.
"""

from collections.abc import Mapping
from dataclasses import fields
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from tbgen.closures.bounds import (
    CELLS_AT_ONCE,
    UNKNOWN,
    Bound,
    bounds_of_bits,
    bounds_of_values,
)
from tbgen.closures.closure import PlannedBlock
from tbgen.closures.placements import Node
from tbgen.closures.store import BlockStore
from tbgen.errors import DamagedTableError
from tbgen.probe.opened import OpenTables
from tbgen.score import Color, Score
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
PLIES: Final = "plies"
"""The distance of each cell, which a line asks for; 0 where outcomes alone are found."""
PATTERNS: Final = [field.name for field in fields(Patterns)]
"""The parts that have the patterns themselves."""

LARGEST_KEPT: Final = 1 << 19
"""The cells of the largest node whose planes are kept: one with three free men."""

KEPT_OF_KINGS: Final = 1 << 14
"""The planes of two kings that are kept, of 4 KiB each."""

KEPT_LARGER: Final = 1 << 9
"""The planes with another man that are kept, of 256 KiB each."""


class LostBlockError(Exception):
    """A block that was solved is not in the store any more."""


class SomeCells(NamedTuple):
    """The cells of a plane that are needed: those with a certain man on one of some squares."""

    stride: int
    """What a step of that man to the next square adds to a cell's number."""
    squares: frozenset[int]


ALL_CELLS: Final = SomeCells(1 << 62, frozenset([0]))


class Plane(NamedTuple):
    """The entry values of a node with one side to move."""

    node: Node
    side: int
    bound: Bound
    """It replaces unsolved promotions. A node that is neither solved nor in a table has it
    everywhere.
    """


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
        self._damaged = set[str]()
        self._patterns = lru_cache(len(Bound))(self._read_patterns)
        # Several blocks lead to each plane. Nobody changes one that is kept.
        self._plane_of_kings = lru_cache(KEPT_OF_KINGS)(self._new_plane)
        self._larger_plane = lru_cache(KEPT_LARGER)(self._new_plane)

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
        """Some items of a part of a block with a bound, in `room` if it is given."""
        name = block.name_with(bound)
        while True:
            try:
                stored = self.store.items(name, part, first, end, room)
            except DamagedTableError:
                if name in self._damaged:
                    raise
                self._damaged.add(name)
                continue
            if stored is not None:
                return stored
            self.solve(block)

    def entry(self, block: PlannedBlock, bound: Bound, cell: int) -> Score:
        """The value of a cell whose own score counts."""
        entry: Entries = np.empty(1, np.int8)
        self._fill(block, bound, cell, entry)
        return Score.from_signed(int(entry[0]))

    def rights(self, block: PlannedBlock, bound: Bound) -> Entries:
        """The values of a block's cells with a right to take en passant."""
        if not block.is_solved_with(bound):
            cells = len(block.node.double_steps) * (block.node.cells // 2)
            return np.full(cells, UNKNOWN[bound], np.int8)
        if not block.cuts:
            return self._items(block, bound, RIGHTS)
        return self._bounds_at_cuts(block, bound, RIGHTS)

    def _bounds_at_cuts(self, block: PlannedBlock, bound: Bound, part: str) -> Entries:
        """The bounds of a part of a block that has values for each cut."""
        rows = [self._items(block, bound, at_cut(part, cut)) for cut in block.cuts]
        return bounds_of_values(rows, block.cuts, bound)

    def held(self, block: PlannedBlock, bound: Bound, cell: int, accrued: Score) -> Score:
        """What an accrued score is worth in a cell of a root, where the cell's own does not count.

        At cuts, that is known of what was asked alone.
        """
        if not block.is_solved_with(bound):
            return Score.from_signed(UNKNOWN[bound])
        if block.cuts:
            if (accrued, cell) not in block.queries:
                return Score.from_signed(UNKNOWN[bound])
            answers = self._bounds_at_cuts(block, bound, ANSWERS)
            return Score.from_signed(int(answers[block.queries.index((accrued, cell))]))
        value = self.entry(block, bound, cell)
        if value.code < accrued.code:
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

    def plane(self, plane: Plane) -> Entries:
        """The values of a plane, which nobody may change."""
        node = plane.node
        if node.cells > LARGEST_KEPT:
            return self._new_plane(plane)
        if self.is_exact(node):
            plane = plane._replace(bound=Bound.LOWER)
        kept = self._plane_of_kings if node.free == len(Color) else self._larger_plane
        return kept(plane)

    def _new_plane(self, plane: Plane) -> Entries:
        room = np.empty(plane.node.cells // 2, np.int8)
        self._read_plane(plane, room, ALL_CELLS)
        return room

    def fill_plane(self, plane: Plane, room: Entries, needed: SomeCells = ALL_CELLS) -> None:
        """Fill `room` with the values of a plane, at least of those cells that are needed."""
        if plane.node.cells > LARGEST_KEPT:
            self._read_plane(plane, room, needed)
        else:
            room[:] = self.plane(plane)

    def _read_plane(self, plane: Plane, room: Entries, needed: SomeCells) -> None:
        node, side, bound = plane
        block = self.blocks.get(node)
        if block is not None:
            self._fill(block, bound, side * len(room), room, needed)
        elif self.tables.digest(node.material):
            self.tables.plane(*node, side, room)
        elif self.tables.digest_of_pairs(*node):
            self.tables.plane_of_pairs(*node, side, room)
        else:
            room[:] = UNKNOWN[bound]

    def _fill(
        self,
        block: PlannedBlock,
        bound: Bound,
        first: int,
        room: Entries,
        needed: SomeCells = ALL_CELLS,
    ) -> None:
        """Fill `room` with the entry values of a block from a first cell on."""
        if not block.is_solved_with(bound):
            room[:] = UNKNOWN[bound]
        elif block.cuts:
            for start in range(0, len(room), CELLS_AT_ONCE):
                part = room[start : start + CELLS_AT_ONCE]
                self._fill_bounds(block, bound, first + start, part, needed)
        else:
            self._items(block, bound, ENTRY, first, first + len(room), room)

    def _fill_bounds(
        self, block: PlannedBlock, bound: Bound, first: int, room: Entries, needed: SomeCells
    ) -> None:
        """Fill `room` with the bounds of cells from a first one on, by the bits of each cut."""
        stride, squares = needed
        step = min(CELLS_AT_ONCE, stride)
        bits = list[Array]()
        for cut in block.cuts:
            part = at_cut(ENTRY, cut)
            end = first + len(room)
            bits.append(self._items(block, bound, part, first >> 3, (end + 7) >> 3))
        for start in range(0, len(room), step):
            square = (first + start) // stride % 64
            if square in squares:
                part_of_room = room[start : start + step]
                some_bits = [row[start >> 3 : ((start + step) >> 3) + 1] for row in bits]
                part_of_room[:] = bounds_of_bits(
                    some_bits, block.cuts, bound, first & 7, len(part_of_room)
                )
