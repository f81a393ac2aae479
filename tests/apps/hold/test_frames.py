"""Frames, and the search of them, against the slow reference, position by position."""

from __future__ import annotations

import random
from collections.abc import Iterator

import chess
import pytest

from tbgen.apps.hold.answers import check_strategy
from tbgen.apps.hold.closed_set_kernels import THRESHOLD
from tbgen.apps.hold.closed_sets import Attempt, Frame, HoldVerdict, all_frames, searcher_of
from tbgen.apps.hold.strategy import Goal, Rung, Strategy
from tbgen.score import Color, Score
from tests.apps.hold.classics import FINE_70, asked
from tests.reference.hold import SlowFrame

WHITE, BLACK = Color.WHITE, Color.BLACK
FRAMES = [
    ("kings", FINE_70.format("w"), BLACK, "a7", "a1", "draw"),
    (
        "kings for a score",
        "8/8/1p1k4/1Pp1p1p1/2PpPpPp/3P1P1P/1K6/8 w - - 9 1",
        WHITE,
        "b2",
        "d6",
        "-G5.5",
    ),
    ("rook and king", "7k/R7/8/8/8/4p2p/4Pp1P/5K2 w - - 0 1", WHITE, "a7", "h8", "-G0.5"),
    (
        "queen and king for a score of her own",
        "6k1/6p1/8/p6Q/8/2r5/1q4PP/7K w - - 9 1",
        WHITE,
        "h5",
        "g8",
        "G4.0",
    ),
    ("bishop and knight", "k7/p1p5/P1P5/8/3n4/4B3/p1p5/K7 w - - 0 1", WHITE, "e3", "d4", "-G1.5"),
    ("knight and bishop", "k7/p1p5/P1P5/8/3n4/4B3/p1p5/K7 w - - 0 1", BLACK, "d4", "e3", "G1.5"),
    ("queen and rook", "4k3/4p3/4P3/8/Q7/8/6r1/K7 b - - 0 1", BLACK, "g2", "a4", "G2.5"),
    ("a king that can be stalemated", "8/8/8/8/8/5k2/5p2/5K2 b - - 9 9", WHITE, "f1", "f3", "draw"),
]
CASES = pytest.mark.parametrize(
    ("fen", "side", "b", "c", "goal"),
    [case[1:] for case in FRAMES],
    ids=[case[0] for case in FRAMES],
)
DEAR = ("kings", "kings for a score", "rook and king", "queen and king for a score of her own")
"""Frames that the slow reference takes long for."""
CASES_OF_REFERENCE = pytest.mark.parametrize(
    ("fen", "side", "b", "c", "goal"),
    [
        pytest.param(*case[1:], id=case[0], marks=[pytest.mark.slow] if case[0] in DEAR else [])
        for case in FRAMES
    ],
)
SIDES_TO_MOVE = pytest.mark.parametrize("turn", [chess.WHITE, chess.BLACK])


def frame_of(b: str, c: str) -> Attempt:
    return Attempt(Rung.FRAME, chess.parse_square(b), chess.parse_square(c))


def searched(board: chess.Board, goal: Goal, accrued: Score, attempt: Attempt) -> Strategy | None:
    """The strategy of a frame that the search finds to hold."""
    found = searcher_of(goal, accrued).search(board, goal, accrued, attempt)
    assert found is not HoldVerdict.UNKNOWN
    return found if isinstance(found, Strategy) else None


def placed(
    board: chess.Board, first: Attempt, number: int
) -> Iterator[tuple[chess.Board, Attempt]]:
    """The two men of a frame on random squares, with either side to move.

    The first time they stand where they are.
    """
    yield board, first
    men = [board.piece_at(square) for square in first[1:]]
    draw = random.Random(6)
    for _ in range(number):
        moved = board.copy(stack=False)
        for square in first[1:]:
            moved.remove_piece_at(square)
        where = Attempt(Rung.FRAME, *draw.sample([*chess.SquareSet(~moved.occupied)], 2))
        for square, man in zip(where[1:], men, strict=True):
            moved.set_piece_at(square, man)
        moved.turn = draw.random() < 0.5
        if not moved.was_into_check():
            yield moved, where


@CASES_OF_REFERENCE
def test_every_position_of_a_frame_is_as_the_slow_reference_has_it(
    fen: str, side: Color, b: str, c: str, goal: str
) -> None:
    board, wanted, accrued = asked(fen, side, goal)
    threshold = wanted.threshold(accrued)
    first = frame_of(b, c)
    slow = SlowFrame(board, side is WHITE, *first[1:])
    expected = slow.plies(threshold)
    plies = dict[tuple[int, int, bool], int | None]()
    for moved, where in placed(board, first, 400):
        frame = Frame(moved, wanted, accrued, where)
        plies |= {
            (*frame.squares_of(node), holds): frame.plies[node]
            for node, holds in enumerate(frame.is_holders)
            if frame.keys[node, THRESHOLD] == threshold
        }
    broken = {
        state for state in plies if state[2] and slow.codes[state] < threshold
    }  # by the other side's arrival
    assert {state for state, found in plies.items() if found != expected[state]} <= broken
    assert len(plies) - len(broken) > 100
    assert len(set(plies.values())) > 2


@CASES
@SIDES_TO_MOVE
def test_the_search_finds_that_a_frame_holds_exactly_if_there_is_no_way_out(
    fen: str, side: Color, b: str, c: str, goal: str, turn: chess.Color
) -> None:
    board, _, _ = asked(fen, side, goal)
    board.turn = turn
    if board.is_valid() and any(board.legal_moves):
        board, wanted, accrued = asked(board.fen(), side, goal)
        frame = Frame(board, wanted, accrued, frame_of(b, c))
        strategy = searched(board, wanted, accrued, frame_of(b, c))
        assert (frame.plies[0] is None) == (strategy is not None)
        assert len(frame.way_out()) == (frame.plies[0] or 0)
        if strategy is not None:
            assert check_strategy(strategy).checked.positions > 0


ENDS = [
    ("the holder mates", "6k1/8/6K1/8/8/8/8/R7 w - - 9 9", "a1", "g8", "-G0.5"),
    (
        "the holder mates, for a score of its own",
        "6k1/8/6K1/8/8/8/8/R7 w - - 9 9",
        "a1",
        "g8",
        "G2.5",
    ),
    ("the holder stalemates", "7k/Q7/8/8/8/4p2p/4Pp1P/5K2 w - - 9 9", "a7", "h8", "-G3.0"),
    ("the other side mates", "6K1/8/6k1/8/8/8/8/r7 b - - 9 9", "g8", "a1", "-G0.5"),
    (
        "the holder is stalemated, which is a draw",
        "8/8/8/8/8/5p2/5k2/7K b - - 9 9",
        "h1",
        "f2",
        "-G0.5",
    ),
    ("a score that a stalemate breaks", "7K/8/5k2/7p/7P/8/8/8 b - - 9 9", "h8", "f6", "-G1.5"),
]


@pytest.mark.parametrize(
    ("fen", "b", "c", "goal"), [end[1:] for end in ENDS], ids=[end[0] for end in ENDS]
)
def test_the_end_of_a_game_in_a_frame(fen: str, b: str, c: str, goal: str) -> None:
    board, wanted, accrued = asked(fen, WHITE, goal)
    attempt = frame_of(b, c)
    slow = SlowFrame(board, chess.WHITE, *attempt[1:]).plies(wanted.threshold(accrued))
    expected = slow[*attempt[1:], board.turn == chess.WHITE]
    strategy = searched(board, wanted, accrued, attempt)
    assert Frame(board, wanted, accrued, attempt).plies[0] == expected
    assert (strategy is None) == (expected is not None)
    if strategy is not None:
        check_strategy(strategy)


@pytest.mark.parametrize(
    ("fen", "start"),
    [("7k/8/8/8/3K4/8/8/r7 b - - 9 9", "R"), ("7k/6N1/8/8/3K4/8/8/8 b - - 9 9", "Kxg7")],
)
def test_a_way_out_ends_with_a_move_of_another_man_or_a_reset(fen: str, start: str) -> None:
    board, wanted, accrued = asked(fen, WHITE, "draw")
    (exit_move,) = Frame(board, wanted, accrued, frame_of("d4", "h8")).way_out()
    assert exit_move.startswith(start)


CASTLING = [
    (side, *pair.split(), turn, "draw" if turn else "-G7.5")
    for side, pairs in (
        (WHITE, ("e1 e8", "e1 a8", "h1 e8", "h1 a8")),
        (BLACK, ("e8 e1", "e8 h1", "a8 e1", "a8 h1")),
    )
    for pair, turn in zip(pairs, (chess.WHITE, chess.BLACK, chess.BLACK, chess.WHITE), strict=True)
]


@pytest.mark.parametrize(("side", "b", "c", "turn", "goal"), CASTLING)
def test_castling_rights_of_the_men_of_a_frame_count_until_they_move(
    side: Color, b: str, c: str, turn: chess.Color, goal: str
) -> None:
    board = chess.Board("r3k3/pp4pp/PP4PP/8/8/pp4pp/PP4PP/4K2R w Kq - 0 1")
    board.turn = turn
    assert set(all_frames(board, side)[0][1:]) == {chess.E1, chess.E8}
    _, wanted, accrued = asked(board.fen(), side, goal)
    frame = Frame(board, wanted, accrued, frame_of(b, c))
    assert (frame.plies[0] is None) == (searched(board, wanted, accrued, frame.attempt) is not None)
