"""Files of tables that nobody has solved: sound to every reader, small on the disk, their values
made up.

All chunks of such a file are one of a few, each of which lies in it once, so a table of 800 million
cells takes a few hundred kilobytes. Tables of up to four men are real ones. A build on top of them
is a real build, and what it makes can be held against the reference and the verifier, which take
children as they are.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from zlib import crc32
from zlib import crc32 as seed_of

import numpy as np

from tbgen.material import TableMaterial, build_order
from tbgen.score import Mobility
from tbgen.storage.files import Layer, path_of, write_whole
from tbgen.storage.order import Order, order_of
from tbgen.storage.schema import (
    CHUNK,
    COLUMN_ITEMS,
    COLUMNS,
    DETAIL,
    DTG,
    RULES,
    SEAL_BYTES,
    STREAMS,
    SYMBOL,
    Attributes,
    Dataset,
    Index,
    Seal,
    pack,
    sealed,
)

Columns = dict[str, np.ndarray]

KINDS = 8
"""Chunks that are told apart."""
STATES = 24
MEAN_RUN = 12
"""Places in a row that have one state."""
MOST_CODE = 20
MOST_PLIES = 40


def write_descent(folder: Path, wanted: TableMaterial, small: Path) -> None:
    """All tables that a build of this one asks for: up to four men from the folder `small`, the
    others made up.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for material in build_order(wanted.children()):
        if material.men < 5:
            for layer in Layer:
                shutil.copy(path_of(small, material, layer), folder)
        else:
            write_made_up(folder, material)


def write_made_up(folder: Path, material: TableMaterial) -> None:
    """The files of a table of which nothing is known: every state has a symbol of its own."""
    order = order_of(material)
    draw = np.random.default_rng(seed_of(str(material).encode()))
    entry, dtg = _states(draw)
    symbols = np.zeros(STATES, COLUMNS[Layer.OUTCOMES]["symbols"])
    symbols["entry"] = entry
    ways = np.repeat(
        np.arange(STATES), 2
    )  # odd or even, as whose turn it is says, which chunks that repeat cannot know
    lengths = dtg + 2
    group_states = np.repeat(2 * np.arange(STATES), lengths)
    group_states[np.cumsum(lengths) - 1] += 1
    columns: Columns = {
        "block_squares": np.array(order.layout.blocks).ravel(),
        "symbols": symbols,
        "symbol_groups": np.cumsum(lengths) - lengths,
        "group_states": group_states,
        "states": np.zeros(len(ways), COLUMNS[Layer.DISTANCES]["states"]),
    }
    kinds = np.stack([_chunk(order, draw) for _ in range(KINDS)])
    which = draw.integers(0, KINDS, len(order.chunks))
    streams = {SYMBOL: kinds, DTG: dtg[kinds].astype(np.uint8), DETAIL: np.zeros_like(kinds)}
    outcomes = _parts(Layer.OUTCOMES, order, columns, streams, which, "")
    distances = _parts(
        Layer.DISTANCES, order, columns, streams, which, Seal.from_bytes(outcomes[0]).sha256
    )
    write_whole(path_of(folder, material, Layer.DISTANCES), distances)
    write_whole(path_of(folder, material), outcomes)


def _states(draw: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Entry values and even distances.

    The first one is mate, as in most positions of most tables.
    """
    entry = (1 + draw.integers(0, MOST_CODE, STATES)) * draw.choice((1, -1), STATES)
    dtg = draw.integers(0, MOST_PLIES // 2, STATES) * 2
    entry[0] = 1
    dtg[0] = 20
    return entry, dtg


def _chunk(order: Order, draw: np.random.Generator) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    """States of places in a row; half of them are the first."""
    state = np.where(
        draw.random(order.chunk_cells) < 0.5, 0, draw.integers(0, STATES, order.chunk_cells)
    )
    return np.repeat(state, draw.geometric(1 / MEAN_RUN, order.chunk_cells))[
        : order.chunk_cells
    ].astype(np.uint8)


def _parts(
    layer: Layer,
    order: Order,
    columns: Columns,
    streams: Mapping[str, np.ndarray],
    which: np.ndarray,
    outcomes: str,
) -> Sequence[bytes]:
    """A file as storage/schema.py declares it, but for what only HDF5 would ask for."""
    body = list[bytes]()
    end = SEAL_BYTES

    def put(items: np.ndarray) -> tuple[int, int, int]:
        nonlocal end
        packed = pack(np.ascontiguousarray(items), shuffled=False)
        body.append(packed)
        end += len(packed)
        return end - len(packed), len(packed), crc32(packed)

    datasets = dict[str, Dataset]()
    size = order.chunk_cells
    for name in STREAMS[layer]:
        rows = np.array(
            [[put(part) for part in kind.reshape(-1, size)] for kind in streams[name]], CHUNK
        )
        there = rows[which].ravel()[: -(-order.layout.cells // size)]
        datasets[name] = Dataset(np.dtype(np.uint8), order.layout.cells, size, False, there)
    for name, kind in COLUMNS[layer].items():
        column = columns.get(name, np.zeros(0, kind)).astype(kind)
        size = min(max(len(column), 1), COLUMN_ITEMS)
        full = np.resize(column, -(-len(column) // size) * size).reshape(-1, size)
        rows = np.array([put(part) for part in full], CHUNK)
        datasets[name] = Dataset(column.dtype, len(column), size, False, rows)
    material = str(order.layout.material)
    attributes: Attributes = {
        "axes": json.dumps(order.names),
        "game": str(Mobility.RESET),
        "layer": layer.value,
        "rules": RULES[Mobility.RESET],
    }
    attributes["material"] = material
    if outcomes:
        attributes["outcomes"] = outcomes
    return sealed(b"".join(body), Index(attributes, datasets))
