"""The closure of a position: all blocks that it can reach, and their cost.

Captures, pawn moves and promotions lead from block to block.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from tbgen.closures.bracket import SolvePlan
from tbgen.closures.costs import (
    MOST_TABLE_BYTES,
    PLANNED_BYTES,
    PROGRAM_BYTES,
    BlockCost,
    cost_at_cuts,
    cost_of_block,
)
from tbgen.closures.cuts import ALL_OUTCOMES, Bound, CutQuestion, Cuts
from tbgen.closures.folder import WHOLE, key_of
from tbgen.closures.moves import PlacementMove, PlacementMoves
from tbgen.closures.nodes import Node, Placement, node_of
from tbgen.closures.reach import (
    ANYWHERE,
    Kings,
    PlacementWalk,
    ReachedPlacement,
    are_shut_in,
)
from tbgen.closures.ways import Way
from tbgen.errors import ClosureTooLargeError, MissingTableError
from tbgen.index.layout import Squares, slots_of
from tbgen.index.resets import NO_SLOT, Reset
from tbgen.material import MOST_TABLE_MEN, Material
from tbgen.men import Role
from tbgen.probe.opened import OpenTables
from tbgen.score import Color
from tbgen.table import Queries

NEVER_REACHED: Final = "never reached"
"""In place of a digest: no position that is reached leads to the child, so any value will do."""

QUESTIONS_A_WAY: Final = 3
"""A way takes about so many times what its first question takes; answers lead to more questions."""


class Edge(NamedTuple):
    """A reset, and a node that it can lead to."""

    reset: Reset
    child: Node
    digest: str
    """The digest of the child's table, or the key of its block.

    It is NEVER_REACHED where that is so, and empty if bounds replace the child's values.
    """

    @property
    def is_bounded(self) -> bool:
        """Whether bounds replace the child's values."""
        return not self.digest


def mover_of(node: Node, edge: Edge) -> Color:
    """The side whose move leads from a node to a child."""
    slots = slots_of(node.material)
    if edge.reset.gone != NO_SLOT:
        prey, _ = slots[edge.reset.gone]
        return prey.other
    if edge.reset.promoted != NO_SLOT:
        promoter, _ = slots[edge.reset.promoted]
        return promoter
    # White's pawns step up the board.
    ranks = sum(square // 8 for square in node.pawns)
    ranks_after = sum(square // 8 for square in edge.child.pawns)
    return Color.WHITE if ranks_after > ranks else Color.BLACK


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
        if self.cuts:
            return self._cost_at_cuts()
        children = {edge.child for edge in self.edges if not edge.is_bounded}
        planes = [child.cells // 2 for child in children]
        passes = len(self.bounds)
        return cost_of_block(self.node.cells, passes, planes, is_alone=not self.is_of_table)

    def _cost_at_cuts(self) -> BlockCost:
        rights_bytes = self._bytes_of_rights
        read = [self._bytes_read(side) for side in Color]
        if self.node.double_steps:  # captures en passant ask for what moves of both sides lead to
            read_bytes = sum(read) + rights_bytes
            return cost_at_cuts(self.node.cells, self.cuts, read_bytes, rights_bytes)
        return cost_at_cuts(self.node.cells, self.cuts, max(read) + rights_bytes)

    @property
    def _bytes_of_rights(self) -> int:
        """Values with rights to take en passant, and those after double steps, a byte each."""
        same_men = {edge.child for edge in self.edges if edge.child.material == self.node.material}
        rights = self.node.double_steps + sum(child.double_steps for child in same_men)
        return rights * (self.node.cells // 2)

    def _bytes_read(self, side: Color) -> int:
        """The values that moves of a side lead to, a byte each, and room to read one plane."""
        planes = set[Node]()
        promotions = set[tuple[int, Role]]()
        largest = 0
        for edge in self.edges:
            if mover_of(self.node, edge) is not side:
                continue
            reset = edge.reset
            if reset.gone != NO_SLOT or reset.promoted == NO_SLOT:
                planes.add(edge.child)
            elif edge.is_bounded:
                promotions.add((reset.promoted, Role.QUEEN))  # her bounds are those of all
            else:
                promotions.add((reset.promoted, reset.role))
            if not edge.is_bounded:
                largest = max(largest, edge.child.cells // 2)
        half = self.node.cells // 2
        return sum(child.cells // 2 for child in planes) + len(promotions) * half + largest

    @property
    def is_of_table(self) -> bool:
        """Whether it is solved together with other blocks of its material, as a table.

        Blocks at cuts have so many cells that a thread or two are busy with one for minutes. The
        block of the position itself is asked about accrued scores, which tables do not have.
        """
        return not self.cuts and not self.queries


class Closure:
    """The blocks of some nodes and of all that they lead to, each after those that it leads to.

    Blocks whose keys are in `solved_keys` need no work. Those in `free_keys` cost nothing of the
    `budget`, in CPU seconds. `moves` are those with `known`; several closures may share them.
    """

    def __init__(
        self,
        known: OpenTables,
        way: Way,
        question: CutQuestion = ALL_OUTCOMES,
        solved_keys: Collection[str] = (),
        free_keys: Collection[str] = (),
        budget: float = math.inf,
        moves: PlacementMoves | None = None,
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
        self._moves = PlacementMoves(known) if moves is None else moves
        self._reached: Mapping[Node, ReachedPlacement] | None = None
        """The nodes that a position needs; None if it needs all that the way solves."""

    def add(
        self,
        node: Node,
        queries: Queries = (),
        promoter: Color | None = None,
        *,
        has_right: bool = False,
    ) -> PlannedBlock:
        """Add a node and all that it leads to; ClosureTooLargeError if that takes too much.

        `promoter` is the side whose last pawn has promoted on the way here. `has_right` says that a
        pawn may be taken en passant in the position that is asked about.
        """
        if queries:
            kings = _kings_in(node, queries)
            if self.way.keeps_pieces or are_shut_in(slots_of(node.material), node.pawns, kings):
                self._reached = self._walk_from(node, kings, has_right=has_right)
        return self._add(node, queries, promoter)

    def _walk_from(
        self, root: Node, kings: Kings, *, has_right: bool
    ) -> Mapping[Node, ReachedPlacement]:
        """What is reached from a node; ClosureTooLargeError if that takes too much."""
        seen = set[Placement]()
        seconds = 0.0

        def moves_of(placement: Placement) -> Iterator[PlacementMove]:
            nonlocal seconds
            if placement not in seen:
                seen.add(placement)
                node = placement.node
                if not self._may_be_free(node):
                    seconds += _least_seconds(node, ())
                if seconds > self._budget:
                    raise _too_large(node)
            for move in self._moves.from_placement(placement):
                if self._is_solved_by_way(move.reset, move.pawns) and not move.table:
                    yield move

        walk = PlacementWalk(moves_of, keeps_pieces=self.way.keeps_pieces)
        return walk.from_root(Placement(*root), kings, has_right=has_right)

    def _add(
        self, node: Node, queries: Queries = (), promoter: Color | None = None
    ) -> PlannedBlock:
        """Add a node after those that it leads to."""
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
        least = _least_seconds(node, cuts)
        if self.charged_seconds + least > self._budget and not self._may_be_free(node):
            raise _too_large(node)

    @cached_property
    def _free_nodes(self) -> set[str]:
        """The nodes of the free blocks."""
        return {key.rpartition("-")[0] for key in self._free_keys}

    def _may_be_free(self, node: Node) -> bool:
        """Whether some block of a node costs nothing, in whatever way it was solved."""
        return str(node) in self._free_nodes

    def _planned(
        self, node: Node, edges: Sequence[Edge], queries: Queries, promoter: Color | None
    ) -> PlannedBlock:
        """The block of a node, with a key that differs if anything that it rests on does."""
        cuts = self.way.cuts_of(node, promoter, self.question)
        is_exact = all(self._is_exact(edge, cuts) for edge in edges)
        bounds = self._bounds(node, cuts, is_exact=is_exact)
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

    def _bounds(self, node: Node, cuts: Cuts, *, is_exact: bool) -> Sequence[Bound]:
        """The bounds with which a block is solved: both, unless one is enough or was asked for."""
        if is_exact:
            return [Bound.LOWER]
        if cuts:
            return [self.question.bound]
        if self._reached is not None and self.way.keeps_pieces:
            promoters = self._reached[node].promoters
            if promoters == {Color.WHITE}:
                return [Bound.LOWER]
            if promoters == {Color.BLACK}:
                return [Bound.UPPER]
        return list(Bound)

    def _edges_of(self, node: Node, promoter: Color | None) -> Iterator[Edge]:
        """The edges from a node. Children without tables are added if they are solved."""
        slots = slots_of(node.material)
        for reset, pawns, table in self._moves.from_placement(Placement(*node)):
            child = node_of(reset.material, pawns)
            if table:
                yield Edge(reset, child, table)
            elif not self._is_solved_by_way(reset, child.pawns):
                yield Edge(reset, child, "")
            elif self._reached is not None and child not in self._reached:
                yield Edge(reset, child, "" if self.way.keeps_pieces else NEVER_REACHED)
            elif reset.promoted != NO_SLOT:
                new_promoter, _ = slots[reset.promoted]
                yield Edge(reset, child, self._add(child, promoter=new_promoter).key)
            elif child.pawns:
                yield Edge(reset, child, self._add(child, promoter=promoter).key)
            else:
                self.missing.add(str(child.material.canonical()))

    def _is_solved_by_way(self, reset: Reset, pawns: Squares) -> bool:
        """Whether this way solves what a reset leads to."""
        if reset.promoted == NO_SLOT:
            return True
        return self.way.solves(reset.role, Node(reset.material, pawns))

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


def _kings_in(node: Node, queries: Queries) -> Kings:
    """Where the kings stand in the positions that are asked; anywhere if other pieces do, too."""
    if node.free > len(Color):
        return ANYWHERE
    white = 0
    black = 0
    for _, cell in queries:
        _, squares = node.layout.squares_of(cell)
        white |= 1 << squares[len(node.pawns)]
        black |= 1 << squares[-1]
    return Kings(white, black)


def _least_seconds(node: Node, cuts: Cuts) -> float:
    """The CPU seconds that a block takes at least, whatever it leads to."""
    if cuts:
        return cost_at_cuts(node.cells, cuts).cpu_seconds
    return cost_of_block(node.cells, 1, (), is_alone=False).cpu_seconds


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
