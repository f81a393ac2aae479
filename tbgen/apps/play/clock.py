"""How a table's value relates to the fifty-move rule: certain, between two scores, or unknown.

docs/clock.md gives the reason for each answer.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

import chess

from tbgen.errors import UsageError, expect
from tbgen.probe import Probe, Tablebase
from tbgen.rules.stage import FiftyMoves, FiftyMoveSetting
from tbgen.score import Score
from tbgen.text import in_plies


class Within(enum.Enum):
    """The certainty about a position's value under the fifty-move rule."""

    CERTAIN = "certain"
    """The value itself: the rule is ignored or has struck, or a mate comes before it strikes."""
    BETWEEN = "between"
    """Between the accrued score and the table's value, both included."""
    UNKNOWN = "unknown"
    """Nothing, as scores made on the last plies count for ever."""


@dataclass(frozen=True, slots=True)
class ClockedValue:
    """The value of a position under the fifty-move rule."""

    fifty_moves: FiftyMoves
    plies_left: int | None
    """The plies until the rule strikes; None if it is ignored."""
    within: Within
    table: Score
    """The table's value, which ignores the rule."""
    accrued: Score
    """The score accrued so far."""
    outcome: Score | None
    """The value of the game; None if the table's value is out of reach.

    It is likely, unless it is certain.
    """

    @property
    def matters(self) -> bool:
        """Whether the rule makes a difference, or may make one."""
        return self.outcome != self.table

    def __str__(self) -> str:
        if self.plies_left is None:
            return f"{self.table}: the fifty-move rule is ignored"
        if self.outcome is not None:
            certainty = "certain" if self.within is Within.CERTAIN else "likely"
            value = f"{self.outcome} ({certainty})"
        elif self.within is Within.BETWEEN:
            value = f"between {self.accrued} and {self.table}"
        else:
            value = "not known"
        setting = self.fifty_moves.setting.value
        return f"under {setting}, with {in_plies(self.plies_left)} left, {value}"

    def facts(self) -> dict[str, Any]:
        """The answer as JSON has it."""
        return {
            "fifty": self.fifty_moves.setting.value,
            "plies_left": self.plies_left,
            "within": self.within.value,
            "outcome_within": None if self.outcome is None else str(self.outcome),
        }


def value_within(
    tables: Tablebase,
    board: chess.Board,
    accrued: Score | str | None = None,
    fifty_moves: FiftyMoves | None = None,
    *,
    found: Probe | None = None,
) -> ClockedValue:
    """The value of a position if the fifty-move rule counts from its halfmove clock on.

    `found` is the answer of `tables.probe`, if the caller has it.
    """
    rule = FiftyMoves() if fifty_moves is None else fifty_moves
    expect(rule, FiftyMoves, "fifty_moves", "a FiftyMoves")
    probe = tables.probe(board, accrued) if found is None else found
    left = rule.plies_left(board.halfmove_clock)
    is_in_reach = left is None or probe.dtg is None or probe.dtg <= left
    outcome: Score | None = None
    if left == 0:
        outcome = probe.accrued
    elif is_in_reach:
        outcome = probe.outcome
    return ClockedValue(
        rule, left, _within(probe, rule, left), probe.outcome, probe.accrued, outcome
    )


def _within(probe: Probe, rule: FiftyMoves, left: int | None) -> Within:
    """The certainty with so many plies left."""
    if not left or probe.own.is_mate or probe.own.is_stalemate:  # the rule is ignored or has struck
        return Within.CERTAIN
    if probe.outcome.is_mate and probe.dtg is not None and probe.dtg <= left:
        return Within.CERTAIN
    # Scores of the cutoff or more do not restart the clock: one that is made on the last plies
    # cannot be refuted.
    is_bounded = probe.outcome.code < rule.cutoff_code and probe.accrued.code <= rule.cutoff_code
    if rule.setting is FiftyMoveSetting.RESET and is_bounded:
        return Within.BETWEEN
    return Within.UNKNOWN


def value_to_show(
    tables: Tablebase, found: Probe, board: chess.Board, rule: FiftyMoves | None
) -> ClockedValue | None:
    """The same under a rule that somebody asks for; else under the default one, if it matters."""
    if not tables.mobility.forgets:
        if rule is not None:
            raise UsageError(
                f"the effect of the fifty-move rule is not known under {tables.mobility} mobility"
            )
        return None
    if rule is None and not board.halfmove_clock:
        return None
    clocked = value_within(tables, board, fifty_moves=rule, found=found)
    return clocked if rule is not None or clocked.matters else None
