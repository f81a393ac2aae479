"""How many moves keep what a position is worth, edge by edge of a solved block."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .moves import PAWN
from .solver import LOWEST_CODE, Block, ReferenceTable

Counts = NDArray[np.int64]


def kept_in(block: Block) -> tuple[Counts, Counts]:
    """[position] -> how many moves keep its result of ordinary chess, and how many its entry value.

    A move leads to a value with the score that the position has by itself.
    """
    graph = block.graph
    own = graph.own.astype(np.int64)
    targets = np.repeat(np.arange(len(own)), np.diff(graph.start))
    sources = graph.sources
    after = np.zeros(len(targets), dtype=np.int64)
    for code in range(LOWEST_CODE, int(own.max()) + 1):
        for holder in (0, 1):
            edges = np.flatnonzero((own[sources] == code) & (graph.side[sources] != holder))
            if not len(edges):
                continue
            reached = targets[edges]
            value, _ = block.values(holder, code)
            after[edges] = np.where(own[reached] < code, block.entry[reached], value[reached])
    before = block.entry[sources].astype(np.int64)
    positions = graph.positions
    same_result = result_of(after) == result_of(before)
    return (
        np.bincount(sources[same_result], minlength=positions),
        np.bincount(sources[after == before], minlength=positions),
    )


def result_of(outcome: Counts) -> Counts:
    """1 if White mates, -1 if Black does, else 0."""
    return outcome * (abs(outcome) == 1)


def squares_in(table: ReferenceTable, block: Block) -> Counts:
    """[position] -> the side to move, and the square of each man in the order of the name."""
    cell = block.nodes.cell
    squares = np.zeros((len(cell), 1 + table.material.men), dtype=np.int64)
    squares[:, 1 + np.array(table.material.pawns, dtype=np.int64)] = block.placement
    for man in reversed(range(table.material.men)):
        if table.material.roles[man] != PAWN:
            cell, squares[:, 1 + man] = np.divmod(cell, 64)
    squares[:, 0] = cell
    return squares
