"""One level of one block: every position's value with one accrued score, by attractors, ply by ply.

Values are signed: +(code + 1) for an outcome White holds, -(code + 1) for Black; 0 stands for none.
`rank` puts them in the one order, White's best first.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from .moves import BLACK, WHITE

RANKS = 512


class Graph(NamedTuple):
    """The nodes of a block and, for each node, those with a move to it, highest own code first.

    Positions come first, exits last; an exit has own code 0, so that every level takes it as known.
    """

    side: NDArray[np.int8]
    own: NDArray[np.uint8]
    moves: NDArray[np.uint8]
    start: NDArray[np.int64]
    sources: NDArray[np.int32]
    positions: int


def outcome(holder: int, code: int) -> int:
    """The signed number of an outcome."""
    return code + 1 if holder == WHITE else -(code + 1)


def rank(value: int) -> int:
    """The place of an outcome in the one order, White's best first."""
    return value % RANKS


@njit(cache=True)
def attract(graph, code, attacker, result, goals, value, plies, moves_left, queue):
    """Give `result` to the positions from which `attacker` forces one of the goals, in order of distance.

    The goals are the exits with that result, nearest first. A position of the attacker joins with its first
    move into the growing set, one of the other side with its last (moves to better results counted before).
    """
    head = tail = goal = 0
    while goal < len(goals) or head < tail:
        if head == tail or (goal < len(goals) and plies[goals[goal]] <= plies[queue[head]]):
            node = goals[goal]
            goal += 1
        else:
            node = queue[head]
            head += 1
        for edge in range(graph.start[node], graph.start[node + 1]):
            source = graph.sources[edge]
            if graph.own[source] < code:
                break  # all further ones are exits themselves
            if value[source] != 0:
                continue
            if graph.side[source] != attacker:
                moves_left[source] -= 1
                if moves_left[source] > 0:
                    continue
            value[source] = result
            plies[source] = plies[node] + 1
            queue[tail] = source
            tail += 1


@njit(cache=True)
def has_players(graph, code):
    """For each node, whether it is an exit of the level that some position of the level has a move to."""
    useful = np.zeros(len(graph.own), dtype=np.bool_)
    for node in range(len(graph.own)):
        edge = graph.start[node]
        if graph.own[node] < code and edge < graph.start[node + 1]:
            useful[node] = graph.own[graph.sources[edge]] >= code
    return useful


def sorted_goals(
    graph: Graph, code: int, entry: NDArray[np.int16], dtg: NDArray[np.int16]
) -> list[tuple[int, NDArray[np.int64]]]:
    """The exits of a level by outcome, White's best first, and within an outcome the nearest first."""
    nodes = np.flatnonzero(has_players(graph, code))
    ranks = entry[nodes].astype(np.int64) % RANKS
    order = np.argsort(ranks * 65536 + dtg[nodes], kind="stable")
    nodes, ranks = nodes[order], ranks[order]
    starts = np.flatnonzero(np.diff(ranks, prepend=-1))
    return [(int(entry[group[0]]), group) for group in np.split(nodes, starts[1:]) if len(group)]


Level = tuple[NDArray[np.int16], NDArray[np.int16]]


def solve_level(
    graph: Graph,
    holder: int,
    code: int,
    entry: NDArray[np.int16],
    dtg: NDArray[np.int16],
    goals: list[tuple[int, NDArray[np.int64]]],
) -> Level:
    """Value and plies of every node with that score accrued, or of its entry if its own code is lower.

    White forces what is better than the accrued score, Black what is worse, each from its best outcome on.
    What neither can force away from the accrued score is worth it.
    """
    accrued = outcome(holder, code)
    known = graph.own < code
    value = np.where(known, entry, 0).astype(np.int16)
    plies = np.where(known, dtg, 0).astype(np.int16)
    queue = np.empty(graph.positions, dtype=np.int32)
    for attacker, ordered in ((WHITE, goals), (BLACK, goals[::-1])):
        moves_left = graph.moves.copy()
        for result, nodes in ordered:
            better = rank(result) < rank(accrued) if attacker == WHITE else rank(result) > rank(accrued)
            if better:
                attract(graph, code, attacker, result, nodes, value, plies, moves_left, queue)
    value[value == 0] = accrued
    return value, plies
