"""Values and distances checked one ply at a time: a proof that shares nothing with the way they were found.

Values are right if each is the best over the moves, and each that differs from the accrued score comes with
a distance that falls by one along its line: then the forcing side gets there, and the other cannot be made to
leave an accrued score that is its best. Only the right distances obey their own one-ply rule.
"""

import numpy as np
from numba import njit

from .level import RANKS
from .moves import WHITE
from .solver import ReferenceTable

NONE = -1


@njit
def best_arrivals(graph, code, value):
    """For each position the rank of the best value among its moves."""
    best = np.full(graph.positions, NONE, dtype=np.int64)
    for node in range(len(graph.own)):
        arrival = value[node] % RANKS
        for source in graph.sources[graph.start[node] : graph.start[node + 1]]:
            is_better = arrival < best[source] if graph.side[source] == WHITE else arrival > best[source]
            if graph.own[source] >= code and (best[source] == NONE or is_better):
                best[source] = arrival
    return best


@njit
def distances(graph, code, value, plies, best):
    """For each position the smallest and the largest distance among the moves to the best value."""
    smallest = np.full(graph.positions, 32767, dtype=np.int64)
    largest = np.full(graph.positions, NONE, dtype=np.int64)
    for node in range(len(graph.own)):
        for source in graph.sources[graph.start[node] : graph.start[node + 1]]:
            if graph.own[source] >= code and value[node] % RANKS == best[source]:
                smallest[source] = min(smallest[source], plies[node])
                largest[source] = max(largest[source], plies[node])
    return smallest, largest


def faults(table: ReferenceTable) -> tuple[int, int]:
    """How many pairs of the table were checked, and how many break the one-ply rules."""
    checked = wrong = 0
    for placement in table.placements:
        block = table.block(placement)
        graph, own, side = block.graph, block.nodes.own, block.nodes.side
        for code in block.codes:
            for holder, (value, plies) in block.levels(code):
                inside = own >= code
                arrived = (own == code) & (side != holder)
                value, plies = value.astype(np.int64), plies.astype(np.int64)
                is_entry = (value == block.entry)[: len(own)] & (plies == block.dtg)[: len(own)]
                accrued = (code + 1 if holder == WHITE else -(code + 1)) % RANKS
                best = best_arrivals(graph, code, value)
                smallest, largest = distances(graph, code, value, plies, best)
                forcing = np.where(best < accrued, 0, 1)
                expected = np.where(side == forcing, smallest, largest) + 1
                expected[best == accrued] = 0
                right = (value[: len(own)] % RANKS == best) & (plies[: len(own)] == expected)
                checked += int(np.count_nonzero(inside))
                wrong += int(np.count_nonzero(inside & ~right)) + int(np.count_nonzero(arrived & ~is_entry))
    return checked, wrong
