"""Blocks: one after another is solved from what it leads to.

A node that leads to bounds is solved twice: with the least that its unsolved promotions can be worth to White, and with
the most. Values are monotone in those, so the true ones lie between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from functools import cache, partial
from itertools import accumulate, islice

import numpy as np

from tbgen.index.layout import HOW_BITS, Layout, Squares, partial_layout, slots_of
from tbgen.material import Material, Role
from tbgen.position.bounds import Bound, Classes, bound_of_promotions, image, taken
from tbgen.position.closure import Closure, Edge, Kind, Node, node_of
from tbgen.position.known import BlockFolder, SolvedBlock, key_of
from tbgen.retro.drive.many_blocks import RunSolver, SolvedRun, en_passant_of
from tbgen.retro.drive.methods import DistanceMethod
from tbgen.retro.resets.children import ChildReader
from tbgen.retro.resets.destinations import ChildLayouts, ChildTables, Reset, empty_child_tables
from tbgen.retro.words.geometry import NO_SLOT
from tbgen.score import Color, Mobility
from tbgen.storage.reader import flips_of
from tbgen.system.process import threads_for
from tbgen.table import Box, Distances, Entries, EntryValues

Watch = Callable[[float], None]
"""Is told the part of the work that is done."""


def unwatched(done: float) -> None:
    """No progress."""


def work_off(works: Iterable[float], total: float, watch: Watch) -> None:
    """Do pieces of work. Each says its share, in the unit of the total, which may turn out to be less."""
    for done in accumulate(works):
        watch(done / max(done, total))
    watch(1.0)


class Pass:
    """The blocks of a closure with one bound of what it does not solve."""

    def __init__(self, closure: Closure, bound: Bound, folder: BlockFolder, classes: Classes) -> None:
        self.closure, self.bound, self._folder, self.classes = closure, bound, folder, classes
        self.key = cache(self._key_of)

    def _key_of(self, node: Node) -> str:
        """A block, and a digest of all that its values rest on: of an exact one, the bound makes no difference."""
        edges, bound = self.closure.edges[node], self.bound.name * (node in self.closure.inexact)
        below = {(str(e.child), e.kind.value, self._digest(e)) for e in edges}
        return f"{node}-{key_of([str(node), bound, sorted(below)])}"

    def _digest(self, edge: Edge) -> str:
        if edge.kind is Kind.TABLE:
            return self.closure.known.digest(edge.child.material)
        if edge.kind is Kind.NODE:
            return self.key(edge.child)
        return self.classes.digest(edge.child)

    def find(self, node: Node) -> SolvedBlock | None:
        """A solved block; None if it is not solved yet."""
        return self._folder.get(self.key(node))

    def block(self, node: Node) -> SolvedBlock:
        """A solved block; LookupError if it is not solved yet."""
        if (found := self.find(node)) is None:
            raise LookupError(node)
        return found

    def solve(self, node: Node) -> None:
        """Solve a block, unless somebody else has by now."""
        if self.find(node) is None:
            self._folder.put(self.key(node), BlockSolver(node, self).solve())

    def plane(self, node: Node, kind: Kind, side: int) -> Entries:
        """The entry values of a block of a kind with one side to move."""
        if kind is Kind.TABLE:
            return self.closure.known.recent_plane(*node, side)
        if kind is Kind.NODE:
            return self.block(node).plane(side)
        return np.full(node.cells // 2, self.bound.value, np.int8)


Passes = Mapping[Bound, Pass]
"""Both bounds of a closure."""


def passes_of(closure: Closure, folder: BlockFolder, classes: Classes) -> Passes:
    return {bound: Pass(closure, bound, folder, classes) for bound in Bound}


def solve_closures(
    closures: Iterable[Passes],
    pool: Executor,
    threads: int,
    watch: Watch = unwatched,
    is_enough: Callable[[Passes], bool] = lambda _: False,
) -> None:
    """Solve all nodes that are not solved yet, with each bound if that matters.

    Closures come one after another, until one `is_enough`.
    """
    left = list[tuple[Passes, dict[str, tuple[Pass, Node]]]]()
    for passes in closures:
        works = [(each, node) for node in passes[Bound.LOWER].closure.edges for each in passes.values()]
        left.append((passes, {each.key(node): (each, node) for each, node in works if each.find(node) is None}))

    def solved() -> Iterator[float]:
        for passes, lacking in left:
            yield from _solve_side_by_side(lacking, pool, threads)
            if is_enough(passes):
                return

    work_off(solved(), sum(node.cpu_seconds for _, lacking in left for _, node in lacking.values()), watch)


def _solve_side_by_side(lacking: dict[str, tuple[Pass, Node]], pool: Executor, threads: int) -> Iterator[float]:
    """Solve blocks by their keys, each once those that it leads to are solved; the planned seconds of each."""
    memory = max((each.closure.memory_of(node) for each, node in lacking.values()), default=1)
    most, running = threads_for(memory, threads), dict[Future[None], str]()
    while lacking:
        for key, (each, node) in islice(lacking.items(), 64):  # a look at all of them would take long
            below = (each.key(edge.child) for edge in each.closure.edges[node] if edge.kind is Kind.NODE)
            if len(running) < most and key not in running.values() and lacking.keys().isdisjoint(below):
                running[pool.submit(each.solve, node)] = key
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            future.result()
            yield lacking.pop(running.pop(future))[1].cpu_seconds


class _Child:
    """Some blocks of a material, as the solver asks for them.

    Distances are the shortest that entry values can have: only the order of outcomes matters here.
    """

    def __init__(self, layout: Layout, kind: Kind, source: Pass, captured: Set[tuple[Node, int]]) -> None:
        self.layout, self._kind, self._source, self._captured = layout, kind, source, captured
        self._nodes = [node_of(layout.material, pawns) for pawns in layout.blocks]

    def plane(self, block: int, side: int) -> tuple[Entries, Distances]:
        entry = self._source.plane(self._nodes[block], self._kind, side)
        return entry, flips_of(entry, Color(side))

    def values(self) -> EntryValues:
        """The values after captures, for the side to move then. Nobody asks for others."""
        cells = self.layout.block_words * 64
        nothing = np.zeros(cells, np.int8), np.zeros(cells, np.uint16)
        planes = [
            self.plane(block, side) if (node, side) in self._captured else nothing
            for block, node in enumerate(self._nodes)
            for side in range(2)
        ]
        entry, dtg = zip(*planes, strict=True)
        return EntryValues(self.layout.material, np.concatenate(entry), np.concatenate(dtg))

    def boxes(self, block: int, side: Color) -> Sequence[Box]:
        """A whole plane."""
        size = np.array(self.layout.shape[2:], np.int64)
        stride = 64 ** np.arange(len(size) - 1, -1, -1, dtype=np.int64)
        return [Box(np.zeros_like(size), size, stride, lambda: self.plane(block, int(side)))]


class _Steps:
    """The blocks that pawn steps lead to, by their cells in the layout of the block that is solved."""

    def __init__(self, child: _Child) -> None:
        self._child, self._half = child, child.layout.block_words * 64

    def values(self, first: int, end: int) -> tuple[Entries, Distances]:
        return self._child.plane(*divmod(first // self._half, 2))


class BlockSolver:
    """Solves one node in a pass that has solved its children."""

    def __init__(self, node: Node, source: Pass) -> None:
        self.node, self.source = node, source
        placements: dict[Material, list[Squares]] = {node.material: [node.pawns]}
        kinds, resets, bounded = {node.material: Kind.NODE}, dict[Reset, None](), dict[Reset, None]()
        slots, captured = slots_of(node.material), set[tuple[Node, int]]()  # the side whose man is gone is to move
        for reset, child, kind in source.closure.edges[node]:
            if reset.gone != NO_SLOT:
                captured.add((child, int(slots[reset.gone][0]) ^ reset.flip))
            elif kind is Kind.BOUND:
                bounded[reset] = None
                continue
            placements.setdefault(child.material, []).append(child.pawns)
            kinds[child.material], resets[reset] = kind, None
        layouts = [partial_layout(material, some) for material, some in placements.items()]
        self.bounded, self.layout = [*bounded], layouts[0]
        self.child_layouts = ChildLayouts(layouts, [*resets])
        self.children = {each.material: _Child(each, kinds[each.material], source, captured) for each in layouts}
        self.number = self.layout.address_of(node.pawns) >> HOW_BITS

    def solve(self) -> SolvedRun:
        """Solve the node."""
        with ThreadPoolExecutor(1) as pool:
            reader = ChildReader(self.child_layouts, self.children, pool)
            tables = reader.with_captures(empty_child_tables(self.child_layouts))
            tables = reader.with_wave(tables, [self.number], _Steps(self.children[self.node.material]))
        for number, pawns in enumerate(self.layout.blocks):
            if number != self.number:
                here = en_passant_of(tables.en_passant, (number, number + 1), self.layout.block_words * 128)
                here[0][:], here[1][:] = self.source.block(node_of(self.node.material, pawns)).run.en_passant
        return RunSolver(self.layout, DistanceMethod(), Mobility.RESET).solve(
            self._with_bounds(tables), (self.number, self.number + 1)
        )

    def _with_bounds(self, tables: ChildTables) -> ChildTables:
        """The child tables with the bounds of promotions without a capture to unsolved positions."""
        (start, entry, dtg), bound = tables.promotions, self.source.bound
        limits_of = partial(self.source.classes.limits, bound)
        for pawn in sorted({reset.promoted for reset in self.bounded}):
            color, pawns = self.layout.slots[pawn][0], self.node.pawns
            left, file = (*pawns[:pawn], *pawns[pawn + 1 :]), pawns[pawn] % 8
            limits = {
                each.role: limits_of(Node(each.material, left), (color, each.role), file)
                for each in self.bounded
                if each.promoted == pawn
            }
            by_queen = self._limits_by_queen(pawn)
            limits |= {role: by_queen for role in {Role.ROOK, Role.BISHOP} & {*limits} if not len(limits[role])}
            found = bound_of_promotions(self.layout, pawns, pawn, limits, tables, bound)
            start[self.number, pawn, [int(role) for role in limits]] = len(entry)
            entry, dtg = np.concatenate([entry, found]), np.concatenate([dtg, flips_of(found, color.other)])
        return tables._replace(promotions=tables.promotions._replace(entry=entry, dtg=dtg))

    def _limits_by_queen(self, pawn: int) -> Entries:
        """Bounds of a pawn's promotion to a rook or a bishop by its solved promotion to a queen; nothing without it.

        She has all their moves, and leaves the other side no others. So she is worth as much to her side, unless she
        stalemates where they mate later, or must move where they leave her side stalemated.
        """
        (color, _), bound = self.layout.slots[pawn], self.source.bound
        queens = [
            child
            for reset, child, kind in self.source.closure.edges[self.node]
            if kind is Kind.NODE and (reset.promoted, reset.gone, reset.role) == (pawn, NO_SLOT, Role.QUEEN)
        ]
        if not queens or (bound is Bound.UPPER) != (color is Color.WHITE):
            return np.zeros(0, np.int8)
        (child,), pawns, slots = queens, self.node.pawns, slots_of(queens[0].material)
        left, layout = pawns[:pawn] + pawns[pawn + 1 :], child.layout
        is_mirrored = {*zip(slots, left, strict=False)} != {*zip(slots, child.pawns, strict=False)}
        square = pawns[pawn] % 8 + (56 if color is Color.WHITE else 0)
        cells = self.source.plane(child, Kind.NODE, int(color.other))
        found, mate = np.zeros(64 ** (child.free - 1), np.int8), np.int8(bound.value)
        # A position is stored once, whichever of equal men is the new one, and in one image if its pawns are symmetric.
        for mirrored in {is_mirrored, is_mirrored or layout.is_own_mirror(child.pawns)}:
            for some in taken(cells, slots[len(left) :], (color, Role.QUEEN), square ^ 7 * mirrored):
                found = np.where(found, found, image(some, 0, turned=False, mirrored=mirrored))
        return np.where(found == 2 * mate, mate, np.where(found == -mate, -2 * mate, found))
