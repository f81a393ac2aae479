"""How long a table that is being made will still take: from the plan's cost, and from what its phases took so far.

The share of positions that are decided says how far the solver is, and nothing of the writing that comes after it,
which for most tables takes longer. So solving counts for its share of the whole, as it was in tables of the same class.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tbgen.library.costs import Balance, class_of
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

AFTER_SOLVING = ("writing", "record")
"""Phases that come when all is solved."""

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
        """The seconds to come; `done` is how much of the solving is over.

        What was planned and what was seen count by how much was seen; when all is solved, both the same.
        """
        if phase in AFTER_SOLVING:
            if self.solved_at is None:
                self.solved_at = elapsed
            whole = math.sqrt(self.seconds * self.solved_at / self.solving)
        else:
            whole = (1 - done) * self.seconds + elapsed / self.solving
        return max(whole - elapsed, elapsed / 10)


def solving_share(material: Material, measured: Iterable[tuple[Material, FileRecord]]) -> float:
    """What of the time solving takes, by the tables of the same class that are there."""
    shares = [
        1 - sum(made.phase_seconds.get(phase, 0.0) for phase in AFTER_SOLVING) / made.wall_seconds
        for other, made in measured
        if class_of(other) == class_of(material)
        and made.wall_seconds is not None
        and made.wall_seconds >= _TELLING_SECONDS
        and "writing" in made.phase_seconds
    ]
    share = sum(shares) / len(shares) if shares else SOLVING[class_of(material)]
    return min(max(share, 0.05), 0.95)
