"""Count the CPU seconds of each test, and end a test that takes too many; a plugin of pytest.

CPU time and not the clock: a busy machine makes the suite slow, never red. The processes that a
test starts count, while they live as well as when they have ended.
"""

from __future__ import annotations

import faulthandler
import os
import resource
import sys
import threading
import time
from collections import Counter
from collections.abc import Generator

import psutil
import pytest

from tests.processes import children_of

LEAST_PROGRESS = 1 / 200
"""A test that uses less than this part of its limit, in as many seconds by the clock, has hung.

An idle browser uses less, and a test beside a hundred other processes more."""
LOOKS = 10
"""How often a process is looked at before its test has hung, at least."""
LISTED = 10
"""Tests that the summary names."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--limit",
        type=float,
        default=0,
        metavar="SECONDS",
        help="end a test that uses so many CPU seconds or hangs as long, and say what tests took",
    )


def finished_seconds() -> float:
    """The CPU seconds of this process, and of all that it has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def all_seconds() -> float:
    """The CPU seconds of this process and all that it has started."""
    seconds = finished_seconds()
    for process in psutil.Process().children(recursive=True):
        try:
            used = process.cpu_times()
        except psutil.Error:
            continue
        seconds += used.user + used.system + used.children_user + used.children_system
    return seconds


def used_seconds() -> float:
    """The CPU seconds so far, with those of children that live on, such as a browser."""
    if children_of(os.getpid()):
        return all_seconds()
    return finished_seconds()


class Watch:
    """A thread that ends this process when a test is over its limit.

    It counts its own looks and not seconds, so that a machine on which it seldom gets a turn ends
    nothing. It gets none while something keeps the interpreter's lock: a timer of `faulthandler`,
    which needs no lock, ends that.
    """

    def __init__(self, limit: float) -> None:
        self._limit = limit
        assert sys.__stderr__ is not None
        self._errors = os.dup(sys.__stderr__.fileno())
        self._test = ""
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Watch:
        if self._limit:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._limit:
            self._stopped.set()
            self._thread.join()
            faulthandler.cancel_dump_traceback_later()
        os.close(self._errors)

    def begin(self, test: str) -> None:
        self._test = test

    def _run(self) -> None:
        test = None
        at_beginning = 0.0
        at_progress = 0.0
        looks = 0
        pause = min(10, self._limit / LOOKS)
        while not self._stopped.wait(pause):
            faulthandler.dump_traceback_later(LOOKS * self._limit, exit=True, file=self._errors)
            used = all_seconds() - time.thread_time()
            looks += 1
            if test != self._test:
                test = self._test
                at_beginning = used
                looks = 0
            if abs(used - at_progress) > self._limit * LEAST_PROGRESS:
                at_progress = used
                looks = 0
            if used - at_beginning > self._limit:
                self._end(f"{test} used more than {self._limit:g} CPU seconds")
            if looks * pause > self._limit:
                self._end(f"{test} hung for {self._limit:g} seconds")

    def _end(self, reason: str) -> None:
        os.write(self._errors, f"\n{reason}\n".encode())
        faulthandler.dump_traceback(self._errors)
        for process in psutil.Process().children(recursive=True):
            process.kill()
        os._exit(1)


class Costs:
    """What each phase of each test took, for the summary."""

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._watch: Watch | None = None
        self._at_last_phase = 0.0
        self._seconds = Counter[str]()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        with Watch(self._limit if is_testing(session.config) else 0) as self._watch:
            return (yield)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        if self._watch is not None:
            self._watch.begin(nodeid)
        self._at_last_phase = used_seconds()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        used = used_seconds()
        # Those of a process that has been killed may be lost with it.
        report.cpu_seconds = max(0.0, used - self._at_last_phase)  # type: ignore[attr-defined]
        self._at_last_phase = used
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[report.nodeid] += getattr(report, "cpu_seconds", 0)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self._limit:
            return
        rooms = Counter[str]()
        for test, seconds in self._seconds.items():
            rooms[room_of(test)] += seconds
        terminalreporter.section(f"{rooms.total():.0f} CPU seconds")
        terminalreporter.line(
            ", ".join(f"{room} {seconds:.0f}" for room, seconds in rooms.most_common())
        )
        for test, seconds in self._seconds.most_common(LISTED):
            terminalreporter.line(f"{seconds:6.1f}  {test}")


def is_testing(config: pytest.Config) -> bool:
    """Whether this process runs tests itself, and does not only hear of those of its workers."""
    return hasattr(config, "workerinput") or not config.getoption("numprocesses", default=None)


def room_of(test: str) -> str:
    """The package that a test is about, `closures` of `tests/closures/test_ways.py`."""
    folders = test.partition("::")[0].split("/")[:-1]
    if folders[:1] == ["tbgen"]:
        return "doctests"
    if folders[:1] != ["tests"]:
        return "others"
    if folders == ["tests"]:
        return "top"
    if folders[1] == "apps":
        return "/".join(folders[1:3])
    return folders[1]


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Costs(config.getoption("--limit")))
