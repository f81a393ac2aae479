"""What classes of tables cost: the figures of tbgen/library/costs.py fitted to the tables that a folder has built."""

from __future__ import annotations

import argparse
from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tbgen.library.manifest import FileRecord
    from tbgen.material import Material

LEAST_CELLS = 1 << 20
"""Smaller tables take what starting takes."""


def costs(options: argparse.Namespace) -> None:
    """Print the rates of each class, and how far off they are for the table that they fit worst."""
    from tbgen.library.costs import class_of
    from tbgen.library.manifest import read_manifest
    from tbgen.material import Material

    classes = defaultdict(list)
    for name, record in read_manifest(options.data).items():
        material = Material.parse(name)
        if record.cpu_seconds and cells_of(material) >= LEAST_CELLS and (options.men or material.men) == material.men:
            classes[class_of(material)].append((material, record))
    print(f"{'class':26} {'tables':>6} {'us/cell':>8} {'B/cell':>8} {'serial':>7}  worst fit")
    for (balance, pawns), tables in sorted(classes.items(), key=lambda each: (each[0][0].value, each[0][1])):
        show_class(f"{balance.value}, {'pawns' if pawns else 'no pawns'}", tables)


def cells_of(material: Material) -> float:
    from tbgen.library.costs import primary_cells

    return primary_cells(material)


def show_class(name: str, tables: list[tuple[Material, FileRecord]]) -> None:
    cells = sum(cells_of(material) for material, _ in tables)
    rate = 1e6 * sum(record.cpu_seconds or 0.0 for _, record in tables) / cells
    size = sum(record.bytes for _, record in tables) / cells
    off = {str(m): 1e6 * (record.cpu_seconds or 0.0) / cells_of(m) / rate for m, record in tables}
    worst = max(off, key=lambda each: max(off[each], 1 / off[each]))
    serial = [part for _, record in tables if (part := serial_part(record)) is not None]
    shown = f"{median(serial):7.2f}" if serial else f"{'-':>7}"
    print(f"{name:26} {len(tables):6} {rate:8.2f} {size:8.3f} {shown}  {worst} {off[worst]:.2f} times")


def serial_part(record: FileRecord) -> float | None:
    """The part of the work that its threads did not share; None if there was one thread. Only an idle machine says."""
    if not (record.threads and record.threads > 1 and record.wall_seconds and record.cpu_seconds):
        return None
    wall = record.wall_seconds / record.cpu_seconds
    return max(0.0, (wall - 1 / record.threads) / (1 - 1 / record.threads))
