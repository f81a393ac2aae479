"""Mates: the classes of mates of promoted material, made file by file of its pawn, and kept in files.

They are made for materials of one pawn whose captures lead to tables. The positions kept are those that promotions
lead to: a new man on its last rank, and the other side to move. Each takes a byte with a bit for each class.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from chess import square_name

from tbgen.compiled.arrays import Words
from tbgen.errors import ClosureTooLargeError
from tbgen.index.layout import Slot, partial_layout, slots_of
from tbgen.index.words import EVERYTHING, NOTHING
from tbgen.material import Material, Role
from tbgen.position import bounds as kernels
from tbgen.position.bounds import CERTAIN, POSSIBLE, After, Bound, bare_block
from tbgen.position.bracket import SolvePlan
from tbgen.position.closure import PROGRAM_BYTES, RANK_FLIP, Node, node_of, pawn_targets
from tbgen.position.known import BlockFolder, KnownTables, key_of
from tbgen.retro.levels.forcer import Forcer, Members, new_forcer
from tbgen.retro.resets.destinations import Reset, resets_of, shapes_of
from tbgen.retro.words.block import Block, enter_block, find_legal
from tbgen.retro.words.geometry import geometry_of
from tbgen.retro.words.moves import MOST_SLOTS, NO_SLOT, Scratch, new_scratch
from tbgen.retro.words.worklist import new_worklist
from tbgen.score import Color
from tbgen.table import Cells, Dictionary, Entries, Run

_NOTHING = np.zeros(0, np.int64)
MOST_FREE_MEN = 5
_CELL_SECONDS, _NODE_SECONDS, _CELL_BYTES = 40e-9, 0.05, 2
"""CPU seconds of a cell, and of a block beside its cells; memory of a cell."""

Sets = Words
"""[certain or possible, forcer, side to move, word]"""


def _new_forcer(side: int, block: Block) -> Forcer:
    """A forcer without members, labels, histories and seeds."""
    geometry, words = block.geometry, block.geometry.words
    few = new_forcer(side, geometry._replace(words=0), 1, middles=False)
    live = np.packbits(block.legal != 0, axis=1, bitorder="little").view(np.uint64)
    members = Members(block.legal.copy(), live, left=block.legal[side].copy(), blocked=np.zeros(words, np.uint64))
    joining, yielding, checked = (new_worklist(words) for _ in range(3))
    return few._replace(forced=members, joining=joining, yielding=yielding, checked=checked)


class MatesSolver:
    """Finds the classes of one canonical material with one pawn, from the tables that captures lead to."""

    def __init__(self, material: Material, known: KnownTables) -> None:
        layout = partial_layout(material, [(8,)])
        self._known, self._geometry, self._resets = known, geometry_of(layout), resets_of(layout)
        self.slots, self.words = layout.slots, layout.block_words
        self.color = self.slots[0][0]
        self._up = 8 if self.color is Color.WHITE else -8
        (pawn_gone,) = (reset for reset in self._resets if reset.gone == 0)
        self._pawn_gone = self._expand(pawn_gone, 8, self.words)

    def file(self, file: int) -> Iterator[tuple[int, Sets]]:
        """Each square of a file, from the last before promotion on, and its classes."""
        before = list[Words]()
        for rank in range(6, 0, -1) if self.color is Color.WHITE else range(1, 7):
            square = rank * 8 + file
            sets = self._block(square, before)
            yield square, sets
            before = [np.ascontiguousarray(sets[:, :, self.color.other]), *before[:1]]

    def _block(self, square: int, before: list[Words]) -> Sets:
        block, scratch = bare_block(self._geometry, self.words), new_scratch(len(self._geometry.role))
        after, reach = self._after(square, before), np.zeros((2, 2, 2, self.words), np.uint64)
        if not before:
            # The pawn is on its goal: whatever man it becomes, replies that take it are the same. Others are unknown.
            unknown, other = np.zeros_like(after.man_gone), int(self.color.other)
            unknown[:, self.color] = EVERYTHING
            self._enter(block, square + self._up, scratch)
            kernels.find_resets(block, after._replace(man_gone=unknown), scratch, reach, other, other + 1)
            after.steps[0, CERTAIN, other], after.steps[0, POSSIBLE, other] = reach[CERTAIN, other, other], EVERYTHING
            after.steps[0, POSSIBLE, self.color] = ~reach[POSSIBLE, self.color, other]
            reach[:] = NOTHING
        self._enter(block, square, scratch)
        kernels.find_resets(block, after, scratch, reach, 0, 2)
        del after
        for color in Color:
            forcer = _new_forcer(int(color), block)
            for sure in (CERTAIN, POSSIBLE):
                kernels.spread_mates(block, forcer, reach[sure, color])
                reach[sure, color] = block.legal & ~forcer.forced.free
        return reach

    def _after(self, square: int, before: list[Words]) -> After:
        words = self.words
        man_gone = np.zeros((len(self._geometry.role) * kernels.KEYS, 2, words // 64), np.uint64)
        for reset in self._resets:
            for key, to in self._captures(reset, square) if reset.gone > 0 else ():
                man_gone[(reset.gone - 2) * kernels.KEYS + key] = self._expand(reset, to, words // 64)
        is_home = square // 8 == (1 if self.color is Color.WHITE else 6)
        nearest = before[0] if before else np.zeros((2, 2, words), np.uint64)
        return After(np.stack(before) if is_home else nearest[np.newaxis], self._pawn_gone, man_gone)

    @staticmethod
    def _enter(block: Block, square: int, scratch: Scratch) -> None:
        """Put the pawn on a square."""
        enter_block(block, 0, np.array([square], np.int64))
        find_legal(block, scratch.men, 0, len(block.occupied))

    def _captures(self, reset: Reset, square: int) -> Iterator[tuple[int, int]]:
        """The keys of a reset that captures a man, and where the pawn stands then."""
        if reset.promoted == NO_SLOT:
            yield 0, square
        for to in pawn_targets(self.slots, (square,), 0, reset.gone):
            promotes = not 8 <= to < 56
            if promotes == (reset.promoted != NO_SLOT):
                yield int(kernels.key_of_capture(True, to % 8 > square % 8, int(reset.role) * promotes)), to

    def _expand(self, reset: Reset, pawn: int, words: int) -> Words:
        """The bits of mates in the child that a reset leads to, the pawn or what it has become on a square."""
        there = [pawn ^ RANK_FLIP * reset.flip] * reset.material.pawns
        child = partial_layout(reset.material, [there])
        mover = self.slots[reset.gone][0].other
        side = mover if reset.flip else mover.other
        entry = self._known.plane(*node_of(reset.material, there), int(side))
        axes = np.array([slot for slot in range(1, len(self.slots)) if slot != reset.gone], np.int64)
        now, bits = np.full(MOST_SLOTS, pawn, np.int64), np.zeros((2, words), np.uint64)
        slots, room = np.array(reset.slots, np.int64), np.zeros(2 * MOST_SLOTS, np.int64)
        kernels.expand_child(shapes_of([child]), slots, RANK_FLIP * reset.flip, entry, axes, now, room, bits)
        return bits


def new_men(material: Material) -> list[Slot]:
    """The men that a promotion can have brought about, one of each kind."""
    return [man for man in dict.fromkeys(slots_of(material)) if man[1] not in (Role.PAWN, Role.KING)]


def slice_of(sets: Sets, material: Material, man: Slot, file: int) -> Entries:
    """The classes, as bytes, of the positions with a new man on a file of its last rank and the other side to move.

    Cells are in the order of words without this man.
    """
    slots, (color, _) = slots_of(material)[1:-1], man
    square = file + (56 if color is Color.WHITE else 0)
    found = np.zeros(64 ** len(slots), np.uint8)
    for bit, (sure, forcer) in enumerate(itertools.product((CERTAIN, POSSIBLE), (0, 1))):
        words = sets[sure, forcer, color.other].reshape([64] * len(slots))
        axes = [axis for axis, slot in enumerate(slots) if slot == man]
        some = np.bitwise_or.reduce([np.take(words, square, axis) for axis in axes]).astype("<u8")
        found |= np.unpackbits(some.reshape(-1, 1).view(np.uint8), axis=1, bitorder="little").ravel() << bit
    return found.view(np.int8)


def bytes_of(codes: Entries, bound: Bound) -> Entries:
    """The outcomes that classes leave possible, the least or the most for White: a mate, or stalemate at best."""
    sure, fear = (1, 8) if bound is Bound.LOWER else (2, 4)
    mate = np.int8(-bound.value)
    return np.where(codes & sure, mate, np.where(codes & fear, -mate, np.int8(-2 * mate))).astype(np.int8)


def _image(codes: Entries, whites: int, *, turned: bool, mirrored: bool) -> Entries:
    """The classes of positions turned in colours, mirrored, or both; `whites` men beside the king are White's here."""
    axes = (len(codes).bit_length() - 1) // 6
    flips = [*range(0, 2 * axes, 2)] * turned + [*range(1, 2 * axes, 2)] * mirrored
    cells = np.flip(codes.reshape([8, 8] * axes), tuple(flips)).reshape([64] * axes)
    if turned:
        cells = cells.transpose([axes - 1, *range(1 + whites, axes - 1), *range(1, 1 + whites), 0])
        cells = (cells & 5) << 1 | (cells & 10) >> 1
    return np.ascontiguousarray(cells).ravel()


class Classes:
    """Classes in files: a store for each placement of a pawn, in it a run for each new man on a square."""

    def __init__(self, folder: BlockFolder, known: KnownTables) -> None:
        self._folder, self._known = folder, known
        self._rests = lru_cache(self._rest_of)
        self._kept = lru_cache(maxsize=4)(self._read)

    def _rest_of(self, material: Material) -> str | None:
        """A digest of all that the classes of a canonical material rest on; None if tables are missing."""
        children = children_of(material)
        if self._known.has(material) or not all(map(self._known.has, children)):
            return None
        return key_of([str(material), [(str(child), self._known.digest(child)) for child in children]])

    def key(self, node: Node) -> str | None:
        """The name of a node's classes; None if they cannot be made from the tables that are there."""
        material = node.material.canonical()
        rest = self._rests(material) if material.pawns == 1 else None
        return None if rest is None else f"{material}-{square_name(_pawn_of(node))}-{rest}"

    def has(self, node: Node) -> bool:
        """Whether the classes of a node are there."""
        return len(node.pawns) == 1 and self._kept(node, 0) is not None

    def _missing(self, material: Material) -> list[list[Node]]:
        """The placements of each file that lacks classes, for materials with one pawn that a promotion leads to."""
        same = [child for child in material.children() if child.men == material.men]
        promoted = [each for each in same if each.pawns == 1 and each.men - 1 <= MOST_FREE_MEN]
        if not promoted:
            raise ClosureTooLargeError(str(material), "no promotion leads to one pawn and at most five other men")
        lacking = [each for each in promoted if not self._known.has(each)]
        for child in itertools.chain(*map(children_of, lacking)):
            self._known.table(child)
        files = [[node_of(each, [rank * 8 + file]) for rank in range(1, 7)] for each in lacking for file in range(4)]
        return [nodes for nodes in files if not all(map(self.has, nodes))]

    def plan(self, material: Material) -> SolvePlan:
        """The cost of making the classes that are missing."""
        nodes = [*itertools.chain(*self._missing(material))]
        cells, seconds = sum(node.cells for node in nodes), round(sum(map(seconds_of, nodes)), 1)
        memory = PROGRAM_BYTES + max((node.cells for node in nodes), default=0) * _CELL_BYTES
        return SolvePlan(len(nodes), cells, seconds, memory, cells // 32, exact=False, most_free=MOST_FREE_MEN)

    def make(self, material: Material) -> Iterator[float]:
        """Make the classes that are missing, placement by placement; the CPU seconds that the plan has for each."""
        for (promoted, pawns), *_ in self._missing(material):
            for square, sets in MatesSolver(promoted, self._known).file(pawns[0] % 8):
                node = node_of(promoted, [square])
                self._put(node, sets)
                yield seconds_of(node)

    def _put(self, node: Node, sets: Sets) -> None:
        with self._folder.store(f"{self.key(node)}") as store:
            for number, (man, file) in enumerate(itertools.product(new_men(node.material), range(8))):
                codes = slice_of(sets, node.material, man, file)
                rest, nothing = (np.zeros(len(codes), np.uint16), np.zeros(len(codes), np.uint32)), codes[:0]
                run = Run(number * len(codes), (number + 1) * len(codes), 0, _NOTHING, (nothing, rest[0][:0]))
                store.put(run, Dictionary(*[_NOTHING] * 3), Cells(codes, *rest))
        self._kept.cache_clear()

    def limits(self, bound: Bound, node: Node, man: Slot, file: int) -> Entries:
        """The bounds of a promotion to a man on a file, in the order of the cells of the block it came from.

        `node` is what the promotion leads to, its pawn where it stands. Nothing if there are no classes of it.
        """
        if not self.has(node):
            return np.zeros(0, np.int8)
        material, turned = node.material.canonical(), not node.material.is_canonical
        mirrored = (node.pawns[0] ^ RANK_FLIP * turned) != _pawn_of(node)
        kept = (man[0].other, man[1]) if turned else man
        codes = self._kept(node, new_men(material).index(kept) * 8 + (file ^ 7 * mirrored))
        assert codes is not None
        whites = sum(color is Color.WHITE for color, _ in slots_of(material)[2:-1]) - (kept[0] is Color.WHITE)
        return bytes_of(_image(codes, whites, turned=turned, mirrored=mirrored), bound)

    def _read(self, node: Node, number: int) -> Entries | None:
        """A run of a node's classes, if all of them are there."""
        key, size = self.key(node), 64 ** (node.free - 1)
        if key is None or not self._folder.has(key):
            return None
        with self._folder.store(key) as store:
            whole = len(store.runs()) == 8 * len(new_men(node.material.canonical()))
            return store.values(number * size, (number + 1) * size)[0] if whole else None


def _pawn_of(node: Node) -> int:
    """The square of a node's only pawn on the files a-d, in the colours of the canonical material."""
    square = node.pawns[0] ^ RANK_FLIP * (not node.material.is_canonical)
    return min(square, square ^ 7, key=lambda each: each % 8)


def children_of(material: Material) -> list[Material]:
    """The materials whose tables the classes of a canonical material need."""
    return [child for child in material.children() if child.men < material.men]


def seconds_of(node: Node) -> float:
    """CPU seconds of the classes of a node."""
    return node.cells * _CELL_SECONDS + _NODE_SECONDS
