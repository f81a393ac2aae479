"""Builds that are killed: how one is begun and killed, and what it may leave."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tbgen.apps.records.record import without_record
from tbgen.index.layout import layout_of
from tbgen.library.manifest import read_manifest
from tbgen.material import Material
from tbgen.retro.drive.many_blocks import most_run_blocks
from tbgen.storage.files import PARTIAL, path_of, tables_in
from tbgen.storage.scratch import RUN_SUFFIX, SUFFIX, scratch_path
from tests.copies import bytes_of_table
from tests.files import check_file, digest_of_file

THREADS = 2


def start(folder: Path, names: Sequence[str], jobs: int = 1) -> subprocess.Popen[str]:
    """A build in a process of its own."""
    command = [sys.executable, "-m", "tbgen", "build", *names, "--data", str(folder), "--threads", str(THREADS)]
    return subprocess.Popen(
        [*command, "--jobs", str(jobs)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


def kill(
    folder: Path, names: Sequence[str], jobs: int = 1, *, lines: int = 0, seconds: float, cpu: bool = False
) -> bool:
    """Kill a build after so many lines and seconds; whether it was still at work. All tables there are sound then.

    `cpu` says that the seconds are those of its work, however busy the machine is; only Linux tells.
    """
    process = start(folder, names, jobs)
    assert process.stderr is not None
    for _ in range(lines):
        process.stderr.readline()
    if cpu:
        wait_for_work(process, seconds)
    else:
        time.sleep(seconds)
    was_at_work = process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stderr.close()
    for path in (path_of(folder, material) for material in tables_in(folder)):
        check_file(path)
    return was_at_work


def wait_for_work(process: subprocess.Popen[str], seconds: float) -> None:
    """Wait until a build has worked for so long, or is over."""
    while process.poll() is None and cpu_seconds_of(process.pid) < seconds:
        time.sleep(0.01)


def cpu_seconds_of(process: int) -> float:
    """How long a process has worked, 0 once it has gone."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def finish(folder: Path, names: Sequence[str], jobs: int = 1) -> None:
    """Let a build come to its end."""
    process = start(folder, names, jobs)
    _, errors = process.communicate()
    assert process.returncode == 0, errors


def blocks_kept(folder: Path, material: Material) -> set[int]:
    """The blocks that a build which was killed has left for the next one."""
    size, kept = 2 * layout_of(material).block_words * 64, set[int]()
    for path in scratch_path(folder, material).glob(f"*{RUN_SUFFIX}"):
        facts = json.loads(path.read_bytes()[32:].partition(b"\n")[0])
        kept.update(range(facts["first"] // size, facts["end"] // size))
    return kept


def assert_only_blocks_in_flight_are_lost(folder: Path, material: Material, before: set[int], kept: set[int]) -> None:
    """What was kept still is; blocks are begun in order, so one that is missing before the last was in flight."""
    missing = set(range(max(kept, default=0))) - kept
    assert before <= kept or path_of(folder, material).exists()
    assert len(missing) <= (THREADS - 1) * most_run_blocks(layout_of(material))


def assert_as_if_left_in_peace(folder: Path, expected: Path, wanted: Sequence[Material]) -> None:
    """The same tables, known to the manifest, and nothing beside them."""
    entries = read_manifest(folder)
    for material in wanted:
        assert bytes_of_table(folder, str(material)) == bytes_of_table(expected, str(material)), material
        assert entries[str(material)].sha256 == digest_of_file(path_of(folder, material))
    assert not leftovers(folder)
    assert not without_record(folder, wanted)


def leftovers(folder: Path) -> list[str]:
    """The files that only a build at work has, or one that was killed."""
    return [path.name for path in folder.rglob("*") if path.name.endswith((PARTIAL, SUFFIX))]
