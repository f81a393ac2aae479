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
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import chess
import numpy as np

from tbgen.closures.placements import Node, PawnPlacement, PlacementMove, RootNode
from tbgen.compiled.arrays import Word
from tbgen.index.layout import slots_of
from tbgen.index.placements import MIRROR, Slot, Squares, pawn_sets
from tbgen.index.resets import NO_SLOT
from tbgen.index.squares import LIGHT_BISHOP, is_light
from tbgen.material import Material
from tbgen.men import Role
from tbgen.score import Color
from tbgen.table import Queries


class Kings(NamedTuple):
    """The squares where each king may stand, as bitboards."""

    white: int
    black: int

    def of(self, color: Color) -> int:
        """Those of one king."""
        return self.white if color is Color.WHITE else self.black

    def __or__(self, other: "Kings") -> "Kings":
        return Kings(self.white | other.white, self.black | other.black)


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


class ReachedPlacement(NamedTuple):
    """How a placement is reached."""

    promoters: frozenset[Color | None]
    """The side that promotes last, for each way there; None for a way without promotions."""
    kings: Kings
    """Where the kings may stand there."""
    shades: Shades
    """The shades that its bishops may have there."""

    def __or__(self, other: "ReachedPlacement") -> "ReachedPlacement":
        return ReachedPlacement(
            self.promoters | other.promoters,
            self.kings | other.kings,
            self.shades | other.shades,
        )


NOT_REACHED: Final = ReachedPlacement(frozenset(), Kings(0, 0), Shades())


class Needs:
    """What a position needs of the nodes that a way solves.

    Arguments:
        reached: The nodes that the position reaches; None if it needs all of them.
        keeps_pieces: Whether the way keeps pieces. Then a capture that the walk does not follow may
            lead to a node. So all of its cells are needed.
    """

    def __init__(
        self, reached: Mapping[Node, ReachedPlacement] | None = None, *, keeps_pieces: bool = False
    ) -> None:
        self._reached = reached
        self._with_cells = None if keeps_pieces else reached
        """The same if it tells which cells are needed."""

    def has(self, node: Node) -> bool:
        """Whether a node is needed."""
        return self._reached is None or node in self._reached

    def promoters_of(self, node: Node) -> frozenset[Color | None]:
        """The sides that promote last on the ways to a node; none if that is unknown."""
        return frozenset() if self._reached is None else self._reached[node].promoters

    def kings_in(self, node: Node) -> Kings:
        """Where the kings may stand in a node."""
        return ANYWHERE if self._with_cells is None else self._with_cells[node].kings

    def shades_of(self, node: Node) -> Shades:
        """The shades that are needed of a node."""
        if self._with_cells is None:
            return every_shade(node.material)
        return self._with_cells[node].shades

    def has_shades_after(self, node: Node, move: PlacementMove) -> bool:
        """Whether all shades are needed to which a move from a node leads."""
        if self._with_cells is None:
            return True
        after = shades_after(PawnPlacement(*node), self.shades_of(node), move)
        return shades_in_node(move.child_placement, after) <= self.shades_of(move.child)


def needs_of(
    root: RootNode,
    moves_of: Callable[[PawnPlacement], Iterable[PlacementMove]],
    *,
    keeps_pieces: bool,
) -> Needs:
    """What a position needs, by a walk if one can tell that it does not need everything."""
    node = root.node
    kings = _kings_in(node, root.queries)
    are_kings_shut_in = are_shut_in(slots_of(node.material), node.pawns, kings)
    if not (are_kings_shut_in or any(bishops_of(node.material)) or keeps_pieces):
        return Needs()
    reached = reached_from(
        PawnPlacement(*node),
        kings,
        Shades(shade_in(node, cell) for _, cell in root.queries),
        moves_of,
        keeps_pieces=keeps_pieces,
        has_right=root.has_right,
    )
    return Needs(reached, keeps_pieces=keeps_pieces)


def _kings_in(node: Node, queries: Queries) -> Kings:
    """Where the kings stand in the positions that are asked; anywhere if other pieces do, too."""
    if node.free > len(Color):
        return ANYWHERE
    white = 0
    black = 0
    for _, cell in queries:
        _, squares = node.layout.squares_of(cell)
        white |= 1 << squares[len(node.pawns)]
        black |= 1 << squares[-1]
    return Kings(white, black)


def reached_from(
    root: PawnPlacement,
    kings: Kings,
    shades: Shades,
    moves_of: Callable[[PawnPlacement], Iterable[PlacementMove]],
    *,
    keeps_pieces: bool,
    has_right: bool,
) -> Mapping[Node, ReachedPlacement]:
    """Walk from a placement to all nodes that are reached.

    Arguments:
        root: The placement.
        kings, shades: Where its kings and bishops may stand.
        moves_of: The moves from a placement to others without a table.
        keeps_pieces: Whether the walk ends where a piece is taken after a promotion, by a move that
            is no promotion itself.
        has_right: Whether a pawn may be taken en passant in the root.
    """
    reached = dict[PawnPlacement, ReachedPlacement]()
    waiting = [(root, ReachedPlacement(frozenset([None]), kings, shades))]
    while waiting:
        placement, arrival = waiting.pop()
        before = reached.get(placement, NOT_REACHED)
        after = before | arrival
        slots = slots_of(placement.material)
        after = after._replace(kings=where_kings_walk(slots, placement.pawns, after.kings))
        if after == before:
            continue
        reached[placement] = after
        for move in moves_of(placement):
            may_take_en_passant = has_right and placement == root
            if _is_needless(placement, move) and not may_take_en_passant:
                continue
            promoters = _promoters_after(placement, after.promoters, move, keeps_pieces)
            moved_kings = _kings_after(placement, after.kings, move)
            if promoters and moved_kings is not None:
                moved_shades = shades_after(placement, after.shades, move)
                onward = ReachedPlacement(promoters, moved_kings, moved_shades)
                waiting.append((move.child_placement, onward))
    nodes = dict[Node, ReachedPlacement]()
    for placement, how in reached.items():
        there = how._replace(shades=shades_in_node(placement, how.shades))
        nodes[placement.node] = nodes.get(placement.node, NOT_REACHED) | there
    return nodes


def _is_needless(placement: PawnPlacement, move: PlacementMove) -> bool:
    """Whether a move leads nowhere that others do not lead, too.

    After a double step, en passant leads where a single step and a capture do. But a block with
    bishops is solved with all rights to take that its placement allows, and so is asked for all
    that these lead to.
    """
    takes_pawn = 0 <= move.reset.gone < len(placement.pawns)
    is_en_passant = takes_pawn and not set(move.pawns) <= set(placement.pawns)
    return is_en_passant and not any(bishops_of(placement.material))


def _promoters_after(
    placement: PawnPlacement,
    promoters: frozenset[Color | None],
    move: PlacementMove,
    keeps_pieces: bool,
) -> frozenset[Color | None]:
    """Who has promoted last after a move; nothing at all if the walk ends there."""
    slots = slots_of(placement.material)
    reset = move.reset
    if reset.promoted != NO_SLOT:
        color, _ = slots[reset.promoted]
        return frozenset([color])
    takes_piece = reset.gone != NO_SLOT and slots[reset.gone][1] is not Role.PAWN
    if keeps_pieces and takes_piece:
        return promoters & {None}
    return promoters


def _kings_after(placement: PawnPlacement, kings: Kings, move: PlacementMove) -> Kings | None:
    """Where the kings may stand after a move; None if no king gets to a pawn that it must take."""
    gone = move.reset.gone
    slots = slots_of(placement.material)
    if move.reset.promoted != NO_SLOT:
        return ANYWHERE
    if gone == NO_SLOT or not _has_kings_alone(slots):
        return kings
    others = set(placement.pawns) - {placement.pawns[gone]}
    if others != set(move.pawns):
        return kings  # a pawn has taken it
    prey_color, _ = slots[gone]
    square = placement.pawns[gone]
    taken_on = 0
    for target in _where_pawn_is_taken(square, prey_color):
        if chess.BB_KING_ATTACKS[target] & kings.of(prey_color.other):
            taken_on |= chess.BB_SQUARES[target]
    if not taken_on:
        return None
    if prey_color is Color.BLACK:
        return kings._replace(white=taken_on)
    return kings._replace(black=taken_on)


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


def shades_after(placement: PawnPlacement, shades: Shades, move: PlacementMove) -> Shades:
    """The shades after a move: it may take a bishop, and a pawn may become one."""
    material = placement.material
    slots = slots_of(material)
    gone = move.reset.gone
    promoted = move.reset.promoted
    if gone != NO_SLOT and slots[gone][1] is Role.BISHOP:
        color, _ = slots[gone]
        bishops = bishops_of(material)[color]
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
        if is_light(placement.pawns[promoted]) is is_capture:
            color, _ = slots[promoted]
            shades = Shades(shade.plus(color, 1) for shade in shades)
    return shades


@lru_cache(maxsize=1 << 16)
def shades_in_node(placement: PawnPlacement, shades: Shades) -> Shades:
    """The shades of a placement as its node has them: it may be the mirror image, or both.

    Light squares are dark in a mirror image. Answers are kept, as several moves lead to a
    placement.
    """
    material = placement.material
    white, black = bishops_of(material)
    if not white and not black:
        return shades
    mirrored = Shades(Shade(white - shade.white, black - shade.black) for shade in shades)
    slots = slots_of(material)
    own = pawn_sets(slots, placement.pawns)
    if own == pawn_sets(slots, [square ^ MIRROR for square in placement.pawns]):
        return shades | mirrored
    if own == pawn_sets(slots, placement.node.pawns):
        return shades
    return mirrored


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
