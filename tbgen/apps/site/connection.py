"""Connections with deadlines, so that clients that do not do their part hold up no others.

A connection is in one of four phases. Each phase has a deadline, and the server closes a connection
that misses it. If too many are open, it closes the one that has waited longest for its client.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from tbgen.apps.site.limits import MOST_CONNECTIONS

CONNECTIONS: Final = "connections"
"""The key of their allowed number in the state that the application shares with the server."""

DEADLINES: Final = {"head": 10.0, "body": 30.0, "work": 60.0, "sending": 20.0}
"""[phase] -> the seconds that a connection may wait.

* head: for the head of a request, from the start or from the last answer on
* body: for its body
* work: for the application, which has shorter deadlines of its own
* sending: for the client, which has to read the better part of its full buffer of 64 kB
"""

_PHASES: Final = {h11.IDLE: "head", h11.SEND_BODY: "body"}
"""[state of the client] -> the phase in which its connection waits for it."""


class Connection(H11Protocol):
    """A connection that the server closes if its client is too slow.

    If too many are open, it closes the slowest.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._application = self.app
        self.app = self._answer
        self._answering: asyncio.Task[Any] | None = None
        self._begin("head")
        most = self.app_state.get(CONNECTIONS, MOST_CONNECTIONS)
        if len(self.connections) > most:
            self._close_longest(most)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._look()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._look()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._deadline.cancel()
        if self._answering is not None:
            self._answering.cancel()

    def shutdown(self) -> None:
        """The server stops: it still sends answers, but waits for no more requests."""
        super().shutdown()
        if self._phase in ("head", "body"):
            self.transport.abort()

    def _look(self) -> None:
        """Find out what the connection waits for now, and set its deadline."""
        if self.flow.write_paused or self.transport.is_closing():
            phase = "sending"
        else:
            phase = _PHASES.get(self.conn.their_state, "work")
        if phase != self._phase:
            self._deadline.cancel()
            self._begin(phase)

    def _begin(self, phase: str) -> None:
        """The connection waits for this from now on."""
        self._phase = phase
        self._since = self.loop.time()
        self._deadline = self.loop.call_later(DEADLINES[phase], self.transport.abort)

    def _close_longest(self, most: int) -> None:
        longest = self
        for connection in self.connections:
            if not isinstance(connection, Connection) or connection._phase == "work":
                continue
            if connection._since < longest._since:
                longest = connection
        self.connections.discard(longest)
        longest.transport.abort()
        self.logger.warning(
            "%d connections are open, and no more may be: those that wait longest are closed", most
        )

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        """Let the application answer until the client has left."""
        self._answering = asyncio.current_task()
        with suppress(asyncio.CancelledError):  # the client has left, or the server stops
            await self._application(scope, receive, send)
