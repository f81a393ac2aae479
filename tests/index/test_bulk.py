from __future__ import annotations

import numpy as np

from tbgen.index.bulk import are_legal, cells_of
from tbgen.index.layout import Layout, fen_of, layout_of
from tbgen.material import Material
from tests.positions import board_of

MATERIALS = ("KvK", "KBvK", "KPvK", "KBBvK", "KNvKN", "KRvKP", "KPvKP", "KPPvK", "KQQvKR", "KRPvKP")


def draw(layout: Layout, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Random sides and squares, pawns where they can stand, each on a square of its own."""
    random = np.random.default_rng(7)
    squares = random.integers(0, 64, (4 * count, len(layout.slots)))
    squares[:, : layout.pawns] = random.integers(8, 56, (4 * count, layout.pawns))
    pawns_apart = [len(set(row[: layout.pawns])) == layout.pawns for row in squares.tolist()]
    return random.integers(0, 2, count), squares[pawns_apart][:count]


def test_cells_legality_and_fens_of_many_positions_are_those_of_each() -> None:
    for name in MATERIALS:
        layout = layout_of(Material.parse(name))
        sides, squares = draw(layout, 1000)
        cells = cells_of(layout, sides, squares)
        legal = are_legal(layout, sides, squares)
        for number, row in enumerate(squares.tolist()):
            side = int(sides[number])
            board = board_of(layout.slots, row, side)
            are_apart = len(set(row)) == len(row)
            assert legal[number] == (are_apart and not board.was_into_check()), (name, row)
            assert cells[number] == layout.cell_of(side, row), (name, row)
            if are_apart:
                assert fen_of(layout, side, row) == board.fen()


def test_a_pawn_is_legal_on_every_square_but_those_of_the_last_ranks() -> None:
    layout = layout_of(Material.parse("KPvK"))
    for pawn in range(64):
        corners = [square for square in (0, 7, 56, 63) if square != pawn]
        legal = are_legal(layout, [1], [[pawn, corners[0], corners[-1]]])
        assert legal.tolist() == [7 < pawn < 56], pawn
