"""The closure of a position: all blocks that it can reach, and their cost.

Captures, pawn moves and promotions lead from block to block.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Final, Protocol

from tbgen.closures.costs import ADDING_SECONDS, Budget, cost_at_cuts, cost_of_block
from tbgen.closures.cuts import ALL_OUTCOMES, Bound, CutQuestion, Cuts
from tbgen.closures.moves import PlacementMove, PlacementMoves
from tbgen.closures.nodes import Node, PawnPlacement, RootNode, shade_in
from tbgen.closures.planned import BOUNDED, NEVER_REACHED, Edge, PlannedBlock
from tbgen.closures.reach import (
    ANYWHERE,
    Kings,
    PlacementWalk,
    ReachedPlacement,
    are_shut_in,
    shades_after,
    shades_in_node,
)
from tbgen.closures.shades import (
    Shades,
    bishops_of,
    every_shade,
    least_share,
    share_of,
    word_of,
)
from tbgen.closures.store import key_of
from tbgen.closures.ways import Way
from tbgen.errors import BuildError, ClosureTooLargeError, MissingTableError
from tbgen.index.layout import slots_of
from tbgen.index.resets import NO_SLOT
from tbgen.probe.opened import OpenTables
from tbgen.score import Color
from tbgen.table import Queries


class SolvedNames(Protocol):
    """What knows which blocks are solved, as `BlockStore` does."""

    def has(self, name: str) -> bool:
        """Whether a block of this name is solved."""

    def has_node(self, node: str) -> bool:
        """Whether some block of a node is solved."""


class _NothingSolved:
    """No block is solved."""

    def has(self, name: str) -> bool:
        return False

    def has_node(self, node: str) -> bool:
        return False


NOTHING_SOLVED: Final = _NothingSolved()


class Closure:
    """The blocks of some nodes and of all that they lead to, each after those that it leads to.

    Arguments:
        tables: What has a table is not in the closure.
        way: Says which promotions are solved.
        question: Says at which cuts large blocks are solved.
        solved: Says which blocks need no work.
        budget: Pays for the plan. If it is too small for the blocks, that is a
            ClosureTooLargeError.
        moves: The moves with the tables, which several closures may share.
    """

    def __init__(
        self,
        tables: OpenTables,
        way: Way,
        question: CutQuestion = ALL_OUTCOMES,
        solved: SolvedNames = NOTHING_SOLVED,
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
        self.charged_seconds = 0.0
        """What it takes of the budget: the time of all blocks but free ones."""
        self._charged = list[PlannedBlock]()
        self.rests_on = dict[str, str]()
        """[name of a table that it reads] -> the table's digest."""
        self.missing = set[str]()
        """Tables without pawns that the nodes lead to and that are not in the folders."""
        self._solved = solved
        self._budget = Budget() if budget is None else budget
        self._moves = PlacementMoves(tables, self._budget) if moves is None else moves
        self._reached: Mapping[Node, ReachedPlacement] | None = None
        """The nodes that a position needs; None if it needs all that the way solves."""

    def add_root(self, root: RootNode) -> PlannedBlock:
        """Add the node of a position, and all of its blocks that the position needs."""
        node = root.node
        kings = _kings_in(node, root.queries)
        if self._may_need_less(node, kings):
            self._reached = self._walk_from(root, kings)
        return self.add(node, queries=root.queries)

    def _may_need_less(self, node: Node, kings: Kings) -> bool:
        """Whether a position may need less than all that its pawns can lead to (see `reach`)."""
        are_kings_shut_in = are_shut_in(slots_of(node.material), node.pawns, kings)
        has_bishops = any(bishops_of(node.material))
        return are_kings_shut_in or self.way.keeps_pieces or has_bishops

    def _walk_from(self, root: RootNode, kings: Kings) -> Mapping[Node, ReachedPlacement]:
        """What is reached from a root; ClosureTooLargeError if that takes too much."""
        seen = set[Node]()
        seconds = 0.0

        def moves_of(placement: PawnPlacement) -> Iterator[PlacementMove]:
            """The moves to what this way solves, as long as all new nodes fit the budget."""
            nonlocal seconds
            node = placement.node
            if node not in seen:
                seen.add(node)
                if not self._may_be_free(node):
                    # After a promotion of either side, a block is asked the fewest cuts.
                    cuts = self.way.cuts_of(node, Color.WHITE, self.question)
                    seconds += _least_seconds(node, cuts, least_share(node.material))
                if seconds > self._budget.left:
                    raise self._too_large(node)
            for move in self._moves.from_placement(placement):
                if self._is_solved_by_way(move) and not move.table:
                    yield move

        walk = PlacementWalk(moves_of, keeps_pieces=self.way.keeps_pieces)
        placement = PawnPlacement(*root.node)
        shades = Shades(shade_in(root.node, cell) for _, cell in root.queries)
        return walk.from_root(placement, kings, shades, has_right=root.has_right)

    def add(
        self, node: Node, *, queries: Queries = (), promoted_by: Color | None = None
    ) -> PlannedBlock:
        """Add a node after all that it leads to.

        `queries` are asked of the node. `promoted_by` is the side that has promoted last on the way
        to it, if any has.
        """
        if node in self.blocks:
            return self.blocks[node]
        self._budget.pay(ADDING_SECONDS)
        cuts = self.way.cuts_of(node, promoted_by, self.question)
        self._refuse_large(node, cuts)
        edges = list(self._edges_of(node, promoted_by))
        block = self._planned(node, edges, cuts, queries)
        self.blocks[node] = block
        is_solved = self._is_solved(block)
        if not is_solved:
            self.lacking.append(block)
            self.cpu_seconds += block.cost.cpu_seconds
        is_free = is_solved and not self._budget.counts_solved
        if not is_free and block.key not in self._budget.paid_keys:
            self._charged.append(block)
            self.charged_seconds += block.cost.cpu_seconds
            if self.charged_seconds > self._budget.left:
                raise self._too_large(node)
        return block

    def _is_solved(self, block: PlannedBlock) -> bool:
        """Whether a block is solved with all its bounds."""
        return all(self._solved.has(block.name_with(bound)) for bound in block.bounds)

    def pay(self) -> None:
        """Let the budget pay for the blocks, which cost nothing of it any more."""
        paid_keys = self._budget.paid_keys
        for block in self._charged:
            if block.key not in paid_keys:  # else another closure has paid since
                self._budget.pay(block.cost.cpu_seconds)
        paid_keys.update(block.key for block in self.blocks.values())
        self._budget.paid_nodes.update(map(str, self.blocks))

    def _refuse_large(self, node: Node, cuts: Cuts) -> None:
        """ClosureTooLargeError if a block takes too much, whatever it leads to.

        So no time is spent on listing what it leads to.
        """
        share = share_of(self._shades_of(node), node.material)
        seconds = self.charged_seconds + _least_seconds(node, cuts, share)
        if seconds > self._budget.left and not self._may_be_free(node):
            raise self._too_large(node)

    def _too_large(self, node: Node) -> ClosureTooLargeError:
        return ClosureTooLargeError(str(node.material), self._budget.refusal)

    @property
    def _reached_shades(self) -> Mapping[Node, ReachedPlacement] | None:
        """The nodes that are reached, if it is known which of their cells are needed.

        A way that keeps pieces may lead to a node by a capture that its walk does not follow.
        """
        return None if self.way.keeps_pieces else self._reached

    def _shades_of(self, node: Node) -> Shades:
        """The shades that are needed of a node."""
        if self._reached_shades is None:
            return every_shade(node.material)
        return self._reached_shades[node].shades

    def _may_be_free(self, node: Node) -> bool:
        """Whether some block of a node costs nothing, in whatever way it was solved."""
        name = str(node)
        if name in self._budget.paid_nodes:
            return True
        return not self._budget.counts_solved and self._solved.has_node(name)

    def _edges_of(self, node: Node, promoted_by: Color | None) -> Iterator[Edge]:
        """The edges from a node. Children without tables are added if they are solved."""
        slots = slots_of(node.material)
        for move in self._moves.from_placement(PawnPlacement(*node)):
            reset = move.reset
            child = move.child
            promotes = reset.promoted != NO_SLOT
            if move.table:
                source = move.table
                self.rests_on[move.name_of_table] = move.table
            elif not self._is_solved_by_way(move):
                source = BOUNDED
            elif self._reached is not None and child not in self._reached:
                source = BOUNDED if self.way.keeps_pieces else NEVER_REACHED
            elif not promotes and not child.pawns:
                self.missing.add(str(child.material.canonical()))
                continue
            else:
                promoter = slots[reset.promoted][0] if promotes else promoted_by
                source = self.add(child, promoted_by=promoter).key
                self._check_shades(node, move)
            yield Edge(reset, child, source)

    def _check_shades(self, node: Node, move: PlacementMove) -> None:
        """BuildError if a child is not solved for all that a node asks of it.

        Where a block is solved at cuts, nothing else would notice.
        """
        if self._reached_shades is None:
            return
        after = shades_after(PawnPlacement(*node), self._shades_of(node), move)
        if not shades_in_node(move.child_placement, after) <= self._shades_of(move.child):
            raise BuildError(str(node), f"{move.child} lacks bishops on squares of one colour")

    def _is_solved_by_way(self, move: PlacementMove) -> bool:
        """Whether this way solves what a move leads to."""
        if move.reset.promoted == NO_SLOT:
            return True
        return self.way.solves(move.reset.role, move.child)

    def _planned(
        self, node: Node, edges: Sequence[Edge], cuts: Cuts, queries: Queries
    ) -> PlannedBlock:
        """The block of a node, with a key that differs if anything that it rests on does."""
        shades = self._shades_of(node)
        is_exact = all(self._is_exact(edge, cuts) for edge in edges)
        bounds = self._bounds(node, cuts, is_exact=is_exact)
        facts = [
            str(node),
            sorted({(str(edge.child), edge.source) for edge in edges}),
            [int(bound) for bound in bounds],
            [str(cut) for cut in cuts],
            [str(query) for query in queries],
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
        child = self.blocks.get(edge.child)
        if child is None:
            return True  # a table has it, or it is never reached
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
            # Such a way is to prove that the promoting side wins, which its own bound does.
            promoters = self._reached[node].promoters
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

    def refuse_missing(self) -> None:
        """MissingTableError with all tables without which nothing can be solved, if any."""
        if self.missing:
            first, *others = sorted(self.missing)
            raise MissingTableError(first, self.tables.named, tuple(others))


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


def _least_seconds(node: Node, cuts: Cuts, share: float) -> float:
    """The CPU seconds that a block takes at least, whatever it leads to.

    So large a share of its cells is needed.
    """
    if cuts:
        return cost_at_cuts(node.cells, cuts, share=share).cpu_seconds
    return cost_of_block(node.cells, 1, (), share=share, is_grouped=True).cpu_seconds
