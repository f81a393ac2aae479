"""The pace of a solve: how much of it is done."""

import threading
import time
from typing import Final

from tbgen.system.watching import Watch, unwatched

TICK_SECONDS: Final = 0.5
"""The time between two looks at blocks that are being solved."""

_MOST_OF_RUNNING: Final = 0.95
"""A block that is being solved counts as this part of its plan at most."""

_SHARE_OF_QUESTION: Final = 0.75
"""A question counts as this part of what is left, because its answer may lead to others."""


class SolvePace:
    """Tells a watch how much of a solve is done; the part never falls.

    It counts in CPU seconds of the plan. While a block is being solved, the CPU time since the last
    one counts.
    """

    def __init__(self, watch: Watch = unwatched) -> None:
        self._watch = watch
        self._lock = threading.Lock()
        self._before = 0.0
        """The part that was told before this question."""
        self._told = 0.0
        self._expected = 1.0
        """The planned seconds of the question."""
        self._done = 0.0
        """The planned seconds of its solved blocks."""
        self._last_block = time.process_time()

    def begin(self, expected: float) -> None:
        """Begin with a question that takes so many seconds by the plan."""
        self._before = self._told
        self._expected = max(expected, 1e-3)
        self._done = 0.0
        self._last_block = time.process_time()

    def finish(self, planned: float) -> None:
        """Count a solved block with its planned seconds; several threads may."""
        with self._lock:
            self._done += planned
            self._last_block = time.process_time()
            self._tell(self._done)

    def tick(self, running: float) -> None:
        """Blocks with so many planned seconds are still being solved."""
        with self._lock:
            taken = time.process_time() - self._last_block
            self._tell(self._done + min(taken, _MOST_OF_RUNNING * running))

    def _tell(self, seconds: float) -> None:
        part = _SHARE_OF_QUESTION * min(1.0, seconds / self._expected)
        self._told = max(self._told, self._before + (1 - self._before) * part)
        self._watch(self._told)
