from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from typing import Any

import pytest

from tbgen.errors import UsageError
from tbgen.system import pool
from tbgen.system.pool import WorkerKilledError, WorkerPool


def start() -> Callable[[int], int]:
    """The work of a process: it doubles numbers."""

    def double(piece: int) -> int:
        return 2 * piece

    return double


def numbers(most: int) -> Iterator[int]:
    yield from range(most)
    raise UsageError("there are no more")


def test_results_come_in_order_and_an_error_behind_them() -> None:
    found = list[int]()
    with closing(WorkerPool(2, start)) as workers:
        assert list(workers.results(range(20))) == list(range(0, 40, 2))
        with pytest.raises(UsageError, match="no more"):
            found.extend(workers.results(numbers(5)))
    assert found == [0, 2, 4, 6, 8]
    assert multiprocessing.active_children() == []


class Threads(ThreadPoolExecutor):
    """Workers of this process in the place of others."""

    def __init__(self, jobs: int, context: object, **given: Any) -> None:
        super().__init__(1, **given)


def test_workers_do_nothing_more_once_a_pool_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "ProcessPoolExecutor", Threads)
    monkeypatch.setattr(pool, "follow_parent", lambda: None)
    workers = WorkerPool(2, start)
    results = workers.results(range(20))
    assert next(results) == 0
    workers.close()
    assert pool._work_on(5) is None


def test_a_pool_that_closes_a_pipe_under_a_start_has_lost_a_worker(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def submit(*_: object) -> None:
        # The standard library says this of a pipe that is closed.
        raise ValueError("bad value(s) in fds_to_keep")

    monkeypatch.setattr(ProcessPoolExecutor, "submit", submit)
    with closing(WorkerPool(2, start)) as workers, pytest.raises(WorkerKilledError):
        list(workers.results(range(3)))
