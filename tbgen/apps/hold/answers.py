"""Answers about a hold, from one side or from both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import chess

from tbgen.apps.hold.check import Checked, check
from tbgen.apps.hold.closed_sets import HoldVerdict
from tbgen.apps.hold.strategy import Goal, Strategy, epd_of, worst
from tbgen.facts import facts_of
from tbgen.probe import Tablebase
from tbgen.probe.answers import Shown
from tbgen.rules.notation import parse_fen
from tbgen.rules.position import is_reset, material_of, play_move
from tbgen.rules.stage import FiftyMoveSetting
from tbgen.score import Color, Score

_NodeKey = tuple[str, int]
"""A position and its threshold."""


@dataclass(frozen=True, slots=True)
class Cycle:
    """A line that a strategy leads to: moves until a position with its threshold recurs, and the
    moves of that loop.
    """

    lead: tuple[str, ...]
    loop: tuple[str, ...]
    """Empty if the line ends with the game, or in the tables."""


@dataclass(frozen=True, slots=True)
class Proof:
    """A strategy that keeps the goal, and the counts of its check."""

    strategy: Strategy
    checked: Checked

    @property
    def cycle(self) -> Cycle:
        """A line of the strategy in which the other side returns to an earlier position as soon as
        it can.
        """
        strategy = self.strategy
        board = strategy.board.copy(stack=False)
        accrued = strategy.accrued
        line = list[str]()
        seen = dict[_NodeKey, int]()
        node = epd_of(board), strategy.goal.threshold(accrued)
        while node not in seen:
            seen[node] = len(line)
            move = _move_on(strategy, board, accrued, seen)
            if move is None:
                return Cycle(tuple(line), ())
            line.append(board.san(move))
            accrued = play_move(board, move, accrued).accrued
            node = epd_of(board), strategy.goal.threshold(accrued)
        start = seen[node]
        return Cycle(tuple(line[:start]), tuple(line[start:]))

    @property
    def tables(self) -> list[str]:
        """The tables that it uses."""
        boards = (parse_fen(leaf)[0] for leaf in self.strategy.leaves)
        return sorted({str(material_of(board).canonical()) for board in boards})

    @property
    def settings(self) -> list[FiftyMoveSetting]:
        """The settings of the fifty-move rule under which it holds."""
        return [FiftyMoveSetting.NONE] if self.strategy.leaves else list(FiftyMoveSetting)

    def facts(self) -> dict[str, Any]:
        """As JSON has it."""
        facts = facts_of(self.strategy, "rung", "men")
        return facts | facts_of(self, "checked", "settings", "tables", "cycle")


def check_strategy(
    strategy: Strategy, tables: Tablebase | None = None, name: str = "the proof"
) -> Proof:
    """A strategy that keeps its goal, with the counts of its check; ProofError if it does not.

    >>> from tbgen.apps.hold.ladder import hold
    >>> board = chess.Board("6k1/6p1/8/p6Q/8/2r5/1q4PP/7K w - - 0 1")
    >>> check_strategy(hold(board, Color.WHITE, goal="draw").proof.strategy).checked.moves
    5
    """
    return Proof(strategy, check(strategy, tables, name))


@dataclass(frozen=True, slots=True)
class Escape:
    """The frame that takes the other side longest to leave."""

    men: tuple[str, ...]
    plies: int
    """The least number of plies to leave it."""
    line: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Holding(Shown):
    """Whether a side keeps a goal after every ply."""

    board: chess.Board = field(repr=False)
    accrued: Score
    goal: Goal
    verdict: HoldVerdict
    proof: Proof | None
    escape: Escape | None
    """None if a frame holds."""
    nodes: int
    """The number of nodes that wider searches have expanded."""

    @property
    def kept(self) -> Score:
        """The outcome that the side is proved to keep; the worst of all without a proof."""
        return worst(self.goal.side) if self.proof is None else self.goal.outcome

    @property
    def is_held(self) -> bool:
        """Whether the goal is proved."""
        return self.proof is not None

    def facts(self) -> dict[str, Any]:
        """The answer as JSON has it."""
        known = facts_of(
            self, "accrued", "goal", "verdict", "proof", "escape", "nodes", goal=self.goal.outcome
        )
        return {"fen": self.board.fen(), **facts_of(self.goal, "side"), **known}


@dataclass(frozen=True, slots=True)
class HoldBracket(Shown):
    """The value of a position for White from both sides: from `low` up to `high`."""

    white: Holding
    black: Holding

    def __str__(self) -> str:
        """The value, or its bounds."""
        if self.value is not None:
            return f"the value is {self.value}: {self.value.in_words()}"
        return f"the value is between {self.low} and {self.high}"

    @property
    def low(self) -> Score:
        """The best outcome that White is proved to keep."""
        return self.white.kept

    @property
    def high(self) -> Score:
        """The best outcome that Black is proved to keep."""
        return self.black.kept

    @property
    def value(self) -> Score | None:
        """The value, if both sides keep the same outcome."""
        return self.low if self.low == self.high else None

    def facts(self) -> dict[str, Any]:
        """The answer as JSON has it."""
        return {
            "fen": self.white.board.fen(),
            "accrued": str(self.white.accrued),
            **facts_of(self, "low", "high", "value"),
            "white": self.white.facts(),
            "black": self.black.facts(),
        }


def _move_on(
    strategy: Strategy, board: chess.Board, accrued: Score, seen: Mapping[_NodeKey, int]
) -> chess.Move | None:
    """The strategy's move, or a move of the other side: one that returns, else a quiet one.

    None at the end of the line.
    """
    if Color.of(board.turn) is strategy.goal.side:
        return strategy.move_on(board, accrued)

    def order(move: chess.Move) -> tuple[bool, bool, str]:
        after = board.copy(stack=False)
        reached = play_move(after, move, accrued).accrued
        is_known = (epd_of(after), strategy.goal.threshold(reached)) in seen
        return not is_known, is_reset(board, move), move.uci()

    return min(board.legal_moves, key=order, default=None)
