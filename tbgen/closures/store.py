"""The store: solved blocks and answers, in one file that several processes use at once.

The file is a database of SQLite. A block lies there in compressed frames that have check sums.
"""

import contextlib
import itertools
import json
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tbgen.closures.costs import MOST_IN_MEMORY
from tbgen.compiled.folders import source_digest
from tbgen.errors import DamagedTableError, UnreadableFileError
from tbgen.storage.arrays import Array, zeros_in_file
from tbgen.storage.schema import SCRATCH_LEVEL, pack, unpack_into

SOURCES: Final = source_digest(("closures", "index", "probe", "retro", "rules", "storage"))
"""Other sources may make other values, so blocks and answers of theirs are not read."""

FILE: Final = "blocks.sqlite"
"""The name of the file in the folder of solved blocks."""

FRAME: Final = 1 << 16
"""Cells of a block that are compressed together; reading one cell unpacks as many."""

FRAME_BITS: Final = 24
"""A frame has the number of its block and, in so many lower bits, its number in the block."""

SEAL_BYTES: Final = 8
"""The first bytes of a frame tell which block and which frame it is."""

WAITING_SECONDS: Final = 600.0
"""How long to wait while other processes write: a block of billions of cells takes minutes."""

_DAMAGED: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
"""Errors of a file that is none, or no whole one."""
_ERROR_BITS: Final = 0xFF
"""The bits of an error code that say which error it is; the others say where it came from."""

MOST_LOG_BYTES: Final = 1 << 26
"""The log of what is written may stay so large on the disk."""

BlockArrays = Mapping[str, npt.NDArray[Any]]
"""[part] the values of a block. At cuts, each part has bits or values for each cut."""

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS blocks (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, arrays TEXT NOT NULL,
    bytes INTEGER NOT NULL, used INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS blocks_by_use ON blocks (used);
CREATE TABLE IF NOT EXISTS frames (number INTEGER PRIMARY KEY, content BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS answers (
    question TEXT PRIMARY KEY, answer TEXT NOT NULL, seal BLOB NOT NULL
);
"""


class StoredBlock:
    """A solved block in the store."""

    def __init__(self, store: "BlockStore", name: str, number: int, arrays: str) -> None:
        self.name = name
        self._store = store
        self._number = number
        self._arrays: dict[str, tuple[str, int]] = json.loads(arrays)
        """[part] -> the kind of its items, and how many there are."""

    @property
    def parts(self) -> Sequence[str]:
        """The names of its parts."""
        return list(self._arrays)

    @cached_property
    def _first_frames(self) -> Mapping[str, int]:
        """[part] -> its first frame."""
        counts = [-(-size // FRAME) for _, size in self._arrays.values()]
        firsts = itertools.accumulate(counts, initial=self._number << FRAME_BITS)
        return dict(zip(self._arrays, firsts, strict=False))

    def items(
        self, part: str, first: int = 0, end: int | None = None, room: Array | None = None
    ) -> Array:
        """The items of a part from `first` up to `end`, in `room` or a new array.

        DamagedTableError if they are damaged, or have just been removed.
        """
        kind, size = self._arrays[part]
        stop = size if end is None else end
        items = np.empty(stop - first, kind) if room is None else room[: stop - first]
        if first == stop:
            return items
        frames = range(first // FRAME, -(-stop // FRAME))
        contents = self._store.frames(self._first_frames[part] + frames.start, len(frames))
        for frame in frames:
            frame_start = frame * FRAME
            frame_end = min(frame_start + FRAME, size)
            start = max(first, frame_start)
            wanted = items[start - first : min(stop, frame_end) - first]
            content = next(contents, b"")
            seal = _seal_of(self.name, self._first_frames[part] + frame)
            if content[:SEAL_BYTES] != seal:
                raise DamagedTableError(self.name, "it is damaged, or has just been removed")
            packed = content[SEAL_BYTES:]
            try:
                if len(wanted) == frame_end - frame_start:
                    unpack_into(packed, wanted)
                else:
                    whole = np.empty(frame_end - frame_start, kind)
                    unpack_into(packed, whole)
                    wanted[:] = whole[start - frame_start :][: len(wanted)]
            except ValueError as error:
                raise DamagedTableError(self.name, str(error)) from None
        return items


class BlockStore:
    """Solved blocks and answers in a folder, for use by several threads.

    Other processes may remove what this one uses. The file appears with what is first kept there.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._path = folder / FILE
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._opened: os.stat_result | None = None
        """What the system said of the file when it was opened."""
        self._used = set[int]()
        """The numbers of the blocks that have been used since the last `shrink`."""

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = None

    def has(self, name: str) -> bool:
        """Whether there is a solved block of a name."""
        return bool(self._rows("SELECT 1 FROM blocks WHERE name = ?", name))

    def has_node(self, node: str) -> bool:
        """Whether there is some solved block of a node, whatever it rests on."""
        question = "SELECT 1 FROM blocks WHERE name > ? AND name < ? LIMIT 1"
        return bool(self._rows(question, f"{node}-", f"{node}."))

    def get(self, name: str) -> StoredBlock | None:
        """A solved block; None if it is not there."""
        for number, arrays in self._rows("SELECT number, arrays FROM blocks WHERE name = ?", name):
            self._used.add(number)
            return StoredBlock(self, name, number, arrays)
        return None

    def frames(self, first: int, count: int) -> Iterator[bytes]:
        """The contents of some frames, one after another; those behind a missing one are not."""
        for start in range(first, first + count, 64):
            end = min(start + 64, first + count)
            rows = self._rows(
                "SELECT number, content FROM frames WHERE number >= ? AND number < ? "
                "ORDER BY number",
                start,
                end,
            )
            for expected, (number, content) in zip(range(start, end), rows, strict=False):
                if number != expected:
                    return
                yield content

    def put(self, blocks: Mapping[str, BlockArrays]) -> None:
        """Keep some solved blocks, each with its parts, in place of others with their names."""

        def insert(connection: sqlite3.Connection) -> None:
            for name, arrays in blocks.items():
                self._insert(connection, name, arrays)

        self._write(insert)

    def _insert(self, connection: sqlite3.Connection, name: str, arrays: BlockArrays) -> None:
        _remove(connection, "name = ?", name)
        facts = {part: (array.dtype.str, len(array)) for part, array in arrays.items()}
        row = connection.execute(
            "INSERT INTO blocks (name, arrays, bytes, used) "
            "VALUES (?, ?, 0, ifnull((SELECT max(used) FROM blocks), 0))",
            (name, json.dumps(facts)),
        )
        block = row.lastrowid or 0
        self._used.add(block)
        number = block << FRAME_BITS
        written = 0
        for array in arrays.values():
            for first in range(0, len(array), FRAME):
                packed = pack(array[first : first + FRAME], shuffled=False, level=SCRATCH_LEVEL)
                content = _seal_of(name, number) + packed
                connection.execute("INSERT INTO frames VALUES (?, ?)", (number, content))
                number += 1
                written += len(content)
        connection.execute("UPDATE blocks SET bytes = ? WHERE number = ?", (written, block))

    def remove(self, name: str) -> None:
        """Remove a block, which is damaged."""
        self._write(lambda connection: _remove(connection, "name = ?", name))

    def answer(self, question: str) -> Any:
        """What was kept of a question; None if nothing was."""
        for answer, seal in self._rows(
            "SELECT answer, seal FROM answers WHERE question = ?", question
        ):
            if seal == _seal_of(question, answer):
                return json.loads(answer)
        return None

    def put_answer(self, question: str, answer: object) -> None:
        """Keep the answer to a question in place of an earlier one."""
        text = json.dumps(answer)
        row = (question, text, _seal_of(question, text))

        def insert(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", row)

        self._write(insert)

    def shrink(self, most_bytes: int) -> None:
        """Remove the least recently used blocks beyond so many bytes, but none used since the last.

        The file keeps its size, and has room for others then.
        """
        if self._path.exists():
            self._write(lambda connection: self._shrink(connection, most_bytes))

    def _shrink(self, connection: sqlite3.Connection, most_bytes: int) -> None:
        (last,) = connection.execute("SELECT max(used) FROM blocks").fetchone()
        now = (last or 0) + 1
        used = [(now, number) for number in self._used.copy()]  # other threads may read blocks
        connection.executemany("UPDATE blocks SET used = ? WHERE number = ?", used)
        self._used.clear()
        excess = self._bytes(connection) - most_bytes
        oldest = list[int]()
        question = "SELECT number, bytes FROM blocks WHERE used < ? ORDER BY used"
        for number, size in connection.execute(question, (now,)):
            if excess <= 0:
                break
            excess -= size
            oldest.append(number)
        for number in oldest:
            _remove(connection, "number = ?", number)

    @staticmethod
    def _bytes(connection: sqlite3.Connection) -> int:
        """The bytes of the file that are in use."""
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        (free,) = connection.execute("PRAGMA freelist_count").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        return int((pages - free) * size)

    def zeros(self, size: int, kind: npt.DTypeLike) -> Array:
        """A flat array of zeros, which lies in a file if it is large."""
        if size * np.dtype(kind).itemsize < MOST_IN_MEMORY:
            return np.zeros(size, kind)
        return zeros_in_file(self.folder.parent, size, kind)

    def _rows(self, question: str, *given: object) -> list[Any]:
        """The rows that answer a question; none without a file."""
        with self._lock:
            if not self._path.exists():
                return []
            try:
                return self._open().execute(question, given).fetchall()
            except sqlite3.DatabaseError as error:
                self._begin_anew(error)
                return []

    def _write(self, change: Callable[[sqlite3.Connection], None]) -> None:
        """Change the file; other processes see all of it or nothing."""
        with self._lock:
            try:
                self._change(change)
            except sqlite3.DatabaseError as error:
                self._begin_anew(error)
                self._change(change)

    def _change(self, change: Callable[[sqlite3.Connection], None]) -> None:
        connection = self._open()
        connection.execute("BEGIN IMMEDIATE")
        try:
            change(connection)
            connection.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise

    def _begin_anew(self, error: sqlite3.DatabaseError) -> None:
        """Remove a damaged file, and no other.

        An error of the system, such as that of a full disk, names the file.
        """
        is_removed = self._connection is not None and not self._is_there()
        is_damaged = getattr(error, "sqlite_errorcode", 0) & _ERROR_BITS in _DAMAGED
        if not is_removed and not is_damaged:
            if isinstance(error, sqlite3.OperationalError):
                raise UnreadableFileError(str(self._path), str(error)) from None
            raise error
        self.close()
        if is_removed:
            return
        for path in self.folder.glob(f"{FILE}*"):
            path.unlink(missing_ok=True)

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None and not self._is_there():
            self.close()
        if self._connection is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(
                self._path, WAITING_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                # Readers do not wait for writers then. A power failure loses the last
                # blocks at most.
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
                connection.execute(f"PRAGMA journal_size_limit = {MOST_LOG_BYTES}")
                connection.executescript(_TABLES)
                self._opened = self._path.stat()
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _is_there(self) -> bool:
        """Whether the open file has its name still; another process may remove the folder."""
        with contextlib.suppress(FileNotFoundError):
            return self._opened is not None and os.path.samestat(self._path.stat(), self._opened)
        return False


def _seal_of(name: str, content: object) -> bytes:
    """The seal of a block's frame, or of an answer, so that it is never taken for another one."""
    return sha256(f"{name} {content}".encode()).digest()[:SEAL_BYTES]


def _remove(connection: sqlite3.Connection, condition: str, given: object) -> None:
    """Remove the block for which a condition holds, if there is one."""
    question = f"SELECT number FROM blocks WHERE {condition}"
    for (number,) in connection.execute(question, (given,)).fetchall():
        first = number << FRAME_BITS
        after = (number + 1) << FRAME_BITS
        connection.execute("DELETE FROM frames WHERE number >= ? AND number < ?", (first, after))
        connection.execute("DELETE FROM blocks WHERE number = ?", (number,))


def key_of(facts: Sequence[object]) -> str:
    """A digest of what values rest on, and of the sources that make them."""
    return sha256(repr([SOURCES, *facts]).encode()).hexdigest()[:40]
