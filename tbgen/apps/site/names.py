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
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tbgen.apps.site.addresses import in_url
from tbgen.apps.site.plain import unknown_host_page
from tbgen.apps.site.replies import HTML, as_page, refusal

LOCAL_NAMES: Final = ("127.0.0.1", "localhost", "[::1]")
ANY_NAME: Final = "*"
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
_HOST: Final = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::[0-9]+)?", re.IGNORECASE)
_MOST_QUOTED: Final = 100


def guarded(app: ASGIApp, names: Collection[str], query_bytes: int) -> ASGIApp:
    """The application, for requests with a known name and method, and a query of some length."""
    known = frozenset(name.lower() for name in names)
    headers = dict(_HEADERS)
    if not known <= set(LOCAL_NAMES):
        headers.update(_PUBLIC_HEADERS)

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                sent = MutableHeaders(scope=message)
                for name, value in headers.items():
                    sent.setdefault(name, value)
            await send(message)

        reply = None
        if scope["type"] == "http":
            reply = _reply_without_application(scope, known, query_bytes)
        await (reply or app)(scope, receive, send_with_headers)

    return answer


def _reply_without_application(
    scope: Scope, names: Collection[str], query_bytes: int
) -> Response | None:
    """The answer to a request that does not reach the application."""
    headers = Headers(scope=scope)
    host = headers.get("host", "")
    if not _is_known(host, scope, names):
        return _unknown_host(host, headers.get("accept", ""))
    if scope["method"] not in METHODS:
        methods = ", ".join(METHODS)
        return refusal(405, "MethodNotAllowed", f"ask by {methods}", {"Allow": methods})
    if len(scope["query_string"]) > query_bytes:
        return refusal(
            414, "QueryTooLong", f"a query may have {query_bytes} bytes; send more by POST"
        )
    if scope["method"] == "OPTIONS":
        return Response(status_code=204, headers=_PREFLIGHT)
    return None


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
