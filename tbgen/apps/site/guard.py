"""The guard of a server on the open internet: limits of requests, deadlines for clients, and a calm log.

JSON, refusals and errors have one form everywhere. A queue limits the requests in work, and those that wait.

A connection is in one of four phases. Each phase has a deadline, and the server closes a connection that misses it. If
too many are open, it closes the one that has waited longest for its client. So a client that does its part gets an
answer, however many others do not.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import time
import traceback
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from threading import Thread
from typing import Any, Final, TypeVar

import h11
import uvicorn
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from uvicorn.config import LOGGING_CONFIG
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.supervisors import Multiprocess

from tbgen.errors import (
    AddressError,
    InputError,
    MissingDistancesError,
    MissingTableError,
    TbgenError,
    UsageError,
)
from tbgen.rules.facts import to_json
from tbgen.system.process import most_files
from tbgen.text import cleaned

T = TypeVar("T")

HTML = "text/html"
JSON = "application/json"
LINES = "application/x-ndjson"
PGN = "application/x-chess-pgn"
SVG = "image/svg+xml"
TABLE = "application/x-hdf5"
TEXT = "text/plain"
"""A foreign page may post this type without a preflight."""


def as_json(facts: object, headers: Mapping[str, str] | None = None, status: int = 200) -> Response:
    """An answer as JSON."""
    return Response(f"{to_json(facts)}\n", status, headers, JSON)


async def streamed(pieces: AsyncIterator[list[bytes]], kind: str) -> Response:
    """Objects as they are made, as a JSON array or one on each line; made ahead only as far as the client has room."""
    first: list[bytes] = await anext(pieces, [])  # any refusal comes before the answer begins
    begin, between, end = (
        (b"[", b",\n", b"]\n") if kind == JSON else (b"", b"\n", b"\n" if first else b"")
    )

    async def content() -> AsyncIterator[bytes]:
        yield begin + between.join(first)
        async for piece in pieces:
            yield between + between.join(piece)
        yield end

    return StreamingResponse(content(), media_type=kind)


def refusal(
    status: int, error: str, message: str, headers: Mapping[str, str] | None = None
) -> Response:
    """The refusal of a request, in the form of an error."""
    return as_json({"error": error, "message": message}, headers, status)


def status_of(error: TbgenError) -> int:
    """404 for a missing thing, 400 for an invalid request, else 500."""
    is_missing = isinstance(error, (MissingTableError, MissingDistancesError))
    return 404 if is_missing else 400 if isinstance(error, InputError) else 500


def unchanged(request: Request, headers: Mapping[str, str]) -> Response | None:
    """Status 304 for a client that already has the answer with these headers; None for all others."""
    known = request.headers.get("if-none-match", "")
    is_known = known.strip() == "*" or headers["ETag"] in [
        each.strip().removeprefix("W/") for each in known.split(",")
    ]
    return Response(status_code=304, headers=headers) if is_known else None


def tagged(etag: str, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The headers of an answer that does not change while its tag stays."""
    return {"ETag": etag, "Cache-Control": "public, max-age=0, must-revalidate", **(more or {})}


@dataclass(frozen=True)
class Limits:
    """Limits that the owner of a server may want to change. `/health` publishes them."""

    at_once: int = 2
    """Requests in work at the same time, in threads of one process."""
    waiting: int = 64
    """Requests that may wait for a thread; one more gets a refusal."""
    query_bytes: int = 4096
    body_bytes: int = 1 << 18
    positions: int = 1000
    """Positions in one body."""
    line_plies: int = 2000
    games: int = 500
    """Games in one body."""
    seconds: int = 10
    """The most seconds of work on one request."""


class BusyError(Exception):
    """The queue is full."""


class Deadline:
    """The end of the time for a request, of which long work asks again and again: a thread cannot be stopped."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def check(self) -> None:
        """Raise TimeoutError once the time is over."""
        if time.monotonic() > self._end:
            raise TimeoutError


_PIECE_SECONDS: Final = 0.1


class Queue:
    """Work that would block the event loop: some of it runs at once, some waits.

    Threads do not keep the process alive. A cancelled request stops waiting.
    """

    def __init__(self, limits: Limits) -> None:
        self._requests = asyncio.Semaphore(limits.at_once + limits.waiting)
        self._threads = asyncio.Semaphore(limits.at_once)

    async def run(self, work: Callable[[], T], *, goes_on: bool = False) -> T:
        """The result of `work`, called in a thread. BusyError if too many requests wait, unless the work `goes_on`."""
        if not goes_on and self._requests.locked():
            raise BusyError
        async with self._requests:
            await self._threads.acquire()
            done, loop = Future[T](), asyncio.get_running_loop()
            # The loop may be closed if the process is ending.
            done.add_done_callback(
                lambda _: loop.is_closed() or loop.call_soon_threadsafe(self._threads.release)
            )
            try:
                Thread(target=_carry_out, args=(work, done), daemon=True).start()
            except RuntimeError as error:  # the system allows no more threads
                self._threads.release()
                raise BusyError from error
            return await asyncio.wrap_future(done)

    async def pieces(self, items: Iterator[T]) -> AsyncIterator[list[T]]:
        """The items of an iterator, in pieces of a tenth of a second of work; none are made for a cancelled request."""
        piece = await self.run(partial(_piece, items))
        while piece:
            yield piece
            piece = await self.run(partial(_piece, items), goes_on=True)


def _carry_out(work: Callable[[], T], done: Future[T]) -> None:
    if done.set_running_or_notify_cancel():
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)


def _piece(items: Iterator[T]) -> list[T]:
    piece, end = list[T](), time.monotonic() + _PIECE_SECONDS
    for item in items:
        piece.append(item)
        if time.monotonic() > end:
            break
    return piece


CONNECTIONS: Final = "connections"
"""The key of the allowed number of connections in the state that the application shares with the server."""

_LEAST_CONNECTIONS, _MOST_CONNECTIONS = 8, 500
_ACCEPTED_AT_ONCE = 8
"""Connections that asyncio accepts before it looks at any of them: fewer than may be open."""
_WAITING_OUTSIDE = 1024
"""Connections that the system keeps until they are accepted."""
_IN_FLIGHT = 4 * _ACCEPTED_AT_ONCE
"""Descriptors of connections that are accepted and not yet counted, or closed and not yet freed."""
_QUIET_SECONDS = 10
_MOST_SAID = 300


DEADLINES: Final = {"head": 10.0, "body": 30.0, "work": 60.0, "sending": 20.0}
"""[phase] -> the seconds that a connection may wait: for the head of a request, from the start or from the last answer
on; for its body; for the application, which has shorter deadlines of its own; for the client, which has to read the
better part of its full buffer of 64 kB.
"""


class Connection(H11Protocol):
    """A connection that the server closes if its client is too slow, or the slowest when too many are open."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._application, self.app = self.app, self._answer
        self._answering: asyncio.Task[Any] | None = None
        self._begin("head")
        most = self.app_state.get(CONNECTIONS, _MOST_CONNECTIONS)
        if len(self.connections) > most:
            self._close_longest(most)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._look()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._look()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._deadline.cancel()
        if self._answering is not None:
            self._answering.cancel()

    def shutdown(self) -> None:
        """The server stops: it still sends answers, but waits for no more requests."""
        super().shutdown()
        if self._phase in ("head", "body"):
            self.transport.abort()

    def _look(self) -> None:
        """Find out what the connection waits for now, and set its deadline."""
        phase = {h11.IDLE: "head", h11.SEND_BODY: "body"}.get(self.conn.their_state, "work")
        if self.flow.write_paused or self.transport.is_closing():
            phase = "sending"
        if phase != self._phase:
            self._deadline.cancel()
            self._begin(phase)

    def _begin(self, phase: str) -> None:
        """The connection waits for this from now on."""
        self._phase, self._since = phase, self.loop.time()
        self._deadline = self.loop.call_later(DEADLINES[phase], self.transport.abort)

    def _close_longest(self, most: int) -> None:
        waiting = [
            each
            for each in self.connections
            if isinstance(each, Connection) and each._phase != "work"
        ]
        longest = min(waiting, key=lambda each: each._since)
        self.connections.discard(longest)
        longest.transport.abort()
        self.logger.warning(
            "%d connections are open, and no more may be: those that wait longest are closed", most
        )

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        """Let the application answer until the client has left."""
        self._answering = asyncio.current_task()
        with suppress(asyncio.CancelledError):  # the client has left, or the server stops
            await self._application(scope, receive, send)


def connections_for(tables: int) -> int:
    """The connections that a process may have beside so many open tables; UsageError if there are too few.

    Each connection may need a second descriptor, for a file that it receives.
    """
    descriptors = most_files()
    # Probes open two files of a table, and solved positions two more.
    taken = len(os.listdir("/dev/fd")) + 4 * tables + _IN_FLIGHT
    connections = min(_MOST_CONNECTIONS, (descriptors - descriptors // 8 - taken) // 2)
    if connections < _LEAST_CONNECTIONS:
        needed = (taken + 2 * _LEAST_CONNECTIONS) * 8 // 7 + 1
        raise UsageError(
            f"{descriptors} open files are too few for these tables; allow more: ulimit -n {needed}"
        )
    return connections


async def _keep_many_waiting(listening: socket.socket) -> None:
    """Let the system queue many connections: asyncio sets the queue to the number that it accepts at once."""
    listening.listen(_WAITING_OUTSIDE)


def calm() -> Callable[[logging.LogRecord], bool]:
    """A filter that limits a cause of log lines to one line in ten seconds; only the first has a traceback."""
    said = dict[object, tuple[float, int]]()

    def passes(record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        raised_at = str(traceback.extract_tb(error.__traceback__)[-1:]) if error else ""
        cause = (record.pathname, record.lineno, type(error), raised_at)
        last, unsaid = said.get(cause, (None, 0))
        now = time.monotonic()
        if last is not None and now - last < _QUIET_SECONDS:
            said[cause] = last, unsaid + 1
            return False
        said[cause] = now, 0
        text = cleaned(record.getMessage(), _MOST_SAID)
        if last is not None and error is not None:
            text, record.exc_info = f"{text}: {cleaned(repr(error), _MOST_SAID)}", None
        record.msg, record.args = (
            text + (f" ({unsaid} times more since the last line)" if unsaid else ""),
            (),
        )
        return True

    return passes


_HANDLERS: Final[dict[str, Any]] = LOGGING_CONFIG["handlers"]
_LOG: Final = {
    **LOGGING_CONFIG,
    "filters": {"calm": {"()": calm}},
    "handlers": {**_HANDLERS, "default": {**_HANDLERS["default"], "filters": ["calm"]}},
    "root": {"handlers": ["default"], "level": "WARNING"},
}
"""The log of uvicorn and of all others, through `calm`."""


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; AddressError if that is impossible."""
    try:
        (family, *_, address), *_ = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        unnamed = socket.create_server(address[:2], family=family, backlog=_WAITING_OUTSIDE)
    except (OSError, UnicodeError) as error:
        code = (
            error.errno
            if isinstance(error, OSError) and not isinstance(error, socket.gaierror)
            else None
        )
        raise AddressError(
            host, port, os.strerror(code) if code else "there is no such host"
        ) from None
    # asyncio sets TCP_NODELAY only on sockets that name their protocol. Without it, the body of an
    # answer on a kept connection waits 40 ms until the client has confirmed the head.
    return socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, unnamed.detach())


def config_for(app: Any, **more: Any) -> uvicorn.Config:
    """The settings with which uvicorn runs an application, or a factory by its name, under guard."""
    return uvicorn.Config(
        app,
        http=Connection,
        loop="asyncio",
        ws="none",
        backlog=_ACCEPTED_AT_ONCE,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        log_config=_LOG,
        log_level="warning",
        timeout_graceful_shutdown=3,  # the server ends within five seconds
        timeout_worker_healthcheck=120,  # of 64 workers on two cores, each loads for more than five seconds
        **more,
    )


def serve(factory: str, listening: socket.socket, workers: int) -> None:
    """Answer on a socket until a signal comes, in so many processes."""
    config = config_for(
        factory,
        factory=True,
        workers=workers,
        callback_notify=partial(_keep_many_waiting, listening),
    )
    server = uvicorn.Server(config)
    with suppress(KeyboardInterrupt):
        if workers == 1:
            server.run(sockets=[listening])
        else:
            Multiprocess(config, sockets=[listening]).run()
