"""Where memory goes while a table without pawns is made: what each step needs, and what each array has touched."""

from __future__ import annotations

import argparse
import contextlib
import mmap
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

GIB = 1 << 30
_PRESENT = 63
"""The bit of an entry of /proc/self/pagemap that says that the page is in memory."""
_FRAME = (1 << 55) - 1
"""The bits that say which; 0 for the page of zeros that all share."""
_LEAST = 1 / 200
"""Bytes a cell below which an array is left out."""


def memory(options: argparse.Namespace) -> None:
    """What the options ask for."""
    if options.data is None:
        needed(options.names, options.threads)
        return
    for name in options.names:
        measured(name, options.data, options.threads)


def needed(names: Sequence[str], threads: int) -> None:
    """Print what each step of some materials needs at most, in bytes a cell."""
    from tbgen.index.layout import layout_of
    from tbgen.material import Material
    from tbgen.retro import least_memory, memory_needed
    from tbgen.retro.drive.memory import steps_need
    from tbgen.retro.words.geometry import geometry_of

    for material in map(Material.parse, names):
        layout = layout_of(material)
        bounds = memory_needed(material, threads) / GIB, least_memory(material, threads) / GIB
        print(f"{material}: {bounds[0]:.2f} GiB, {bounds[1]:.2f} at least, {threads} threads")
        if len(layout.blocks) == 1:
            for step, sizes in steps_need(geometry_of(layout), threads).items():
                parts = ", ".join(f"{name} {size / layout.cells:.2f}" for name, size in sizes.items())
                print(f"  {step}: {sum(sizes.values()) / layout.cells:.2f} bytes a cell: {parts}")


def measured(name: str, data: Path, threads: int) -> None:
    """Solve a table without pawns, and print what its arrays have touched when a phase ends, in bytes a cell."""
    from tbgen import retro
    from tbgen.material import Material
    from tbgen.retro.drive import one_block
    from tbgen.retro.drive.placement import arrays_of
    from tbgen.retro.drive.timing import Timer
    from tbgen.storage.files import path_of
    from tbgen.storage.reader import TableFile

    begin, phase, at_work = one_block.OneBlock.__init__, Timer.phase, list[Any]()

    def remembered(solving: Any, task: Any) -> None:
        begin(solving, task)
        at_work.append(solving)

    @contextlib.contextmanager
    def looked_at(timer: Timer, title: str) -> Iterator[None]:
        with phase(timer, title):
            yield
        for solving in at_work[:1] if title != "freeze" else ():
            show(
                title,
                [*arrays_of((), solving.worker), *arrays_of(("values",), solving.values)],
                len(solving.values.dtg),
            )

    setattr(one_block.OneBlock, "__init__", remembered)  # noqa: B010
    setattr(Timer, "phase", looked_at)  # noqa: B010
    material = Material.parse(name).canonical()
    children = {child: TableFile(path_of(data, child)) for child in material.children()}
    retro.solve_into(retro.MemoryStore(), material, children, threads=threads)


def show(title: str, arrays: Sequence[tuple[tuple[str, ...], Any]], cells: int) -> None:
    """Print the arrays that have touched much, and all together."""
    touched = {".".join(path): touched_bytes(array) / cells for path, array in arrays}
    print(f"{title}: {sum(touched.values()):.2f} bytes a cell")
    for name, size in sorted(touched.items(), key=lambda each: -each[1]):
        if size >= _LEAST:
            print(f"  {name} {size:.2f}")


def touched_bytes(array: Any) -> int:
    """The pages of an array that are in memory, by the account of the system."""
    import numpy as np

    start = array.__array_interface__["data"][0] // mmap.PAGESIZE
    end = -(-(array.__array_interface__["data"][0] + array.nbytes) // mmap.PAGESIZE)
    with open("/proc/self/pagemap", "rb", buffering=0) as file:
        pages = np.frombuffer(os.pread(file.fileno(), 8 * (end - start), 8 * start), np.uint64)
    return int(((pages >> np.uint64(_PRESENT) != 0) & (pages & np.uint64(_FRAME) != 0)).sum()) * mmap.PAGESIZE
