"""Figures to watch a server by, in the format that Prometheus reads.

Several processes of a server share a folder, and any of them tells the figures of all.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Final

import psutil
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SHARED: Final = "PROMETHEUS_MULTIPROC_DIR"
"""The variable of the environment with the folder in which processes count together.

prometheus_client reads it when it is imported.
"""
_BUCKETS: Final = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
"""Seconds: a value takes less than the first, and no request may take more than the last."""
_FAILED: Final = 500
_LEFT: Final = 0
"""In place of a status: the client left before its answer began."""


class Metrics:
    """What a process counts, and how all processes of a server tell it together."""

    def __init__(self, tables: int) -> None:
        self._shared = os.environ.get(SHARED)
        if self._shared is not None:
            forget_the_dead(Path(self._shared))
        self._registry = CollectorRegistry()
        if self._shared is None:
            ProcessCollector(registry=self._registry)
        self._requests = Counter(
            "tbgen_requests",
            "Requests by route and status; status 0 if the client left before its answer.",
            ["route", "status"],
            registry=self._registry,
        )
        self._seconds = Histogram(
            "tbgen_request_seconds",
            "Seconds from a request to the end of its answer.",
            ["route"],
            registry=self._registry,
            buckets=_BUCKETS,
        )
        self.in_progress = Gauge(
            "tbgen_requests_in_progress",
            "Requests whose answers are not complete.",
            registry=self._registry,
            multiprocess_mode="livesum",
        )
        catalog = Gauge(
            "tbgen_tables",
            "Tables in the catalog.",
            registry=self._registry,
            multiprocess_mode="livemax",
        )
        catalog.set(tables)
        self._children: dict[tuple[str, int], tuple[Counter, Histogram]] = {}

    def note(self, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        key = (route, status)
        if key not in self._children:  # finding them by their labels takes longer than counting
            self._children[key] = (self._requests.labels(*key), self._seconds.labels(route))
        requests, durations = self._children[key]
        requests.inc()
        durations.observe(seconds)

    def text(self) -> bytes:
        """All figures, as Prometheus reads them: those of all processes that share a folder."""
        registry = self._registry
        if self._shared is not None:
            registry = CollectorRegistry()
            MultiProcessCollector(registry, self._shared)
        return generate_latest(registry)


def forget_the_dead(shared: Path) -> None:
    """Forget what processes were doing when they were killed; what they had counted stays."""
    for path in shared.glob("gauge_live*_*.db"):
        process = int(path.stem.rpartition("_")[2])
        if not psutil.pid_exists(process):
            mark_process_dead(process, str(shared))


def counted(app: ASGIApp, metrics: Metrics) -> ASGIApp:
    """The application, with its requests counted."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        status = _LEFT
        begun = time.perf_counter()

        async def send_and_look(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            with metrics.in_progress.track_inprogress():
                await app(scope, receive, send_and_look)
        except Exception:
            status = _FAILED
            raise
        finally:
            metrics.note(_route_of(scope), status, time.perf_counter() - begun)

    return answer


def _route_of(scope: Scope) -> str:
    """The name of the function that has answered; `other` for pages and refusals."""
    return getattr(scope.get("endpoint"), "__name__", "other")
