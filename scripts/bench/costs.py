"""What classes of tables cost: the figures of tbgen/library/costs.py fitted to the tables that a folder has built."""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tbgen.library.manifest import FileRecord
    from tbgen.material import Material

LEAST_CELLS = 1 << 20
"""Smaller tables take what starting takes."""


@dataclass(frozen=True)
class Made:
    """A table that was built here."""

    material: Material
    cells: float
    seconds: float
    outcomes: int
    """Bytes of the file of outcomes."""
    distances: int
    serial: float | None
    """The part of the work that its threads did not share; None if there was one. Only an idle machine says."""


def costs(options: argparse.Namespace) -> None:
    """Print the rates of each class, how far off they are for the table that they fit worst, and what all take."""
    from tbgen.library.costs import class_of, is_large, measured_file
    from tbgen.library.manifest import read_manifest
    from tbgen.material import Material
    from tbgen.storage.folders import game_of_folder

    classes, every = defaultdict(list), []
    for name, record in read_manifest(options.data).items():
        made = made_of(options.data, Material.parse(name), record)
        if made is None or (options.men or made.material.men) != made.material.men:
            continue
        every.append(made)
        if made.cells >= LEAST_CELLS:
            classes[class_of(made.material), is_large(made.material)].append(made)
    if options.write:
        write(measured_file(game_of_folder(options.data)), (made for tables in classes.values() for made in tables))
    heads = ("tables", "us/cell", "outcomes", "distances", "serial")
    print(f"{'class':32}" + "".join(f"{head:>10}" for head in heads) + "  worst fit")
    for ((balance, pawns), has_large), tables in sorted(classes.items(), key=lambda each: (each[0][1], str(each[0]))):
        show_class(f"{balance.value}, {'pawns' if pawns else 'no pawns'}, {'large' if has_large else 'small'}", tables)
    show_totals(every)


def write(path: Path, tables: Iterable[Made]) -> None:
    """Write what each table has taken, which is what it is expected to take from then on."""
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["material", "cpu_seconds"])
        rows.writerows([str(each.material), f"{each.seconds:.1f}"] for each in tables)


def made_of(folder: Path, material: Material, record: FileRecord) -> Made | None:
    """What is known of a table; None if it was not built in this folder."""
    from tbgen.library.costs import primary_cells
    from tbgen.storage.files import path_of
    from tbgen.storage.layers import Layer

    path = path_of(folder, material, Layer.OUTCOMES)
    if not record.cpu_seconds or not path.is_file():
        return None
    outcomes = path.stat().st_size
    cells, distances = primary_cells(material), record.bytes - outcomes
    return Made(material, cells, record.cpu_seconds, outcomes, distances, serial_part(record))


def show_class(name: str, tables: list[Made]) -> None:
    cells = sum(made.cells for made in tables)
    rate = 1e6 * sum(made.seconds for made in tables) / cells
    outcomes, distances = (sum(getattr(made, layer) for made in tables) / cells for layer in ("outcomes", "distances"))
    off = {str(made.material): 1e6 * made.seconds / made.cells / rate for made in tables}
    worst = max(off, key=lambda each: max(off[each], 1 / off[each]))
    serial = [made.serial for made in tables if made.serial is not None]
    shown = f"{median(serial):10.2f}" if serial else f"{'-':>10}"
    print(
        f"{name:32}{len(tables):10}{rate:10.2f}{outcomes:10.3f}{distances:10.3f}{shown}  {worst} {off[worst]:.2f} times"
    )


def show_totals(tables: list[Made]) -> None:
    """How many there are of each number of men and class, CPU hours, and sizes."""
    from tbgen.library.costs import class_of

    groups = defaultdict(list)
    for made in tables:
        balance, pawns = class_of(made.material)
        groups[made.material.men, balance.value, pawns].append(made)
    print(f"{'men, class':32}{'tables':>10}{'hours':>10}{'outcomes':>10}{'distances':>10}  GB")
    for (men, balance, pawns), some in [*sorted(groups.items()), ((0, "all", False), tables)]:
        hours, outcomes, distances = (
            sum(getattr(made, name) for made in some) for name in ("seconds", "outcomes", "distances")
        )
        name = f"{men}, {balance}, {'pawns' if pawns else 'no pawns'}" if men else balance
        print(f"{name:32}{len(some):10}{hours / 3600:10.3f}{outcomes / 1e9:10.4f}{distances / 1e9:10.4f}")


def serial_part(record: FileRecord) -> float | None:
    """The part of the work that its threads did not share; None if there was one thread. Only an idle machine says."""
    if not (record.threads and record.threads > 1 and record.wall_seconds and record.cpu_seconds):
        return None
    wall = record.wall_seconds / record.cpu_seconds
    return max(0.0, (wall - 1 / record.threads) / (1 - 1 / record.threads))
