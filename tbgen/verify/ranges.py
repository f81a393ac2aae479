"""Ranges of indices that threads search side by side."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from typing import NamedTuple, cast

from tbgen.verify.report import TellPhase
from tbgen.verify.resets import EVERYTHING_FINE


class Range(NamedTuple):
    """Some indices."""

    number: int
    """How many ranges come before it."""
    first: int
    end: int
    """The index after the last."""


def ranges_of(step: int, first: int, end: int) -> list[Range]:
    return [
        Range(number, start, min(start + step, end))
        for number, start in enumerate(range(first, end, step))
    ]


@dataclass(frozen=True)
class Searchers:
    """Threads that look for what is wrong."""

    pool: ThreadPoolExecutor
    progress: TellPhase

    def wrong(
        self, phase: str, look: Callable[[Range], int], ranges: Sequence[Range], most: int
    ) -> Iterator[int]:
        """The lowest index that `look` finds in each range. `most` is where the phase ends."""
        indices = cast("Generator[int, None, None]", self.pool.map(look, ranges))
        with closing(indices):  # which cancels the rest, however the loop ends
            for part, index in zip(ranges, indices, strict=True):
                if index != EVERYTHING_FINE:
                    yield index
                self.progress(phase, part.end, most)
