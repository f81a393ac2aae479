"""The pace of a solve."""

import pytest

from tbgen.closures import pace
from tbgen.closures.pace import SolvePace
from tbgen.errors import SolveOverrunError


class Clock:
    """Time that passes as the test says."""

    def __init__(self) -> None:
        self.used = 0.0
        self.total = 0.0
        """The seconds for compiling, as a stopwatch has them."""

    def process_time(self) -> float:
        return self.used


def test_compiling_does_not_count_as_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(pace, "time", clock)
    monkeypatch.setattr(pace, "stopwatch", clock)
    clock.total = 50.0  # before the solve
    solve = SolvePace("KPvK", expected=10.0, overrun=2.0)
    clock.total += 400.0
    clock.used = 400.0 + pace.SPARE_SECONDS + 20.0
    solve.check()
    clock.used += 1.0
    with pytest.raises(SolveOverrunError, match="stopped after 121 CPU seconds"):
        solve.check()
