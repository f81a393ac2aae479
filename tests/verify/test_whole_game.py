"""Whole-game mobility by the verifier's own reading of the rule; that sound tables pass is in test_check.py."""

from __future__ import annotations

import dataclasses
import random

import chess
import pytest

from tbgen.index.layout import layout_of
from tbgen.material import Material
from tbgen.rules.position import own_score
from tbgen.score import Color, Mobility, Score
from tbgen.table import Table
from tbgen.verify import verify_table
from tests.verify.model import best_value, board_of, is_position, value_of

SEED = 27


@pytest.fixture
def tables(whole_game_tables: dict[Material, Table]) -> dict[Material, Table]:
    return whole_game_tables


@pytest.mark.parametrize("name", ["KBvK", "KPvK"])
def test_a_table_of_one_game_does_not_pass_as_one_of_the_other(tables: dict[Material, Table], name: str) -> None:
    table = tables[Material.parse(name)]
    taken = dataclasses.replace(table, game=Mobility.RESET)
    assert verify_table(taken, tables.__getitem__, threads=2).violation is not None


def test_a_wrong_distance_is_found(tables: dict[Material, Table]) -> None:
    table = tables[Material.parse("KBvK")]
    dtg = table.dtg.copy()
    dtg[abs(table.entry) > 1] += 1
    wrong = dataclasses.replace(table, dtg=dtg)
    assert verify_table(wrong, tables.__getitem__, threads=2).violation is not None


@pytest.mark.parametrize("name", ["KBvK", "KNvK", "KPvK", "KRvK"])
def test_random_pairs_are_worth_what_their_best_move_is_worth(tables: dict[Material, Table], name: str) -> None:
    """By python-chess and the tables' readers alone."""
    draw, material = random.Random(SEED), Material.parse(name)
    layout, asked = layout_of(material), 0
    while asked < 150:
        cell = draw.randrange(layout.cells)
        if not is_position(layout, cell):
            continue
        board = board_of(layout, cell)
        own = own_score(board)
        if own.code < 2:
            continue
        accrued = Score(draw.randint(2, own.code), Color(draw.randrange(2))).after(own, reset=False)
        assert value_of(tables, board, accrued) == best_value(tables, board, accrued), (board.fen(), accrued)
        asked += 1


def test_a_capture_keeps_what_has_accrued(tables: dict[Material, Table]) -> None:
    """White has held the king to G1.5; Black takes the bishop, and White keeps that score for ever."""
    board, accrued = chess.Board("8/8/8/8/8/1k6/2B5/5K2 b - - 1 1"), Score(3, Color.WHITE)
    assert value_of(tables, board, accrued) == (accrued, 0)
    board.push_san("Kxc2")
    assert value_of(tables, board, accrued) == (accrued, 0)
