"""What moves and replies prove of positions whose table is hidden."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest

from tbgen.errors import AccruedError
from tbgen.material import materials
from tbgen.probe import Tablebase
from tbgen.probe.by_moves import ProvedBounds
from tbgen.score import Score
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
        assert str(tables.prove(board)) == words


def test_a_game_that_is_over_is_worth_its_score(table_folder: Path) -> None:
    with Tablebase(table_folder) as tables:
        stalemate = tables.prove("7k/5K2/5PQ1/8/8/8/8/8 b - - 3 60")
        mate = tables.prove("6rk/5Npp/8/8/8/8/8/K7 b - - 3 60")
    assert str(stalemate) == "G0.5 White forces stalemate: the game is over"
    assert str(mate) == "G0.0 White forces checkmate: the game is over"
    assert (stalemate.bounds.least, stalemate.bounds.most) == (Score("G0.5"), Score("G0.5"))
    assert mate.facts()["lower"]["outcome"] == mate.facts()["upper"]["outcome"] == "G0.0"


def test_a_score_that_cannot_have_accrued_is_refused(table_folder: Path) -> None:
    with Tablebase(table_folder) as tables, pytest.raises(AccruedError):
        tables.prove(ROOK_FOR_THE_TAKING, "G0.5")


def test_facts_bound_white_whoever_moves(table_folder: Path) -> None:
    with Tablebase(table_folder) as tables:
        facts = tables.prove("5k2/8/8/7N/8/3Kp3/8/8 b - - 0 1").facts()
    assert facts["lower"]["outcome"] == "G3.5"
    assert facts["upper"]["outcome"] == "G0.0"
    assert not facts["exact"]
    assert {move["san"] for move in facts["moves"]} >= {"e2", "Kf7"}


def assert_contains(bounds: ProvedBounds, value: Score) -> None:
    side = bounds.side
    assert bounds.least.worth_to(side) <= value.worth_to(side) <= bounds.most.worth_to(side)


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
            proof = few.prove(board)
            moves = all_tables.probe_moves(board)
            assert_contains(proof.bounds, all_tables.probe(board).outcome)
            for proved in proof.moves:
                (move,) = (move for move in moves if move.move == proved.move)
                assert_contains(proved.bounds, move.outcome)
                assert move.keeps or not proved.best, board.fen()
            exact += proof.is_exact
            bounded += proof.bounds.most != Score(0, proof.bounds.side)
    assert exact > 10
    assert bounded > 3
