"""Work: one table, from the files of its children to its own, wherever it is called: here, in a process, on a cluster.

The solved blocks of a table with pawns lie in files beside it until it is written. A build that ends on the way leaves
them, and the next one goes on from them.
"""

from __future__ import annotations

import contextlib
import dataclasses
import mmap
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tbgen import __version__
from tbgen.compiled.folders import source_digest
from tbgen.index.layout import layout_of
from tbgen.library.manifest import FileRecord
from tbgen.material import Material
from tbgen.score import Color
from tbgen.storage.files import partial_of, path_of
from tbgen.storage.folders import game_of_folder
from tbgen.storage.reader import TableFile
from tbgen.storage.scratch import ScratchStore, scratch_path
from tbgen.system.process import forget_peak, give_back, peak_bytes
from tbgen.table import fits_memory

if TYPE_CHECKING:
    from tbgen.retro import BlockStore
    from tbgen.storage.numbering import NewArray

Tell = Callable[[str, int | None, float, int], None]
"""Hears of the phase, the accrued code if there is one, the part done (0 to 1), and how many positions are decided.

From any thread, and often.
"""


@dataclass(frozen=True, slots=True)
class Made:
    """A table that is on the disk."""

    material: Material
    positions: int
    file: FileRecord


def untold(phase: str, code: int | None, done: float, decided: int) -> None:
    """Nobody hears."""


Work = Callable[[Path, str, int, int | None, Tell], Made]


def make_table(folder: Path, name: str, threads: int, memory: int | None = None, tell: Tell = untold) -> Made:
    """Solve a canonical material whose children are in the folder, and put its files there; OSError if it cannot.

    With `memory`, which is less than the table takes, its large arrays lie in files of the folder.
    """
    from tbgen import retro
    from tbgen.storage.writer import check_library, write_table

    check_library()
    give_back()
    forget_peak()
    wall, cpu = time.perf_counter(), time.process_time()
    material, source, game = Material.parse(name), source_digest(), game_of_folder(folder)
    new: NewArray = np.zeros if memory is None else partial(zeros_in_file, folder)
    with _opened(folder, material, {"game": str(game), "source": source}) as (children, store):
        solved = retro.solve_into(store, material, children, threads, tell, game, new)
        tell("writing", None, 1.0, 0)
        begun, counters = time.perf_counter(), threads if memory is None else 1
        written = write_table(
            folder, solved, generator=__version__, source=source, threads=threads, new=new, counters=counters
        )
    figures = dataclasses.replace(
        solved.figures,
        phase_seconds={**solved.figures.phase_seconds, "writing": round(time.perf_counter() - begun, 3)},
        wall_seconds=round(time.perf_counter() - wall, 3),
        cpu_seconds=round(time.process_time() - cpu, 3),
        peak_bytes=peak_bytes(),
    )
    return Made(material, sum(map(solved.positions, Color)), FileRecord.of(written, str(game), figures))


def zeros_in_file(folder: Path, size: int, kind: npt.DTypeLike) -> npt.NDArray[Any]:
    """A flat array of zeros in a file without a name; OSError if the disk cannot take it.

    The system keeps of it what it has memory for, and reads the rest when it is touched.
    """
    kind = np.dtype(kind)
    length = max(size * kind.itemsize, 1)
    with tempfile.TemporaryFile(dir=folder) as file:
        os.posix_fallocate(file.fileno(), 0, length)
        pages = mmap.mmap(file.fileno(), length)
    return np.frombuffer(pages, kind, size)


@contextlib.contextmanager
def _opened(
    folder: Path, material: Material, identity: Mapping[str, str]
) -> Iterator[tuple[dict[Material, TableFile], BlockStore]]:
    """The children of a table, and a store for its blocks, which depend on them."""
    with contextlib.ExitStack() as opened:
        children = {child: opened.enter_context(TableFile(path_of(folder, child))) for child in material.children()}
        digests = {str(child): file.digest for child, file in children.items()}
        whole = {"material": str(material), **identity, "children": digests}
        yield children, opened.enter_context(_block_store(folder, material, whole))


@contextlib.contextmanager
def _block_store(folder: Path, material: Material, identity: Mapping[str, Any]) -> Iterator[BlockStore]:
    """A store for a table's blocks: on disk where they are many and large, with what is left of an earlier build.

    When all went well its files are removed; otherwise they stay for the next attempt.
    """
    from tbgen.retro import MemoryStore

    layout = layout_of(material)
    if fits_memory(layout):
        yield MemoryStore()
        return
    path, plane = scratch_path(folder, material), layout.block_words * 64
    try:
        store = ScratchStore(path, identity, plane)
    except BlockingIOError:  # a worker that was given up for lost may still be at the same table
        store = ScratchStore(partial_of(path), identity, plane)
    with store:
        yield store
        store.remove()
