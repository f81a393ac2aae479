"""The checkers: what is right passes both, what is wrong passes neither."""

from __future__ import annotations

import dataclasses
import itertools
import random
import re

import chess
import numpy as np
import pytest

from tbgen.apps.hold.check import check
from tbgen.apps.hold.check_large import _position, check_large
from tbgen.apps.hold.frame_play import strategy_of
from tbgen.apps.hold.frames import Pair, solve
from tbgen.apps.hold.goals import Goal
from tbgen.apps.hold.ladder import hold
from tbgen.apps.hold.mailbox import MOST_MOVES, SIZE, in_check, legal_moves, play
from tbgen.apps.hold.strategy import Strategy, parse_strategy
from tbgen.errors import ProofError
from tbgen.rules.position import own_score
from tbgen.score import Accrued, Color, Outcome, parse_score
from tests.apps.hold.classics import CLASSICS, SHUT, Classic

CHECKERS = [check, check_large]
SMALL = [each for each in CLASSICS if each.positions < 200]


def strategy_for(fen: str, side: Color, goal: str) -> Strategy:
    found = hold(chess.Board(fen), side, goal=goal if goal == "draw" else parse_score(goal))
    assert found.proof is not None
    return found.proof.strategy


@pytest.mark.parametrize("classic", SMALL, ids=lambda each: each.name)
def test_both_checkers_look_at_the_same(classic: Classic) -> None:
    strategy = strategy_for(classic.fen, classic.side, "draw")
    assert check(strategy) == check_large(strategy)


def test_both_checkers_look_at_the_same_where_scores_count() -> None:
    strategy = strategy_for(SHUT, Color.WHITE, "-G7.5")
    assert {threshold for _, threshold in strategy.moves} == {7, 9, 15}
    assert check(strategy) == check_large(strategy)
    assert check(strategy).positions > 100


@pytest.mark.parametrize("checker", CHECKERS)
def test_a_strategy_that_lacks_a_move_is_refused(checker: object) -> None:
    assert callable(checker)
    strategy = strategy_for(SHUT, Color.WHITE, "draw")
    for place in strategy.moves:
        less = {each: move for each, move in strategy.moves.items() if each != place}
        with pytest.raises(ProofError, match="it has no move for"):
            checker(dataclasses.replace(strategy, moves=less))


@pytest.mark.parametrize("checker", CHECKERS)
def test_a_strategy_with_an_illegal_move_is_refused(checker: object) -> None:
    assert callable(checker)
    strategy = strategy_for(CLASSICS[0].fen, Color.WHITE, "draw")
    for place in strategy.moves:
        with pytest.raises(ProofError, match="is illegal in"):
            checker(dataclasses.replace(strategy, moves={**strategy.moves, place: chess.Move.from_uci("h1h8")}))


@pytest.mark.parametrize("checker", CHECKERS)
def test_a_strategy_that_promises_more_than_it_keeps_is_refused(checker: object) -> None:
    """The same moves, a better goal: the thresholds of the strategy stand, what accrues is too bad."""
    assert callable(checker)
    strategy = strategy_for(SHUT, Color.WHITE, "draw")
    kept = []
    for code in range(1, 16):
        try:
            kept.append(bool(checker(rethresholded(strategy, Goal(Color.WHITE, Outcome(Color.BLACK, code))))))
        except ProofError:
            kept.append(False)
    assert kept == sorted(kept, reverse=True), "what is kept keeps all that is worse"
    assert 0 < sum(kept) < 15


def rethresholded(strategy: Strategy, goal: Goal) -> Strategy:
    """The strategy with another goal, which has a move wherever the old one has with any threshold."""
    moves = {
        (place, threshold): move
        for (place, _), move in strategy.moves.items()
        for threshold in range(goal.outcome.code + 1)
    }
    return dataclasses.replace(strategy, goal=goal, moves=moves)


@pytest.mark.parametrize("checker", CHECKERS)
def test_a_score_that_is_missed_from_the_beginning_is_refused(checker: object) -> None:
    assert callable(checker)
    strategy = strategy_for(SHUT, Color.WHITE, "draw")
    with pytest.raises(ProofError, match=r"-G0\.0 is worse for White than -G0\.5"):
        checker(dataclasses.replace(strategy, accrued=Accrued(0, Color.BLACK)))


@pytest.mark.parametrize("checker", CHECKERS)
@pytest.mark.parametrize("fen", [SHUT, "7k/8/8/8/8/8/6q1/6rK w - - 0 1", "7k/8/8/8/8/6q1/8/7K w - - 0 1"])
def test_a_score_that_cannot_have_accrued_where_a_strategy_begins_is_refused(checker: object, fen: str) -> None:
    """Else a file says of somebody who is mated that a score is kept."""
    assert callable(checker)
    board, empty = chess.Board(fen), strategy_for(SHUT, Color.WHITE, "draw")
    own, goal = own_score(board), Goal(Color.WHITE, Outcome(Color.BLACK, 1))
    for accrued in (Accrued(own.code + 1, Color.BLACK), Accrued(own.code + 1, Color.WHITE)):
        with pytest.raises(ProofError, match=re.escape(f"{accrued} cannot have accrued in {fen}")):
            checker(dataclasses.replace(empty, board=board, accrued=accrued, goal=goal))


@pytest.mark.parametrize("classic", SMALL, ids=lambda each: each.name)
def test_proofs_with_thresholds_that_are_too_low_are_refused(classic: Classic) -> None:
    """A frame is told of a goal that is broken later: it proves too much, and is found out."""
    board, accrued = chess.Board(classic.fen), own_score(chess.Board(classic.fen))
    pair = Pair(*(chess.parse_square(man[1:]) for man in classic.men))
    goals = [Goal(classic.side, Outcome(classic.side.other, code)) for code in range(1, min(accrued.code, 16))]
    frames = [solve(board, goal, accrued, pair) for goal in goals if goal.is_met_by(accrued)]
    refused = 0
    for believed, claimed in itertools.pairwise(frames):
        if believed.root_plies is None and claimed.root_plies is not None:
            strategy = rethresholded(strategy_of(believed, accrued), claimed.goal)
            for checker in CHECKERS:
                with pytest.raises(ProofError):
                    checker(strategy)
            refused += 1
    assert refused == (frames[-1].root_plies is not None), "the goals that are kept are those up to a certain one"


def test_the_checkers_own_chess_is_chess() -> None:
    """Random games, all moves of each position, against python-chess; rights to castle are left out."""
    seed, buffers, moves = random.Random(64), np.zeros((3, SIZE), np.int8), np.zeros(MOST_MOVES, np.int64)
    for _ in range(12):
        board = chess.Board()
        board.castling_rights = 0
        for _ in range(80):
            legal = list(board.legal_moves)
            position = _position(board.epd(en_passant="legal"))
            found = moves[: legal_moves(position, buffers[0], moves)].tolist()
            expected = [move.from_square + 64 * move.to_square + 4096 * (move.promotion or 0) for move in legal]
            assert sorted(found) == sorted(expected), board.fen()
            assert in_check(position, position[64]) == board.is_check()
            if not legal:
                break
            move = seed.choice(legal)
            number = move.from_square + 64 * move.to_square + 4096 * (move.promotion or 0)
            assert play(position, number, buffers[1], buffers[2]) == board.is_zeroing(move)
            board.push(move)
            assert buffers[1].tolist() == _position(board.epd(en_passant="legal")).tolist(), board.fen()


def test_a_strategy_comes_back_from_its_file() -> None:
    strategy = strategy_for(SHUT, Color.WHITE, "-G7.5")
    again = parse_strategy(strategy.text())
    assert (again.moves, again.leaves, again.goal) == (strategy.moves, strategy.leaves, strategy.goal)
    assert (again.accrued, again.rung, again.men) == (strategy.accrued, strategy.rung, strategy.men)
    assert again.text() == strategy.text()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "Expecting value"),
        ("[]", "its format is not"),
        ('{"format": "tbgen strategy 1"}', "it lacks 'fen'"),
        ('{"format": "tbgen strategy 1", "fen": "nonsense"}', "malformed FEN"),
    ],
)
def test_a_file_that_is_no_strategy_is_an_error_of_one_line(text: str, reason: str) -> None:
    with pytest.raises(ProofError, match=reason) as caught:
        parse_strategy(text, "file.json")
    assert str(caught.value).startswith("file.json is wrong: ")
    assert "\n" not in str(caught.value)
