"""The names under which a server answers, and the headers of all its answers.

A foreign page could point a name of its own at its reader's machine, and read there as if it were
its own server (DNS rebinding). So the server answers only under names that it knows. An address
cannot be pointed elsewhere: the server also answers under the address at which the client has
reached it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tbgen.apps.server.addresses import in_url
from tbgen.apps.server.replies import HTML, as_page, refusal, unknown_host_page

LOCAL_NAMES: Final = ("127.0.0.1", "localhost", "[::1]")
ANY_NAME: Final = "*"

HEADERS: Final = {"Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff"}
_HOST: Final = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::[0-9]+)?", re.IGNORECASE)
_MOST_QUOTED: Final = 100


def guards(names: Collection[str]) -> list[Middleware]:
    """What stands before an application that answers under some names.

    If one of them is more than this machine's own, pages of any origin may ask and read.
    """
    known = frozenset(name.lower() for name in names)
    guard = Middleware(guarded, names=known)
    if known <= set(LOCAL_NAMES):
        return [guard]
    open_to_all = Middleware(
        CORSMiddleware,
        allow_origins=["*"],
        allow_methods=["GET", "HEAD", "OPTIONS", "POST"],
        allow_headers=["*"],
        expose_headers=["Accept-Ranges", "Content-Range", "ETag", "Retry-After"],
        max_age=86400,
    )
    return [guard, open_to_all]


def guarded(app: ASGIApp, names: Collection[str]) -> ASGIApp:
    """The application, for requests to a known name, with the headers of all answers."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                sent = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    sent.setdefault(name, value)
            await send(message)

        asked = app
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            host = headers.get("host", "")
            if not _is_known(host, scope, names):
                asked = _unknown_host(host, headers.get("accept", ""))
        await asked(scope, receive, send_with_headers)

    return answer


def _unknown_host(host: str, accepted: str) -> Response:
    """The refusal of a name: a page for a browser, else an error."""
    quoted = host[:_MOST_QUOTED]
    if HTML in accepted:
        parts = _HOST.fullmatch(quoted)
        name = parts[1] if parts else None
        return as_page(unknown_host_page(quoted, name), 400, {"Vary": "Accept"})
    return refusal(
        400, "UnknownHost", f"no server of the name {quoted!r} is here; --name gives it one"
    )


def _is_known(host: str, scope: Scope, names: Collection[str]) -> bool:
    """Whether a server of these names answers a request to such a host."""
    if ANY_NAME in names:
        return True
    parts = _HOST.fullmatch(host)
    if parts is None:
        return False
    name = parts[1].lower()
    return name in names or name == _reached_address(scope)


def _reached_address(scope: Scope) -> str | None:
    """The address of this machine at which the client has reached it, as URLs write it."""
    server = scope.get("server")
    if server is None:
        return None
    address = str(server[0]).partition("%")[0]
    return in_url(address)
