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
        cells, legal = cells_of(layout, sides, squares).tolist(), are_legal(layout, sides, squares)
        for side, row, cell, is_legal in zip(
            sides.tolist(), squares.tolist(), cells, legal, strict=True
        ):
            board, is_apart = board_of(layout.slots, row, side), len(set(row)) == len(row)
            assert is_legal == (is_apart and not board.was_into_check()), (name, row)
            assert cell == layout.cell_of(side, row), (name, row)
            assert not is_apart or fen_of(layout, side, row) == board.fen()


def test_a_pawn_is_legal_on_every_square_but_those_of_the_last_ranks() -> None:
    layout = layout_of(Material.parse("KPvK"))
    for pawn in range(64):
        others = [square for square in (0, 7, 56, 63) if square != pawn]
        assert are_legal(layout, [1], [[pawn, others[0], others[-1]]]).tolist() == [
            7 < pawn < 56
        ], pawn
