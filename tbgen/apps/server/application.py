"""The server: an ASGI application that answers from tables."""

from __future__ import annotations

import gc
import os
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Match, Mount, Route

from tbgen.apps.pages.export import SERVED_LINKS
from tbgen.apps.server import files, questions
from tbgen.apps.server.answers import error_facts
from tbgen.apps.server.deadline import in_time, late
from tbgen.apps.server.metrics import counted
from tbgen.apps.server.names import HEADERS, LOCAL_NAMES, guards
from tbgen.apps.server.queue import BusyError
from tbgen.apps.server.replies import (
    HTML,
    RETRY,
    as_json,
    as_page,
    missing_page,
    refusal,
    status_of,
)
from tbgen.apps.server.service import CACHE_BYTES, ServerSettings, Service
from tbgen.errors import TbgenError, UsageError
from tbgen.storage.files import check_folders, folders_in

FOLDERS: Final = "TBGEN_DATA"
SITE: Final = "TBGEN_SITE"
NAMES: Final = "TBGEN_NAMES"
CACHE: Final = "TBGEN_CACHE_MB"

EXPLORER: Final = "/explorer"

_SWITCH_SECONDS: Final = 0.0001
"""How long a working thread may hold up the event loop, each time."""
_STATUS_NAMES: Final = {
    404: "NotFound",
    405: "MethodNotAllowed",
    413: "BodyTooLarge",
    414: "QueryTooLong",
    415: "UnknownMediaType",
}


def application(settings: ServerSettings) -> Starlette:
    """The application, with its tables open."""
    service = Service(settings)

    @asynccontextmanager
    async def until_the_end(app: Starlette) -> AsyncIterator[None]:
        with service.opened:
            yield

    app = Starlette(
        routes=_routes(settings),
        middleware=[
            Middleware(counted, metrics=service.metrics),
            Middleware(in_time, seconds=settings.limits.silence),
            *guards(settings.names),
        ],
        exception_handlers={
            TbgenError: _error,
            HTTPException: _http_error,
            BusyError: _busy,
            TimeoutError: _late,
            ClientDisconnect: _left,
            Exception: _failed,
        },
        lifespan=until_the_end,
    )
    app.state.service = service
    return app


def from_environment() -> Starlette:
    """The application as the environment describes it, for each worker of a server."""
    named = os.environ.get(FOLDERS)
    folders = folders_in(named or "data")
    if named:
        check_folders(folders)
    site = os.environ.get(SITE)
    more_names = os.environ.get(NAMES, "").split()
    app = application(
        ServerSettings(
            folders,
            (*LOCAL_NAMES, *more_names),
            Path(site) if site else None,
            cache_bytes=_cache_bytes(),
        )
    )
    # Modules and kernels stay: collecting them would take a tenth of an answer's time.
    gc.freeze()
    sys.setswitchinterval(_SWITCH_SECONDS)
    return app


def _cache_bytes() -> int:
    megabytes = os.environ.get(CACHE)
    if not megabytes:
        return CACHE_BYTES
    if not re.fullmatch("[0-9]+", megabytes):
        raise UsageError(f"{CACHE} must be a whole number of megabytes, not {megabytes!r}")
    return int(megabytes) * 10**6


def _routes(settings: ServerSettings) -> list[BaseRoute]:
    """The endpoints by path.

    Requests are compared with each in turn, so the most frequent comes first.
    """
    to_explorer = RedirectResponse(f"{EXPLORER}/")
    if settings.site is None:
        pages: list[BaseRoute] = [Route("/", to_explorer, methods=["GET"])]
    else:
        pages = [
            Route(f"/{SERVED_LINKS}", files.served_links, methods=["GET"]),
            Mount("/", files.SitePages(directory=settings.site, html=True)),
        ]
    packed = [Middleware(GZipMiddleware)]
    return [
        Route("/r-mobility", questions.position, methods=["GET"]),
        Route("/r-mobility", questions.positions, methods=["POST"]),
        Route("/r-mobility/line", questions.line, methods=["GET"]),
        Route("/r-mobility/solved", questions.solved, methods=["GET"]),
        Route("/adjudicate", questions.adjudicate, methods=["POST"]),
        Route("/tables", files.catalog, methods=["GET"]),
        Route("/tables/tables.json", files.catalog, methods=["GET"]),
        Route("/tables/{name}.json", files.table_facts, methods=["GET"]),
        Route("/tables/{name}.h5", files.table_file, methods=["GET"]),
        Route("/health", files.health, methods=["GET"]),
        Route("/metrics", files.metrics, methods=["GET"]),
        Route("/openapi.json", files.openapi, methods=["GET"]),
        Route(f"{EXPLORER}/{{name:path}}", files.explorer_file, methods=["GET"], middleware=packed),
        Route(EXPLORER, to_explorer, methods=["GET"]),
        *pages,
    ]


# Answers to requests that fail.


async def _error(request: Request, error: Any) -> Response:
    return as_json(error_facts(error), status=status_of(error))


async def _http_error(request: Request, error: Any) -> Response:
    status = error.status_code
    if status == 404 and HTML in request.headers.get("accept", ""):
        return as_page(missing_page(), status, {"Vary": "Accept"})
    detail = error.detail
    if status == 404 and detail == HTTPStatus.NOT_FOUND.phrase:  # Starlette has found no route
        detail = "nothing is at this address; /openapi.json lists what can be asked"
    headers = error.headers
    if status == 405:
        methods = _methods_at(request)
        detail = f"ask by {methods}"
        headers = {"Allow": methods}
    return refusal(status, _STATUS_NAMES.get(status, "BadRequest"), detail, headers)


def _methods_at(request: Request) -> str:
    """The methods of all routes of a path; Starlette names those of the first alone."""
    methods = set[str]()
    for route in request.app.routes:
        if isinstance(route, Route) and route.matches(request.scope)[0] is not Match.NONE:
            methods |= route.methods or set()
    return ", ".join(sorted(methods))


async def _busy(request: Request, error: Exception) -> Response:
    return refusal(503, "Busy", "too many requests wait; ask again", RETRY)


async def _late(request: Request, error: Exception) -> Response:
    return late()


async def _left(request: Request, error: Exception) -> Response:
    """Nobody reads this answer. Without it, the log would show an error."""
    return refusal(400, "Left", "the client left before its body had come")


async def _failed(request: Request, error: Exception) -> Response:
    return refusal(500, "InternalError", "the server failed; its log says why", HEADERS)
