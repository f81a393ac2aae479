"""What tables took and how they were checked, a line each: a folder's manifest beside what `tbgen verify` said."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from pathlib import Path
from typing import Any

FIELDS = (
    "material",
    "cells",
    "primary_cells",
    "bytes",
    "cpu_seconds",
    "wall_seconds",
    "threads",
    "peak_bytes",
    "memory_needed",
    "checked_positions",
    "checked_pairs",
    "as_published",
)


def built(options: argparse.Namespace) -> None:
    """Print CSV of the tables that a folder has built; `--checked` are files with the JSON of `tbgen verify`."""
    from tbgen.index.layout import layout_of
    from tbgen.library.costs import primary_cells
    from tbgen.library.manifest import read_manifest
    from tbgen.material import Material
    from tbgen.retro import memory_needed

    checks = [check for path in options.checked for check in checks_in(path)]
    writer = csv.DictWriter(sys.stdout, FIELDS, lineterminator="\n")
    writer.writeheader()
    for name, record in sorted(read_manifest(options.data).items(), key=lambda each: (len(each[0]), each[0])):
        material = Material.parse(name)
        if (options.men and material.men != options.men) or record.cpu_seconds is None:
            continue
        threads = record.threads or 1
        row = {
            "material": name,
            "cells": layout_of(material).cells,
            "primary_cells": round(primary_cells(material)),
            "bytes": record.bytes,
            "cpu_seconds": record.cpu_seconds,
            "wall_seconds": record.wall_seconds,
            "threads": threads,
            "peak_bytes": record.peak_bytes,
            "memory_needed": memory_needed(material, threads),
        }
        for check in checks:
            row |= columns_of(check) if check["material"] == name else {}
        writer.writerow(row)


def checks_in(path: Path) -> list[dict[str, Any]]:
    """The verdicts on tables in one file; one with a fault is not to be filed at all."""
    facts = json.loads(path.read_text())
    if facts["faults"]:
        raise SystemExit(f"bench: {path} tells of faults: {facts['faults'][0]}")
    tables: list[dict[str, Any]] = facts["tables"]
    return tables


def columns_of(check: dict[str, Any]) -> dict[str, Any]:
    """The columns that a verdict fills: of a sample, or of a comparison with published counts."""
    if "published" in check:
        return {"as_published": "yes" if check["published"] else ""}
    return {"checked_positions": check["positions"], "checked_pairs": check["pairs"]}
