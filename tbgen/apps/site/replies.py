"""Replies: JSON, refusals and errors, each of one form everywhere; and the limits of what a request may take."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import TypeVar

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.responses import Response

from tbgen.apps.site.answers import error_facts
from tbgen.errors import InputError, MissingDistancesError, MissingTableError, TbgenError

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
    return Response(json.dumps(facts) + "\n", status, headers, JSON)


def refusal(status: int, error: str, message: str, headers: Mapping[str, str] | None = None) -> Response:
    """A request that is not answered, in the form of an error."""
    return as_json({"error": error, "message": message}, headers, status)


def error_reply(error: TbgenError) -> Response:
    """An error of the program: 404 for what is not there, 400 for what makes no sense, else 500."""
    return as_json(error_facts(error), status=status_of(error))


def status_of(error: TbgenError) -> int:
    is_missing = isinstance(error, (MissingTableError, MissingDistancesError))
    return 404 if is_missing else 400 if isinstance(error, InputError) else 500


def is_known(request: Request, etag: str) -> bool:
    """Whether the asker has the answer of this tag already."""
    known = request.headers.get("if-none-match", "")
    return known.strip() == "*" or etag in [each.strip().removeprefix("W/") for each in known.split(",")]


def tagged(etag: str, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The headers of an answer that stays as it is while its tag does."""
    return {"ETag": etag, "Cache-Control": "public, max-age=0, must-revalidate", **(more or {})}


def wants(accept: str, offered: str, other: str) -> bool:
    """Whether an Accept header prefers `offered` to `other`, which it gets if it does not care.

    >>> wants("application/x-chess-pgn", PGN, JSON), wants("*/*", PGN, JSON)
    (True, False)
    """
    return _weight(accept, offered) > _weight(accept, other)


def _weight(accept: str, kind: str) -> float:
    """How much an Accept header likes a media type: by the most exact of its ranges."""
    ranges = (kind, f"{kind.partition('/')[0]}/*", "*/*")
    weights: dict[str, float] = {}
    for part in (accept or "*/*").split(","):
        name, *settings = (word.strip().lower() for word in part.split(";"))
        weights[name] = next((_number(each[2:]) for each in settings if each.startswith("q=")), 1.0)
    return next((weights[each] for each in ranges if each in weights), 0.0)


def _number(text: str) -> float:
    try:
        return min(1.0, max(0.0, float(text)))
    except ValueError:
        return 0.0


@dataclass(frozen=True)
class Limits:
    """Figures that somebody who runs a server may want to change. They are published with `/health`."""

    at_once: int = 4
    """Requests that are worked on at the same time, in threads of one process."""
    waiting: int = 64
    """Requests that may wait for a thread; one more is refused."""
    query_bytes: int = 4096
    body_bytes: int = 1 << 20
    positions: int = 1000
    """Lines of one body."""
    line_plies: int = 2000
    games_bytes: int = 1 << 18
    games_seconds: int = 10

    def facts(self) -> dict[str, int]:
        return asdict(self)


class BusyError(Exception):
    """The queue is full."""


class Queue:
    """Work that would hold up the event loop, some of it at once and some waiting."""

    def __init__(self, limits: Limits) -> None:
        self._most = limits.at_once + limits.waiting
        self._inside = 0
        self._threads = anyio.CapacityLimiter(limits.at_once)

    async def run(self, work: Callable[[], T], *, light: bool = False) -> T:
        """What `work` gives; BusyError if too many wait already.

        It is called in a thread, unless it is light: then handing it to a thread would take longer than itself.
        """
        if self._inside >= self._most:
            raise BusyError
        if light:
            return work()
        self._inside += 1
        try:
            return await anyio.to_thread.run_sync(work, limiter=self._threads)
        finally:
            self._inside -= 1
