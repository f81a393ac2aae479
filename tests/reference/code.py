"""One accrued code of one block: the value of every position with that code accrued.

Each side forces what it can, outcome by outcome and ply by ply. Outcomes are signed numbers:
code + 1 if White holds it, -(code + 1) if Black does, 0 for none. Modulo 512 they stand in the one
order of outcomes, White's best first.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .jit import njit
from .moves import BLACK, WHITE

RANKS = np.int16(512)

Nodes = NDArray[np.int64]
"""Numbers of nodes."""
Values = tuple[NDArray[np.int16], NDArray[np.int16]]
"""[node] -> its value, and the plies to that outcome."""


class Graph(NamedTuple):
    """The nodes of a block, and for each node those with a move to it, highest own code first.

    Positions come first, exits last. An exit has own code 0, so that every accrued code takes its
    value as known.
    """

    side: NDArray[np.int8]
    """[position] -> the side to move"""
    own: NDArray[np.uint8]
    """[node] -> its own code"""
    moves: NDArray[np.uint8]
    """[position] -> the number of its moves"""
    start: NDArray[np.int64]
    """[node] -> the first of `sources` with a move to it"""
    sources: NDArray[np.int32]
    positions: int


def outcome(holder: int, code: int) -> int:
    """The signed number of an outcome."""
    return code + 1 if holder == WHITE else -(code + 1)


def is_better(side: int, value: Any, other: int) -> Any:
    """Whether an outcome, or each of an array of them, is better than another for the side."""
    rank = value % RANKS
    other_rank = other % RANKS
    return rank < other_rank if side == WHITE else rank > other_rank


@njit
def attract(graph, code, forcer, result, goals, value, plies, moves_left, queue):
    """Give `result` to the positions from which `forcer` forces one of the goals.

    The goals are the known nodes with that result, nearest first, and positions join in order of
    distance. One of the forcer joins with its first move to a goal or to a position that has
    joined. One of the other side joins with its last: moves to results that are better for the
    forcer were counted before.
    """
    head = 0
    tail = 0
    goal = 0
    while goal < len(goals) or head < tail:
        has_goal = goal < len(goals)
        if head == tail or (has_goal and plies[goals[goal]] <= plies[queue[head]]):
            node = goals[goal]
            goal += 1
        else:
            node = queue[head]
            head += 1
        for edge in range(graph.start[node], graph.start[node + 1]):
            source = graph.sources[edge]
            if graph.own[source] < code:
                break  # the values of all further ones are known
            if value[source] != 0:
                continue
            if graph.side[source] != forcer:
                moves_left[source] -= 1
                if moves_left[source] > 0:
                    continue
            value[source] = result
            plies[source] = plies[node] + 1
            queue[tail] = source
            tail += 1


@njit
def known_and_led_to(graph, code):
    """[node] -> whether its value is known, and a position whose value is not has a move to it."""
    nodes = np.zeros(len(graph.own), dtype=np.bool_)
    for node in range(len(graph.own)):
        first = graph.start[node]
        has_sources = first < graph.start[node + 1]
        if graph.own[node] < code and has_sources:
            nodes[node] = graph.own[graph.sources[first]] >= code  # the first has the highest code
    return nodes


def goals_of(
    graph: Graph, code: int, entry: NDArray[np.int16], dtg: NDArray[np.int16]
) -> list[tuple[int, Nodes]]:
    """The known nodes by outcome, White's best first, and within an outcome the nearest first."""
    nodes = np.flatnonzero(known_and_led_to(graph, code))
    ranks = entry[nodes] % RANKS
    order = np.lexsort((dtg[nodes], ranks))
    nodes = nodes[order]
    is_first = np.diff(ranks[order], prepend=np.int16(-1)) != 0
    goals = []
    for group in np.split(nodes, np.flatnonzero(is_first)):
        if len(group):
            goals.append((int(entry[group[0]]), group))
    return goals


def forced(
    graph: Graph,
    forcer: int,
    code: int,
    entry: NDArray[np.int16],
    dtg: NDArray[np.int16],
    goals: list[tuple[int, Nodes]],
) -> Values:
    """The best outcome that the forcer can force from each node, and in how many plies.

    It is 0 where the forcer cannot even force more than that the other side holds `code`. Outcomes
    are taken from the forcer's best on. Nodes of a lower own code are known: they have their entry
    values.
    """
    is_known = graph.own < code
    value = np.where(is_known, entry, 0).astype(np.int16)
    plies = np.where(is_known, dtg, 0).astype(np.int16)
    moves_left = graph.moves.copy()
    queue = np.empty(graph.positions, dtype=np.int32)
    held_against = outcome(1 - forcer, code)
    best_first = goals if forcer == WHITE else goals[::-1]
    for result, nodes in best_first:
        if is_better(forcer, result, held_against):
            attract(graph, code, forcer, result, nodes, value, plies, moves_left, queue)
    return value, plies


def solve_code(
    graph: Graph, code: int, entry: NDArray[np.int16], dtg: NDArray[np.int16]
) -> Iterator[tuple[int, Values]]:
    """For each holder of `code`, the value and plies of every node with that score accrued.

    A node of a lower own code has its entry value. A side gets what it can force if that is better
    for it than the accrued score. If neither side can, the value is the accrued score, in 0 plies.

    A side can force the same whoever holds the code. Only the accrued score differs, where it
    stops.
    """
    goals = goals_of(graph, code, entry, dtg)
    forced_by = {side: forced(graph, side, code, entry, dtg, goals) for side in (WHITE, BLACK)}
    is_known = graph.own < code
    for holder in (WHITE, BLACK):
        accrued = outcome(holder, code)
        value = np.full_like(entry, accrued)
        plies = np.zeros_like(dtg)
        for forcer, (best, distance) in forced_by.items():
            gets = is_known | ((best != 0) & is_better(forcer, best, accrued))
            value[gets] = best[gets]
            plies[gets] = distance[gets]
        yield holder, (value, plies)
