"""Runs the application: the settings of uvicorn, in one process or many."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any, Final

import uvicorn
from uvicorn.supervisors import Multiprocess

from tbgen.apps.site.addresses import WAITING_OUTSIDE
from tbgen.apps.site.connection import Connection
from tbgen.apps.site.limits import ACCEPTED_AT_ONCE
from tbgen.apps.site.log import LOG
from tbgen.apps.site.metrics import SHARED

_LAST_SECONDS: Final = 3
"""Seconds for the last answers: the server ends within five seconds."""
_LOADING_SECONDS: Final = 120
"""Seconds that a worker may be silent: of 64 on two cores, each loads for more than five."""


def config_for(app: Any, **more: Any) -> uvicorn.Config:
    """The settings with which uvicorn runs an application, or a factory by its name."""
    return uvicorn.Config(
        app,
        http=Connection,
        loop="asyncio",
        ws="none",
        backlog=ACCEPTED_AT_ONCE,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        log_config=LOG,
        log_level="warning",
        timeout_graceful_shutdown=_LAST_SECONDS,
        timeout_worker_healthcheck=_LOADING_SECONDS,
        **more,
    )


def serve(factory: str, listening: socket.socket, workers: int) -> None:
    """Answer on a socket until a signal comes, in so many processes."""
    config = config_for(
        factory,
        factory=True,
        workers=workers,
        callback_notify=partial(_keep_many_waiting, listening),
    )
    server = uvicorn.Server(config)
    with suppress(KeyboardInterrupt):
        if workers == 1:
            server.run(sockets=[listening])
        else:
            with TemporaryDirectory(prefix="tbgen-metrics-") as shared:
                os.environ[SHARED] = shared
                Multiprocess(config, sockets=[listening]).run()


async def _keep_many_waiting(listening: socket.socket) -> None:
    """Let the system queue many connections.

    asyncio sets the queue to the number that it accepts at once.
    """
    listening.listen(WAITING_OUTSIDE)
