"""Planned blocks: each node of a closure, what it leads to, and how it is solved."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from tbgen.closures.costs import BlockCost, cost_at_cuts, cost_of_block
from tbgen.closures.cuts import Bound, Cuts
from tbgen.closures.nodes import Node
from tbgen.closures.shades import Shades, share_of
from tbgen.index.layout import slots_of
from tbgen.index.resets import NO_SLOT, Reset
from tbgen.men import Role
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
    """What is asked of it with an accrued score."""
    key: str
    """The node, with a digest of all that its values rest on, and of the cells that are solved."""

    def name_with(self, bound: Bound) -> str:
        """The name of the block as it is solved with one of its bounds."""
        part = WHOLE if len(self.bounds) == 1 else bound.name
        return f"{self.key}-{part}"

    @property
    def is_grouped(self) -> bool:
        """Whether it is solved together with other blocks of its material (see `groups`).

        Blocks at cuts have so many cells that a thread or two are busy with one for minutes. The
        block of the root is asked about accrued scores, which the solver of a group does not find.
        """
        return not self.cuts and not self.queries

    @cached_property
    def cost(self) -> BlockCost:
        """The cost of solving it, without the program's memory."""
        if self.cuts:
            return self._cost_at_cuts()
        children = {edge.child for edge in self.edges if not edge.is_bounded}
        planes = [child.cells // 2 for child in children]
        passes = len(self.bounds)
        return cost_of_block(
            self.node.cells, passes, planes, share=self._share, is_grouped=self.is_grouped
        )

    @property
    def _share(self) -> float:
        """The part of its cells that is needed."""
        return share_of(self.shades, self.node.material)

    def _cost_at_cuts(self) -> BlockCost:
        rights_bytes = self._bytes_of_rights
        read = [self._bytes_read(side) for side in Color]
        if self.node.double_steps:  # captures en passant ask for what moves of both sides lead to
            read_bytes = sum(read) + rights_bytes
            return cost_at_cuts(
                self.node.cells, self.cuts, read_bytes, rights_bytes, share=self._share
            )
        return cost_at_cuts(self.node.cells, self.cuts, max(read) + rights_bytes, share=self._share)

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
