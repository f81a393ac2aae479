"""Numbering the cells of solved runs, in memory and on disk, beside sorting and searching."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from tbgen.compiled.arrays import Ints
from tbgen.errors import RepresentationError
from tbgen.material import table_named
from tbgen.retro.drive.results import nothing_found
from tbgen.retro.drive.runs import MemoryStore, Solved, TableStore
from tbgen.storage import numbering as numbering_module
from tbgen.storage import order as order_module
from tbgen.storage import symbols as symbols_module
from tbgen.storage.files import FileRecord
from tbgen.storage.numbering import states_of
from tbgen.storage.order import Order, order_of
from tbgen.storage.scratch import ScratchStore
from tbgen.storage.writer import write_table
from tbgen.table import Cells, Dictionary, Piece, Run
from tests.retro.tables import held_cells, solved

PATTERNS = 40


def put_runs(store: TableStore, order: Order) -> None:
    """Made-up runs; each has a dictionary of its own, of patterns that occur in others under other
    numbers.

    A run has up to five blocks, or half of the only one, as solvers leave them.
    """
    draw = np.random.default_rng(5)
    end = order.layout.cells
    nothing = np.zeros(0, np.int8), np.zeros(0, np.uint16)
    step = order.layout.block_words * (64 if len(order.layout.blocks) == 1 else 5 * 128)
    for first in range(0, end, step):
        size = min(step, end - first)
        rows = np.sort(draw.choice(1000, PATTERNS - 1, replace=False)).astype(np.int64)[
            draw.permutation(PATTERNS - 1)
        ]
        pattern = np.minimum(draw.geometric(0.2, size) - 1, PATTERNS - 1).astype(np.uint32)
        entry = draw.choice([-3, 2, 5], size).astype(np.int8) * (draw.random(size) < 0.7)
        entry[: size // 4] = 0  # rows of blanks, at the beginning of the table too
        often = np.bincount(pattern, minlength=PATTERNS).astype(np.int64)
        dictionary = Dictionary(np.maximum(np.arange(PATTERNS + 1) - 1, 0), rows, often)
        cells = Cells(
            entry,
            draw.integers(0, 60_000 if order.layout.pawns else 400, size).astype(np.uint16),
            pattern,
        )
        store.put(Run(first, first + size, len(rows), nothing_found(), nothing), dictionary, cells)


def slowly_numbered(solved: Solved, order: Order) -> tuple[Ints, Ints, Ints]:
    """[place] -> number of its state; the states as keys, and how often each occurs: the most
    frequent first.

    Blanks are as the place before, and before the first position as that.
    """
    cells = held_cells(solved, 0, order.layout.cells)
    parts: Sequence[Ints] = [column.astype(np.int64) for column in cells]
    cell_of = order.cells_of(np.arange(order.layout.cells))
    keys = ((parts[0] + 128) << 48 | parts[1] << 32 | parts[2])[cell_of]
    live = cells.entry[cell_of] != 0
    states, counts = np.unique(keys[live], return_counts=True)
    by_count = np.lexsort((states, -counts))
    number = np.argsort(by_count)
    last = np.maximum.accumulate(np.where(live, np.arange(len(keys)), np.argmax(live)))
    return number[np.searchsorted(states, keys[last])], states[by_count], counts[by_count]


def keys_of(states: Cells) -> Ints:
    return (
        (states.entry.astype(np.int64) + 128) << 48
        | states.dtg.astype(np.int64) << 32
        | states.pattern
    )


class Met:
    """A solved material of whose first pieces two threads ask at once."""

    def __init__(self, solved: Solved) -> None:
        self.material = solved.material
        self.mobility = solved.mobility
        self.patterns = solved.patterns
        self.tallies = solved.tallies
        self._solved = solved
        self._meeting = threading.Barrier(2)
        self._are_met = False

    def pieces(self, first: int, end: int, room: Cells | None = None) -> Iterator[Piece]:
        if not self._are_met:
            self._meeting.wait(60)
            self._are_met = True
        return self._solved.pieces(first, end, room)


@pytest.mark.parametrize("name", ["KvK", "KBvK", "KPvK"])
@pytest.mark.parametrize(("on_disk", "most_kept"), [(False, 1 << 30), (True, 1 << 30), (True, 0)])
def test_runs_are_numbered_as_sorting_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, *, on_disk: bool, most_kept: int
) -> None:
    monkeypatch.setattr(numbering_module, "MOST_KEPT_PLACES", most_kept)
    monkeypatch.setattr(
        order_module, "_PART_CELLS", 100_000
    )  # KPvK has two parts, others one with both runs
    monkeypatch.setattr(numbering_module, "_TURNS", 2)
    material = table_named(name)
    order = order_of(material)
    with contextlib.ExitStack() as opened:
        store = (
            opened.enter_context(ScratchStore(tmp_path / "blocks", {}, order.plane_places))
            if on_disk
            else MemoryStore()
        )
        put_runs(store, order)
        solved = Solved(material, store)
        expected, keys, counts = slowly_numbered(solved, order)
        assert (len(keys) > 1 << 16) == (order.layout.pawns > 0), "more states than 16 bits number"
        for source, slots in ((Met(solved), numbering_module.FIRST_SLOTS), (solved, 16)):
            monkeypatch.setattr(numbering_module, "FIRST_SLOTS", slots)
            numbering, states, often = states_of(source, order, threads=2)
            numbers = [numbering.read(part) for part in range(len(numbering.parts))]
            assert (np.concatenate(numbers) == expected).all()
            assert (often == counts).all()
            assert (keys_of(states) == keys).all()


def test_states_that_are_looked_up_again_give_the_same_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(order_module, "_PART_CELLS", 100_000)
    written = set[FileRecord]()
    for most_kept in (1 << 30, 0):
        monkeypatch.setattr(numbering_module, "MOST_KEPT_PLACES", most_kept)
        folder = tmp_path / str(most_kept)
        folder.mkdir()
        written.add(write_table(folder, solved("KPvK"), generator="1", source="a", threads=2))
    assert len(written) == 1


def test_more_chains_than_can_have_numbers_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(symbols_module, "MOST_CHAINS", 3)
    with pytest.raises(RepresentationError, match="the number of chains of rows does not fit"):
        write_table(tmp_path, solved("KPvK"), generator="1", source="a")
    assert not any(tmp_path.iterdir())
