"""One table: what the child process does, and what it took as a whole."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from bench.log import ROOT, Record

if TYPE_CHECKING:
    from tbgen.table import Table


def solve_one(name: str, data: Path, threads: int, profile: bool) -> None:
    """Solve and write one table, and print the figures; the parent adds what the whole process took."""
    from tbgen import __version__, retro
    from tbgen.compiled.folders import source_digest
    from tbgen.material import Material
    from tbgen.storage.files import path_of
    from tbgen.storage.reader import TableFile
    from tbgen.storage.writer import write_table

    started = time.process_time()
    material, children = Material.parse(name).canonical(), {}
    for child in material.children():
        children[child] = TableFile(path_of(data, child))
    loaded = time.process_time()

    def work() -> Table:
        return retro.solve(material, children, threads=threads)

    table = profiled(work) if profile else work()
    solved = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        source = source_digest()
        size = write_table(Path(folder), table, generator=__version__, source=source, threads=threads).bytes
    figures = table.figures
    record = {
        "positions": int((table.entry != 0).sum()),
        "patterns": len(table.patterns),
        "bytes": size,
        "load_cpu": round(loaded - started, 3),
        "solve_wall": round(figures.wall_seconds, 3),
        "solve_cpu": round(figures.cpu_seconds, 3),
        "write_cpu": round(time.process_time() - solved, 3),
        "phases": dict(figures.phase_seconds),
    }
    print(json.dumps(record))


def profiled(work: Callable[[], Table]) -> Table:
    """Do some work, and show what the Python side of it spent its time on."""
    import cProfile
    import pstats

    profile = cProfile.Profile()
    table = profile.runcall(work)
    pstats.Stats(profile, stream=sys.stderr).strip_dirs().sort_stats("tottime").print_stats(15)
    return table


def run_one(name: str, data: Path, threads: int, *, profile: bool = False) -> Record:
    """Solve one table in a fresh process; its CPU seconds and peak memory are the whole process's."""
    command = [
        sys.executable,
        str(ROOT / "scripts" / "bench.py"),
        "one",
        name,
        "--data",
        str(data),
        "--threads",
        str(threads),
    ]
    began = time.perf_counter()
    process = subprocess.Popen([*command, *["--profile"] * profile], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    output = process.stdout.read()
    process.stdout.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"bench: solving {name} failed")
    record: Record = json.loads(output)
    cpu = usage.ru_utime + usage.ru_stime
    wall = time.perf_counter() - began
    record |= {"wall": round(wall, 3), "cpu": round(cpu, 3), "peak_bytes": usage.ru_maxrss * 1024}
    record["busy"] = round(record["solve_cpu"] / max(record["solve_wall"], 1e-9) / threads, 3)
    record["positions_per_cpu_second"] = round(record["positions"] / max(record["solve_cpu"], 1e-9))
    return record
