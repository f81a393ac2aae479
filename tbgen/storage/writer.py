"""The writer of a table's two files."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import h5py
import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import NewArray, Words
from tbgen.errors import BuildError, RepresentationError, TableError, UsageError
from tbgen.index.handover import Cells, Numbers
from tbgen.index.layout import fen_of_cell
from tbgen.score import Color
from tbgen.storage.files import FileRecord, Layer, mobility_of, path_of, write_whole
from tbgen.storage.numbering import states_of
from tbgen.storage.order import Order, order_of
from tbgen.storage.reader import Ids, TableFile, flips_of
from tbgen.storage.schema import (
    CHUNK,
    COLUMN_ITEMS,
    COLUMNS,
    DETAIL,
    DTG,
    EASY_LEVEL,
    FORMAT,
    HARD_LEVEL,
    RULES,
    SEAL_BYTES,
    STREAMS,
    SYMBOL,
    Attributes,
    Dataset,
    Index,
    Seal,
    digest_of,
    digest_of_men,
    pack,
    sealed,
)
from tbgen.storage.symbols import Columns, details_of, symbols_of
from tbgen.table import Content, Tally

_SAMPLE, _SAMPLED = 7, 256
"""One chunk of seven is compressed both ways, or fewer if that would be some hundreds. Seven has no common factor with
the axes.
"""

_MOST_HARD_CELLS = 1 << 24
"""Tables of up to four men are packed as tightly as is reasonable, larger ones in the time that solving them leaves."""

_SHUFFLE, _ZSTANDARD = 2, 32015
"""HDF5's numbers of its filters."""

_STREAMS = frozenset(name for names in STREAMS.values() for name in names)

Packed = Mapping[str, tuple[Dataset, list[bytes]]]
"""[name of a dataset] -> its entry in the index, and its compressed chunks, which are freed as they are written."""


@dataclass(frozen=True, eq=False)
class DatasetItems:
    """The content of a dataset, in parts that several threads request."""

    kind: np.dtype[Any]
    items: int
    part: Callable[[int, int], npt.NDArray[Any]]
    """The items from `first` up to `end`."""


def write_table(
    folder: Path,
    table: Content,
    *,
    generator: str,
    source: str,
    threads: int = 1,
    new: NewArray = np.zeros,
    counters: int | None = None,
    outcomes_only: bool = False,
) -> FileRecord:
    """Write the table's files in place of any others; the same table gives the same bytes.

    `new` makes the array of zeros for the state of each place. So many threads count states (by default all), and each
    keeps the states that it meets. Distances are written first, because a table exists if its outcomes do. With
    `outcomes_only`, present distances are removed.
    """
    if mobility_of(folder) is not table.mobility:
        raise UsageError(f"{folder} is no folder for tables of {table.mobility}")
    order = order_of(table.material)
    # The array of states, by far the largest, is freed when all streams are packed.
    packed = _packed_layers(
        states_of(table, order, counters or threads, new), table, order, threads, outcomes_only
    )
    attributes = {
        "axes": json.dumps(order.names),
        "game": str(table.mobility),
        "generator": generator,
        "material": str(table.material),
        "men": json.dumps([f"{color} {role.name}".lower() for color, role in order.layout.slots]),
        "rules": RULES[table.mobility],
        "source": source,
    }
    outcomes = _file(Layer.OUTCOMES, order, packed, attributes)
    distances: Sequence[bytes] = ()
    body = Seal.from_bytes(outcomes[0]).sha256
    with contextlib.suppress(TableError), TableFile(path_of(folder, table.material)) as there:
        # Each solver checks the other.
        if attributes.items() <= there.outcomes.index.attributes.items() and there.digest != body:
            reason = "the solvers contradict each other: the folder has other outcomes of this table; please report it"
            raise BuildError(str(table.material), reason)
    if not outcomes_only:
        belongs = {**attributes, "outcomes": body}
        distances = _file(Layer.DISTANCES, order, packed, belongs)
        write_whole(path_of(folder, table.material, Layer.DISTANCES), distances)
    else:
        path_of(folder, table.material, Layer.DISTANCES).unlink(missing_ok=True)
    write_whole(path_of(folder, table.material), outcomes)
    return FileRecord(
        sum(map(len, [*outcomes, *distances])),
        digest_of(*outcomes),
        sha256_of_distances=digest_of(*distances) if distances else None,
        game=str(table.mobility),
    )


def _packed_layers(
    numbering: tuple[Numbers, Cells, Words],
    table: Content,
    order: Order,
    threads: int,
    outcomes_only: bool,
) -> Packed:
    """The datasets of the files, compressed."""
    numbers, states, often = numbering
    symbol_of, symbols = symbols_of(states, often, table.patterns)
    sources = _outcomes(numbers, symbol_of, symbols, table, order)
    if not outcomes_only:
        sources |= _distances(numbers, states, symbol_of, table, order)
    level = HARD_LEVEL if order.layout.cells <= _MOST_HARD_CELLS else EASY_LEVEL
    packed = dict[str, tuple[Dataset, list[bytes]]]()
    with ThreadPoolExecutor(threads) as pool:
        for name, source in sources.items():
            is_large = source.kind.itemsize > 1
            if name in _STREAMS:
                packed[name] = _packed(
                    source, order.chunk_cells, level, sorted({False, is_large}), pool
                )
            else:
                size = min(max(source.items, 1), COLUMN_ITEMS)
                packed[name] = _packed(source, size, EASY_LEVEL, (is_large,), pool)
    return packed


def _outcomes(
    numbers: Numbers, symbol_of: Numbers, symbols: Columns, table: Content, order: Order
) -> dict[str, DatasetItems]:
    """The content of the datasets of outcomes."""
    counts = [(side, outcome, tally.count) for side, outcome, tally in _tallies(table)]
    columns = {
        "block_squares": np.array(order.layout.blocks, np.uint8).ravel(),
        "counts": np.array(counts, COLUMNS[Layer.OUTCOMES]["counts"]),
        **symbols,
    }
    return {
        SYMBOL: _looked_up(numbers, symbol_of, order),
        **{name: _array(items) for name, items in columns.items()},
    }


def _distances(
    numbers: Numbers, states: Cells, symbol_of: Numbers, table: Content, order: Order
) -> dict[str, DatasetItems]:
    """The content of the datasets of distances."""
    kinds = COLUMNS[Layer.DISTANCES]
    detail_of, patterns, details = details_of(states, symbol_of, table.patterns)
    longest = [
        (side, outcome, tally.max_dtg, tally.cell, fen_of_cell(order.layout, tally.cell))
        for side, outcome, tally in _tallies(table)
    ]
    rows = patterns.holder, patterns.code, patterns.outcome, patterns.dtg
    return {
        DTG: _looked_up(numbers, states.dtg ^ flips_of(states.entry), order, black=1),
        DETAIL: _looked_up(numbers, detail_of, order),
        "longest": _array(np.array(longest, kinds["longest"])),
        **{name: _array(items) for name, items in details.items()},
        "rows": DatasetItems(  # few at a time, because there may be a hundred million
            kinds["rows"],
            len(patterns.code),
            lambda first, end: np.rec.fromarrays(
                [column[first:end] for column in rows], dtype=kinds["rows"]
            ),
        ),
    }


def _tallies(table: Content) -> list[tuple[int, int, Tally]]:
    """Side to move, outcome and tally, in the order of the files."""
    return [
        (int(side), outcome.signed, tally)
        for side in Color
        for outcome, tally in sorted(table.tallies[side].items(), reverse=True)
    ]


def _array(items: npt.NDArray[Any]) -> DatasetItems:
    return DatasetItems(items.dtype, len(items), lambda first, end: items[first:end])


def _looked_up(
    numbers: Ids, of_state: npt.NDArray[Any], order: Order, *, black: int = 0
) -> DatasetItems:
    """The places with each state replaced by a number; `black` are bits that are flipped with Black to move."""
    kind = np.min_scalar_type(int(of_state.max(initial=0)) | black)
    items = of_state.astype(kind)

    def part(first: int, end: int) -> npt.NDArray[Any]:
        found = items.take(numbers[first:end])
        order.black_part(first, found)[:] ^= black
        return found

    return DatasetItems(kind, len(numbers), part)


def _file(
    layer: Layer, order: Order, packed: Packed, attributes: Attributes
) -> tuple[bytes, bytes, bytes]:
    """The seal, the HDF5 part and the index of a layer's file."""
    attributes = {**attributes, "layer": layer.value}
    there = {name: packed[name] for name in (*STREAMS[layer], *COLUMNS[layer])}
    image = _hdf5(order, there, attributes)
    index = Index(attributes, {name: dataset for name, (dataset, _) in there.items()})
    return sealed(image, index, digest_of_men(order.layout.material))


def _packed(
    source: DatasetItems, size: int, level: int, ways: Sequence[bool], pool: Executor
) -> tuple[Dataset, list[bytes]]:
    """A dataset's entry in the index, and its compressed chunks. A sample decides whether to shuffle.

    Shuffling helps if few numbers are frequent, and harms if many are.
    """
    chunks = -(-source.items // size)

    def pack_some(numbers: Sequence[int], level: int, *, shuffled: bool) -> list[bytes]:
        return [
            *pool.map(
                lambda number: pack(_chunk(source, number, size), shuffled=shuffled, level=level),
                numbers,
            )
        ]

    tried = range(0, chunks if len(ways) > 1 else 0, _SAMPLE * (chunks // (_SAMPLE * _SAMPLED) | 1))
    shuffled = min(ways, key=lambda way: sum(map(len, pack_some(tried, EASY_LEVEL, shuffled=way))))
    packed = pack_some(range(chunks), level, shuffled=shuffled)
    return Dataset(source.kind, source.items, size, shuffled, np.zeros(chunks, CHUNK)), packed


def _chunk(source: DatasetItems, number: int, size: int) -> npt.NDArray[Any]:
    """The items of a chunk; the last one is filled up with its last item."""
    items = source.part(number * size, min((number + 1) * size, source.items))
    return np.pad(items, (0, size - len(items)), "edge")


def check_library() -> None:
    """Refuse an HDF5 library that writes unreadable files: before 2.0, files made in memory have a wrong checksum."""
    if h5py.version.hdf5_version_tuple < (2, 0, 0):
        raise UsageError(
            f"h5py has HDF5 {h5py.version.hdf5_version}: tables need 2.0; install h5py 3.16 or later"
        )


def _hdf5(order: Order, packed: Packed, attributes: Attributes) -> bytes:
    """The bytes before the index, made in memory; notes the offsets of the chunks in the datasets."""
    with h5py.File(
        "table",
        "w",
        driver="core",
        backing_store=False,
        userblock_size=SEAL_BYTES,
        libver=("v110", "v110"),
    ) as file:
        for name, (dataset, stored) in packed.items():
            is_stream = name in _STREAMS
            shape, chunk = (
                (order.shape, order.chunk)
                if is_stream
                else ((dataset.items,), (dataset.chunk_items,))
            )
            properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            properties.set_chunk(chunk)
            if dataset.shuffled:
                properties.set_filter(_SHUFFLE, h5py.h5z.FLAG_OPTIONAL, (dataset.kind.itemsize,))
            # HDF5's own name for it, because that needs no Zstandard plug-in.
            properties.set_filter(_ZSTANDARD, h5py.h5z.FLAG_OPTIONAL, (EASY_LEVEL,))
            empty = file.create_dataset(
                name, shape, dataset.kind, dcpl=properties, fill_time="never"
            )
            _fill(empty.id, dataset, stored, shape)
        for name in sorted(attributes):
            file.attrs[name] = np.bytes_(attributes[name].encode())
        file.attrs["format"] = np.int64(FORMAT)
        file.flush()
        image: bytes = file.id.get_file_image()
    for dataset, _ in packed.values():
        _check_offsets(image, dataset)
    return image


def _fill(target: Any, dataset: Dataset, packed: list[bytes], shape: tuple[int, ...]) -> None:
    """Write the chunks, free them on the way, and note the offset of each."""
    dataset.chunks["size"], dataset.chunks["crc"] = [*map(len, packed)], [*map(crc32, packed)]
    corners = np.stack(
        np.unravel_index(np.arange(len(packed)) * dataset.chunk_items, shape), axis=1
    ).tolist()
    for number, corner in enumerate(corners):
        target.write_direct_chunk(tuple(corner), packed[number])
        packed[number] = b""

    def note(chunk: Any) -> None:
        number = np.ravel_multi_index(chunk.chunk_offset, shape) // dataset.chunk_items
        dataset.chunks["offset"][number] = chunk.byte_offset

    target.chunk_iter(note)  # asking for one chunk after another would take quadratic time


def _check_offsets(image: bytes, dataset: Dataset) -> None:
    """Make sure of the offsets: HDF5 libraries disagree whether they count from the user block or from its end."""
    whole = memoryview(image)
    for offset, size, crc in dataset.chunks.tolist():
        if crc32(whole[offset - SEAL_BYTES : offset - SEAL_BYTES + size]) != crc:
            raise RepresentationError(
                f"a chunk at {offset}", "the index: the HDF5 library counts otherwise"
            )
