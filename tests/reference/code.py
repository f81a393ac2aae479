"""One accrued code of one block: every position's value with one accrued score.

They are found by attractors, ply by ply. Values are signed: +(code + 1) for an outcome White holds,
-(code + 1) for Black; 0 stands for none. Modulo 512 they stand in the one order, White's best first.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .jit import njit
from .moves import BLACK, WHITE

RANKS = np.int16(512)


class Graph(NamedTuple):
    """The nodes of a block and, for each node, those with a move to it, highest own code first.

    Positions come first, exits last; an exit has own code 0, so that every accrued code takes it as
    known.
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


def is_better(side: int, value: Any, other: int) -> Any:
    """Whether an outcome, or each of an array of them, is better than another for the side."""
    rank, other_rank = value % RANKS, other % RANKS  # White's best first
    return rank < other_rank if side == WHITE else rank > other_rank


Values = tuple[NDArray[np.int16], NDArray[np.int16]]


@njit
def attract(graph, code, attacker, result, goals, value, plies, moves_left, queue):
    """Give `result` to the positions from which `attacker` forces one of the goals.

    They come in order of distance. The goals are the exits with that result, nearest first. A
    position of the attacker joins with its first move into the growing set, one of the other side
    with its last (moves to better results counted before).
    """
    head = 0
    tail = 0
    goal = 0
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


@njit
def has_players(graph, code):
    """[node] whether it is an exit to which a position of own code `code` or higher has a move."""
    useful = np.zeros(len(graph.own), dtype=np.bool_)
    for node in range(len(graph.own)):
        edge = graph.start[node]
        if graph.own[node] < code and edge < graph.start[node + 1]:
            useful[node] = graph.own[graph.sources[edge]] >= code
    return useful


def sorted_goals(
    graph: Graph, code: int, entry: NDArray[np.int16], dtg: NDArray[np.int16]
) -> list[tuple[int, NDArray[np.int64]]]:
    """The exits by outcome, White's best first, and within an outcome the nearest first."""
    nodes = np.flatnonzero(has_players(graph, code))
    ranks = entry[nodes] % RANKS
    order = np.lexsort((dtg[nodes], ranks))
    nodes = nodes[order]
    ranks = ranks[order]
    starts = np.flatnonzero(np.diff(ranks, prepend=np.int16(-1)))
    return [(int(entry[group[0]]), group) for group in np.split(nodes, starts[1:]) if len(group)]


def forced(
    graph: Graph,
    attacker: int,
    code: int,
    entry: NDArray[np.int16],
    dtg: NDArray[np.int16],
    goals: list[tuple[int, NDArray[np.int64]]],
) -> Values:
    """The best outcome that the attacker can force, and in how many plies; 0 where it betters nothing.

    That is, if it is not even better than the other side's holding `code`. Outcomes are taken from
    the attacker's best on; exits have their entry's value.
    """
    known = graph.own < code
    value = np.where(known, entry, 0).astype(np.int16)
    plies = np.where(known, dtg, 0).astype(np.int16)
    moves_left = graph.moves.copy()
    queue = np.empty(graph.positions, dtype=np.int32)
    for result, nodes in goals if attacker == WHITE else goals[::-1]:
        if is_better(attacker, result, outcome(1 - attacker, code)):
            attract(graph, code, attacker, result, nodes, value, plies, moves_left, queue)
    return value, plies


def solve_code(
    graph: Graph, code: int, entry: NDArray[np.int16], dtg: NDArray[np.int16]
) -> Iterator[tuple[int, Values]]:
    """For each holder every node's value and plies with `code` accrued (the entry's if its own is lower).

    A side gets what it can force if that is better than the accrued score. What neither can force
    away from the accrued score is worth it. (What a side can force is found once: its order of
    outcomes is the same whoever holds, only the accrued score, where it stops, is not.)
    """
    goals = sorted_goals(graph, code, entry, dtg)
    forced_by = [forced(graph, attacker, code, entry, dtg, goals) for attacker in (WHITE, BLACK)]
    known = graph.own < code
    for holder in (WHITE, BLACK):
        accrued = outcome(holder, code)
        value = np.full_like(entry, accrued)
        plies = np.zeros_like(dtg)
        for attacker, (best, distance) in zip((WHITE, BLACK), forced_by, strict=True):
            wins = known | ((best != 0) & is_better(attacker, best, accrued))
            value[wins] = best[wins]
            plies[wins] = distance[wins]
        yield holder, (value, plies)
