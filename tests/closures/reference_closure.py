"""A whole closure by the reference: captures and pawn moves lead from block to block.

What a promotion is worth comes from its replies: those that take the new man lead back into the
closure, and a rule says what the others are worth.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen.closures.placements import Node
from tbgen.index.bulk import cells_of
from tbgen.material import Material
from tbgen.men import Role
from tbgen.score import Color
from tbgen.table import Entries
from tests import reference
from tests.closures.made_up import outside
from tests.reference.code import Values
from tests.reference.graph import Resets
from tests.reference.material import Squares, descent
from tests.reference.moves import NO_MAN, NO_PROMOTION, NO_SQUARE
from tests.reference.promotions import MOST_TAKERS, Replies

Ints = npt.NDArray[np.int64]

UPSIDE_DOWN: Final = 56
MIRROR: Final = 7
MOST_DRAWN_CODE: Final = 30
MATE_IN_ROW: Final = -1
STALEMATE_IN_ROW: Final = -2

Unknown = Callable[[Ints], Ints]
"""What replies that do not take the new man are worth to White, by rows of squares."""


def always(signed: int) -> Unknown:
    """The same outcome everywhere."""
    return lambda squares: np.full(len(squares), signed, np.int64)


def drawn(seed: int) -> Unknown:
    """An outcome drawn for each position."""

    def draw(squares: Ints) -> Ints:
        factors = np.random.default_rng(seed).integers(1, 1 << 40, squares.shape[1])
        mixed = (squares + 1) @ factors
        mixed ^= mixed >> 17
        code = mixed % MOST_DRAWN_CODE
        return np.where(mixed >> 11 & 1, code + 1, -code - 1)

    return draw


class Frame(NamedTuple):
    """A material as the reference has it."""

    name: str
    is_swapped: bool
    """Whether its White is Black in the closure."""


@dataclass(frozen=True)
class Place:
    """A placement of pawns as the reference solves it."""

    frame: Frame
    placement: tuple[int, ...]
    """The squares of White's pawns, then of Black's."""


def place_of(node: Node) -> Place:
    """Where the reference has a node: its White is the stronger side."""
    material = node.material
    is_swapped = not material.is_canonical
    white = _pawns_of(material, Color.WHITE)
    pawns = node.pawns
    if is_swapped:
        material = material.canonical()
        turned = tuple(square ^ UPSIDE_DOWN for square in pawns)
        pawns = (*turned[white:], *turned[:white])
        white = len(pawns) - white
    return Place(Frame(str(material), is_swapped), normal(pawns, white)[0])


def _pawns_of(material: Material, color: Color) -> int:
    return sum(role is Role.PAWN for role in material.side(color))


def normal(pawns: Sequence[int], white: int) -> tuple[tuple[int, ...], bool]:
    """The placement that stands for pawns and their mirror image, and whether it is the image."""
    own = (*sorted(pawns[:white]), *sorted(pawns[white:]))
    turned = [square ^ MIRROR for square in pawns]
    mirrored = (*sorted(turned[:white]), *sorted(turned[white:]))
    if mirrored < own:
        return mirrored, True
    return own, False


class ReferenceClosure:
    """All blocks of a closure, solved by the reference."""

    def __init__(self, nodes: Iterable[Node], most_made_up_men: int, unknown: Unknown) -> None:
        self.most_made_up_men = most_made_up_men
        self.unknown = unknown
        placements = dict[Frame, set[tuple[int, ...]]]()
        for node in nodes:
            place = place_of(node)
            placements.setdefault(place.frame, set()).add(place.placement)
        self._parts = dict[Frame, _Part]()
        for frame in sorted(placements, key=lambda frame: len(frame.name)):
            steps_left = reference.material_of(frame.name).steps_left
            order = sorted(placements[frame], key=steps_left)
            self._parts[frame] = _Part(self, frame, order)

    def values_of(self, node: Node, planes: Sequence[Entries]) -> tuple[Ints, Ints]:
        """What tbgen and this closure say of every position of a node."""
        place = place_of(node)
        part = self._parts[place.frame]
        block = part.blocks[place.placement]
        plain = np.flatnonzero(block.nodes.en_passant == NO_SQUARE)
        side, *squares = (np.asarray(axis)[plain] for axis in part.index_of(block))
        colors = part.material.colors
        sign = 1
        if place.frame.is_swapped:
            side = 1 - side
            squares = [axis ^ UPSIDE_DOWN for axis in squares]
            colors = 1 - colors
            sign = -1
        kinds = list(zip(colors.tolist(), part.material.roles.tolist(), strict=True))
        placed = list[Ints]()
        for color, role in node.layout.slots:
            assert isinstance(role, Role)
            man = kinds.index((int(color), int(role)))
            kinds.pop(man)
            placed.append(squares.pop(man))
        cells = cells_of(node.layout, side, np.stack(placed, axis=1))
        known = sign * block.entry[plain].astype(np.int64)
        return np.concatenate(planes)[cells].astype(np.int64), known

    def entry(self, frame: Frame, side: Ints, squares: Squares) -> Ints:
        """The values of positions of a material after a capture."""
        white, black = frame.name.split("v")
        if frame.is_swapped and white == black:
            turned = [axis ^ UPSIDE_DOWN for axis in squares]
            squares = [*turned[len(white) :], *turned[: len(white)]]
            return -self.entry(Frame(frame.name, is_swapped=False), 1 - side, squares)
        if len(squares) <= self.most_made_up_men:
            values, _ = outside(frame.name, side, squares)
            return values.astype(np.int64)
        return self._parts[frame].entry_of(side, squares, np.full(len(side), NO_SQUARE))


class _Part(reference.Excerpt):
    """The placements of one material."""

    def __init__(
        self, closure: ReferenceClosure, frame: Frame, placements: Sequence[tuple[int, ...]]
    ) -> None:
        self._closure = closure
        self._frame = frame
        super().__init__(frame.name, placements, outside)

    def read_kind(
        self, resets: Resets, rows: Ints, captured: int, promoted: int, promotion: int
    ) -> Values:
        side = resets.side[rows].astype(np.int64)
        squares = resets.squares[rows].astype(np.int64)
        jumped = resets.en_passant[rows].astype(np.int64)
        if captured != NO_MAN:
            entry = self._after_capture(side, squares, captured, promoted, promotion)
        elif promotion != NO_PROMOTION:
            entry = self._after_promotion(side, squares, promoted, promotion)
        else:
            entry = self.entry_of(side, list(squares.T), jumped)
        return entry.astype(np.int16), np.zeros(len(rows), np.int16)

    def _after_capture(
        self,
        side: Ints,
        squares: Ints,
        captured: int,
        promoted: int = NO_MAN,
        promotion: int = NO_PROMOTION,
    ) -> Ints:
        way = descent(self.material, captured, promoted, promotion)
        there, *others = way.cells(side, list(squares.T))
        sign = -1 if way.colors_swapped else 1
        frame = Frame(way.material.name, self._frame.is_swapped != way.colors_swapped)
        return sign * self._closure.entry(frame, there, others)

    def _after_promotion(self, side: Ints, squares: Ints, promoted: int, role: int) -> Ints:
        """The best reply: what takes the new man, or another one."""
        roles = self.material.roles.copy()
        roles[promoted] = role
        replies = Replies(roles, self.material.colors, squares, side, promoted)
        sign = -1 if self._frame.is_swapped else 1
        worths = [np.where(replies.others > 0, sign * self._closure.unknown(squares), 0)]
        for number in range(MOST_TAKERS):
            worth = np.zeros(len(side), np.int64)
            taken = np.flatnonzero(replies.takers[:, number] != NO_MAN)
            if len(taken):
                takers = replies.takers[taken, number]
                after = squares[taken].copy()
                after[np.arange(len(taken)), takers] = squares[taken, promoted]
                worth[taken] = self._after_capture(1 - side[taken], after, promoted)
            worths.append(worth)
        mover = np.where(side == 0, 1, -1)
        best = worths[0]
        for worth in worths[1:]:
            is_first = best == 0
            is_higher = _rank(mover, worth) > _rank(mover, best)
            best = np.where((worth != 0) & (is_first | is_higher), worth, best)
        end = mover * np.where(replies.checks, MATE_IN_ROW, STALEMATE_IN_ROW)
        return np.where(best == 0, end, best)

    def entry_of(self, side: Ints, squares: Squares, jumped: Ints) -> Ints:
        """The values of positions, each by the block that its pawns belong to."""
        rows = np.stack(squares, axis=1)
        pawns = rows[:, self.material.pawns]
        white = sum(self.material.colors[self.material.pawns] == reference.WHITE)
        entry = np.zeros(len(side), np.int64)
        placements, which = np.unique(pawns, axis=0, return_inverse=True)
        for number, placement in enumerate(placements.tolist()):
            here = np.flatnonzero(which.ravel() == number)
            solved, is_mirrored = normal(placement, white)
            turn = MIRROR if is_mirrored else 0
            over = np.where(jumped[here] == NO_SQUARE, NO_SQUARE, jumped[here] ^ turn)
            block = self.blocks[solved]
            node = self._nodes_in(block, side[here], rows[here] ^ turn, over)
            entry[here] = block.entry[node]
        return entry

    def _nodes_in(self, block: reference.Block, side: Ints, rows: Ints, jumped: Ints) -> Ints:
        """The nodes of positions of a block, with the right to take en passant where it is one."""
        cells = side
        for man in range(self.material.men):
            if man not in self.material.pawns:
                cells = cells * 64 + rows[:, man]
        nodes = block.node_of[cells]
        assert (nodes >= 0).all(), "a legal position"
        for position in np.flatnonzero(jumped != NO_SQUARE).tolist():
            is_here = block.nodes.cell == cells[position]
            has_right = block.nodes.en_passant == jumped[position]
            for node in np.flatnonzero(is_here & has_right).tolist():
                nodes[position] = node
        return nodes.astype(np.int64)


def _rank(mover: Ints, signed: Ints) -> Ints:
    """The worth of an outcome to the side to move."""
    signs = np.sign(signed).astype(np.int64)
    return mover * (1000 * signs - signed)
