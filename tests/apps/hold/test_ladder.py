"""What the functions take, and in what order the rungs are tried."""

from __future__ import annotations

import re
from typing import Any

import chess
import chess.variant
import pytest

from tbgen.apps.hold.closed_sets import Attempt, Frame, HoldVerdict
from tbgen.apps.hold.ladder import hold
from tbgen.apps.hold.strategy import Rung
from tbgen.errors import AccruedError, UsageError
from tbgen.rules.position import play_move
from tbgen.score import Color, Score
from tests.apps.hold.classics import CLASSICS, FINE_70, PENROSE, SHUT, Classic

WHITE = Color.WHITE
PERPETUAL = chess.Board(CLASSICS[0].fen)
INTERPOSED = chess.Board("1r4k1/6p1/8/p6Q/8/2r5/1q4PP/7K w - - 0 1")

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"board": chess.variant.AtomicBoard()}, "tables and solvers know nothing of atomic"),
    ({"board": chess.Board("8/8/8/8/8/8/8/Kk6 w - - 0 1")}, "illegal"),
    ({"accrued": Score("G0.5")}, "the game would have ended before"),
    ({"side": True}, "side must be"),
    ({"goal": "win"}, "goal must be an outcome or one of accrued, best, draw, not 'win'"),
    ({"goal": 7}, "goal must be a score"),
    ({"nodes": 0}, "nodes must be a whole number from 1 to 5000000, not 0"),
    ({"tables": "data"}, "tables must be an open Tablebase"),
    ({"goal": Score("G2.0")}, "-G24.5 has accrued, which is already worse for White than G2.0"),
]


@pytest.mark.parametrize(("given", "told"), WRONG, ids=[told for _, told in WRONG])
def test_an_argument_that_makes_no_sense_is_refused(given: dict[str, Any], told: str) -> None:
    arguments: dict[str, Any] = {"board": PERPETUAL, "side": WHITE, **given}
    with pytest.raises((UsageError, AccruedError), match=re.escape(told)):
        hold(**arguments)


def test_the_best_goal_is_held_and_the_next_better_one_is_not() -> None:
    for goal, held in (("best", "G4.5"), (Score("G5.0"), None), (Score("G4.0"), "G4.0")):
        found = hold(chess.Board(SHUT), Color.BLACK, goal=goal, nodes=500)
        assert (str(found.goal.outcome) if found.is_held else None) == held


def test_a_man_that_can_be_interposed_takes_the_hold_out_of_the_frame() -> None:
    """Black answers Qe8+ with a rook as well, so two men are not enough.

    The search of wider sets tells how far it got.
    """
    told: list[int] = []
    found = hold(INTERPOSED, WHITE, goal="draw", nodes=3000, watch=told.append)
    assert found.verdict is HoldVerdict.UNKNOWN
    assert sum(told) == found.nodes > 100


@pytest.mark.parametrize("classic", CLASSICS, ids=lambda classic: classic.name)
def test_a_classic_is_held_by_two_men(classic: Classic) -> None:
    found = hold(chess.Board(classic.fen), classic.side, goal="draw")
    assert found.verdict is HoldVerdict.HELD
    assert found.proof is not None
    assert (found.proof.strategy.rung, len(found.proof.settings)) == (Rung.FRAME, 4)


@pytest.mark.slow
def test_penroses_fortress_of_2017_is_held_by_king_moves_alone() -> None:
    """Black has a queen, two rooks and three bishops more."""
    found = hold(chess.Board(PENROSE.fen), PENROSE.side, goal="draw")
    assert found.proof is not None
    strategy, checked = found.proof.strategy, found.proof.checked
    assert (strategy.men, strategy.rung, checked.positions > 10_000) == (
        ("Ke2",),
        Rung.ONE_MAN,
        True,
    )


def test_white_to_move_needs_27_plies_at_least_in_fine_70() -> None:
    found = hold(chess.Board(FINE_70.format("w")), Color.BLACK, goal="draw", nodes=1000)
    assert found.verdict is HoldVerdict.UNKNOWN
    assert found.escape is not None
    assert (found.escape.plies, found.escape.men, len(found.escape.line)) == (
        27,
        ("Ka7", "Ka1"),
        27,
    )
    assert found.escape.line[0] == "Kb1"


def test_the_way_out_that_is_shown_begins_with_a_quiet_move_where_one_can_be_played() -> None:
    """The king can only capture, which ends its frame at once; the knight moves first."""
    found = hold(chess.Board("k5r1/8/8/8/8/8/7p/N6K w - - 9 9"), WHITE, goal="draw", nodes=1)
    assert found.escape is not None
    assert (found.escape.plies, found.escape.men[0]) == (2, "Na1")


def test_the_frame_that_is_shown_is_the_one_that_lasts_longest() -> None:
    """White's king is the only man that can move; Black's king can be got past in 10 plies."""
    board = chess.Board("8/k7/3p4/p2P1p2/P2P1P2/8/8/K4n2 b - - 0 1")
    found = hold(board, Color.BLACK, goal="draw", nodes=1)
    kings = Attempt(Rung.FRAME, chess.A7, chess.A1)
    assert Frame(board, found.goal, found.accrued, kings).plies[0] == 10
    assert found.escape is not None
    assert (found.escape.plies, found.escape.men) == (20, ("Nf1", "Ka1"))


@pytest.mark.parametrize(
    "fen",
    [
        "8/3pk3/3P4/1P2p1pP/3p1pP1/5P2/6P1/7K b - - 30 1",
        "6K1/3pp1p1/3P1P2/2p5/5p2/p7/4p2k/8 b - - 5 1",
    ],
)
@pytest.mark.parametrize("goal", ["accrued", "best"])
def test_a_way_out_leads_through_thresholds_that_no_held_position_has(fen: str, goal: str) -> None:
    board = chess.Board(fen)
    found = hold(board, Color.BLACK, goal=goal, nodes=500)
    assert not found.is_held or goal == "best"
    if found.escape is not None:
        assert len(found.escape.line) == found.escape.plies
        accrued = found.accrued
        runner = chess.parse_square(found.escape.men[1][1:])
        for san in found.escape.line:
            move = board.parse_san(san)
            is_left = board.is_zeroing(move) or (
                board.turn == chess.WHITE and move.from_square != runner
            )
            runner = move.to_square if move.from_square == runner else runner
            accrued = play_move(board, move, accrued).accrued
        assert is_left or not found.goal.is_met_by(accrued)


def test_a_wide_search_goes_on_where_two_men_and_one_do_not_hold() -> None:
    narrow, wide = (
        hold(INTERPOSED, WHITE, goal="draw", nodes=1000, wide=each) for each in (False, True)
    )
    assert wide.nodes > narrow.nodes + 1000
