"""The pace of a solve: how much of it is done, and whether it takes far longer than planned."""

import math
import time
from typing import Final

from tbgen.compiled.notice import stopwatch
from tbgen.errors import SolveOverrunError
from tbgen.system.watching import Watch, unwatched

SPARE_SECONDS: Final = 100.0
"""CPU seconds that a solve may take besides, because plans of a few seconds are rough."""

TICK_SECONDS: Final = 0.5
"""The time between two looks at blocks that are being solved."""

_MOST_OF_RUNNING: Final = 0.95
"""A block that is being solved counts as this part of its plan at most."""


class SolvePace:
    """Tells a watch how much of a solve is done, and stops one that takes too long.

    It counts in CPU seconds of the plan. While a block is being solved, the CPU time since the last
    one counts. The first solve compiles its kernels, which took six minutes with numba 0.60. That
    time does not count as too long.

    Arguments:
        material: The name of what is solved.
        expected: The CPU seconds that the solve is expected to take.
        watch: Is told the part that is done. It never falls.
        overrun: The solve stops at so many times the expected seconds.
    """

    def __init__(
        self,
        material: str = "",
        expected: float = 0.0,
        watch: Watch = unwatched,
        overrun: float = math.inf,
    ) -> None:
        self._material = material
        self._expected = expected
        self._watch = watch
        self._overrun = overrun
        self._done = 0.0
        """The planned seconds of solved blocks."""
        self._told = 0.0
        """The part that the watch knows of."""
        self._began = time.process_time()
        self._compiled_before = stopwatch.total
        self._last_block = self._began

    def finish(self, planned: float) -> None:
        """Count a solved block with its planned seconds."""
        self._done += planned
        self._last_block = time.process_time()
        self._tell(self._done)
        self.check()

    def tick(self, running: float) -> None:
        """Blocks with so many planned seconds are still being solved."""
        taken = time.process_time() - self._last_block
        self._tell(self._done + min(taken, _MOST_OF_RUNNING * running))
        self.check()

    def check(self) -> None:
        """SolveOverrunError if the solve has taken too long."""
        compiling = stopwatch.total - self._compiled_before
        taken = time.process_time() - self._began - compiling
        if taken > self._overrun * self._expected + SPARE_SECONDS:
            raise SolveOverrunError(self._material, round(taken), round(self._expected))

    def _tell(self, seconds: float) -> None:
        # Later questions may make the whole more than was expected.
        total = max(seconds, self._expected)
        if total > 0:
            self._told = max(self._told, seconds / total)
        self._watch(self._told)
