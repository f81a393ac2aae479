"""Builds that are killed at seeded moments, and end with the files of one that was left in peace."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tbgen.cli.watch import QuietWatcher
from tbgen.library.build import build
from tbgen.library.manifest import read_manifest
from tbgen.material import Material, build_order, materials
from tbgen.storage.files import PARTIAL, path_of
from tbgen.storage.reader import check_file, digest_of_file


def start(folder: Path, names: Sequence[str], jobs: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tbgen", "build", *names, "--data", str(folder), "--threads", "2"]
    return subprocess.Popen(
        [*command, "--jobs", str(jobs)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


def kill(folder: Path, names: Sequence[str], jobs: int, *, lines: int, seconds: float) -> bool:
    """Kill a build after so many lines and seconds; whether it was still at work."""
    process = start(folder, names, jobs)
    assert process.stderr is not None
    for _ in range(lines):
        process.stderr.readline()
    time.sleep(seconds)
    was_at_work = process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stderr.close()
    for path in folder.glob("*.h5"):
        check_file(path)
    return was_at_work


def finish(folder: Path, names: Sequence[str], jobs: int) -> None:
    process = start(folder, names, jobs)
    _, errors = process.communicate()
    assert process.returncode == 0, errors


def assert_as_if_left_in_peace(folder: Path, expected: Path, wanted: Sequence[Material]) -> None:
    entries = read_manifest(folder)
    for material in wanted:
        path = path_of(folder, material)
        assert path.read_bytes() == path_of(expected, material).read_bytes(), material
        assert entries[str(material)].sha256 == digest_of_file(path)
    assert not [path for path in folder.iterdir() if path.name.endswith((PARTIAL, ".blocks"))]


def test_a_build_killed_at_any_moment_is_taken_up_again(tmp_path: Path, table_folder: Path) -> None:
    draw, names, kills = random.Random(80), [str(material) for material in materials(3)], 0
    for number in range(8):
        lines, seconds = draw.randrange(8), draw.uniform(0.0, 0.15)
        kills += kill(tmp_path, names, 1 + number % 2, lines=lines, seconds=seconds)
    assert kills > 3
    finish(tmp_path, names, 2)
    assert_as_if_left_in_peace(tmp_path, table_folder, build_order(materials(3)))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KPvKP", "KBvKN"])
def test_thirty_kills_make_no_difference(tmp_path: Path, four_men_folder: Path, name: str) -> None:
    draw, kills = random.Random(81), 0
    whole, began = tmp_path / "whole", time.monotonic()
    build(whole, [Material.parse(name)], QuietWatcher())
    duration = time.monotonic() - began
    for number in range(30):
        folder = tmp_path / str(number)
        for _ in range(3):
            kills += kill(folder, [name], 1 + number % 2, lines=0, seconds=draw.uniform(0.3, 0.5 * duration))
        if number % 6 == 5:
            finish(folder, [name], 2)
            assert_as_if_left_in_peace(folder, four_men_folder, build_order([Material.parse(name)]))
    assert kills >= 30
