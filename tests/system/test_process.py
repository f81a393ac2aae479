from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tbgen.system.process import forget_peak, peak_bytes
from tests.processes import have_ended, is_running


def test_a_peak_belongs_to_what_was_done_since_it_was_forgotten() -> None:
    big = np.ones(80 << 20, np.uint8)
    high = peak_bytes()
    assert high > big.nbytes
    del big
    forget_peak()  # a large process may have had room for it that was free, and keeps it
    assert peak_bytes() < high - (60 << 20)


@pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="only Linux says how much memory there is now"
)
def test_memory_that_was_freed_is_given_back() -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    kept = []
    for _ in range(4000):  # what stays between them holds on to the whole heap
        freed = np.ones(60_000, np.uint8)
        kept.append(np.ones(100, np.uint8))
        kept.append(freed)
    before = resident()
    del kept[1::2], freed
    forget_peak()
    assert before - resident() > 100_000_000


def test_a_group_ends_with_the_process_that_is_killed_unless_it_was_over_before(
    tmp_path: Path,
) -> None:
    program = (
        "import subprocess, sys, time\n"
        "from concurrent.futures import Future\n"
        "from tbgen.system.process import end_with_us\n"
        "sleep = [sys.executable, '-c', 'import time; time.sleep(60)']\n"
        "groups = [subprocess.Popen(sleep, process_group=0) for _ in range(2)]\n"
        "ended = [Future() for _ in groups]\n"
        "for group, end in zip(groups, ended): end_with_us(group.pid, end)\n"
        "ended[1].set_result(None)\n"
        "print(*[group.pid for group in groups], flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        watched, over = map(int, parent.stdout.readline().split())
        parent.kill()
    try:
        assert have_ended([watched])
        assert is_running(over)
    finally:
        os.kill(over, signal.SIGKILL)
