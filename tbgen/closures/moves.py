"""Moves from placements: captures, pawn moves and promotions, and the tables that they lead to.

Each way, each question and each walk asks for the same moves again, so they are listed once.
"""

from collections.abc import Sequence
from typing import NamedTuple

from tbgen.closures.nodes import Placement, node_of, pawns_after
from tbgen.index.layout import Squares, slots_of
from tbgen.index.resets import Reset, resets_of
from tbgen.material import Material, Scope
from tbgen.men import Role
from tbgen.probe.opened import OpenTables
from tbgen.score import Color


class PlacementMove(NamedTuple):
    """A reset from a placement, and a placement that it leads to."""

    reset: Reset
    pawns: Squares
    table: str
    """The digest of the table that has it; empty without one."""

    @property
    def child(self) -> Placement:
        """The placement that it leads to."""
        return Placement(self.reset.material, self.pawns)


class KnownReset(NamedTuple):
    """A reset, and what is known of the table that it leads to."""

    reset: Reset
    digest: str
    """The digest of the table; empty without one."""
    has_pairs: bool
    """Whether there is a table of pairs, which has some placements."""


class PlacementMoves:
    """The moves from placements, with some tables."""

    def __init__(self, known: OpenTables) -> None:
        self._known = known
        self._resets = dict[Material, Sequence[KnownReset]]()
        self._moves = dict[Placement, Sequence[PlacementMove]]()

    def from_placement(self, placement: Placement) -> Sequence[PlacementMove]:
        """All moves from a placement."""
        moves = self._moves.get(placement)
        if moves is None:
            moves = self._listed(placement)
            self._moves[placement] = moves
        return moves

    def _listed(self, placement: Placement) -> Sequence[PlacementMove]:
        moves = list[PlacementMove]()
        slots = slots_of(placement.material)
        for reset, digest, has_pairs in self._known_resets(placement):
            for pawns in pawns_after(slots, placement.pawns, reset):
                table = digest
                if has_pairs and not digest:
                    table = self._known.digest_of_pairs(*node_of(reset.material, pawns))
                moves.append(PlacementMove(reset, pawns, table))
        return moves

    def _known_resets(self, placement: Placement) -> Sequence[KnownReset]:
        """The resets of a material, into the colours of a table where there is one."""
        material = placement.material
        if material not in self._resets:
            resets = resets_of(placement.node.layout, self._in_colours_of_table)
            known = list[KnownReset]()
            for reset in resets:
                digest = self._known.digest(reset.material)
                known.append(KnownReset(reset, digest, self._has_pairs(reset.material)))
            self._resets[material] = known
        return self._resets[material]

    def _in_colours_of_table(self, material: Material) -> Material:
        return material.canonical() if self._known.digest(material) else material

    def _has_pairs(self, material: Material) -> bool:
        """Whether there is a table of pairs of a material."""
        if any(Role.PAWN not in material.side(color) for color in Color):
            return False
        return bool(self._known.digest(material.within(Scope.PAIRS)))
