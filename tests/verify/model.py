"""The checks of the verifier once more, slowly: moves of python-chess, values of the reader."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import chess
import numpy as np
import numpy.typing as npt

from tbgen.index.layout import Layout, layout_of
from tbgen.material import TableMaterial
from tbgen.rules.position import is_reset, material_of, own_score
from tbgen.score import Score
from tbgen.table import Patterns, Table
from tests import positions
from tests.patterns import value_of_pattern

Value = tuple[Score, int]
Values = Callable[[Score], Value]
Tables = Mapping[TableMaterial, Table]


def board_of(layout: Layout, cell: int) -> chess.Board:
    side, squares = layout.squares_of(cell)
    return positions.board_of(layout.slots, squares, side)


def is_position(layout: Layout, cell: int) -> bool:
    """Whether the cell is the primary one of a legal position."""
    side, squares = layout.squares_of(cell)
    if len(set(squares)) < len(squares) or layout.cell_of(side, squares) != cell:
        return False
    board = board_of(layout, cell)
    kings_touch = (
        chess.square_distance(board.king(chess.WHITE) or 0, board.king(chess.BLACK) or 0) == 1
    )
    return not kings_touch and not board.was_into_check()


def place_in(tables: Tables, board: chess.Board) -> tuple[Table, int, bool]:
    """The table of a position, its cell, and whether the colours are exchanged there."""
    material = material_of(board)
    turned = not material.is_canonical
    if turned:
        board = board.mirror()
    table = tables[material.canonical()]
    layout = layout_of(table.material)
    return (
        table,
        layout.cell_of(int(not board.turn), positions.squares_of(board, layout.slots)),
        turned,
    )


def values_in(tables: Tables, board: chess.Board) -> Values:
    """What the tables say of a position for any accrued score, its own already counted in."""
    if board.has_legal_en_passant():
        return best_values(tables, board)
    table, cell, turned = place_in(tables, board)
    entry = Score.from_signed(int(table.entry[cell]))
    dtg = int(table.dtg[cell])
    own = own_score(board)
    pattern = int(table.pattern[cell])
    if turned:
        entry = entry.flipped()

    def value(accrued: Score) -> Value:
        if accrued == own or (entry.code < own.code and entry.code < accrued.code):
            return entry, dtg
        value, plies = value_of_pattern(
            table.patterns, pattern, accrued.flipped() if turned else accrued
        )
        return value.flipped() if turned else value, plies

    return value


def best_values(tables: Tables, board: chess.Board) -> Values:
    """The best of all moves for the side to move, looking one ply ahead, for any accrued score."""
    table, _, _ = place_in(tables, board)
    forgets = table.mobility.forgets
    white = board.turn == chess.WHITE
    after = []
    for move in list(board.legal_moves):
        reset = is_reset(board, move)
        board.push(move)
        after.append((own_score(board), reset and forgets, values_in(tables, board)))
        board.pop()

    def best(accrued: Score) -> Value:
        values = [value_in(accrued.after(own, reset=reset)) for own, reset, value_in in after]
        outcome = (max if white else min)(value for value, _ in values)
        if outcome == accrued:
            return outcome, 0
        plies = [dtg for value, dtg in values if value == outcome]
        return outcome, 1 + (min(plies) if (outcome > accrued) == white else max(plies))

    return best


def random_patterns(random: np.random.Generator, count: int) -> Patterns:
    """Pattern rows that mean nothing."""
    rows: list[tuple[int, int]] = []
    starts = [0]
    for number in range(count):
        keys = {
            (int(random.integers(2)), int(random.integers(2, 30)))
            for _ in range(random.integers(1, 6))
        }
        rows += sorted(keys) if number else []
        starts.append(len(rows))
    holder, code = np.array(rows, np.uint8).T
    outcome = random.integers(1, 40, len(rows)) * random.choice((-1, 1), len(rows))
    dtg = random.integers(1, 100, len(rows))
    return Patterns(
        np.array(starts, np.uint32), holder, code, outcome.astype(np.int8), dtg.astype(np.uint16)
    )


class Numbers:
    """Numbers that mean nothing, one a cell, made when they are read: no table is too large."""

    def __init__(self, layout: Layout, seed: int, low: int, high: int) -> None:
        self._cells = layout.cells
        self._seed = seed
        self._low = low
        self._span = high - low

    def __len__(self) -> int:
        return self._cells

    def __getitem__(self, cells: npt.ArrayLike) -> npt.NDArray[np.int64]:
        with np.errstate(over="ignore"):
            mixed = (np.asarray(cells, np.uint64) + np.uint64(self._seed << 40)) * np.uint64(
                0x9E3779B97F4A7C15
            )
            mixed = (mixed ^ mixed >> np.uint64(31)) * np.uint64(0xBF58476D1CE4E5B9)
        return self._low + ((mixed >> np.uint64(33)) % np.uint64(self._span)).astype(np.int64)


class Entries(Numbers):
    """Entry values, most of them good for the side to move, which is then often content with what
    it has.
    """

    def __init__(self, layout: Layout, seed: int, most: int) -> None:
        super().__init__(layout, seed, 1, 10 * most)
        self._most = most
        self._cells_of_a_side = layout.block_words * 64

    def __getitem__(self, cells: npt.ArrayLike) -> npt.NDArray[np.int64]:
        drawn = super().__getitem__(cells)
        side = np.asarray(cells) // self._cells_of_a_side % 2
        return (
            (1 + drawn % (self._most - 1))
            * np.where(side == 0, 1, -1)
            * np.where(drawn < self._most, -1, 1)
        )


def random_table(material: TableMaterial, seed: int, most: int) -> Table:
    """A table full of nonsense: every cell has some entry value with a code below `most`."""
    layout = layout_of(material)
    patterns = random_patterns(np.random.default_rng(seed), 50)
    entry: Any = Entries(layout, 3 * seed, most)
    dtg: Any = Numbers(layout, 3 * seed + 1, 0, 200)
    pattern: Any = Numbers(layout, 3 * seed + 2, 0, 50)
    return Table(material, entry, dtg, pattern, patterns, {})
