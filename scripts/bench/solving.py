"""Many tables, each in a process of its own, as often as asked."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from bench.log import ROOT, Record, append, say
from bench.one import run_one

if TYPE_CHECKING:
    from tbgen.material import Material

WARM_UP = ("KNvK", "KPvK")
"""One table without pawns and one with: between them they use every kernel."""


def materials_wanted(options: argparse.Namespace) -> list[Material]:
    from tbgen.material import Material, all_materials, materials

    if options.all:
        return all_materials()
    named = [Material.parse(name).canonical() for name in options.names]
    return named + (materials(options.men) if options.men else [])


def build_children(data: Path, wanted: Iterable[Material], threads: int) -> None:
    """Build in a process of its own what the wanted tables lead to, and compile what they use."""
    from tbgen.material import Material

    needed = {str(child) for material in wanted for child in material.children()}
    needed |= {str(child) for name in WARM_UP for child in Material.parse(name).children()}
    command = [sys.executable, "-m", "tbgen", "build", *sorted(needed), "--data", str(data)]
    say(f"building {len(needed)} tables that the wanted ones lead to ...")
    subprocess.run([*command, "--threads", str(threads), "--quiet"], cwd=ROOT, check=True)
    for name in WARM_UP:
        run_one(name, data, threads)


def solve(options: argparse.Namespace) -> None:
    """Solve each wanted table as often as asked, and log every run."""
    wanted = materials_wanted(options)
    if not wanted:
        raise SystemExit("bench: name a material such as KBvKN, or say --men N or --all")
    with ExitStack() as stack:
        data = options.data or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        build_children(data, wanted, options.threads)
        print(f"{'':8} {'wall s':>8} {'CPU s':>8} {'solve':>8} {'busy':>6} {'MiB':>7} {'pos/CPU s':>11}  phases")
        for run in range(1, options.runs + 1):
            for material in wanted:
                record = run_one(str(material), data, options.threads, profile=options.profile)
                kept = {"kind": "solve", "name": str(material), "threads": options.threads, "run": run, **record}
                append(options, kept)
                show_run(kept)
                if options.profile:
                    show_profile(kept)


def show_run(record: Record) -> None:
    phases = sorted(record["phases"].items(), key=lambda phase: -phase[1])
    named = ", ".join(f"{phase} {seconds:.2f}" for phase, seconds in phases[:4])
    print(
        f"{record['name']:8} {record['wall']:8.2f} {record['cpu']:8.2f} {record['solve_cpu']:8.2f}"
        f" {record['busy']:6.0%} {record['peak_bytes'] / 2**20:7.0f} {record['positions_per_cpu_second']:11,}  {named}",
        flush=True,
    )


def show_profile(record: Record) -> None:
    """Where the time of one run went."""
    start = record["cpu"] - record["load_cpu"] - record["solve_cpu"] - record["write_cpu"]
    parts = {
        "start": start,
        "children from files": record["load_cpu"],
        "solve": record["solve_cpu"],
        "write": record["write_cpu"],
    }
    print("\nCPU seconds of the whole process")
    show_bars(parts)
    print("\nwall seconds of solving, by phase")
    show_bars(record["phases"])
    print(f"\n{record['positions']:,} positions, {record['patterns']:,} patterns, {record['bytes']:,} bytes\n")


def show_bars(parts: dict[str, float]) -> None:
    whole = max(sum(parts.values()), 1e-9)
    for name, seconds in sorted(parts.items(), key=lambda part: -part[1]):
        print(f"  {name:20} {seconds:9.3f}  {'#' * round(40 * seconds / whole)}")
