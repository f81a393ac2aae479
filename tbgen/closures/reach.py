"""Reach: what a position needs, where it does not need all that its pawns can lead to.

The first two rules leave blocks out. Bounds replace them, so what is solved stays right. The third
leaves out cells of blocks.

* *Kings that are shut in.* While only kings stand beside the pawns, a king walks around pawns and
  the squares that pawns attack. It takes a pawn only beside a square that it can walk to. So behind
  a chain of pawns nothing is ever taken. Where a pawn is taken en passant, a single step and a
  capture lead to the same. So en passant counts only in the position that is asked about. No
  position that is reached needs what is left out.
* *Pieces that are kept.* A new queen may take every pawn and be taken herself, so the blocks after
  a promotion are many more than those before it. Most are never needed: a side that promotes
  mostly wins with its new man. A way that keeps pieces solves what is reached without a promotion,
  and what a promotion leads to from there as long as no piece is taken.
* *Bishops on their colour.* A bishop stays on squares of one colour, so no position that is reached
  needs the cells with it on the others (see `shades`). All cells with it on its own are solved,
  even those that no game reaches.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import chess

from tbgen.closures.moves import PlacementMove
from tbgen.closures.nodes import Node, PawnPlacement
from tbgen.closures.shades import (
    Shades,
    bishops_of,
    mirrored,
    with_light_bishop,
    without_bishop,
)
from tbgen.index.layout import MIRROR, Slot, Squares, pawn_sets, slots_of
from tbgen.index.resets import NO_SLOT
from tbgen.index.squares import is_light
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


ANYWHERE: Final = Kings(chess.BB_ALL, chess.BB_ALL)


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

MovesOf = Callable[[PawnPlacement], Iterable[PlacementMove]]


class PlacementWalk:
    """Walks from a placement to all that can be reached from it.

    Arguments:
        moves_of: The moves from a placement to others without a table.
        keeps_pieces: Whether the walk ends where a piece is taken after a promotion.
    """

    def __init__(self, moves_of: MovesOf, *, keeps_pieces: bool) -> None:
        self._moves_of = moves_of
        self._keeps_pieces = keeps_pieces

    def from_root(
        self, root: PawnPlacement, kings: Kings, shades: Shades, *, has_right: bool
    ) -> Mapping[Node, ReachedPlacement]:
        """The nodes that are reached from a placement with kings and bishops somewhere.

        `has_right` says that a pawn may be taken en passant there.
        """
        reached = dict[PawnPlacement, ReachedPlacement]()
        waiting = [(root, ReachedPlacement(frozenset([None]), kings, shades))]
        while waiting:
            placement, arrival = waiting.pop()
            before = reached.get(placement, NOT_REACHED)
            slots = slots_of(placement.material)
            after = before | arrival
            walked = where_kings_walk(slots, placement.pawns, after.kings)
            after = after._replace(kings=walked)
            if after == before:
                continue
            reached[placement] = after
            for move in self._moves_of(placement):
                if self._is_left_out(placement, move) and not (has_right and placement == root):
                    continue
                onward = self._arrival(placement, slots, after, move)
                if onward is not None:
                    waiting.append((move.child_placement, onward))
        return _by_node(reached)

    def _is_left_out(self, placement: PawnPlacement, move: PlacementMove) -> bool:
        """Whether a move leads nowhere that others do not lead, too.

        After a double step, en passant leads where a single step and a capture do. But a block with
        bishops is solved with all rights to take that its placement allows, and so is asked for all
        that these lead to.
        """
        if any(bishops_of(placement.material)):
            return False
        return _is_en_passant(placement, move)

    def _arrival(
        self,
        placement: PawnPlacement,
        slots: Sequence[Slot],
        here: ReachedPlacement,
        move: PlacementMove,
    ) -> ReachedPlacement | None:
        """How a move arrives; None if it cannot be made, or ends the walk."""
        promoters = self._promoters_after(slots, here, move)
        if not promoters:
            return None
        shades = shades_after(placement, here.shades, move)
        if move.reset.promoted != NO_SLOT:
            return ReachedPlacement(promoters, ANYWHERE, shades)
        kings = _kings_after(placement, slots, here.kings, move)
        if kings is None:
            return None
        return ReachedPlacement(promoters, kings, shades)

    def _promoters_after(
        self, slots: Sequence[Slot], here: ReachedPlacement, move: PlacementMove
    ) -> frozenset[Color | None]:
        """Who has promoted last after a move; nothing at all if the walk ends there."""
        reset = move.reset
        if reset.promoted != NO_SLOT:
            color, _ = slots[reset.promoted]
            return frozenset([color])
        takes_piece = reset.gone != NO_SLOT and slots[reset.gone][1] is not Role.PAWN
        if self._keeps_pieces and takes_piece:
            return here.promoters & {None}
        return here.promoters


def _kings_after(
    placement: PawnPlacement, slots: Sequence[Slot], kings: Kings, move: PlacementMove
) -> Kings | None:
    """Where the kings may stand after a move; None if no king gets to a pawn that it must take."""
    gone = move.reset.gone
    if gone == NO_SLOT or not _has_kings_alone(slots) or not _is_taken_by_piece(placement, move):
        return kings
    prey_color, _ = slots[gone]
    taker = prey_color.other
    taken_on = 0
    for square in _where_pawn_is_taken(placement.pawns[gone], prey_color):
        if chess.BB_KING_ATTACKS[square] & kings.of(taker):
            taken_on |= chess.BB_SQUARES[square]
    if not taken_on:
        return None
    if taker is Color.WHITE:
        return kings._replace(white=taken_on)
    return kings._replace(black=taken_on)


def shades_after(placement: PawnPlacement, shades: Shades, move: PlacementMove) -> Shades:
    """The shades after a move."""
    slots = slots_of(placement.material)
    gone = move.reset.gone
    promoted = move.reset.promoted
    if gone != NO_SLOT:
        prey_color, prey = slots[gone]
        if prey is Role.BISHOP:
            shades = without_bishop(shades, placement.material, prey_color)
    if promoted != NO_SLOT and move.reset.role is Role.BISHOP:
        # A step leads to a square of the other colour, a capture to one of the same.
        is_capture = gone != NO_SLOT
        if is_light(placement.pawns[promoted]) is is_capture:
            shades = with_light_bishop(shades, slots[promoted][0])
    return shades


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


def _is_en_passant(placement: PawnPlacement, move: PlacementMove) -> bool:
    """Whether a pawn is taken by one that goes to an empty square."""
    is_pawn = 0 <= move.reset.gone < len(placement.pawns)
    return is_pawn and not set(move.pawns) <= set(placement.pawns)


def _is_taken_by_piece(placement: PawnPlacement, move: PlacementMove) -> bool:
    """Whether no pawn moves in a capture."""
    left = set(placement.pawns) - {placement.pawns[move.reset.gone]}
    return left == set(move.pawns)


def _where_pawn_is_taken(square: int, color: Color) -> Iterable[int]:
    """Where a pawn is taken, or its new man once it has promoted."""
    ahead = square + (8 if color is Color.WHITE else -8)
    if chess.square_rank(ahead) in (0, 7):
        return (square, ahead)
    return (square,)


def _by_node(reached: Mapping[PawnPlacement, ReachedPlacement]) -> Mapping[Node, ReachedPlacement]:
    """How nodes are reached: by a placement or by its mirror image."""
    nodes = dict[Node, ReachedPlacement]()
    for placement, how in reached.items():
        node = placement.node
        there = how._replace(shades=shades_in_node(placement, how.shades))
        nodes[node] = nodes.get(node, NOT_REACHED) | there
    return nodes


@lru_cache(maxsize=1 << 16)
def shades_in_node(placement: PawnPlacement, shades: Shades) -> Shades:
    """The shades of a placement as its node has them: it may be the mirror image, or both.

    They are kept, as several moves lead to a placement.
    """
    material = placement.material
    if not any(bishops_of(material)):
        return shades
    slots = slots_of(material)
    own = pawn_sets(slots, placement.pawns)
    mirror_image = pawn_sets(slots, [square ^ MIRROR for square in placement.pawns])
    if own == mirror_image:
        return shades | mirrored(shades, material)
    if own == pawn_sets(slots, placement.node.pawns):
        return shades
    return mirrored(shades, material)
