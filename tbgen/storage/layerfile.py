"""An open file of a table: its datasets, chunk by chunk, with all damage found."""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import threading
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from tbgen.errors import (
    DamagedTableError,
    MaterialError,
    MissingTableError,
    OutdatedTableError,
    UsageError,
)
from tbgen.material import Material, name_of_men
from tbgen.score import MOST_STORED_CODE, Color, Mobility
from tbgen.storage.files import Layer, NoRegularFileError, men_of_folder, open_regular, suffix_of
from tbgen.storage.order import Order, order_of
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
_NUMBERS = (np.dtype("u1"), np.dtype("<u2"), np.dtype("<u4"))
"""The types of streams."""
_MOST_CHUNK_ITEMS = 1 << 16
"""No chunk of any dataset has more items."""
_FREE_BYTES, _MOST_RATIO = 1 << 24, 64
"""The most bytes of a table's columns, in all and for each byte of its file: several times as many as in any table that
tbgen writes. A small file that claims more would fill the memory of its reader.
"""


class LayerFile:
    """An open file of a table. It still answers from that file after another has replaced it.

    Seal and index are read when they are first needed. Safe to use from several threads, and in forked processes.
    """

    def __init__(self, path: Path, layer: Layer) -> None:
        self.path, self.layer = path, layer
        self.material, self.mobility = self._title()
        try:
            self._opened: io.FileIO | None = open_regular(path)
        except FileNotFoundError:
            raise MissingTableError(str(self.material), str(path.parent)) from None
        except NoRegularFileError as error:
            raise self.damaged(str(error.strerror)) from None
        self._size = os.fstat(self._opened.fileno()).st_size
        self._columns_lock = threading.Lock()
        self._columns: dict[str, npt.NDArray[Any]] = {}

    def _title(self) -> tuple[Material, Mobility]:
        """The material and the mobility in the file's name."""
        for mobility in Mobility:
            suffix = suffix_of(self.layer, mobility)
            with contextlib.suppress(MaterialError):
                material = Material.parse(
                    self.path.name.removesuffix(suffix), men_of_folder(self.path.parent)
                )
                if f"{material}{suffix}" == self.path.name and material.is_canonical:
                    return material, mobility
        raise self.damaged("its name is not that of a table")

    @cached_property
    def seal(self) -> Seal:
        """The first bytes; an error of TableError if this is not the file of its name in today's format."""
        try:
            seal = Seal.from_bytes(self._read(0, SEAL_BYTES))
        except ValueError as error:
            raise self.damaged(str(error)) from None
        if seal.format != FORMAT:
            raise OutdatedTableError(str(self.path), f"format {seal.format}", f"format {FORMAT}")
        title = seal.material, seal.layer, seal.game
        its_own = str(self.material), self.layer.value, str(self.mobility)
        self.expect(title == its_own, f"it is the table of {', '.join(title)}")
        self.expect(
            seal.men == digest_of_men(self.material),
            f"its men move otherwise than {name_of_men(self.material.own)}",
        )
        self.expect(self._size == seal.length, f"it has {self._size} bytes of {seal.length}")
        self.expect(SEAL_BYTES <= seal.index <= seal.length, "its index lies outside")
        return seal

    @cached_property
    def index(self) -> Index:
        """The content of the file: its datasets and chunks."""
        raw = self._read(self.seal.index, self.seal.length - self.seal.index)
        self.expect(
            sha256(raw).hexdigest() == self.seal.sha256_of_index,
            "its index is not what was written",
        )
        try:
            index = Index.from_bytes(raw)
            if (rules := index.attributes["rules"]) != RULES[self.mobility]:
                raise OutdatedTableError(
                    str(self.path), f"rules {rules}", f"rules {RULES[self.mobility]}"
                )
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
        facts, seal, layout = index.attributes, self.seal, order.layout
        streams, columns, outcomes = (
            STREAMS[self.layer],
            COLUMNS[self.layer],
            4 * (MOST_STORED_CODE + 1),
        )
        self.expect({*streams, *columns} <= index.datasets.keys(), "a dataset is missing")
        title = facts["material"], facts["layer"], facts["game"], facts.get("outcomes", "")
        self.expect(
            title == (seal.material, seal.layer, seal.game, seal.outcomes),
            "its seal is that of another file",
        )
        self.expect(
            json.loads(facts["axes"]) == order.names, "its axes are not those of its material"
        )
        most = dict.fromkeys(
            (*streams, "symbols", "symbol_groups", "group_states", "states"), layout.cells
        )
        most |= {
            "block_squares": len(layout.blocks) * layout.pawns,
            "counts": outcomes,
            "longest": outcomes,
        }
        for name in (*streams, *columns):
            dataset, count = index.datasets[name], len(index.datasets[name].chunks)
            is_of_its_type = (
                dataset.kind == columns[name] if name in columns else dataset.kind in _NUMBERS
            )
            self.expect(is_of_its_type, "a dataset is of another type")
            self.expect(
                name in columns or dataset.items == layout.cells,
                "its shape is not that of its material",
            )
            self.expect(
                dataset.items <= most.get(name, math.inf),
                f"{name} has more items than its material has",
            )
            self.expect(
                0 < dataset.chunk_items <= _MOST_CHUNK_ITEMS, f"{name} has chunks of another size"
            )
            is_all = dataset.items >= 0 and count == -(-dataset.items // dataset.chunk_items)
            self.expect(is_all, f"{name} has {count} chunks for {dataset.items} items")
            starts, length = dataset.chunks["offset"], np.uint64(seal.length)
            is_within = (starts <= length).all() and (
                starts + dataset.chunks["size"] <= length
            ).all()
            self.expect(is_within, "a chunk lies outside")
        # Streams have as many items as the material has cells, so equal chunks of streams may have one offset.
        stored = [index.datasets[name] for name in columns]
        size = sum(each.items * each.kind.itemsize for each in stored)
        self.expect(
            size <= _FREE_BYTES + _MOST_RATIO * seal.length,
            "its columns are larger than any table's",
        )
        chunks = np.sort(np.concatenate([each.chunks for each in stored]), order="offset")
        ends = chunks["offset"] + chunks["size"]
        self.expect((ends[:-1] <= chunks["offset"][1:]).all(), "two chunks share bytes")

    def dataset(self, name: str) -> Dataset:
        return self.index.datasets[name]

    def part(self, name: str, number: int) -> npt.NDArray[Any]:
        """A chunk of a dataset; do not change it. The last one is filled up."""
        dataset = self.dataset(name)
        self.expect(
            0 <= number < len(dataset.chunks),
            f"{name} has no chunk {number}, which something else leads to",
        )
        offset, size, crc = dataset.chunks[number].item()
        packed = self._read(offset, size)
        self.expect(crc32(packed) == crc, f"chunk {number} of {name} is not what was written")
        try:
            found = dataset.unpack(packed)
        except ValueError as error:
            raise self.damaged(f"chunk {number} of {name} cannot be unpacked: {error}") from None
        are_possible = all(_are_possible(field, found[field]) for field in found.dtype.names or ())
        self.expect(are_possible, f"chunk {number} of {name} holds what no table holds")
        return found

    def items(self, name: str, first: int, end: int) -> npt.NDArray[Any]:
        """Consecutive items."""
        dataset = self.dataset(name)
        size, found = dataset.chunk_items, np.empty(end - first, dataset.kind)
        for number in range(first // size, -(-end // size)):
            start, stop = max(first, number * size), min(end, (number + 1) * size)
            found[start - first : stop - first] = self.part(name, number)[
                start - number * size : stop - number * size
            ]
        return found

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
        body, whole = sha256(), sha256(self._read(0, SEAL_BYTES))
        for offset in range(SEAL_BYTES, self.seal.length, _BLOCK):
            read = self._read(offset, min(_BLOCK, self.seal.length - offset))
            body.update(read)
            whole.update(read)
        self.expect(body.hexdigest() == self.seal.sha256, "its bytes are not what was written")
        _ = self.index  # right bytes can still have impossible values
        return whole.hexdigest()

    def close(self) -> None:
        """Close the file once nobody reads from it. Later reads raise a UsageError."""
        self._opened = None

    def damaged(self, reason: str) -> DamagedTableError:
        return DamagedTableError(str(self.path), reason)

    def expect(self, holds: object, reason: str) -> None:
        """Raise the error of a damaged file with this reason, unless the condition holds."""
        if not holds:
            raise self.damaged(reason)

    def _read(self, offset: int, size: int) -> bytes:
        opened = self._opened
        if opened is None:
            raise UsageError("the tablebase is closed")
        found = os.pread(opened.fileno(), size, offset)
        self.expect(len(found) == size, f"it ends after {offset + len(found)} bytes")
        return found


def _are_possible(field: str, values: npt.NDArray[Any]) -> bool:
    """Whether sides and outcomes are meaningful. Other checks see only some of them."""
    if field in ("outcome", "entry"):
        return bool(values.all()) and int(values.min(initial=1)) >= -MOST_STORED_CODE - 1
    return field not in ("side", "holder") or int(values.max(initial=0)) <= max(map(int, Color))
