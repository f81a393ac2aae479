"""Guard: what is refused before a request is looked at, and the headers that every answer has."""

from __future__ import annotations

import re
from asyncio import CancelledError
from collections.abc import Collection
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tbgen.apps.site.server.replies import refusal

LOCAL_NAMES: Final = ("127.0.0.1", "localhost", "[::1]")
ANY_NAME: Final = "*"
METHODS: Final = ("GET", "HEAD", "POST")

_HEADERS: Final = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "Accept-Ranges, Content-Range, ETag, Retry-After",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::[0-9]+)?", re.IGNORECASE)


def _ending() -> ASGIApp:
    return refusal(503, "Ending", "the server ends; ask again", {"Retry-After": "1"})


class Guard:
    """Passes on what is asked under one of our names, by a method that we know, with a query that is not too long.

    The name keeps a page elsewhere from asking a server on its reader's machine by a name of its own that
    leads there (DNS rebinding).
    """

    def __init__(self, app: ASGIApp, names: Collection[str], query_bytes: int) -> None:
        self._app = app
        self._names = frozenset(name.lower() for name in names)
        self._query_bytes = query_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        has_begun = False

        async def send_with_headers(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refused = self._refusal(scope)
        try:
            await (self._app if refused is None else refused)(scope, receive, send_with_headers)
        except CancelledError:  # the server ends; from here on it would be called a failure, with a traceback
            if not has_begun:
                await _ending()(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> ASGIApp | None:
        host = Headers(scope=scope).get("host", "")
        if ANY_NAME not in self._names and not self._is_ours(host):
            return refusal(400, "UnknownHost", f"no server of the name {host[:100]!r} is here; --name gives it one")
        if scope["method"] not in METHODS:
            return refusal(405, "MethodNotAllowed", "ask by GET, HEAD or POST", {"Allow": ", ".join(METHODS)})
        if len(scope["query_string"]) > self._query_bytes:
            return refusal(414, "QueryTooLong", f"a query may have {self._query_bytes} bytes; send more by POST")
        return None

    def _is_ours(self, host: str) -> bool:
        found = _HOST.fullmatch(host)
        return found is not None and found[1].lower() in self._names
