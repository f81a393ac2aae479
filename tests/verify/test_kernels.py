"""Cells, moves and values of the kernels against Layout, python-chess and the slow model."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import chess
import numpy as np
import pytest

from tbgen.compiled.arrays import Int, Ints
from tbgen.compiled.jit import kernel
from tbgen.index.layout import layout_of
from tbgen.material import Material, TableMaterial, table_named
from tbgen.rules.position import own_score
from tbgen.score import Color, Score
from tbgen.system.watching import tell_nobody
from tbgen.table import Table
from tbgen.verify.cells import cell_of, images_of, men_of, set_up
from tbgen.verify.kept import index_of_cell
from tbgen.verify.moves import NO_POSITION, new_scratch, own_code_of
from tbgen.verify.pairs import list_successors, weigh_moves
from tbgen.verify.parts import sampled_part
from tbgen.verify.phases import PartCheck
from tbgen.verify.ranges import Searchers
from tbgen.verify.values import Subject, value_of_key
from tests.positions import random_board, squares_of

from .model import Tables, best_values, board_of, is_position, random_table


@kernel
def placed_cell(men: Any, side: Int, squares: Ints, rest: Ints) -> Int:
    """The cell of a placement, in a kernel that is kept on disk, as are those below."""
    return cell_of(men, side, squares, rest)


@kernel
def own_code_in(men: Any, cell: Int, scratch: Any) -> Int:
    """The own code of a cell."""
    return own_code_of(men, cell, scratch)


@kernel
def count_images(men: Any, cell: Int, squares: Ints, rest: Ints) -> Int:
    """How many placements a cell stands for, but for the order of equal men."""
    set_up(men, cell, squares)
    return images_of(men, squares, rest)


ASSORTED = (
    "KNNvK",
    "KBBvKN",
    "KPPvK",
    "KPvKP",
    "KRvKP",
    "KNNNvK",
    "KQRvKB",
    "KPPvKP",
    "KBPvKN",
    "KRRvKR",
)


@pytest.mark.parametrize("material", ["KNvK", "KPvK", *ASSORTED])
def test_any_placement_has_the_cell_of_the_layout(material: str) -> None:
    layout = layout_of(Material.parse(material))
    random = np.random.default_rng(2)
    men = men_of(layout)
    rest = np.zeros(8, np.int64)
    for _ in range(1000):
        squares = [
            *random.integers(8, 56, layout.pawns),
            *random.integers(0, 64, layout.others + 2),
        ]
        if len(set(squares[: layout.pawns])) == layout.pawns:
            assert placed_cell(men, 1, np.array(squares), rest) == layout.cell_of(
                1, [int(s) for s in squares]
            )


@pytest.mark.parametrize("material", ["KvK", "KNvK", "KPvK", *ASSORTED])
def test_own_codes_are_those_of_python_chess(material: str) -> None:
    layout = layout_of(Material.parse(material))
    random = np.random.default_rng(3)
    men = men_of(layout)
    scratch = new_scratch()
    for cell in random.integers(0, layout.cells, 800).tolist():
        expected = (
            own_score(board_of(layout, cell)).code if is_position(layout, cell) else NO_POSITION
        )
        assert own_code_in(men, cell, scratch) == expected


@pytest.mark.parametrize("material", ["KvK", "KNvK", pytest.param("KNNvK", marks=pytest.mark.slow)])
def test_images_add_up_to_all_placements(material: str) -> None:
    layout = layout_of(Material.parse(material))
    group = men_of(layout)
    squares = np.zeros(8, np.int64)
    rest = np.zeros(8, np.int64)
    men = len(layout.slots)
    placements: Int = 0
    for cell in range(layout.cells):
        side, there = layout.squares_of(cell)
        if len(set(there)) == men and layout.cell_of(side, there) == cell:
            placements += layout.orders * count_images(group, cell, squares, rest)
    assert placements == 2 * np.prod(range(64 - men + 1, 65))


PAWNS = ("KPvKP", "KRvKP", "KPPvKP", "KRPvKP")


@pytest.fixture(scope="module")
def nonsense() -> dict[TableMaterial, Table]:
    """Some tables with their children, random numbers all of them.

    Those of the children go further.
    """
    wanted = [table_named(text) for text in PAWNS]
    found = {child for material in wanted for child in material.children()}
    tables = {
        material: random_table(material, seed, 60)
        for seed, material in enumerate(sorted(found, key=str), 9)
    }
    return tables | {
        material: random_table(material, seed, 25) for seed, material in enumerate(wanted)
    }


def asked(tables: Tables, material: TableMaterial, cell: int) -> Subject:
    """The subject with what one cell needs and nothing else, its resets noted."""
    with ThreadPoolExecutor(1) as pool:
        part = sampled_part(layout_of(material), np.array([cell]))
        searchers = Searchers(pool, tell_nobody)
        check = PartCheck(tables[material], tables.__getitem__, searchers, part)
        assert [*check._wrong_positions(), *check._wrong_resets()] == []
    return check.subject


@kernel
def best_keys(subject: Subject, scratch: Any, cell: Int, best: Ints) -> tuple[Int, Int]:
    """Find the keys of the best moves.

    Returns the side to move and the code from which on they are all the same.
    """
    place = index_of_cell(subject.kept, cell)
    side, count, top = list_successors(subject, scratch, place)
    weigh_moves(subject, scratch, place, side, count, top, best)
    return side, top


def found_values(subject: Subject, cell: int) -> dict[Score, tuple[Score, int]]:
    """What the kernels find to be the best for every accrued score."""
    best = np.empty((2, 256), np.int64)
    side, top = best_keys(subject, new_scratch(), cell, best)
    found = {}
    for code in range(2, int(subject.own[np.searchsorted(subject.kept.some, cell)]) + 1):
        for holder in Color:
            accrued = Score(code, holder)
            key = best[holder, min(code, top)]
            outcome, dtg = value_of_key(side, accrued.signed, key)
            found[accrued] = Score.from_signed(int(outcome)), int(dtg)
    return found


def filled_cells(material: Material, seed: int, count: int) -> list[int]:
    """Random positions that are not the end of a game."""
    layout = layout_of(material)
    random = np.random.default_rng(seed)
    found: list[int] = []
    while len(found) < count:
        cell = int(random.integers(layout.cells))
        if is_position(layout, cell) and any(board_of(layout, cell).legal_moves):
            found.append(cell)
    return found


def cells_before(
    material: Material, seed: int, count: int, is_wanted: Callable[[chess.Board], bool]
) -> list[int]:
    """Positions before random double steps that give a right to take en passant, if `is_wanted`
    holds after these.
    """
    layout = layout_of(material)
    draw = random.Random(seed)
    found: list[int] = []
    while len(found) < count:
        board = random_board(draw, material, en_passant=1)
        if is_wanted(board):
            over = board.ep_square or 0
            ahead = -8 if board.turn else 8
            board.set_piece_at(over - ahead, board.remove_piece_at(over + ahead))
            cell = layout.cell_of(int(board.turn), squares_of(board, layout.slots))
            if is_position(layout, cell):
                found.append(cell)
    return found


def is_pinned(board: chess.Board) -> bool:
    """Whether a pawn stands beside and may not take, though its side is not in check."""
    legal = list(board.generate_legal_ep())
    pseudo_legal = list(board.generate_pseudo_legal_ep())
    return len(legal) < len(pseudo_legal) and not board.is_check()


@pytest.mark.parametrize(
    ("name", "is_wanted", "count"),
    [
        ("KRvKP", None, 20),
        ("KPvKP", None, 20),
        ("KPvKP", chess.Board.has_legal_en_passant, 25),
        ("KPPvKP", lambda board: len(list(board.generate_legal_ep())) == 2, 12),
        ("KRPvKP", is_pinned, 8),
    ],
    ids=["rook and pawn", "pawns", "en passant", "two takers", "a pin"],
)
def test_the_best_move_is_that_of_the_slow_model(
    nonsense: Tables, name: str, is_wanted: Callable[[chess.Board], bool] | None, count: int
) -> None:
    material = table_named(name)
    cells = (
        cells_before(material, 4, count, is_wanted)
        if is_wanted
        else filled_cells(material, 4, count)
    )
    assert len(cells) == count
    assert_agreement(nonsense, material, cells)


def assert_agreement(tables: Tables, material: TableMaterial, cells: Sequence[int]) -> None:
    """Between the kernels and the slow model."""
    layout = layout_of(material)
    for cell in cells:
        subject = asked(tables, material, cell)
        board = board_of(layout, cell)
        expected = best_values(tables, board)
        for accrued, value in found_values(subject, cell).items():
            assert value == expected(accrued), (board.fen(), str(accrued))


@pytest.mark.parametrize(
    ("start", "others"), [("a2", "c4 d4 e4 f4 g4 h4 h3"), ("d2", "a4 b4 f4 g4 h4")]
)
def test_a_pawn_that_does_not_stand_beside_does_not_take_en_passant(
    nonsense: Tables, start: str, others: str
) -> None:
    """As numbers, a4 and h3 are neighbours."""
    material = table_named("KPvKP")
    layout = layout_of(material)
    kings = [chess.E1, chess.E8]
    pawns = [[chess.parse_square(start), chess.parse_square(other)] for other in others.split()]
    assert_agreement(nonsense, material, [layout.cell_of(0, each + kings) for each in pawns])
