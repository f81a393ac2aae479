"""The routes that give files and pages: tables, their figures, the explorer, a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from tbgen.apps.pages.boards import in_words
from tbgen.apps.pages.export import INDEX, PREVIEW, RULES, SERVER, files, index_page
from tbgen.apps.pages.palette import signed
from tbgen.apps.pages.templates import static
from tbgen.apps.server.parameters import POSITION, position_in
from tbgen.apps.server.replies import (
    HTML,
    JSON,
    METRICS,
    PAGE_POLICY,
    SVG,
    TABLE,
    TEXT,
    as_json,
    tagged,
    unchanged,
)
from tbgen.apps.server.service import Service, service_of
from tbgen.errors import MaterialError, MissingTableError, TbgenError
from tbgen.library.catalog import Entry
from tbgen.material import Material
from tbgen.system import __version__

_DISTANCES: Final = ".dtg"
_KINDS: Final = {
    "html": HTML,
    "css": "text/css",
    "js": "text/javascript",
    "svg": SVG,
    "png": "image/png",
}
"""[suffix] -> the media type."""


async def catalog(request: Request) -> Response:
    """All tables, with their sizes and digests."""
    service = service_of(request)
    headers = tagged(service.catalog.tag)
    return unchanged(request, headers) or as_json(service.catalog.facts(), headers)


async def table_facts(request: Request) -> Response:
    """The figures of a table."""
    service = service_of(request)
    entry = _entry(service, request.path_params["name"])
    headers = tagged(entry.digest)

    if reply := unchanged(request, headers):
        return reply
    return as_json(await service.queue.run(entry.figures), headers)


async def table_file(request: Request) -> Response:
    """A file of a table, whole or in part."""
    file_name = request.path_params["name"]
    name = file_name.removesuffix(_DISTANCES)
    for file in _entry(service_of(request), name).files:
        if file.path.name == f"{file_name}.h5":
            headers = tagged(file.digest)
            return unchanged(request, headers) or FileResponse(
                file.path, headers=headers, media_type=TABLE
            )
    raise HTTPException(404, f"{name} has no distances here")


def _entry(service: Service, name: str) -> Entry:
    """The entry of a table by its name.

    The error for a name of no table does not suggest building it.
    """
    try:
        canonical = str(Material.parse(name).canonical())
    except MaterialError:
        raise HTTPException(
            404, f"{name[:50]!r} names no table; /tables has all that are here"
        ) from None
    if name != canonical:
        raise HTTPException(404, f"the table of {name} is named {canonical}")
    entry = service.catalog.entries.get(name)
    if entry is None:
        raise MissingTableError(name)
    # A replaced file has other bytes, which would have the old ETag.
    if not all(file.is_there() for file in entry.files):
        raise HTTPException(
            404, f"{name} has been replaced or removed; a restart finds what is there"
        )
    return entry


async def health(request: Request) -> Response:
    """The state of the server, and its limits."""
    service = service_of(request)
    facts = {
        "status": "ok",
        "version": __version__,
        "tables": len(service.catalog),
        "limits": asdict(service.limits),
    }
    return as_json(facts, {"Cache-Control": "no-store"})


async def metrics(request: Request) -> Response:
    """What all processes have counted, for Prometheus."""
    text = service_of(request).metrics.text()
    return Response(text, headers={"Cache-Control": "no-store"}, media_type=METRICS)


async def openapi(request: Request) -> Response:
    """The description for programs."""
    text = Path(__file__).with_name("openapi.json").read_text("utf-8")
    return Response(text.replace("VERSION", __version__), media_type=JSON)


async def explorer_file(request: Request) -> Response:
    """A file or a page of the explorer."""
    service = service_of(request)
    name = request.path_params["name"] or INDEX
    if name in (INDEX, RULES):
        content = await service.queue.run(partial(_explorer_page, service, name, request))
    elif name in files():
        content = files()[name]
    else:
        raise HTTPException(404)
    tag = sha256(content).hexdigest()[:32]
    headers = tagged(tag, {"Content-Security-Policy": PAGE_POLICY})
    # The answer is packed on its way, and says so itself; a 304 has to say it here.
    if reply := unchanged(request, {**headers, "Vary": "Accept-Encoding"}):
        return reply
    suffix = name.rpartition(".")[2]
    return Response(content, headers=headers, media_type=_KINDS.get(suffix, TEXT))


def _explorer_page(service: Service, name: str, request: Request) -> bytes:
    """A page, with links to the pages of a report, if there is one.

    Other sites show a link to it with a picture, and with the verdict of its position.
    """
    card = {"image": f"{request.base_url}explorer/{PREVIEW}"}
    card |= _verdict_on(service, request.query_params)
    tables = service.catalog.entries.values()
    return index_page(SERVER, tables, service.settings.site, name, **card).encode()


def _verdict_on(service: Service, given: Mapping[str, str]) -> dict[str, str]:
    """The title and the description of a position; empty without a position of a table."""
    try:
        board, accrued = position_in({key: given.get(key, "") for key in POSITION})
        outcome = service.tables.probe(board, accrued).outcome
    except TbgenError:
        return {}
    return {"title": f"{signed(outcome)}: {outcome.in_words()}", "description": in_words(board)}


async def served_links(request: Request) -> Response:
    """A script that links the pages of a report to the explorer of this server."""
    return Response(static("served.js"), media_type=_KINDS["js"])


class SitePages(StaticFiles):
    """A folder of pages. It never serves files whose names begin with a dot."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        for part in path.split("/"):
            if part.startswith(".") and part != ".":
                raise HTTPException(404)
        reply = await super().get_response(path, scope)
        reply.headers["Content-Security-Policy"] = PAGE_POLICY
        return reply
