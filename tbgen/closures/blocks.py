"""Blocks: the values of solved ones, and the solver of one that is solved alone.

A block with unsolved promotions is solved with the least that these can be worth to White, or with
the most, or with both. If a promotion is worth more to White, no position is worth less to him. So
the true values lie between.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tbgen.closures.children import ALL_CELLS, BOTH_SIDES, ClosureReader, SomeCells
from tbgen.closures.closure import Closure
from tbgen.closures.cuts import (
    UNKNOWN,
    Bound,
    Cuts,
    bounds_of_bits,
    bounds_of_values,
    threshold_of,
)
from tbgen.closures.nodes import Node
from tbgen.closures.planned import PlannedBlock
from tbgen.closures.promotions import CELLS_AT_ONCE
from tbgen.closures.store import BlockStore
from tbgen.errors import DamagedTableError
from tbgen.retro.drive.single import QUESTIONS_OF_A_BLOCK, SingleBlock
from tbgen.retro.resets.destinations import ChildTables
from tbgen.score import Color, Score
from tbgen.storage.arrays import Array
from tbgen.system.process import free_memory
from tbgen.table import Entries

ENTRY: Final = "entry"
"""The values of all cells; those with Black to move are behind those with White to move."""
RIGHTS: Final = "en_passant"
"""The values of cells with a right to take en passant."""
ANSWERS: Final = "answers"
"""The values of what was asked with an accrued score."""

MOST_UNSAVED_BYTES: Final = 1 << 27
"""Values of small blocks that wait in memory, because writing one by one takes longer."""

BlockArrays = Mapping[str, npt.NDArray[Any]]
"""[part] the values of a block. At cuts, each part has bits or values for each cut (`at_cut`)."""

ReadItems = Callable[[str, int, int | None], Array]
"""Reads the items of a part of a block from a first one to an end."""


def at_cut(part: str, cut: Score) -> str:
    """The name of a part of a block for one of its cuts."""
    return f"{cut} {part}"


class SolvedBlocks:
    """The values of a closure's blocks, as far as they are solved.

    Another process may have removed a solved block, or the disk may have damaged it. It is solved
    again when it is read.
    """

    def __init__(self, closure: Closure, store: BlockStore) -> None:
        self.closure = closure
        self.store = store
        self._unsaved = dict[str, BlockArrays]()
        self._unsaved_bytes = 0
        self._saving = threading.Lock()
        self._damaged = set[str]()
        self.asking: AbstractContextManager[Any] = threading.Semaphore(QUESTIONS_OF_A_BLOCK)
        """Held while a block is asked a cut, as the sets of a question take the most memory."""

    def solve(self, block: PlannedBlock) -> None:
        """Solve a block alone with each of its bounds, unless another process has done it."""
        for bound in block.bounds:
            if not self.has(block, bound):
                arrays = BlockSolver(block, self, bound).solve()
                self.store.put({block.name_with(bound): arrays})

    def has(self, block: PlannedBlock, bound: Bound) -> bool:
        """Whether a block is solved with a bound."""
        name = block.name_with(bound)
        return name in self._unsaved or self.store.has(name)

    def keep(self, block: PlannedBlock, bound: Bound, arrays: BlockArrays) -> None:
        """Keep a solved block of a group until there are enough to write; several threads may."""
        with self._saving:
            self._unsaved[block.name_with(bound)] = arrays
            self._unsaved_bytes += sum(array.nbytes for array in arrays.values())
            if self._unsaved_bytes >= MOST_UNSAVED_BYTES:
                self._save()

    def save(self) -> None:
        """Write all blocks that wait in memory."""
        with self._saving:
            self._save()

    def _save(self) -> None:
        if self._unsaved:
            self.store.put(self._unsaved)
            self._unsaved = {}
            self._unsaved_bytes = 0

    def _items(
        self,
        block: PlannedBlock,
        bound: Bound,
        part: str,
        first: int,
        end: int | None,
        room: Array | None = None,
    ) -> Array:
        """Some items of a part of a block as it is solved with a bound.

        If the block is gone or damaged, it is solved again.
        """
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
        if bound not in block.bounds and not block.is_exact:
            return _unknown_values(size, bound, room)
        if not block.cuts:
            solved_bound = Bound.LOWER if block.is_exact else bound
            return self._items(block, solved_bound, part, first, end, room)
        (solved_bound,) = block.bounds
        items = partial(self._items, block, solved_bound)
        if part != ENTRY:
            rows = [items(at_cut(part, cut), 0, None) for cut in block.cuts]
            return bounds_of_values(rows, block.cuts, bound)[first:end]
        entry: Entries = np.zeros(size, np.int8) if room is None else room
        for start in range(0, size, CELLS_AT_ONCE):
            part_of_entry = entry[start : start + CELLS_AT_ONCE]
            _read_bounds(items, block.cuts, bound, first + start, needed, part_of_entry)
        return entry

    def read_rights(self, block: PlannedBlock, bound: Bound, room: Entries) -> None:
        """Fill `room` with the values of a block's cells with a right to take en passant."""
        if bound in block.bounds or block.is_exact:
            room[:] = self.read(block, RIGHTS, bound)
        else:
            room[:] = UNKNOWN[bound]

    def is_exact(self, node: Node) -> bool:
        """Whether both bounds give all cells of a node the same values."""
        block = self.closure.blocks.get(node)
        if block is not None:
            return block.is_exact and not block.cuts
        tables = self.closure.tables
        return bool(tables.digest(node.material) or tables.digest_of_pairs(*node))

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
        block = self.closure.blocks.get(node)
        if block is not None:
            return self.read(block, ENTRY, bound, side * half, (side + 1) * half, needed, room)
        tables = self.closure.tables
        if tables.digest(node.material):
            return tables.plane(*node, side, room)
        if tables.digest_of_pairs(*node):
            return tables.plane_of_pairs(*node, side, room)
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


class BlockSolver:
    """Solves a block alone with a bound, from the values of those that it leads to."""

    def __init__(self, block: PlannedBlock, blocks: SolvedBlocks, bound: Bound) -> None:
        self.block = block
        self.blocks = blocks
        self.bound = bound
        new = blocks.store.zeros
        self._reader = ClosureReader([block], blocks, [bound], new, new)
        self._number = self._reader.number_of(block.node)
        self._single = SingleBlock(
            self._reader.child_layouts,
            self._number,
            self._reader.shades[self._number],
            new,
            blocks.asking,
        )

    def solve(self) -> BlockArrays:
        """The values of the block, or its bits at each cut."""
        free_memory()
        if not self.block.cuts:
            outcomes = self._single.solve(self._children(BOTH_SIDES), self.block.queries)
            return {
                ENTRY: outcomes.entry,
                RIGHTS: outcomes.en_passant,
                ANSWERS: outcomes.answers,
            }
        thresholds = [threshold_of(cut).score for cut in self.block.cuts]
        solved = self._single.solve_thresholds(self._children, thresholds, self.block.queries)
        arrays = dict[str, npt.NDArray[Any]]()
        for cut, bits in zip(self.block.cuts, solved, strict=True):
            arrays[at_cut(ENTRY, cut)] = bits.met
            arrays[at_cut(RIGHTS, cut)] = bits.en_passant
            arrays[at_cut(ANSWERS, cut)] = bits.answers
        return arrays

    def _children(self, sides: Sequence[Color]) -> ChildTables:
        """The values of all that moves of some sides lead to."""
        reader = self._reader
        (children,) = reader.read([self._number], sides)
        for number in range(len(reader.layout.blocks)):
            rights = reader.rights_in(children, number)
            if number != self._number and len(rights):
                block = self.blocks.closure.blocks[reader.node_of(number)]
                self.blocks.read_rights(block, self.bound, rights)
        return children
