"""Deadlines: of work in a thread, and of the clients of an application."""

from __future__ import annotations

import asyncio
import time

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tbgen.apps.server.replies import RETRY, refusal


class Deadline:
    """The end of the time for a request.

    A thread cannot be stopped, so long work asks again and again whether its time is over.
    """

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def check(self) -> None:
        """Raise TimeoutError once the time is over."""
        if time.monotonic() > self._end:
            raise TimeoutError


def late() -> Response:
    """The answer where there is none in time."""
    return refusal(503, "Late", "the answer takes too long; ask for less at once", RETRY)


def in_time(app: ASGIApp, seconds: float) -> ASGIApp:
    """The application, which ends a request if nothing is sent for so many seconds.

    So a client that sends its body or reads its answer too slowly is waited for no longer.
    """

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        loop = asyncio.get_running_loop()
        has_begun = False

        async def send_in_time(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)
            if not end.expired():
                end.reschedule(loop.time() + seconds)

        try:
            async with asyncio.timeout(seconds) as end:
                await app(scope, receive, send_in_time)
        except TimeoutError:
            if not has_begun:
                await late()(scope, receive, send)
        except asyncio.CancelledError:  # the server ends, and waits for this request no longer
            pass

    return answer
