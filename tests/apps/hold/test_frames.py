"""Frames against the slow reference and against closed sets, state by state."""

from __future__ import annotations

import chess
import pytest

from tbgen.apps.hold.closure import Attempt, Found, Searcher
from tbgen.apps.hold.frame_play import strategy_of
from tbgen.apps.hold.frames import Frame, Pair, State, solve, survivors
from tbgen.apps.hold.goals import Goal, not_mated
from tbgen.apps.hold.pairs import all_pairs
from tbgen.apps.hold.proving import check_strategy
from tbgen.apps.hold.strategy import Rung
from tbgen.rules.position import own_score
from tbgen.score import Accrued, Color, parse_score
from tests.apps.hold.classics import FINE_70
from tests.reference.hold import SlowFrame

WHITE, BLACK = Color.WHITE, Color.BLACK
FRAMES = [
    ("kings", FINE_70.format("w"), BLACK, "a7", "a1", "draw"),
    ("kings for a score", "8/8/1p1k4/1Pp1p1p1/2PpPpPp/3P1P1P/1K6/8 w - - 9 1", WHITE, "b2", "d6", "-G5.5"),
    ("rook and king", "7k/R7/8/8/8/4p2p/4Pp1P/5K2 w - - 0 1", WHITE, "a7", "h8", "-G0.5"),
    ("queen and king for a score of her own", "6k1/6p1/8/p6Q/8/2r5/1q4PP/7K w - - 9 1", WHITE, "h5", "g8", "G4.0"),
    ("bishop and knight", "k7/p1p5/P1P5/8/3n4/4B3/p1p5/K7 w - - 0 1", WHITE, "e3", "d4", "-G1.5"),
    ("knight and bishop", "k7/p1p5/P1P5/8/3n4/4B3/p1p5/K7 w - - 0 1", BLACK, "d4", "e3", "G1.5"),
    ("queen and rook", "4k3/4p3/4P3/8/Q7/8/6r1/K7 b - - 0 1", BLACK, "g2", "a4", "G2.5"),
]


def frame_of(fen: str, side: Color, b: str, c: str, goal: str) -> tuple[Frame, Accrued]:
    board, pair = chess.Board(fen), Pair(chess.parse_square(b), chess.parse_square(c))
    wanted = not_mated(side) if goal == "draw" else Goal(side, parse_score(goal).outcome)
    accrued = own_score(board) if wanted.is_met_by(own_score(board)) else wanted.outcome.accrued
    return solve(board, wanted, accrued, pair), accrued


@pytest.mark.parametrize(
    ("fen", "side", "b", "c", "goal"), [case[1:] for case in FRAMES], ids=[case[0] for case in FRAMES]
)
def test_every_state_of_a_frame_is_as_the_slow_reference_has_it(
    fen: str, side: Color, b: str, c: str, goal: str
) -> None:
    frame, _ = frame_of(fen, side, b, c, goal)
    slow = SlowFrame(chess.Board(fen), side is WHITE, *frame.pair)
    plies = slow.plies(frame.threshold)
    assert frame.count == len(plies)
    assert len(set(plies.values())) > 2
    for state, expected in plies.items():
        assert frame.code(State(state[0], state[1], False, False, state[2])) == slow.codes[state]
        assert frame.plies(State(state[0], state[1], False, False, state[2]), frame.threshold) == expected, state


def compare_states(fen: str, side: Color, b: str, c: str, goal: str, most: int) -> None:
    """States of a frame, so many at most, beside the lazy search."""
    frame, _ = frame_of(fen, side, b, c, goal)
    searcher, seen = Searcher(20_000), set()
    states = (State(x, y, False, False, turn) for x in range(64) for y in range(64) for turn in (True, False))
    there = [state for state in states if frame.code(state) > 1]
    for state in there[:: max(1, len(there) // most)]:
        board = frame.board_of(state)
        goal_now = Goal(side, frame.goal.outcome)
        accrued = Accrued(min(frame.threshold, frame.code(state)), frame.goal.outcome.holder)
        if not goal_now.is_met_by(accrued) or frame.code(state) < frame.threshold:
            continue
        attempt = Attempt(Rung.FRAME, state.b, state.c)
        found = searcher.search(board, goal_now, accrued, attempt, None, lambda _: None)
        assert found is (Found.HELD if frame.plies(state, frame.threshold) is None else Found.REFUTED), state
        seen.add(found)
    assert Found.REFUTED in seen


@pytest.mark.parametrize(
    ("fen", "side", "b", "c", "goal"), [case[1:] for case in FRAMES], ids=[case[0] for case in FRAMES]
)
def test_a_state_of_a_frame_is_held_exactly_if_a_closed_set_has_it(
    fen: str, side: Color, b: str, c: str, goal: str
) -> None:
    compare_states(fen, side, b, c, goal, 150)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fen", "side", "b", "c", "goal"), [case[1:] for case in FRAMES], ids=[case[0] for case in FRAMES]
)
def test_every_state_of_a_frame_is_held_exactly_if_a_closed_set_has_it(
    fen: str, side: Color, b: str, c: str, goal: str
) -> None:
    compare_states(fen, side, b, c, goal, 1 << 13)


CASTLING = [
    ("r3k3/p6p/P6P/8/8/p6p/P6P/4K2R w Kq - 0 1", side, b, c)
    for side, pairs in ((WHITE, ("e1 e8", "e1 a8", "h1 e8", "h1 a8")), (BLACK, ("e8 e1", "e8 h1", "a8 e1", "a8 h1")))
    for b, c in (pair.split() for pair in pairs)
]


@pytest.mark.parametrize(("fen", "side", "b", "c"), CASTLING)
@pytest.mark.parametrize("turn", [chess.WHITE, chess.BLACK])
@pytest.mark.parametrize("goal", ["draw", "accrued"])
def test_castling_rights_of_the_men_of_a_frame_count_until_they_move(
    fen: str, side: Color, b: str, c: str, turn: chess.Color, goal: str
) -> None:
    """Against the lazy search, whose positions carry their rights along."""
    board = chess.Board(fen)
    board.turn = turn
    pair, accrued = Pair(chess.parse_square(b), chess.parse_square(c)), own_score(board)
    wanted = not_mated(side) if goal == "draw" else Goal(side, accrued.outcome)
    frame = solve(board, wanted, accrued, pair)
    found = Searcher(20_000).search(board, wanted, accrued, Attempt(Rung.FRAME, *pair), None, lambda _: None)
    assert found is (Found.HELD if frame.root_plies is None else Found.REFUTED)
    kept = frame.code(frame.root)
    assert kept == own_score(board).code
    lost = frame.root._replace(keeps_b=False, keeps_c=False)
    assert frame.code(lost) <= kept


def test_a_king_that_may_castle_is_held_and_its_proof_passes_the_check() -> None:
    """White may castle when Black has moved, and need not."""
    board = chess.Board("8/k7/1p4p1/1Pp1p1P1/2PpPp2/3P1P1p/7P/4K2R b K - 0 1")
    pair = Pair(chess.E1, chess.A7)
    frame = solve(board, not_mated(WHITE), own_score(board), pair)
    assert frame.root.keeps_b
    assert frame.root_plies is None
    assert check_strategy(strategy_of(frame, own_score(board))).checked.positions > 5


def test_a_right_of_en_passant_in_the_first_position_counts_there_alone() -> None:
    """White holds by king moves; the first position has one more move, the capture en passant."""
    board = chess.Board("8/8/1p1k4/1Pp1p1p1/2PpPpPp/3P1P1P/1K6/8 b - g3 0 1")
    assert board.has_legal_en_passant()
    accrued = own_score(board)
    frame = solve(board, not_mated(WHITE), accrued, Pair(chess.B2, chess.D6))
    assert frame.root_plies == 1, "the capture en passant is a way out"
    board = chess.Board("8/8/1p1k4/1Pp1p1p1/2PpPpPp/3P1P1P/1K6/8 b - - 0 1")
    assert solve(board, not_mated(WHITE), own_score(board), Pair(chess.B2, chess.D6)).root_plies is None
    black = chess.Board("8/8/1p1k4/1Pp1p1p1/2PpPpPp/3P1P1P/1K6/8 b - g3 0 1")
    frame = solve(black, not_mated(BLACK), own_score(black), Pair(chess.D6, chess.B2))
    assert frame.root_plies is None
    assert check_strategy(strategy_of(frame, own_score(black))).checked.positions > 10


def test_pairs_that_do_not_survive_the_first_moves_are_left_out_rightly() -> None:
    boards = (chess.Board(fen) for _, fen, *_ in FRAMES)
    for board in [*boards, chess.Board()]:
        for side in Color:
            goal, pairs = not_mated(side), all_pairs(board, side)
            kept = survivors(board, side, pairs)
            for pair in pairs[:: max(1, len(pairs) // 6)]:
                plies = solve(board, goal, own_score(board), pair).root_plies
                assert pair in kept or plies in (0, 1, 2)
