"""Single blocks, for outcomes alone, against tables: every entry value, and every accrued score of every cell."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tbgen.compiled.arrays import Bytes
from tbgen.index.layout import Layout, layout_of
from tbgen.material import Material
from tbgen.retro.drive.runs import MemoryStore
from tbgen.retro.drive.single import Accrued, SingleBlock
from tbgen.retro.drive.task import Task
from tbgen.retro.resets.destinations import ChildTables, empty_child_tables
from tbgen.retro.resets.folding import find_moves
from tbgen.retro.words.block import enter_block, find_legal, new_block
from tbgen.retro.words.geometry import geometry_of
from tbgen.retro.words.moves import new_scratch
from tbgen.score import Color, Score
from tbgen.table import Distances, Entries
from tests.retro.tables import solved, values


def differences(name: str, numbers: list[int], scores: list[Score]) -> tuple[int, int]:
    """How many values of some blocks were compared, and how many of them differ from those of the table."""
    table, layout = solved(name), layout_of(Material.parse(name))
    half, compared, wrong = layout.block_words * 64, 0, 0

    class Known:
        @staticmethod
        def values(first: int, end: int) -> tuple[Entries, Distances]:
            return table.entry[first:end], table.dtg[first:end]

    with ThreadPoolExecutor(1) as pool:
        children = {child: values(str(child)) for child in layout.material.children()}
        reader = Task(layout, children, MemoryStore(), 1, pool).child_reader()
        captures = reader.with_captures(empty_child_tables(reader.child_layouts))
        for number in numbers:
            (wave,) = (n for n, end in enumerate(layout.waves[1:]) if layout.waves[n] <= number < end)
            tables = reader.with_wave(captures, range(*layout.waves[wave : wave + 2]), Known())
            here = slice(2 * number * half, 2 * (number + 1) * half)
            entry, pattern = table.entry[here], table.pattern[here]
            cells, own = np.flatnonzero(entry), codes_of(layout, number, tables)
            for score in scores:
                (found,) = SingleBlock(reader.child_layouts, number).solve([tables], Accrued(score, cells.tolist()))
                held = np.full(len(cells), score.signed, np.int64)
                broken, _ = table.patterns.values(pattern[cells], held)
                by_entry = (own[cells] < score.code) | (abs(entry[cells].astype(np.int64)) - 1 < score.code)
                wrong += int((found.entry[cells] != entry[cells]).sum())
                wrong += int((found.answers != np.where(by_entry, entry[cells], broken)).sum())
                compared += 2 * len(cells)
    return compared, wrong


def codes_of(layout: Layout, number: int, tables: ChildTables) -> Bytes:
    """[cell] the own codes of a block."""
    block, scratch = new_block(geometry_of(layout)), new_scratch(layout.others)
    enter_block(block, number, np.array(layout.blocks[number], np.int64))
    find_legal(block, scratch.men, 0, layout.block_words)
    assert find_moves(block, tables, scratch, 0, layout.block_words) == 0
    return block.code.ravel()


SCORES = [Score(code, color) for code in (0, 1, 2, 3, 4, 5, 7, 8, 11, 16, 23, 40, 200) for color in Color]


def test_every_accrued_score_of_some_blocks_is_worth_what_its_table_says() -> None:
    compared, wrong = differences("KPvK", [0, 9, 17, 23], SCORES)
    assert (wrong, compared > 400_000) == (0, True)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KPvKP", "KRvKP", "KBvKP", "KNvKP", "KQvKP", "KPPvK"])
def test_every_accrued_score_of_four_men_is_worth_what_its_table_says(name: str) -> None:
    numbers = random.Random(name).sample(range(len(layout_of(Material.parse(name)).blocks)), 12)
    compared, wrong = differences(name, sorted(numbers), SCORES)
    assert (wrong, compared > 0) == (0, True)
