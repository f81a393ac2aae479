"""An archive of 100,000 games: flat memory, a bar with an estimate, every game in its place."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent.parent / "golden"
MOST_MORE_BYTES = 40 << 20
"""What the allocator may keep on top of it where an archive has 82 million bytes more."""


def adjudicated(path: Path, out: Path, *options: str) -> tuple[int, str]:
    """The most memory of a run, in bytes, and what it showed on a terminal."""
    command = [sys.executable, "-m", "tbgen", "adjudicate", str(path), "-o", str(out), *options]
    master, slave = pty.openpty()
    process = subprocess.Popen(command, stderr=slave, env={**os.environ, "TERM": "xterm", "COLUMNS": "120"})
    os.close(slave)
    shown = bytearray()
    while chunk := _read(master):
        shown += chunk
    os.close(master)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, bytes(shown)
    return usage.ru_maxrss * 1024, re.sub(r"\x1b\[[?\d;]*[A-Za-z]", "", shown.decode())


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # the other end is closed
        return b""


@pytest.mark.slow
def test_an_archive_of_any_length_is_decided_in_flat_memory_with_a_bar_and_an_estimate(tmp_path: Path) -> None:
    text = (GOLDEN / "tcec_s18.pgn").read_bytes()
    small, large, out = tmp_path / "small.pgn", tmp_path / "large.pgn", tmp_path / "out.pgn"
    small.write_bytes(text * 1000)
    with large.open("wb") as file:
        for _ in range(5000):
            file.write(text)
    few, _ = adjudicated(small, out)
    once = out.read_bytes()[: out.stat().st_size // 1000]
    many, shown = adjudicated(large, out)
    assert many - few < MOST_MORE_BYTES
    assert "100,000 games decided" in shown
    assert re.search(r"large\.pgn: [\d,]+ games.* \d+%.* \d:\d\d:\d\d.* \d:\d\d:\d\d", shown)
    with out.open("rb") as file:
        for _ in range(5000):
            assert file.read(len(once)) == once
        assert file.read() == b""
