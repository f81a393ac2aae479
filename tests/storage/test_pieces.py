"""Numbering the cells of solved runs, in memory and on disk, beside sorting and searching."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tbgen.material import Material
from tbgen.retro.runs import BlockStore, MemoryStore, Solved
from tbgen.retro.tally import nothing_found
from tbgen.storage.counting import states_of
from tbgen.storage.order import Order, order_of
from tbgen.storage.scratch import ScratchStore
from tbgen.table import Cells, Dictionary, Ints, Run

PATTERNS = 40


def put_runs(store: BlockStore, order: Order) -> None:
    """Made-up runs; each has a dictionary of its own, of patterns that occur in others under other numbers."""
    draw, block = np.random.default_rng(5), order.layout.block_words * 128
    nothing = np.zeros(0, np.int8), np.zeros(0, np.uint16)
    for first in range(0, len(order.layout.blocks), 5):
        size = min(5, len(order.layout.blocks) - first) * block
        rows = np.sort(draw.choice(1000, PATTERNS - 1, replace=False)).astype(np.int64)[draw.permutation(PATTERNS - 1)]
        pattern = np.minimum(draw.geometric(0.2, size) - 1, PATTERNS - 1).astype(np.uint32)
        entry = draw.choice([-3, 2, 5], size).astype(np.int8) * (draw.random(size) < 0.7)
        entry[: 3 * block // 4] = 0  # rows of blanks, at the beginning of the table too
        often = np.bincount(pattern, minlength=PATTERNS).astype(np.int64)
        dictionary = Dictionary(np.maximum(np.arange(PATTERNS + 1) - 1, 0), rows, often)
        cells = Cells(entry, draw.integers(0, 4, size).astype(np.uint16), pattern)
        run = Run(first * block, first * block + size, len(rows), nothing_found(), nothing)
        store.put(run, dictionary, cells)


def slowly_numbered(solved: Solved, order: Order) -> tuple[Ints, Ints]:
    """[place] -> number of its state, and the states as keys: the most frequent first, blanks as the place before."""
    cells = solved.part(0, order.layout.cells)
    parts: Sequence[Ints] = [column.astype(np.int64) for column in cells]
    keys = order.to_file((parts[0] + 128) << 48 | parts[1] << 32 | parts[2])
    live = order.to_file(cells.entry) != 0
    states, counts = np.unique(keys[live], return_counts=True)
    ranking = np.lexsort((states, -counts))
    number = np.argsort(ranking)
    last = np.maximum.accumulate(np.where(live, np.arange(len(keys)), -1))
    ids = np.where(last >= 0, number[np.searchsorted(states, keys[last])], number[0])
    return ids, states[ranking]


@pytest.mark.parametrize("name", ["KvK", "KPvK"])
@pytest.mark.parametrize("on_disk", [False, True])
def test_runs_are_numbered_as_sorting_says(tmp_path: Path, name: str, *, on_disk: bool) -> None:
    order = order_of(Material.parse(name))
    store = ScratchStore(tmp_path / "blocks", {}) if on_disk else MemoryStore()
    put_runs(store, order)
    solved = Solved(order.layout.material, store)
    with ThreadPoolExecutor(2) as pool:
        ids, states = states_of(solved, order, pool)
    expected, keys = slowly_numbered(solved, order)
    assert (ids == expected).all()
    found = (states.entry.astype(np.int64) + 128) << 48 | states.dtg.astype(np.int64) << 32 | states.pattern
    assert (found == keys).all()
    if isinstance(store, ScratchStore):
        store.close()
