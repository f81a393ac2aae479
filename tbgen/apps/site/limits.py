"""Limits of a server: what a request may ask and how long it may take, and of connections."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import Final

from tbgen.errors import UsageError
from tbgen.system.process import most_files

MOST_CONNECTIONS: Final = 500
"""The open connections of a process, if it may open enough files."""
ACCEPTED_AT_ONCE: Final = 8
"""Connections that asyncio accepts before it looks at any of them: fewer than may be open."""

_LEAST_CONNECTIONS: Final = 8
_FILES_OF_A_TABLE: Final = 4
"""Probes open two files of a table, and solved positions two more."""
_FILES_OF_A_CONNECTION: Final = 2
"""Its own, and that of a table that the client receives."""
_FILES_IN_FLIGHT: Final = 4 * ACCEPTED_AT_ONCE
"""The files of connections that are accepted and not yet counted, or closed and not yet freed."""


@dataclass(frozen=True)
class Limits:
    """Limits that the owner of a server may want to change. `/health` publishes them."""

    at_once: int = 2
    """Requests in work at the same time, in threads of one process."""
    waiting: int = 64
    """Requests that may wait for a thread; one more gets a refusal."""
    query_bytes: int = 4096
    body_bytes: int = 1 << 18
    positions: int = 1000
    """Positions in one body."""
    line_plies: int = 2000
    games: int = 500
    """Games in one body."""
    seconds: int = 10
    """The most seconds of work on one request."""


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


def connections_for(tables: int) -> int:
    """The connections that a process may have beside so many open tables.

    UsageError if its limit of open files leaves too few.
    """
    limit = most_files()
    kept_for_solved_blocks = limit // 8
    taken = len(os.listdir("/dev/fd")) + (_FILES_OF_A_TABLE * tables) + _FILES_IN_FLIGHT
    connections = (limit - kept_for_solved_blocks - taken) // _FILES_OF_A_CONNECTION
    if connections < _LEAST_CONNECTIONS:
        needed = (taken + (_FILES_OF_A_CONNECTION * _LEAST_CONNECTIONS)) * 8 // 7 + 1
        raise UsageError(
            f"{limit} open files are too few for these tables; allow more: ulimit -n {needed}"
        )
    return min(MOST_CONNECTIONS, connections)
