"""The closure of a position: the blocks that it can reach by captures, pawn moves and promotions, and their cost.

A *node* is a block of a material that has no table. Its colours are those of the position that was asked about, so that
a lower bound for White stays one all the way down; only tables are read with the colours that they are stored in.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import chess

from tbgen.errors import ClosureTooLargeError, MissingTableError
from tbgen.index.layout import Layout, Slot, Squares, partial_layout, slots_of
from tbgen.index.symmetry import TRIANGLE
from tbgen.material import MOST_TABLE_MEN, Material, Role
from tbgen.position.bracket import SolvePlan
from tbgen.position.known import KnownTables
from tbgen.probe.stored import RANK_FLIP
from tbgen.retro.resets.destinations import Reset, resets_of
from tbgen.retro.words.geometry import NO_SLOT
from tbgen.score import Color, Score

PROGRAM_BYTES = 1 << 29
MOST_NODES = 1 << 20
MOST_FREE: Final = 4
"""Men that are not pawns in a block, at most: one more takes 64 times the memory."""
MOST_COARSE_FREE: Final = 5
"""The same for a block with one pawn that is solved at a few cuts alone (coarse.py)."""

_CELL_SECONDS, _QUEEN_CELL_SECONDS, _NODE_SECONDS = 0.15e-6, 0.05e-6, 0.03
"""CPU seconds of a cell, of one where one side alone has queens, and of a block beside its cells."""
_CELL_BYTES = 10
"""Memory of a cell of the block that is solved, with one bound. Its outcome takes a byte of disk at most."""
_COARSE_CELL_SECONDS, _CUT_SECONDS, _COARSE_CELL_BYTES, _CUT_BYTES = 25e-9, 8e-9, 4.3, 0.25
"""CPU seconds of a cell of a block that is solved at cuts, without and for each of them; memory with both bounds."""


Cuts = tuple[Score, ...]
"""Scores that White gets at least or does not, from White's best on."""


class Node(NamedTuple):
    """One placement of a material's pawns, as the layout has it: one block."""

    material: Material
    pawns: Squares

    def __str__(self) -> str:
        return f"{self.material}-{''.join(map(chess.square_name, self.pawns))}"

    @property
    def free(self) -> int:
        """How many men are not pawns."""
        return self.material.men - len(self.pawns)

    @property
    def is_solvable(self) -> bool:
        """Whether its block can be solved, all outcomes or at some cuts."""
        return self.free <= MOST_FREE or (self.free <= MOST_COARSE_FREE and len(self.pawns) == 1)

    @property
    def cells(self) -> int:
        """Of both sides to move."""
        kings = 64 if self.pawns else len(TRIANGLE)
        return (2 * kings) << 6 * (self.free - 1)

    @property
    def cpu_seconds(self) -> float:
        """CPU seconds of one pass."""
        sides = {color for color, role in slots_of(self.material) if role is Role.QUEEN}
        return self.cells * (_QUEEN_CELL_SECONDS if len(sides) == 1 else _CELL_SECONDS) + _NODE_SECONDS

    @property
    def layout(self) -> Layout:
        """The layout of the block alone."""
        return partial_layout(self.material, [self.pawns])


def node_of(material: Material, pawns: Sequence[int]) -> Node:
    """The node of a placement: equal pawns in order, and the lesser of the placement and its mirror image."""
    colors = [int(color) for color, _ in slots_of(material)]
    images = [
        sorted((color, square % 8, square // 8) for color, square in zip(colors, image, strict=False))
        for image in (pawns, [square ^ 7 for square in pawns])
    ]
    return Node(material, tuple(8 * rank + file for _, file, rank in min(images)))


class Level(NamedTuple):
    """The most men beside pawns with which a promotion to each role is solved."""

    queen: int
    knight: int
    others: int

    def solves(self, role: Role, free: int) -> bool:
        """Whether a promotion to a role is solved."""
        return free <= {Role.QUEEN: self.queen, Role.KNIGHT: self.knight}.get(role, self.others)


def levels_of(free: int) -> list[Level]:
    """The levels for a position with so many men that are not pawns, from the fewest promotions solved to all.

    A queen bounds a rook and a bishop, so these come last. There are none for more men than a block may have.
    """
    if free > MOST_FREE:
        return [Level(0, 0, free)]
    some = [Level(most, knight, free) for most in range(free, MOST_FREE + 1) for knight in (max(free, most - 1), most)]
    return [*dict.fromkeys(some + [Level(MOST_FREE, MOST_FREE, MOST_FREE)] * bool(some))]


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


@dataclass
class Closure:
    """All nodes that a node leads to, each after those that it leads to."""

    known: KnownTables
    level: Level
    budget: float
    """CPU seconds at most, for one pass."""
    cuts: Cuts = ()
    """The cuts of the nodes that are solved at some cuts alone."""
    coarse_free: int = MOST_FREE + 1
    """These nodes have at least so many men that are not pawns."""
    is_turned: bool = False
    """Whether the colours of the position are reversed, so that it shares blocks with its reversal."""
    most_nodes: float = MOST_NODES
    edges: dict[Node, list[Edge]] = field(default_factory=dict)
    """[node] -> its edges, in the order in which nodes are to be solved."""
    inexact: set[Node] = field(default_factory=set)
    """The nodes that lead to bounds."""
    cpu_seconds: float = 0.0
    """Of one pass."""
    missing: dict[str, MissingTableError] = field(default_factory=dict)
    """The tables of materials without pawns that the nodes lead to and that are not there."""
    _resets: dict[Material, list[tuple[Reset, bool]]] = field(default_factory=dict)  # and whether they lead to a table

    def add(self, node: Node) -> None:
        """Add a node and all that it leads to; ClosureTooLargeError when that takes too much."""
        if node in self.edges:
            return
        self.cpu_seconds += self._pass_seconds(node)
        if self.cpu_seconds > self.budget or len(self.edges) > self.most_nodes:
            raise ClosureTooLargeError(str(node.material), "it takes too much")
        edges = list(self._edges_of(node))
        for edge in edges:
            if edge.kind is Kind.NODE:
                self.add(edge.child)
        if any(edge.kind is Kind.BOUND or edge.child in self.inexact for edge in edges):
            self.inexact.add(node)
        self.edges[node] = edges

    def _edges_of(self, node: Node) -> Iterator[Edge]:
        slots, known = slots_of(node.material), self.known
        if node.material not in self._resets:
            resets = resets_of(node.layout, lambda each: each.canonical() if known.has(each) else each)
            self._resets[node.material] = [(reset, known.has(reset.material)) for reset in resets]
        for reset, has_table in self._resets[node.material]:
            for pawns in _pawns_after(slots, node.pawns, reset):
                child, kind = node_of(reset.material, pawns), Kind.NODE
                if has_table:
                    kind = Kind.TABLE
                elif reset.promoted != NO_SLOT and not (child.pawns and self.level.solves(reset.role, child.free)):
                    kind = Kind.BOUND
                elif not child.pawns:
                    self._note_missing(child.material)
                    continue
                yield Edge(reset, child, kind)

    def _note_missing(self, material: Material) -> None:
        try:
            self.known.table(material)
        except MissingTableError as error:
            self.missing[error.material] = error

    def refuse_missing(self) -> None:
        """MissingTableError with all tables without which nothing can be solved, if there are any."""
        if self.missing:
            first, *others = sorted(self.missing)
            raise MissingTableError(first, self.missing[first].folder, tuple(others))

    def is_coarse(self, node: Node) -> bool:
        """Whether a node is solved at some cuts alone."""
        return node.free >= self.coarse_free

    def _pass_seconds(self, node: Node) -> float:
        if self.is_coarse(node):
            return node.cells * (_COARSE_CELL_SECONDS + _CUT_SECONDS * len(self.cuts)) + _NODE_SECONDS
        return node.cpu_seconds

    def cpu_seconds_of(self, node: Node) -> float:
        """CPU seconds of a node, with both bounds if it leads to bounds."""
        return self._pass_seconds(node) * (1 + (node in self.inexact))

    def plan(self) -> SolvePlan:
        """The cost of solving all nodes."""
        passes = {node: 1 + (node in self.inexact) for node in self.edges}
        cells = sum(node.cells * times for node, times in passes.items())
        seconds = round(sum(map(self.cpu_seconds_of, passes)), 1)
        memory = PROGRAM_BYTES + max(map(self.memory_of, passes), default=0)
        edges = [edge for some in self.edges.values() for edge in some]
        bounds = {edge.child.material.canonical() for edge in edges if edge.kind is Kind.BOUND}
        missing = tuple(sorted(str(each) for each in bounds if each.men <= MOST_TABLE_MEN))
        disk = sum(
            node.cells * (len(self.cuts) / 8 if self.is_coarse(node) else 1) * times for node, times in passes.items()
        )
        return SolvePlan(len(passes), cells, seconds, memory, int(disk), not self.inexact, self.level.queen, missing)

    def memory_of(self, node: Node) -> int:
        """Bytes that solving a node takes, with both bounds if it leads to bounds."""
        children = {edge.child for edge in self.edges[node] if edge.kind is not Kind.BOUND}
        read = sum(child.cells // 2 if child.free <= node.free else node.cells for child in children)
        if self.is_coarse(node):
            return int(node.cells * (_COARSE_CELL_BYTES + _CUT_BYTES * len(self.cuts))) + read * (
                1 + (node in self.inexact)
            )
        return (node.cells * _CELL_BYTES + read) * (1 + (node in self.inexact))


def _pawns_after(slots: Sequence[Slot], pawns: Squares, reset: Reset) -> Iterable[Squares]:
    """Where the pawns of the table that a reset leads to may stand, in the order of its slots."""
    moved = list[Squares]()  # by the slots here; a pawn that is captured or promoted stands where it did
    if reset.promoted == NO_SLOT:
        steps = [(n, to) for n in range(len(pawns)) for to in pawn_targets(slots, pawns, n, reset.gone)]
        moved += [pawns] * (reset.gone != NO_SLOT)
        moved += [(*pawns[:n], to, *pawns[n + 1 :]) for n, to in steps if 8 <= to < 56]
    elif pawns[reset.promoted] >> 3 == (6 if slots[reset.promoted][0] is Color.WHITE else 1):
        moved.append(pawns)
    kept = reset.slots[: reset.material.pawns]
    return dict.fromkeys(tuple(squares[slot] ^ RANK_FLIP * reset.flip for slot in kept) for squares in moved)


def pawn_targets(slots: Sequence[Slot], pawns: Squares, pawn: int, gone: int) -> Iterator[int]:
    """The squares on which a pawn may capture the man in a slot, en passant too; or to which it steps (NO_SLOT)."""
    color, square = slots[pawn][0], pawns[pawn]
    up, home, behind_double = (8, 1, 5) if color is Color.WHITE else (-8, 6, 2)
    if gone == NO_SLOT:
        for to in (square + up, square + 2 * up)[: 1 + (square >> 3 == home)]:
            if to in pawns:
                return
            yield to
    elif slots[gone][0] is not color:
        for to in chess.SquareSet(chess.BB_PAWN_ATTACKS[color.chess][square]):
            if gone >= len(pawns):
                may = to not in pawns
            else:
                passed = pawns[gone] == to - up and to >> 3 == behind_double
                may = pawns[gone] == to or (passed and to not in pawns)
            if may:
                yield to
