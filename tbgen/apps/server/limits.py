"""Limits of a server: what a request may ask, how long it may take, and how many may come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tbgen.errors import UsageError
from tbgen.system.process import most_files

MOST_CONNECTIONS: Final = 500
"""The connections that a process answers at once, if it may open enough files."""

_LEAST_CONNECTIONS: Final = 8
_FILES_OF_A_TABLE: Final = 4
"""Probes open two files of a table, and solved positions two more."""
_FILES_OF_A_CONNECTION: Final = 2
"""Its own, and that of a table that the client receives."""
_OTHER_FILES: Final = 64
"""Of the process itself, and of solved blocks."""


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
    quiet_seconds: int = 30
    """The most seconds until a body has come, and until a client takes each part of an answer."""

    @property
    def silence(self) -> int:
        """The most seconds in which nothing is sent: a body comes, and is then worked on."""
        return self.quiet_seconds + self.seconds


def connections_for(tables: int) -> int:
    """The connections that a process may answer beside so many open tables.

    UsageError if its limit of open files leaves too few.
    """
    limit = most_files()
    taken = _FILES_OF_A_TABLE * tables + _OTHER_FILES
    connections = (limit - taken) // _FILES_OF_A_CONNECTION
    if connections < _LEAST_CONNECTIONS:
        needed = taken + _FILES_OF_A_CONNECTION * _LEAST_CONNECTIONS
        raise UsageError(
            f"{limit} open files are too few for these tables; allow more: ulimit -n {needed}"
        )
    return min(MOST_CONNECTIONS, connections)
