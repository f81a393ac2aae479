"""Closed sets against the greatest one, found slowly, and against the values of tables."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import chess
import numpy as np
import pytest

from tbgen.apps.hold.answers import HoldBracket
from tbgen.apps.hold.check import check
from tbgen.apps.hold.closed_set_kernels import ALL, ANY_MAN, CAPTURES, QUIET, HoldTask, is_allowed
from tbgen.apps.hold.closed_sets import Attempt, HoldSearch, HoldVerdict
from tbgen.apps.hold.ladder import hold
from tbgen.apps.hold.strategy import Goal, Rung, Strategy
from tbgen.board.board import packed_move, words_of
from tbgen.probe import Tablebase, open_tablebase
from tbgen.rules.position import own_score
from tbgen.score import Color, Score
from tests.apps.hold.classics import asked
from tests.copies import copy_tables
from tests.positions import random_root
from tests.reference.hold import can_keep

CAGES = [
    "k7/p1p1p1p1/P1P1P1P1/8/8/p1p1p1p1/P1P1P1P1/K7 w - - 9 9",
    "3k4/p1p1p1p1/P1P1P1P1/8/8/p1p1p1p1/P1P1P1P1/6K1 b - - 9 9",
    "6k1/p1p1p1p1/P1P1P1P1/8/8/p1p1p1p1/P1P1P1P1/6K1 w - - 9 9",
]
NARROW = [
    "1k1b4/p1p1p1p1/P1P1P1P1/8/8/p1p1p1p1/P1P1P1P1/1K1B4 w - - 9 9",
    "1k1b4/p1p1p1p1/P1P1P1P1/8/8/p1p1p1p1/P1P1P1P1/K2B4 b - - 9 9",
    "1k1b4/p1p1p1p1/P1P1P1P1/8/8/p1p1p1p1/P1P1P1P1/6K1 w - - 9 9",
]
"""A king in three squares cannot stay where it has two moves.

So goals are refuted that the accrued score meets.
"""


@pytest.mark.parametrize(
    ("fen", "is_narrow"), [*((fen, False) for fen in CAGES), *((fen, True) for fen in NARROW)]
)
def test_a_search_with_all_men_decides_what_can_be_kept_at_all_times(
    fen: str, is_narrow: bool
) -> None:
    board = chess.Board(fen)
    own = own_score(chess.Board(fen))
    searcher = HoldSearch(200_000)
    goals = [
        Goal(side, Score(code, holder))
        for side in Color
        for holder in Color
        for code in (3, 4, 5, 7)
    ]
    seen = Counter[bool]()
    for goal in (goal for goal in goals if goal.is_met_by(own)):
        found = searcher.search(board, goal, own, Attempt(Rung.ALL))
        real, wanted = ((each.code, each.holder is Color.WHITE) for each in (own, goal.outcome))
        kept = can_keep(board, real, wanted, goal.side is Color.WHITE)
        assert isinstance(found, Strategy) if kept else found is HoldVerdict.BROKEN, goal
        seen[kept] += 1
    assert seen[True] > 0
    assert (seen[False] > 0) == is_narrow


@pytest.fixture(scope="module")
def bare_kings(table_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tablebase]:
    """The table of two men alone, which captures of three men lead to."""
    folder = tmp_path_factory.mktemp("kings")
    copy_tables(table_folder, folder, "KvK")
    with open_tablebase(folder) as tables:
        yield tables


def test_nothing_false_is_proved_of_three_men_and_much_that_is_true(
    table_folder: Path, bare_kings: Tablebase
) -> None:
    """Goals are the value, and a step better than it, with random scores.

    The search may use tables of two men.
    """
    seed = random.Random(3)
    proved = Counter[str]()
    with open_tablebase(table_folder) as truth:
        for number in range(40):
            board = random_root(seed, "Kk" + "BNRQPbnrqp"[number % 10])
            own = own_score(board)
            accrued = Score(seed.randrange(2, max(3, min(own.code, 17))), seed.choice(list(Color)))
            value = (
                truth.get(board, own if number % 2 else accrued)
                if accrued.code % 2 or number % 2
                else None
            )
            if value is None:
                continue
            for side in Color:
                step = -1 if value.outcome.holder is side else 1
                better = Score(max(0, value.outcome.code + step), value.outcome.holder)
                for kind, outcome in (("false", better), ("true", value.outcome)):
                    if outcome.code > 0 and Goal(side, outcome).is_met_by(value.accrued):
                        found = hold(
                            board,
                            side,
                            goal=outcome,
                            accrued=value.accrued,
                            tables=bare_kings,
                            nodes=2000,
                        )
                        proved[kind] += 1
                        proved[f"{kind} held"] += found.is_held
    assert proved["false held"] == 0
    assert proved["false"] > 20
    assert proved["true held"] >= 5


def test_brackets_hold_the_value_between_them(table_folder: Path, bare_kings: Tablebase) -> None:
    seed = random.Random(8)
    with open_tablebase(table_folder) as truth:
        for men in ("KkB", "Kkn"):
            board = random_root(seed, men)
            sides = (
                hold(board, side, goal="best", tables=bare_kings, nodes=1000) for side in Color
            )
            found = HoldBracket(*sides)
            value = truth.probe(board)
            assert found.low <= value.outcome <= found.high
            assert found.value in (None, value.outcome)


@pytest.mark.parametrize(
    ("move", "mover", "kinds"),
    [
        ((chess.E1, chess.E2), ANY_MAN, {QUIET, CAPTURES, ALL}),
        ((chess.E1, chess.E2), chess.E1, {QUIET, CAPTURES, ALL}),
        ((chess.E1, chess.E2), chess.H1, set()),
        ((chess.H1, chess.H7), ANY_MAN, {CAPTURES, ALL}),
        ((chess.A2, chess.A3), ANY_MAN, {ALL}),
        ((chess.E1, chess.H1), ANY_MAN, {ALL}),
    ],
)
def test_men_that_hold_may_play_what_their_rung_allows(
    move: tuple[int, int], mover: int, kinds: set[int]
) -> None:
    key = words_of(chess.Board("4k3/7p/8/8/8/8/P7/4K2R w K - 0 1"))
    packed = packed_move(*move, 0)
    key = np.append(key, np.array([0, mover], np.uint64))
    for kind in (QUIET, CAPTURES, ALL):
        task = HoldTask(0, 2, True, kind, np.uint64(0))
        assert bool(cast("Any", is_allowed).py_func(key, task, packed)) == (kind in kinds), kind


WIDER = [
    ("the holder is stalemated, which is a draw", "8/8/8/8/8/7k/7p/7K b - - 9 9", "-G0.5", True),
    (
        "the holder is stalemated, which is less than G1.0",
        "8/8/8/8/8/7k/7p/7K b - - 9 9",
        "-G1.0",
        False,
    ),
    ("the holder is mated", "6K1/8/6k1/8/8/8/8/r7 b - - 9 9", "-G0.5", False),
]


@pytest.mark.parametrize(
    ("fen", "goal", "expected"), [case[1:] for case in WIDER], ids=[case[0] for case in WIDER]
)
def test_the_end_of_a_game_where_one_man_holds(fen: str, goal: str, expected: bool) -> None:
    board, wanted, accrued = asked(fen, Color.WHITE, goal)
    king = board.king(chess.WHITE)
    assert king is not None
    found = HoldSearch(20_000).search(board, wanted, accrued, Attempt(Rung.ONE_MAN, king))
    assert isinstance(found, Strategy) if expected else found is HoldVerdict.BROKEN
    if isinstance(found, Strategy):
        check(found)
