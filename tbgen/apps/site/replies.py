"""Replies: JSON, refusals and errors, each of one form everywhere; and the limits of what a request may take."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from threading import Thread
from typing import Final, TypeVar

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from tbgen.errors import InputError, MissingDistancesError, MissingTableError, TbgenError
from tbgen.rules.facts import to_json

T = TypeVar("T")

HTML = "text/html"
JSON = "application/json"
LINES = "application/x-ndjson"
PGN = "application/x-chess-pgn"
TABLE = "application/x-hdf5"
TEXT = "text/plain"
"""What a page elsewhere may post without asking first."""


def as_json(facts: object, headers: Mapping[str, str] | None = None, status: int = 200) -> Response:
    """An answer as JSON."""
    return Response(f"{to_json(facts)}\n", status, headers, JSON)


async def streamed(pieces: AsyncIterator[list[bytes]], kind: str) -> Response:
    """Objects as they are made, as a JSON array or a line each; only what the client has room for is made ahead."""
    first: list[bytes] = await anext(pieces, [])  # whatever refuses it all does so before the answer has begun
    begin, between, end = (b"[", b",\n", b"]\n") if kind == JSON else (b"", b"\n", b"\n" if first else b"")

    async def content() -> AsyncIterator[bytes]:
        yield begin + between.join(first)
        async for piece in pieces:
            yield between + between.join(piece)
        yield end

    return StreamingResponse(content(), media_type=kind)


def refusal(status: int, error: str, message: str, headers: Mapping[str, str] | None = None) -> Response:
    """A request that is not answered, in the form of an error."""
    return as_json({"error": error, "message": message}, headers, status)


def status_of(error: TbgenError) -> int:
    """404 for what is not there, 400 for what makes no sense, else 500."""
    is_missing = isinstance(error, (MissingTableError, MissingDistancesError))
    return 404 if is_missing else 400 if isinstance(error, InputError) else 500


def is_known(request: Request, etag: str) -> bool:
    """Whether the asker has the answer of this tag already."""
    known = request.headers.get("if-none-match", "")
    return known.strip() == "*" or etag in [each.strip().removeprefix("W/") for each in known.split(",")]


def tagged(etag: str, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The headers of an answer that stays as it is while its tag does."""
    return {"ETag": etag, "Cache-Control": "public, max-age=0, must-revalidate", **(more or {})}


@dataclass(frozen=True)
class Limits:
    """Figures that somebody who runs a server may want to change. They are published with `/health`."""

    at_once: int = 2
    """Requests that are worked on at the same time, in threads of one process."""
    waiting: int = 64
    """Requests that may wait for a thread; one more is refused."""
    query_bytes: int = 4096
    body_bytes: int = 1 << 18
    positions: int = 1000
    """Positions of one body."""
    line_plies: int = 2000
    games: int = 500
    """Games of one body."""
    seconds: int = 10
    """How long one request may be worked on."""


class BusyError(Exception):
    """The queue is full."""


_PIECE_SECONDS: Final = 0.1


class Queue:
    """Work that would hold up the event loop, some of it at once and some waiting.

    Threads do not keep the process from ending. A request that is cancelled waits no longer.
    """

    def __init__(self, limits: Limits) -> None:
        self._most, self._waiting = limits.waiting, 0
        self._threads = asyncio.Semaphore(limits.at_once)

    async def run(self, work: Callable[[], T]) -> T:
        """What `work` gives when a thread has called it; BusyError if too much waits already."""
        if self._threads.locked() and self._waiting >= self._most:
            raise BusyError
        return await self._run(work)

    async def pieces(self, items: Iterator[T]) -> AsyncIterator[list[T]]:
        """What an iterator makes, in pieces of a tenth of a second; nothing is made for a request that is cancelled."""
        piece = await self.run(partial(_piece, items))
        while piece:
            yield piece
            piece = await self._run(partial(_piece, items))

    async def _run(self, work: Callable[[], T]) -> T:
        self._waiting += 1
        try:
            await self._threads.acquire()
        finally:
            self._waiting -= 1
        done, loop = Future[T](), asyncio.get_running_loop()
        done.add_done_callback(lambda _: _tell(loop, self._threads.release))
        Thread(target=_carry_out, args=(work, done), daemon=True).start()
        return await asyncio.wrap_future(done)


def _tell(loop: asyncio.AbstractEventLoop, release: Callable[[], None]) -> None:
    with suppress(RuntimeError):  # the loop is closed: the process ends
        loop.call_soon_threadsafe(release)


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
