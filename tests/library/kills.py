"""Builds that are killed: how one is begun and killed, and what it may leave."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tbgen.apps.records.record import without_record
from tbgen.index.layout import layout_of
from tbgen.library.catalog import read_manifest
from tbgen.material import TableMaterial
from tbgen.retro.drive.many_blocks import most_run_blocks
from tbgen.storage.files import PARTIAL, path_of
from tbgen.storage.scratch import RUN_SUFFIX, SUFFIX, scratch_path
from tests.copies import bytes_of_table
from tests.files import check_tables, digest_of_file

THREADS = 2
PROGRAM = ("-m", "tbgen")
_USER_TIME = 11
"""Where the ticks in user mode stand among the facts after the name of a process.

Those of the system follow.
"""
ON_DISK = (
    "-c",
    "from tbgen import cli; from tbgen.library import costs; costs.MOST_KEPT_CELLS = 0; cli.main()",
)
"""The program, but even small tables keep their blocks on disk."""


def start(
    folder: Path, names: Sequence[str], jobs: int = 1, program: Sequence[str] = PROGRAM
) -> subprocess.Popen[bytes]:
    """A build in a process of its own."""
    command = [
        sys.executable,
        *program,
        "build",
        *names,
        "--data",
        str(folder),
        "--threads",
        str(THREADS),
    ]
    return subprocess.Popen([*command, "--jobs", str(jobs), "-q"], stdout=subprocess.DEVNULL)


def kill(
    build: subprocess.Popen[bytes], folder: Path, measure: Callable[[], float], enough: float
) -> bool:
    """Kill a build once it has done enough; whether it was still at work.

    All tables there are sound then.
    """
    wait_until(build, measure, enough)
    was_at_work = build.poll() is None
    build.kill()
    build.wait()
    check_tables(folder)
    return was_at_work


def wait_until(build: subprocess.Popen[bytes], measure: Callable[[], float], enough: float) -> None:
    """Wait until a build has done enough, or is over."""
    while build.poll() is None and measure() < enough:
        time.sleep(0.001)


def cpu_seconds_of(build: subprocess.Popen[bytes]) -> float:
    """The CPU seconds of a build so far, in this process alone; only Linux tells them."""
    with contextlib.suppress(OSError, IndexError):
        facts = Path(f"/proc/{build.pid}/stat").read_text().rpartition(")")[2].split()
        user, system = facts[_USER_TIME : _USER_TIME + 2]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
    return 0.0


def finish(folder: Path, names: Sequence[str], program: Sequence[str] = PROGRAM) -> None:
    """Let a build come to its end."""
    assert start(folder, names, program=program).wait() == 0


def blocks_kept(folder: Path, material: TableMaterial) -> set[int]:
    """The blocks that a build which was killed has left for the next one."""
    size = 2 * layout_of(material).block_words * 64
    kept = set[int]()
    for path in scratch_path(folder, material).glob(f"*{RUN_SUFFIX}"):
        facts = json.loads(path.read_bytes()[64:].partition(b"\n")[0])
        kept.update(range(facts["first"] // size, facts["end"] // size))
    return kept


def assert_only_blocks_in_flight_are_lost(
    folder: Path, material: TableMaterial, before: set[int], kept: set[int]
) -> None:
    """What was kept still is.

    Blocks are begun in order, so one that is missing before the last was in flight.
    """
    missing = set(range(max(kept, default=0))) - kept
    assert before <= kept or path_of(folder, material).exists()
    assert len(missing) <= (THREADS - 1) * most_run_blocks(layout_of(material)), (
        sorted(missing),
        max(kept),
    )


def assert_as_if_left_in_peace(
    folder: Path, expected: Path, wanted: Sequence[TableMaterial]
) -> None:
    """The same tables, each with a record, and nothing beside them."""
    assert_the_same_tables(folder, expected, wanted)
    assert not without_record(folder, wanted)


def assert_the_same_tables(folder: Path, expected: Path, wanted: Sequence[TableMaterial]) -> None:
    """The same tables, known to the manifest, and nothing that only a build at work has."""
    entries = read_manifest(folder)
    for material in wanted:
        assert bytes_of_table(folder, str(material)) == bytes_of_table(expected, str(material)), (
            material
        )
        assert entries[str(material)].sha256 == digest_of_file(path_of(folder, material))
    assert not leftovers(folder)


def leftovers(folder: Path) -> list[str]:
    """The files that only a build at work has, or one that was killed."""
    return [path.name for path in folder.rglob("*") if path.name.endswith((PARTIAL, SUFFIX))]
