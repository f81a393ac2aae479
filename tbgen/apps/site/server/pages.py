"""Pages: the explorer's files, and a folder of pages beside it, with what a browser is to let them do."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from tbgen.apps.site.explorer.files import INDEX, SERVER, files, index_page
from tbgen.apps.site.server.replies import is_known, tagged

EXPLORER: Final = "/explorer"
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)

_KINDS: Final = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


@dataclass(frozen=True)
class _Page:
    """A file of the explorer, as it is and packed."""

    plain: bytes
    packed: bytes
    etag: str
    kind: str


@cache
def _pages(report: str) -> dict[str, _Page]:
    found = {**files(), INDEX: index_page(SERVER, report).encode()}
    return {name: _page(name, content) for name, content in found.items()}


def _page(name: str, content: bytes) -> _Page:
    etag = f'"{sha256(content).hexdigest()[:32]}"'
    return _Page(content, gzip.compress(content, mtime=0), etag, _KINDS.get(name.rpartition(".")[2], "text/plain"))


async def explorer_file(request: Request) -> Response:
    """A file of the explorer."""
    page = _pages("../" if request.app.state.has_report else "").get(request.path_params["name"] or INDEX)
    if page is None:
        raise HTTPException(404)
    headers = tagged(page.etag, {"Vary": "Accept-Encoding", "Content-Security-Policy": POLICY})
    if is_known(request, page.etag):
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(page.packed, headers={**headers, "Content-Encoding": "gzip"}, media_type=page.kind)
    return Response(page.plain, headers=headers, media_type=page.kind)


class SitePages(StaticFiles):
    """A folder of pages."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        reply = await super().get_response(path, scope)
        reply.headers["Content-Security-Policy"] = POLICY
        return reply
