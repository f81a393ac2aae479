"""The store: solved blocks and answers, in one file that several processes use at once.

The file is a database of SQLite. A block lies there in compressed chunks that have check sums.
"""

import contextlib
import json
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from tbgen.closures.costs import MOST_IN_MEMORY
from tbgen.compiled.folders import source_digest
from tbgen.errors import DamagedTableError, UnreadableFileError
from tbgen.storage.arrays import Array, zeros_in_file
from tbgen.storage.schema import SCRATCH_LEVEL, pack, unpack_into

SOURCES: Final = source_digest(("closures", "index", "probe", "retro", "rules", "storage"))
"""Other sources may make other values, so blocks and answers of theirs are not read."""

FILE: Final = "solved.sqlite"
"""The name of the file in the folder of solved blocks."""

CHUNK: Final = 1 << 16
"""Cells of a block that are compressed together; reading one cell unpacks as many."""

CHUNK_BITS: Final = 24
"""A chunk has the number of its block and, in so many lower bits, its number in the block."""

STAMP_BYTES: Final = 8
"""The first bytes of a chunk tell which block and which chunk it is."""

WAITING_SECONDS: Final = 600.0
"""How long to wait while other processes write: a block of billions of cells takes minutes."""

_DAMAGED: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
"""Errors of a file that is none, or no whole one."""
_ERROR_BITS: Final = 0xFF
"""The bits of an error code that say which error it is; the others say where it came from."""

MOST_WAITING_BYTES: Final = 1 << 27
"""Values of small blocks that wait in memory, because writing one by one takes longer."""

MOST_LOG_BYTES: Final = 1 << 26
"""The log of what is written may stay so large on the disk."""

BlockArrays = Mapping[str, npt.NDArray[Any]]
"""[part] the values of a block. At cuts, each part has bits or values for each cut."""

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS blocks (
    number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, arrays TEXT NOT NULL,
    bytes INTEGER NOT NULL, used INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS blocks_by_use ON blocks (used);
CREATE TABLE IF NOT EXISTS chunks (number INTEGER PRIMARY KEY, content BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS answers (
    number INTEGER PRIMARY KEY, question TEXT NOT NULL, block INTEGER NOT NULL,
    answer TEXT NOT NULL, stamp BLOB NOT NULL, UNIQUE (question, block)
);
CREATE INDEX IF NOT EXISTS answers_by_block ON answers (block);
"""

Changed = TypeVar("Changed")


class BlockStore:
    """Solved blocks and answers in a folder, for use by several threads.

    Other processes may remove what this one uses. The file appears with what is first kept there.
    In a folder that cannot be written to, it is read as it is: nothing is mended or removed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._path = folder / FILE
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._opened: os.stat_result | None = None
        """What the system said of the file when it was opened."""
        self._reads_only = False
        """Whether the folder could not be written to when it was opened."""
        self._used = set[int]()
        """The numbers of the blocks that have been used since the last `shrink`."""
        self._waiting = dict[str, BlockArrays]()
        """[name] -> a solved block that is not in the file yet."""
        self._waiting_bytes = 0

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = None

    def has(self, name: str) -> bool:
        """Whether there is a solved block of a name."""
        if name in self._waiting:
            return True
        return bool(self._rows("SELECT 1 FROM blocks WHERE name = ?", name))

    def names_of(self, node: str) -> list[str]:
        """The names of all solved blocks of a node, whatever they rest on."""
        question = "SELECT name FROM blocks WHERE name > ? AND name < ?"
        return [name for (name,) in self._rows(question, f"{node}-", f"{node}.")]

    def items(
        self,
        name: str,
        part: str,
        first: int = 0,
        end: int | None = None,
        room: Array | None = None,
    ) -> Array | None:
        """The items of a part of a block from `first` up to `end`, in `room` or a new array.

        None if the block is not there. A damaged block is removed, with a DamagedTableError.
        """
        waiting = self._waiting.get(name)
        if waiting is not None:
            items = waiting[part][first:end]
            if room is None:
                return items
            room[:] = items
            return room
        rows = self._rows("SELECT number, arrays FROM blocks WHERE name = ?", name)
        if not rows:
            return None
        ((number, arrays),) = rows
        self._used.add(number)
        kind, size, first_chunk = _place_of(part, json.loads(arrays), number)
        stop = size if end is None else end
        items = np.empty(stop - first, kind) if room is None else room[: stop - first]
        try:
            self._read_chunks(name, first_chunk, size, first, items)
        except DamagedTableError:
            if self._write(lambda connection: _remove(connection, number)):
                raise
            return None  # another thread or process has just removed it
        return items

    def _read_chunks(
        self, name: str, first_chunk: int, size: int, first: int, items: Array
    ) -> None:
        """Fill an array with items of a part that has `size` of them, from `first` on."""
        if len(items) == 0:
            return
        stop = first + len(items)
        chunks = range(first // CHUNK, -(-stop // CHUNK))
        contents = self._chunks(first_chunk + chunks.start, len(chunks))
        for chunk in chunks:
            chunk_start = chunk * CHUNK
            chunk_end = min(chunk_start + CHUNK, size)
            start = max(first, chunk_start)
            wanted = items[start - first : min(stop, chunk_end) - first]
            content = next(contents, b"")
            if content[:STAMP_BYTES] != _stamp_of(name, first_chunk + chunk):
                raise DamagedTableError(name, "a chunk is missing or damaged")
            packed = content[STAMP_BYTES:]
            try:
                if len(wanted) == chunk_end - chunk_start:
                    unpack_into(packed, wanted)
                else:
                    whole = np.empty(chunk_end - chunk_start, items.dtype)
                    unpack_into(packed, whole)
                    wanted[:] = whole[start - chunk_start :][: len(wanted)]
            except ValueError as error:
                raise DamagedTableError(name, str(error)) from None

    def _chunks(self, first: int, count: int) -> Iterator[bytes]:
        """The contents of some chunks, one after another; those behind a missing one are not."""
        for start in range(first, first + count, 64):
            end = min(start + 64, first + count)
            rows = self._rows(
                "SELECT number, content FROM chunks WHERE number >= ? AND number < ? "
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

    def put_later(self, name: str, arrays: BlockArrays) -> None:
        """Keep a block in memory, until there are enough to write or somebody calls `save`."""
        with self._lock:
            self._waiting[name] = arrays
            self._waiting_bytes += sum(array.nbytes for array in arrays.values())
            if self._waiting_bytes >= MOST_WAITING_BYTES:
                self.save()

    def save(self) -> None:
        """Write the blocks that wait."""
        with self._lock:
            if self._waiting:
                self.put(self._waiting)
                self._waiting = {}
                self._waiting_bytes = 0

    def _insert(self, connection: sqlite3.Connection, name: str, arrays: BlockArrays) -> None:
        for (number,) in connection.execute("SELECT number FROM blocks WHERE name = ?", (name,)):
            _remove(connection, number)
        facts = {part: (array.dtype.str, len(array)) for part, array in arrays.items()}
        row = connection.execute(
            "INSERT INTO blocks (name, arrays, bytes, used) "
            "VALUES (?, ?, 0, ifnull((SELECT max(used) FROM blocks), 0))",
            (name, json.dumps(facts)),
        )
        block = row.lastrowid or 0
        self._used.add(block)
        number = block << CHUNK_BITS
        written = 0
        for array in arrays.values():
            for first in range(0, len(array), CHUNK):
                packed = pack(array[first : first + CHUNK], shuffled=False, level=SCRATCH_LEVEL)
                content = _stamp_of(name, number) + packed
                connection.execute("INSERT INTO chunks VALUES (?, ?)", (number, content))
                number += 1
                written += len(content)
        connection.execute("UPDATE blocks SET bytes = ? WHERE number = ?", (written, block))

    def answers(self, question: str, most: int) -> list[Any]:
        """The last answers that are kept of a question, at most so many, the last one first."""
        rows = self._rows(
            "SELECT answer, stamp FROM answers WHERE question = ? ORDER BY number DESC LIMIT ?",
            question,
            most,
        )
        return [
            json.loads(answer) for answer, stamp in rows if stamp == _stamp_of(question, answer)
        ]

    def put_answer(self, question: str, name: str, answer: object) -> None:
        """Keep an answer as long as the block is there that has this name.

        It takes the place of an earlier answer to the question that rests on the same block.
        """
        text = json.dumps(answer)
        stamp = _stamp_of(question, text)

        def insert(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT OR REPLACE INTO answers (question, block, answer, stamp) "
                "SELECT ?, number, ?, ? FROM blocks WHERE name = ?",
                (question, text, stamp, name),
            )

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
            _remove(connection, number)

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
            if not os.path.exists(self._path):  # a plan asks so for each block
                return []
            try:
                return self._open().execute(question, given).fetchall()
            except sqlite3.DatabaseError as error:
                if self._reads_only:
                    self.close()  # somebody who can has changed the file meanwhile
                    return []
                self._begin_anew(error)
                return []

    def _write(self, change: Callable[[sqlite3.Connection], Changed]) -> Changed:
        """Change the file; other processes see all of it or nothing."""
        with self._lock:
            try:
                return self._change(change)
            except sqlite3.DatabaseError as error:
                self._begin_anew(error)
                return self._change(change)

    def _change(self, change: Callable[[sqlite3.Connection], Changed]) -> Changed:
        connection = self._open()
        connection.execute("BEGIN IMMEDIATE")
        try:
            changed = change(connection)
            connection.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise
        return changed

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
            self._reads_only = not self._is_writable()
        if self._connection is None and self._reads_only:
            # The log of a writer can be neither made nor read here, so the file is read as if
            # nobody changed it, until it has changed.
            address = f"{self._path.absolute().as_uri()}?immutable=1"
            self._connection = sqlite3.connect(address, check_same_thread=False, uri=True)
            self._opened = self._path.stat()
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
        if self._opened is None:
            return False
        with contextlib.suppress(FileNotFoundError):
            now = self._path.stat()
            is_as_read = not self._reads_only or now.st_mtime_ns == self._opened.st_mtime_ns
            return is_as_read and os.path.samestat(now, self._opened)
        return False

    def _is_writable(self) -> bool:
        return not self.folder.exists() or os.access(self.folder, os.W_OK | os.X_OK)


def _stamp_of(name: str, content: object) -> bytes:
    """The stamp of a block's chunk, or of an answer, so that it is never taken for another one."""
    return sha256(f"{name} {content}".encode()).digest()[:STAMP_BYTES]


def _place_of(
    part: str, arrays: Mapping[str, tuple[str, int]], number: int
) -> tuple[str, int, int]:
    """The kind and number of a part's items, and its first chunk, in the block of a number."""
    first_chunk = number << CHUNK_BITS
    for other, (kind, size) in arrays.items():
        if other == part:
            return kind, size, first_chunk
        first_chunk += -(-size // CHUNK)
    raise KeyError(part)


def _remove(connection: sqlite3.Connection, number: int) -> bool:
    """Remove a block and the answers that rest on it; False if it was removed before."""
    first = number << CHUNK_BITS
    after = (number + 1) << CHUNK_BITS
    connection.execute("DELETE FROM chunks WHERE number >= ? AND number < ?", (first, after))
    connection.execute("DELETE FROM answers WHERE block = ?", (number,))
    return connection.execute("DELETE FROM blocks WHERE number = ?", (number,)).rowcount > 0


def key_of(facts: Sequence[object]) -> str:
    """A digest of what values rest on, and of the sources that make them."""
    return sha256(repr([SOURCES, *facts]).encode()).hexdigest()[:40]
