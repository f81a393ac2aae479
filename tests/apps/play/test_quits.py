"""A player that quits while it compiles its search, as in the first run of an installation."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-m", "tbgen", "uci"]
QUITS = 40
COMPILED_SECONDS = 9.0
"""A first run has compiled its search after so much CPU time."""

# A thread that is in the midst of its work for ever, as one that compiles is for seconds. What the
# interpreter takes apart at its end says so.
LEFT_BEHIND = """
import os, sys, threading
from tbgen.apps.play.player import Player
from tbgen.cli import main

class Taken:
    def __del__(self, write=os.write):
        write(1, b"the interpreter is taken apart")

Player._load = lambda self: threading.Event().wait()
sys.modules["taken"] = Taken()
sys.argv = ["tbgen", "uci"]
main()
"""


def test_the_interpreter_is_not_taken_apart_under_a_thread_that_compiles() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", LEFT_BEHIND],
        input="position startpos\ngo depth 2\nquit\n",
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0
    assert "bestmove" in ended.stdout
    assert "taken apart" not in ended.stdout


def cpu_seconds(process: int) -> float:
    """What a process has taken, so that a busy machine quits at the same moments."""
    facts = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(facts[11]) + int(facts[12])) / os.sysconf("SC_CLK_TCK")


def quit_after(seconds: float, cache: Path) -> None:
    """Start a player that has compiled what a cache has, and quit it so long after its `go`."""
    place = os.environ | {"TBGEN_CACHE": str(cache), "TBGEN_DATA": str(cache)}
    pipe = subprocess.PIPE
    with subprocess.Popen(COMMAND, stdin=pipe, stdout=pipe, text=True, env=place) as player:
        assert player.stdin is not None
        assert player.stdout is not None
        print("uci\nposition startpos", file=player.stdin, flush=True)
        while player.stdout.readline() != "uciok\n":
            pass
        end = cpu_seconds(player.pid) + seconds
        print("go infinite", file=player.stdin, flush=True)
        while cpu_seconds(player.pid) < end:
            time.sleep(0.005)
        said, _ = player.communicate("quit\n")
    assert player.returncode == 0, f"quit after {seconds:.2f} CPU seconds"
    assert "bestmove" in said


needs_proc = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="only Linux says what a process has taken"
)


@needs_proc
def test_a_player_that_compiles_may_quit(tmp_path: Path) -> None:
    quit_after(1.0, tmp_path)


@needs_proc
@pytest.mark.slow
def test_a_first_run_may_quit_at_any_moment_and_leaves_a_sound_cache(tmp_path: Path) -> None:
    moments = random.Random(1)
    for number in range(QUITS):
        cache = tmp_path / str(number)
        quit_after(moments.uniform(0, COMPILED_SECONDS), cache)
        if number % 10 == 0:
            quit_after(COMPILED_SECONDS, cache)
        shutil.rmtree(cache)
