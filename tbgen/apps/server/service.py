"""What all routes of a server share: its settings, its tables, and the threads for long answers.

Nothing that it keeps changes an answer: what is loaded, and how much was asked. It writes nothing
but into a folder `solved` that it may write to: a damaged block there is removed.
"""

from __future__ import annotations

import gc
from collections.abc import Collection, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Final, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request

from tbgen.apps.server import answers
from tbgen.apps.server.limits import Limits
from tbgen.apps.server.metrics import Metrics
from tbgen.apps.server.names import LOCAL_NAMES
from tbgen.apps.server.parameters import parameters_of
from tbgen.apps.server.queue import Queue
from tbgen.closures import folders_with_blocks
from tbgen.library.catalog import Catalog
from tbgen.probe import Tablebase

if TYPE_CHECKING:  # few requests ask for solved positions, and the solver is large
    import chess

    from tbgen.closures.answers import Solution
    from tbgen.closures.solver import PositionSolver
    from tbgen.score import Score

T = TypeVar("T")

CACHE_BYTES: Final = 256 * 10**6
"""A list of moves needs a dozen chunks.

With a small cache it would spend half of its time unpacking them again.
"""

POSITIONS_WORTH_KERNELS: Final = 2000
"""Kernels save as much time on so many positions as loading them takes."""


@dataclass(frozen=True)
class ServerSettings:
    """The settings of a server."""

    folders: Sequence[Path]
    names: Collection[str] = LOCAL_NAMES
    """The host names under which it answers."""
    site: Path | None = None
    """A folder of pages, such as `tbgen site` writes, to serve beside the explorer."""
    limits: Limits = field(default_factory=Limits)
    cache_bytes: int = CACHE_BYTES
    """The most memory for unpacked parts of tables, in each process."""


class Service:
    """The tables of a server, their catalog, and the queue of long work."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self.limits = settings.limits
        self.tables = Tablebase(
            list(settings.folders), cache_bytes=settings.cache_bytes, missing_ok=True
        )
        self.opened = ExitStack()
        self.opened.enter_context(self.tables)
        self._positions = 0
        self.loading: Thread | None = None
        """Loads the kernels of positions, once enough of them have been asked for."""
        self._can_read_games = False
        """Whether the kernels of games are loaded."""
        self.catalog = Catalog(settings.folders)
        seconds = self.limits.seconds
        self.queue = Queue(self.limits.at_once, self.limits.waiting, seconds)
        self.opened.callback(self.queue.close)
        self.queue_of_solver = Queue(1, self.limits.waiting, seconds)
        """The solver answers one request at a time: it has a thread of its own."""
        self.opened.callback(self.queue_of_solver.close)
        self.metrics = Metrics(len(self.catalog))
        self._solver: PositionSolver | None = None

    def expect_positions(self, number: int) -> None:
        """Count positions that a client asks for. Enough of them are worth kernels."""
        self._positions += number
        if self._positions >= POSITIONS_WORTH_KERNELS and self.loading is None:
            loading = Thread(target=self._load_kernels, daemon=True)
            with suppress(RuntimeError):  # the system allows no more threads; try again later
                loading.start()
                self.loading = loading

    def _load_kernels(self) -> None:
        self.tables.load_kernels()
        gc.freeze()  # as the server does with all that stays

    async def load_kernels_of_games(self) -> None:
        """Load the kernels that read games, which may take longer than a request may."""
        if not self._can_read_games:
            await self.queue.run(answers.load_kernels_of_games, in_time=False)
            self._can_read_games = True

    @property
    def has_solved_blocks(self) -> bool:
        """Whether `tbgen solve` has left blocks in any of the folders."""
        return bool(folders_with_blocks(self.settings.folders))

    def solver(self) -> PositionSolver:
        """Finds positions in solved blocks, which are there."""
        from tbgen.closures.solver import PositionSolver

        if self._solver is None:
            solver = PositionSolver(list(self.settings.folders), reads_only=True)
            self._solver = self.opened.enter_context(solver)
        return self._solver

    def find_solved(self, board: chess.Board, accrued: Score) -> Solution | None:
        """What solved blocks know of a position; to be called in `queue_of_solver`."""
        return self.solver().solved(board, accrued)


def service_of(request: Request) -> Service:
    """The service of the application that has received a request."""
    service: Service = request.app.state.service
    return service


def query_of(request: Request, *known: str) -> dict[str, str]:
    """The parameters of a request; UsageError for an unknown or repeated one."""
    most = service_of(request).limits.query_bytes
    if len(request.scope["query_string"]) > most:
        raise HTTPException(414, f"a query may have {most} bytes; send more by POST")
    return parameters_of(request.query_params.multi_items(), known)


async def body_of(request: Request, *kinds: str) -> tuple[str, bytes]:
    """The media type of a request, out of some, and its body. The first type is the usual one."""
    header = request.headers.get("content-type", kinds[0])
    kind = header.partition(";")[0].strip().lower()
    if kind not in kinds:
        raise HTTPException(415, f"send {' or '.join(kinds)}, not {kind[:100]!r}")
    most_bytes = service_of(request).limits.body_bytes
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > most_bytes:
            raise HTTPException(413, f"a body may have {most_bytes} bytes")
    return kind, bytes(body)
