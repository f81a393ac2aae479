"""Scratch files: solved blocks of an unfinished table, out of memory and safe from interruption.

A folder beside the tables has a file of arrays for each run of blocks, which names what it depends
on. tbgen removes a file that is damaged or depends on something else.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy.typing as npt

from tbgen.errors import DamagedTableError
from tbgen.material import TableMaterial
from tbgen.storage.arrays import StoredArrays, open_arrays, write_arrays
from tbgen.system.process import try_lock
from tbgen.table import Cells, Dictionary, Distances, Entries, Run

SUFFIX: Final = ".blocks"
RUN_SUFFIX: Final = ".arrays"
_FOUND: Final = "found"
"""The array of a run's `found`."""
_RIGHT_ENTRY: Final = "ep_entry"
"""The array of the entry values of positions with a right to take en passant."""
_RIGHT_DTG: Final = "ep_dtg"
"""The array of their distances."""


def scratch_path(folder: Path, material: TableMaterial) -> Path:
    """The folder of the solved blocks of a canonical material's unfinished table."""
    return folder / f"{material}{SUFFIX}"


class ScratchStore(contextlib.AbstractContextManager["ScratchStore"]):
    """A store of solved runs in a folder; safe to use from several threads.

    `identity` says what the runs depend on. A column is compressed in parts of `plane` cells, so
    cells are best asked for by planes. BlockingIOError if the folder is open elsewhere.
    """

    def __init__(self, path: Path, identity: Mapping[str, Any], plane: int = 1 << 24) -> None:
        self.path = path
        self._plane = plane
        self._identity = json.loads(json.dumps(identity))
        self._stored = dict[int, tuple[Run, StoredArrays]]()
        """[first cell] -> run, and its arrays.

        Threads add to it while others look, who take all keys at once and never iterate.
        """
        if path.is_symlink() or path.is_file():  # a folder may be another process's by now
            path.unlink(missing_ok=True)
        path.mkdir(exist_ok=True)
        self._folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            if not try_lock(self._folder):
                raise BlockingIOError(errno.EAGAIN, "another builder is at it", str(path))
            for file in sorted(path.iterdir()):
                self._take_up(file)
        except BaseException:
            os.close(self._folder)
            raise

    def put(self, run: Run, dictionary: Dictionary, cells: Cells) -> None:
        """Keep a run; OSError if the disk is full, and then nothing of it is left."""
        entry, dtg = run.en_passant
        arrays = {
            **cells._asdict(),
            **dictionary._asdict(),
            _FOUND: run.found.ravel(),
            _RIGHT_ENTRY: entry,
            _RIGHT_DTG: dtg,
        }
        facts = {
            "identity": self._identity,
            "first": run.first,
            "end": run.end,
            "rows": run.rows,
            "shape": run.found.shape,
        }
        path = self.path / f"{run.first:016}{RUN_SUFFIX}"
        self._stored[run.first] = (run, write_arrays(path, facts, arrays, self._plane))

    def runs(self) -> Sequence[Run]:
        return [self._stored[first][0] for first in sorted(self._stored)]

    def dictionary(self, run: Run) -> Dictionary:
        _, arrays = self._stored[run.first]
        return Dictionary(*map(arrays.items, Dictionary._fields))

    def values(self, first: int, end: int) -> tuple[Entries, Distances]:
        entry, dtg = self._part(("entry", "dtg"), first, end, (None, None))
        return entry, dtg

    def cells(self, first: int, end: int, room: Cells | None = None) -> Cells:
        rooms = room or (None, None, None)
        return Cells(*self._part(Cells._fields, first, end, rooms))

    def __exit__(self, *_: object) -> None:
        """Leave the files for the next build."""
        os.close(self._folder)

    def _take_up(self, path: Path) -> None:
        """Enter the run of a file.

        Remove a file that is damaged, depends on something else, or has a partial name.
        """
        arrays = None
        if path.suffix == RUN_SUFFIX and path.is_file():
            with contextlib.suppress(DamagedTableError):
                arrays = open_arrays(path)
        if arrays is None or arrays.facts.get("identity") != self._identity:
            path.unlink()
            return
        facts = arrays.facts
        run = Run(
            facts["first"],
            facts["end"],
            facts["rows"],
            arrays.items(_FOUND).reshape(facts["shape"]),
            (arrays.items(_RIGHT_ENTRY), arrays.items(_RIGHT_DTG)),
        )
        self._stored[run.first] = (run, arrays)

    def _part(
        self, names: Sequence[str], first: int, end: int, rooms: Sequence[Any]
    ) -> list[npt.NDArray[Any]]:
        """Some columns of a run's cells from `first` up to `end`.

        Each is written into a given array, if there is one.
        """
        firsts = sorted(self._stored)
        run, arrays = self._stored[firsts[bisect_right(firsts, first) - 1]]
        start = first - run.first
        stop = end - run.first
        columns = zip(names, rooms, strict=True)
        return [arrays.items(name, start, stop, room) for name, room in columns]
