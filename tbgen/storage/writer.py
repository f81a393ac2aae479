"""The writer of a table's two files."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from zlib import crc32

import h5py
import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import NewArray, Words
from tbgen.errors import BuildError, RepresentationError, TableError, UsageError
from tbgen.index.layout import fen_of_cell
from tbgen.material import TableMaterial
from tbgen.score import Color
from tbgen.storage.files import FileRecord, Layer, mobility_of, path_of, write_whole
from tbgen.storage.numbering import Numbering, states_of
from tbgen.storage.order import Order, order_of
from tbgen.storage.reader import TableFile, flips_of
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
from tbgen.table import Cells, Content, Numbers, Patterns, Tally

_SAMPLE = 7
"""One chunk of seven is compressed both ways. Seven has no common factor with the axes."""
_SAMPLED = 256
"""About the most chunks that are compressed both ways."""

_MOST_HARD_CELLS = 1 << 24
"""The most cells of a table that is packed at `HARD_LEVEL`: tables of up to four men are.

Larger ones are packed at `EASY_LEVEL`, in the time that solving them leaves.
"""

_SHUFFLE = 2
"""HDF5's number of its shuffle filter."""
_ZSTANDARD = 32015
"""HDF5's number of the filter Zstandard."""

_STREAMS = frozenset([*STREAMS[Layer.OUTCOMES], *STREAMS[Layer.DISTANCES]])

Packed = Mapping[str, tuple[Dataset, list[bytes]]]
"""[name of a dataset] -> its entry in the index, and its chunks, freed as they are written."""


@dataclass(frozen=True, eq=False)
class DatasetItems:
    """The content of a column, in parts that several threads request."""

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

    `new` makes the array of zeros for the state of each place. So many threads count states (by
    default all), and each keeps the states that it meets. Distances are written first, because a
    table exists if its outcomes do. With `outcomes_only`, present distances are removed.
    """
    if mobility_of(folder) is not table.mobility:
        raise UsageError(f"{folder} is no folder for tables of {table.mobility}")
    order = order_of(table.material)
    # The numbering, by far the largest, is freed when all streams are packed.
    packed = _packed_layers(
        states_of(table, order, counters or threads, new), table, order, threads, outcomes_only
    )
    men = [f"{color} {role.name}".lower() for color, role in order.layout.slots]
    attributes = {
        "axes": json.dumps(order.names),
        "game": str(table.mobility),
        "generator": generator,
        "material": str(table.material),
        "men": json.dumps(men),
        "rules": RULES[table.mobility],
        "source": source,
    }
    outcomes = _file(Layer.OUTCOMES, order, packed, attributes)
    digest = Seal.from_bytes(outcomes[0]).sha256
    _check_outcomes_before(folder, table.material, attributes, digest)
    path_of_distances = path_of(folder, table.material, Layer.DISTANCES)
    size = sum(map(len, outcomes))
    sha256_of_distances = None
    if outcomes_only:
        path_of_distances.unlink(missing_ok=True)
    else:
        distances = _file(Layer.DISTANCES, order, packed, attributes | {"outcomes": digest})
        write_whole(path_of_distances, distances)
        size += sum(map(len, distances))
        sha256_of_distances = digest_of(*distances)
    write_whole(path_of(folder, table.material), outcomes)
    return FileRecord(
        size,
        digest_of(*outcomes),
        sha256_of_distances=sha256_of_distances,
        game=str(table.mobility),
    )


def _check_outcomes_before(
    folder: Path, material: TableMaterial, attributes: Attributes, digest: str
) -> None:
    """Compare outcomes that the same sources have written before: each solver checks the other."""
    with contextlib.suppress(TableError), TableFile(path_of(folder, material)) as before:
        has_same_sources = attributes.items() <= before.outcomes.index.attributes.items()
        if has_same_sources and before.digest != digest:
            raise BuildError(
                str(material),
                "the solvers contradict each other: the folder has other outcomes of this table;"
                " please report it",
            )


def _packed_layers(
    found: tuple[Numbering, Cells, Words],
    table: Content,
    order: Order,
    threads: int,
    outcomes_only: bool,
) -> Packed:
    """The datasets of the files, compressed."""
    numbering, states, often = found
    symbol_of, symbols = symbols_of(states, often, table.patterns)
    streams = {SYMBOL: _Stream.of(symbol_of)}
    columns = _columns_of_outcomes(symbols, table, order)
    if not outcomes_only:
        detail_of, patterns, details = details_of(states, symbol_of, table.patterns)
        streams[DTG] = _Stream.of(states.dtg ^ flips_of(states.entry), black=1)
        streams[DETAIL] = _Stream.of(detail_of)
        columns |= _columns_of_distances(details, patterns, table, order)
    level = HARD_LEVEL if order.layout.cells <= _MOST_HARD_CELLS else EASY_LEVEL
    with ThreadPoolExecutor(threads) as pool:
        packed = _StreamPacker(numbering, order, streams, pool).pack_all(level)
        for name, items in columns.items():
            packed[name] = _packed_column(items, pool)
    return packed


def _columns_of_outcomes(symbols: Columns, table: Content, order: Order) -> dict[str, DatasetItems]:
    counts = [(side, outcome, tally.count) for side, outcome, tally in _tallies(table)]
    columns = {
        "block_squares": np.array(order.layout.blocks, np.uint8).ravel(),
        "counts": np.array(counts, COLUMNS[Layer.OUTCOMES]["counts"]),
        **symbols,
    }
    return {name: _array(items) for name, items in columns.items()}


def _columns_of_distances(
    details: Columns, patterns: Patterns, table: Content, order: Order
) -> dict[str, DatasetItems]:
    kinds = COLUMNS[Layer.DISTANCES]
    longest = [
        (side, outcome, tally.max_dtg, tally.cell, fen_of_cell(order.layout, tally.cell))
        for side, outcome, tally in _tallies(table)
    ]

    def rows(first: int, end: int) -> npt.NDArray[Any]:
        """Few rows at a time, because there may be a hundred million."""
        part = np.empty(end - first, kinds["rows"])
        part["holder"] = patterns.holder[first:end]
        part["code"] = patterns.code[first:end]
        part["outcome"] = patterns.outcome[first:end]
        part["dtg"] = patterns.dtg[first:end]
        return part

    columns = {
        "longest": _array(np.array(longest, kinds["longest"])),
        "rows": DatasetItems(kinds["rows"], len(patterns.code), rows),
    }
    for name, items in details.items():
        columns[name] = _array(items)
    return columns


def _tallies(table: Content) -> list[tuple[int, int, Tally]]:
    """Side to move, outcome and tally, in the order of the files."""
    rows = list[tuple[int, int, Tally]]()
    for side in Color:
        tallies = table.tallies[side]
        for outcome in sorted(tallies, reverse=True):
            rows.append((int(side), outcome.signed, tallies[outcome]))
    return rows


def _array(items: npt.NDArray[Any]) -> DatasetItems:
    """The content of a dataset that is an array in memory."""

    def part(first: int, end: int) -> npt.NDArray[Any]:
        return items[first:end]

    return DatasetItems(items.dtype, len(items), part)


def _file(
    layer: Layer, order: Order, packed: Packed, attributes: Attributes
) -> tuple[bytes, bytes, bytes]:
    """The seal, the HDF5 part and the index of a layer's file."""
    attributes = attributes | {"layer": layer.value}
    of_layer = {name: packed[name] for name in (*STREAMS[layer], *COLUMNS[layer])}
    image = _hdf5(order, of_layer, attributes)
    index = Index(attributes, {name: dataset for name, (dataset, _) in of_layer.items()})
    return sealed(image, index, digest_of_men(order.layout.material))


def _packed_column(column: DatasetItems, pool: Executor) -> tuple[Dataset, list[bytes]]:
    """The entry of a column in the index, and its compressed chunks."""
    size = min(max(column.items, 1), COLUMN_ITEMS)
    is_large = column.kind.itemsize > 1

    def pack_one(first: int) -> bytes:
        items = column.part(first, min(first + size, column.items))
        return pack(_filled(items, size), shuffled=is_large, level=EASY_LEVEL)

    chunks = list(pool.map(pack_one, range(0, column.items, size)))
    places = np.zeros(len(chunks), CHUNK)
    return Dataset(column.kind, column.items, size, is_large, places), chunks


def _filled(items: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    """The items of a chunk of this size; the last one is filled up with its last item."""
    return np.pad(items, (0, size - len(items)), "edge")


@dataclass(frozen=True, eq=False)
class _Stream:
    """A dataset with an item for each place, which depends on its state alone."""

    item_of: npt.NDArray[Any]
    """[state] -> its item."""
    black: int
    """The bits that are flipped with Black to move."""

    @classmethod
    def of(cls, items: npt.NDArray[Any], *, black: int = 0) -> _Stream:
        """A stream in as few bytes as the items take."""
        kind = np.min_scalar_type(int(items.max(initial=0)) | black)
        return cls(items.astype(kind), black)

    @property
    def kind(self) -> np.dtype[Any]:
        return self.item_of.dtype


@dataclass(frozen=True, eq=False)
class _StreamPacker:
    """Compresses the chunks of all streams, reading one part of the numbering after another."""

    numbering: Numbering
    order: Order
    streams: Mapping[str, _Stream]
    pool: Executor

    def pack_all(self, level: int) -> dict[str, tuple[Dataset, list[bytes]]]:
        """[name] -> the dataset's entry in the index, and its compressed chunks."""
        shuffled = self._smaller_shuffled()
        packed = dict[str, list[bytes]]()
        for name in self.streams:
            packed[name] = []

        for part, numbers in self._parts(range(len(self.numbering.parts)), self.numbering.take):
            chunks = self._chunks_in(part)
            for name, stream in self.streams.items():
                pack_one = partial(
                    self._pack, stream, part, numbers, shuffled=shuffled[name], level=level
                )
                packed[name] += self.pool.map(pack_one, chunks)

        datasets = dict[str, tuple[Dataset, list[bytes]]]()
        size = self.order.chunk_cells
        for name, stream in self.streams.items():
            places = np.zeros(len(packed[name]), CHUNK)
            cells = self.order.layout.cells
            dataset = Dataset(stream.kind, cells, size, shuffled[name], places)
            datasets[name] = (dataset, packed[name])
        return datasets

    def _smaller_shuffled(self) -> dict[str, bool]:
        """[name] -> whether a sample of the stream's chunks is smaller when it is shuffled.

        Shuffling helps if few numbers are frequent, and harms if many are.
        """
        large = {name: stream for name, stream in self.streams.items() if stream.kind.itemsize > 1}
        every = len(self.order.chunks) // (_SAMPLE * _SAMPLED)
        step = _SAMPLE * (every | 1)  # an odd step meets all of an axis
        sampled = dict[int, list[int]]()
        for part in self.numbering.sampled:
            chunks = [chunk for chunk in self._chunks_in(part) if chunk % step == 0]
            if chunks and large:
                sampled[part] = chunks

        plain_bytes = dict.fromkeys(self.streams, 0)
        shuffled_bytes = dict.fromkeys(self.streams, 0)
        for part, numbers in self._parts(list(sampled), self.numbering.read):
            for name, stream in large.items():
                pack_one = partial(self._pack, stream, part, numbers, level=EASY_LEVEL)
                plain = self.pool.map(partial(pack_one, shuffled=False), sampled[part])
                shuffled = self.pool.map(partial(pack_one, shuffled=True), sampled[part])
                plain_bytes[name] += sum(map(len, plain))
                shuffled_bytes[name] += sum(map(len, shuffled))
        return {name: shuffled_bytes[name] < plain_bytes[name] for name in self.streams}

    def _parts(
        self, parts: Sequence[int], read: Callable[[int], Numbers]
    ) -> Iterator[tuple[int, Numbers]]:
        """Some parts with their states; one is read while the one before it is packed."""
        reads = [self.pool.submit(read, part) for part in parts[:1]]
        for n, part in enumerate(parts):
            numbers = reads.pop().result()
            if n + 1 < len(parts):
                reads.append(self.pool.submit(read, parts[n + 1]))
            yield part, numbers

    def _chunks_in(self, part: int) -> range:
        """The chunks of a part. A part ends with a chunk, or with the table."""
        places = self.numbering.parts[part]
        size = self.order.chunk_cells
        return range(places.start // size, -(-places.stop // size))

    def _pack(
        self,
        stream: _Stream,
        part: int,
        numbers: Numbers,
        chunk: int,
        *,
        shuffled: bool,
        level: int,
    ) -> bytes:
        size = self.order.chunk_cells
        first = chunk * size
        start = first - self.numbering.parts[part].start
        items = stream.item_of.take(numbers[start : start + size])
        self.order.black_part(first, items)[:] ^= stream.black
        return pack(_filled(items, size), shuffled=shuffled, level=level)


def check_library() -> None:
    """Refuse an HDF5 library that writes unreadable files.

    Before 2.0, files made in memory have a wrong checksum.
    """
    if h5py.version.hdf5_version_tuple < (2, 0, 0):
        version = h5py.version.hdf5_version
        raise UsageError(f"h5py has HDF5 {version}: tables need 2.0; install h5py 3.16 or later")


def _hdf5(order: Order, packed: Packed, attributes: Attributes) -> bytes:
    """The bytes before the index, made in memory.

    Notes the offsets of the chunks in the datasets.
    """
    with h5py.File(
        "table",
        "w",
        driver="core",
        backing_store=False,
        userblock_size=SEAL_BYTES,
        libver=("v110", "v110"),
    ) as file:
        for name, (dataset, stored) in packed.items():
            shape: tuple[int, ...] = (dataset.items,)
            chunk: tuple[int, ...] = (dataset.chunk_items,)
            if name in _STREAMS:
                shape = order.shape
                chunk = order.chunk
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
    dataset.chunks["size"] = [len(chunk) for chunk in packed]
    dataset.chunks["crc"] = [crc32(chunk) for chunk in packed]
    first_items = np.arange(len(packed)) * dataset.chunk_items
    corners = np.stack(np.unravel_index(first_items, shape), axis=1)
    for number, corner in enumerate(corners.tolist()):
        target.write_direct_chunk(tuple(corner), packed[number])
        packed[number] = b""

    def note(chunk: Any) -> None:
        number = np.ravel_multi_index(chunk.chunk_offset, shape) // dataset.chunk_items
        dataset.chunks["offset"][number] = chunk.byte_offset

    target.chunk_iter(note)  # asking for one chunk after another would take quadratic time


def _check_offsets(image: bytes, dataset: Dataset) -> None:
    """Make sure of the offsets.

    HDF5 libraries disagree whether they count from the user block or from its end.
    """
    whole = memoryview(image)
    for offset, size, crc in dataset.chunks.tolist():
        start = offset - SEAL_BYTES
        if crc32(whole[start : start + size]) != crc:
            reason = "the index: the HDF5 library counts otherwise"
            raise RepresentationError(f"a chunk at {offset}", reason)
