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

from tbgen.apps.hold.answers import Escape, Holding, check_strategy
from tbgen.apps.hold.closed_sets import (
    Attempt,
    Frame,
    HoldSearch,
    HoldVerdict,
    WatchNodes,
    all_frames,
    parse_frame,
    searcher_of,
)
from tbgen.apps.hold.strategy import Goal, Rung, Strategy, not_mated
from tbgen.errors import UsageError, expect, expect_number
from tbgen.probe import Tablebase
from tbgen.rules.notation import broken_rule
from tbgen.rules.position import accrued_in, accrued_of, bare_sides, expect_board, own_score
from tbgen.score import Color, Score, expect_color, expect_score

DEFAULT_NODES = 100_000
MOST_NODES = 5_000_000
_MOST_MOVES_CODE = 437
"""No position has more than 218 moves."""


def hold(
    board: chess.Board,
    side: Color,
    *,
    goal: Score | str = "accrued",
    accrued: Score | str | None = None,
    tables: Tablebase | None = None,
    pair: str | None = None,
    nodes: int = DEFAULT_NODES,
    wide: bool = False,
    watch: WatchNodes | None = None,
) -> Holding:
    """Try to prove that a side keeps a goal after every ply, whatever the other side plays.

    Arguments:
        board: The position.
        side: The side that keeps the goal.
        goal: An outcome; or "accrued" for the accrued score, "draw" for not being mated, "best" for the best provable.
        accrued: The accrued score. Without it, the moves on the board give the score.
        tables: Resets into these tables count by their value. The proof then ignores the fifty-move rule.
        pair: The only two men to try, such as "Ke1,Ke6".
        nodes: The most positions of a search.
        wide: Try to move all men of the side as well.
        watch: A search calls it with the number of positions that it has added.

    Returns:
        The verdict with its proof, or with the way out. A goal without a proof may still hold.

    Raises:
        UsageError: The position is illegal, the game is over, or the accrued score is already worse than the goal.
        AccruedError: No game can carry this accrued score into the position.
        ProofError: The check refutes a proof that the search found.

    >>> found = hold(chess.Board("6k1/6p1/8/p6Q/8/2r5/1q4PP/7K w - - 0 1"), Color.WHITE, goal="draw")
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
    given = None if accrued is None else expect_score(accrued, "accrued")
    score = (
        accrued_of(board)
        if given is None
        else accrued_in(given, own_score(board), bare_sides(board))
    )
    expect_color(side, "side")
    frames = all_frames(board, side) if pair is None else [parse_frame(board, side, pair)]
    ladder = _Ladder(
        board.copy(stack=False), score, frames, HoldSearch(nodes, tables=tables, watch=watch), wide
    )
    if goal == "best":
        return ladder.best(side)
    wanted = _goal_of(goal, side, score)
    return ladder.holding(wanted, wanted, ladder.climb(wanted))


def _goal_of(goal: Score | str, side: Color, accrued: Score) -> Goal:
    """The goal of an outcome or a word."""
    words = {"accrued": Goal(side, accrued), "draw": not_mated(side)}
    if isinstance(goal, str) and goal not in words:
        raise UsageError(f"goal must be an outcome or one of accrued, best, draw, not {goal!r}")
    wanted = words[goal] if isinstance(goal, str) else Goal(side, expect_score(goal, "goal"))
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
        """The best provable goal, by bisection: a strategy that keeps an outcome keeps all worse ones."""
        goals = [Goal(side, outcome) for outcome in _outcomes(side, self.accrued)]
        kept, missed = 0, len(goals)  # the first outcome needs no proof
        best: tuple[Goal, Strategy | HoldVerdict] = goals[0], HoldVerdict.UNKNOWN
        at = missed - 1
        while missed - kept > 1:
            tried = goals[at], self.climb(goals[at])
            if isinstance(tried[1], Strategy):
                kept, best = at, tried
            else:
                missed = at
                if kept == 0:
                    best = tried
            at = (kept + missed) // 2
        return self.holding(goals[kept], *best)

    def climb(self, goal: Goal) -> Strategy | HoldVerdict:
        """The strategy of the first rung that has one, else the reason for none."""
        verdict, frames = HoldVerdict.BROKEN, searcher_of(goal, self.accrued)
        for attempt in self._attempts():
            searcher = frames if attempt.rung is Rung.FRAME else self.searcher
            found = searcher.search(self.board, goal, self.accrued, attempt)
            if isinstance(found, Strategy):
                return found
            if found is HoldVerdict.UNKNOWN:
                verdict = found
        return verdict

    def holding(self, goal: Goal, tried: Goal, found: Strategy | HoldVerdict) -> Holding:
        """The answer from the last climb; tbgen checks a proof before it reports it."""
        board, accrued, nodes = self.board, self.accrued, self.searcher.expanded
        if isinstance(found, Strategy):
            proof = check_strategy(found, self.searcher.tables)
            return Holding(board, accrued, goal, HoldVerdict.HELD, proof, None, nodes)
        frames = (Frame(board, tried, accrued, each) for each in self.frames)
        frame = max(frames, key=lambda each: each.plies[0] or 0)
        escape = Escape(frame.attempt.men(board), frame.plies[0] or 0, tuple(frame.way_out()))
        return Holding(board, accrued, goal, found, None, escape, nodes)

    def _attempts(self) -> Iterable[Attempt]:
        """The searches, from the narrowest to the widest."""
        yield from self.frames
        yield from (
            Attempt(Rung.ONE_MAN, man)
            for man in dict.fromkeys(each.holder_man for each in self.frames)
        )
        if self.wide:
            yield from (Attempt(rung) for rung in (Rung.PIECES, Rung.ALL))


def _outcomes(side: Color, accrued: Score) -> list[Score]:
    """The outcomes that a side may keep with an accrued score, from the worst to the score itself."""
    outcomes = (Score(code, holder) for code in range(_MOST_MOVES_CODE + 1) for holder in Color)
    wanted = (each for each in outcomes if each.worth_to(side) <= accrued.worth_to(side))
    return sorted(wanted, key=lambda each: each.worth_to(side))
