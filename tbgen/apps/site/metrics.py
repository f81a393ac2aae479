"""Figures to watch a server by, in the format that Prometheus reads, of one process."""

from __future__ import annotations

import time
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tbgen.apps.site.queue import Queue

_BUCKETS: Final = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
"""Seconds: a value takes less than the first, and no request may take more than the last."""
_FAILED: Final = 500
_LEFT: Final = 0
"""In place of a status: the client left before its answer began."""


class Metrics:
    """What a process counts, with the state of its queue."""

    def __init__(self, queue: Queue, tables: int) -> None:
        self._registry = CollectorRegistry()
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
        working = Gauge(
            "tbgen_threads_working", "Threads that work on a request.", registry=self._registry
        )
        working.set_function(lambda: queue.working)
        waiting = Gauge(
            "tbgen_requests_waiting", "Requests that wait for a thread.", registry=self._registry
        )
        waiting.set_function(lambda: queue.waiting)
        catalog = Gauge("tbgen_tables", "Tables in the catalog.", registry=self._registry)
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
        """All figures, as Prometheus reads them."""
        return generate_latest(self._registry)


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
