"""The solver of closures: each node after those that it leads to, once with each bound if it leads to bounds."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Executor

import numpy as np

from tbgen.compiled.folders import source_digest
from tbgen.position.blocks import BlockFolder, BlockSolver, Bound, PlaneValues, SolvedBlock, key_of
from tbgen.position.closure import Closure, Kind, Node
from tbgen.position.known import KnownTables
from tbgen.table import Entries

Watch = Callable[[float, float], None]
"""Is told the part of the work that is done, and the seconds that are left."""


def unwatched(done: float, seconds_left: float) -> None:
    """No progress."""


class ClosureSolver:
    """Solves closures over the same tables; what is solved stays in a folder."""

    def __init__(self, known: KnownTables, folder: BlockFolder, pool: Executor) -> None:
        self._known, self._folder, self._pool = known, folder, pool
        self.blocks: dict[tuple[Node, Bound], SolvedBlock] = {}
        self._keys: dict[tuple[Node, Bound], str] = {}

    def solve(self, closure: Closure, watch: Watch = unwatched) -> None:
        """Solve all nodes of a closure that are not solved yet."""
        began, done = time.monotonic(), 0.0
        left = {node: node.cpu_seconds for node in closure.edges if self._is_open(closure, node)}
        total = sum(left.values())
        for node, work in left.items():
            passes = list(Bound) if node in closure.inexact else [Bound.LOWER]
            found = list(self._pool.map(lambda bound, node=node: self._solved(closure, node, bound), passes))
            self.blocks[node, Bound.LOWER], self.blocks[node, Bound.UPPER] = found[0], found[-1]
            done += work
            spent = time.monotonic() - began
            watch(done / total, spent * (total - done) / done)

    def _is_open(self, closure: Closure, node: Node) -> bool:
        """Whether a node is not solved yet; what is found in the folder is taken up."""
        for bound in Bound:
            found = self._folder.get(self._key(closure, node, bound), node)
            if found is None:
                return True
            self.blocks[node, bound] = found
        return False

    def _solved(self, closure: Closure, node: Node, bound: Bound) -> SolvedBlock:
        """A node, solved now unless an earlier attempt has come so far."""
        key = self._key(closure, node, bound)
        found = self._folder.get(key, node)
        if found is None:
            solver = BlockSolver(node, closure.edges[node], lambda *plane: self._plane(bound, *plane))
            found = self._folder.put(key, node, solver.solve(bound, lambda child: self._rights(child, bound)))
        return found

    def _plane(self, bound: Bound, node: Node, kind: Kind, side: int) -> Entries:
        if kind is Kind.TABLE:
            return self._known.plane(*node, side)
        if kind is Kind.NODE:
            return self.blocks[node, bound].plane(side)
        return np.full(node.cells // 2, bound.value, np.int8)

    def _rights(self, node: Node, bound: Bound) -> PlaneValues:
        return self.blocks[node, bound].run.en_passant

    def _key(self, closure: Closure, node: Node, bound: Bound) -> str:
        """A digest of all that a block's values rest on: of an exact one, the bound makes no difference."""
        bound = bound if node in closure.inexact else Bound.LOWER
        if (node, bound) not in self._keys:
            below = set[tuple[str, ...]]()
            for edge in closure.edges[node]:
                digest = ""
                if edge.kind is Kind.TABLE:
                    digest = self._known.digest(edge.child.material)
                elif edge.kind is Kind.NODE:
                    digest = self._key(closure, edge.child, bound)
                below.add((str(edge.child.material), str(edge.child.pawns), edge.kind.value, digest))
            which = bound.name if node in closure.inexact else ""
            facts = [source_digest(), str(node.material), node.pawns, which, sorted(below)]
            self._keys[node, bound] = key_of(facts)
        return self._keys[node, bound]
