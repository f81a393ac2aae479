"""Files of tables that nobody has solved: sound to every reader, small on the disk, their values made up.

All chunks of such a file are one of a few, each of which lies in it once, so a table of 800 million cells takes a few
hundred kilobytes. Tables of up to four men are real ones. A build on top of them is a real build, and what it makes
can be held against the reference and the verifier, which take children as they are.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from zlib import crc32 as seed_of

import numpy as np

from tbgen.material import Material, build_order
from tbgen.storage.codec import crc32, pack
from tbgen.storage.files import path_of, write_whole
from tbgen.storage.order import Order, order_of
from tbgen.storage.schema import (
    CHUNK,
    COLUMNS,
    FORMAT,
    RULES,
    SEAL_BYTES,
    STATE,
    Attributes,
    Columns,
    Dataset,
    Index,
    Seal,
    digest_of,
)

KINDS = 8
"""Chunks that are told apart."""
STATES = 24
MEAN_RUN = 12
"""Places in a row that have one state."""
MOST_CODE, MOST_PLIES = 20, 40


def write_descent(folder: Path, wanted: Material, small: Path) -> None:
    """All tables that a build of this one asks for: up to four men from the folder `small`, the others made up."""
    folder.mkdir(parents=True, exist_ok=True)
    for material in build_order(wanted.children()):
        if material.men < 5:
            shutil.copy(path_of(small, material), folder)
        else:
            write_made_up(folder, material)


def write_made_up(folder: Path, material: Material) -> None:
    """The file of a table of which nothing is known."""
    order, draw = order_of(material), np.random.default_rng(seed_of(str(material).encode()))
    states = _states(draw)
    columns = {name: states.get(name, np.zeros(0)) for name in COLUMNS}
    columns["block_squares"] = np.array(order.layout.blocks).ravel()
    columns["pattern_start"] = np.zeros(2)
    write_whole(path_of(folder, material), _parts(order, columns, [_chunk(order, draw) for _ in range(KINDS)], draw))


def _states(draw: np.random.Generator) -> Columns:
    """Entry values and distances; the first one is mate, as in most positions of most tables."""
    entry = (1 + draw.integers(0, MOST_CODE, STATES)) * draw.choice((1, -1), STATES)
    dtg = draw.integers(0, MOST_PLIES, STATES)
    entry[0], dtg[0] = 1, 21
    return {"state_entry": entry, "state_dtg": dtg, "state_pattern": np.zeros(STATES)}


def _chunk(order: Order, draw: np.random.Generator) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    """States of places in a row; half of them are the first."""
    state = np.where(draw.random(order.chunk_cells) < 0.5, 0, draw.integers(0, STATES, order.chunk_cells))
    return np.repeat(state, draw.geometric(1 / MEAN_RUN, order.chunk_cells))[: order.chunk_cells].astype(np.uint8)


def _parts(order: Order, columns: Columns, kinds: Iterable[np.ndarray], draw: np.random.Generator) -> Iterable[bytes]:
    """A file as storage/schema.py declares it, but for what only HDF5 would ask for."""
    body, end = list[bytes](), SEAL_BYTES

    def put(items: np.ndarray) -> tuple[int, int, int]:
        nonlocal end
        packed = pack(items, shuffled=False)
        body.append(packed)
        end += len(packed)
        return end - len(packed), len(packed), crc32(packed)

    rows = np.array([put(chunk) for chunk in kinds], CHUNK)[draw.integers(0, KINDS, order.chunks)]
    datasets = {STATE: Dataset(np.dtype(np.uint8), order.layout.cells, order.chunk_cells, False, rows)}
    for name, kind in COLUMNS.items():
        column = columns[name].astype(kind)
        rows = np.array([put(column)] if len(column) else [], CHUNK)
        datasets[name] = Dataset(column.dtype, len(column), max(len(column), 1), False, rows)
    material = str(order.layout.material)
    attributes: Attributes = {"axes": json.dumps(order.names), "material": material, "rules": RULES}
    index = Index(attributes, datasets).to_bytes()
    digests = digest_of(*body, index), digest_of(index)
    return Seal(material, FORMAT, end + len(index), end, *digests).to_bytes(), *body, index
