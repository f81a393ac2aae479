"""What kernels say of tables and legal moves, against python-chess and the layout."""

from __future__ import annotations

import pickle
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import chess
import pytest

from tbgen.board.board import kernel_move, words_of
from tbgen.material import Material
from tbgen.probe import Tablebase, open_tablebase
from tbgen.probe.successors import (
    ELSEWHERE,
    found_on,
    has_table,
    keys_of_materials,
)
from tbgen.rules.position import accruable, bare_sides, is_reset, material_of, own_score
from tbgen.score import Score
from tbgen.storage.order import order_of
from tests.positions import BISHOP, random_board, squares_of


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
    order = order_of(material.canonical())
    told = {}
    for move, *facts in found_on(board, order, flipped=not material.is_canonical):
        told[move] = facts
    return told


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
    order = order_of(material.canonical())
    layout = order.layout
    if not material.is_canonical:
        board = board.mirror()
    cell = layout.cell_of(int(not board.turn), squares_of(board, layout.slots))
    return order.place_of(cell)


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


def said_of(tables: Tablebase, board: chess.Board, accrued: Score | None) -> list[object]:
    """All that tables say of a position and of its moves."""
    probe = tables.probe(board, accrued)
    said: list[object] = [(probe.outcome, probe.dtg, probe.own, probe.accrued)]
    for move in tables.probe_moves(board, accrued):
        said.append((move.uci, move.outcome, move.dtg, move.reset, move.best, move.keeps))
    return said


def assert_kernels_change_nothing(plain: Tablebase, compiled: Tablebase, positions: int) -> None:
    draw = random.Random(260)
    materials = plain.available()
    for _ in range(positions):
        material = draw.choice(materials)
        board = random_board(draw, material, en_passant=0.2)
        if draw.random() < 0.5:
            board = board.mirror()
        scores = accruable(own_score(board), bare_sides(board))
        accrued = draw.choice([None, *scores])
        expected = said_of(plain, board, accrued)
        assert said_of(compiled, board, accrued) == expected, f"{board.fen()} {accrued}"


def test_moves_have_the_values_that_they_have_without_kernels(
    tables: Tablebase, compiled: Tablebase
) -> None:
    assert_kernels_change_nothing(tables, compiled, 1000)


@pytest.mark.slow
def test_a_hundred_thousand_positions_of_four_men_have_the_same_values_without_kernels(
    four_men_folder: Path,
) -> None:
    with (
        open_tablebase(four_men_folder) as plain,
        open_tablebase(four_men_folder, compiled=True) as compiled,
    ):
        assert_kernels_change_nothing(plain, compiled, 100_000)


def test_facts_of_moves_are_the_same_without_kernels(
    tables: Tablebase, compiled: Tablebase
) -> None:
    draw = random.Random(262)
    for _ in range(30):
        board = random_board_of_either(draw, draw.choice(tables.available()))
        expected = tables.probe_moves(board)
        assert compiled.probe_moves(board).facts() == expected.facts(), board.fen()
        assert compiled.probe(board).facts() == tables.probe(board).facts()


def test_kernels_can_be_loaded_into_open_tables(tables: Tablebase, table_folder: Path) -> None:
    board = chess.Board(BISHOP)
    with open_tablebase(table_folder) as opened:
        before = opened.probe(board, "G4.0")
        opened.load_kernels()
        assert opened.probe(board, "G4.0") == before
        assert opened.probe_moves(board, "G4.0") == tables.probe_moves(board, "G4.0")
    assert pickle.loads(pickle.dumps(before)) == before


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
    expected = {
        "4k3/8/8/8/8/8/8/4K2R w - - 0 1": True,
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1": False,
        "4k2r/8/8/8/8/8/8/4K3 w - - 0 1": True,
        "4k3/7p/8/8/8/8/P7/4K3 w - - 0 1": True,
        "4k3/8/8/8/8/8/8/4K2Q w - - 0 1": False,
        "4k3/8/8/8/8/8/PP6/4K3 w - - 0 1": False,
    }
    uncompiled: Any = cast("Any", has_table).py_func
    for fen, is_asked in expected.items():
        assert uncompiled(words_of(chess.Board(fen)), materials) == is_asked, fen
