"""Reach: what a position needs, where it does not need all that its pawns can lead to.

The first rule leaves out blocks that no play reaches, so any values may stand for them. The second
leaves out blocks for which bounds stand. The third leaves out cells of blocks.
docs/design/closures.md has the proofs.

* *Kings that are shut in.* While only kings stand beside the pawns, a king walks around pawns and
  the squares that pawns attack. It takes a pawn only beside a square that it can walk to. So behind
  a chain of pawns nothing is ever taken.
* *Pieces that are kept.* A new queen may take every pawn and be taken herself, so the blocks after
  a promotion are many more than those before it. Most are never needed: a side that promotes
  mostly wins with its new man. A way that keeps pieces solves what is reached without a promotion,
  and what a promotion leads to from there as long as no piece is taken.
* *Bishops on their colour.* A bishop stays on squares of one colour. The *shade* of a position is
  how many bishops of each side stand on light squares. A position with one bishop needs half of the
  cells in its block, and a position with two of them a quarter or a half.
"""

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import chess
import numpy as np

from tbgen.closures.placements import Node, PlacementMove, RootNode, node_of
from tbgen.compiled.arrays import Word
from tbgen.index.layout import slots_of
from tbgen.index.placements import MIRROR, Slot, Squares, pawn_sets
from tbgen.index.resets import NO_SLOT
from tbgen.index.squares import LIGHT_BISHOP, is_light
from tbgen.material import Material, build_key
from tbgen.men import Role
from tbgen.score import Color


class Kings(NamedTuple):
    """The squares where each king may stand, as bitboards."""

    white: int
    black: int

    def of(self, color: Color) -> int:
        """Those of one king."""
        return self.white if color is Color.WHITE else self.black

    def __or__(self, other: "Kings") -> "Kings":
        return Kings(self.white | other.white, self.black | other.black)

    def mirrored(self) -> "Kings":
        """Those of the mirror image."""
        return Kings(chess.flip_horizontal(self.white), chess.flip_horizontal(self.black))


ANYWHERE: Final = Kings(chess.BB_ALL, chess.BB_ALL)


class Shade(NamedTuple):
    """How many bishops of each side stand on light squares."""

    white: int
    black: int

    def plus(self, color: Color, count: int) -> "Shade":
        """The same with so many more bishops of a side on light squares."""
        if color is Color.WHITE:
            return self._replace(white=self.white + count)
        return self._replace(black=self.black + count)


Shades = frozenset[Shade]
"""Those that a block needs, or those that are solved of it."""

NO_BISHOPS: Final = Shades([Shade(0, 0)])
"""The shades of a node without bishops."""


class Approach(NamedTuple):
    """How a node is reached, and which of its cells are needed."""

    promoters: frozenset[Color | None]
    """The side that promotes last, for each way there; None for a way without promotions."""
    kings: Kings
    """Where the kings may stand there."""
    shades: Shades
    """The shades that its bishops may have there."""

    def __or__(self, other: "Approach") -> "Approach":
        if self == other:
            return self
        return Approach(
            self.promoters | other.promoters,
            self.kings | other.kings,
            self.shades | other.shades,
        )

    def in_all_cells(self, node: Node) -> "Approach":
        """The same if all cells of its node are needed."""
        return Approach(self.promoters, ANYWHERE, every_shade(node.material))


def reached_from(
    root: RootNode,
    moves_of: Callable[[Node], Iterable[PlacementMove]],
    *,
    keeps_pieces: bool,
) -> dict[Node, Approach]:
    """All nodes that a root needs, each before those that it leads to.

    Arguments:
        root: The root.
        moves_of: The moves from a node to those that a way solves.
        keeps_pieces: Whether the walk ends where a piece is taken after a promotion, by a move that
            is no promotion itself. A capture that it does not follow may lead to a node that it
            reaches otherwise. So all cells of each node are needed.
    """
    start = Approach(frozenset([None]), _kings_in(root), _shades_in(root))
    leaves_out = (
        keeps_pieces
        or any(bishops_of(root.node.material))
        or are_shut_in(slots_of(root.node.material), root.node.pawns, start.kings)
    )
    waves = defaultdict[Any, list[tuple[Node, Approach]]](list)
    """[wave] what is known of its nodes, once for each move to one of them."""
    waves[_wave_of(root.node)].append((root.node, start))
    reached = dict[Node, Approach]()
    while waves:
        # No move leads to another node of this wave, or to one of a wave before it.
        wave = dict[Node, Approach]()
        for node, arrival in waves.pop(max(waves)):
            wave[node] = arrival | wave.get(node, arrival)
        for node, arrival in wave.items():
            how = _with_walks(node, arrival) if leaves_out else arrival.in_all_cells(node)
            reached[node] = how
            for move in moves_of(node):
                promoters = _promoters_after(node, how.promoters, move, keeps_pieces)
                onward: Approach | None = how
                if leaves_out:
                    onward = _onward(root, node, how, move)
                if onward is not None and promoters:
                    reaches = Approach(promoters, onward.kings, onward.shades)
                    waves[_wave_of(move.child)].append((move.child, reaches))
    if keeps_pieces:
        return {node: how.in_all_cells(node) for node, how in reached.items()}
    return reached


@lru_cache(maxsize=1 << 16)
def _wave_of(node: Node) -> tuple[Any, int]:
    """The wave of a node: all moves from it lead to lesser ones.

    Waves are kept, because several moves lead to a node.
    """
    return build_key(node.material), -node.steps


def _kings_in(root: RootNode) -> Kings:
    """Where the kings stand in the positions that are asked; anywhere if other pieces do, too."""
    node = root.node
    if node.free > len(Color) or not root.queries:
        return ANYWHERE
    white = 0
    black = 0
    for _, cell in root.queries:
        _, squares = node.layout.squares_of(cell)
        white |= 1 << squares[len(node.pawns)]
        black |= 1 << squares[-1]
    return Kings(white, black)


def _shades_in(root: RootNode) -> Shades:
    """The shades of the positions that are asked."""
    if not root.queries:
        return every_shade(root.node.material)
    shades = Shades(shade_in(root.node, cell) for _, cell in root.queries)
    return _shades_in_node(root.node.material, root.node.pawns, shades)


def _with_walks(node: Node, how: Approach) -> Approach:
    """How a node is reached, once its kings have walked to where they can."""
    return how._replace(kings=where_kings_walk(slots_of(node.material), node.pawns, how.kings))


def _onward(root: RootNode, node: Node, how: Approach, move: PlacementMove) -> Approach | None:
    """How a move from a node reaches its child; None if it does not, or if others do, too."""
    is_en_passant_in_root = root.has_right and node == root.node
    if _is_needless(node, move) and not is_en_passant_in_root:
        return None
    kings = _kings_after(node, how.kings, move)
    if kings is None:
        return None
    if kings != ANYWHERE:
        is_own, is_mirror = _images(move.reset.material, move.pawns)
        if is_mirror:
            kings = kings | kings.mirrored() if is_own else kings.mirrored()
    return Approach(how.promoters, kings, shades_after(node, how.shades, move))


def _is_needless(node: Node, move: PlacementMove) -> bool:
    """Whether a move leads nowhere that others do not lead, too.

    After a double step, en passant leads where a single step and a capture do. But a block with
    bishops is solved with all rights to take that its placement allows, and so is asked for all
    that these lead to.
    """
    takes_pawn = 0 <= move.reset.gone < len(node.pawns)
    is_en_passant = takes_pawn and not set(move.pawns) <= set(node.pawns)
    return is_en_passant and not any(bishops_of(node.material))


def _promoters_after(
    node: Node, promoters: frozenset[Color | None], move: PlacementMove, keeps_pieces: bool
) -> frozenset[Color | None]:
    """Who has promoted last after a move; nothing at all if the walk ends there."""
    slots = slots_of(node.material)
    reset = move.reset
    if reset.promoted != NO_SLOT:
        color, _ = slots[reset.promoted]
        return frozenset([color])
    takes_piece = reset.gone != NO_SLOT and slots[reset.gone][1] is not Role.PAWN
    if keeps_pieces and takes_piece:
        return promoters & {None}
    return promoters


def _kings_after(node: Node, kings: Kings, move: PlacementMove) -> Kings | None:
    """Where the kings may stand after a move; None if no king gets to a pawn that it must take."""
    gone = move.reset.gone
    slots = slots_of(node.material)
    if move.reset.promoted != NO_SLOT:
        return ANYWHERE
    if gone == NO_SLOT or not _has_kings_alone(slots):
        return kings
    others = set(node.pawns) - {node.pawns[gone]}
    if others != set(move.pawns):
        return kings  # a pawn has taken it
    prey_color, _ = slots[gone]
    square = node.pawns[gone]
    taken_on = 0
    for target in _where_pawn_is_taken(square, prey_color):
        if chess.BB_KING_ATTACKS[target] & kings.of(prey_color.other):
            taken_on |= chess.BB_SQUARES[target]
    if not taken_on:
        return None
    if prey_color is Color.BLACK:
        return kings._replace(white=taken_on)
    return kings._replace(black=taken_on)


@lru_cache(maxsize=1 << 16)
def _images(material: Material, pawns: Squares) -> tuple[bool, bool]:
    """Whether a placement is that of its node, and whether its mirror image is.

    Answers are kept, as several moves lead to a placement.
    """
    slots = slots_of(material)
    of_node = pawn_sets(slots, node_of(material, pawns).pawns)
    mirrored = [square ^ MIRROR for square in pawns]
    return pawn_sets(slots, pawns) == of_node, pawn_sets(slots, mirrored) == of_node


def _where_pawn_is_taken(square: int, color: Color) -> Iterable[int]:
    """Where a pawn is taken, or its new man once it has promoted."""
    ahead = square + (8 if color is Color.WHITE else -8)
    if chess.square_rank(ahead) in (0, 7):
        return (square, ahead)
    return (square,)


def are_shut_in(slots: Sequence[Slot], pawns: Squares, kings: Kings) -> bool:
    """Whether some pawn can be taken by no king, as long as no pawn moves."""
    if not _has_kings_alone(slots):
        return False
    walked = where_kings_walk(slots, pawns, kings)
    for (color, _), square in zip(slots, pawns, strict=False):
        if not chess.BB_KING_ATTACKS[square] & walked.of(color.other):
            return True
    return False


def where_kings_walk(slots: Sequence[Slot], pawns: Squares, kings: Kings) -> Kings:
    """Where kings can walk from some squares, while no pawn moves and none is taken."""
    if not _has_kings_alone(slots):
        return ANYWHERE
    occupied = 0
    attacked = {Color.WHITE: 0, Color.BLACK: 0}
    for (color, _), square in zip(slots, pawns, strict=False):
        occupied |= chess.BB_SQUARES[square]
        attacked[color] |= chess.BB_PAWN_ATTACKS[color.chess][square]
    return Kings(
        _walk(kings.white, occupied, attacked[Color.BLACK]),
        _walk(kings.black, occupied, attacked[Color.WHITE]),
    )


def _walk(start: int, occupied: int, attacked: int) -> int:
    """The squares to which a king can walk, those where it starts among them."""
    walked = start & ~occupied
    waiting = walked
    while waiting:
        row = waiting | chess.shift_left(waiting) | chess.shift_right(waiting)
        beside = row | chess.shift_up(row) | chess.shift_down(row)
        waiting = beside & ~(walked | occupied | attacked)
        walked |= waiting
    return walked


def _has_kings_alone(slots: Sequence[Slot]) -> bool:
    return all(role in (Role.PAWN, Role.KING) for _, role in slots)


@lru_cache
def bishops_of(material: Material) -> tuple[int, int]:
    """How many bishops White has, and Black."""
    slots = slots_of(material)
    return slots.count((Color.WHITE, Role.BISHOP)), slots.count((Color.BLACK, Role.BISHOP))


@lru_cache
def every_shade(material: Material) -> Shades:
    """All shades that a material's bishops can have."""
    white, black = bishops_of(material)
    return Shades(itertools.starmap(Shade, itertools.product(range(white + 1), range(black + 1))))


def shade_in(node: Node, cell: int) -> Shade:
    """The shade of a cell of a block."""
    _, squares = node.layout.squares_of(cell)
    shade = Shade(0, 0)
    for (color, role), square in zip(slots_of(node.material), squares, strict=True):
        if role is Role.BISHOP and is_light(square):
            shade = shade.plus(color, 1)
    return shade


def shades_after(node: Node, shades: Shades, move: PlacementMove) -> Shades:
    """The shades after a move, as its child has them.

    The move may take a bishop, and a pawn may become one.
    """
    after = move.child.material
    if Role.BISHOP not in after.white and Role.BISHOP not in after.black:
        return NO_BISHOPS
    slots = slots_of(node.material)
    gone = move.reset.gone
    promoted = move.reset.promoted
    if gone != NO_SLOT and slots[gone][1] is Role.BISHOP:
        color, _ = slots[gone]
        bishops = bishops_of(node.material)[color]
        left = set[Shade]()
        for shade in shades:
            if shade[color] < bishops:  # the one that is taken stands on a dark square
                left.add(shade)
            if shade[color] > 0:
                left.add(shade.plus(color, -1))
        shades = Shades(left)
    if promoted != NO_SLOT and move.reset.role is Role.BISHOP:
        # A step leads to a square of the other colour, a capture to one of the same.
        is_capture = gone != NO_SLOT
        if is_light(node.pawns[promoted]) is is_capture:
            color, _ = slots[promoted]
            shades = Shades(shade.plus(color, 1) for shade in shades)
    return _shades_in_node(after, move.pawns, shades)


def _shades_in_node(material: Material, pawns: Squares, shades: Shades) -> Shades:
    """The shades of a placement as its node has them: it may be the mirror image, or both.

    Light squares are dark in a mirror image.
    """
    white, black = bishops_of(material)
    is_own, is_mirror = _images(material, pawns)
    mirrored = Shades(Shade(white - shade.white, black - shade.black) for shade in shades)
    if is_own and is_mirror:
        return shades | mirrored
    return shades if is_own else mirrored


def share_of(shades: Shades, material: Material) -> float:
    """Which part of a block's cells has one of some shades."""
    white, black = bishops_of(material)
    part = 0
    for shade in shades:
        part += math.comb(white, shade.white) * math.comb(black, shade.black)
    return part / (1 << (white + black))


def word_of(shades: Shades) -> Word:
    """The shades as the solver takes them: a bit for each, by its number.

    A side with eight bishops has too many cells for any solver.
    """
    white, black = LIGHT_BISHOP
    word = 0
    for shade in shades:
        word |= 1 << (white * shade.white + black * shade.black)
    return np.uint64(word)
