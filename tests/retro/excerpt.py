"""A few blocks of a five-man table, solved over children whose values are made up."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Ints
from tbgen.index.bulk import cells_of
from tbgen.index.layout import layout_of
from tbgen.index.placements import HOW_BITS, HOW_MASK, MIRRORED
from tbgen.material import Material, Scope, TableMaterial, table_named
from tbgen.retro.drive.many_blocks import ManyBlocks
from tbgen.retro.drive.results import nothing_found
from tbgen.retro.drive.runs import MemoryStore, Solved
from tbgen.retro.drive.task import Task
from tbgen.score import Color, Mobility
from tbgen.table import Box, Cells, Child, Distances, Entries, EntryValues, Run
from tests import reference
from tests.retro.comparison import Comparison, men_of_slots
from tests.retro.tables import held_cells

Placement = tuple[int, ...]

MOST_CODE = 40
MOST_PLIES = 60
NOTHING = (np.zeros(1, np.int8), np.zeros(1, np.uint16))


def made_up(material: Material, cells: Ints) -> tuple[Entries, Distances]:
    """What the cells of a material that nobody has solved are said to hold.

    A table of pairs is said to hold the same as the whole table.
    """
    if material.scope is Scope.PAIRS:
        cells = whole_cells(material, cells)
        material = material.within(Scope.ALL)
    with np.errstate(over="ignore"):
        salt = np.uint64(int.from_bytes(str(material).encode().ljust(8)[:8], "little"))
        mixed = (cells.astype(np.uint64) + salt) * np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ mixed >> np.uint64(31)) * np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(29)
    code = (mixed % np.uint64(MOST_CODE)).astype(np.int8) + 1
    sign = np.where(mixed >> np.uint64(20) & np.uint64(1), 1, -1).astype(np.int8)
    return code * sign, (mixed >> np.uint64(32) & np.uint64(0xFFFF)).astype(np.uint16) % MOST_PLIES


def whole_cells(pairs: Material, cells: Ints) -> Ints:
    """The cells of a table of pairs as those of the whole table."""
    layout = layout_of(pairs)
    whole = layout_of(pairs.within(Scope.ALL))
    blocks = np.array([whole.address_of(pawns) >> HOW_BITS for pawns in layout.blocks])
    block_cells = 2 * layout.block_words * 64
    return blocks[cells // block_cells] * block_cells + cells % block_cells


@lru_cache(maxsize=2)
def _all_made_up(material: TableMaterial) -> tuple[Entries, Distances]:
    """The same of all cells; not to be changed."""
    return made_up(material, np.arange(layout_of(material).cells))


class MadeUp(Child):
    """A child whose values are made up as they are asked for."""

    def __init__(self, material: TableMaterial) -> None:
        self.material = material

    def planes(self, first: int, end: int) -> tuple[Entries, Distances]:
        return EntryValues(self.material, *_all_made_up(self.material)).planes(first, end)

    def boxes(self, block: int, side: Color) -> Sequence[Box]:
        layout = layout_of(self.material)
        half = layout.block_words * 64
        cells = np.arange((2 * block + int(side)) * half, (2 * block + int(side) + 1) * half)
        return [Box.whole(layout, lambda: made_up(self.material, cells))]


class MadeUpStore(MemoryStore):
    """A store in which all blocks but a few seem to be solved."""

    def __init__(self, material: TableMaterial, blocks: Sequence[int]) -> None:
        super().__init__()
        self.material = material
        size = 2 * layout_of(material).block_words * 64
        ends = [-1, *sorted(blocks), len(layout_of(material).blocks)]
        self.outside = [
            Run((before + 1) * size, after * size, 0, nothing_found(), NOTHING)
            for before, after in itertools.pairwise(ends)
            if after > before + 1
        ]

    def runs(self) -> Sequence[Run]:
        return [*super().runs(), *self.outside]

    def values(self, first: int, end: int) -> tuple[Entries, Distances]:
        if any(run.first <= first < run.end for run in self.outside):
            return made_up(self.material, np.arange(first, end))
        return super().values(first, end)

    def solved(self) -> MemoryStore:
        """The blocks that have been solved, alone."""
        kept = MemoryStore()
        for run in super().runs():
            kept.put(run, super().dictionary(run), super().cells(run.first, run.end))
        return kept


def cells_in(name: str, side: Ints, squares: Sequence[Ints]) -> Ints:
    """The cells of positions that the reference gives by the squares of its men."""
    layout = layout_of(table_named(name))
    return cells_of(layout, side, np.stack([squares[man] for man in men_of_slots(layout)], axis=1))


def outside(
    name: str, side: Ints, squares: Sequence[Ints]
) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int16]]:
    """The same values, for the reference."""
    entry, dtg = made_up(table_named(name), cells_in(name, side, squares))
    return entry.astype(np.int16), dtg.astype(np.int16)


class SolvedBlocks:
    """Some blocks, as the solver solves them."""

    def __init__(
        self,
        name: str,
        placements: Sequence[Placement],
        threads: int = 2,
        mobility: Mobility = Mobility.RESET,
    ) -> None:
        material = table_named(name)
        self.layout = layout_of(material)
        addresses = {placement: self.layout.address_of(placement) for placement in placements}
        self.numbers = {placement: address >> HOW_BITS for placement, address in addresses.items()}
        self.mirrored = {
            placement for placement, address in addresses.items() if address & HOW_MASK == MIRRORED
        }
        store = MadeUpStore(material, list(self.numbers.values()))
        with ThreadPoolExecutor(threads) as pool:
            children: dict[Material, Child] = {
                child: MadeUp(child) for child in material.children()
            }
            many = ManyBlocks(Task(self.layout, children, store, threads, pool, mobility=mobility))
            many.solve()
        self.en_passant = many.child_reader.readings[0].en_passant
        self.kept = store.solved()
        self.solved = Solved(material, self.kept)

    def held(self, cells: Ints) -> Cells:
        """What cells of one block hold."""
        size = 2 * self.layout.block_words * 64
        first = int(cells[0]) // size * size
        block = held_cells(self.solved, first, first + size)
        here = cells - first
        return Cells(block.entry[here], block.dtg[here], block.pattern[here])

    def cells_of(self, placement: Placement) -> Cells:
        """What all cells of a block hold."""
        size = 2 * self.layout.block_words * 64
        first = self.numbers[placement] * size
        return held_cells(self.solved, first, first + size)

    def rights_of(self, placement: Placement) -> dict[tuple[int, int], tuple[Entries, Distances]]:
        """[side to move, file] -> the values of a block with a right to take en passant there."""
        rights = dict[tuple[int, int], tuple[Entries, Distances]]()
        size = self.layout.block_words * 64
        starts = self.en_passant.start[self.numbers[placement]]
        for (side, file), start in np.ndenumerate(starts):
            if start >= 0:
                part = slice(int(start), int(start) + size)
                rights[side, file] = (self.en_passant.entry[part], self.en_passant.dtg[part])
        return rights

    def en_passant_value(
        self, placement: Placement, side: int, squares: Placement, over: int
    ) -> tuple[int, int]:
        """Entry value and distance of a position with a right to capture on a square."""
        file = over % 8 ^ (7 if placement in self.mirrored else 0)
        start = int(self.en_passant.start[self.numbers[placement], side, file])
        assert start >= 0
        cell = start + self.layout.cell_of(side, squares) % (self.layout.block_words * 64)
        return int(self.en_passant.entry[cell]), int(self.en_passant.dtg[cell])


class Excerpt(SolvedBlocks):
    """Some blocks, solved by the solver and by the reference."""

    def __init__(self, name: str, placements: Sequence[Placement], threads: int = 2) -> None:
        super().__init__(name, placements, threads)
        self.known = reference.Excerpt(name, placements, outside)

    def differences(self) -> tuple[int, list[str]]:
        """How many pairs were compared, and the first few that differ."""
        comparison = Comparison(self.known, self.solved.patterns, self.held)
        for placement in self.numbers:
            comparison.block(self.known.blocks[placement])
        return comparison.pairs, comparison.found[:10]

    def en_passant_differences(self) -> tuple[list[tuple[int, tuple[int, ...], int]], list[str]]:
        """The positions with a legal en passant capture, and those that differ.

        A position is its side to move, its squares by slots, and the square of the capture.
        """
        compared = []
        found = []
        slots = men_of_slots(self.layout)
        for placement in self.numbers:
            block = self.known.blocks[placement]
            index = self.known.index_of(block)
            for node in np.flatnonzero(block.nodes.en_passant != -1).tolist():
                side = int(index[0][node])
                over = int(block.nodes.en_passant[node])
                squares = tuple(int(index[1 + man][node]) for man in slots)
                here = self.en_passant_value(placement, side, squares, over)
                if here != (int(block.entry[node]), int(block.dtg[node])):
                    found.append(
                        f"{side} {squares} {over}: {here} != {block.entry[node]} {block.dtg[node]}"
                    )
                compared.append((side, squares, over))
        return compared, found[:10]
