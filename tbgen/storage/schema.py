"""Schema: what a table file consists of, declared once.

::

    seal     512 bytes: the material, the format, and the SHA-256 of the index and of all that follows the seal
    HDF5     the datasets below; HDF5 calls the seal a user block, and its programs skip it
    index    the attributes again, and where in the file each chunk lies, how long it is, and its CRC-32

Any HDF5 program with Zstandard (filter 32015) reads the middle part. We do not: the index leads to a chunk
with no search, no HDF5 library has to be loaded to look up one position, and none is fed with damaged
bytes. Every byte of a file counts in a checksum.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

import numpy as np
import numpy.typing as npt

FORMAT: Final = 2
RULES: Final = "r-mobility 1"
"""The rules that stored values follow; a change of meaning gets another number."""
SEAL_BYTES: Final = 512
SHUFFLE_FILTER: Final = 2
ZSTANDARD_FILTER: Final = 32015

STATE: Final = "state"
"""The state of each cell, with the axes that the attribute `axes` names."""

COLUMNS: Final[Mapping[str, npt.DTypeLike]] = {
    "block_squares": np.uint8,
    "state_entry": np.int8,
    "state_dtg": np.uint16,
    "state_pattern": np.uint32,
    "pattern_start": np.uint32,
    "pattern_holder": np.uint8,
    "pattern_code": np.uint8,
    "pattern_outcome": np.int8,
    "pattern_dtg": np.uint16,
    "tally_side": np.uint8,
    "tally_outcome": np.int8,
    "tally_count": np.uint64,
    "tally_max_dtg": np.uint16,
    "tally_cell": np.uint64,
    "tally_fen": np.dtype("S96"),
}
"""One-dimensional datasets and their types: the pawns' squares of one block after another, what a state is, what a
pattern is, and how often what occurs."""

STATE_FIELDS: Final = ("entry", "dtg", "pattern")
PATTERN_FIELDS: Final = ("start", "holder", "code", "outcome", "dtg")
"""What the columns `state_...` and `pattern_...` are of."""

COLUMN_ITEMS: Final = 1 << 16
"""Columns have chunks of so many items, if they have more: a probe of a table with millions of states reads a few."""

CHUNK: Final = np.dtype([("offset", "<u8"), ("size", "<u4"), ("crc", "<u4")])

Columns = dict[str, npt.NDArray[Any]]
Attributes = dict[str, str]
"""`axes`, `generator`, `material`, `men`, `rules` and `source`."""


@dataclass(frozen=True, slots=True)
class Seal:
    """The first bytes of a file."""

    material: str
    format: int
    length: int
    """Bytes in all, the seal's included."""
    index: int
    """Where the index begins."""
    body_digest: str
    index_digest: str

    def to_bytes(self) -> bytes:
        lines = (
            "tbgen table",
            f"format {self.format}",
            f"material {self.material}",
            f"length {self.length}",
            f"index {self.index}",
            f"sha256-of-index {self.index_digest}",
            f"sha256 {self.body_digest}",
        )
        return "\n".join(lines).encode().ljust(SEAL_BYTES - 1) + b"\n"

    @classmethod
    def from_bytes(cls, seal: bytes) -> Seal:
        """The seal that is written so; ValueError if `to_bytes` does not write it."""
        lines = [line.split() for line in seal.decode("ascii").splitlines()]
        words = {line[0]: line[1] for line in lines if len(line) == 2}
        try:
            found = cls(
                words["material"],
                int(words["format"]),
                int(words["length"]),
                int(words["index"]),
                words["sha256"],
                words["sha256-of-index"],
            )
        except (KeyError, ValueError):
            raise ValueError("it does not begin as a table does") from None
        if found.to_bytes() != seal:
            raise ValueError("its first bytes are not what was written")
        return found


@dataclass(frozen=True, eq=False)
class Dataset:
    """One dataset as the index has it."""

    kind: np.dtype[Any]
    items: int
    chunk_items: int
    shuffled: bool
    """Whether its chunks went through HDF5's shuffle filter before they were compressed."""
    chunks: npt.NDArray[Any]
    """[number] -> CHUNK; a chunk is a run of `chunk_items` items, the last one filled up."""


@dataclass(frozen=True, eq=False)
class Index:
    """The last part of a file."""

    attributes: Attributes
    datasets: Mapping[str, Dataset]

    def to_bytes(self) -> bytes:
        facts = {
            "attributes": self.attributes,
            "datasets": {
                name: [each.kind.str, each.items, each.chunk_items, each.shuffled, len(each.chunks)]
                for name, each in self.datasets.items()
            },
        }
        chunks = b"".join(each.chunks.tobytes() for each in self.datasets.values())
        return json.dumps(facts).encode() + b"\n" + chunks

    @classmethod
    def from_bytes(cls, index: bytes) -> Index:
        head, _, chunks = index.partition(b"\n")
        facts, place, datasets = json.loads(head), 0, {}
        for name, (kind, items, chunk_items, shuffled, count) in facts["datasets"].items():
            rows = np.frombuffer(chunks, CHUNK, count, place)
            place += rows.nbytes
            datasets[name] = Dataset(np.dtype(kind), items, chunk_items, shuffled, rows)
        return cls(facts["attributes"], datasets)


def digest_of(*parts: bytes | memoryview) -> str:
    """The SHA-256 of some bytes."""
    digest = sha256()
    for part in parts:
        digest.update(part)
    return digest.hexdigest()
