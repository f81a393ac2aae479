"""The application: an ASGI program, for uvicorn, granian or any other server of such.

granian --interface asgi --factory tbgen.apps.site.server.app:from_environment
"""

from __future__ import annotations

import gc
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from tbgen.apps.site.server.guard import LOCAL_NAMES, Guard
from tbgen.apps.site.server.limits import BusyError
from tbgen.apps.site.server.pages import EXPLORER, SitePages, explorer_file
from tbgen.apps.site.server.replies import error_reply, refusal
from tbgen.apps.site.server.service import CACHE_BYTES, Service, Settings
from tbgen.errors import TbgenError, UsageError
from tbgen.storage.folders import folders_in

FOLDERS: Final = "TBGEN_DATA"
SITE: Final = "TBGEN_SITE"
NAMES: Final = "TBGEN_NAMES"
CACHE: Final = "TBGEN_CACHE_MB"

_RETRY_SECONDS: Final = 1
_STATUS_NAMES: Final[Mapping[int, str]] = {
    404: "NotFound", 405: "MethodNotAllowed", 413: "BodyTooLarge", 415: "UnknownMediaType",
}  # fmt: skip


def application(settings: Settings) -> Starlette:
    """The application, with its tables open."""
    service = Service(settings)

    @asynccontextmanager
    async def until_the_end(app: Starlette) -> AsyncIterator[None]:
        yield
        service.tables.close()

    made = Starlette(
        routes=_routes(service, settings.site),
        middleware=[Middleware(Guard, names=settings.names, query_bytes=settings.limits.query_bytes)],
        exception_handlers={
            TbgenError: _error,
            HTTPException: _http_error,
            BusyError: _busy,
            Exception: _failure,
        },
        lifespan=until_the_end,
    )
    made.state.has_report = settings.site is not None and (settings.site / "material").is_dir()
    return made


def from_environment() -> Starlette:
    """The application that the environment describes, as each worker of a server makes it."""
    site, names = os.environ.get(SITE), os.environ.get(NAMES, "")
    made = application(
        Settings(
            folders_in(os.environ.get(FOLDERS, "data")),
            (*LOCAL_NAMES, *names.split()),
            Path(site) if site else None,
            cache_bytes=_cache_bytes(os.environ.get(CACHE, "")),
        )
    )
    gc.freeze()  # modules and kernels stay: going through them for garbage took a tenth of the time of an answer
    return made


def _cache_bytes(megabytes: str) -> int:
    if not megabytes:
        return CACHE_BYTES
    if not (megabytes.isascii() and megabytes.isdigit()):
        raise UsageError(f"{CACHE} must be a whole number of megabytes, not {megabytes!r}")
    return int(megabytes) * 10**6


def _routes(service: Service, site: Path | None) -> list[BaseRoute]:
    get = {
        "/r-mobility/line": service.line,
        "/standard": service.standard,
        "/tables": service.list,
        "/tables/tables.json": service.list,
        "/tables/{name}.json": service.table_facts,
        "/tables/{name}.h5": service.table,
        "/health": service.health,
        "/openapi.json": service.openapi,
        f"{EXPLORER}/plain": service.plain,
        f"{EXPLORER}/{{name:path}}": explorer_file,
    }
    # What is asked most often comes first: a request is compared with one route after the other.
    routes: list[BaseRoute] = [Route("/r-mobility", _position_or_positions(service), methods=["GET", "POST"])]
    routes.extend(Route(path, endpoint, methods=["GET"]) for path, endpoint in get.items())
    routes.append(Route(EXPLORER, lambda request: RedirectResponse(f"{EXPLORER}/"), methods=["GET"]))
    routes.append(Route("/adjudicate", service.adjudicate, methods=["POST"]))
    if site is None:
        return [*routes, Route("/", lambda request: RedirectResponse(f"{EXPLORER}/"), methods=["GET"])]
    return [*routes, Mount("/", SitePages(directory=site, html=True))]


def _position_or_positions(service: Service) -> Callable[[Request], Any]:
    async def answer(request: Request) -> Response:
        return await (service.positions if request.method == "POST" else service.position)(request)

    return answer


async def _error(request: Request, error: Exception) -> Response:
    assert isinstance(error, TbgenError)
    return error_reply(error)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    name = _STATUS_NAMES.get(error.status_code, "BadRequest")
    return refusal(error.status_code, name, error.detail, error.headers)


async def _busy(request: Request, error: Exception) -> Response:
    return refusal(503, "Busy", "too many requests wait; ask again", {"Retry-After": str(_RETRY_SECONDS)})


async def _failure(request: Request, error: Exception) -> Response:
    return refusal(500, "InternalError", "the server failed; its log says why")
