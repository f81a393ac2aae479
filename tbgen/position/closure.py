"""The closure of a position: the blocks that it can reach by captures, pawn moves and promotions, and their cost.

A *node* is a block of a material that has no table. Its colours are those of the position that was asked about, so that
a lower bound for White stays one all the way down; only tables are read with the colours that they are stored in.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

import chess

from tbgen.errors import ClosureTooLargeError, MissingTableError
from tbgen.index.layout import Layout, Slot, Squares, partial_layout, slots_of
from tbgen.index.squares import TRIANGLE
from tbgen.material import MOST_TABLE_MEN, Material, Role
from tbgen.position.bracket import SolvePlan
from tbgen.position.cuts import MATES, Cuts
from tbgen.position.known import KnownTables, key_of
from tbgen.probe.stored import RANK_FLIP
from tbgen.retro.resets.destinations import Reset, resets_of
from tbgen.retro.words.geometry import NO_SLOT
from tbgen.score import Color

PROGRAM_BYTES = 1 << 29
MOST_NODES = 1 << 20
MOST_FREE: Final = 4
"""Men that are not pawns in a block, at most: one more takes 64 times the memory."""
MOST_COARSE_FREE: Final = 5
"""The same for a block with one pawn that is solved at a few cuts alone (cuts.py)."""

_CELL_SECONDS, _QUEEN_CELL_SECONDS, _NODE_SECONDS = 0.15e-6, 0.05e-6, 0.03
"""CPU seconds of a cell, of one where one side alone has queens, and of a block beside its cells."""
_CELL_BYTES = 10
"""Memory of a cell of the block that is solved, with one bound. Its outcome takes a byte of disk at most."""
_COARSE_CELL_SECONDS, _CUT_SECONDS, _COARSE_CELL_BYTES, _CUT_BYTES, _CUT_DISK = 25e-9, 8e-9, 4.3, 0.25, 0.05
"""CPU seconds of a cell of a block that is solved at cuts, without and for each of them, its memory, and their disk."""


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


class Way(NamedTuple):
    """How to solve a closure: first the most men beside pawns with which a promotion to each role is solved."""

    queen: int
    knight: int
    others: int
    cuts: Cuts = ()
    """Nodes with at least so many men that are not pawns are solved at these cuts alone."""
    coarse_free: int = MOST_COARSE_FREE

    def solves(self, role: Role, free: int) -> bool:
        """Whether a promotion to a role is solved."""
        return free <= {Role.QUEEN: self.queen, Role.KNIGHT: self.knight}.get(role, self.others)


def ways_of(free: int, cuts: Cuts) -> list[Way]:
    """The ways for a position with so many men that are not pawns, those that tell most first.

    A queen bounds a rook and a bishop, so these are solved last of all. Then come promotions to one man more than
    all outcomes of a block may have: who mates there, if that is prepared, and last everything at `cuts`.
    """
    if free > MOST_FREE:
        return [Way(0, 0, free, cuts, free)]
    some = [(MOST_FREE, MOST_FREE, MOST_FREE)]
    some += [(most, least, free) for most in range(MOST_FREE, free - 1, -1) for least in (most, max(free, most - 1))]
    more = [(MOST_COARSE_FREE, knight, free) for knight in (MOST_COARSE_FREE, MOST_FREE)]
    ways = [Way(*each, (), MOST_COARSE_FREE) for each in some]
    ways += [Way(*each, MATES, MOST_COARSE_FREE) for each in more]
    return [*dict.fromkeys(ways + [Way(*each, cuts, MOST_FREE) for each in more + some])]


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


class Cost(NamedTuple):
    """The cost of solving a node."""

    cells: int
    """Of both sides to move, with each bound."""
    cpu_seconds: float
    memory_bytes: int
    disk_bytes: float


@dataclass
class Closure:
    """All nodes that a node leads to, each after those that it leads to."""

    known: KnownTables
    way: Way
    there: Collection[str] = ()
    """The keys of the blocks that are solved already."""
    budget: float = math.inf
    """CPU seconds at most, for the blocks that are not."""
    most_nodes: float = MOST_NODES
    edges: dict[Node, list[Edge]] = field(default_factory=dict)
    """[node] -> its edges, in the order in which nodes are to be solved."""
    inexact: set[Node] = field(default_factory=set)
    """The nodes that lead to bounds."""
    cpu_seconds: float = 0.0
    """Of the blocks that are not solved yet."""
    missing: dict[str, MissingTableError] = field(default_factory=dict)
    """The tables of materials without pawns that the nodes lead to and that are not there."""
    _resets: dict[Material, list[tuple[Reset, bool]]] = field(default_factory=dict)  # and whether they lead to a table
    _keys: dict[Node, str] = field(default_factory=dict)

    def add(self, node: Node) -> None:
        """Add a node and all that it leads to; ClosureTooLargeError when that takes too much."""
        if node in self.edges:
            return
        edges = list(self._edges_of(node))
        for edge in edges:
            if edge.kind is Kind.NODE:
                self.add(edge.child)
        if any(edge.kind is Kind.BOUND or edge.child in self.inexact for edge in edges):
            self.inexact.add(node)
        self.edges[node] = edges
        self.cpu_seconds += self.cost_of(node).cpu_seconds * (self.key(node) not in self.there)
        if self.cpu_seconds > self.budget or len(self.edges) > self.most_nodes:
            raise ClosureTooLargeError(str(node.material), "it takes too much")

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
                elif reset.promoted != NO_SLOT and not self._solves(reset.role, child):
                    kind = Kind.BOUND
                elif not child.pawns:
                    self._note_missing(child.material)
                    continue
                yield Edge(reset, child, kind)

    def _solves(self, role: Role, child: Node) -> bool:
        """Whether a promotion without a table is solved."""
        return bool(child.pawns) and child.is_solvable and self.way.solves(role, child.free)

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
        return node.free >= self.way.coarse_free

    def key(self, node: Node) -> str:
        """A block, and a digest of all that its values rest on."""
        if node not in self._keys:
            below = {(str(edge.child), edge.kind.value, self._digest(edge)) for edge in self.edges[node]}
            cuts = [str(cut) for cut in self.way.cuts if self.is_coarse(node)]
            self._keys[node] = f"{node}-{key_of([str(node), sorted(below), cuts])}"
        return self._keys[node]

    def _digest(self, edge: Edge) -> str:
        if edge.kind is Kind.TABLE:
            return self.known.digest(edge.child.material)
        return self.key(edge.child) if edge.kind is Kind.NODE else ""

    def at(self, cuts: Cuts, there: Collection[str]) -> Closure:
        """The same closure at other cuts, with other blocks solved."""
        found = replace(self, way=self.way._replace(cuts=cuts), there=there, _keys={})
        found.cpu_seconds = sum(found.cost_of(node).cpu_seconds for node in found.lacking.values())
        return found

    @property
    def lacking(self) -> dict[str, Node]:
        """[key] -> the nodes that are not solved yet."""
        return {key: node for node in self.edges if (key := self.key(node)) not in self.there}

    def cost_of(self, node: Node) -> Cost:
        """The cost of solving a node."""
        passes, cells, cuts = 1 + (node in self.inexact), node.cells, len(self.way.cuts)
        children = {edge.child for edge in self.edges[node] if edge.kind is not Kind.BOUND}
        read = passes * sum(child.cells // 2 if child.free <= node.free else cells for child in children)
        read += max((child.cells // 2 for child in children if child.free > node.free), default=0)
        if self.is_coarse(node):
            memory, disk = cells * (_COARSE_CELL_BYTES + _CUT_BYTES * cuts), cells * _CUT_DISK * cuts
            seconds = cells * (_COARSE_CELL_SECONDS + _CUT_SECONDS * cuts)
        else:
            queens = {color for color, role in slots_of(node.material) if role is Role.QUEEN}
            seconds = cells * (_QUEEN_CELL_SECONDS if len(queens) == 1 else _CELL_SECONDS)
            memory, disk = passes * cells * _CELL_BYTES, cells
        return Cost(passes * cells, passes * (seconds + _NODE_SECONDS), int(memory) + read, passes * disk)


def plan_of(closures: Iterable[Closure]) -> SolvePlan:
    """The cost of solving all blocks of some closures that are not solved yet, each once; the last one tells most."""
    costs, exact, most_free, missing = dict[str, Cost](), True, 0, list[str]()
    for each in closures:
        costs |= {key: each.cost_of(node) for key, node in each.lacking.items()}
        bounds = {e.child.material.canonical() for some in each.edges.values() for e in some if e.kind is Kind.BOUND}
        exact, most_free = not each.inexact, each.way.queen
        missing = sorted(str(material) for material in bounds if material.men <= MOST_TABLE_MEN)
    cells, seconds, memory, disk = zip(*costs.values(), strict=True) if costs else [(0,)] * 4
    memory_bytes = PROGRAM_BYTES + max(memory)
    return SolvePlan(
        len(costs), sum(cells), round(sum(seconds), 1), memory_bytes, int(sum(disk)), exact, most_free, tuple(missing)
    )


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
