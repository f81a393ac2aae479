"""Replies of the server: JSON, pages, refusals, ETags, and answers made piece by piece."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from tbgen.apps.pages.templates import template_of
from tbgen.errors import InputError, MissingDistancesError, MissingTableError, TbgenError
from tbgen.rules.facts import to_json

HTML: Final = "text/html"
JSON: Final = "application/json"
METRICS: Final = "text/plain; version=0.0.4; charset=utf-8"
"""The text format that Prometheus reads."""
LINES: Final = "application/x-ndjson"
PGN: Final = "application/x-chess-pgn"
SVG: Final = "image/svg+xml"
TABLE: Final = "application/x-hdf5"
TEXT: Final = "text/plain"
"""A foreign page may post this type without a preflight."""

RETRY: Final = {"Retry-After": "1"}
"""The header of a refusal that another attempt may not meet."""

PAGE_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""The rights that a browser gives to pages."""


def as_json(facts: object, headers: Mapping[str, str] | None = None, status: int = 200) -> Response:
    """An answer as JSON."""
    return Response(f"{to_json(facts)}\n", status, headers, JSON)


def as_page(text: str, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """An answer as a page for people."""
    policy = {"Content-Security-Policy": PAGE_POLICY}
    return Response(text, status, {**policy, **(headers or {})}, HTML)


def refusal(
    status: int, error: str, message: str, headers: Mapping[str, str] | None = None
) -> Response:
    """The refusal of a request, in the form of an error."""
    return as_json({"error": error, "message": message}, headers, status)


def status_of(error: TbgenError) -> int:
    """404 for a missing thing, 400 for an invalid request, else 500."""
    if isinstance(error, (MissingTableError, MissingDistancesError)):
        return 404
    if isinstance(error, InputError):
        return 400
    return 500


def tagged(etag: str, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The headers of an answer that does not change while its tag stays."""
    headers = {"ETag": f'"{etag}"', "Cache-Control": "public, max-age=0, must-revalidate"}
    if more is not None:
        headers.update(more)
    return headers


def unchanged(request: Request, headers: Mapping[str, str]) -> Response | None:
    """Status 304 for a client that already has the answer with these headers; else None.

    `*` in place of a tag is no answer that a client has.
    """
    known = request.headers.get("if-none-match", "")
    tags = [tag.strip().removeprefix("W/") for tag in known.split(",")]
    if headers["ETag"] in tags:
        return Response(status_code=304, headers=headers)
    return None


async def streamed(pieces: AsyncIterator[list[bytes]], kind: str) -> Response:
    """Objects as they are made: a JSON array, or lines of JSON.

    They are made ahead only as far as the client has room.
    """
    first: list[bytes] = await anext(pieces, [])  # any refusal comes before the answer begins
    if kind == JSON:
        content = _array(first, pieces)
    else:
        content = _lines(first, pieces)
    return StreamingResponse(content, media_type=kind)


async def _array(first: list[bytes], pieces: AsyncIterator[list[bytes]]) -> AsyncIterator[bytes]:
    yield b"[" + b",\n".join(first)
    async for piece in pieces:
        yield b",\n" + b",\n".join(piece)
    yield b"]\n"


async def _lines(first: list[bytes], pieces: AsyncIterator[list[bytes]]) -> AsyncIterator[bytes]:
    yield b"".join(item + b"\n" for item in first)
    async for piece in pieces:
        yield b"".join(item + b"\n" for item in piece)


def missing_page() -> str:
    """The page for an address that leads nowhere, with the way home."""
    return template_of("missing.html").render()


def unknown_host_page(host: str, name: str | None) -> str:
    """The page for a name under which the server does not answer.

    `name` is the host without its port, if `--name` accepts it.
    """
    return template_of("unknown-host.html").render(host=host, name=name)
