"""An open file of a table: its datasets, chunk by chunk, with all damage found."""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import threading
from collections.abc import Iterator, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Ints
from tbgen.errors import (
    DamagedTableError,
    MaterialError,
    MissingTableError,
    OutdatedTableError,
)
from tbgen.index.layout import Layout
from tbgen.material import TableMaterial, table_named
from tbgen.men import name_of_men
from tbgen.score import MOST_STORED_CODE, Color, Mobility
from tbgen.storage.files import Layer, NoRegularFileError, men_of_folder, suffix_of
from tbgen.storage.order import Order, order_of
from tbgen.storage.pooled import PooledFile, ReplacedFileError
from tbgen.storage.schema import (
    COLUMNS,
    FORMAT,
    RULES,
    SEAL_BYTES,
    STREAMS,
    Dataset,
    Index,
    Seal,
    digest_of_men,
)

_BLOCK = 1 << 20
"""Bytes that a check reads at once."""
_MOST_COUNTS = len(Color) * 2 * (MOST_STORED_CODE + 1)
"""Counts are by the side to move and by outcome: a holder and a code."""
_NUMBERS = (np.dtype("u1"), np.dtype("<u2"), np.dtype("<u4"))
"""The types of streams."""
_MOST_CHUNK_ITEMS = 1 << 16
"""No chunk of any dataset has more items."""
_FREE_BYTES = 1 << 24
"""The most bytes of a table's unpacked columns: a small file must not fill the memory."""
_MOST_RATIO = 64
"""Further bytes for each byte of the file: several times as many as tbgen writes in any table."""


class LayerFile:
    """An open file of a table. It answers from that file alone, even after another has replaced it.

    Seal and index are read when they are first needed. Safe to use from several threads, and in
    forked processes.
    """

    def __init__(self, path: Path, layer: Layer) -> None:
        self.path = path
        self.layer = layer
        self.material, self.mobility = self._title()
        try:
            self._file = PooledFile(path)
        except FileNotFoundError:
            raise MissingTableError(str(self.material), str(path.parent)) from None
        except NoRegularFileError as error:
            raise self.damaged(str(error.strerror)) from None
        self._columns_lock = threading.Lock()
        self._columns: dict[str, npt.NDArray[Any]] = {}

    def _title(self) -> tuple[TableMaterial, Mobility]:
        """The material and the mobility in the file's name."""
        men = men_of_folder(self.path.parent)
        for mobility in Mobility:
            suffix = suffix_of(self.layer, mobility)
            with contextlib.suppress(MaterialError):
                material = table_named(self.path.name.removesuffix(suffix), men)
                if f"{material}{suffix}" == self.path.name:
                    return material, mobility
        raise self.damaged("its name is not that of a table")

    @cached_property
    def seal(self) -> Seal:
        """The first bytes.

        An error of TableError if this is not the file of its name in today's format.
        """
        try:
            seal = Seal.from_bytes(self._read(0, SEAL_BYTES))
        except ValueError as error:
            raise self.damaged(str(error)) from None
        if seal.format != FORMAT:
            raise OutdatedTableError(str(self.path), f"format {seal.format}", f"format {FORMAT}")
        title = (seal.material, seal.layer, seal.game)
        title_of_name = (str(self.material), self.layer.value, str(self.mobility))
        self.expect(title == title_of_name, f"it is the table of {', '.join(title)}")
        are_its_men = seal.men == digest_of_men(self.material)
        self.expect(are_its_men, f"its men move otherwise than {name_of_men(self.material.own)}")
        self.expect(
            self._file.size == seal.length, f"it has {self._file.size} bytes of {seal.length}"
        )
        self.expect(SEAL_BYTES <= seal.index <= seal.length, "its index lies outside")
        return seal

    @cached_property
    def index(self) -> Index:
        """The content of the file: its datasets and chunks."""
        raw = self._read(self.seal.index, self.seal.length - self.seal.index)
        is_whole = sha256(raw).hexdigest() == self.seal.sha256_of_index
        self.expect(is_whole, "its index is not what was written")
        try:
            index = Index.from_bytes(raw)
            rules = index.attributes["rules"]
            expected = RULES[self.mobility]
            if rules != expected:
                raise OutdatedTableError(str(self.path), f"rules {rules}", f"rules {expected}")
            self._check_form(index, order_of(self.material))
        except (
            ValueError,
            LookupError,
            TypeError,
            AttributeError,
            ArithmeticError,
            RecursionError,
        ) as error:
            raise self.damaged(f"its index cannot be read: {error}") from None
        return index

    def _check_form(self, index: Index, order: Order) -> None:
        """Faults that a file can have although its checksums are right."""
        streams = STREAMS[self.layer]
        columns = COLUMNS[self.layer]
        self.expect({*streams, *columns} <= index.datasets.keys(), "a dataset is missing")
        facts = index.attributes
        title = (facts["material"], facts["layer"], facts["game"], facts.get("outcomes", ""))
        seal = self.seal
        title_of_seal = (seal.material, seal.layer, seal.game, seal.outcomes)
        self.expect(title == title_of_seal, "its seal is that of another file")
        are_its_axes = json.loads(facts["axes"]) == order.names
        self.expect(are_its_axes, "its axes are not those of its material")
        for name in streams:
            dataset = index.datasets[name]
            self.expect(dataset.kind in _NUMBERS, "a dataset is of another type")
            has_all_cells = dataset.items == order.layout.cells
            self.expect(has_all_cells, "its shape is not that of its material")
            self._check_chunks(name, dataset)
        most_items = _most_items(order.layout)
        for name, kind in columns.items():
            dataset = index.datasets[name]
            self.expect(dataset.kind == kind, "a dataset is of another type")
            is_possible = dataset.items <= most_items.get(name, math.inf)
            self.expect(is_possible, f"{name} has more items than its material has")
            self._check_chunks(name, dataset)
        self._check_bytes_of_columns([index.datasets[name] for name in columns])

    def _check_chunks(self, name: str, dataset: Dataset) -> None:
        """Whether a dataset has as many chunks as its items need, all within the file."""
        has_right_size = 0 < dataset.chunk_items <= _MOST_CHUNK_ITEMS
        self.expect(has_right_size, f"{name} has chunks of another size")
        count = len(dataset.chunks)
        is_all = dataset.items >= 0 and count == -(-dataset.items // dataset.chunk_items)
        self.expect(is_all, f"{name} has {count} chunks for {dataset.items} items")
        length = np.uint64(self.seal.length)
        starts = dataset.chunks["offset"]
        ends = starts + dataset.chunks["size"]
        # A sum may overflow, so the starts are compared, too.
        is_within = (starts <= length).all() and (ends <= length).all()
        self.expect(is_within, "a chunk lies outside")

    def _check_bytes_of_columns(self, columns: Sequence[Dataset]) -> None:
        """Whether the columns have bytes of their own, and unpack to no more than the size allows.

        Streams have as many items as the material has cells, so equal chunks of streams may have
        one offset.
        """
        size = sum(column.items * column.kind.itemsize for column in columns)
        is_possible = size <= _FREE_BYTES + _MOST_RATIO * self.seal.length
        self.expect(is_possible, "its columns are larger than any table's")
        chunks = np.sort(np.concatenate([column.chunks for column in columns]), order="offset")
        ends = chunks["offset"] + chunks["size"]
        self.expect((ends[:-1] <= chunks["offset"][1:]).all(), "two chunks share bytes")

    def dataset(self, name: str) -> Dataset:
        return self.index.datasets[name]

    def part(self, name: str, number: int) -> npt.NDArray[Any]:
        """A chunk of a dataset; do not change it. The last one is filled up."""
        dataset = self.dataset(name)
        is_there = 0 <= number < len(dataset.chunks)
        self.expect(is_there, f"{name} has no chunk {number}, which something else leads to")
        offset, size, crc = dataset.chunks[number].item()
        packed = self._read(offset, size)
        self.expect(crc32(packed) == crc, f"chunk {number} of {name} is not what was written")
        try:
            items = dataset.unpack(packed)
        except ValueError as error:
            raise self.damaged(f"chunk {number} of {name} cannot be unpacked: {error}") from None
        for field in items.dtype.names or ():
            is_possible = _are_possible(field, items[field])
            self.expect(is_possible, f"chunk {number} of {name} holds what no table holds")
        return items

    def items(self, name: str, first: int, end: int) -> npt.NDArray[Any]:
        dataset = self.dataset(name)
        size = dataset.chunk_items
        items = np.empty(end - first, dataset.kind)
        for number in range(first // size, -(-end // size)):
            chunk_start = number * size
            start = max(first, chunk_start)
            stop = min(end, chunk_start + size)
            chunk = self.part(name, number)
            items[start - first : stop - first] = chunk[start - chunk_start : stop - chunk_start]
        return items

    def column(self, name: str) -> npt.NDArray[Any]:
        """All items, which stay in memory; do not change them."""
        with self._columns_lock:
            if name not in self._columns:
                self._columns[name] = self.items(name, 0, self.dataset(name).items)
            return self._columns[name]

    def check(self) -> str:
        """Compare all bytes with the seal; DamagedTableError if they differ from what was written.

        Returns the SHA-256 of the whole file, found in the same pass.
        """
        whole = sha256(self._read(0, SEAL_BYTES))
        body = sha256()
        for offset in range(SEAL_BYTES, self.seal.length, _BLOCK):
            content = self._read(offset, min(_BLOCK, self.seal.length - offset))
            whole.update(content)
            body.update(content)
        self.expect(body.hexdigest() == self.seal.sha256, "its bytes are not what was written")
        _ = self.index  # right bytes can still have impossible values
        return whole.hexdigest()

    def close(self) -> None:
        """Close the file once nobody reads from it. Later reads raise a UsageError."""
        self._file.close()

    def damaged(self, reason: str) -> DamagedTableError:
        return DamagedTableError(str(self.path), reason)

    def expect(self, holds: object, reason: str) -> None:
        """Raise the error of a damaged file with this reason, unless the condition holds."""
        if not holds:
            raise self.damaged(reason)

    def _read(self, offset: int, size: int) -> bytes:
        try:
            content = self._file.read(offset, size)
        except (FileNotFoundError, ReplacedFileError):
            raise self.damaged("it was replaced while it was open") from None
        self.expect(len(content) == size, f"it ends after {offset + len(content)} bytes")
        return content


def rows_by_chunk(places: Ints, chunk_items: int) -> Iterator[tuple[int, Ints, Ints]]:
    """Each chunk in which places lie: its number, the rows of these, and their offsets in it."""
    numbers, offsets = np.divmod(places, chunk_items)
    # numpy sorts numbers of up to 16 bits by their digits, six times as fast as others.
    kind = np.min_scalar_type(int(numbers.max(initial=0)))
    by_chunk = np.argsort(numbers.astype(kind), kind="stable")
    starts = np.flatnonzero(np.diff(numbers[by_chunk], prepend=-1))
    for start, end in itertools.pairwise([*starts.tolist(), len(places)]):
        rows = by_chunk[start:end]
        yield int(numbers[rows[0]]), rows, offsets[rows]


def _most_items(layout: Layout) -> dict[str, int]:
    """[column] -> the most items that it has in a table of this layout.

    The others are bounded by the file's size.
    """
    return {
        "block_squares": len(layout.blocks) * layout.pawns,
        "counts": _MOST_COUNTS,
        "longest": _MOST_COUNTS,
        "symbols": layout.cells,
        "symbol_groups": layout.cells,
        "group_states": layout.cells,
        "states": layout.cells,
    }


def _are_possible(field: str, values: npt.NDArray[Any]) -> bool:
    """Whether sides and outcomes are meaningful. Other checks see only some of them."""
    if field in ("outcome", "entry"):
        return bool(values.all()) and int(values.min(initial=1)) >= -MOST_STORED_CODE - 1
    if field in ("side", "holder"):
        return int(values.max(initial=0)) <= max(map(int, Color))
    return True
