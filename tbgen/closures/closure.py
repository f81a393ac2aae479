"""The closure of a position: all blocks that it can reach, and their cost.

Captures, pawn moves and promotions lead from block to block.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from tbgen.closures.bracket import SolvePlan
from tbgen.closures.costs import (
    MOST_TABLE_BYTES,
    PLANNED_BYTES,
    PROGRAM_BYTES,
    BlockCost,
    cost_of_block,
)
from tbgen.closures.cuts import ALL_OUTCOMES, Bound, CutQuestion, Cuts
from tbgen.closures.folder import WHOLE, key_of
from tbgen.closures.nodes import Node, node_of, pawns_after
from tbgen.closures.ways import Way
from tbgen.errors import ClosureTooLargeError, MissingTableError
from tbgen.index.layout import slots_of
from tbgen.index.resets import NO_SLOT, Reset, resets_of
from tbgen.material import MOST_TABLE_MEN, Material, Scope
from tbgen.men import Role
from tbgen.probe.opened import OpenTables
from tbgen.score import Color
from tbgen.table import Queries

QUESTIONS_A_WAY: Final = 3
"""A way takes about so many times what its first question takes; answers lead to more questions."""


class Edge(NamedTuple):
    """A reset, and a node that it can lead to."""

    reset: Reset
    child: Node
    digest: str
    """The digest of the child's table, or the key of its block; empty if it is bounded."""

    @property
    def is_bounded(self) -> bool:
        """Whether bounds replace the child's values."""
        return not self.digest


class KnownReset(NamedTuple):
    """A reset, and what is known of the table that it leads to."""

    reset: Reset
    digest: str
    """The digest of the table; empty without one."""
    has_pairs: bool
    """Whether there is a table of pairs, which has some placements."""


@dataclass(frozen=True, eq=False)
class PlannedBlock:
    """A node of a closure, and how it is solved."""

    node: Node
    edges: Sequence[Edge]
    bounds: Sequence[Bound]
    """It is solved once for each of these bounds, which replace unsolved promotions."""
    is_exact: bool
    """Whether both bounds give the same values; then `bounds` has one of them."""
    cuts: Cuts
    """The cuts at which it is solved; none if all its outcomes are found."""
    queries: Queries
    """What is asked of it with an accrued score."""
    key: str
    """The node, with a digest of all that its values rest on."""

    def name_with(self, bound: Bound) -> str:
        """The name of the block as it is solved with one of its bounds."""
        if len(self.bounds) == 1:
            return f"{self.key}-{WHOLE}"
        return f"{self.key}-{bound.name}"

    @cached_property
    def cost(self) -> BlockCost:
        """The cost of solving it, without the program's memory."""
        children = {edge.child for edge in self.edges if not edge.is_bounded}
        planes = [child.cells // 2 for child in children]
        return cost_of_block(self.node.cells, len(self.bounds), self.cuts, planes)


class Closure:
    """The blocks of some nodes and of all that they lead to, each after those that it leads to.

    Blocks whose keys are in `solved_keys` need no work. Those in `free_keys` cost nothing of the
    `budget`, in CPU seconds.
    """

    def __init__(
        self,
        known: OpenTables,
        way: Way,
        question: CutQuestion = ALL_OUTCOMES,
        solved_keys: Collection[str] = (),
        free_keys: Collection[str] = (),
        budget: float = math.inf,
    ) -> None:
        self.known = known
        self.way = way
        self.question = question
        self.blocks = dict[Node, PlannedBlock]()
        self.lacking = list[PlannedBlock]()
        """The blocks that are not solved yet."""
        self.cpu_seconds = 0.0
        """The time that `lacking` takes."""
        self.charged_seconds = 0.0
        """What it takes of the budget: the time of all blocks but free ones."""
        self.missing = set[str]()
        """Tables without pawns that the nodes lead to and that are not in the folders."""
        self._solved_keys = solved_keys
        self._free_keys = free_keys
        self._budget = budget
        self._resets = dict[Material, list[KnownReset]]()

    def add(self, node: Node, queries: Queries = (), promoter: Color | None = None) -> PlannedBlock:
        """Add a node and all that it leads to; ClosureTooLargeError if that takes too much.

        `promoter` is the side whose last pawn has promoted on the way here.
        """
        if node in self.blocks:
            return self.blocks[node]
        self._refuse_large(node, promoter)
        edges = list(self._edges_of(node, promoter))
        block = self._planned(node, edges, queries, promoter)
        self.blocks[node] = block
        if block.key not in self._solved_keys:
            self.lacking.append(block)
            self.cpu_seconds += block.cost.cpu_seconds
        if block.key not in self._free_keys:
            self.charged_seconds += block.cost.cpu_seconds
            if self.charged_seconds > self._budget:
                raise _too_large(node)
        return block

    def _refuse_large(self, node: Node, promoter: Color | None) -> None:
        """ClosureTooLargeError if a block takes too much, whatever it leads to.

        So no time is spent on listing what it leads to.
        """
        cuts = self.way.cuts_of(node, promoter, self.question)
        least = cost_of_block(node.cells, 1, cuts, ()).cpu_seconds
        if self.charged_seconds + least > self._budget and not self._may_be_free(node):
            raise _too_large(node)

    def _may_be_free(self, node: Node) -> bool:
        """Whether some block of a node costs nothing, in whatever way it was solved."""
        return any(key.startswith(f"{node}-") for key in self._free_keys)

    def _planned(
        self, node: Node, edges: Sequence[Edge], queries: Queries, promoter: Color | None
    ) -> PlannedBlock:
        """The block of a node, with a key that differs if anything that it rests on does."""
        cuts = self.way.cuts_of(node, promoter, self.question)
        is_exact = all(self._is_exact(edge, cuts) for edge in edges)
        bounds = self._bounds(cuts, is_exact=is_exact)
        facts = [
            str(node),
            sorted({(str(edge.child), edge.digest) for edge in edges}),
            [int(bound) for bound in bounds],
            [str(cut) for cut in cuts],
            [str(query) for query in queries],
        ]
        return PlannedBlock(
            node, edges, bounds, is_exact, cuts, queries, key=f"{node}-{key_of(facts)}"
        )

    def _is_exact(self, edge: Edge, cuts: Cuts) -> bool:
        """Whether both bounds give a child the same values, as far as some cuts need them."""
        if edge.is_bounded:
            return False
        child = self.blocks.get(edge.child)
        if child is None:
            return True  # a table
        # A cut divides values in two. So a child is exact for a block that is asked for the same
        # cuts.
        return child.is_exact and child.cuts in ((), cuts)

    def _bounds(self, cuts: Cuts, *, is_exact: bool) -> Sequence[Bound]:
        """The bounds with which a block is solved: both, unless one is enough or was asked for."""
        if is_exact:
            return [Bound.LOWER]
        if cuts:
            return [self.question.bound]
        return list(Bound)

    def _edges_of(self, node: Node, promoter: Color | None) -> Iterator[Edge]:
        """The edges from a node. Children without tables are added if the way solves them."""
        slots = slots_of(node.material)
        for reset, digest, has_pairs in self._known_resets(node):
            is_promotion = reset.promoted != NO_SLOT
            for pawns in pawns_after(slots, node.pawns, reset):
                child = node_of(reset.material, pawns)
                table = digest
                if has_pairs and not digest:
                    table = self.known.digest_of_pairs(*child)
                if table:
                    yield Edge(reset, child, table)
                elif is_promotion and not self.way.solves(reset.role, child):
                    yield Edge(reset, child, "")
                elif is_promotion:
                    new_promoter, _ = slots[reset.promoted]
                    yield Edge(reset, child, self.add(child, promoter=new_promoter).key)
                elif child.pawns:
                    yield Edge(reset, child, self.add(child, promoter=promoter).key)
                else:
                    self.missing.add(str(child.material.canonical()))

    def _known_resets(self, node: Node) -> Sequence[KnownReset]:
        """The resets of a node's material, into the colours of a table where there is one."""

        def turned(material: Material) -> Material:
            return material.canonical() if self.known.digest(material) else material

        if node.material not in self._resets:
            resets = resets_of(node.layout, turned)
            known = list[KnownReset]()
            for reset in resets:
                digest = self.known.digest(reset.material)
                known.append(KnownReset(reset, digest, self._has_pairs(reset.material)))
            self._resets[node.material] = known
        return self._resets[node.material]

    def _has_pairs(self, material: Material) -> bool:
        """Whether there is a table of pairs of a material."""
        if any(Role.PAWN not in material.side(color) for color in Color):
            return False
        return bool(self.known.digest(material.within(Scope.PAIRS)))

    @property
    def asks_again(self) -> bool:
        """Whether blocks are asked at a few cuts, so that their answers may lead to more questions.

        With all outcomes the first answer is the last.
        """
        return any(block.cuts for block in self.blocks.values())

    @property
    def keys(self) -> set[str]:
        """The keys of its blocks."""
        return {block.key for block in self.blocks.values()}

    def refuse_missing(self) -> None:
        """MissingTableError with all tables without which nothing can be solved, if any."""
        if self.missing:
            first, *others = sorted(self.missing)
            raise MissingTableError(first, self.known.named, tuple(others))


def _too_large(node: Node) -> ClosureTooLargeError:
    return ClosureTooLargeError(str(node.material), "it takes too much")


def plan_of(closures: Iterable[Closure], *, most_seconds: float = math.inf) -> SolvePlan:
    """The cost of all unsolved blocks of some closures, each block once.

    The last closure tells most, so it says what is left to bounds. With later questions the whole
    is not expected to take more than `most_seconds`, the budget.
    """
    block_of_key = dict[str, PlannedBlock]()
    expected_seconds = 0.0
    first_seconds: float | None = None
    last_blocks = list[PlannedBlock]()
    for closure in closures:
        questions = QUESTIONS_A_WAY if closure.asks_again else 1
        for block in closure.lacking:
            if block.key not in block_of_key:
                expected_seconds += questions * block.cost.cpu_seconds
            block_of_key[block.key] = block
        if first_seconds is None:
            first_seconds = closure.cpu_seconds
        last_blocks = list(closure.blocks.values())
    bounded = set[Material]()
    for block in last_blocks:
        bounded.update(edge.child.material.canonical() for edge in block.edges if edge.is_bounded)
    blocks = list(block_of_key.values())
    costs = [block.cost for block in blocks]
    most_bytes = max((cost.memory_bytes for cost in costs), default=0)
    values = sum(block.cost.cells for block in blocks if not block.cuts)
    return SolvePlan(
        nodes=len(costs),
        cells=sum(cost.cells for cost in costs),
        cpu_seconds=round(sum(cost.cpu_seconds for cost in costs), 1),
        memory_bytes=PROGRAM_BYTES
        + len(costs) * PLANNED_BYTES
        + most_bytes
        + min(values, MOST_TABLE_BYTES),
        disk_bytes=sum(cost.disk_bytes for cost in costs),
        exact=not bounded,
        missing=tuple(
            sorted(str(material) for material in bounded if material.men <= MOST_TABLE_MEN)
        ),
        scratch_bytes=max((cost.scratch_bytes for cost in costs), default=0),
        first_seconds=round(first_seconds or 0.0, 1),
        expected_seconds=round(min(expected_seconds, most_seconds), 1),
    )
