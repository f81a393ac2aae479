"""The checker: what is right passes, what is wrong does not."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import json
import re

import chess
import pytest

from tbgen.apps.hold.check import check
from tbgen.apps.hold.ladder import hold
from tbgen.apps.hold.strategy import Goal, Strategy, parse_strategy
from tbgen.errors import ProofError
from tbgen.rules.position import own_score
from tbgen.score import Color, Score
from tests.apps.hold.classics import CLASSICS, SHUT, Classic


def strategy_for(fen: str, side: Color, goal: str) -> Strategy:
    found = hold(chess.Board(fen), side, goal=goal if goal == "draw" else Score(goal))
    assert found.proof is not None
    return found.proof.strategy


def test_a_strategy_that_lacks_a_move_or_has_an_illegal_one_is_refused() -> None:
    strategy = strategy_for(CLASSICS[0].fen, Color.WHITE, "draw")
    for place in strategy.moves:
        less = {each: move for each, move in strategy.moves.items() if each != place}
        for moves, told in (
            (less, "it has no move for"),
            (less | {place: chess.Move.from_uci("h1h8")}, "is illegal"),
        ):
            with pytest.raises(ProofError, match=told):
                check(dataclasses.replace(strategy, moves=moves))


def test_a_strategy_that_promises_more_than_it_keeps_is_refused() -> None:
    """The moves and thresholds stay, and the goal is better: the accrued score is too bad."""
    strategy = strategy_for(SHUT, Color.WHITE, "draw")
    kept = [False] * 15
    for code in range(1, 16):
        with contextlib.suppress(ProofError):
            kept[code - 1] = bool(
                check(rethresholded(strategy, Goal(Color.WHITE, Score(code, Color.BLACK))))
            )
    assert kept == sorted(kept, reverse=True), "what is kept keeps all that is worse"
    assert 0 < sum(kept) < 15


def rethresholded(strategy: Strategy, goal: Goal) -> Strategy:
    """The strategy with another goal.

    It has a move wherever the old one has one with any threshold.
    """
    moves = {
        (place, threshold): move
        for (place, _), move in strategy.moves.items()
        for threshold in range(goal.outcome.code + 1)
    }
    return dataclasses.replace(strategy, goal=goal, moves=moves)


@pytest.mark.parametrize(
    "fen", [SHUT, "7k/8/8/8/8/8/6q1/6rK w - - 0 1", "7k/8/8/8/8/6q1/8/7K w - - 0 1"]
)
def test_a_score_that_cannot_have_accrued_where_a_strategy_begins_is_refused(fen: str) -> None:
    """Else a file says of somebody who is mated that a score is kept."""
    board = chess.Board(fen)
    empty = strategy_for(SHUT, Color.WHITE, "draw")
    own = own_score(board)
    goal = Goal(Color.WHITE, Score(1, Color.BLACK))
    for accrued in (Score(own.code + 1, Color.BLACK), Score(own.code + 1, Color.WHITE)):
        with pytest.raises(ProofError, match=re.escape(f"{accrued} cannot have accrued in {fen}")):
            check(dataclasses.replace(empty, board=board, accrued=accrued, goal=goal))


@pytest.mark.parametrize("classic", CLASSICS[:3], ids=lambda each: each.name)
def test_proofs_with_thresholds_that_are_too_low_are_refused(classic: Classic) -> None:
    """The search is told of a goal that is broken later: it proves too much, and is found out."""
    board = chess.Board(classic.fen)
    accrued = own_score(chess.Board(classic.fen))
    goals = [
        Goal(classic.side, Score(code, classic.side.other))
        for code in range(1, min(accrued.code, 16))
    ]
    found = [
        hold(board, classic.side, goal=goal.outcome, nodes=1)
        for goal in goals
        if goal.is_met_by(accrued)
    ]
    refused = 0
    for believed, claimed in itertools.pairwise(found):
        if believed.proof is not None and claimed.proof is None:
            with pytest.raises(ProofError):
                check(rethresholded(believed.proof.strategy, claimed.goal))
            refused += 1
    assert refused == (found[-1].proof is None), (
        "the goals that are kept are those up to a certain one"
    )


def test_a_strategy_comes_back_from_its_file() -> None:
    strategy = strategy_for(SHUT, Color.WHITE, "-G7.5")
    again = parse_strategy(strategy.text())
    for name in ("moves", "leaves", "goal", "accrued", "rung", "men"):
        assert getattr(again, name) == getattr(strategy, name)
    assert again.text() == strategy.text()


EMPTY: dict[str, object] = {
    "format": "tbgen strategy 1",
    "fen": "8/8/8/8/8/8/8/K6k w - - 0 1",
    "accrued": "G1.5",
    "side": "white",
    "goal": "-G0.5",
    "rung": "frame",
    "men": ["Ka1", "Kh1"],
    "moves": [],
    "tables": [],
}


def written(**changed: object) -> str:
    """A file with a strategy of no moves, with some of its facts changed."""
    return json.dumps(EMPTY | changed)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "Expecting value"),
        ("[]", "its format is not 'tbgen strategy 1'"),
        ('{"format": "tbgen strategy 1"}', "it lacks fen"),
        (written(fen="nonsense"), "malformed FEN"),
        (written(fen="8/8/8/8/8/8/8/K7 w - - 0 1"), "Black has no king"),
        (written(fen=None), "fen is None, not a text"),
        (
            written(moves=[["8/8/8/8/8/8/8/K6k w - -", float("nan"), "a1a2"]]),
            "is nan, not a whole number",
        ),
        (
            written(moves=[["8/8/8/8/8/8/8/K6k w - -", float("inf"), "a1a2"]]),
            "is inf, not a whole number",
        ),
        (written(moves=[["8/8/8/8/8/8/8/K6k w - -", 1]]), r"moves\[0\] is .*, not a list of 3"),
        (
            written(moves=[["8/8/8/8/8/8/8/K6k w - -", 1, "a1a2", 0]]),
            r"moves\[0\] is .*, not a list of 3",
        ),
        (written(moves=[["8/8/8/8/8/8/8/K6k w - -", 1, "a1"]]), "a1"),
        (written(tables="KvK"), "tables is 'KvK', not a list"),
        (written(side="both"), "side is 'both', not white or black"),
        (written(rung="ladder"), "ladder"),
        ("[" * 100_000, "nested too deep"),
    ],
)
def test_a_file_that_is_no_strategy_is_an_error_of_one_line(text: str, reason: str) -> None:
    with pytest.raises(ProofError, match=reason) as caught:
        parse_strategy(text, "file.json")
    assert str(caught.value).startswith("file.json is wrong: ")
    assert "\n" not in str(caught.value)
