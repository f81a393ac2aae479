"""The tables of a server and the methods behind its routes. It keeps no state and writes nothing."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from tbgen.apps.site import answers
from tbgen.apps.site.answers import (
    CLOCK,
    EXTRAS,
    POSITION,
    SCORING,
    extras_in,
    fifty_in,
    json_in,
    parameters_of,
    position_in,
    scoring_in,
)
from tbgen.apps.site.boards import in_words, map_facts, signed
from tbgen.apps.site.guard import (
    HTML,
    JSON,
    LINES,
    PGN,
    SVG,
    TABLE,
    TEXT,
    Deadline,
    Limits,
    Queue,
    as_json,
    refusal,
    status_of,
    streamed,
    tagged,
    unchanged,
)
from tbgen.apps.site.templates import (
    HERE,
    INDEX,
    PREVIEW,
    RULES,
    SERVER,
    files,
    index_page,
    picture_of_value,
)
from tbgen.closures import SOLVED
from tbgen.errors import MaterialError, MissingTableError, TbgenError, UsageError
from tbgen.library.catalog import Catalog, Entry
from tbgen.material import Material
from tbgen.probe import Tablebase
from tbgen.rules.facts import to_json
from tbgen.system import __version__

if TYPE_CHECKING:  # few requests ask for solved positions, and the solver is large
    from tbgen.closures.bracket import Solution
    from tbgen.closures.solving import PositionSolver

LOCAL_NAMES: Final = ("127.0.0.1", "localhost", "[::1]")
EXPLORER: Final = "/explorer"
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""The rights that a browser gives to pages."""

_PICTURE_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors *"
_MAN: Final = "man"
_HEAVY: Final = {"moves", "strip"}
_LIGHT_CHARACTERS: Final = 120
"""A longer `fen` has moves after the FEN."""

_KINDS: Final = {
    "html": HTML,
    "css": "text/css",
    "js": "text/javascript",
    "svg": SVG,
    "png": "image/png",
}

CACHE_BYTES = 256 * 10**6
"""A list of moves needs a dozen chunks. With a small cache it would spend half of its time unpacking them again."""


@dataclass(frozen=True)
class ServerSettings:
    """The settings of a server."""

    folders: Sequence[Path]
    names: Collection[str] = LOCAL_NAMES
    """The host names under which it answers."""
    site: Path | None = None
    """A folder of pages, such as `tbgen site` writes, to serve beside the explorer."""
    limits: Limits = field(default_factory=Limits)
    frames: bool = False
    """Whether foreign pages may show the explorer in a frame."""
    cache_bytes: int = CACHE_BYTES
    """The most memory for unpacked parts of tables, in each process."""


class Service:
    """The tables, and the methods behind the routes of server.py."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings, self._limits = settings, settings.limits
        self.tables = Tablebase(
            list(settings.folders), cache_bytes=settings.cache_bytes, compiled=True
        )
        answers.warm(self.tables)
        self.catalog = Catalog(settings.folders)
        self._solving, self.opened = Lock(), ExitStack()
        self.opened.enter_context(self.tables)
        self._queue = Queue(settings.limits)

    def answers(self) -> dict[str, Callable[..., Any]]:
        """The routes whose answers depend on the tables and the query alone; the most frequent comes first."""
        tables, with_man = self.tables, (*POSITION, _MAN)
        return {
            "/r-mobility": partial(
                self._ask,
                lambda given: answers.answer_of(
                    tables,
                    position_in(given),
                    scoring_in(given),
                    fifty_in(given),
                    **extras_in(given),
                ),
                (*POSITION, *SCORING, *CLOCK, *EXTRAS),
            ),
            "/r-mobility/map": partial(
                self._ask,
                lambda given: map_facts(tables, *position_in(given), given.get(_MAN, "")),
                with_man,
                light=False,
            ),
            "/r-mobility/picture.svg": partial(
                self._ask,
                lambda given: picture_of_value(tables, *position_in(given), given.get(_MAN)),
                with_man,
                more={"Content-Security-Policy": _PICTURE_POLICY},
                kind=SVG,
                light=False,
            ),
            # Parameters that only other servers of ordinary chess know are ignored.
            "/standard": partial(
                self._ask, lambda given: answers.standard_answer(tables, given), None, light=False
            ),
            "/standard/mainline": partial(
                self._ask, lambda given: answers.standard_mainline(tables, given), None, light=False
            ),
            **dict.fromkeys(
                ("/tables", "/tables/tables.json"),
                partial(self._ask, lambda given: self.catalog.facts(), None),
            ),
        }

    async def positions(self, request: Request) -> Response:
        """Many positions: a JSON array for a JSON array, or a line for each line."""
        given = parameters_of(request.query_params.multi_items(), (*SCORING, *EXTRAS))
        scoring, extras = scoring_in(given), extras_in(given)
        kind, body = await self._body(request, LINES, JSON, TEXT)
        text = body.decode("utf-8", "replace")
        asked: list[tuple[int, object]] = [
            (n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()
        ]
        if kind == JSON:
            found = json_in(text)
            if not isinstance(found, list):
                raise UsageError(f"send a JSON array of positions, or lines as {LINES}")
            asked = list(enumerate(found, 1))
        if len(asked) > self._limits.positions:
            return refusal(
                413,
                "TooManyPositions",
                f"{len(asked)} positions; {self._limits.positions} may come at once",
            )
        rows = answers.answers_to(self.tables, asked, scoring, self._limits.seconds, **extras)
        pieces = self._queue.pieces(to_json(row).encode() for row in rows)
        return await streamed(pieces, JSON if kind == JSON else LINES)

    async def solved(self, request: Request) -> Response:
        """A position without a table, from blocks that `tbgen solve` has left. The server solves nothing."""
        given = parameters_of(request.query_params.multi_items(), (*POSITION, *SCORING))
        asked, scoring = position_in(given), scoring_in(given)

        def work() -> Solution | None:
            with self._solving:
                return self._solver.solved(asked.board, asked.accrued)

        # The solver would make a folder if there are no blocks.
        has_blocks = any((folder / SOLVED).is_dir() for folder in self._settings.folders)
        async with asyncio.timeout(self._limits.seconds):
            found = await self._queue.run(work) if has_blocks else None
        if found is None:
            return Response(status_code=204)
        return as_json(found.facts(scoring), {"Cache-Control": "no-store"})

    @cached_property
    def _solver(self) -> PositionSolver:
        from tbgen.closures.solving import PositionSolver

        return self.opened.enter_context(PositionSolver(list(self._settings.folders)))

    async def line(self, request: Request) -> Response:
        """Best play, as JSON or as a game."""
        accept = request.headers.get("accept", "")
        is_pgn = PGN in accept and JSON not in accept
        line_in = answers.line_as_pgn if is_pgn else answers.line_of
        return await self._ask(
            lambda given: line_in(
                self.tables,
                position_in(given),
                scoring_in(given),
                fifty_in(given),
                self._limits.line_plies,
            ),
            (*POSITION, *SCORING, *CLOCK),
            request,
            {"Vary": "Accept", "ETag": f'"{self.catalog.tag}{"-pgn" * is_pgn}"'},
            kind=PGN if is_pgn else JSON,
            light=False,
        )

    async def adjudicate(self, request: Request) -> Response:
        """Games with their scores."""
        parameters_of(request.query_params.multi_items(), ())
        _, body = await self._body(request, PGN, TEXT)
        found, limits = list[dict[str, Any]](), self._limits
        deadline = Deadline(limits.seconds)
        try:
            async with asyncio.timeout(limits.seconds):
                verdicts = answers.verdicts_in(self.tables, body, deadline.check)
                async for piece in self._queue.pieces(verdicts):
                    found += piece
                    if len(found) > limits.games:
                        return refusal(
                            413, "TooManyGames", f"{limits.games} games may come at once"
                        )
        except TimeoutError:
            return refusal(
                413,
                "TooManyGames",
                f"these games take longer than {limits.seconds} s; send fewer at once",
            )
        games, skipped = (
            [each for each in found if ("error" in each) is wrong] for wrong in (False, True)
        )
        return as_json({"games": games, "skipped": skipped})

    async def table_facts(self, request: Request) -> Response:
        """The figures of a table."""
        entry = self._entry(request.path_params["name"])
        return await self._ask(
            lambda given: entry.figures(), None, request, {"ETag": f'"{entry.digest}"'}
        )

    async def table(self, request: Request) -> Response:
        """A file of a table, whole or in part."""
        name, dot, layer = request.path_params["name"].partition(".")
        files = {file.path.name: file for file in self._entry(name).files}
        if (file := files.get(f"{name}{dot}{layer}.h5")) is None:
            raise HTTPException(
                404,
                f"{name} has no distances here" if layer == "dtg" else "no table has such a file",
            )
        headers = tagged(f'"{file.digest}"')
        return unchanged(request, headers) or FileResponse(
            file.path, headers=headers, media_type=TABLE
        )

    def _entry(self, name: str) -> Entry:
        """The entry of a table by its name. The error for a name of no table does not suggest building it."""
        try:
            canonical = str(Material.parse(name).canonical())
        except MaterialError:
            raise HTTPException(
                404, f"{name[:50]!r} names no table; /tables has all that are here"
            ) from None
        if name != canonical:
            raise HTTPException(404, f"the table of {name} is named {canonical}")
        entry = self.catalog.entries.get(name)
        if entry is None:
            raise MissingTableError(name)
        if not all(
            file.is_there() for file in entry.files
        ):  # else other bytes would have the old ETag
            raise HTTPException(
                404, f"{name} has been replaced or removed; a restart finds what is there"
            )
        return entry

    async def health(self, request: Request) -> Response:
        """The state of the server, and its limits."""
        facts = {
            "status": "ok",
            "version": __version__,
            "tables": len(self.catalog),
            "limits": asdict(self._limits),
        }
        return as_json(facts, {"Cache-Control": "no-store"})

    async def openapi(self, request: Request) -> Response:
        """The description for programs."""
        return Response(
            (HERE / "openapi.json").read_text("utf-8").replace("VERSION", __version__),
            media_type=JSON,
        )

    async def plain(self, request: Request) -> Response:
        """A position as a page without a script."""
        given = parameters_of(request.query_params.multi_items(), POSITION)
        error, page = await self._queue.run(partial(answers.plain_page, self.tables, given))
        status = 200 if error is None else status_of(error)
        return Response(page, status, {"Content-Security-Policy": POLICY}, media_type=HTML)

    async def explorer_file(self, request: Request) -> Response:
        """A file or a page of the explorer."""
        name = request.path_params["name"] or INDEX
        if name in (INDEX, RULES):
            content = await self._queue.run(partial(self._explorer_page, name, request))
        elif name in files():
            content = files()[name]
        else:
            raise HTTPException(404)
        policy = (
            POLICY.replace("frame-ancestors 'none'", "frame-ancestors *")
            if self._settings.frames
            else POLICY
        )
        headers = tagged(
            f'"{sha256(content).hexdigest()[:32]}"', {"Content-Security-Policy": policy}
        )
        whole = Response(
            content, headers=headers, media_type=_KINDS.get(name.rpartition(".")[2], TEXT)
        )
        return unchanged(request, {**headers, "Vary": "Accept-Encoding"}) or whole

    def _explorer_page(self, name: str, request: Request) -> bytes:
        """A page, with links to the pages of a report, if there is one.

        Other sites show a link to it with a picture, and with the verdict of its position.
        """
        shown = {"image": f"{request.base_url}explorer/{PREVIEW}"}
        with contextlib.suppress(TbgenError):
            asked = position_in({name: request.query_params.get(name, "") for name in POSITION})
            outcome = self.tables.probe(asked.board, asked.accrued).outcome
            shown |= {
                "title": f"{signed(outcome)}: {outcome.in_words()}",
                "description": in_words(asked.board),
            }
        site = self._settings.site
        report = "../" if site is not None and (site / "material").is_dir() else ""
        return index_page(SERVER, self.catalog.entries.values(), report, name, **shown).encode()

    async def _ask(
        self,
        answer: Callable[[Mapping[str, str]], object],
        known: Sequence[str] | None,
        request: Request,
        more: Mapping[str, str] | None = None,
        *,
        kind: str = JSON,
        light: bool = True,
    ) -> Response:
        """An answer that depends on the tables and the query alone; 304 if the client already has it.

        `answer` makes facts, or a text of another `kind` than JSON. If no parameters are `known`, all but `fen` are
        ignored. A thread makes the answer unless it is light: passing a light one to a thread would take longer.
        """
        pairs = request.query_params.multi_items()
        given = (
            {"fen": request.query_params.get("fen", "")}
            if known is None
            else parameters_of(pairs, known)
        )
        headers = tagged(f'"{self.catalog.tag}"', more)

        def made() -> Response:
            found: Any = answer(given)
            return (
                as_json(found, headers)
                if kind == JSON
                else Response(found, headers=headers, media_type=kind)
            )

        if reply := unchanged(request, headers):
            return reply
        if light and not given.keys() & _HEAVY and len(given.get("fen", "")) < _LIGHT_CHARACTERS:
            return made()
        async with asyncio.timeout(self._limits.seconds):
            return await self._queue.run(made)

    async def _body(self, request: Request, *kinds: str) -> tuple[str, bytes]:
        """The media type, out of some, and the body."""
        kind = request.headers.get("content-type", kinds[0]).partition(";")[0].strip().lower()
        if kind not in kinds:
            raise HTTPException(415, f"send {' or '.join(kinds)}, not {kind[:100]!r}")
        body = bytearray()
        async for part in request.stream():
            body += part
            if len(body) > self._limits.body_bytes:
                raise HTTPException(413, f"a body may have {self._limits.body_bytes} bytes")
        return kind, bytes(body)


class SitePages(StaticFiles):
    """A folder of pages. It never serves files whose names begin with a dot."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        if any(part.startswith(".") and part != "." for part in path.split("/")):
            raise HTTPException(404)
        reply = await super().get_response(path, scope)
        reply.headers["Content-Security-Policy"] = POLICY
        return reply
