"""The closure of a position: the blocks that it can reach by captures, pawn moves and promotions, and their cost.

A *node* is a placement of the pawns of a material that has no table. Its colours are those of the position that was
asked about, so that a lower bound for White stays one all the way down. Tables have colours of their own.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Final, NamedTuple

import chess

from tbgen.errors import ClosureTooLargeError, MissingTableError
from tbgen.index.layout import Layout, Slot, Squares, partial_layout, slots_of
from tbgen.index.squares import TRIANGLE
from tbgen.material import MOST_TABLE_MEN, Material, Role
from tbgen.position.bounds import ENDS, Bound, Cuts
from tbgen.position.bracket import SolvePlan
from tbgen.position.known import MOST_IN_MEMORY, key_of
from tbgen.probe.stored import RANK_FLIP, OpenTables
from tbgen.retro.drive.single import Queries
from tbgen.retro.resets.destinations import Reset, resets_of
from tbgen.retro.words.geometry import NO_SLOT
from tbgen.score import Color

PROGRAM_BYTES = 1 << 29
MOST_MEN: Final = 7
MOST_WHOLE_FREE: Final = 3
"""Men that are not pawns in a block of which all outcomes are found, at most: one more takes 64 times the time."""
MOST_FREE: Final = 4
"""The same in a block with several pawns that is solved at a few cuts alone (bounds.py)."""
MOST_COARSE_FREE: Final = 5
"""The same in one with a single pawn; without pawns there may be one more."""


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
    def promoter(self) -> Color | None:
        """Whose first pawn promotes; None without pawns."""
        return slots_of(self.material)[0][0] if self.pawns else None

    @property
    def is_solvable(self) -> bool:
        """Whether its block can be solved."""
        return self.material.men <= MOST_MEN and self.free <= MOST_FREE + max(
            2 - len(self.pawns), 0
        )

    @property
    def cells(self) -> int:
        """Of both sides to move."""
        return 2 * (64 if self.pawns else len(TRIANGLE)) << 6 * (self.free - 1)

    @property
    def layout(self) -> Layout:
        """The layout of the block alone."""
        return partial_layout(self.material, [self.pawns])


def node_of(material: Material, pawns: Sequence[int]) -> Node:
    """The node of a placement: equal pawns in order, and the lesser of the placement and its mirror image."""
    colors = [int(color) for color, _ in slots_of(material)]
    images = [
        sorted(
            (color, square % 8, square // 8) for color, square in zip(colors, image, strict=False)
        )
        for image in (pawns, [square ^ 7 for square in pawns])
    ]
    return Node(material, tuple(8 * rank + file for _, file, rank in min(images)))


class Way(NamedTuple):
    """How to solve a closure: first the most men beside pawns with which a promotion to each role is solved."""

    queen: int
    knight: int
    others: int
    mates_free: int = MOST_COARSE_FREE + 2
    """Of nodes with at least so many men that are not pawns it is only found who mates or stalemates."""
    coarse_free: int = MOST_WHOLE_FREE + 1
    """Other nodes with at least so many are solved at the cuts alone."""
    cuts: Cuts = ()
    bound: Bound = Bound.LOWER
    """The bound with which nodes are solved at cuts."""
    climbs: bool = False
    """Whether a cut takes a table with one man more and no pawn, so that one is asked at a time."""

    def solves(self, role: Role, node: Node) -> bool:
        """Whether a node without a table is solved that a promotion to a role leads to."""
        most = {Role.QUEEN: self.queen, Role.KNIGHT: self.knight}.get(role, self.others)
        return (
            node.is_solvable
            and node.free <= most
            and bool(node.pawns or node.free > MOST_TABLE_MEN)
        )

    def cuts_of(self, node: Node, promoter: Color | None) -> Cuts:
        """The cuts at which a node is solved; none if all its outcomes are found."""
        if node.free >= self.mates_free:
            return (
                ENDS if promoter is None else (ENDS[promoter],)
            )  # the other is hardly ever worth its time
        return self.cuts if node.free >= self.coarse_free else ()


def ways_of(free: int) -> list[Way]:
    """The ways for a position with so many men that are not pawns, the quickest first; each tells more than the last.

    A queen bounds a rook and a bishop, so these are solved only where everything is. Where she leaves one man more than
    other blocks have, it is found who mates before it is found what she is worth: at once beside the last pawn.
    """
    if free > MOST_FREE:
        solved = [Way(free + 1, knight, free, climbs=True) for knight in (0, free + 1)]
        return [Way(free + 1, 0, free, free + 1), *solved, Way(0, 0, free)]
    least = min(free, MOST_WHOLE_FREE)
    some = [
        (most, knight)
        for most in range(least, MOST_FREE + 1)
        for knight in range(max(least, most - 1), most + 1)
    ]
    more = [Way(MOST_COARSE_FREE, knight, least) for knight in (MOST_FREE, MOST_COARSE_FREE)]
    ways = [*(Way(*each, least) for each in some), Way(MOST_FREE, MOST_FREE, MOST_FREE)]
    return [*ways, more[0]._replace(mates_free=MOST_COARSE_FREE), *more]


class Edge(NamedTuple):
    """A reset, and a node that it can lead to."""

    reset: Reset
    child: Node
    digest: str
    """Of the table that has its values, or the key of its block; empty if it is not solved, but bounded."""


@dataclass(frozen=True, eq=False)
class PlannedBlock:
    """A node of a closure, and how it is solved."""

    node: Node
    edges: Sequence[Edge]
    bounds: Sequence[Bound]
    """The bounds of what it leads to with which it is solved."""
    is_exact: bool
    """Whether both bounds are the same; then it has one of them."""
    cuts: Cuts
    """It is solved at these cuts alone; at none if all its outcomes are found."""
    asked: Queries
    key: str
    """The name of its file, by a digest of all that it rests on."""

    @cached_property
    def cost(self) -> SolvePlan:
        """The cost of solving it, without the program's memory."""
        passes, cells = len(self.bounds), self.node.cells
        sizes = [child.cells // 2 for child in {edge.child for edge in self.edges if edge.digest}]
        room, disk = (
            passes * sum(min(size, cells) for size in sizes) + max(sizes, default=0),
            passes * cells,
        )
        seconds, memory = passes * 0.17e-6, 10.0  # CPU seconds and bytes of memory of a cell
        if self.cuts:
            asked, most = len(self.cuts), max(cut.code for cut in self.cuts)
            planes = (
                (most // 2 + 1).bit_length() if not {*self.cuts} <= {*ENDS} else 0
            )  # of numbers of moves
            large = 13e-9 if cells < 1 << 33 else 35e-9 if planes < 5 else 100e-9
            each = large if cells >= 1 << 28 and planes else 4e-9
            seconds, memory, disk = (
                20e-9 + each * asked,
                0.65 * min(asked, 2),
                asked * cells // 25,
            )  # two threads
            room += cells * (3 + planes + asked) // 8
        scratch = room if self.cuts and cells >= MOST_IN_MEMORY else 0
        seconds, memory_bytes = (
            cells * seconds + passes * 0.03,
            int(cells * memory) + room - scratch,
        )
        return SolvePlan(1, passes * cells, seconds, memory_bytes, disk, self.is_exact, (), scratch)


class Closure:
    """The blocks of some nodes and of all that they lead to, each after those that it leads to.

    Those with keys that are `there` are solved already; the others may take `budget` CPU seconds.
    """

    def __init__(
        self, known: OpenTables, way: Way, there: Collection[str] = (), budget: float = math.inf
    ) -> None:
        self.known, self.way, self._there, self._budget = known, way, there, budget
        self.blocks, self.lacking, self.cpu_seconds = (
            dict[Node, PlannedBlock](),
            list[PlannedBlock](),
            0.0,
        )
        self.missing = set[
            str
        ]()  # tables without pawns that the nodes lead to and that are not there
        self._resets = dict[
            Material, list[tuple[Reset, str]]
        ]()  # and the digests of the tables that they lead to

    def add(self, node: Node, asked: Queries = (), promoter: Color | None = None) -> PlannedBlock:
        """Add a node, what is asked of it, and all that it leads to; ClosureTooLargeError when that takes too much."""
        if node not in self.blocks:
            edges = list(self._edges_of(node, promoter))
            cuts = self.way.cuts_of(node, promoter)
            # A cut divides values in two. That makes an exact block of one that is asked for the same cuts.
            whole = [
                one.is_exact and one.cuts in ((), cuts)
                for edge in edges
                if (one := self.blocks.get(edge.child))
            ]
            is_exact = all(whole) and all(edge.digest for edge in edges)
            bounds = [Bound.LOWER] if is_exact else [self.way.bound] if cuts else [*Bound]
            digests = sorted({(str(edge.child), edge.digest) for edge in edges})
            facts = [str(node), digests, [*map(int, bounds)], [*map(str, cuts)], [*map(str, asked)]]
            key = f"{node}-{key_of(facts)}"
            block = self.blocks[node] = PlannedBlock(
                node, edges, bounds, is_exact, cuts, asked, key
            )
            if key not in self._there:
                self.lacking.append(block)
                self.cpu_seconds += block.cost.cpu_seconds
                if self.cpu_seconds > self._budget:
                    raise ClosureTooLargeError(str(node.material), "it takes too much")
        return self.blocks[node]

    def _edges_of(self, node: Node, promoter: Color | None) -> Iterator[Edge]:
        slots, known = slots_of(node.material), self.known
        if node.material not in self._resets:
            resets = resets_of(
                node.layout, lambda each: each.canonical() if known.digest(each) else each
            )
            self._resets[node.material] = [
                (reset, known.digest(reset.material)) for reset in resets
            ]
        for reset, digest in self._resets[node.material]:
            for pawns in _pawns_after(slots, node.pawns, reset):
                child = node_of(reset.material, pawns)
                if digest or (reset.promoted != NO_SLOT and not self.way.solves(reset.role, child)):
                    yield Edge(reset, child, digest)
                elif child.pawns or reset.promoted != NO_SLOT:
                    by = promoter if reset.promoted == NO_SLOT else slots[reset.promoted][0]
                    yield Edge(reset, child, self.add(child, promoter=by).key)
                else:
                    self.missing.add(str(child.material.canonical()))

    def refuse_missing(self) -> None:
        """MissingTableError with all tables without which nothing can be solved, if there are any."""
        if self.missing:
            first, *others = sorted(self.missing)
            raise MissingTableError(first, self.known.named, tuple(others))


def plan_of(closures: Iterable[Closure]) -> SolvePlan:
    """The cost of solving all blocks of some closures that are not solved yet, each once; the last one tells most."""
    costs, last, seconds = dict[str, SolvePlan](), list[PlannedBlock](), list[float]()
    for each in closures:
        costs |= {block.key: block.cost for block in each.lacking}
        seconds.append(each.cpu_seconds)
        last = [*each.blocks.values()]
    bounded = {
        edge.child.material.canonical() for block in last for edge in block.edges if not edge.digest
    }
    return SolvePlan(
        len(costs),
        sum(each.cells for each in costs.values()),
        round(sum(each.cpu_seconds for each in costs.values()), 1),
        PROGRAM_BYTES + max((each.memory_bytes for each in costs.values()), default=0),
        sum(each.disk_bytes for each in costs.values()),
        exact=not bounded,
        missing=tuple(
            sorted(str(material) for material in bounded if material.men <= MOST_TABLE_MEN)
        ),
        scratch_bytes=max((each.scratch_bytes for each in costs.values()), default=0),
        first_seconds=round(next(iter(seconds), 0.0), 1),
    )


def _pawns_after(slots: Sequence[Slot], pawns: Squares, reset: Reset) -> Iterable[Squares]:
    """Where the pawns of the table that a reset leads to may stand, in the order of its slots."""
    moved = list[
        Squares
    ]()  # by the slots here; a pawn that is captured or promoted stands where it did
    if reset.promoted == NO_SLOT:
        steps = [
            (n, to) for n in range(len(pawns)) for to in pawn_targets(slots, pawns, n, reset.gone)
        ]
        moved += [pawns] * (reset.gone != NO_SLOT)
        moved += [(*pawns[:n], to, *pawns[n + 1 :]) for n, to in steps if 8 <= to < 56]
    elif pawns[reset.promoted] >> 3 == (6 if slots[reset.promoted][0] is Color.WHITE else 1):
        moved.append(pawns)
    kept = reset.slots[: reset.material.pawns]
    return dict.fromkeys(
        tuple(squares[slot] ^ RANK_FLIP * reset.flip for slot in kept) for squares in moved
    )


def pawn_targets(slots: Sequence[Slot], pawns: Squares, pawn: int, gone: int) -> Iterable[int]:
    """The squares on which a pawn may capture the man in a slot, en passant too; or to which it steps (NO_SLOT)."""
    color, square = slots[pawn][0], pawns[pawn]
    up, home, behind_double = (8, 1, 5) if color is Color.WHITE else (-8, 6, 2)
    if gone == NO_SLOT:
        return takewhile(
            lambda to: to not in pawns, (square + up, square + 2 * up)[: 1 + (square >> 3 == home)]
        )
    if slots[gone][0] is color:
        return ()
    attacked = chess.SquareSet(chess.BB_PAWN_ATTACKS[color.chess][square])
    if gone >= len(pawns):
        return [to for to in attacked if to not in pawns]
    passed = pawns[gone] + up  # by a double step of the pawn that is gone
    can_pass = passed >> 3 == behind_double and passed not in pawns
    return [to for to in attacked if to == pawns[gone] or (to == passed and can_pass)]
