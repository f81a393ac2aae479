"""Promises kept: best play from random positions."""

from __future__ import annotations

import random
from pathlib import Path

import chess
import pytest

from tbgen.material import materials
from tbgen.probe import Tablebase, open_tablebase
from tbgen.rules.position import own_score, play_move
from tests.positions import random_boards

THREE_MEN = materials(3)
EXTRA_PLIES = 60


def play_best(tables: Tablebase, board: chess.Board, draw: random.Random, extra_plies: int) -> None:
    """Best play by both sides reaches the promised outcome in exactly so many plies, and keeps it."""
    board, promise = board.copy(stack=False), tables.probe(board)
    accrued, root = own_score(board), board.fen()
    for ply in range(promise.dtg + extra_plies):
        assert (accrued == promise.outcome) == (ply >= promise.dtg), (root, ply)
        moves = tables.best_moves(board, accrued)
        if not moves:
            assert ply >= promise.dtg
            return
        chosen = draw.choice(moves)
        assert chosen.outcome == promise.outcome, (root, ply)
        accrued = play_move(board, chosen.move, accrued).accrued
        if ply >= promise.dtg and chosen.dtg:
            return  # no quiet move was left: the same outcome is forced anew, from a position tested on its own
    assert accrued == promise.outcome, root


def test_best_play_keeps_its_promise_to_the_ply(tables: Tablebase) -> None:
    draw = random.Random(21)
    for board in random_boards(20, 40, THREE_MEN):
        play_best(tables, board, draw, EXTRA_PLIES)


@pytest.mark.slow
def test_best_play_keeps_its_promise_with_up_to_four_men(four_men_folder: Path) -> None:
    with open_tablebase(four_men_folder) as opened:
        draw = random.Random(25)
        for board in random_boards(26, 1000, [*materials(3), *materials(4)]):
            play_best(opened, board, draw, EXTRA_PLIES)
