from __future__ import annotations

import chess
import pytest

from tbgen.apps.hold.answers import HoldVerdict
from tbgen.apps.hold.ladder import hold
from tbgen.score import Color
from tests.apps.hold.classics import CLASSICS, FINE_70, PENROSE, Classic

BLACK = Color.BLACK


@pytest.mark.parametrize("classic", CLASSICS, ids=lambda classic: classic.name)
def test_a_classic_is_held_by_so_many_positions(classic: Classic) -> None:
    found = hold(chess.Board(classic.fen), classic.side, goal="draw")
    assert found.verdict is HoldVerdict.HELD
    assert found.proof is not None
    strategy, checked = found.proof.strategy, found.proof.checked
    assert (strategy.men, strategy.rung.value, checked.positions) == (classic.men, classic.rung, classic.positions)
    assert len(found.proof.settings) == 4


def test_white_to_move_needs_27_plies_at_least_in_fine_70() -> None:
    found = hold(chess.Board(FINE_70.format("w")), BLACK, goal="draw", nodes=1000)
    assert found.verdict is HoldVerdict.UNKNOWN
    assert found.escape is not None
    assert (found.escape.plies, found.escape.men, len(found.escape.line)) == (27, ("Ka7", "Ka1"), 27)
    assert found.escape.line[0] == "Kb1"


@pytest.mark.parametrize(("move", "held"), [("Ka2", True), ("Kb1", False), ("Kb2", True)])
def test_of_the_first_moves_of_fine_70_only_kb1_breaks(move: str, held: bool) -> None:
    board = chess.Board(FINE_70.format("w"))
    board.push_san(move)
    assert hold(board, BLACK, goal="draw", pair="Ka7,K" + move[1:], nodes=1000).is_held == held


def test_the_corresponding_squares_of_fine_70_come_out() -> None:
    chart = hold(chess.Board(FINE_70.format("b")), BLACK, goal="draw").map()
    assert chart is not None
    assert chart.are_kings
    for white, black in {"c1": "b7", "d1": "c7", "c2": "b8", "d2": "c8", "c3": "b7", "d3": "c7"}.items():
        assert chart.squares[white] == (black,), white
        assert (black, white) in chart.zugzwangs


@pytest.mark.slow
def test_penroses_fortress_of_2017_is_held_by_king_moves_alone() -> None:
    """Black has a queen, two rooks and three bishops more."""
    found = hold(chess.Board(PENROSE.fen), PENROSE.side, goal="draw")
    assert found.proof is not None
    strategy, checked = found.proof.strategy, found.proof.checked
    assert (strategy.men, strategy.rung.value, checked.positions) == (PENROSE.men, PENROSE.rung, PENROSE.positions)


def test_the_perpetual_check_goes_round_and_round() -> None:
    found = hold(chess.Board(CLASSICS[0].fen), Color.WHITE, goal="draw")
    assert found.proof is not None
    assert (found.proof.cycle.lead, found.proof.cycle.loop) == ((), ("Qe8+", "Kh7", "Qh5+", "Kg8"))
