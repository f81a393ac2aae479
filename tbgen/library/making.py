"""Making: one table, from its children's files to its own.

The solved blocks of a table with pawns lie in a file beside it until it is written. A build that ends on
the way leaves that file, and the next one goes on from it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tbgen import __version__
from tbgen.compiled.folders import source_digest
from tbgen.index.layout import layout_of
from tbgen.library.mapped import MappedArrays
from tbgen.material import Material
from tbgen.storage.files import WrittenTable, partial_of, path_of
from tbgen.storage.folders import game_of_folder
from tbgen.storage.reader import TableFile
from tbgen.storage.scratch import Form, ScratchStore, scratch_path
from tbgen.table import fits_memory

if TYPE_CHECKING:
    from tbgen.retro import BlockStore, Grant, Solved

Tell = Callable[[str, int | None, float, int], None]


def make_file(
    folder: Path,
    material: Material,
    threads: int,
    tell: Tell,
    memory: int | None = None,
) -> tuple[WrittenTable, Solved]:
    """Solve a material whose children are in the folder, and put its files there; OSError if they cannot be written.

    With less memory than it takes, arrays of a table of one block lie in files of the folder, and while it is written
    the numbers that its cells have and its states, which are numbered share by share if need be.
    """
    from tbgen import retro
    from tbgen.storage.counting import ANY_SLOTS
    from tbgen.storage.writer import check_library, write_table

    check_library()
    source = source_digest()
    with contextlib.ExitStack() as opened:
        children = {child: opened.enter_context(TableFile(path_of(folder, child))) for child in material.children()}
        store = opened.enter_context(_block_store(folder, material, _identity_of(folder, material, children)))
        game, grant = game_of_folder(folder), opened.enter_context(_granted(folder, material, threads, memory))
        solved = retro.solve_into(store, material, children, threads, tell, grant, game)
        tell("writing", None, 1.0, 0)
        begun = time.perf_counter()
        new, slots = (np.zeros, ANY_SLOTS) if grant is None else (grant.files.zeros, grant.slots)
        written = write_table(
            folder, solved, generator=__version__, source=source, threads=threads, new=new, slots=slots
        )
    phases = {**solved.figures.phase_seconds, "writing": round(time.perf_counter() - begun, 3)}
    solved.figures = dataclasses.replace(solved.figures, phase_seconds=phases)
    return written, solved


def _identity_of(folder: Path, material: Material, children: Mapping[Material, TableFile]) -> dict[str, Any]:
    """What the blocks of a table depend on."""
    known = {str(child): file.digest for child, file in children.items()}
    game, source = str(game_of_folder(folder)), source_digest()
    return {"material": str(material), "game": game, "source": source, "children": known}


@contextlib.contextmanager
def _granted(folder: Path, material: Material, threads: int, memory: int | None) -> Iterator[Grant | None]:
    """What the arrays of a table may take of memory; nothing is said where it has all that it can take."""
    from tbgen import retro

    if memory is None or memory >= retro.memory_needed(material, threads):
        yield None
        return
    with MappedArrays(folder, memory) as files:
        slots = retro.slots_granted(material, threads, memory)
        yield retro.Grant(retro.arrays_granted(memory, threads), files, slots)


def remove_blocks(folder: Path, materials: Iterable[Material]) -> None:
    """Remove what is left of making some tables that are there; only for who has the lock."""
    for material in materials:
        scratch_path(folder, material).unlink(missing_ok=True)


@contextlib.contextmanager
def _block_store(folder: Path, material: Material, identity: Mapping[str, Any]) -> Iterator[BlockStore]:
    """A store for a table's blocks: on disk where they are many and large, with what is left of an earlier build.

    When all went well the file is removed; otherwise it stays for the next attempt.
    """
    from tbgen.retro import MemoryStore
    from tbgen.retro.drive.counts import nothing_found

    layout = layout_of(material)
    if fits_memory(layout):
        yield MemoryStore()
        return
    path = scratch_path(folder, material)
    form = Form(2 * layout.block_words * 64, layout.cells, nothing_found().shape)
    try:
        store = ScratchStore(path, identity, form)
    except BlockingIOError:  # a worker that was given up for lost may still be at the same table
        store = ScratchStore(partial_of(path), identity, form)
    with store:
        yield store
        store.remove()
