"""Runs the application: the settings of uvicorn, in one process or many."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from tempfile import TemporaryDirectory
from typing import Any, Final

import uvicorn
from uvicorn.supervisors import Multiprocess

from tbgen.apps.server.metrics import SHARED

_LAST_SECONDS: Final = 3
"""Seconds for the last answers, when the server ends."""
_IDLE_SECONDS: Final = 75
"""Seconds that an idle connection is kept: nginx closes its own after 60, so that it never sends a
request into one that the server is closing."""
_LOADING_SECONDS: Final = 120
"""Seconds that a worker may be silent: of 64 on two cores, each loads for more than five."""


def config_for(app: Any, **more: Any) -> uvicorn.Config:
    """The settings with which uvicorn runs an application, or a factory by its name.

    h11 bounds the head of a request by 64 kB, and sends no chunks to clients of HTTP/1.0.
    """
    return uvicorn.Config(
        app,
        http="h11",
        loop="asyncio",
        ws="none",
        access_log=False,
        server_header=False,
        log_level="warning",
        timeout_keep_alive=_IDLE_SECONDS,
        timeout_graceful_shutdown=_LAST_SECONDS,
        timeout_worker_healthcheck=_LOADING_SECONDS,
        **more,
    )


def serve(factory: str, listening: socket.socket, workers: int, connections: int) -> None:
    """Answer on a socket until a signal comes, in so many processes.

    Each answers so many connections at once, and refuses more with status 503.
    """
    config = config_for(factory, factory=True, workers=workers, limit_concurrency=connections)
    with suppress(KeyboardInterrupt):
        if workers == 1:
            uvicorn.Server(config).run(sockets=[listening])
        else:
            with TemporaryDirectory(prefix="tbgen-metrics-") as shared:
                os.environ[SHARED] = shared
                Multiprocess(config, sockets=[listening]).run()
