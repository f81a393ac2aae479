"""How much memory it takes to solve a material: a bound, from the shapes of the very arrays that the solver makes.

Most arrays are touched whole. Those that fill as the work goes on (resets, seeds, labels, histories) have space for the
worst that could be; what is counted of them is an allowance a word, above what any table was seen to take.

A table of one block takes it step by step: each step has its own arrays (`*_need`), by what `placement.py` calls them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping
from functools import cache

import numpy as np

from tbgen.index.layout import Layout, layout_of
from tbgen.material import Material
from tbgen.retro.drive.placement import COLDEST_FIRST, Path, arrays_of, name_of
from tbgen.retro.drive.run_solver import most_run_blocks
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

VALUE_BYTES, PATTERN_BYTES = 3, 4
CELL_BYTES = VALUE_BYTES + PATTERN_BYTES
"""Entry and distance of a cell; its pattern."""

RESET_BYTES, PLACE_BYTES = 5, 4
"""Outcome and distances of a reset; a label or a history, of either forcer."""

FILLING = {"best": 5, "label": 4, "history": 4, "seeds": 16, "agenda": 16, "interner": 32, "pairs": 32}
"""Bytes of an item of what fills: a reset, a place (twice), a seed, a seed, a history, a pair (both with slots)."""

ALLOWED = {"best": 40, "label": 98, "history": 98, "seeds": 8, "agenda": 4, "interner": 4, "pairs": 4}
"""Items that are allowed, a word of the block with equal men in order; of histories and pairs, a word of all blocks of
a run. 98 places are all that a word can have, the side to move left open."""

RESERVED = 4
"""How many times what is allowed of what fills has space in files, which cannot grow: the disk is asked beforehand."""

RESERVED_NAMES = frozenset(("resets", "seeds", "agenda", "interners"))

LEAST_ENTRIES = 1 << 16
"""Tables of two and three men have few words, and more histories a word than others."""

WITH_PAWNS = {"best": 98, "seeds": 48, "agenda": 16}
"""A pawn has resets everywhere."""

FILLED_FIELDS = frozenset(
    ("label", "history", "next", "site", "bits", "word", "before", "event", "table", "outcome", "shortest", "longest")
)

FORGOTTEN = frozenset(("legal", "check"))
"""What the levels of a single block do without."""

PAGE_BYTES = 64 * MIB
"""Pages of files that a process has at hand at least."""

FILE_CELL_BYTES = 9
"""While a table is written: a number a cell, states, what finds them, and patterns; the packed chunks later on. Before
that the dictionaries of all runs become one, in less."""

NAMING_WORD_BYTES = 40
"""A word's men as a set, and the places of its cells: all that naming needs of it."""

ROWS_BYTES = 1
"""Of that the rows of patterns, and where each pattern has its first."""

NUMBER_BYTES, COUNTED_CELL_BYTES = 4, 3
"""While states are numbered: a number a cell, and the states that each thread has met, if it meets all at once."""

LEAST_FILE_CELL_BYTES = FILE_CELL_BYTES - NUMBER_BYTES - ROWS_BYTES
"""Of writing, with all in files that can be: states are numbered share by share then, in no more than that."""

STATE_BYTES, NUMBERED_STATE_BYTES = 32, 8
"""What a state takes in files while states are numbered: its key and how often it was met, in its share and among all;
and for each thread, which state its number stands for, twice as well."""

MOST_STATES = 1 / 16
"""States for each cell of a table; KBPvKR has 0.053, the most of five men."""

SLOT_BYTES = 33
"""A slot of a hash table that finds states: two words, three quarters of a count, and half of all that once more while
it doubles; as much when there is just one left, of which the keys are sorted."""

LEAST_SLOTS = 1 << 19
"""With fewer a table might have no room for what a few rows of cells can be."""


@cache
def memory_needed(material: Material, threads: int) -> int:
    """The most memory, in bytes, that making a canonical material's table takes, with all arrays in memory."""
    layout = layout_of(material)
    kinship = kinship_of(layout)
    if len(layout.blocks) == 1:
        return beside_arrays(threads) + _alone(layout, kinship, threads)
    return beside_arrays(threads) + max(_in_waves(layout, kinship, threads), _writing(layout, threads))


@cache
def least_memory(material: Material, threads: int) -> int:
    """The same with as many arrays in files as can be: with less memory the table is not made."""
    layout = layout_of(material)
    kinship = kinship_of(layout)
    if len(layout.blocks) == 1:
        least = _alone(layout, kinship, threads, in_files=COLDEST_FIRST)
    else:
        writing = _cells_at_hand(layout, threads) + LEAST_FILE_CELL_BYTES * layout.cells
        least = max(_in_waves(layout, kinship, threads), writing)
    return min(beside_arrays(threads) + least + PAGE_BYTES, memory_needed(material, threads))


def slots_granted(material: Material, threads: int, memory: int) -> int:
    """How many slots all threads together may have to find states with when a process may take so much memory."""
    layout = layout_of(material)
    patterns = int(NUMBER_BYTES * MOST_STATES * layout.cells)  # what those of each run are in the table
    free = arrays_granted(memory, threads) - _cells_at_hand(layout, threads)
    return max((max(free, LEAST_FILE_CELL_BYTES * layout.cells) - patterns) // SLOT_BYTES, LEAST_SLOTS)


@cache
def most_in_files(material: Material, threads: int) -> int:
    """The most bytes of arrays that lie on disk while a table is made with less memory than it takes."""
    layout = layout_of(material)
    states = MOST_STATES * (STATE_BYTES + threads * NUMBERED_STATE_BYTES)
    written = int((NUMBER_BYTES + ROWS_BYTES + states) * layout.cells)
    if len(layout.blocks) > 1:
        return written
    steps = steps_need(geometry_of(layout), 1).values()
    return max(
        written + CELL_BYTES * layout.cells,
        *(
            sum(sizes.get(name, 0) * (RESERVED if name in RESERVED_NAMES else 1) for name in COLDEST_FIRST)
            for sizes in steps
        ),
    )


def beside_arrays(threads: int) -> int:
    """What the program takes itself."""
    return BASE_BYTES + threads * HAND_BYTES


def arrays_granted(memory: int, threads: int) -> int:
    """What arrays may take where some of them lie in files, when a process may take so much memory."""
    return memory - beside_arrays(threads) - PAGE_BYTES


def _alone(layout: Layout, kinship: Kinship, threads: int, in_files: Collection[str] = ()) -> int:
    """A single block: the most that any step takes."""
    steps = steps_need(geometry_of(layout), threads, captured_bytes(kinship))
    if in_files:
        steps = {**steps, "writing": {"rest": LEAST_FILE_CELL_BYTES * layout.cells}}
    return max(sum(sizes[name] for name in sizes if name not in in_files) for sizes in steps.values())


def steps_need(geometry: Geometry, threads: int, captured: int = 0) -> Mapping[str, Mapping[str, int]]:
    """What each step of a single block needs at most."""
    words = _words_in_order(geometry)
    places, resets = ALLOWED["label"] * words, ALLOWED["best"] * words
    return {
        "mates": mates_need(geometry, threads, captured),
        "levels": levels_need(geometry, threads, places, resets),
        "naming": naming_need(geometry, places),
        "writing": writing_need(geometry, threads),
    }


def mates_need(geometry: Geometry, threads: int, captured: int = 0) -> Mapping[str, int]:
    """From the moves of a single block to its mates: bytes by what `COLDEST_FIRST` calls the arrays, and the rest.

    `captured` is what of that the values take that captures lead to.
    """
    words, whole = _words_in_order(geometry), _touched_whole(geometry, threads)
    return {
        **whole,
        "rest": whole["rest"] + captured,
        "resets": RESET_BYTES * ALLOWED["best"] * words,
        "values": VALUE_BYTES * _cells(geometry),
        "seeds": 2 * _allowed("seeds") * words,
    }


def levels_need(geometry: Geometry, threads: int, places: int, resets: int) -> Mapping[str, int]:
    """The levels after the mates, when so many cells and resets are left."""
    words = _words_in_order(geometry)
    return {
        **_touched_whole(geometry, threads, FORGOTTEN),
        "resets": RESET_BYTES * resets,
        "values": VALUE_BYTES * _cells(geometry),
        "histories": 2 * PLACE_BYTES * places,
        "labels": 2 * PLACE_BYTES * places,
        "seeds": 2 * _allowed("seeds") * words,
        "agenda": 2 * _allowed("agenda") * words,
        "interners": 2 * _allowed("interner") * words,
    }


def naming_need(geometry: Geometry, places: int) -> Mapping[str, int]:
    """While patterns are named, when the levels of a single block are done."""
    return {
        "rest": 0,
        "sets": NAMING_WORD_BYTES * geometry.words,
        "interners": 4 * _allowed("interner") * _words_in_order(geometry),
        "values": VALUE_BYTES * _cells(geometry),
        "histories": 2 * PLACE_BYTES * places,
        "patterns": PATTERN_BYTES * _cells(geometry),
    }


def writing_need(geometry: Geometry, threads: int) -> Mapping[str, int]:
    """While a table of a single block is written."""
    cells = _cells(geometry)
    numbers, rows = NUMBER_BYTES * cells, ROWS_BYTES * cells
    values = {"values": VALUE_BYTES * cells, "patterns": PATTERN_BYTES * cells}
    return {"rest": _file_bytes(cells, threads) - numbers - rows, "numbers": numbers, "rows": rows, **values}


def reserved_entries(geometry: Geometry, kind: str) -> int:
    """For how many items a list has space in a file."""
    return max(RESERVED * ALLOWED[kind] * _words_in_order(geometry), LEAST_ENTRIES)


def _cells(geometry: Geometry) -> int:
    return 128 * geometry.words


def _in_waves(layout: Layout, kinship: Kinship, threads: int) -> int:
    """A block and a run for each thread, what the widest wave has at hand, and the table if it is not on disk."""
    geometry, workers = geometry_of(layout), min(threads, len(layout.blocks))
    run = most_run_blocks(layout) * layout.block_words * 128 * 2 * CELL_BYTES
    kept = CELL_BYTES * layout.cells if fits_memory(layout) else 0
    at_hand = VALUE_BYTES * _most_values(layout.material) + captured_bytes(kinship)
    return workers * (worker_bytes(geometry, most_run_blocks(layout)) + run) + at_hand + kept


@cache
def _most_values(material: Material) -> int:
    """Values that the widest wave has at hand, and those with a right to take en passant."""
    layout = layout_of(material)
    own = most_own_planes(layout, own_planes(layout)) * layout.block_words * 64
    return own + most_promotion_cells(layout) + en_passant_places(layout)[1]


def captured_bytes(kinship: Kinship) -> int:
    """All tables that captures lead to, and one of them once more while it is read."""
    cells = [kinship.layouts[table].cells for table in kinship.captures]
    return VALUE_BYTES * (sum(cells) + 2 * max(cells, default=0))


def _writing(layout: Layout, threads: int) -> int:
    """The table's cells and what becomes of them."""
    return _cells_at_hand(layout, threads) + _file_bytes(layout.cells, threads)


def _cells_at_hand(layout: Layout, threads: int) -> int:
    """While a table is written: its cells, or a part of them for each thread if they lie on disk."""
    part = max(layout.block_words * 64, 1 << 22)
    return CELL_BYTES * (layout.cells if fits_memory(layout) else min(threads * part, layout.cells))


def _file_bytes(cells: int, threads: int) -> int:
    """What becomes of cells while they are written."""
    return max(FILE_CELL_BYTES, NUMBER_BYTES + threads * COUNTED_CELL_BYTES) * cells


def worker_bytes(geometry: Geometry, run_blocks: int = 1) -> int:
    """What a worker touches that solves one block of many after another."""
    allowed = {**ALLOWED, **WITH_PAWNS}
    for kind in ("interner", "pairs"):
        allowed[kind] *= run_blocks
    arrays = _array_bytes(geometry)
    filling = {(path[0], kind) for path in arrays for kind in path if kind in FILLING and _fills(path)}
    whole = sum(size for path, size in arrays.items() if not _fills(path))
    return whole + _words_in_order(geometry) * sum(allowed[kind] * FILLING[kind] for _, kind in filling)


def _allowed(kind: str) -> int:
    """Bytes that are allowed for what fills, a word of the block."""
    return ALLOWED[kind] * FILLING[kind]


def _touched_whole(geometry: Geometry, threads: int, without: Collection[str] = ()) -> Mapping[str, int]:
    """What the mates and levels of a single block touch whole, but for values: bytes by name, and the rest."""
    found = Counter[str]()
    for path, size in _array_bytes(geometry).items():
        if path[-1] not in without and not _fills(path):
            found[name_of(path) or "rest"] += size
    few = geometry._replace(words=min(geometry.words, 1 << 12))
    private = sum(array.nbytes for worklist in private_worklists(few, threads) for array in worklist)
    found["worklists"] += private * -(-geometry.words // few.words)
    return found


def _array_bytes(geometry: Geometry) -> Mapping[Path, int]:
    """The arrays of a worker."""
    return _bytes_by_array(geometry.words, len(geometry.role), len(geometry.pawn_color))


@cache
def _bytes_by_array(words: int, others: int, pawns: int) -> Mapping[Path, int]:
    """The arrays of any worker with so many; they grow with the words, so two small workers tell of a large one."""
    any_geometry, few, many = geometry_of(layout_of(Material.parse("KvK"))), 1024, 2048
    role, pawn_color = np.zeros(others, np.int64), np.zeros(pawns, np.int64)
    geometry = any_geometry._replace(words=words, role=role, pawn_color=pawn_color)
    if words <= many:
        return {path: array.nbytes for path, array in arrays_of((), new_worker(geometry))}
    here, there = (dict(arrays_of((), new_worker(geometry._replace(words=size)))) for size in (few, many))
    more = {path: (there[path].nbytes - here[path].nbytes) / (many - few) for path in here}
    return {path: here[path].nbytes + math.ceil(more[path] * (words - few)) for path in here}


def _words_in_order(geometry: Geometry) -> int:
    """At most so many words hold positions: those with equal men in ascending order."""
    orders = math.prod(number - start + 1 for number, start in enumerate(geometry.twin_start.tolist()))
    return geometry.words // orders


def _fills(path: Path) -> bool:
    return path[-1] in FILLED_FIELDS and not FILLING.keys().isdisjoint(path)
