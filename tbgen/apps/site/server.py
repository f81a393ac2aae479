"""The server: an ASGI application that answers from tables, for uvicorn, granian or any other ASGI server.

granian --interface asgi --factory tbgen.apps.site.server:from_environment
"""

from __future__ import annotations

import gc
import os
import re
import sys
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

from anyio.to_thread import current_default_thread_limiter
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tbgen.apps.site.answers import error_facts
from tbgen.apps.site.guard import (
    CONNECTIONS,
    BusyError,
    as_json,
    connections_for,
    refusal,
    status_of,
)
from tbgen.apps.site.service import (
    CACHE_BYTES,
    EXPLORER,
    LOCAL_NAMES,
    ServerSettings,
    Service,
    SitePages,
)
from tbgen.errors import TbgenError, UsageError
from tbgen.storage.files import folders_in

FOLDERS: Final = "TBGEN_DATA"
SITE: Final = "TBGEN_SITE"
NAMES: Final = "TBGEN_NAMES"
CACHE: Final = "TBGEN_CACHE_MB"
FRAMES: Final = "TBGEN_FRAMES"

_RETRY: Final = {"Retry-After": "1"}
_STATUS_NAMES: Final[Mapping[int, str]] = {
    404: "NotFound", 405: "MethodNotAllowed", 413: "BodyTooLarge", 415: "UnknownMediaType",
}  # fmt: skip


def application(settings: ServerSettings) -> Starlette:
    """The application, with its tables open."""
    service = Service(settings)

    @asynccontextmanager
    async def until_the_end(app: Starlette) -> AsyncIterator[dict[str, int]]:
        current_default_thread_limiter().total_tokens = (
            settings.limits.at_once
        )  # for threads that read files
        with service.opened:
            yield {CONNECTIONS: connections_for(len(service.catalog))}

    return Starlette(
        routes=_routes(service, settings),
        middleware=[
            Middleware(guarded, names=settings.names, query_bytes=settings.limits.query_bytes)
        ],
        exception_handlers={
            TbgenError: _error,
            HTTPException: _http_error,
            BusyError: partial(_refuse, (503, "Busy", "too many requests wait; ask again", _RETRY)),
            TimeoutError: partial(
                _refuse, (503, "Late", "the answer takes too long; ask for less at once", _RETRY)
            ),
            # Nobody reads the answer to a client that has left; without it the log would show an error.
            ClientDisconnect: partial(
                _refuse, (400, "Left", "the client left before its body had come")
            ),
            Exception: partial(
                _refuse, (500, "InternalError", "the server failed; its log says why")
            ),
        },
        lifespan=until_the_end,
    )


def from_environment() -> Starlette:
    """The application as the environment describes it, for each worker of a server."""
    site, names = os.environ.get(SITE), os.environ.get(NAMES, "")
    megabytes = os.environ.get(CACHE) or str(CACHE_BYTES // 10**6)
    if not re.fullmatch("[0-9]+", megabytes):
        raise UsageError(f"{CACHE} must be a whole number of megabytes, not {megabytes!r}")
    made = application(
        ServerSettings(
            folders_in(os.environ.get(FOLDERS, "data")),
            (*LOCAL_NAMES, *names.split()),
            Path(site) if site else None,
            frames=bool(os.environ.get(FRAMES)),
            cache_bytes=int(megabytes) * 10**6,
        )
    )
    gc.freeze()  # modules and kernels stay: collecting them would take a tenth of an answer's time
    sys.setswitchinterval(0.0001)  # how long a working thread may block the event loop, each time
    return made


def _routes(service: Service, settings: ServerSettings) -> list[BaseRoute]:
    """The endpoints by path. Requests are compared with each in turn, so the most frequent of GET comes first."""
    site, to_explorer = settings.site, RedirectResponse(f"{EXPLORER}/")
    get: dict[str, Callable[..., Any]] = {
        **service.answers(),
        "/r-mobility/line": service.line,
        "/r-mobility/solved": service.solved,
        "/tables/{name}.json": service.table_facts,
        "/tables/{name}.h5": service.table,
        "/health": service.health,
        "/openapi.json": service.openapi,
        f"{EXPLORER}/plain": service.plain,
    }
    return [
        *(Route(path, endpoint, methods=["GET"]) for path, endpoint in get.items()),
        Route(
            f"{EXPLORER}/{{name:path}}",
            service.explorer_file,
            methods=["GET"],
            middleware=[Middleware(GZipMiddleware)],
        ),
        Route(EXPLORER, to_explorer, methods=["GET"]),
        Route("/r-mobility", service.positions, methods=["POST"]),
        Route("/adjudicate", service.adjudicate, methods=["POST"]),
        Mount("/", SitePages(directory=site, html=True))
        if site
        else Route("/", to_explorer, methods=["GET"]),
    ]


async def _error(request: Request, error: Any) -> Response:
    return as_json(error_facts(error), status=status_of(error))


async def _http_error(request: Request, error: Any) -> Response:
    status = error.status_code
    return refusal(status, _STATUS_NAMES.get(status, "BadRequest"), error.detail, error.headers)


async def _refuse(facts: tuple[Any, ...], request: Request, error: Exception) -> Response:
    """The same refusal for every error of a kind."""
    return refusal(*facts)


METHODS: Final = ("GET", "HEAD", "OPTIONS", "POST")

_HEADERS: Final = {"Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff"}
_PUBLIC_HEADERS: Final = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "Accept-Ranges, Content-Range, ETag, Retry-After",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
"""If the server has a name of its own, pages of any origin may ask it and read its answers."""
_PREFLIGHT: Final = {
    "Allow": ", ".join(METHODS),
    "Access-Control-Allow-Methods": ", ".join(METHODS),
    "Access-Control-Allow-Headers": "*",
    "Access-Control-Max-Age": "86400",
}
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::[0-9]+)?", re.IGNORECASE)


def guarded(app: ASGIApp, names: Collection[str], query_bytes: int) -> ASGIApp:
    """Passes a request on if it has a known host name, a known method and a query that is not too long.

    This prevents DNS rebinding: a foreign page could point its own name at its reader's machine.
    """
    known = frozenset(name.lower() for name in names)
    more_headers = _HEADERS if known <= set(LOCAL_NAMES) else _HEADERS | _PUBLIC_HEADERS

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in more_headers.items():
                    headers.setdefault(name, value)
            await send(message)

        reply = _reply_to(scope, known, query_bytes) if scope["type"] == "http" else None
        await (reply or app)(scope, receive, send_with_headers)

    return answer


def _reply_to(scope: Scope, names: Collection[str], query_bytes: int) -> ASGIApp | None:
    """The answer to a request that does not reach the application."""
    host = Headers(scope=scope).get("host", "")
    found = _HOST.fullmatch(host)
    if "*" not in names and (found is None or found[1].lower() not in names):
        return refusal(
            400, "UnknownHost", f"no server of the name {host[:100]!r} is here; --name gives it one"
        )
    if scope["method"] not in METHODS:
        return refusal(
            405, "MethodNotAllowed", f"ask by {', '.join(METHODS)}", {"Allow": ", ".join(METHODS)}
        )
    if len(scope["query_string"]) > query_bytes:
        return refusal(
            414, "QueryTooLong", f"a query may have {query_bytes} bytes; send more by POST"
        )
    return Response(status_code=204, headers=_PREFLIGHT) if scope["method"] == "OPTIONS" else None
