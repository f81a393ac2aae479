"""The routes that answer questions about positions and games.

A short answer is made in the event loop: passing it to a thread would take longer. All others are
made in a queue of the service.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Final

from starlette.requests import Request
from starlette.responses import Response

from tbgen.apps.server import answers
from tbgen.apps.server.deadline import Deadline
from tbgen.apps.server.parameters import (
    CLOCK,
    EXTRAS,
    LINE,
    POSITION,
    SCORING,
    fifty_in,
    is_set,
    json_in,
    position_in,
    scoring_in,
)
from tbgen.apps.server.replies import (
    JSON,
    LINES,
    PGN,
    TEXT,
    as_json,
    refusal,
    status_of,
    streamed,
    tagged,
    unchanged,
)
from tbgen.apps.server.service import Service, body_of, query_of, service_of
from tbgen.errors import NO_TABLE, UsageError
from tbgen.rules.facts import to_json

if TYPE_CHECKING:  # few requests ask for solved positions, and the solver is large
    from tbgen.closures.answers import Solution

_FEN_CHARACTERS: Final = 120
"""A longer `fen` has moves after the FEN."""


async def position(request: Request) -> Response:
    """A position and its moves."""
    service = service_of(request)
    given = query_of(request, *POSITION, *SCORING, *CLOCK, *EXTRAS)
    headers = tagged(service.catalog.tag)
    if reply := unchanged(request, headers):
        return reply
    service.expect_positions(1)

    def answer() -> Response:
        return as_json(answers.position_facts(service.tables, given), headers)

    has_moves = "moves" in given or len(given.get("fen", "")) >= _FEN_CHARACTERS
    try:
        if has_moves or "strip" in given:
            return await service.queue.run(answer)
        return answer()
    except NO_TABLE as error:
        if is_set("brief", given):
            raise
        missing = error

    def proof() -> Response:
        facts = answers.proof_facts(service.tables, position_in(given), scoring_in(given), missing)
        return as_json(facts, status=status_of(missing))

    return await service.queue.run(proof)


async def positions(request: Request) -> Response:
    """Many positions: a JSON array for a JSON array, or a line for each line."""
    service = service_of(request)
    given = query_of(request, *SCORING, *EXTRAS)
    scoring = scoring_in(given)
    brief = is_set("brief", given)
    strip = is_set("strip", given)
    kind, body = await body_of(request, LINES, JSON, TEXT)
    items = _items_in(body.decode("utf-8", "replace"), kind)
    most = service.limits.positions
    if len(items) > most:
        return refusal(413, "TooManyPositions", f"{len(items)} positions; {most} may come at once")
    service.expect_positions(len(items))
    rows = answers.answers_to(
        service.tables, items, scoring, service.limits.seconds, brief=brief, strip=strip
    )
    pieces = service.queue.pieces(to_json(row).encode() for row in rows)
    return await streamed(pieces, JSON if kind == JSON else LINES)


def _items_in(text: str, kind: str) -> list[tuple[int, object]]:
    """The positions of a body with their numbers, which count empty lines, too."""
    if kind == JSON:
        array = json_in(text)
        if not isinstance(array, list):
            raise UsageError(f"send a JSON array of positions, or lines as {LINES}")
        return list(enumerate(array, 1))
    return [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]


async def line(request: Request) -> Response:
    """Best play, as JSON or as a game."""
    service = service_of(request)
    given = query_of(request, *POSITION, *SCORING, *CLOCK)
    accept = request.headers.get("accept", "")
    is_pgn = PGN in accept and JSON not in accept
    tag = service.catalog.tag
    if is_pgn:
        tag += "-pgn"
    headers = tagged(tag, {"Vary": "Accept"})
    if reply := unchanged(request, headers):
        return reply

    def answer() -> Response:
        question = position_in(given)
        scoring = scoring_in(given)
        fifty = fifty_in(given)
        most = service.limits.line_plies
        if is_pgn:
            game = answers.line_as_pgn(service.tables, question, scoring, fifty, most)
            return Response(game, headers=headers, media_type=PGN)
        return as_json(answers.line_of(service.tables, question, scoring, fifty, most), headers)

    return await service.queue.run(answer)


async def solved(request: Request) -> Response:
    """A position without a table, from blocks that `tbgen solve` has left.

    The server solves nothing.
    """
    service = service_of(request)
    given = query_of(request, *POSITION, *SCORING, *LINE)
    board, accrued = await service.queue.run(lambda: position_in(given))
    scoring = scoring_in(given)
    with_line = is_set("line", given)
    if not service.has_solved_blocks:
        return Response(status_code=204)

    def answer() -> Solution | None:
        return service.solver().solved(board, accrued, line=with_line)

    solution = await service.queue_of_solver.run(answer)
    if solution is None:
        return Response(status_code=204)
    return as_json(solution.facts(scoring), {"Cache-Control": "no-store"})


async def adjudicate(request: Request) -> Response:
    """Games with their scores."""
    service = service_of(request)
    query_of(request)  # there are no parameters
    _, body = await body_of(request, PGN, TEXT)
    await service.load_kernels_of_games()
    limits = service.limits
    games = list[dict[str, Any]]()
    skipped = list[dict[str, Any]]()
    try:
        async with asyncio.timeout(limits.seconds):
            async for facts in _verdicts(service, body):
                if "error" in facts:
                    skipped.append(facts)
                else:
                    games.append(facts)
                if len(games) + len(skipped) > limits.games:
                    return _too_many_games(f"{limits.games} games may come at once")
    except TimeoutError:
        return _too_many_games(
            f"these games take longer than {limits.seconds} s; send fewer at once"
        )
    return as_json({"games": games, "skipped": skipped})


async def _verdicts(service: Service, body: bytes) -> AsyncIterator[dict[str, Any]]:
    """The verdict on each game, or the error in its place."""
    deadline = Deadline(service.limits.seconds)
    queue = service.queue
    find_solved = None
    if service.has_solved_blocks:
        queue = service.queue_of_solver
        find_solved = service.find_solved
    verdicts = answers.verdicts_in(service.tables, body, deadline.check, find_solved)
    async for piece in queue.pieces(verdicts):
        for facts in piece:
            yield facts


def _too_many_games(message: str) -> Response:
    return refusal(413, "TooManyGames", message)
