"""Watching: who is told how much of some work is done."""

from collections.abc import Callable

Watch = Callable[[float], None]
"""Is told the part of the work that is done."""


def unwatched(done: float) -> None:
    """No progress."""


def tell_nobody(*_facts: object) -> None:
    """Take the place of a listener where nobody wants to hear."""
