"""The fifty-move rule in whole tables, slowly.

Every position is asked with every accrued score and every number of plies left. With no plies left
a pair of position and accrued score is worth the score. With n plies left it is worth the best of
the values that its moves lead to with n - 1.

Mate, stalemate and whatever starts the clock anew end that. A reset starts it anew, and so does a
score below both the cutoff and the accrued one under the rule `reset`. The value is then the entry
value of the position reached.

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
"""The code of the default cutoff, G6.0."""

Ranks = NDArray[np.int16]


@njit
def take_best(side, first, targets, arrival, ranks):
    """Give each position that has moves the best rank that one of them leads to.

    `arrival` has the rank of each node for a side that arrives there.
    """
    for node in range(len(side)):
        if first[node] == first[node + 1]:
            continue
        best = arrival[targets[first[node]]]
        for edge in range(first[node] + 1, first[node + 1]):
            rank = arrival[targets[edge]]
            if side[node] == WHITE:
                best = min(best, rank)
            else:
                best = max(best, rank)
        ranks[node] = best


def rank_of(holder: int, code: int) -> int:
    return outcome(holder, code) % int(RANKS)


class Clocked:
    """The values of a block's pairs with some accrued codes, and one more ply left at a time."""

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
        """[move] -> the node that it leads to, position by position"""
        self.first = np.concatenate(([0], np.cumsum(graph.moves, dtype=np.int64)))
        """[position] -> the first of its moves"""
        self.ranks = np.empty((2, len(codes), self.positions), np.int16)
        """[holder, code, position] -> its rank with the plies that are left"""
        self.left = 0
        for holder in (WHITE, BLACK):
            for number, code in enumerate(codes):
                self.ranks[holder, number] = rank_of(holder, code)

    def go_on(self) -> bool:
        """Find the values with one more ply left. Returns whether any has changed."""
        after = self.ranks.copy()
        for holder in (WHITE, BLACK):
            for number, code in enumerate(self.codes):
                arrival = self._arrival(holder, number, code)
                take_best(self.side, self.first, self.targets, arrival, after[holder, number])
        has_changed = not np.array_equal(after, self.ranks)
        self.ranks = after
        self.left += 1
        return has_changed

    def _arrival(self, holder: int, number: int, code: int) -> Ranks:
        """The rank of each node for a side that arrives there with a score accrued."""
        arrival = self.entry.copy()
        own = self.own[: self.positions]
        stays = np.flatnonzero(own >= code)
        arrival[stays] = self.ranks[holder, number, stays]
        least = self.cutoff if self.rule == "reset" else LOWEST_CODE
        lower = np.flatnonzero((least <= own) & (own < code))
        if self.rule != "reset" and self.left == 0:
            # The position that triggers the rule does not count.
            arrival[lower] = rank_of(holder, code)
        else:
            holders = 1 - self.side[lower]
            arrival[lower] = self.ranks[holders, own[lower] - self.codes.start, lower]
        return arrival


def clocked(block: Block, rule: str, code: int, cutoff: int = CUTOFF) -> Clocked:
    """A block with the codes that count where a code has accrued.

    They are the codes that can accrue from there without starting the clock anew.
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
