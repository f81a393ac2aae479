"""The solver of closures: each node after those that it leads to, once with each bound if it leads to bounds."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from concurrent.futures import Executor
from functools import partial

import numpy as np

from tbgen.compiled.folders import source_digest
from tbgen.position import SOURCES
from tbgen.position.blocks import BlockFolder, BlockSolver, Bound, PlaneValues, SolvedBlock, key_of
from tbgen.position.closure import Closure, Kind, Node
from tbgen.position.known import KnownTables
from tbgen.position.mates import Classes
from tbgen.position.plan import memory_of
from tbgen.system.process import available_memory
from tbgen.table import Entries

Watch = Callable[[float, float], None]
"""Is told the part of the work that is done, and the seconds that are left."""


def unwatched(done: float, seconds_left: float) -> None:
    """No progress."""


class ClosureSolver:
    """Solves closures over the same tables; what is solved stays in a folder."""

    def __init__(self, known: KnownTables, folder: BlockFolder, classes: Classes, pool: Executor) -> None:
        self._known, self._folder, self._classes, self._pool = known, folder, classes, pool
        self._blocks: dict[str, SolvedBlock] = {}
        self._keys: dict[tuple[int, Node, Bound], str] = {}
        self._sources = source_digest(SOURCES)

    def solve(self, closure: Closure, watch: Watch = unwatched) -> None:
        """Solve all nodes of a closure that are not solved yet."""
        began, done = time.monotonic(), 0.0
        left = {node: node.cpu_seconds for node in closure.edges if self._is_open(closure, node)}
        total = sum(left.values())
        for node, work in left.items():
            passes, room = list(Bound) if node in closure.inexact else [Bound.LOWER], available_memory()
            takes_turns = room is not None and len(passes) * memory_of(closure, node) > room
            for _ in (map if takes_turns else self._pool.map)(partial(self._solved, closure, node), passes):
                pass
            done += work
            spent = time.monotonic() - began
            watch(done / total, spent * (total - done) / done)

    def block(self, closure: Closure, node: Node, bound: Bound) -> SolvedBlock:
        """A solved block; LookupError if it is not solved yet."""
        key = self._key(closure, node, bound)
        found = self._blocks.get(key) or self._folder.get(key, node)
        if found is None:
            raise LookupError(key)
        self._blocks[key] = found
        return found

    def _is_open(self, closure: Closure, node: Node) -> bool:
        """Whether a node is not solved yet."""
        try:
            for bound in Bound:
                self.block(closure, node, bound)
        except LookupError:
            return True
        return False

    def _solved(self, closure: Closure, node: Node, bound: Bound) -> None:
        """Solve a node, unless an earlier attempt has come so far."""
        with contextlib.suppress(LookupError):
            self.block(closure, node, bound)
            return
        solver = BlockSolver(node, closure.edges[node], partial(self._plane, closure, bound))
        rights, limits = partial(self._rights, closure, bound), partial(self._classes.limits, bound)
        found = solver.solve(bound, rights, limits)
        key = self._key(closure, node, bound)
        self._blocks[key] = self._folder.put(key, node, found)

    def _rights(self, closure: Closure, bound: Bound, node: Node) -> PlaneValues:
        return self.block(closure, node, bound).run.en_passant

    def _plane(self, closure: Closure, bound: Bound, node: Node, kind: Kind, side: int) -> Entries:
        if kind is Kind.TABLE:
            return self._known.plane(*node, side)
        if kind is Kind.NODE:
            return self.block(closure, node, bound).plane(side)
        return np.full(node.cells // 2, bound.value, np.int8)

    def _key(self, closure: Closure, node: Node, bound: Bound) -> str:
        """A digest of all that a block's values rest on: of an exact one, the bound makes no difference."""
        bound = bound if node in closure.inexact else Bound.LOWER
        name = closure.most_free, node, bound
        if name not in self._keys:
            below = set[tuple[str, ...]]()
            for edge in closure.edges[node]:
                digest = ""
                if edge.kind is Kind.TABLE:
                    digest = self._known.digest(edge.child.material)
                elif edge.kind is Kind.NODE:
                    digest = self._key(closure, edge.child, bound)
                elif self._classes.has(edge.child):
                    digest = f"{self._classes.key(edge.child)}"
                below.add((str(edge.child.material), str(edge.child.pawns), edge.kind.value, digest))
            which = bound.name if node in closure.inexact else ""
            facts = [self._sources, str(node.material), node.pawns, which, sorted(below)]
            self._keys[name] = key_of(facts)
        return self._keys[name]
