"""Blocks: one node, solved from what it leads to, and the folder in which solved ones are kept.

A node that leads to bounds is solved twice: with the least that its unsolved promotions can be worth to White, and with
the most. Values are monotone in those, so the true ones lie between.
"""

from __future__ import annotations

import contextlib
import enum
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import numpy as np

from tbgen.index.layout import Layout, Slot, partial_layout
from tbgen.material import Material
from tbgen.position.bounds import bound_of_promotions
from tbgen.position.closure import Edge, Kind, Node, node_of
from tbgen.retro.drive.many_blocks import RunSolver, SolvedRun, en_passant_of
from tbgen.retro.levels.histories import merge_patterns
from tbgen.retro.resets.children import ChildReader
from tbgen.retro.resets.destinations import ChildLayouts, ChildTables, empty_child_tables
from tbgen.retro.words.moves import NO_SLOT
from tbgen.score import Color, Mobility, Score
from tbgen.storage.scratch import SUFFIX, ScratchStore, remove_scratch
from tbgen.storage.states import flips_of
from tbgen.table import Box, Distances, Entries, EntryValues, Numbers, Patterns, Run

_FRAME_CELLS = 1 << 16
"""Cells that are compressed together: a single position needs one frame."""


class Bound(enum.Enum):
    """Which bound of the value for White an unsolved promotion is given."""

    LOWER = -1
    UPPER = 1

    @property
    def other(self) -> Bound:
        return Bound.UPPER if self is Bound.LOWER else Bound.LOWER


PlaneValues = tuple[Entries, Distances]
LimitsOf = Callable[[Node, Slot, int], Entries]
"""A further bound of a promotion to a man on a file, cell by cell; empty if there is none."""
ReadPlane = Callable[[Node, Kind, int], Entries]
"""The entry values of a block of a kind with one side to move."""


def values_of(entry: Entries, side: int) -> PlaneValues:
    """Entry values with the shortest distances that they can have: only the order of outcomes matters here."""
    return entry, flips_of(entry, Color(side))


class _Child:
    """Some blocks of a material, as the solver asks for them."""

    def __init__(self, layout: Layout, kind: Kind, read: ReadPlane) -> None:
        self.layout, self._kind, self._read = layout, kind, read

    def plane(self, block: int, side: int) -> PlaneValues:
        node = node_of(self.layout.material, self.layout.blocks[block])
        return values_of(self._read(node, self._kind, side), side)

    def values(self, first: int = 0, end: int | None = None) -> EntryValues:
        """All values."""
        planes = [self.plane(block, side) for block in range(len(self.layout.blocks)) for side in range(2)]
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

    def values(self, first: int, end: int) -> PlaneValues:
        return self._child.plane(*divmod(first // self._half, 2))


class BlockSolver:
    """Solves one node whose children are solved; everything that it takes is read through `read`."""

    def __init__(self, node: Node, edges: Sequence[Edge], read: ReadPlane) -> None:
        self.node, self.edges = node, edges
        steps = [edge.child.pawns for edge in edges if edge.child.material == node.material]
        self.layout = partial_layout(node.material, [node.pawns, *steps])
        self.number = self.layout.address_of(node.pawns) >> 2
        placements = dict[Material, list[Edge]]()
        for edge in edges:
            if edge.child.material != node.material and not self._is_bound(edge):
                placements.setdefault(edge.child.material, []).append(edge)
        layouts = {child: partial_layout(child, [e.child.pawns for e in some]) for child, some in placements.items()}
        resets = list(dict.fromkeys(edge.reset for edge in edges if not self._is_bound(edge)))
        self.child_layouts = ChildLayouts([self.layout, *layouts.values()], resets)
        self.children = {m: _Child(layout, placements[m][0].kind, read) for m, layout in layouts.items()}
        self.own = _Child(self.layout, Kind.NODE, read)

    @staticmethod
    def _is_bound(edge: Edge) -> bool:
        """Whether an edge is a promotion without a capture to an unsolved position."""
        return edge.kind is Kind.BOUND and edge.reset.gone == NO_SLOT

    def solve(self, bound: Bound, en_passant: Callable[[Node], PlaneValues], limits: LimitsOf) -> SolvedRun:
        """Solve the node; `en_passant` gives what a solved block says of rights to take en passant."""
        with ThreadPoolExecutor(1) as pool:
            reader = ChildReader(self.child_layouts, self.children, pool)
            tables = reader.with_captures(empty_child_tables(self.child_layouts))
            tables = reader.with_wave(tables, [self.number], _Steps(self.own))
        for number, pawns in enumerate(self.layout.blocks):
            if number != self.number:
                here = en_passant_of(tables.en_passant, (number, number + 1), self.layout.block_words * 128)
                here[0][:], here[1][:] = en_passant(node_of(self.node.material, pawns))
        tables = self._with_bounds(tables, bound, limits)
        return RunSolver(self.layout, Mobility.RESET).solve(tables, (self.number, self.number + 1))

    def _with_bounds(self, tables: ChildTables, bound: Bound, limits: LimitsOf) -> ChildTables:
        """The child tables with the bounds of unsolved promotions."""
        resets = dict.fromkeys(edge.reset for edge in self.edges if self._is_bound(edge))
        start, entry, dtg = tables.promotions
        for pawn in sorted({reset.promoted for reset in resets}):
            color, pawns = self.layout.slots[pawn][0], self.layout.blocks[self.number]
            some = [reset for reset in resets if reset.promoted == pawn]
            left = *pawns[:pawn], *pawns[pawn + 1 :]
            known = {each.role: limits(Node(each.material, left), (color, each.role), pawns[pawn] % 8) for each in some}
            found = bound_of_promotions(self.layout, pawns, pawn, known, tables, bound.value)
            start[self.number, pawn, [int(role) for role in known]] = len(entry)
            more, plies = values_of(found, int(color.other))
            entry, dtg = np.concatenate([entry, more]), np.concatenate([dtg, plies])
        return tables._replace(promotions=tables.promotions._replace(entry=entry, dtg=dtg))


class SolvedBlock:
    """A solved node: its values by cells of the block."""

    def __init__(self, node: Node, store: ScratchStore) -> None:
        self.node, self._store = node, store
        self.run: Run = store.runs()[0]

    def plane(self, side: int) -> Entries:
        """The entry values with one side to move."""
        half = self.run.end // 2
        return self._store.values(side * half, (side + 1) * half)[0]

    def value(self, cell: int) -> tuple[Score, int, Callable[[Score], tuple[Score, int]]]:
        """The entry value of a position and its distance, and what gives those of an accrued score that is held."""
        cells, (patterns, (numbers,)) = self._store.cells(cell, cell + 1), self._merged

        def held(accrued: Score) -> tuple[Score, int]:
            outcome, dtg = patterns.values(numbers[cells.pattern], np.array([accrued.signed], np.int64))
            return Score.from_signed(int(outcome[0])), int(dtg[0])

        return Score.from_byte(int(cells.entry[0])), int(cells.dtg[0]), held

    @cached_property
    def _merged(self) -> tuple[Patterns, list[Numbers]]:
        """How holds break, and the number of each of the block's patterns among them."""
        return merge_patterns([self._store.dictionary(self.run)], self.run.rows)


class BlockFolder:
    """Solved blocks in files, named by a digest of all that their values rest on.

    Several processes may use a folder at once. What was used last is kept.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.used: set[str] = set()

    def has(self, key: str) -> bool:
        """Whether there are files under a key."""
        return self._path(key).is_dir()

    def get(self, key: str, node: Node) -> SolvedBlock | None:
        """A solved block; None if it is not there."""
        if not self.has(key):
            return None
        with contextlib.suppress(OSError), self.store(key) as store:
            if store.runs():
                os.utime(self._path(key))
                self.used.add(key)
                return SolvedBlock(node, store)
        return None

    def put(self, key: str, node: Node, solved: SolvedRun) -> SolvedBlock:
        """Keep a solved block."""
        run = solved.run
        first = Run(0, run.end - run.first, run.rows, run.found, run.en_passant)
        with self.store(key) as store:
            store.put(first, solved.dictionary, solved.cells)
            self.used.add(key)
            return SolvedBlock(node, store)

    def shrink(self, most_bytes: int) -> None:
        """Remove the blocks that were not used for longest, until the others take so many bytes at most."""
        found = sorted(self.folder.glob("*" + SUFFIX), key=lambda path: path.stat().st_mtime)
        sizes = {path: sum(file.stat().st_size for file in path.iterdir()) for path in found}
        excess = sum(sizes.values()) - most_bytes
        for path, size in sizes.items():
            if excess > 0 and path.name.removesuffix(SUFFIX) not in self.used:
                remove_scratch(path)
                excess -= size

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}{SUFFIX}"

    def store(self, key: str) -> ScratchStore:
        """Open a block's files; another process that does so is waited for, which takes no time."""
        for _ in range(100):
            with contextlib.suppress(BlockingIOError):
                return ScratchStore(self._path(key), {"key": key, "frame": _FRAME_CELLS}, _FRAME_CELLS)
            time.sleep(0.1)
        raise BlockingIOError(f"{self._path(key)} is in use")


@contextlib.contextmanager
def open_block_folder(folders: Iterable[Path], name: str) -> Iterator[BlockFolder]:
    """A folder in the first folder of tables that can be written to, or else one that goes away again."""
    for folder in folders:
        with contextlib.suppress(OSError):
            found = BlockFolder(folder / name)
            if os.access(found.folder, os.W_OK):
                yield found
                return
    with tempfile.TemporaryDirectory(prefix=f"tbgen-{name}-") as path:
        yield BlockFolder(Path(path))


def key_of(facts: Sequence[object]) -> str:
    """A digest of what a block's values rest on."""
    return sha256(repr(facts).encode()).hexdigest()[:40]
