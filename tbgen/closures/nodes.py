"""The graph of placements: where pawns can stand, and which placement leads to which.

A *node* is a placement of the pawns of a material that has no table. Its colours are those of the
position that was asked about, so that a lower bound for White stays one all the way down. Tables
have colours of their own.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import chess

from tbgen.index.layout import Layout, Slot, Squares, partial_layout, placement_of, slots_of
from tbgen.index.resets import NO_SLOT, Reset
from tbgen.index.squares import TRIANGLE
from tbgen.material import Material
from tbgen.men import Role
from tbgen.probe.opened import RANK_FLIP, pieces_of, squares_on
from tbgen.rules.position import board_after, material_on
from tbgen.score import Color, Score
from tbgen.table import Queries


class Node(NamedTuple):
    """One placement of a material's pawns, as the layout has it: one block."""

    material: Material
    pawns: Squares

    def __str__(self) -> str:
        return _name_of(self)

    @property
    def free(self) -> int:
        """How many men are not pawns."""
        return self.material.men - len(self.pawns)

    @property
    def promoter(self) -> Color | None:
        """Whose first pawn promotes; None without pawns."""
        if not self.pawns:
            return None
        first_color, _ = slots_of(self.material)[0]
        return first_color

    @property
    def cells(self) -> int:
        """Its cells, of both sides to move."""
        white_king_squares = 64 if self.pawns else len(TRIANGLE)
        return 2 * white_king_squares << (6 * (self.free - 1))

    @property
    def double_steps(self) -> int:
        """How many of the pawns may be taken en passant, if they have just made a double step."""
        colors = [color for color, _ in slots_of(self.material)[: len(self.pawns)]]
        taken = 0
        for color, square in zip(colors, self.pawns, strict=True):
            rank = 3 if color is Color.WHITE else 4
            beside = [
                enemy
                for other, enemy in zip(colors, self.pawns, strict=True)
                if other is not color and enemy // 8 == rank and abs(enemy - square) == 1
            ]
            taken += square // 8 == rank and bool(beside)
        return taken

    @property
    def layout(self) -> Layout:
        """The layout of the block alone."""
        return _layout_of(self)


@lru_cache(maxsize=1 << 16)
def _name_of(node: Node) -> str:
    """Each key of a block has the names of all that it leads to."""
    squares = "".join(chess.square_name(square) for square in node.pawns)
    return f"{node.material}-{squares}"


class Placement(NamedTuple):
    """Pawns as they stand: a node without its mirror image."""

    material: Material
    pawns: Squares

    @property
    def node(self) -> Node:
        """The node that it belongs to."""
        return node_of(self.material, self.pawns)


@lru_cache(maxsize=32)
def _layout_of(node: Node) -> Layout:
    """With four pawns it takes two milliseconds to make, and each move asks for it."""
    return partial_layout(node.material, [node.pawns])


def node_of(material: Material, pawns: Sequence[int]) -> Node:
    """The node of a placement and of its mirror image."""
    return _node_of(material, tuple(pawns))


@lru_cache(maxsize=1 << 16)
def _node_of(material: Material, pawns: Squares) -> Node:
    """Each move asks for it, and several lead to the same node."""
    return Node(material, placement_of(slots_of(material), pawns))


def node_on(board: chess.Board) -> Node:
    """The node of a position."""
    white = board.pieces(chess.PAWN, chess.WHITE)
    black = board.pieces(chess.PAWN, chess.BLACK)
    return node_of(material_on(board), [*white, *black])


class SharedNode(NamedTuple):
    """The node that a position and its reversal in colours share."""

    node: Node
    is_reversed: bool
    """Whether it is the node of the reversal."""


def shared_node(board: chess.Board) -> SharedNode:
    """The node of a position or of its reversal in colours, the same for both."""
    own = SharedNode(node_on(board), is_reversed=False)
    reversed_ = SharedNode(node_on(board.mirror()), is_reversed=True)
    return min(
        own,
        reversed_,
        key=lambda shared: (not shared.node.material.is_canonical, shared.node.pawns),
    )


class Queried(NamedTuple):
    """A node, and what is asked of it."""

    node: Node
    queries: Queries
    """Accrued scores, each with a cell."""
    has_right: bool
    """Whether a pawn may be taken en passant in the position."""


def queries_of(board: chess.Board, accrued: Score) -> Queried:
    """What a position asks of its node: the accrued score, there and after quiet moves."""
    node, is_reversed = shared_node(board)
    queries = set[tuple[Score, int]]()
    boards = [board]
    for move in board.legal_moves:
        if not board.is_zeroing(move):
            boards.append(board_after(board, move))
    for position in boards:
        if is_reversed:
            queries.add((accrued.flipped(), cell_on(node, position.mirror())))
        else:
            queries.add((accrued, cell_on(node, position)))
    return Queried(node, sorted(queries), board.has_legal_en_passant())


def cell_on(node: Node, board: chess.Board) -> int:
    """The cell of a position in its block."""
    side = 0 if board.turn == chess.WHITE else 1
    return node.layout.cell_of(side, squares_on(board, pieces_of(node.material)))


def pawns_after(slots: Sequence[Slot], pawns: Squares, reset: Reset) -> Iterable[Squares]:
    """Where the pawns of the table that a reset leads to may stand, in the order of its slots."""
    kept = reset.slots[: reset.material.pawns]
    flip = RANK_FLIP if reset.flip else 0
    placements = dict[Squares, None]()  # each once, in order
    for moved in _moved_pawns(slots, pawns, reset):
        placements[tuple(moved[slot] ^ flip for slot in kept)] = None
    return placements


def _moved_pawns(slots: Sequence[Slot], pawns: Squares, reset: Reset) -> Iterator[Squares]:
    """The squares of the pawns by their slots before the reset.

    A pawn that is captured or promoted keeps its square.
    """
    if reset.promoted != NO_SLOT:
        color, _ = slots[reset.promoted]
        if chess.square_rank(pawns[reset.promoted]) == _last_but_one_rank(color):
            yield pawns
        return
    if reset.gone != NO_SLOT and _may_be_taken_by_piece(slots, pawns, reset.gone):
        yield pawns
    for pawn in range(len(pawns)):
        for target in pawn_targets(slots, pawns, pawn, reset.gone):
            if chess.square_rank(target) not in (0, 7):
                yield (*pawns[:pawn], target, *pawns[pawn + 1 :])


def _last_but_one_rank(color: Color) -> int:
    """The rank from which a side's pawns promote."""
    return 6 if color is Color.WHITE else 1


def _may_be_taken_by_piece(slots: Sequence[Slot], pawns: Squares, gone: int) -> bool:
    """Whether a man that is no pawn may take the man in the slot `gone`.

    A king alone takes no pawn that another one protects. It may take what such a pawn promotes to,
    which leaves the same placement.
    """
    color, role = slots[gone]
    pieces = [taker for taker, kind in slots if taker is not color and kind is not Role.PAWN]
    if role is not Role.PAWN or len(pieces) > 1:
        return True
    if chess.square_rank(pawns[gone]) == _last_but_one_rank(color):
        return True
    # The squares from which a pawn of this side protects another are those that an enemy attacks.
    protectors = chess.SquareSet(chess.BB_PAWN_ATTACKS[color.other.chess][pawns[gone]])
    return not any(
        square in protectors
        for (protector, _), square in zip(slots, pawns, strict=False)
        if protector is color
    )


def pawn_targets(slots: Sequence[Slot], pawns: Squares, pawn: int, gone: int) -> list[int]:
    """The squares where a pawn captures the man in the slot `gone`.

    If that is NO_SLOT, the squares to which it steps.
    """
    if gone == NO_SLOT:
        return _steps(slots, pawns, pawn)
    color, _ = slots[pawn]
    prey_color, _ = slots[gone]
    if prey_color is color:
        return []
    attacked = chess.SquareSet(chess.BB_PAWN_ATTACKS[color.chess][pawns[pawn]])
    if gone >= len(pawns):
        return [square for square in attacked if square not in pawns]
    passed = _passed_square(color, pawns, gone)
    return [square for square in attacked if square in (pawns[gone], passed)]


def _steps(slots: Sequence[Slot], pawns: Squares, pawn: int) -> list[int]:
    """The squares to which a pawn steps between the other pawns."""
    color, _ = slots[pawn]
    square = pawns[pawn]
    up = 8 if color is Color.WHITE else -8
    home_rank = 1 if color is Color.WHITE else 6
    if square + up in pawns:
        return []
    if chess.square_rank(square) != home_rank or square + 2 * up in pawns:
        return [square + up]
    return [square + up, square + 2 * up]


def _passed_square(color: Color, pawns: Squares, gone: int) -> int | None:
    """The square where a pawn of `color` takes the pawn `gone` en passant.

    None if that pawn cannot just have made a double step.
    """
    passed = pawns[gone] + (8 if color is Color.WHITE else -8)
    behind_double_step = 5 if color is Color.WHITE else 2
    if chess.square_rank(passed) != behind_double_step or passed in pawns:
        return None
    return passed
