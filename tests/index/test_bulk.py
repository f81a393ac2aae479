from __future__ import annotations

import numpy as np

from tbgen.index.bulk import are_legal, cells_of
from tbgen.index.layout import Layout, fen_of, layout_of
from tbgen.material import Material
from tests.positions import board_of

MATERIALS = ("KvK", "KBvK", "KPvK", "KBBvK", "KNvKN", "KRvKP", "KPvKP", "KPPvK", "KQQvKR", "KRPvKP")


def draw(layout: Layout, count: int, *, apart: bool) -> tuple[np.ndarray, np.ndarray]:
    """Random sides and squares, pawns where they can stand; all men on squares of their own if `apart`."""
    random = np.random.default_rng(7)
    sides = random.integers(0, 2, 4 * count)
    squares = random.integers(0, 64, (4 * count, len(layout.slots)))
    squares[:, : layout.pawns] = random.integers(8, 56, (4 * count, layout.pawns))
    distinct = np.array([len(set(row)) == len(row) for row in squares.tolist()])
    lone_pawns = np.array([len(set(row[: layout.pawns])) == layout.pawns for row in squares.tolist()])
    kept = np.flatnonzero(distinct if apart else lone_pawns)[:count]
    return sides[kept], squares[kept]


def test_cells_of_many_positions_are_those_of_each() -> None:
    for name in MATERIALS:
        layout = layout_of(Material.parse(name))
        sides, squares = draw(layout, 500, apart=True)
        expected = [layout.cell_of(int(side), row) for side, row in zip(sides, squares.tolist(), strict=True)]
        assert cells_of(layout, sides, squares).tolist() == expected, name


def test_positions_are_legal_where_python_chess_says_so() -> None:
    for name in MATERIALS:
        layout = layout_of(Material.parse(name))
        sides, squares = draw(layout, 1000, apart=False)
        found = are_legal(layout, sides, squares)
        for side, row, legal in zip(sides, squares.tolist(), found, strict=True):
            expected = len(set(row)) == len(row) and not board_of(layout.slots, row, side).was_into_check()
            assert legal == expected, (name, row)


def test_a_pawn_is_legal_on_every_square_but_those_of_the_last_ranks() -> None:
    layout = layout_of(Material.parse("KPvK"))
    for pawn in range(64):
        others = [square for square in (0, 7, 56, 63) if square != pawn]
        squares = [[pawn, others[0], others[-1]]]
        assert are_legal(layout, [1], squares).tolist() == [7 < pawn < 56], pawn


def test_a_fen_is_what_python_chess_writes() -> None:
    for name in MATERIALS:
        layout = layout_of(Material.parse(name))
        sides, squares = draw(layout, 50, apart=True)
        for side, row in zip(sides.tolist(), squares.tolist(), strict=True):
            assert fen_of(layout, side, row) == board_of(layout.slots, row, side).fen()
