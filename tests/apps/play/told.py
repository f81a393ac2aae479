"""What the player says to a host that waits for its answers."""

from __future__ import annotations

import threading

HUNG_SECONDS = 300
"""A player that is silent for so long hangs, however busy the machine is."""


class Told:
    """The lines that the player has written so far."""

    def __init__(self) -> None:
        self.lines = list[str]()
        self._written = threading.Condition()

    def write(self, text: str) -> None:
        """Take what the player says; any of its threads calls it."""
        with self._written:
            self.lines += text.splitlines()
            self._written.notify_all()

    def wait_for(self, word: str, times: int = 1) -> None:
        """Wait until so many lines have a word."""

        def is_told() -> bool:
            return sum(word in line for line in self.lines) >= times

        with self._written:
            assert self._written.wait_for(is_told, HUNG_SECONDS), (word, self.lines)
