"""The plan of a closure: what solving it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tbgen.material import MOST_TABLE_MEN, Role
from tbgen.position.bracket import SolvePlan
from tbgen.position.closure import Closure, Kind, Node

_CELL_BYTES, _CHILD_CELL_BYTES = 40, 3
"""Memory of a cell of the block that is solved, and of the values that are read for it."""
_CELL_DISK_BYTES = 1
_PROGRAM_BYTES = 1 << 29


@dataclass(frozen=True)
class Batch:
    """Positions that are to be solved together, each block once."""

    positions: int
    refused: int
    """Positions beside those that take too much, or lack a table."""
    closures: Sequence[Closure]
    """One for each number of men up to which promotions are solved."""

    @cached_property
    def plans(self) -> list[SolvePlan]:
        """The cost of each closure."""
        return [plan_of(closure) for closure in self.closures]


def plan_of(closure: Closure) -> SolvePlan:
    """The cost of solving a closure; where memory is scarce, both bounds take turns."""
    passes = {node: 1 + (node in closure.inexact) for node in closure.edges}
    cells = sum(node.cells * times for node, times in passes.items())
    edges = [edge for some in closure.edges.values() for edge in some]
    bounds = {edge.child.material.canonical() for edge in edges if edge.kind is Kind.BOUND}
    return SolvePlan(
        nodes=len(closure.edges),
        cells=cells,
        cpu_seconds=round(sum(node.cpu_seconds * times for node, times in passes.items()), 1),
        memory_bytes=_PROGRAM_BYTES + max((memory_of(closure, node) for node in passes), default=0),
        disk_bytes=cells * _CELL_DISK_BYTES,
        exact=not closure.inexact,
        most_free=closure.most_free,
        missing=tuple(sorted(str(each) for each in bounds if each.men <= MOST_TABLE_MEN)),
    )


def memory_of(closure: Closure, node: Node) -> int:
    """Bytes of one pass of a node."""
    edges = [edge for edge in closure.edges[node] if edge.kind is not Kind.BOUND]
    kept = sum(child.cells for child in {edge.child for edge in edges if edge.reset.role is Role.KING})
    promoted = {edge.child for edge in edges if edge.reset.role is not Role.KING}
    copied = node.cells // 2 * len(promoted) + max((child.cells for child in promoted), default=0) // 2
    return node.cells * _CELL_BYTES + _CHILD_CELL_BYTES * (kept + copied)
