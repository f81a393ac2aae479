"""A watcher that keeps what it is told of a build."""

from __future__ import annotations

from tbgen.errors import TbgenError
from tbgen.library.build import Built, Watcher
from tbgen.material import Material


class Recorder(Watcher):
    def __init__(self) -> None:
        self.made: list[str] = []
        self.lost: list[str] = []
        self.failures: list[str] = []
        self.forecasts: list[float] = []

    def built(self, built: Built) -> None:
        self.made.append(str(built.finding.material))

    def again(self, material: Material, reason: str) -> None:
        self.lost.append(f"{material} {reason}")

    def failed(self, error: TbgenError) -> None:
        self.failures.append(str(error))

    def forecast(self, seconds: float) -> None:
        self.forecasts.append(seconds)
