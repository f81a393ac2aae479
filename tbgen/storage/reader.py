"""Reader: a table file, opened for questions about single cells or read whole."""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from tbgen.errors import DamagedTableError, MaterialError, MissingTableError, OutdatedTableError, UsageError
from tbgen.handover import Box, Distances, Entries
from tbgen.material import Material
from tbgen.score import Color, Outcome
from tbgen.storage.codec import crc32, unpack
from tbgen.storage.files import SUFFIX
from tbgen.storage.order import order_of
from tbgen.storage.schema import COLUMNS, FORMAT, PATTERN_FIELDS, RULES, SEAL_BYTES, STATE, STATE_FIELDS, Index, Seal
from tbgen.storage.states import Ids, States
from tbgen.table import EntryValues, Patterns, Table, Tally

_BLOCK = 1 << 20


class TableFile:
    """An open table. It goes on to answer from the file it has opened when that is replaced.

    Safe to use from several threads, and in processes that are forked from this one.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.material = _material_in(path)
        try:
            self._file = path.open("rb", buffering=0)
        except FileNotFoundError:
            raise MissingTableError(str(self.material), str(path.parent)) from None
        self._lock, self._columns_lock = threading.Lock(), threading.Lock()
        self._columns: dict[str, npt.NDArray[Any]] = {}
        self._readers, self._closed = 0, False
        try:
            self._seal = self._read_seal()
            self._index = self._read_index()
            self.order = order_of(self.material)
            self._check_form()
        except BaseException:
            self._file.close()
            raise

    @property
    def attributes(self) -> Mapping[str, str]:
        """What made the file, and what its axes are."""
        return self._index.attributes

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self._seal.length

    @property
    def digest(self) -> str:
        """Of all that is in the file."""
        return self._seal.body_digest

    @property
    def states(self) -> States:
        return States(*[self.column(f"state_{name}") for name in STATE_FIELDS])

    @property
    def patterns(self) -> Patterns:
        return Patterns(*[self.column(f"pattern_{name}") for name in PATTERN_FIELDS])

    @property
    def tallies(self) -> dict[Color, dict[Outcome, Tally]]:
        """By side to move, best outcome for White first."""
        tallies: dict[Color, dict[Outcome, Tally]] = {side: {} for side in Color}
        for side, outcome, tally, _ in self._tally_rows():
            tallies[side][outcome] = tally
        return tallies

    @property
    def examples(self) -> dict[tuple[Color, Outcome], str]:
        """The FEN of a position with the longest distance to each outcome, by side to move."""
        return {(side, outcome): fen for side, outcome, _, fen in self._tally_rows()}

    def chunk(self, number: int) -> Ids:
        """The states of a chunk's places; the array is not to be changed."""
        ids: Ids = self._unpacked(STATE, number)
        if int(ids.max()) >= self._index.datasets["state_entry"].items:
            raise self._damaged(f"chunk {number} has a state that the table does not have")
        return ids

    def column(self, name: str) -> npt.NDArray[Any]:
        """A whole column, which stays at hand; not to be changed."""
        dataset = self._index.datasets[name]
        with self._columns_lock:
            if name not in self._columns:
                column = np.empty(len(dataset.chunks) * dataset.chunk_items, dataset.kind)
                for number, part in enumerate(column.reshape(-1, dataset.chunk_items)):
                    part[:] = self._unpacked(name, number)
                self._columns[name] = column[: dataset.items]
            return self._columns[name]

    def column_part(self, name: str, number: int) -> npt.NDArray[Any]:
        """A chunk of a column, `part_items` long."""
        return self._unpacked(name, number)

    def part_items(self, name: str) -> int:
        """How many items a chunk of a column has; the last one is filled up."""
        return self._index.datasets[name].chunk_items

    def values(self) -> EntryValues:
        """The entry values and distances of all cells; cells without a position have some value or other."""
        entry, dtg = self._all("entry", "dtg")
        return EntryValues(self.material, entry, dtg)

    def boxes(self, block: int, side: Color) -> Sequence[Box]:
        """The same of one block and side to move: what chunks that differ in the black king alone have."""
        order = self.order
        cells = order.layout.block_words * 64
        plane, step = (2 * block + side) * cells, min(cells, order.chunk_cells)
        kings = min(64, cells // step)
        return [
            self._box(range(plane + start, plane + cells, cells // kings), start, step)
            for start in range(0, cells // kings, step)
        ]

    def _box(self, places: Sequence[int], start: int, cells: int) -> Box:
        """So many cells from each of some places on, each in one chunk; `start` is the first one in its plane."""
        first, size, stride = self.order.box_of(start, cells)
        if len(places) > 1:
            size[-1], stride[-1] = 64, cells * len(places) // 64

        def read() -> tuple[Entries, Distances]:
            entry, dtg = np.empty((len(places), cells), np.int8), np.empty((len(places), cells), np.uint16)
            for number, place in enumerate(places):
                chunk, skipped = divmod(place, self.order.chunk_cells)
                ids = self.chunk(chunk)[skipped : skipped + cells]
                np.take(self.column("state_entry"), ids, out=entry[number])
                np.take(self.column("state_dtg"), ids, out=dtg[number])
            return entry.ravel(), dtg.ravel()

        return Box(first, size, stride, read)

    def table(self) -> Table:
        """The whole table; its cells without a position have some value or other."""
        entry, dtg, pattern = self._all("entry", "dtg", "pattern")
        return Table(self.material, entry, dtg, pattern, self.patterns, self.tallies)

    def look_up(self, cells: npt.NDArray[np.int64]) -> list[npt.NDArray[Any]]:
        """Entry values, distances and patterns of some cells; each chunk that has any is read once."""
        numbers, offsets = np.divmod(self.order.places_of(cells), self.order.chunk_cells)
        found, ids = np.argsort(numbers, kind="stable"), np.empty(len(cells), np.int64)
        starts = np.flatnonzero(np.diff(numbers[found], prepend=-1))
        for some in np.split(found, starts[1:]) if len(cells) else ():
            ids[some] = self.chunk(int(numbers[some[0]]))[offsets[some]]
        return [self.column(f"state_{name}")[ids] for name in STATE_FIELDS]

    def check(self) -> str:
        """Compare all bytes with the seal; DamagedTableError if they are others than were written.

        Returns the SHA-256 of the whole file, found in the same pass.
        """
        body, whole = sha256(), sha256(self._read(0, SEAL_BYTES))
        for offset in range(SEAL_BYTES, self._seal.length, _BLOCK):
            read = self._read(offset, min(_BLOCK, self._seal.length - offset))
            body.update(read)
            whole.update(read)
        if body.hexdigest() != self._seal.body_digest:
            raise self._damaged("its bytes are not what was written")
        return whole.hexdigest()

    def close(self) -> None:
        """Close the file, once nobody reads from it any more; who reads from then on gets a UsageError."""
        with self._lock:
            self._closed = True
            self._close_if_idle()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _read_seal(self) -> Seal:
        try:
            seal = Seal.from_bytes(self._read(0, SEAL_BYTES))
        except ValueError as error:
            raise self._damaged(str(error)) from None
        if seal.format != FORMAT:
            raise OutdatedTableError(str(self.path), f"format {seal.format}", f"format {FORMAT}")
        if seal.material != str(self.material):
            raise self._damaged(f"it is the table of {seal.material}")
        size = os.fstat(self._file.fileno()).st_size
        if size != seal.length:
            raise self._damaged(f"it has {size} bytes of {seal.length}")
        return seal

    def _read_index(self) -> Index:
        raw = self._read(self._seal.index, self._seal.length - self._seal.index)
        if sha256(raw).hexdigest() != self._seal.index_digest:
            raise self._damaged("its index is not what was written")
        try:
            index = Index.from_bytes(raw)
        except (ValueError, KeyError, TypeError) as error:
            raise self._damaged(f"its index cannot be read: {error}") from None
        if index.attributes["rules"] != RULES:
            raise OutdatedTableError(str(self.path), f"rules {index.attributes['rules']}", f"rules {RULES}")
        if not {STATE, *COLUMNS} <= index.datasets.keys():
            raise self._damaged("a dataset is missing")
        if index.attributes["material"] != str(self.material):
            raise self._damaged(f"it is the table of {index.attributes['material']}")
        return index

    def _check_form(self) -> None:
        """What can be wrong in a file whose checksums are right."""
        dataset, order = self._index.datasets[STATE], self.order
        if (dataset.items, dataset.chunk_items) != (order.layout.cells, order.chunk_cells):
            raise self._damaged("its shape is not that of its material")
        if json.loads(self.attributes["axes"]) != order.names:
            raise self._damaged("its axes are not those of its material")
        if not np.array_equal(self.column("block_squares"), np.array(order.layout.blocks, np.uint8).ravel()):
            raise self._damaged("its pawns stand elsewhere")

    def _read(self, offset: int, size: int) -> bytes:
        with self._in_use():
            found = os.pread(self._file.fileno(), size, offset)
        if len(found) != size:
            raise self._damaged(f"it ends after {offset + len(found)} bytes")
        return found

    @contextlib.contextmanager
    def _in_use(self) -> Iterator[None]:
        """Keep the file open while it is read: a number that is closed may be given to another file at once."""
        with self._lock:
            if self._closed:
                raise UsageError("the tablebase is closed")
            self._readers += 1
        try:
            yield
        finally:
            with self._lock:
                self._readers -= 1
                self._close_if_idle()

    def _close_if_idle(self) -> None:
        if self._closed and not self._readers:
            self._file.close()

    def _unpacked(self, name: str, number: int) -> npt.NDArray[Any]:
        dataset = self._index.datasets[name]
        offset, size, crc = dataset.chunks[number].item()
        packed = self._read(offset, size)
        if crc32(packed) != crc:
            raise self._damaged(f"chunk {number} of {name} is not what was written")
        try:
            return unpack(packed, dataset.chunk_items, dataset.kind, shuffled=dataset.shuffled)
        except ValueError as error:
            raise self._damaged(f"chunk {number} of {name} cannot be unpacked: {error}") from None

    def _all(self, *names: str) -> list[npt.NDArray[Any]]:
        """What the states of all cells mean, in the order of the cells."""
        order, meanings = self.order, [self.column(f"state_{name}") for name in names]
        columns = [np.empty(order.chunks * order.chunk_cells, meaning.dtype) for meaning in meanings]
        for number in range(order.chunks):
            ids, part = self.chunk(number), slice(number * order.chunk_cells, (number + 1) * order.chunk_cells)
            for column, meaning in zip(columns, meanings, strict=True):
                np.take(meaning, ids, out=column[part])
        return [order.from_file(column[: order.layout.cells]) for column in columns]

    def _tally_rows(self) -> Iterator[tuple[Color, Outcome, Tally, str]]:
        names = ("side", "outcome", "count", "max_dtg", "cell", "fen")
        columns = [self.column(f"tally_{name}").tolist() for name in names]
        for side, outcome, count, max_dtg, cell, fen in zip(*columns, strict=True):
            yield Color(side), Outcome.from_byte(outcome), Tally(count, max_dtg, cell), fen.decode()

    def _damaged(self, reason: str) -> DamagedTableError:
        return DamagedTableError(str(self.path), reason)


def _material_in(path: Path) -> Material:
    """The material that a file's name says."""
    try:
        material = Material.parse(path.name.removesuffix(SUFFIX))
    except MaterialError:
        raise DamagedTableError(str(path), "its name is not that of a table") from None
    if f"{material}{SUFFIX}" != path.name or not material.is_canonical:
        raise DamagedTableError(str(path), "its name is not that of a table")
    return material


def check_file(path: Path) -> None:
    """Read a file whole; an error of TableError if it is not, byte for byte, a table that was written here."""
    with TableFile(path) as file:
        file.check()


def digest_of_file(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
