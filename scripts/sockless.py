"""The server without sockets: bytes go to the protocol of a connection, and answers come back."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.config import Config
from uvicorn.server import ServerState

from tbgen.apps.site.run import config_for
from tbgen.apps.site.server import application
from tbgen.apps.site.service import ServerSettings

WAIT_SECONDS: Final = 0.02
"""Answers of threads take less. A request whose body is not complete waits for ever."""
LAST_SECONDS: Final = 15
"""A request must end within so much time once its client has left."""
ADDRESSES: Final = {"sockname": ("127.0.0.1", 8000), "peername": ("127.0.0.1", 49152)}


class Wire(asyncio.Transport):
    """A transport that keeps all bytes that are sent."""

    def __init__(self) -> None:
        super().__init__(extra=ADDRESSES)
        self.sent = bytearray()
        self._is_closing = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.sent += data

    def is_closing(self) -> bool:
        return self._is_closing

    def close(self) -> None:
        self._is_closing = True

    def abort(self) -> None:
        self._is_closing = True

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass


class Errors(logging.Handler):
    """Keeps what is logged as an error."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.texts = list[str]()
        self.setFormatter(logging.Formatter())

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(self.format(record))


class Sockless:
    """A server of a folder of tables, and its clients, one after the other."""

    def __init__(self, config: Config, loop: asyncio.AbstractEventLoop, state: Any) -> None:
        self._config = config
        self._loop = loop
        self._app_state = state
        self._errors = Errors()
        self._statuses = list[int]()
        logging.getLogger().addHandler(self._errors)
        logging.getLogger("uvicorn.error").addHandler(self._errors)
        config.loaded_app = self._watched(config.loaded_app)

    def _watched(self, app: ASGIApp) -> ASGIApp:
        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            async def send_and_look(message: Message) -> None:
                if message["type"] == "http.response.start":
                    self._statuses.append(message["status"])
                await send(message)

            await app(scope, receive, send_and_look)

        return answer

    def converse(self, pieces: list[bytes]) -> tuple[bytes, list[int], list[str]]:
        """What a client gets that sends these pieces and then leaves.

        Returns the bytes, the statuses of the application's answers, and all errors in the log.
        """
        self._statuses.clear()
        self._errors.texts.clear()
        sent = self._loop.run_until_complete(self._converse(pieces))
        return sent, list(self._statuses), list(self._errors.texts)

    async def _converse(self, pieces: list[bytes]) -> bytes:
        server = ServerState()
        wire = Wire()
        protocol: Any = self._config.http_protocol_class
        connection = protocol(self._config, server, dict(self._app_state))
        connection.connection_made(wire)
        for piece in pieces:
            if wire.is_closing():
                break
            connection.data_received(piece)
            await asyncio.sleep(0)
        if server.tasks:
            await asyncio.wait(server.tasks, timeout=WAIT_SECONDS)
        connection.connection_lost(None)
        async with asyncio.timeout(LAST_SECONDS):
            while server.tasks:
                await asyncio.wait(server.tasks)
        return bytes(wire.sent)


@contextmanager
def sockless(folder: Path) -> Iterator[Sockless]:
    """A server of a folder of tables, until the end of a `with` statement."""
    app = application(ServerSettings([folder]))
    config = config_for(app)
    config.load()
    loop = asyncio.new_event_loop()
    lifespan = app.router.lifespan_context(app)
    state = loop.run_until_complete(lifespan.__aenter__())
    try:
        yield Sockless(config, loop, state)
    finally:
        loop.run_until_complete(lifespan.__aexit__(None, None, None))
        loop.close()
