"""The laws of r-mobility that every table obeys, counted where they are broken.

* Entry law: if a side forces an outcome lower than the position's own code and than the accrued one, that is the
  entry value, at the same distance.
* Class law: an outcome lower than the accrued code is the same, at the same distance, whoever holds whatever code
  above it.
* Monotone law: a better accrued score is never worth less.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .level import RANKS
from .moves import BLACK, WHITE

Array = NDArray[Any]
Stream = Iterable[tuple[int, int, Array, Array]]


class Laws:
    """Watches the levels of a table, or of a block, go by in ascending order."""

    def __init__(self, side: Array, own: Array, entry: Array, dtg: Array) -> None:
        self.side, self.own, self.entry, self.dtg = side, own, entry, dtg
        self.forced = (np.zeros_like(entry), np.zeros_like(dtg))
        self.before: dict[int, Array] = {}
        self.broken: Counter[str] = Counter()
        self.pairs = self.breaks = 0

    def watch(self, stream: Stream) -> Counter[str]:
        """See all levels and return how often each law was broken."""
        for holder, code, value, plies in stream:
            inside = value != 0
            accrued = code + 1 if holder == WHITE else -(code + 1)
            self.pairs += int(np.count_nonzero(inside))
            self.breaks += int(np.count_nonzero(inside & (value != accrued) & (abs(value) > code)))
            self.count("domain", inside != ((self.own >= code) & (self.entry != 0)))
            self.count("goal", inside & ((plies == 0) != (value == accrued)))
            self.watch_entries(holder, code, value, plies)
            self.watch_classes(holder, code, value, plies)
            self.watch_order(holder, value, inside)
        return self.broken

    def count(self, law: str, broken: Array) -> None:
        """Note how often a law is broken."""
        self.broken[law] += int(np.count_nonzero(broken))

    def watch_entries(self, holder: int, code: int, value: Array, plies: Array) -> None:
        """The entry law, and that an entry value is the value with the own score just accrued."""
        differs = (value != self.entry) | (plies != self.dtg)
        forced = abs(self.entry) - 1 < np.minimum(self.own, code)
        self.count("entry law", (value != 0) & forced & differs)
        self.count("entry", (value != 0) & (self.own == code) & (self.side != holder) & differs)

    def watch_classes(self, holder: int, code: int, value: Array, plies: Array) -> None:
        """The class law; an outcome is first found by White's level just above it."""
        forced, distance = self.forced
        self.count("class law", (value != 0) & (forced != 0) & ((value != forced) | (plies != distance)))
        found = (value != 0) & (forced == 0) & (abs(value) - 1 < code)
        late = found & (abs(value) - 1 < code - 1) if holder == WHITE and code > 2 else found & (holder == BLACK)
        self.count("class law", late)
        forced[found], distance[found] = value[found], plies[found]

    def watch_order(self, holder: int, value: Array, inside: Array) -> None:
        """The monotone law, between neighbours in the order of accrued scores."""
        rank = value % RANKS
        if holder in self.before:
            worse = self.before[holder] > rank if holder == WHITE else self.before[holder] < rank
            self.count("monotone law", inside & worse)
        if holder == BLACK:
            self.count("monotone law", inside & (self.before[WHITE] > rank))
        self.before[holder] = rank
