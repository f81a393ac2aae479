"""The content of a table's files, declared once, and the bytes of a chunk.

A table has two files, its *layers*: outcomes, which need nothing else, and distances, which name
the digest of the outcomes that they belong to. Each is ::

    seal     512 bytes: mobility (`game`), layer, material, format, SHA-256 of the index and of all
    that follows it HDF5     the datasets below; HDF5 calls the seal a user block, and its programs
    skip it index    the attributes again, and where in the file each chunk lies, how long it is,
    and its CRC-32

Any HDF5 program with Zstandard (filter 32015) reads the middle part; tbgen itself reads the rest
alone. Every byte of a file counts in a checksum.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import zstandard
from numpy.lib.format import descr_to_dtype, dtype_to_descr

from tbgen.material import Material
from tbgen.men import name_of_men
from tbgen.reading import read_as
from tbgen.score import Mobility
from tbgen.storage.files import Layer

FORMAT: Final = 3
RULES: Final[Mapping[Mobility, str]] = {
    Mobility.RESET: "r-mobility 1",
    Mobility.WHOLE_GAME: "whole-game mobility 1",
}
"""The rules behind stored values; another meaning gets another number."""
SEAL_BYTES: Final = 512

SYMBOL: Final = "symbol"
"""[place] -> the value of the position with every accrued score, as a number of a row of `symbols`.
"""
DTG: Final = "dtg"
"""[place] -> the entry value's distance.

Its lowest bit is flipped if the side to move holds the entry value.
"""
DETAIL: Final = "detail"
"""[place] -> the number of its state among those with the same symbol and distance."""

CHUNK_CELLS: Final = 1 << 15
"""The most cells in a chunk of a stream that tbgen writes.

Readers take the size from the index, up to 65,536.
"""

STREAMS: Final = {Layer.OUTCOMES: (SYMBOL,), Layer.DISTANCES: (DTG, DETAIL)}
"""Datasets with one number for each cell, with the axes in the attribute `axes`."""

COLUMNS: Final[Mapping[Layer, Mapping[str, np.dtype[Any]]]] = {
    Layer.OUTCOMES: {
        "block_squares": np.dtype("u1"),
        "counts": np.dtype([("side", "u1"), ("outcome", "i1"), ("count", "<u8")]),
        "symbols": np.dtype([("entry", "i1"), ("first", "<u4"), ("rows", "u1")]),
        "outcome_rows": np.dtype([("holder", "u1"), ("code", "u1"), ("outcome", "i1")]),
    },
    Layer.DISTANCES: {
        "longest": np.dtype(
            [("side", "u1"), ("outcome", "i1"), ("dtg", "<u2"), ("cell", "<u8"), ("fen", "S96")]
        ),
        "symbol_groups": np.dtype("<u4"),
        "group_states": np.dtype("<u4"),
        "states": np.dtype([("first", "<u4"), ("rows", "u1")]),
        "rows": np.dtype([("holder", "u1"), ("code", "u1"), ("outcome", "i1"), ("dtg", "<u2")]),
    },
}
"""One-dimensional datasets and the fields of an item: fields that are read together lie together.

The squares of the pawns, block by block; the counts of outcomes as entry values; the symbols; the
rows of their patterns. The longest distances; the first group of each symbol and the first state of
each group (see symbols.py); the rows of each state's pattern; and these rows.
"""

COLUMN_ITEMS: Final = 1 << 13
"""Longer columns have chunks of so many items, so a probe reads a few of millions of states."""

MOST_HEAD_BYTES: Final = 1 << 14
"""The line of facts at the beginning of an index has a tenth of this."""

HARD_LEVEL: Final = 15
SCRATCH_LEVEL: Final = 1
EASY_LEVEL: Final = 6
"""The result is over a tenth larger, in less than a sixth of the time."""

_HARD_WINDOW = 1 << 15
"""Level 15 is tuned for chunks of this many bytes."""
_HARD_SEARCHES = 4
"""2**4 candidates for a match instead of 2**6: an eighth of the time, 0.25 % more bytes."""

CHUNK: Final = np.dtype([("offset", "<u8"), ("size", "<u4"), ("crc", "<u4")])

Attributes = dict[str, str]
"""`axes`, `game`, `generator`, `layer`, `material`, `men`, `rules`, `source`.

Of distances also `outcomes`.
"""


@dataclass(frozen=True, slots=True)
class Seal:
    """The first bytes of a file: a line for each field that is not empty, in their order."""

    format: int
    game: str
    material: str
    layer: str
    length: int
    """The size of the file, including the seal."""
    index: int
    """The beginning of the index."""
    sha256_of_index: str
    sha256: str
    """Of all that follows the seal."""
    outcomes: str = ""
    """For distances: the digest of their outcomes."""
    men: str = ""
    """With men of your own: a digest of their moves."""

    def to_bytes(self) -> bytes:
        lines = ["tbgen table"]
        for name, value in asdict(self).items():
            if value != "":
                lines.append(f"{name.replace('_', '-')} {value}")
        return "\n".join(lines).encode().ljust(SEAL_BYTES - 1) + b"\n"

    @classmethod
    def from_bytes(cls, seal: bytes) -> Seal:
        """The seal with these bytes; ValueError if `to_bytes` does not write them.

        Of another format only `format` and `material` are known.
        """
        title, *lines = seal.decode("ascii").splitlines() or [""]
        fields = dict[str, Any]()
        for line in lines:
            words = line.split()
            if len(words) == 2:
                name, value = words
                fields[name.replace("-", "_")] = value
        try:
            fields["format"] = int(fields["format"])
            if fields["format"] != FORMAT and title.split() == ["tbgen", "table"]:
                return cls(fields["format"], "", fields["material"], "", 0, 0, "", "")
            fields["length"] = int(fields["length"])
            fields["index"] = int(fields["index"])
            written = cls(**fields)
        except (LookupError, TypeError, ValueError):
            raise ValueError("it does not begin as a table does") from None
        if written.to_bytes() != seal:
            raise ValueError("its first bytes are not what was written")
        return written


@dataclass(frozen=True, eq=False)
class Dataset:
    """One dataset in the index."""

    kind: np.dtype[Any]
    items: int
    chunk_items: int
    shuffled: bool
    """Whether its chunks went through HDF5's shuffle filter before they were compressed."""
    chunks: npt.NDArray[Any]
    """[number] -> CHUNK; a chunk is a run of `chunk_items` items, the last one filled up."""

    def unpack(self, packed: bytes) -> npt.NDArray[Any]:
        """The items of a packed chunk; ValueError for another number of items."""
        stored = np.empty(self.chunk_items, self.kind)
        unpack_into(packed, stored)
        if not self.shuffled:
            return stored
        items = np.empty_like(stored)
        item_bytes = items.view(np.uint8)
        size = items.itemsize
        # Byte by byte of an item: numpy alone would work along the many short rows.
        for number, byte_of_items in enumerate(stored.view(np.uint8).reshape(size, -1)):
            item_bytes[number::size] = byte_of_items
        return items


_KIND: Final = re.compile("[<|][iuS][0-9]+")
"""How numpy describes the items of all datasets, or a field of theirs."""


def kind_of(described: Any) -> np.dtype[Any]:
    """The kind of items that a file describes; ValueError for one that no table has.

    numpy would evaluate parts of other descriptions as Python.
    """
    if isinstance(described, list):
        kinds = [kind for _, kind in described]
    else:
        kinds = [described]
    for kind in kinds:
        if not isinstance(kind, str) or not _KIND.fullmatch(kind):
            raise ValueError(f"no dataset has items of the kind {kind!r}")
    return descr_to_dtype(described)


@dataclass(frozen=True, eq=False)
class Index:
    """The last part of a file."""

    attributes: Attributes
    datasets: Mapping[str, Dataset]

    def to_bytes(self) -> bytes:
        datasets = {}
        for name, dataset in self.datasets.items():
            datasets[name] = [
                dtype_to_descr(dataset.kind),
                dataset.items,
                dataset.chunk_items,
                dataset.shuffled,
                len(dataset.chunks),
            ]
        head = json.dumps({"attributes": self.attributes, "datasets": datasets})
        chunks = b"".join(dataset.chunks.tobytes() for dataset in self.datasets.values())
        return head.encode() + b"\n" + chunks

    @classmethod
    def from_bytes(cls, index: bytes) -> Index:
        head, _, chunks = index.partition(b"\n")
        if len(head) > MOST_HEAD_BYTES:
            raise ValueError("its first line is longer than any that is written")
        facts = json.loads(head)
        offset = 0
        datasets = {}
        for name, description in facts["datasets"].items():
            if [type(fact) for fact in description[1:]] != [int, int, bool, int]:
                raise ValueError(f"{name} is not described as datasets are")
            kind, items, chunk_items, shuffled, count = description
            rows = np.frombuffer(chunks, CHUNK, count, offset)
            offset += rows.nbytes
            datasets[name] = Dataset(kind_of(kind), items, chunk_items, shuffled, rows)
        return cls(read_as(Attributes, facts["attributes"], "attributes"), datasets)


def digest_of(*parts: bytes | memoryview) -> str:
    """The SHA-256 of some bytes."""
    digest = sha256()
    for part in parts:
        digest.update(part)
    return digest.hexdigest()


def digest_of_men(material: Material) -> str:
    """The digest of how the men of your own move in a material; empty without such men."""
    if not material.own:
        return ""
    return digest_of(name_of_men(material.own).encode())


def sealed(body: bytes, index: Index, men: str = "") -> tuple[bytes, bytes, bytes]:
    """The three parts of a file: the seal of its body and its index, and both of these."""
    end = index.to_bytes()
    start = SEAL_BYTES + len(body)
    seal = Seal(
        format=FORMAT,
        game=index.attributes["game"],
        material=index.attributes["material"],
        layer=index.attributes["layer"],
        length=start + len(end),
        index=start,
        sha256_of_index=digest_of(end),
        sha256=digest_of(body, end),
        outcomes=index.attributes.get("outcomes", ""),
        men=men,
    )
    return seal.to_bytes(), body, end


_local = threading.local()


def pack(chunk: npt.NDArray[Any], *, shuffled: bool, level: int = EASY_LEVEL) -> bytes:
    """Compress a chunk.

    If `shuffled`, the first bytes of all items come first, then all second bytes and so on.
    """
    compressors = _local.__dict__.setdefault("compressors", {})
    if level not in compressors:
        compressors[level] = _compressor(level)
    if shuffled:
        chunk = np.ascontiguousarray(chunk.view(np.uint8).reshape(-1, chunk.itemsize).T)
    packed: bytes = compressors[level].compress(chunk)
    return bytes(memoryview(packed))  # what was cut off from `packed` would stay a hole in memory


def _compressor(level: int) -> zstandard.ZstdCompressor:
    if level != HARD_LEVEL:
        return zstandard.ZstdCompressor(level=level, write_checksum=level == SCRATCH_LEVEL)
    hard = zstandard.ZstdCompressionParameters.from_level(
        level, source_size=_HARD_WINDOW, search_log=_HARD_SEARCHES
    )
    return zstandard.ZstdCompressor(compression_params=hard)


def unpack_into(packed: bytes | bytearray, items: npt.NDArray[Any]) -> None:
    """Fill an array from a chunk that was packed unshuffled.

    ValueError for another number of items.
    """
    if not hasattr(_local, "decompressor"):
        _local.decompressor = zstandard.ZstdDecompressor()
    try:
        with _local.decompressor.stream_reader(packed) as reader:
            # An array without items has no buffer to read into.
            size = reader.readinto(items.view(np.uint8).data) if len(items) else 0
            more = reader.read(1)
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from None
    if size != items.nbytes or more:
        length = f"{size} bytes and more" if more else f"{size} bytes"
        raise ValueError(f"{length} instead of {items.nbytes}")
