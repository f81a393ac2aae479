"""The closure of a position: all blocks that it can reach, how each is solved, and their cost.

Captures, pawn moves and promotions lead from block to block.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from tbgen.closures.bounds import ALL_OUTCOMES, Bound, CutQuestion, Cuts
from tbgen.closures.costs import ADDING_SECONDS, BlockCost, Budget, cost_at_cuts, cost_of_block
from tbgen.closures.placements import Node, PlacementMove, PlacementMoves, RootNode
from tbgen.closures.policy import Way, is_left_to_tables
from tbgen.closures.reach import (
    Approach,
    Shades,
    bishops_of,
    reached_from,
    shades_after,
    share_of,
    word_of,
)
from tbgen.closures.store import BlockStore, key_of
from tbgen.errors import BuildError, ClosureTooLargeError
from tbgen.index.layout import slots_of
from tbgen.index.resets import NO_SLOT, Reset
from tbgen.material import Material, Scope
from tbgen.men import Role
from tbgen.probe.opened import OpenTables
from tbgen.score import Color
from tbgen.table import Queries

WHOLE: Final = "WHOLE"
"""Ends the name of a block that is solved once; the names of others end with the bound."""

BOUNDED: Final = "bounded"
"""The source of a child that is not solved: a bound replaces its values."""

NEVER_REACHED: Final = "never reached"
"""The source of a child to which no position leads that is reached: any values will do."""


class Edge(NamedTuple):
    """A reset, and a node that it can lead to."""

    reset: Reset
    child: Node
    source: str
    """Where the child's values are from.

    It is the digest of its table, the key of its block, BOUNDED or NEVER_REACHED.
    """
    block: "PlannedBlock | None" = None
    """The child's block if it is solved."""

    @property
    def is_bounded(self) -> bool:
        """Whether a bound replaces the child's values."""
        return self.source == BOUNDED

    @property
    def is_plain_promotion(self) -> bool:
        """Whether a pawn promotes and takes nothing."""
        return self.reset.promoted != NO_SLOT and self.reset.gone == NO_SLOT


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
    shades: Shades
    """Its cells that are needed, and solved. The others may have any values."""
    edges: Sequence[Edge]
    bounds: Sequence[Bound]
    """It is solved once for each of these bounds, which replace unsolved promotions."""
    is_exact: bool
    """Whether both bounds give the same values; then `bounds` has one of them."""
    cuts: Cuts
    """The cuts at which it is solved; none if all its outcomes are found."""
    queries: Queries
    """What is asked of the root with an accrued score; nothing of other blocks."""
    key: str
    """The node, with a digest of all that its values rest on, and of the cells that are solved."""

    @property
    def keeps_patterns(self) -> bool:
        """Whether it is solved so that it tells what any accrued score is worth.

        A root at cuts tells what its queries are worth.
        """
        return bool(self.queries) and not self.cuts

    def is_solved_with(self, bound: Bound) -> bool:
        """Whether it has values for a bound; otherwise nothing is known of them."""
        return bound in self.bounds or self.is_exact

    def name_with(self, bound: Bound) -> str:
        """The name of the block as it is solved with one of its bounds."""
        part = WHOLE if len(self.bounds) == 1 else bound.name
        return f"{self.key}-{part}"

    @cached_property
    def cost(self) -> BlockCost:
        """The cost of solving it, without the program's memory."""
        if self.cuts:
            return self._cost_at_cuts()
        children = {edge.child for edge in self.edges if not edge.is_bounded}
        planes = [child.cells // 2 for child in children]
        share = share_of(self.shades, self.node.material)
        return cost_of_block(self.node.cells, len(self.bounds), planes, share=share)

    def _cost_at_cuts(self) -> BlockCost:
        node = self.node
        share = share_of(self.shades, node.material)
        # Values with rights to take en passant, and those after double steps, have a byte each.
        same_men = {edge.child for edge in self.edges if edge.child.material == node.material}
        rights = sum(len(other.double_steps) for other in (node, *same_men))
        rights_bytes = rights * (node.cells // 2)
        read = [self._bytes_read(side) for side in Color]
        if not node.double_steps:
            return cost_at_cuts(node.cells, self.cuts, max(read) + rights_bytes, share=share)
        # Captures en passant ask for what moves of both sides lead to.
        return cost_at_cuts(
            node.cells, self.cuts, sum(read) + rights_bytes, rights_bytes, share=share
        )

    def _bytes_read(self, side: Color) -> int:
        """The values that moves of a side lead to, a byte each, and room to read one plane."""
        planes = set[Node]()
        promotions = set[tuple[int, Role]]()
        largest = 0
        for edge in self.edges:
            if mover_of(self.node, edge) is not side:
                continue
            reset = edge.reset
            if not edge.is_plain_promotion:
                planes.add(edge.child)
            elif edge.is_bounded:
                promotions.add((reset.promoted, Role.QUEEN))  # her bounds are those of all
            else:
                promotions.add((reset.promoted, reset.role))
            if not edge.is_bounded:
                largest = max(largest, edge.child.cells // 2)
        half = self.node.cells // 2
        return sum(child.cells // 2 for child in planes) + len(promotions) * half + largest


class Closure:
    """The blocks of some nodes and of all that they lead to, each after those that it leads to.

    Arguments:
        tables: What has a table is not in the closure.
        way: Says which promotions are solved.
        question: Says at which cuts large blocks are solved.
        store: Says which blocks are solved; none are without it.
        budget: Pays for the plan. If it is too small for the blocks, that is a
            ClosureTooLargeError.
        moves: The moves with the tables, which several closures may share.
    """

    def __init__(
        self,
        tables: OpenTables,
        way: Way,
        question: CutQuestion = ALL_OUTCOMES,
        store: BlockStore | None = None,
        budget: Budget | None = None,
        moves: PlacementMoves | None = None,
    ) -> None:
        self.tables = tables
        self.way = way
        self.question = question
        self.blocks = dict[Node, PlannedBlock]()
        self.lacking = list[PlannedBlock]()
        """The blocks that are not solved yet."""
        self.cpu_seconds = 0.0
        """The time that `lacking` takes."""
        self.missing = set[str]()
        """Tables without pawns that the nodes lead to and that are not in the folders."""
        self.reached = dict[Node, Approach]()
        """What the last root needs."""
        self._root: Node | None = None
        self._least_seconds = 0.0
        """The time that the reached nodes take at least, but those that may be solved."""
        self._solved_names = set[str]()
        """The names of solved blocks of the reached nodes."""
        self._unpaid_seconds = 0.0
        """The time of those blocks in `lacking` that the budget has not paid for yet."""
        self._store = store
        self._budget = Budget() if budget is None else budget
        self._moves = PlacementMoves(tables, self._budget) if moves is None else moves

    def add(self, root: RootNode) -> PlannedBlock:
        """Add the block of a root, after all blocks that the root needs."""
        self._root = root.node
        self._least_seconds = 0.0
        keeps_pieces = self.way.keeps_pieces
        self.reached = reached_from(root, self._affordable_moves, keeps_pieces=keeps_pieces)
        for node in reversed(self.reached):
            if node not in self.blocks and not self._lacks_table(node):
                self._add_block(node, root.queries if node == root.node else ())
        return self.blocks[root.node]

    def _affordable_moves(self, node: Node) -> Iterator[PlacementMove]:
        """The moves from a reached node to what this way solves.

        ClosureTooLargeError once all nodes that were asked take more than the budget.
        """
        if self._lacks_table(node):
            self.missing.add(str(node.material.canonical()))
            return
        names = () if self._store is None else self._store.names_of(str(node))
        self._solved_names.update(names)
        if not names and str(node) not in self._budget.paid_nodes:
            # After a promotion of one side, a block is asked the fewest cuts.
            cuts = self.way.cuts_of(node, frozenset([Color.WHITE]), self.question)
            one_shade = 1 / (1 << sum(bishops_of(node.material)))
            self._least_seconds += _least_seconds(node, cuts, one_shade)
            if self._least_seconds > self._budget.left:
                raise self._too_large(node)
        for move in self._moves.of(node):
            if not move.table and self._is_solved_by_way(move):
                yield move

    def _lacks_table(self, node: Node) -> bool:
        """Whether a reached node is to have a table; its block is not solved."""
        return is_left_to_tables(node) and node != self._root

    def _add_block(self, node: Node, queries: Queries) -> None:
        """Add the block of a reached node."""
        self._budget.pay(ADDING_SECONDS)
        cuts = self.way.cuts_of(node, self.reached[node].promoters, self.question)
        block = self._planned(node, list(self._edges_of(node)), cuts, queries)
        self.blocks[node] = block
        if not self._is_solved(block):
            self._charge(block)

    def _charge(self, block: PlannedBlock) -> None:
        """Add a block that is not solved; ClosureTooLargeError if the budget cannot pay for it."""
        self.lacking.append(block)
        self.cpu_seconds += block.cost.cpu_seconds
        if block.key not in self._budget.paid_keys:
            self._unpaid_seconds += block.cost.cpu_seconds
            if self._unpaid_seconds > self._budget.left:
                raise self._too_large(block.node)

    def pay(self) -> None:
        """Let the budget pay for the blocks, which cost nothing of it any more."""
        paid_keys = self._budget.paid_keys
        for block in self.lacking:
            if block.key not in paid_keys:
                self._budget.pay(block.cost.cpu_seconds)
        paid_keys.update(block.key for block in self.blocks.values())
        self._budget.paid_nodes.update(map(str, self.blocks))

    def _too_large(self, node: Node) -> ClosureTooLargeError:
        return ClosureTooLargeError(str(node.material), self._budget.refusal)

    def _is_solved(self, block: PlannedBlock) -> bool:
        """Whether a block is solved with all its bounds."""
        return all(block.name_with(bound) in self._solved_names for bound in block.bounds)

    def _edges_of(self, node: Node) -> Iterator[Edge]:
        """The edges from a node, but those to tables that are missing."""
        shades = self.reached[node].shades
        for move in self._moves.of(node):
            if move.table:
                yield Edge(move.reset, move.child, move.table)
            elif not self._is_solved_by_way(move):
                yield Edge(move.reset, move.child, BOUNDED)
            elif block := self.blocks.get(move.child):
                if not shades_after(node, shades, move) <= block.shades:
                    # Where a block is solved at cuts, nothing else would notice.
                    lack = f"{move.child} lacks bishops on squares of one colour"
                    raise BuildError(str(node), lack)
                yield Edge(move.reset, move.child, block.key, block)
            elif move.child not in self.reached:
                source = BOUNDED if self.way.keeps_pieces else NEVER_REACHED
                yield Edge(move.reset, move.child, source)

    def _is_solved_by_way(self, move: PlacementMove) -> bool:
        """Whether this way solves what a move leads to."""
        if move.reset.promoted == NO_SLOT:
            return True
        return self.way.solves(move.reset.role, move.child)

    def _planned(
        self, node: Node, edges: Sequence[Edge], cuts: Cuts, queries: Queries
    ) -> PlannedBlock:
        """The block of a node, with a key that differs if anything that it rests on does."""
        shades = self.reached[node].shades
        is_exact = all(self._is_exact(edge, cuts) for edge in edges)
        bounds = self._bounds(node, cuts, is_exact=is_exact)
        facts = [
            str(node),
            [edge.source for edge in edges],  # the node says to which children these belong
            [int(bound) for bound in bounds],
            [str(cut) for cut in cuts],
            [str(query) for query in queries] if cuts else bool(queries),
            int(word_of(shades)),
        ]
        return PlannedBlock(
            node=node,
            shades=shades,
            edges=edges,
            bounds=bounds,
            is_exact=is_exact,
            cuts=cuts,
            queries=queries,
            key=f"{node}-{key_of(facts)}",
        )

    def _is_exact(self, edge: Edge, cuts: Cuts) -> bool:
        """Whether both bounds give a child the same values, as far as some cuts need them."""
        if edge.is_bounded:
            return False
        if edge.block is None:
            return True  # a table has it, or it is never reached
        # A cut divides values in two. So a child is exact for a block that is asked for the same
        # cuts.
        return edge.block.is_exact and edge.block.cuts in ((), cuts)

    def _bounds(self, node: Node, cuts: Cuts, *, is_exact: bool) -> Sequence[Bound]:
        """The bounds with which a block is solved: both, unless one is enough or was asked for."""
        if is_exact:
            return [Bound.LOWER]
        if cuts:
            return [self.question.bound]
        if self.way.keeps_pieces:
            # Such a way is to prove that the promoting side wins, which its own bound does.
            promoters = self.reached[node].promoters
            if promoters == {Color.WHITE}:
                return [Bound.LOWER]
            if promoters == {Color.BLACK}:
                return [Bound.UPPER]
        return list(Bound)

    @property
    def asks_again(self) -> bool:
        """Whether blocks are asked at a few cuts, so that their answers may lead to more questions.

        With all outcomes the first answer is the last.
        """
        return any(block.cuts for block in self.blocks.values())

    def solved_nodes(self) -> frozenset[Hashable]:
        """The nodes that are solved, and how; closures that differ in cuts alone have the same."""
        nodes = list[Hashable]()
        for block in self.blocks.values():
            asks_question = block.cuts in ((), self.question.cuts)
            nodes.append((block.node, asks_question, len(block.bounds)))
        return frozenset(nodes)

    def tells_all(self, node: Node) -> bool:
        """Whether all outcomes of a node are found, so that no other closure tells more."""
        block = self.blocks[node]
        return block.is_exact and not block.cuts

    def bounded(self) -> set[Material]:
        """The materials that are left to bounds."""
        materials = set[Material]()
        for block in self.blocks.values():
            materials.update(edge.child.material for edge in block.edges if edge.is_bounded)
        return {material.canonical() for material in materials}

    def tables_read(self) -> dict[str, str]:
        """[name of a table that it reads] -> the table's digest."""
        read = set[tuple[Material, str]]()
        for block in self.blocks.values():
            for edge in block.edges:
                if edge.block is None and edge.source not in (BOUNDED, NEVER_REACHED):
                    read.add((edge.child.material, edge.source))
        digests = dict[str, str]()
        for material, digest in read:
            is_whole = digest == self.tables.digest(material)
            digests[str(material if is_whole else material.within(Scope.PAIRS))] = digest
        return digests


def _least_seconds(node: Node, cuts: Cuts, share: float) -> float:
    """The CPU seconds that a share of a block's cells takes at least, whatever it leads to."""
    if cuts:
        return cost_at_cuts(node.cells, cuts, share=share).cpu_seconds
    return cost_of_block(node.cells, 1, (), share=share).cpu_seconds
