"""The ends of games in the table of steps: by frames, by searches and by both checkers."""

from __future__ import annotations

import chess
import pytest

from tbgen.apps.hold.check import check
from tbgen.apps.hold.check_large import check_large
from tbgen.apps.hold.closure import Attempt, Found, Searcher
from tbgen.apps.hold.frame_play import strategy_of
from tbgen.apps.hold.frames import Pair, solve
from tbgen.apps.hold.goals import Goal
from tbgen.apps.hold.strategy import Rung
from tbgen.rules.position import own_score
from tbgen.score import Accrued, Color, parse_score

WHITE = Color.WHITE
ROOK = "6k1/8/6K1/8/8/8/8/R7 w - - 9 9"
QUEEN = "7k/Q7/8/8/8/4p2p/4Pp1P/5K2 w - - 9 9"
PAWN = "8/8/8/8/8/7k/7p/7K b - - 9 9"

FRAMES = [
    ("the holder mates", ROOK, "a1 g8", "-G0.5", None),
    ("the holder mates, for a score of its own", ROOK, "a1 g8", "G2.5", None),
    ("the holder stalemates", QUEEN, "a7 h8", "-G3.0", None),
    ("the other side mates", "6K1/8/6k1/8/8/8/8/r7 b - - 9 9", "g8 a1", "-G0.5", 1),
]
WIDER = [
    ("the holder is stalemated, which is a draw", PAWN, "-G0.5", Found.HELD),
    ("the holder is stalemated, which is less than G1.0", PAWN, "-G1.0", Found.REFUTED),
    ("the holder is mated", "6K1/8/6k1/8/8/8/8/r7 b - - 9 9", "-G0.5", Found.REFUTED),
]


def asked(fen: str, goal: str) -> tuple[chess.Board, Goal, Accrued]:
    """A position, a goal of White, and what has accrued: the goal itself, unless the own score is as good."""
    board, wanted = chess.Board(fen), Goal(WHITE, parse_score(goal).outcome)
    own = own_score(board)
    return board, wanted, own if wanted.is_met_by(own) else wanted.outcome.accrued


@pytest.mark.parametrize(
    ("fen", "men", "goal", "plies"), [case[1:] for case in FRAMES], ids=[case[0] for case in FRAMES]
)
def test_the_end_of_a_game_in_a_frame(fen: str, men: str, goal: str, plies: int | None) -> None:
    board, wanted, accrued = asked(fen, goal)
    pair = Pair(*(chess.parse_square(name) for name in men.split()))
    frame, searcher, attempt = solve(board, wanted, accrued, pair), Searcher(20_000), Attempt(Rung.FRAME, *pair)
    assert frame.root_plies == plies
    found = searcher.search(board, wanted, accrued, attempt, None, lambda _: None)
    assert found is (Found.HELD if plies is None else Found.REFUTED)
    if found is Found.HELD:
        for strategy in (strategy_of(frame, accrued), searcher.strategy(board, wanted, accrued, attempt)):
            assert check(strategy) == check_large(strategy)


@pytest.mark.parametrize(("fen", "goal", "expected"), [case[1:] for case in WIDER], ids=[case[0] for case in WIDER])
def test_the_end_of_a_game_where_one_man_holds(fen: str, goal: str, expected: Found) -> None:
    board, wanted, accrued = asked(fen, goal)
    king = board.king(chess.WHITE)
    searcher, attempt = Searcher(20_000), Attempt(Rung.ONE_MAN, king, None)
    assert searcher.search(board, wanted, accrued, attempt, None, lambda _: None) is expected
    if expected is Found.HELD:
        strategy = searcher.strategy(board, wanted, accrued, attempt)
        assert check(strategy) == check_large(strategy)
