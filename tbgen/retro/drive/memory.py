"""How much memory it takes to solve a material: a bound, from the shapes of the very arrays that the solver makes.

Most arrays are touched whole. Those that fill as the work goes on (seeds, labels, histories) have room for
the worst that could be; what is counted of them is an allowance a word, above what any table was seen to take.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from tbgen.index.layout import Layout, layout_of
from tbgen.material import Material
from tbgen.retro.drive.many_blocks import most_run_blocks
from tbgen.retro.drive.shared_layers import private_worklists
from tbgen.retro.levels.worker import new_worker
from tbgen.retro.resets.children import most_own_planes, own_planes
from tbgen.retro.resets.family import Kinship, en_passant_places, kinship_of
from tbgen.retro.resets.promotions import most_promotion_cells
from tbgen.retro.words.geometry import Geometry, geometry_of
from tbgen.table import fits_memory

MIB = 1 << 20

BASE_BYTES = 576 * MIB
"""The program itself and its kernels; two thirds of it where these have to be compiled first, and stay with it."""

HAND_BYTES = 64 * MIB
"""What a thread has in hand of a child or of blocks on disk, beside their cells."""

VALUE_BYTES, CELL_BYTES = 3, 7
"""Entry and distance of a cell; these and its pattern."""

FILLING = {"label": 4, "history": 4, "seeds": 16, "agenda": 16, "interner": 32, "pairs": 32}
"""Bytes of an item of what fills: a place (twice), a seed, a seed, a history, a pair (both with their slots)."""

ALLOWED = {"label": 98, "history": 98, "seeds": 8, "agenda": 16, "interner": 4, "pairs": 4}
"""Items that are allowed, a word of the block with equal men in order; of histories and pairs, a word of all blocks of
a run. 98 places are all that a word can have, the side to move left open."""

SEEDS_WITH_PAWNS = 48
"""A pawn has resets everywhere."""

FILLED_FIELDS = frozenset(("label", "history", "next", "site", "bits", "word", "before", "event", "table"))

FILE_CELL_BYTES = 9
"""While a table is written: a number a cell, states, what finds them, and patterns; the packed chunks later on. Before
that the dictionaries of all runs become one, in less."""

NUMBER_BYTES, COUNTED_CELL_BYTES = 4, 3
"""While states are numbered: a number a cell, and the states that each thread has met."""


@cache
def memory_needed(material: Material, threads: int) -> int:
    """The most memory, in bytes, that making a canonical material's table takes."""
    layout = layout_of(material)
    kinship = kinship_of(layout)
    solving = _alone(layout, kinship, threads) if len(layout.blocks) == 1 else _in_waves(layout, kinship, threads)
    return BASE_BYTES + threads * HAND_BYTES + max(solving, _writing(layout, threads))


def _alone(layout: Layout, kinship: Kinship, threads: int) -> int:
    """A single block, its values and patterns, all that captures lead to, and what it takes to share layers."""
    geometry, few = geometry_of(layout), 1 << 12
    worklists = private_worklists(geometry._replace(words=few), threads)
    shared = sum(array.nbytes for worklist in worklists for array in worklist)
    return worker_bytes(geometry) + CELL_BYTES * layout.cells + _captures(kinship) + shared * -(-geometry.words // few)


def _in_waves(layout: Layout, kinship: Kinship, threads: int) -> int:
    """A block and a run for each thread, what the widest wave has at hand, and the table if it is not on disk."""
    geometry, workers = geometry_of(layout), min(threads, len(layout.blocks))
    run = most_run_blocks(layout) * layout.block_words * 128 * 2 * CELL_BYTES
    own = most_own_planes(layout, own_planes(layout)) * layout.block_words * 64
    at_hand = VALUE_BYTES * (own + most_promotion_cells(layout)) + _captures(kinship)
    en_passant = VALUE_BYTES * en_passant_places(layout)[1]
    kept = CELL_BYTES * layout.cells if fits_memory(layout) else 0
    return workers * (worker_bytes(geometry, most_run_blocks(layout)) + run) + at_hand + en_passant + kept


def _captures(kinship: Kinship) -> int:
    """All tables that captures lead to, and one of them once more while it is read."""
    cells = [kinship.layouts[table].cells for table in kinship.captures]
    return VALUE_BYTES * (sum(cells) + 2 * max(cells, default=0))


def _writing(layout: Layout, threads: int) -> int:
    """The table's cells, or a part of them for each thread if they lie on disk, and what becomes of them."""
    part = max(layout.block_words * 64, 1 << 22)
    kept = layout.cells if fits_memory(layout) else min(threads * part, layout.cells)
    return CELL_BYTES * kept + max(FILE_CELL_BYTES, NUMBER_BYTES + threads * COUNTED_CELL_BYTES) * layout.cells


def worker_bytes(geometry: Geometry, run_blocks: int = 1) -> int:
    """What a worker touches; its arrays grow with the words of a block, so two small ones tell of a large one."""
    few, many = 1024, 2048
    if geometry.words <= many:
        return _touched(geometry, run_blocks)
    here, there = (_touched(geometry._replace(words=words), run_blocks) for words in (few, many))
    return here + (there - here) * (geometry.words - few) // (many - few)


def _touched(geometry: Geometry, run_blocks: int) -> int:
    """The arrays that are touched whole, and what is allowed of those that fill."""
    paths = list(_arrays((), new_worker(geometry)))
    allowed = dict(ALLOWED)
    if len(geometry.pawn_color):
        allowed["seeds"] = SEEDS_WITH_PAWNS
    for kind in ("interner", "pairs"):
        allowed[kind] *= run_blocks
    filling = {(path[0], kind) for path, _ in paths for kind in path if kind in FILLING}
    whole = sum(array.nbytes for path, array in paths if not _fills(path))
    return whole + _words_in_order(geometry) * sum(allowed[kind] * FILLING[kind] for _, kind in filling)


def _words_in_order(geometry: Geometry) -> int:
    """At most so many words hold positions: those with equal men in ascending order."""
    orders = math.prod(number - start + 1 for number, start in enumerate(geometry.twin_start.tolist()))
    return geometry.words // orders


def _fills(path: tuple[str, ...]) -> bool:
    return path[-1] in FILLED_FIELDS and not FILLING.keys().isdisjoint(path)


def _arrays(path: tuple[str, ...], value: Any) -> Iterator[tuple[tuple[str, ...], npt.NDArray[Any]]]:
    """All arrays in groups of groups of arrays, each with the names that lead to it."""
    if isinstance(value, np.ndarray):
        yield path, value
    elif isinstance(value, tuple):
        for name, each in zip(getattr(value, "_fields", ()), value, strict=True):
            yield from _arrays((*path, name), each)
