"""The plan of a closure: what solving it takes."""

from __future__ import annotations

from tbgen.material import MOST_TABLE_MEN, Role
from tbgen.position.bracket import SolvePlan
from tbgen.position.closure import Closure, Kind, Node

_CELL_BYTES, _CHILD_CELL_BYTES = 40, 3
"""Memory of a cell of the block that is solved, and of the values that are read for it."""
_CELL_DISK_BYTES = 1
_PROGRAM_BYTES = 1 << 29


def plan_of(closure: Closure, threads: int = 2) -> SolvePlan:
    """What it takes to solve a closure; of two threads each solves with one bound."""
    passes = {node: 1 + (node in closure.inexact) for node in closure.edges}
    cells = sum(node.cells * times for node, times in passes.items())
    edges = [edge for some in closure.edges.values() for edge in some]
    bounds = {edge.child.material.canonical() for edge in edges if edge.kind is Kind.BOUND}
    return SolvePlan(
        nodes=len(closure.edges),
        cells=cells,
        cpu_seconds=round(sum(node.cpu_seconds * times for node, times in passes.items()), 1),
        memory_bytes=_PROGRAM_BYTES
        + max(_memory_of(closure, node) * min(times, threads) for node, times in passes.items()),
        disk_bytes=cells * _CELL_DISK_BYTES,
        exact=not closure.inexact,
        most_free=closure.most_free,
        missing=tuple(sorted(str(each) for each in bounds if each.men <= MOST_TABLE_MEN)),
    )


def _memory_of(closure: Closure, node: Node) -> int:
    """Bytes of one pass of a node."""
    edges = [edge for edge in closure.edges[node] if edge.kind is not Kind.BOUND]
    kept = sum(child.cells for child in {edge.child for edge in edges if edge.reset.role is Role.KING})
    promoted = {edge.child for edge in edges if edge.reset.role is not Role.KING}
    copied = node.cells // 2 * len(promoted) + max((child.cells for child in promoted), default=0) // 2
    return node.cells * _CELL_BYTES + _CHILD_CELL_BYTES * (kept + copied)
