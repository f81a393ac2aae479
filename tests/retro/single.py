"""Single blocks of small tables, with all that they lead to."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Bytes
from tbgen.index.layout import Layout, layout_of
from tbgen.material import table_named
from tbgen.retro.drive.many_blocks import ManyBlocks
from tbgen.retro.drive.methods import ENTRY_VALUES
from tbgen.retro.drive.results import en_passant_of, nothing_found
from tbgen.retro.drive.runs import MemoryStore
from tbgen.retro.drive.single import SingleBlock
from tbgen.retro.drive.task import Task
from tbgen.retro.resets.children import ValuesSource
from tbgen.retro.resets.destinations import NOT_HERE, ChildTables
from tbgen.retro.resets.folding import find_moves
from tbgen.retro.words.block import enter_block, find_legal, new_block
from tbgen.retro.words.geometry import geometry_of
from tbgen.retro.words.moves import new_scratch
from tbgen.score import Score
from tbgen.table import Cells, Dictionary, Distances, Entries, Patterns, Queries, Run
from tests.patterns import value_of_pattern
from tests.retro.tables import solved, values


class BlockOutcomes(NamedTuple):
    """The values of a solved block."""

    entry: Entries
    en_passant: Entries
    """Values with a right to take en passant, in the order of `ChildTables`, if it has any."""


class _GivenTables:
    """A reader whose values are all at hand."""

    def __init__(self, tables: ChildTables) -> None:
        self.readings = [tables]

    def rounds_of(self, block: int) -> Sequence[int]:
        return (0,)

    def read_captures(self) -> None:
        pass

    def read_wave(self, blocks: Sequence[int], solved: ValuesSource) -> None:
        pass


class _OneBlock(MemoryStore):
    """A store in which all blocks but one are solved."""

    entry: Entries

    def __init__(self, number: int, blocks: int, cells: int, tables: ChildTables) -> None:
        super().__init__()
        self._others = list[Run]()
        for other in range(blocks):
            if other != number:
                rights = en_passant_of(tables.en_passant, range(other, other + 1), cells)
                first = other * cells
                self._others.append(Run(first, first + cells, 0, nothing_found(), rights))

    def runs(self) -> Sequence[Run]:
        return self._others

    def put(self, run: Run, dictionary: Dictionary, cells: Cells) -> None:
        self.entry = cells.entry


def all_outcomes(layout: Layout, number: int, tables: ChildTables) -> BlockOutcomes:
    """All outcomes of a block, by the driver of many blocks."""
    cells = 2 * layout.block_words * 64
    store = _OneBlock(number, len(layout.blocks), cells, tables)
    with ThreadPoolExecutor(1) as pool:
        task = Task(layout, {}, store, 1, pool, method=ENTRY_VALUES)
        ManyBlocks(task, _GivenTables(tables)).solve()
    rights, _ = en_passant_of(tables.en_passant, range(number, number + 1), cells)
    return BlockOutcomes(store.entry, rights)


class KnownBlock(NamedTuple):
    """A block of a table, and what it leads to."""

    layout: Layout
    number: int
    single: SingleBlock
    tables: ChildTables
    entry: Entries
    own: Bytes
    pattern: np.ndarray
    patterns: Patterns

    @property
    def cells(self) -> np.ndarray:
        """The cells that have a value."""
        return np.flatnonzero(self.entry)

    def outcomes(self) -> BlockOutcomes:
        """All outcomes, solved anew."""
        return all_outcomes(self.layout, self.number, self.tables)

    def asked(self, scores: Iterable[Score]) -> Queries:
        """Every accrued score in each of the cells."""
        return list(itertools.product(scores, self.cells.tolist()))

    def worth(self, score: Score) -> Entries:
        """What an accrued score is worth in each of the cells, by the table."""
        entry = self.entry[self.cells]
        own = self.own[self.cells]
        patterns, which = np.unique(self.pattern[self.cells], return_inverse=True)
        held = np.array(
            [value_of_pattern(self.patterns, n, score)[0].signed for n in patterns.tolist()]
        )[which]
        by_entry = (own < score.code) | (abs(entry.astype(np.int64)) - 1 < score.code)
        return np.where(by_entry, entry, held).astype(np.int8)


def known_blocks(name: str, numbers: Iterable[int] | None = None) -> Iterator[KnownBlock]:
    """Some blocks of a table, or all of them."""
    table = solved(name)
    layout = layout_of(table_named(name))
    half = layout.block_words * 64

    def known(first: int, end: int) -> tuple[Entries, Distances]:
        return table.entry[first:end], table.dtg[first:end]

    with ThreadPoolExecutor(1) as pool:
        children = {child: values(str(child)) for child in layout.material.children()}
        reader = Task(layout, children, MemoryStore(), 1, pool).child_reader()
        reader.read_captures()

        def tables_of(number: int) -> ChildTables:
            (wave,) = (
                n for n, end in enumerate(layout.waves[1:]) if layout.waves[n] <= number < end
            )
            reader.read_wave(range(*layout.waves[wave : wave + 2]), known)
            return reader.tables

        for number in np.flatnonzero(
            (reader.tables.en_passant.start != NOT_HERE).any(axis=(1, 2))
        ).tolist():
            # Solving a block fills in what double steps to it lead to, beside the others'.
            all_outcomes(layout, number, tables_of(number))
        for number in range(len(layout.blocks)) if numbers is None else numbers:
            tables = tables_of(number)
            here = slice(2 * number * half, 2 * (number + 1) * half)
            own = codes_of(layout, number, tables)
            single = SingleBlock(reader.child_layouts, number)
            yield KnownBlock(
                layout,
                number,
                single,
                tables,
                table.entry[here],
                own,
                table.pattern[here],
                table.patterns,
            )


def codes_of(layout: Layout, number: int, tables: ChildTables) -> Bytes:
    """[cell] the own codes of a block."""
    block = new_block(geometry_of(layout))
    scratch = new_scratch(layout.others)
    enter_block(block, number, np.array(layout.blocks[number], np.int64))
    find_legal(block, scratch.men, 0, layout.block_words)
    assert find_moves(block, tables, scratch, 0, layout.block_words) == 0
    return block.code.ravel()
