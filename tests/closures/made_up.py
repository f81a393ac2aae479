"""Closures over made-up tables, solved by tbgen and by the reference.

python-chess bounds their promotions.
"""

import zlib
from collections.abc import Sequence
from pathlib import Path

import chess
import numpy as np
import numpy.typing as npt

from tbgen.closures.bounds import UNKNOWN, Bound
from tbgen.closures.placements import Node, node_of
from tbgen.compiled.arrays import Ints
from tbgen.index.bulk import cells_of
from tbgen.index.layout import partial_layout
from tbgen.index.placements import Squares
from tbgen.material import Material
from tbgen.probe.opened import OpenTables
from tbgen.table import Entries
from tests import reference
from tests.positions import board_of
from tests.reference.graph import Resets
from tests.reference.moves import NO_MAN, NO_PROMOTION
from tests.retro.comparison import men_of_slots
from tests.retro.excerpt import made_up


class MadeUpTables(OpenTables):
    """Tables of what captures lead to: of fewer men than the position has."""

    def __init__(self, men: int) -> None:
        super().__init__([Path("nowhere")], 0, outcomes_only=True)
        self.men = men

    def digest(self, material: Material) -> str:
        return "made up" if material.men < self.men else ""

    def plane(
        self, material: Material, pawns: Squares, side: int, room: Entries | None = None
    ) -> Entries:
        node = node_of(material, pawns)
        half = node.cells // 2
        cells = np.arange(side * half, (side + 1) * half)
        entries, _ = made_up(material, numbers_in(node, cells))
        if room is None:
            return entries
        room[:] = entries
        return room


def numbers_in(node: Node, cells: Ints) -> Ints:
    """Cells of a block, numbered through all placements of its pawns as far as chance has it.

    Materials with many pawns have no layout of all their placements.
    """
    salt = zlib.crc32(str(node.pawns).encode())
    return cells + salt * node.cells


def outside(
    name: str, side: Ints, squares: Sequence[Ints]
) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int16]]:
    """The same values, for the reference."""
    material = Material.parse(name)
    node = node_of(material, [8] * material.pawns)
    slots = np.stack([squares[man] for man in men_of_slots(node.layout)], axis=1)
    placements, which = np.unique(slots[:, : material.pawns], axis=0, return_inverse=True)
    entry = np.zeros(len(side), np.int16)
    for number, pawns in enumerate(placements.tolist()):
        here = np.flatnonzero(which.ravel() == number)
        node = node_of(material, pawns)
        cells = cells_of(node.layout, side[here], slots[here])
        entry[here], _ = made_up(material, numbers_in(node, cells))
    return entry, np.zeros(len(side), np.int16)


class BoundedExcerpt(reference.Excerpt):
    """Blocks of a material whose promotions are bounded; all that captures lead to is made up."""

    def __init__(self, name: str, placements: list[tuple[int, ...]], bound: Bound) -> None:
        self.bound = bound
        super().__init__(name, placements, outside)

    def read_kind(
        self, resets: Resets, rows: Ints, captured: int, promoted: int, promotion: int
    ) -> tuple[np.ndarray, np.ndarray]:
        if captured != NO_MAN or promotion == NO_PROMOTION:
            return super().read_kind(resets, rows, captured, promoted, promotion)
        roles = self.material.roles.copy()
        roles[promoted] = promotion
        slots = list(zip(self.material.colors.tolist(), roles.tolist(), strict=True))
        entry = np.zeros(len(rows), np.int16)
        for number, row in enumerate(rows.tolist()):
            squares = resets.squares[row].tolist()
            board = board_of(slots, squares, int(resets.side[row]))
            entry[number] = self._bounded(board, new_man=squares[promoted])
        return entry, np.zeros(len(rows), np.int16)

    def _bounded(self, board: chess.Board, new_man: int) -> int:
        """The worth of a position after a promotion, at least or at most, as a signed outcome."""
        sign = 1 if board.turn == chess.WHITE else -1
        outcomes = list[int]()
        for move in board.legal_moves:
            if move.to_square == new_man:
                outcomes.append(self._after(board, move))
            else:
                outcomes.append(UNKNOWN[self.bound])
        if not outcomes:
            return -sign if board.is_check() else -2 * sign
        goals = [sign * (np.sign(signed) * 1000 - signed) for signed in outcomes]
        return outcomes[goals.index(max(goals))]

    @staticmethod
    def _after(board: chess.Board, move: chess.Move) -> int:
        """The made-up value of a position after a capture, with the stronger side as White."""
        after = board.copy(stack=False)
        after.push(move)
        is_swapped = _strength(after, chess.BLACK) > _strength(after, chess.WHITE)
        if is_swapped:
            after.apply_mirror()
        white = _strongest_first(after, chess.WHITE)
        black = _strongest_first(after, chess.BLACK)
        name = f"{_name_of(white)}v{_name_of(black)}"
        squares = [np.array([square]) for square, _ in (*white, *black)]
        (entry,), _ = outside(name, np.array([int(not after.turn)]), squares)
        return int(-entry if is_swapped else entry)


PlacedMan = tuple[chess.Square, chess.Piece]


def _strongest_first(board: chess.Board, color: chess.Color) -> list[PlacedMan]:
    """The men of a side with their squares."""
    men = [(square, man) for square, man in board.piece_map().items() if man.color == color]
    return sorted(men, key=lambda placed: -placed[1].piece_type)


def _name_of(men: list[PlacedMan]) -> str:
    return "".join(man.symbol().upper() for _, man in men)


def _strength(board: chess.Board, color: chess.Color) -> tuple[int, list[int]]:
    """The number of a side's men, then the men: more is stronger."""
    roles = [man.piece_type for _, man in _strongest_first(board, color)]
    return len(roles), roles


def values_of(
    excerpt: BoundedExcerpt, node: Node, planes: list[Entries]
) -> tuple[Entries, Entries]:
    """What tbgen and the reference say of every position of a block."""
    known = excerpt.blocks[node.pawns]
    plain = np.flatnonzero(known.nodes.en_passant < 0)
    side, *squares = (np.asarray(axis)[plain] for axis in excerpt.index_of(known))
    layout = partial_layout(node.material, [node.pawns])
    slots = np.stack([squares[man] for man in men_of_slots(layout)], axis=1)
    cells = cells_of(layout, side, slots)
    return np.concatenate(planes)[cells], known.entry[plain].astype(np.int8)
