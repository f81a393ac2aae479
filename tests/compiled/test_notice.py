"""Who hears that kernels are being compiled, and when."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tbgen.compiled import jit
from tbgen.compiled.folders import PACKAGE, package_of
from tbgen.compiled.notice import PACKAGES, Notice, Stopwatch, give, heard_by

SOLVER = PACKAGES["retro"]
LONG = 1000.0
"""The seconds of a notice, far more than a test takes."""


class Clock:
    """A clock that stands until somebody moves it."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def compile_for(stopwatch: Stopwatch, clock: Clock, package: str, seconds: float) -> None:
    stopwatch.begin(package)
    clock.now += seconds
    stopwatch.end(package)


def test_a_notice_comes_once_compiling_has_taken_long() -> None:
    clock = Clock()
    given = list[Notice]()
    stopwatch = Stopwatch(LONG, clock, given.append)
    for _ in range(4):
        compile_for(stopwatch, clock, "retro", LONG / 4)
        compile_for(stopwatch, clock, "verify", LONG / 10)
    assert given == []
    compile_for(stopwatch, clock, "retro", 0)
    assert given == [SOLVER]
    compile_for(stopwatch, clock, "verify", 0)
    assert given == [SOLVER]


def test_functions_within_a_kernel_count_as_a_part_of_it() -> None:
    clock = Clock()
    given = list[Notice]()
    stopwatch = Stopwatch(LONG, clock, given.append)
    stopwatch.begin("retro")
    for _ in range(10):
        compile_for(stopwatch, clock, "index", LONG / 11)
    stopwatch.end("retro")
    compile_for(stopwatch, clock, "index", 0)
    compile_for(stopwatch, clock, "retro", LONG / 11)
    assert given == []
    compile_for(stopwatch, clock, "retro", 0)
    assert given == [SOLVER]


def test_every_package_with_kernels_has_a_notice() -> None:
    with_kernels = set[str]()
    for path in PACKAGE.rglob("*.py"):
        if "from tbgen.compiled.jit import" in path.read_text(encoding="utf-8"):
            name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
            with_kernels.add(package_of(name))
    assert with_kernels - {"compiled"} == set(PACKAGES)


FIRST_CALL = """
import chess
from tbgen.board.board import words_of
from tbgen.board.moves import code_on
from tbgen.compiled import notice

notice.stopwatch.notice_seconds = 0
with notice.heard_by(print):
    assert code_on(words_of(chess.Board())) == 41
"""


def test_a_kernel_that_is_loaded_needs_no_notice(tmp_path: Path) -> None:
    (tmp_path / "first_call.py").write_text(FIRST_CALL)
    environment = dict(os.environ)
    environment["TBGEN_CACHE"] = str(tmp_path / "kernels")
    environment["PYTHONPATH"] = str(Path(jit.__file__).parents[2])
    said = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, tmp_path / "first_call.py"],
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        )
        said.append(done.stdout)
    assert said == [f"{PACKAGES['board']}\n", ""]


def test_the_last_listener_hears() -> None:
    heard = list[Notice]()
    unheard = list[Notice]()
    notice = Notice("a test", 1)
    with heard_by(unheard.append), heard_by(heard.append):
        give(notice)
        give(notice)
    assert (heard, unheard) == ([notice], [])
