"""Writer: a table as a file."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import numpy.typing as npt

from tbgen.errors import RepresentationError
from tbgen.index.boards import fen_of_cell
from tbgen.index.layout import Layout
from tbgen.score import Color
from tbgen.storage.codec import EASY_LEVEL, HARD_LEVEL, crc32, pack
from tbgen.storage.counting import states_of
from tbgen.storage.files import Written, path_of, write_whole
from tbgen.storage.order import Order, order_of
from tbgen.storage.schema import (
    CHUNK,
    COLUMN_ITEMS,
    COLUMNS,
    FORMAT,
    RULES,
    SEAL_BYTES,
    SHUFFLE_FILTER,
    STATE,
    ZSTANDARD_FILTER,
    Attributes,
    Columns,
    Dataset,
    Index,
    Seal,
    digest_of,
)
from tbgen.storage.states import Ids, States
from tbgen.table import Content, Patterns, Tally

_SAMPLE = 7
"""One chunk of so many is compressed both ways; it has no factor in common with the axes."""

_TURN = 64
"""So many chunks at most a thread packs before it asks for more, for packing one can take less time than asking; and in
so many turns at least, if there are as many chunks, for threads to be done at about the same time."""

_MOST_HARD_CELLS = 1 << 24
"""Tables of up to four men are packed as tight as is reasonable, larger ones in the time that solving them leaves."""


def write_table(folder: Path, table: Content, *, generator: str, source: str, threads: int = 1) -> Written:
    """Put the table's file in place of any other; the same table gives the same bytes."""
    parts = file_of(table, generator=generator, source=source, threads=threads)
    return write_whole(path_of(folder, table.material), parts)


def file_of(table: Content, *, generator: str, source: str, threads: int = 1) -> tuple[bytes, bytes, bytes]:
    """The three parts of a table's file."""
    order = order_of(table.material)
    attributes = {
        "axes": json.dumps(order.names),
        "generator": generator,
        "material": str(table.material),
        "men": json.dumps([f"{color} {role.name}".lower() for color, role in order.layout.slots]),
        "rules": RULES,
        "source": source,
    }
    with ThreadPoolExecutor(threads) as pool:
        ids, states = states_of(table, order, pool)
        packed, shuffled = _packed(ids, order, pool)
        state = Dataset(ids.dtype, len(ids), order.chunk_cells, shuffled, np.zeros(len(packed), CHUNK))
        del ids
        columns = {
            "block_squares": np.array(order.layout.blocks, np.uint8).ravel(),
            **_state_columns(states),
            **_pattern_columns(table.patterns),
            **_tally_columns(table, order.layout),
        }
        datasets, stored = {STATE: state}, {STATE: packed}
        for name, kind in COLUMNS.items():
            column = np.ascontiguousarray(columns[name]).astype(kind, copy=False)
            datasets[name], stored[name] = _column_chunks(column, pool)
    image = _hdf5(order, datasets, stored, attributes)
    return _sealed(image, Index(attributes, datasets))


def _sealed(image: bytes, index: Index) -> tuple[bytes, bytes, bytes]:
    end, start = index.to_bytes(), SEAL_BYTES + len(image)
    digests = digest_of(image, end), digest_of(end)
    seal = Seal(index.attributes["material"], FORMAT, start + len(end), start, *digests)
    return seal.to_bytes(), image, end


def _packed(ids: Ids, order: Order, pool: Executor) -> tuple[list[bytes], bool]:
    """The compressed chunks, the last one filled up with its last state; and whether they are shuffled.

    Shuffling helps where few states are frequent, and harms where there are many: a sample decides.
    """
    size = order.chunk_cells

    def chunk(number: int) -> Ids:
        return _filled_up(ids[number * size : (number + 1) * size], size)

    def some(numbers: Sequence[int], *, shuffled: bool, level: int) -> dict[int, bytes]:
        step = max(1, min(_TURN, len(numbers) // _TURN))
        turns = [numbers[start : start + step] for start in range(0, len(numbers), step)]
        packed = pool.map(lambda turn: [pack(chunk(n), shuffled=shuffled, level=level) for n in turn], turns)
        return dict(zip(numbers, itertools.chain.from_iterable(packed), strict=True))

    def easy(*, shuffled: bool) -> dict[int, bytes]:
        return some(range(0, order.chunks, _SAMPLE), shuffled=shuffled, level=EASY_LEVEL)

    ways = (False, True) if ids.itemsize > 1 else (False,)
    sample = {shuffled: easy(shuffled=shuffled) for shuffled in ways}
    shuffled = min(ways, key=lambda shuffled: sum(map(len, sample[shuffled].values())))
    level = HARD_LEVEL if order.layout.cells <= _MOST_HARD_CELLS else EASY_LEVEL
    packed = sample[shuffled] if level == EASY_LEVEL else {}
    rest = [number for number in range(order.chunks) if number not in packed]
    packed |= some(rest, shuffled=shuffled, level=level)
    return [packed[number] for number in range(order.chunks)], shuffled


def _filled_up(items: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    """A chunk with the last item repeated up to the end."""
    return items if len(items) == size else np.pad(items, (0, size - len(items)), mode="edge")


def _column_chunks(column: npt.NDArray[Any], pool: Executor) -> tuple[Dataset, list[bytes]]:
    """A column as the index has it, and its compressed chunks."""
    size, shuffled = min(max(len(column), 1), COLUMN_ITEMS), column.itemsize > 1
    parts = (_filled_up(column[start : start + size], size) for start in range(0, len(column), size))
    packed = list(pool.map(lambda part: pack(part, shuffled=shuffled), parts))
    return Dataset(column.dtype, len(column), size, shuffled, np.zeros(len(packed), CHUNK)), packed


def _state_columns(states: States) -> Columns:
    return {"state_entry": states.entry, "state_dtg": states.dtg, "state_pattern": states.pattern}


def _pattern_columns(patterns: Patterns) -> Columns:
    return {
        "pattern_start": patterns.start,
        "pattern_holder": patterns.holder,
        "pattern_code": patterns.code,
        "pattern_outcome": patterns.outcome,
        "pattern_dtg": patterns.dtg,
    }


def _tally_columns(table: Content, layout: Layout) -> Columns:
    rows = list(_tally_rows(table))
    return {
        "tally_side": np.array([side for side, _, _ in rows]),
        "tally_outcome": np.array([outcome for _, outcome, _ in rows]),
        "tally_count": np.array([tally.count for _, _, tally in rows]),
        "tally_max_dtg": np.array([tally.max_dtg for _, _, tally in rows]),
        "tally_cell": np.array([tally.cell for _, _, tally in rows]),
        "tally_fen": np.array([fen_of_cell(layout, tally.cell) for _, _, tally in rows]),
    }


def _tally_rows(table: Content) -> Iterator[tuple[int, int, Tally]]:
    for side in Color:
        for outcome, tally in sorted(table.tallies[side].items(), reverse=True):
            yield int(side), outcome.to_byte(), tally


def _hdf5(
    order: Order, datasets: Mapping[str, Dataset], stored: Mapping[str, list[bytes]], attributes: Attributes
) -> bytes:
    """The bytes up to the index, made in memory; the datasets are told where in them their chunks lie."""
    with h5py.File(
        "table", "w", driver="core", backing_store=False, userblock_size=SEAL_BYTES, libver=("v110", "v110")
    ) as file:
        for name, dataset in datasets.items():
            shape, chunk = (order.shape, order.chunk) if name == STATE else ((dataset.items,), (dataset.chunk_items,))
            starts: list[tuple[int, ...]] = [(n * dataset.chunk_items,) for n in range(len(dataset.chunks))]
            corners = _corners(order) if name == STATE else starts
            _fill(_new_dataset(file, name, dataset, shape, chunk), dataset, stored[name], corners)
        for name in sorted(attributes):
            file.attrs[name] = np.bytes_(attributes[name].encode())
        file.attrs["format"] = np.int64(FORMAT)
        file.flush()
        image: bytes = file.id.get_file_image()
    for dataset in datasets.values():
        _check_places(image, dataset)
    return image


def _corners(order: Order) -> list[tuple[int, ...]]:
    """The first index of each chunk."""
    shape = (max(order.shape[0], order.chunks * order.chunk_cells), *order.shape[1:])
    starts = np.arange(order.chunks) * order.chunk_cells
    return [tuple(row) for row in np.stack(np.unravel_index(starts, shape), axis=1).tolist()]


def _new_dataset(file: Any, name: str, dataset: Dataset, shape: tuple[int, ...], chunk: tuple[int, ...]) -> Any:
    """An empty dataset of the file, by HDF5's own means, which ask for no Zstandard plug-in."""
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_obj_track_times(False)
    properties.set_chunk(chunk)
    properties.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    if dataset.shuffled:
        properties.set_filter(SHUFFLE_FILTER, h5py.h5z.FLAG_OPTIONAL, (dataset.kind.itemsize,))
    properties.set_filter(ZSTANDARD_FILTER, h5py.h5z.FLAG_OPTIONAL, (EASY_LEVEL,))
    space, stored = h5py.h5s.create_simple(shape), h5py.h5t.py_create(dataset.kind)
    return h5py.h5d.create(file.id, name.encode(), stored, space, properties)


def _fill(target: Any, dataset: Dataset, packed: list[bytes], corners: list[tuple[int, ...]]) -> None:
    """Write the chunks, which are let go on the way, and note where each of them lies."""
    for number, corner in enumerate(corners[: len(packed)]):
        target.write_direct_chunk(corner, packed[number])
        dataset.chunks[number] = 0, len(packed[number]), crc32(packed[number])
        packed[number] = b""
    places = _places(target)
    dataset.chunks["offset"] = [places[corner] for corner in corners[: len(packed)]]


def _places(target: Any) -> dict[tuple[int, ...], int]:
    """Where each chunk lies, by its first index; to ask for one after another would take time by their square."""
    places: dict[tuple[int, ...], int] = {}

    def note(place: Any) -> None:
        places[tuple(place.chunk_offset)] = place.byte_offset

    if hasattr(target, "chunk_iter"):
        target.chunk_iter(note)
    else:
        for number in range(target.get_num_chunks()):
            note(target.get_chunk_info(number))
    return places


def _check_places(image: bytes, dataset: Dataset) -> None:
    """HDF5 libraries have disagreed on whether places count from the user block or from its end: be sure."""
    for offset, size, crc in dataset.chunks.tolist():
        if crc32(image[offset - SEAL_BYTES : offset - SEAL_BYTES + size]) != crc:
            raise RepresentationError(f"a chunk at {offset}", "the index: the HDF5 library counts otherwise")
