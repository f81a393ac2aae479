"""Connections with deadlines, so that clients that do not do their part hold up no others.

A connection is in one of four phases. Each phase has a deadline, and the server closes a connection
that misses it. If too many are open, it closes the one that has waited longest for its client.

uvicorn's protocol around the C parser `httptools` takes heads of any size and any number of
requests ahead. This one bounds both. It never sends a refusal into the middle of an answer, nor
chunks to clients of HTTP/1.0.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from typing import Any, Final

from httptools import HttpParserError, HttpParserUpgrade
from starlette.datastructures import MutableHeaders
from starlette.types import Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

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

REFUSAL_SECONDS = 0.5
"""The pause after an answer that the server is busy, before the connection's next request is read.

Without it, clients that ask again at once would keep the server busy with refusals.
"""
_BUSY: Final = 503

MOST_HEAD_BYTES: Final = 1 << 16
_NO_REQUEST: Final = "Invalid HTTP request received."
PART_BYTES: Final = 1 << 12
"""The bytes that the parser gets at once. They hold two hundred requests at most, and the others
stay bytes until these are answered."""


class Together:
    """Sends the head of an answer together with the beginning of its body.

    A call of the system less, for which the event loop would have to wait while threads work.
    """

    def __init__(self, cycle: RequestResponseCycle) -> None:
        self._cycle = cycle
        self._transport = cycle.transport
        self._is_head_sent = False
        self._head = b""

    def write(self, data: bytes) -> None:
        if self._is_head_sent or not self._cycle.response_started:  # "100 Continue" is no head
            self._transport.write(self._head + data)
            self._head = b""
        else:
            self._is_head_sent = True
            self._head = data

    def finish(self) -> None:
        """Send a head without a body, as an answer to HEAD has."""
        if self._head:
            self.write(b"")

    def close(self) -> None:
        self.finish()
        self._transport.close()

    def is_closing(self) -> bool:
        return self._transport.is_closing()


class Connection(HttpToolsProtocol):
    """A connection that the server closes if its client is too slow.

    If too many are open, it closes the slowest.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._application = self.app
        self.app = self._answer
        self._answering: asyncio.Task[Any] | None = None
        self._received = bytearray()
        """Bytes that the parser has not had."""
        self._head_bytes: int | None = None
        """The bytes of the head that is coming; None while none is."""
        self._is_in_body = False
        """Whether the head of the last request has come, and its end has not."""
        self._is_refused = False
        """Whether bytes have come that are no request; all further ones are ignored."""
        self._unanswered = deque[RequestResponseCycle]()
        """Requests whose answers are not complete, in the order of their answers."""
        self._status = 0
        """The status of the last answer."""
        self._phase = "head"
        self._since = self.loop.time()
        self._clock = self.loop.call_later(DEADLINES["head"], self._look_at_clock)
        most = self.app_state.get(CONNECTIONS, MOST_CONNECTIONS)
        if len(self.connections) > most:
            self._close_longest(most)

    def data_received(self, data: bytes) -> None:
        self._received += data
        self._parse()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._head_bytes = 0

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        self.cycle.transport = Together(self.cycle)  # type: ignore[assignment]
        self._unanswered.append(self.cycle)
        self._head_bytes = None
        self._is_in_body = True

    def on_message_complete(self) -> None:
        self._is_in_body = False
        super().on_message_complete()

    def on_response_complete(self) -> None:
        answered = self._unanswered.popleft()
        answered.transport.finish()  # type: ignore[attr-defined]
        answered.transport = self.transport  # so that nothing is left to the collector of cycles
        if self._status == _BUSY:
            self.flow.pause_reading()
            self._look()
            self.loop.call_later(REFUSAL_SECONDS, self._read_on)
        else:
            self._read_on()

    def _read_on(self) -> None:
        """Turn to what has come, and comes, after the last answer."""
        super().on_response_complete()
        self._parse()

    def send_400_response(self, msg: str) -> None:
        """Refuse bytes that are no request.

        Answers to the requests before them are sent first, and then the connection closes.
        """
        self._is_refused = True
        is_answer_begun = False
        if self._is_in_body and self._unanswered:
            broken = self._unanswered.pop()
            broken.disconnected = True
            is_answer_begun = broken.response_started
            if self.pipeline:  # it waits there, as the last
                self.pipeline.popleft()
        if self._unanswered:
            self._unanswered[-1].keep_alive = False
        elif is_answer_begun:
            self.transport.close()
        else:
            super().send_400_response(msg)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._look()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._clock.cancel()
        for cycle in self._unanswered:
            cycle.disconnected = True
        if self._answering is not None:
            self._answering.cancel()

    def shutdown(self) -> None:
        """The server stops: it still sends answers, but waits for no more requests."""
        super().shutdown()
        if self._phase in ("head", "body"):
            self.transport.abort()

    def _parse(self) -> None:
        """Let the parser have what has come, unless a request waits for the answer to another."""
        while self._received and not self.transport.is_closing():
            if self.pipeline or self._is_refused:
                self.flow.pause_reading()
                break
            part = bytes(self._received[:PART_BYTES])
            del self._received[:PART_BYTES]
            self._parse_part(part)
            self._bound_head(len(part))
        self._look()

    def _parse_part(self, part: bytes) -> None:
        """Let the parser have some bytes, which then calls the methods `on_...`."""
        self._unset_keepalive_if_required()
        try:
            self.parser.feed_data(part)
        except HttpParserUpgrade as offer:
            # The client would rather speak another protocol. It goes on in this one, and the parser
            # says where.
            (end,) = offer.args
            self._received[:0] = part[end:]
        except HttpParserError:
            self.logger.warning(_NO_REQUEST)
            self.send_400_response(_NO_REQUEST)

    def _bound_head(self, more_bytes: int) -> None:
        """Refuse a head that is too long, while it comes."""
        if self._head_bytes is None or self._is_refused:
            return
        self._head_bytes += more_bytes
        if self._head_bytes > MOST_HEAD_BYTES:
            self.send_400_response(f"The head of a request may have {MOST_HEAD_BYTES} bytes.")

    def _look(self) -> None:
        """Find out what the connection waits for now; that has a deadline from now on."""
        if self.flow.write_paused or self.transport.is_closing():
            phase = "sending"
        elif self._is_in_body:
            phase = "body"
        elif self._unanswered:
            phase = "work"
        else:
            phase = "head"
        if phase == self._phase:
            return
        self._phase = phase
        self._since = self.loop.time()
        end = self._since + DEADLINES[phase]
        if end < self._clock.when():
            self._clock.cancel()
            self._clock = self.loop.call_at(end, self._look_at_clock)

    def _look_at_clock(self) -> None:
        """Close the connection if its phase has lasted too long; else look again when it has.

        So an answer that comes soon sets no clock: that would take longer than the answer's JSON.
        """
        end = self._since + DEADLINES[self._phase]
        if self.loop.time() >= end:
            self.transport.abort()
        else:
            self._clock = self.loop.call_at(end, self._look_at_clock)

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

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the application answer until the client has left."""
        self._answering = asyncio.current_task()

        async def send_and_note(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._status = message["status"]
            await send(message)

        if scope["http_version"] == "1.0":
            answer = with_length(send_and_note)
        else:
            answer = send_and_note
        with suppress(asyncio.CancelledError):  # the client has left, or the server stops
            await self._application(scope, receive, answer)


def with_length(send: Send) -> Send:
    """A `send` that collects an answer without a length, which uvicorn would send in chunks."""
    collected: Message | None = None
    body = bytearray()

    async def send_or_collect(message: Message) -> None:
        nonlocal collected
        is_head = message["type"] == "http.response.start"
        if is_head and "content-length" not in MutableHeaders(scope=message):
            collected = message
            return
        if collected is None:
            await send(message)
            return
        body.extend(message.get("body", b""))
        if message.get("more_body", False):
            return
        MutableHeaders(scope=collected)["content-length"] = str(len(body))
        await send(collected)
        await send({"type": "http.response.body", "body": bytes(body)})

    return send_or_collect
