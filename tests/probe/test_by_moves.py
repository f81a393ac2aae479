"""What moves and replies prove of positions whose table is hidden."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest

from tbgen.material import materials
from tbgen.probe import Tablebase
from tbgen.probe.by_moves import proved_by_moves
from tbgen.rules.position import own_score
from tbgen.score import Color, Score
from tests.positions import random_boards

ROOK_FOR_THE_TAKING = "8/8/4k3/8/3Rr3/8/2K5/8 w - - 4 60"


PROVED = "with best play; proved by what captures and promotions lead to"


@pytest.mark.parametrize(
    ("fen", "words"),
    [
        (ROOK_FOR_THE_TAKING, f"G0.0 White forces checkmate, {PROVED}: Rxe4+"),
        ("8/8/4k3/8/3Rr3/8/2K5/8 b - - 4 60", f"-G0.0 Black forces checkmate, {PROVED}: Rxd4"),
        (
            "5k2/8/8/7N/8/3Kp3/8/8 b - - 0 1",
            "Black gets at most G3.5, by what captures and promotions lead to",
        ),
        ("8/8/4k3/8/8/r7/2K5/7R w - - 4 60", ""),
    ],
)
def test_captures_prove_what_the_explorer_says(table_folder: Path, fen: str, words: str) -> None:
    board = chess.Board(fen)
    with Tablebase(table_folder) as tables:
        assert proved_by_moves(tables, board, own_score(board)).in_words(board) == words


@pytest.mark.slow
def test_bounds_contain_the_values_of_hidden_tables(
    table_folder: Path, four_men_folder: Path
) -> None:
    exact = 0
    bounded = 0
    with Tablebase(table_folder) as few, Tablebase(four_men_folder) as all_tables:
        for board in random_boards(5, 300, materials(4)):
            if not any(board.legal_moves):
                continue
            side = Color.of(board.turn)
            accrued = own_score(board)
            proof = proved_by_moves(few, board, accrued)
            value = all_tables.probe(board, accrued).outcome
            assert proof.least.worth_to(side) <= value.worth_to(side), board.fen()
            assert value.worth_to(side) <= proof.most.worth_to(side), board.fen()
            exact += proof.is_exact
            bounded += proof.most != Score(0, side)
            if proof.is_exact and proof.best is not None:
                keeping = [
                    move.move for move in all_tables.probe_moves(board, accrued) if move.keeps
                ]
                assert proof.best in keeping
    assert exact > 10
    assert bounded > 3
