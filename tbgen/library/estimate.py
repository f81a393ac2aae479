"""How long a table that is being made will still take: from the plan's cost, and from what its phases took so far.

The share of positions that are decided says little of the time that solving still takes: of five men, a tenth of the
levels takes half of it, where few positions are decided. The share of blocks says more, though the first blocks take
least. Nothing of it says what writing takes, so solving counts for its share of the whole, as it was in tables like it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tbgen.library.costs import Balance, class_of, is_large
from tbgen.library.manifest import FileRecord
from tbgen.material import Material

SOLVING: Mapping[tuple[Balance, bool], float] = {
    (Balance.BARE, False): 0.25,
    (Balance.BARE, True): 0.18,
    (Balance.DECIDED, False): 0.29,
    (Balance.DECIDED, True): 0.25,
    (Balance.EVEN, False): 0.38,
    (Balance.EVEN, True): 0.23,
}
"""[balance, whether there are pawns] -> what of the time solving takes, where no table of the folder says."""

SOLVING_LARGE: Mapping[tuple[Balance, bool], float] = {
    (Balance.BARE, False): 0.60,
    (Balance.BARE, True): 0.60,
    (Balance.DECIDED, False): 0.67,
    (Balance.DECIDED, True): 0.67,
    (Balance.EVEN, False): 0.83,
    (Balance.EVEN, True): 0.76,
}
"""The same for tables of large blocks."""

AFTER_SOLVING = ("writing",)
"""Phases that come when all is solved."""

BLOCKS = "blocks"
"""The phase whose share that is done says how much of the time is over."""

_BLOCKS_POWER = 1.4
"""The time goes with this power of the share of blocks: the last ones, whose pawns are far back, take longest."""

_TELLING_SECONDS = 0.5
"""Tables that took less say nothing of shares."""


@dataclass
class Estimate:
    """Of one table."""

    seconds: float
    """What the plan expects."""
    solving: float
    """What of them solving takes."""
    solved_at: float | None = None
    """When all was solved, in seconds from the beginning."""

    def left(self, elapsed: float, phase: str, done: float) -> float:
        """The seconds to come; `done` is how much of the solving is over, as its phase counts it.

        What blocks took counts by how many are done, what solving took for three quarters, and the plan for the rest.
        While a single block is solved there is only the plan, and what it says of writing, which is still to come.
        """
        if phase in AFTER_SOLVING:
            if self.solved_at is None:
                self.solved_at = elapsed
            return max(self._whole(self.solved_at, 0.75) - elapsed, elapsed / 30)
        if phase == BLOCKS:
            over = done**_BLOCKS_POWER
            whole = self._whole(elapsed / over, over) if over and elapsed else self.seconds
        else:
            whole = self.seconds
        return max(whole - elapsed, elapsed / self.solving - elapsed)

    def _whole(self, solving: float, weight: float) -> float:
        """The whole time, if what was seen says how long solving takes: the mean of that and of the plan."""
        return float(self.seconds ** (1 - weight) * (solving / self.solving) ** weight)


def solving_share(material: Material, measured: Iterable[tuple[Material, FileRecord]]) -> float:
    """What of the time solving takes, by the tables of the same class and size of blocks that are there."""
    shares = [
        1 - sum(made.phase_seconds.get(phase, 0.0) for phase in AFTER_SOLVING) / made.wall_seconds
        for other, made in measured
        if class_of(other) == class_of(material)
        and is_large(other) == is_large(material)
        and made.wall_seconds is not None
        and made.wall_seconds >= _TELLING_SECONDS
        and "writing" in made.phase_seconds
    ]
    usual = (SOLVING_LARGE if is_large(material) else SOLVING)[class_of(material)]
    share = sum(shares) / len(shares) if shares else usual
    return min(max(share, 0.05), 0.95)
