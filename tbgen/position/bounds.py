"""Bounds: what a promotion is worth at least and at most where the position after it is not solved.

* The other side replies. Where it can take the new man, what that leads to is known; every other reply is worth a mate,
  White's for an upper bound and Black's for a lower one. Without any reply the position itself is the end.
* Classes of mates say who surely mates, and who may. They are made for materials of one pawn whose captures lead to
  tables, file by file of the pawn, and kept in files. The positions kept are those that promotions lead to: a new man
  on its last rank, and the other side to move.
* Syzygy tables say who mates.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import chess
import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Int, SignedBytes
from tbgen.compiled.jit import borrowing
from tbgen.index.kernels import byte_of_goal, goal_of_byte
from tbgen.index.layout import Layout, Slot, Squares, slots_of
from tbgen.index.squares import Rays, rays_of
from tbgen.index.words import NOTHING, ONE, lowest_square, square_bit
from tbgen.material import Material, Role
from tbgen.position.closure import Node
from tbgen.position.known import BlockFolder, KnownTables, key_of
from tbgen.probe.stored import RANK_FLIP
from tbgen.probe.syzygy import Winner, no_tables
from tbgen.retro.resets.destinations import ChildTables
from tbgen.retro.resets.folding import fold_reset
from tbgen.retro.words.block import Block, bare_block, enter_block, find_legal
from tbgen.retro.words.geometry import Geometry, geometry_of
from tbgen.retro.words.moves import GONE, SLOT, Scratch, new_scratch, note_moves, unpack_squares
from tbgen.score import STALEMATE_CODE, Color, Score
from tbgen.storage.arrays import ArrayFile
from tbgen.table import Entries


class Bound(enum.Enum):
    """Which bound of the value for White an unsolved promotion is given."""

    LOWER = -1
    UPPER = 1


_BY_WINNER = {bound: np.array([2 * bound.value, 1, bound.value, -1], np.int8) for bound in Bound}
"""[bound][0, 1, UNKNOWN, -1]: the outcomes that are possible if nobody, White, anybody or Black forces mate."""


# entry[word * 64 + black king's square]: the best of the promotions folded so far, for the side that promotes; 0 where
# none is legal. `first` is the first word in which the new man stands where he is. limits[cell] is another bound of the
# same kind, if there are any. `children` are those before the promotion of the pawn in the slot `promoted`: taking the
# new man leads to where taking the pawn does, once the slots are those from before.
@borrowing
def fold_bounds(
    block: Block,
    children: ChildTables,
    scratch: Scratch,
    promoted: int,
    first: int,
    unknown: Int,
    limits: SignedBytes,
    entry: SignedBytes,
) -> int:
    """Fold the bounds of one promotion into those of the others."""
    new_man, side = len(scratch.men) + len(block.geometry.pawn_color), 1 - block.geometry.color[len(scratch.men) - 1]
    for number in range(block.geometry.words):
        word = first + number
        if block.occupied[word] == NOTHING:
            continue
        unpack_squares(block, scratch, word)
        note_moves(block, scratch, word, side)
        for slot in range(new_man, promoted, -1):
            scratch.now[slot] = scratch.now[slot - 1]
        scratch.folded.outcome[:] = 0
        moves, others = NOTHING, NOTHING
        for n in range(scratch.noted[0]):
            kings, move = scratch.kings[n], scratch.moves[n]
            moves |= kings
            if move[GONE] == new_man:
                move[GONE] = promoted
                move[SLOT] += promoted <= move[SLOT] < new_man
                fold_reset(children, scratch, side, kings, move)
            else:
                others |= kings
        kings = block.legal[side, word]
        while kings:
            square = lowest_square(kings)
            kings &= kings - ONE
            bit = square_bit(square)
            byte: Int = np.int64(scratch.folded.outcome[square])
            if not moves & bit:
                byte = byte_of_goal(0 if block.check[side, word] & bit else STALEMATE_CODE, 1 - side)
            elif others & bit and (byte == 0 or goal_of_byte(unknown, side) < goal_of_byte(byte, side)):
                byte = unknown
            cell = number * 64 + square
            if len(limits):
                limit: Int = np.int64(limits[cell])
                if (goal_of_byte(limit, 0) < goal_of_byte(byte, 0)) == (unknown < 0):
                    byte = limit
            if entry[cell] == 0 or goal_of_byte(byte, 1 - side) < goal_of_byte(np.int64(entry[cell]), 1 - side):
                entry[cell] = byte
    return scratch.status[0]


def bound_of_promotions(
    layout: Layout, pawns: Squares, promoted: int, limits: Mapping[Role, Entries], children: ChildTables, bound: Bound
) -> Entries:
    """Bounds of the best promotion of a pawn, in the order of the cells of the block with its side to move.

    `children` are those of the layout. `limits` has the roles, and for each other bounds of the same kind, or an empty
    array.
    """
    color = layout.slots[promoted][0]
    to = pawns[promoted] + (8 if color is Color.WHITE else -8)
    geometry, others = geometry_of(layout), np.array([*pawns[:promoted], *pawns[promoted + 1 :]], np.int64)
    entry, first = np.zeros(geometry.words * 64, np.int8), to * geometry.words
    roles = [role for _, role in layout.slots[layout.pawns + 1 : -1]]
    for role, limit in limits.items():
        # Only the part of these words for the square that the new man is on is ever touched.
        rays = rays_of([*roles, role])
        block = bare_block(_geometry_after(geometry, promoted, int(color), rays), first + geometry.words)
        enter_block(block, 0, others)
        scratch = new_scratch(len(block.geometry.color))
        find_legal(block, scratch.men, first, first + geometry.words)
        if fold_bounds(block, children, scratch, promoted, first, bound.value, limit, entry):
            raise ValueError(f"no value of what takes the pawn promoted on {to} is at hand")
    return entry


def _geometry_after(geometry: Geometry, promoted: int, color: int, rays: Rays) -> Geometry:
    """The geometry in which the new man is the last one, and the first axis of words says where he stands."""
    men = len(geometry.color)
    return geometry._replace(
        rays=rays,
        color=np.append(geometry.color, color),
        shift=np.append(geometry.shift, geometry.king_shift + 6),
        twin_start=np.append(geometry.twin_start, men),
        twin_end=np.append(geometry.twin_end, men + 1),
        king_square=np.tile(geometry.king_square, 64),
        pawn_color=np.delete(geometry.pawn_color, promoted),
    )


def taken(cells: npt.NDArray[Any], slots: Sequence[Slot], man: Slot, square: int) -> list[npt.NDArray[Any]]:
    """The cells of some slots with a man on a square, in the order of the other slots: once for each of equal men."""
    axes = cells.reshape([64] * len(slots))
    return [np.take(axes, square, axis).ravel() for axis, slot in enumerate(slots) if slot == man]


def image(entry: Entries, whites: int, *, turned: bool, mirrored: bool) -> Entries:
    """The cells of positions turned in colours, mirrored, or both; `whites` men beside the king are White's here."""
    axes = (len(entry).bit_length() - 1) // 6
    flips = [*range(0, 2 * axes, 2)] * turned + [*range(1, 2 * axes, 2)] * mirrored
    cells = np.flip(entry.reshape([8, 8] * axes), tuple(flips)).reshape([64] * axes)
    if turned:
        cells = cells.transpose([axes - 1, *range(1 + whites, axes - 1), *range(1, 1 + whites), 0])
    return np.ascontiguousarray(cells).ravel()


class Classes:
    """Classes in files, one for each placement of a pawn. Those that are made go to the first of the folders."""

    def __init__(self, folders: Sequence[Path], known: KnownTables, winner: Winner = no_tables) -> None:
        self._folders, self.known, self._winner = [*map(BlockFolder, folders)], known, winner
        self._rests = lru_cache(self._rest_of)
        self._file = lru_cache(self._opened)
        self._kept = lru_cache(maxsize=4)(self._read)

    def _rest_of(self, material: Material) -> list[tuple[str, str]] | None:
        """What the classes of a canonical material rest on, by digest; None if tables are missing."""
        children = children_of(material)
        if self.known.has(material) or not all(map(self.known.has, children)):
            return None
        return [(str(child), self.known.digest(child)) for child in children]

    def key(self, node: Node) -> str | None:
        """The name of a node's classes; None if they cannot be made from the tables that are there."""
        material = node.material.canonical()
        rest = self._rests(material) if material.pawns == 1 else None
        name = f"{material}-{chess.square_name(_pawn_of(node))}"
        return None if rest is None else f"{name}-{key_of([name, rest])}"

    def digest(self, node: Node) -> str:
        """The digest of the classes of a node; nothing if they are not there."""
        return file.digest if len(node.pawns) == 1 and (file := self._file(node)) else ""

    def keep(self, node: Node, slices: Mapping[str, Entries]) -> None:
        """Keep the classes of a node, those of a man on a file each in an array."""
        self._folders[0].put(self.key(node) or "", slices)
        self._file.cache_clear()

    def limits(self, bound: Bound, node: Node, man: Slot, file: int) -> Entries:
        """The bounds of a promotion to a man on a file, in the order of the cells of the block it came from.

        `node` is what the promotion leads to, its pawn where it stands. Nothing if there are no classes of it.
        """
        if not self.digest(node):
            return np.zeros(0, np.int8)
        material, turned = node.material.canonical(), not node.material.is_canonical
        mirrored = (node.pawns[0] ^ RANK_FLIP * turned) != _pawn_of(node)
        kept = (man[0].other, man[1]) if turned else man
        there = Bound(-bound.value) if turned else bound
        entry = self._kept(node, f"{new_men(material).index(kept) * 8 + (file ^ 7 * mirrored)} {there.name}")
        whites = sum(color is Color.WHITE for color, _ in slots_of(material)[2:-1]) - (kept[0] is Color.WHITE)
        return image(-entry if turned else entry, whites, turned=turned, mirrored=mirrored)

    def limit(self, bound: Bound, board: chess.Board) -> Score:
        """The bound that Syzygy tables give a legal position."""
        return Score.from_byte(int(_BY_WINNER[bound][self._winner(board)]))

    def _opened(self, node: Node) -> ArrayFile | None:
        """The file of a node's classes, the first that is sound."""
        key = self.key(node)
        return next(filter(None, (folder.get(key) for folder in self._folders)), None) if key else None

    def _read(self, node: Node, name: str) -> Entries:
        """A slice of a node's classes."""
        file = self._file(node)
        assert file is not None
        entry: Entries = file.items(name)
        return entry


def new_men(material: Material) -> list[Slot]:
    """The men that a promotion can have brought about, one of each kind."""
    return [man for man in dict.fromkeys(slots_of(material)) if man[1] not in (Role.PAWN, Role.KING)]


def _pawn_of(node: Node) -> int:
    """The square of a node's only pawn on the files a-d, in the colours of the canonical material."""
    square = node.pawns[0] ^ RANK_FLIP * (not node.material.is_canonical)
    return min(square, square ^ 7, key=lambda each: each % 8)


def children_of(material: Material) -> list[Material]:
    """The materials whose tables the classes of a canonical material need."""
    return [child for child in material.children() if child.men < material.men]
