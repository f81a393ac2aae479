"""The ladder: more and more men move, until a search finds a proof that the check confirms.

>>> board = chess.Board("6k1/6p1/8/p6Q/8/2r5/1q4PP/7K w - - 0 1")
>>> found = hold(board, Color.WHITE, goal="draw")
>>> found.verdict.value, found.proof.strategy.men, found.proof.checked.positions
('held', ('Qh5', 'Kg8'), 4)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import chess

from tbgen.apps.hold import DEFAULT_NODES, MOST_NODES
from tbgen.apps.hold.answers import Escape, Holding, check_strategy
from tbgen.apps.hold.closed_sets import (
    Attempt,
    Frame,
    HoldSearch,
    HoldVerdict,
    WatchNodes,
    all_frames,
    searcher_of,
)
from tbgen.apps.hold.strategy import Goal, Rung, Strategy, not_mated
from tbgen.errors import UsageError, expect, expect_number
from tbgen.probe import Tablebase
from tbgen.rules.notation import broken_rule
from tbgen.rules.position import accrued_in, accrued_of, bare_sides, expect_board, own_score
from tbgen.score import Color, Score, expect_color, expect_score

_MOST_MOVES_CODE = 437
"""No position has more than 218 moves."""


def hold(
    board: chess.Board,
    side: Color,
    *,
    goal: Score | str = "accrued",
    accrued: Score | str | None = None,
    tables: Tablebase | None = None,
    nodes: int = DEFAULT_NODES,
    wide: bool = False,
    watch: WatchNodes | None = None,
) -> Holding:
    """Try to prove that a side keeps a goal after every ply, whatever the other side plays.

    Arguments:
        board: The position.
        side: The side that keeps the goal.
        goal: An outcome; or "accrued" for the accrued score, "draw" for not being mated, "best" for
            the best provable.
        accrued: The accrued score. Without it, the moves on the board give the score.
        tables: Resets into these tables count by their value. The proof then ignores the fifty-move
            rule.
        nodes: The most positions of a search.
        wide: Try to move all men of the side as well.
        watch: A search calls it with the number of positions that it has added.

    Returns:
        The verdict with its proof, or with the way out. A goal without a proof may still hold.

    Raises:
        UsageError: The position is illegal, the game is over, or the accrued score is already worse
            than the goal.
        AccruedError: No game can carry this accrued score into the position.
        ProofError: The check refutes a proof that the search found.

    >>> board = chess.Board("6k1/6p1/8/p6Q/8/2r5/1q4PP/7K w - - 0 1")
    >>> found = hold(board, Color.WHITE, goal="draw")
    >>> found.is_held, found.proof.strategy.rung.value
    (True, 'frame')
    """
    rule = broken_rule(expect_board(board))
    if rule is not None:
        raise UsageError(f"board is illegal: {rule}")
    if not any(board.legal_moves):
        raise UsageError("the game is over: there is nothing left to hold")
    expect_number(nodes, "nodes", 1, MOST_NODES)
    if tables is not None:
        expect(tables, Tablebase, "tables", "an open Tablebase")
    if accrued is None:
        score = accrued_of(board)
    else:
        given = expect_score(accrued, "accrued")
        score = accrued_in(given, own_score(board), bare_sides(board))
    expect_color(side, "side")
    frames = all_frames(board, side)
    searcher = HoldSearch(nodes, tables=tables, watch=watch)
    ladder = _Ladder(board.copy(stack=False), score, frames, searcher, wide)
    if goal == "best":
        return ladder.best(side)
    wanted = _goal_of(goal, side, score)
    return ladder.holding(wanted, wanted, ladder.climb(wanted))


def _goal_of(goal: Score | str, side: Color, accrued: Score) -> Goal:
    """The goal of an outcome or a word."""
    if goal == "accrued":
        wanted = Goal(side, accrued)
    elif goal == "draw":
        wanted = not_mated(side)
    elif isinstance(goal, str):
        raise UsageError(f"goal must be an outcome or one of accrued, best, draw, not {goal!r}")
    else:
        wanted = Goal(side, expect_score(goal, "goal"))
    if not wanted.is_met_by(accrued):
        raise UsageError(
            f"{accrued} has accrued, which is already worse for {side} than {wanted.outcome}"
        )
    return wanted


@dataclass(eq=False)
class _Ladder:
    """A position, and the limits of the searches."""

    board: chess.Board
    accrued: Score
    frames: Sequence[Attempt]
    searcher: HoldSearch
    """The nodes of all rungs but the first."""
    wide: bool

    def best(self, side: Color) -> Holding:
        """The best provable goal, by bisection: who keeps an outcome keeps all worse ones."""
        goals = [Goal(side, outcome) for outcome in _outcomes(side, self.accrued)]
        # The first outcome needs no proof.
        kept = 0
        missed = len(goals)
        best_goal = goals[0]
        best_answer: Strategy | HoldVerdict = HoldVerdict.UNKNOWN
        at = missed - 1
        while missed - kept > 1:
            answer = self.climb(goals[at])
            is_proved = isinstance(answer, Strategy)
            if is_proved or kept == 0:
                best_goal = goals[at]
                best_answer = answer
            if is_proved:
                kept = at
            else:
                missed = at
            at = (kept + missed) // 2
        return self.holding(goals[kept], best_goal, best_answer)

    def climb(self, goal: Goal) -> Strategy | HoldVerdict:
        """The strategy of the first rung that has one, else the reason for none."""
        verdict = HoldVerdict.BROKEN
        frames = searcher_of(goal, self.accrued)
        for attempt in self._attempts():
            searcher = frames if attempt.rung is Rung.FRAME else self.searcher
            answer = searcher.search(self.board, goal, self.accrued, attempt)
            if isinstance(answer, Strategy):
                return answer
            if answer is HoldVerdict.UNKNOWN:
                verdict = answer
        return verdict

    def holding(self, goal: Goal, tried: Goal, answer: Strategy | HoldVerdict) -> Holding:
        """The answer from the last climb; tbgen checks a proof before it reports it."""
        nodes = self.searcher.expanded
        if isinstance(answer, Strategy):
            proof = check_strategy(answer, self.searcher.tables)
            return Holding(self.board, self.accrued, goal, HoldVerdict.HELD, proof, None, nodes)
        frames = [Frame(self.board, tried, self.accrued, attempt) for attempt in self.frames]
        frame = max(frames, key=_plies_to_leave)
        escape = Escape(
            frame.attempt.men(self.board), _plies_to_leave(frame), tuple(frame.way_out())
        )
        return Holding(self.board, self.accrued, goal, answer, None, escape, nodes)

    def _attempts(self) -> Iterable[Attempt]:
        """The searches, from the narrowest to the widest."""
        yield from self.frames
        for man in dict.fromkeys(frame.holder_man for frame in self.frames):
            yield Attempt(Rung.ONE_MAN, man)
        if self.wide:
            yield Attempt(Rung.PIECES)
            yield Attempt(Rung.ALL)


def _plies_to_leave(frame: Frame) -> int:
    return frame.plies[0] or 0


def _outcomes(side: Color, accrued: Score) -> list[Score]:
    """The outcomes that a side may keep, from the worst to the accrued score itself."""
    outcomes = list[Score]()
    for code in range(_MOST_MOVES_CODE + 1):
        for holder in Color:
            outcome = Score(code, holder)
            if outcome.worth_to(side) <= accrued.worth_to(side):
                outcomes.append(outcome)
    return sorted(outcomes, key=lambda outcome: outcome.worth_to(side))
