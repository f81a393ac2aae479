"""What tables cost: a file of tbgen/library/measured, from the tables that a folder has built."""

from __future__ import annotations

import argparse
import csv
import sys


def costs(options: argparse.Namespace) -> None:
    """Print what each table took, or put it into the file that estimates are made from."""
    from tbgen.library.costs import measured_file
    from tbgen.library.manifest import read_manifest
    from tbgen.storage.files import every_material, path_of
    from tbgen.storage.folders import game_of_folder

    built, rows = read_manifest(options.data), []
    for material in every_material():
        made = built.get(str(material))
        if made is not None and made.cpu_seconds is not None:
            outcomes = path_of(options.data, material).stat().st_size
            rows.append((str(material), f"{made.cpu_seconds:.2f}", outcomes, made.bytes - outcomes))
    heads = ("material", "cpu_seconds", "outcome_bytes", "distance_bytes")
    if not options.write:
        csv.writer(sys.stdout, lineterminator="\n").writerows([heads, *rows])
        return
    path = measured_file(game_of_folder(options.data))
    with path.open("r", encoding="utf-8", newline="") as file:
        known = {row[0]: row for row in csv.reader(file)}
    known |= {row[0]: row for row in rows}
    with path.open("w", encoding="utf-8", newline="") as file:
        names = [str(material) for material in every_material() if str(material) in known]
        csv.writer(file, lineterminator="\n").writerows([heads, *(known[name] for name in names)])
