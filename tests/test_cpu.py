"""The limit of a test: CPU time, and never the clock."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project import ROOT

LIMIT = 1
BURNING_CHILD = """
import subprocess, sys

def test_waits_for_a_child():
    subprocess.run([sys.executable, "-c", "while True: pass"])
"""
BURNING = """
def test_works():
    while True:
        pass
"""
SILENT = """
import threading

def test_hangs():
    threading.Event().wait()
"""
SLOW = """
import time

def test_works_on_a_busy_machine():
    for _ in range(12):
        time.sleep(0.2)
        end = time.process_time() + 0.02
        while time.process_time() < end:
            pass
"""
SHARING = """
import subprocess, sys
import pytest

WORK = "import time\\nwhile time.process_time() < {}: pass\\nprint(flush=True)\\n"

@pytest.fixture(scope="module")
def child():
    script = "".join("input()\\n" + WORK.format(end) for end in (0.5, 1)) + "input()"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", script], stdin=pipe, stdout=pipe) as process:
        yield process
        process.kill()

@pytest.mark.parametrize("turn", [1, 2])
def test_asks_a_child(child, turn):
    child.stdin.write(b"\\n")
    child.stdin.flush()
    child.stdout.readline()
"""


def tried(folder: Path, test: str, *words: str) -> subprocess.CompletedProcess[str]:
    """A run of pytest over one test, with the plugin."""
    file = folder / "test_it.py"
    file.write_text(test)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "tests.cpu",
        f"--limit={LIMIT}",
        *words,
        str(file),
    ]
    environment = {name: text for name, text in os.environ.items() if "PYTEST" not in name}
    environment["PYTHONPATH"] = str(ROOT)
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # that of hypothesis takes a second
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("test", "said"),
    [
        pytest.param(BURNING, "test_works used more than 1 CPU seconds", id="works"),
        pytest.param(BURNING_CHILD, "a_child used more than 1 CPU seconds", id="a child works"),
        pytest.param(SILENT, "test_hangs hung for 1 seconds", id="hangs"),
    ],
)
def test_a_test_over_its_limit_is_ended_and_shown(tmp_path: Path, test: str, said: str) -> None:
    done = tried(tmp_path, test)
    assert done.returncode == 1
    assert said in done.stderr
    assert "in test_" in done.stderr, "the stack says where"


def test_a_worker_that_is_ended_is_a_failed_test(tmp_path: Path) -> None:
    done = tried(tmp_path, BURNING, "-p", "xdist", "-n", "1", "--max-worker-restart", "0")
    assert done.returncode == 1
    assert "test_works used more than 1 CPU seconds" in done.stderr
    assert "crashed while running 'test_it.py::test_works'" in done.stdout


def test_a_slow_machine_ends_no_test(tmp_path: Path) -> None:
    """The clock shows more than twice the limit, the CPU a quarter of it."""
    done = tried(tmp_path, SLOW, "-p", "xdist", "-n", "1")
    assert done.returncode == 0, done.stderr
    assert "CPU seconds ===" in done.stdout
    assert " test_it.py::test_works_on_a_busy_machine\n" in done.stdout


def test_living_children_are_counted_once(tmp_path: Path) -> None:
    """Tests that share a browser are charged for it one by one."""
    done = tried(tmp_path, SHARING, "--limit", "60")
    assert done.returncode == 0, done.stdout
    charged = re.findall(r"([\d.]+)  test_it.py::test_asks_a_child\[\d\]", done.stdout)
    assert len(charged) == 2
    assert all(0.3 <= float(seconds) < 0.9 for seconds in charged), charged
