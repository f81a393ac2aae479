"""The closure of a position: the blocks that it can reach by captures, pawn moves and promotions.

A *node* is a block of a material that has no table. Its colours are those of the position that was asked about, so that
a lower bound for White stays one all the way down; only tables are read with the colours that they are stored in.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from tbgen.index.layout import Layout, Slot, Squares, partial_layout, slots_of
from tbgen.index.symmetry import TRIANGLE
from tbgen.material import Material
from tbgen.position.known import KnownTables
from tbgen.retro.resets.destinations import Reset, resets_of
from tbgen.retro.words.moves import NO_SLOT
from tbgen.score import Color

RANK_FLIP = 56
_STEPS_ASIDE = (-1, 1)

_CELL_SECONDS, _NODE_SECONDS = 0.6e-6, 0.015
"""CPU seconds of a cell, and of a block beside its cells."""


class Node(NamedTuple):
    """One placement of a material's pawns, as the layout has it: one block."""

    material: Material
    pawns: Squares

    @property
    def free(self) -> int:
        """How many men are not pawns."""
        return self.material.men - len(self.pawns)

    @property
    def cells(self) -> int:
        """Of both sides to move."""
        kings = 64 if self.pawns else len(TRIANGLE)
        return (2 * kings) << 6 * (self.free - 1)

    @property
    def cpu_seconds(self) -> float:
        """CPU seconds of one pass."""
        return self.cells * _CELL_SECONDS + _NODE_SECONDS

    @property
    def layout(self) -> Layout:
        """The layout of the block alone."""
        return partial_layout(self.material, [self.pawns])


def node_of(material: Material, pawns: Sequence[int]) -> Node:
    """The node of a placement: equal pawns in order, and the lesser of the placement and its mirror image."""
    there, back = _in_order(material, pawns), _in_order(material, [square ^ 7 for square in pawns])
    return Node(material, min(there, back, key=lambda squares: [(each % 8, each // 8) for each in squares]))


def _in_order(material: Material, pawns: Sequence[int]) -> Squares:
    placed = zip(slots_of(material), pawns, strict=False)
    return tuple(square for _, square in sorted(placed, key=lambda man: (int(man[0][0]), man[1] % 8, man[1] // 8)))


class Kind(enum.Enum):
    """Where the values of a block come from."""

    TABLE = "table"
    NODE = "node"
    BOUND = "bound"


class Edge(NamedTuple):
    """A reset, and a block that it can lead to."""

    reset: Reset
    child: Node
    kind: Kind


class TooMuchWorkError(Exception):
    """The closure takes more than was allowed."""


@dataclass
class Closure:
    """All nodes that a node leads to, each after those that it leads to."""

    known: KnownTables
    most_free: int
    """Promotions are solved where so many men are not pawns at most."""
    budget: float
    """CPU seconds at most, for one pass."""
    is_turned: bool = False
    """Whether the colours of the position are reversed, so that it shares blocks with its reversal."""
    most_nodes: int = 1 << 20
    edges: dict[Node, list[Edge]] = field(default_factory=dict)
    """[node] -> its edges, in the order in which nodes are to be solved."""
    inexact: set[Node] = field(default_factory=set)
    """The nodes that lead to bounds."""
    cpu_seconds: float = 0.0
    """Of one pass."""

    def add(self, node: Node) -> None:
        """Add a node and all that it leads to; TooMuchWorkError when that takes too much."""
        if node in self.edges:
            return
        self.cpu_seconds += node.cpu_seconds
        if self.cpu_seconds > self.budget or len(self.edges) > self.most_nodes:
            raise TooMuchWorkError
        edges = list(self._edges_of(node))
        for edge in edges:
            if edge.kind is Kind.NODE:
                self.add(edge.child)
        if any(edge.kind is Kind.BOUND or edge.child in self.inexact for edge in edges):
            self.inexact.add(node)
        self.edges[node] = edges

    def join(self, other: Closure) -> None:
        """Take over the nodes of another closure with the same `most_free`."""
        self.edges.update({node: edges for node, edges in other.edges.items() if node not in self.edges})
        self.inexact |= other.inexact

    @cached_property
    def _resets(self) -> dict[Material, list[Reset]]:
        return {}

    def as_stored(self, material: Material) -> Material:
        """A material with the colours of its table, if there is one."""
        return material.canonical() if self.known.has(material.canonical()) else material

    def resets(self, node: Node) -> list[Reset]:
        """Every reset of a node's material."""
        if node.material not in self._resets:
            self._resets[node.material] = resets_of(node.layout, self.as_stored)
        return self._resets[node.material]

    def _edges_of(self, node: Node) -> Iterator[Edge]:
        slots = slots_of(node.material)
        for reset in self.resets(node):
            for pawns in dict.fromkeys(pawns_after(slots, node.pawns, reset)):
                child = node_of(reset.material, pawns)
                yield Edge(reset, child, self._kind_of(reset, child))

    def _kind_of(self, reset: Reset, child: Node) -> Kind:
        if self.known.has(child.material.canonical()):
            return Kind.TABLE
        if reset.promoted != NO_SLOT and (child.free > self.most_free or not child.pawns):
            return Kind.BOUND
        if not child.pawns:
            self.known.table(child.material)  # which raises MissingTableError
        return Kind.NODE


def pawns_after(slots: Sequence[Slot], pawns: Squares, reset: Reset) -> Iterator[Squares]:
    """Where the pawns of the table that a reset leads to may stand, in the order of its slots."""
    for moved in _moved(slots, pawns, reset):
        yield tuple(moved[slot] ^ RANK_FLIP * reset.flip for slot in reset.slots[: reset.material.pawns])


def _moved(slots: Sequence[Slot], pawns: Squares, reset: Reset) -> Iterator[Squares]:
    """Where the pawns may stand after a reset, by their slots; one that is captured stands where it stood."""
    if reset.promoted != NO_SLOT:
        if pawns[reset.promoted] >> 3 == (6 if slots[reset.promoted][0] is Color.WHITE else 1):
            yield pawns
        return
    if reset.gone != NO_SLOT:
        yield pawns
    for n, square in enumerate(pawns):
        if reset.gone == NO_SLOT:
            targets = _steps(slots[n][0], square, pawns)
        elif slots[n][0] is not slots[reset.gone][0]:
            targets = _captures(slots[n][0], square, pawns, reset.gone)
        else:
            continue
        for to in targets:
            if 8 <= to < 56:
                yield (*pawns[:n], to, *pawns[n + 1 :])


def _up(color: Color) -> int:
    return 8 if color is Color.WHITE else -8


def _steps(color: Color, square: int, pawns: Squares) -> Iterator[int]:
    """The squares that a pawn steps to."""
    for steps in (1, 2) if square >> 3 == (1 if color is Color.WHITE else 6) else (1,):
        to = square + steps * _up(color)
        if to in pawns:
            return
        yield to


def _captures(color: Color, square: int, pawns: Squares, gone: int) -> Iterator[int]:
    """The squares on which a pawn may capture the man in a slot, en passant too."""
    for aside in _STEPS_ASIDE:
        if not 0 <= square % 8 + aside < 8:
            continue
        to = square + aside + _up(color)
        if gone >= len(pawns):
            may = to not in pawns
        elif pawns[gone] == square + aside:
            may = square >> 3 == (4 if color is Color.WHITE else 3) and to not in pawns
        else:
            may = pawns[gone] == to
        if may:
            yield to
