"""What kernels say of tables and of the legal moves of a position, against python-chess and the
layout.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import chess
import numpy as np
import pytest

from tbgen.board.board import BOARD_WORDS, kernel_move, words_of
from tbgen.board.moves import MOST_MOVES
from tbgen.material import Material
from tbgen.probe import Tablebase, open_tablebase
from tbgen.probe.successors import (
    ELSEWHERE,
    FACTS,
    find_successors,
    has_table,
    keys_of_materials,
    placing_of,
)
from tbgen.rules.position import is_reset, material_of, own_score
from tbgen.score import Color, Score
from tbgen.storage.order import order_of
from tests.positions import random_board, squares_of


@pytest.fixture(scope="module")
def compiled(table_folder: Path) -> Iterator[Tablebase]:
    with open_tablebase(table_folder, compiled=True) as opened:
        yield opened


def random_board_of_either(draw: random.Random, material: Material) -> chess.Board:
    """A legal position of a material, with its colours as they are or reversed."""
    board = random_board(draw, material)
    return draw.choice([board, board.mirror()])


def told_by_kernels(board: chess.Board) -> dict[int, list[int]]:
    """By move: the code of the position after it, whether it resets, and the place."""
    material = material_of(board)
    moves, facts = np.empty(MOST_MOVES, np.int64), np.empty((MOST_MOVES, FACTS), np.int64)
    placing = placing_of(order_of(material.canonical()))
    rows, flipped = np.empty((2, len(placing.men)), np.int64), int(not material.is_canonical)
    after = np.empty(BOARD_WORDS, np.uint64)
    count = find_successors(words_of(board), placing, flipped, moves, facts, after, rows)
    return dict(zip(moves[:count].tolist(), facts[:count].tolist(), strict=True))


def told_by_python_chess(board: chess.Board) -> dict[int, list[int]]:
    told = {}
    for move in board.legal_moves:
        after = board.copy(stack=False)
        after.push(move)
        is_known = material_of(after) == material_of(board) and not after.has_legal_en_passant()
        place = place_of(after) if is_known else ELSEWHERE
        told[kernel_move(board, move)] = [own_score(after).code, int(is_reset(board, move)), place]
    return told


def place_of(board: chess.Board) -> int:
    material = material_of(board)
    order, flipped = order_of(material.canonical()), not material.is_canonical
    men = board.mirror() if flipped else board
    side = Color.WHITE if men.turn else Color.BLACK
    return order.place_of(order.layout.cell_of(int(side), squares_of(men, order.layout.slots)))


@pytest.mark.parametrize(
    "name",
    [
        "KvK",
        "KQvK",
        "KPvK",
        "KNNvK",
        "KPvKP",
        "KPPvK",
        "KRBvKN",
        "KBBvKB",
        "KNNNvK",
        "KRPvKP",
        "KPPvKN",
        "KPPPvK",
    ],
)
def test_positions_after_moves_are_counted_and_placed(name: str) -> None:
    draw = random.Random(name)
    for _ in range(60):
        board = random_board_of_either(draw, Material.parse(name))
        assert told_by_kernels(board) == told_by_python_chess(board), board.fen()


@pytest.mark.parametrize(
    ("fen", "elsewhere"),
    [
        ("8/8/8/8/3p4/8/2P5/K6k w - - 0 1", 1),  # a double step that may be answered en passant
        ("8/8/8/8/k1pP3Q/8/8/4K3 b - d3 0 1", 0),  # a capture en passant would bare the king
        ("8/8/8/8/2pP4/8/8/K6k b - d3 0 1", 1),
        ("k7/2P5/8/8/8/8/8/K1n5 w - - 0 1", 4),
        ("8/8/8/8/8/8/4p3/k2B3K b - - 0 1", 8),
    ],
)
def test_en_passant_and_promotions_are_left_to_others(fen: str, elsewhere: int) -> None:
    board = chess.Board(fen)
    assert told_by_kernels(board) == told_by_python_chess(board)
    assert [place for _, _, place in told_by_kernels(board).values()].count(ELSEWHERE) == elsewhere


def test_moves_have_the_values_that_they_have_without_kernels(
    tables: Tablebase, compiled: Tablebase
) -> None:
    draw = random.Random(260)
    for _ in range(200):
        board = random_board_of_either(draw, draw.choice(tables.available()))
        accrued = draw.choice([None, Score(draw.choice([3, 5, 7, 9]), draw.choice(list(Color)))])
        expected, found = tables.probe_moves(board, accrued), compiled.probe_moves(board, accrued)
        assert [each.facts() for each in found] == [each.facts() for each in expected], board.fen()
        assert compiled.probe(board, accrued).facts() == tables.probe(board, accrued).facts()


def test_lines_and_every_accrued_score_are_the_same_without_kernels(
    tables: Tablebase, compiled: Tablebase
) -> None:
    draw = random.Random(261)
    for _ in range(12):
        board = random_board_of_either(draw, draw.choice(tables.available()))
        assert compiled.line(board) == tables.line(board)
        assert compiled.probe_every_accrued(board) == tables.probe_every_accrued(board)


def test_tables_are_asked_of_positions_without_castling_rights_whose_material_is_there() -> None:
    there = [Material.parse(name) for name in ("KvK", "KRvK", "KPvKP")]
    materials = keys_of_materials(there)
    for fen, expected in {
        "4k3/8/8/8/8/8/8/4K2R w - - 0 1": True,
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1": False,
        "4k2r/8/8/8/8/8/8/4K3 w - - 0 1": True,
        "4k3/7p/8/8/8/8/P7/4K3 w - - 0 1": True,
        "4k3/8/8/8/8/8/8/4K2Q w - - 0 1": False,
        "4k3/8/8/8/8/8/PP6/4K3 w - - 0 1": False,
    }.items():
        assert cast("Any", has_table).py_func(words_of(chess.Board(fen)), materials) == expected, (
            fen
        )
