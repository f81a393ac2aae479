"""The fifty-move rule in whole tables, slowly.

Every position is asked with every accrued score and every number of plies left. With no plies left
a pair of position and accrued score is worth the score. With n plies left it is worth the best of
what its moves lead to with n - 1. Mate, stalemate and what starts the clock anew end that: a reset,
and under `reset` a score below both the cutoff and the accrued one. What follows those is an entry
value.

A *rank* is an outcome as `code.py` numbers it, modulo 512: the least is White's best.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from .code import RANKS, outcome
from .jit import njit
from .material import material_of
from .moves import BLACK, WHITE
from .solver import LOWEST_CODE, Block, ReferenceTable

PLIES = 100
CUTOFF = 12

Ranks = NDArray[np.int16]


@njit
def take_best(side, first, targets, arrival, found):
    """The best rank that the moves of each position lead to.

    `arrival` has that of each node that is arrived at.
    """
    for node in range(len(side)):
        if first[node] == first[node + 1]:
            continue
        best = arrival[targets[first[node]]]
        for edge in range(first[node] + 1, first[node + 1]):
            rank = arrival[targets[edge]]
            if (rank < best) == (side[node] == 0) and rank != best:
                best = rank
        found[node] = best


class Clocked:
    """A block in which some codes can have accrued, and values of all its pairs, a ply more at a time."""

    def __init__(self, block: Block, codes: range, rule: str, cutoff: int = CUTOFF) -> None:
        graph = block.graph
        self.codes = codes
        self.rule = rule
        self.cutoff = cutoff
        self.positions = graph.positions
        self.side = graph.side
        self.own = graph.own.astype(np.int64)
        self.entry = block.entry % RANKS
        reached = np.repeat(np.arange(len(graph.start) - 1), np.diff(graph.start)).astype(np.int32)
        self.targets = reached[np.argsort(graph.sources, kind="stable")]
        self.first = np.concatenate(([0], np.cumsum(graph.moves, dtype=np.int64)))
        accrued = [
            [outcome(holder, code) % int(RANKS) for code in codes] for holder in (WHITE, BLACK)
        ]
        self.ranks = np.repeat(np.array(accrued, np.int16)[:, :, None], self.positions, axis=2)
        """[holder, code, position] with the plies that are left."""
        self.left = 0

    def go_on(self) -> bool:
        """Values with a ply more left; whether any has changed."""
        after = np.empty_like(self.ranks)
        for holder in (WHITE, BLACK):
            for number, code in enumerate(self.codes):
                after[holder, number] = self.ranks[holder, number]
                arrival = self._arrival(holder, number, code)
                take_best(self.side, self.first, self.targets, arrival, after[holder, number])
        changed = not np.array_equal(after, self.ranks)
        self.ranks = after
        self.left += 1
        return changed

    def _arrival(self, holder: int, number: int, code: int) -> Ranks:
        """What each node is worth to those who arrive there with a score accrued, and use up a ply."""
        arrival = self.entry.copy()
        stays = np.flatnonzero(self.own[: self.positions] >= code)
        arrival[stays] = self.ranks[holder, number, stays]
        own = self.own[: self.positions]
        least = self.cutoff if self.rule == "reset" else LOWEST_CODE
        lower = np.flatnonzero((least <= own) & (own < code))
        if self.rule != "reset" and self.left == 0:
            # The position that triggers the rule does not count.
            arrival[lower] = outcome(holder, code) % int(RANKS)
        else:
            holders = 1 - self.side[lower]
            arrival[lower] = self.ranks[holders, own[lower] - self.codes.start, lower]
        return arrival


def clocked(block: Block, rule: str, code: int, cutoff: int = CUTOFF) -> Clocked:
    """The codes that count where a code has accrued.

    They are those that can be reached without starting the clock anew.
    """
    highest = max(code, int(block.nodes.own.max()))
    if rule != "reset":
        codes = range(LOWEST_CODE, highest + 1)
    elif code <= cutoff:
        codes = range(code, code + 1)
    else:
        codes = range(cutoff, highest + 1)
    return Clocked(block, codes, rule, cutoff)


@dataclass
class FiftyTable(ReferenceTable):
    """Entry values under the fifty-move rule with the clock at 0.

    It is at 0 in all tables that the material leads to, too. `dtg` means nothing here.
    """

    rule: str = "reset"

    def _solve(self, block: Block) -> None:
        for codes in self._groups(block.codes):
            if not np.isin(block.nodes.own, codes).any():
                continue
            values = Clocked(block, codes, self.rule)
            while values.left < PLIES:
                has_changed = values.go_on()
                if self.rule == "reset" and not has_changed:
                    break  # nothing will change any more
            for code in codes:
                for holder in (WHITE, BLACK):
                    arrived = np.flatnonzero(
                        (block.nodes.own == code) & (block.nodes.side != holder)
                    )
                    ranks = values.ranks[holder, code - codes.start, arrived]
                    block.entry[arrived] = np.where(ranks < RANKS // 2, ranks, ranks - RANKS)

    def _groups(self, codes: range) -> Iterator[range]:
        """Codes that are solved together.

        An improvement among them does not start the clock anew.
        """
        together = codes.start
        if self.rule == "reset":
            together = min(CUTOFF, codes.stop)
        for code in range(codes.start, together):
            yield range(code, code + 1)
        if together < codes.stop:
            yield range(together, codes.stop)

    def _child(self, name: str) -> ReferenceTable:
        return solve_clocked(name, self.rule)


@cache
def solve_clocked(name: str, rule: str) -> FiftyTable:
    """The entry values of a material such as "KBvK" with the clock at 0.

    They are those of one position of each symmetry class.
    """
    return FiftyTable(material_of(name), True, rule=rule)
