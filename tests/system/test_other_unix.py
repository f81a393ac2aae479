"""The first minute on a system that lacks what only Linux, or only some Unix, has."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tbgen.library.workers import make_table
from tests.apps.match.matches import walker
from tests.project import ROOT, S18

LACKING = """
import builtins, fcntl, io, os, subprocess

for module, name in ((os, "posix_fallocate"), (os, "sched_getaffinity"), (fcntl, "flock")):
    delattr(module, name)

real_open, real_popen = io.open, subprocess.Popen.__init__

def open_outside_proc(file, *arguments, **options):
    if str(file).startswith("/proc"):
        raise FileNotFoundError(2, "there is no /proc", str(file))
    return real_open(file, *arguments, **options)

def popen(self, *arguments, preexec_fn=None, **options):
    assert preexec_fn is None, "it is unsafe beside threads"
    real_popen(self, *arguments, **options)

builtins.open = io.open = open_outside_proc
subprocess.Popen.__init__ = popen
"""


@pytest.fixture
def lacking(tmp_path: Path) -> dict[str, str]:
    """The environment of processes that lack it, all that they start included."""
    (tmp_path / "sitecustomize.py").write_text(LACKING)
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)]),
        "TBGEN_DATA": str(tmp_path / "t"),
    }


@pytest.mark.slow
def test_the_first_minute_needs_nothing_that_only_linux_has(
    lacking: dict[str, str], tmp_path: Path
) -> None:
    for words in (
        ["build", "--men", "3", "--jobs", "2", "--threads", "2"],
        ["probe", "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0"],
        ["verify", "--digest"],
        ["solve", "8/4P3/8/8/4k3/8/4p3/4K3 w - - 2 9", "--plan"],
        ["adjudicate", str(S18), "-o", str(tmp_path / "scored.pgn"), "--jobs", "2"],
        ["match", *walker("Ann"), *walker("Bob"), "-games", "1", "-maxmoves", "4"],
    ):
        done = subprocess.run(
            [sys.executable, "-m", "tbgen", *words], env=lacking, capture_output=True, check=False
        )
        assert (done.returncode, b"Traceback" in done.stderr) == (0, False), (
            words,
            done.stderr.decode(),
        )
    serving = [sys.executable, "-m", "tbgen", "serve", "--port", "0"]
    with subprocess.Popen(serving, env=lacking, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().split("; ")[1].replace("explorer/\n", "health")
            assert urllib.request.urlopen(address).status == 200
        finally:
            server.send_signal(signal.SIGTERM)


def test_large_arrays_lie_in_files_where_the_system_cannot_reserve_any(
    tmp_path: Path, table_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "KvK.h5").symlink_to(table_folder / "KvK.h5")
    (tmp_path / "KvK.dtg.h5").symlink_to(table_folder / "KvK.dtg.h5")
    monkeypatch.delattr(os, "posix_fallocate", raising=False)
    assert make_table(tmp_path, "KBvK", 1, memory=1).file.bytes > 0
    assert (tmp_path / "KBvK.h5").read_bytes() == (table_folder / "KBvK.h5").read_bytes()
