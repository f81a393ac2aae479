"""Watching: who is told how much of some work is done."""

from collections.abc import Callable

Watch = Callable[[float], None]
"""Is told the part of the work that is done."""


WatchTable = Callable[[str, int | None, float, int], None]
"""Is told the phase, an accrued code or None, the part done, the decided positions; by any thread.
"""


def unwatched(done: float) -> None:
    """No progress."""


def tell_nobody(*_facts: object) -> None:
    """Take the place of a listener where nobody wants to hear."""
