"""How a table's value stands to the fifty-move rule: certain, searched to the end, in reach, or out of reach.

docs/clock.md says why each answer is as sure as it says.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from typing import Any, Final

import chess

from tbgen.errors import NO_TABLE, MissingDistancesError, UsageError, expect
from tbgen.probe import Probe, Tablebase
from tbgen.rules.position import Reached, color_of, play_move
from tbgen.rules.stage import FiftyMoves, FiftyMoveSetting
from tbgen.score import MOST_CODE, Score
from tbgen.text import in_plies

SEARCHED_PLIES: Final = 12
"""With no more plies left than this, lines are searched to the end."""
MOST_MOVES: Final = 20_000
"""A search that would play more moves gives up: they take a second or so."""
_WORST: Final = MOST_CODE + 2
"""More than any outcome is worth to a side."""
CLEAN_PLIES: Final = 90
"""No entry value of a clean table is farther. The rule gives 100; DTG and what a refutation takes differ by a few:
the nearest class that the rule was found to change, in KRvKN, has a DTG of 93. With all that they lead to, tables of
up to four men have DTGs of up to 70 plies, or of 104 and more."""


class Within(enum.Enum):
    """How sure it is what a position is worth under the fifty-move rule."""

    CERTAIN = "certain"
    """The table's value: the rule is ignored, or a mate comes before it strikes."""
    SEARCHED = "searched"
    """The value of all lines until it strikes, with the table's values where the clock starts anew."""
    LIKELY = "likely"
    """The table's value: it can be reached in time, in a table where the rule changes no entry value; seldom wrong."""
    UNPROVED = "unproved"
    """The table's value: it can be reached in time, but a refutation of another defence might not be."""
    BETWEEN = "between"
    """Out of reach: between the accrued score and the table's value, both included."""
    UNTIMED = "untimed"
    """The table's value: whether it can be reached in time only distances say, which are not there."""
    UNKNOWN = "unknown"
    """Out of reach, and nothing bounds the value, as scores made on the last plies count for ever."""


@dataclass(frozen=True, slots=True)
class ClockedValue:
    """The value of a position under the fifty-move rule."""

    fifty_moves: FiftyMoves
    plies_left: int | None
    """Until the rule strikes; None where it is ignored."""
    within: Within
    table: Score
    """The table's value, which ignores the rule."""
    accrued: Score
    """The score accrued so far."""
    outcome: Score | None
    """The value of the game; None if unknown."""

    @property
    def matters(self) -> bool:
        """Whether the rule makes, or may make, a difference."""
        return self.outcome != self.table

    def __str__(self) -> str:
        if self.plies_left is None:
            return f"{self.table}: the fifty-move rule is ignored"
        bounds = f"between {self.accrued} and {self.table}" if self.within is Within.BETWEEN else "not known"
        value = bounds if self.outcome is None else f"{self.outcome} ({self.within.value})"
        return f"under {self.fifty_moves.setting.value}, with {in_plies(self.plies_left)} left, {value}"

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

    `found` is what `tables.probe` has said of the position, if that is known.
    """
    rule = expect(FiftyMoves() if fifty_moves is None else fifty_moves, FiftyMoves, "fifty_moves", "a FiftyMoves")
    probe = tables.probe(board, accrued) if found is None else found
    left = rule.plies_left(board.halfmove_clock)
    if left == 0:  # the rule has struck
        return ClockedValue(rule, 0, Within.CERTAIN, probe.outcome, probe.accrued, probe.accrued)
    within = _by_distance(tables, probe, rule, left)
    outcome = None if within in (Within.BETWEEN, Within.UNKNOWN) else probe.outcome
    if left is not None and left <= SEARCHED_PLIES and within is not Within.CERTAIN:
        searched = _Search(tables, rule).value(board, probe, left)
        if searched is not None:
            within, outcome = Within.SEARCHED, searched
    return ClockedValue(rule, left, within, probe.outcome, probe.accrued, outcome)


def value_if_asked(
    tables: Tablebase, found: Probe, board: chess.Board, rule: FiftyMoves | None, *, unasked: bool
) -> ClockedValue | None:
    """The same where a rule is given, and where `unasked` after any plies without a reset, under the default rule."""
    if not tables.game.forgets:
        if rule is not None:
            raise UsageError(f"what the fifty-move rule makes of a value is not known of {tables.game} mobility")
        return None
    if rule is None and not (unasked and board.halfmove_clock):
        return None
    return value_within(tables, board, fifty_moves=rule, found=found)


def _by_distance(tables: Tablebase, probe: Probe, rule: FiftyMoves, left: int | None) -> Within:
    """How sure the table's value is, by the plies that it takes to reach it."""
    if left is None or probe.own.is_mate or probe.own.is_stalemate:
        return Within.CERTAIN
    if probe.dtg is None:
        return Within.UNTIMED
    # Scores of the cutoff or more do not start the clock anew: one that is made on the last plies cannot be refuted.
    is_final = rule.setting is FiftyMoveSetting.RESET and probe.outcome.code < rule.cutoff_code
    if probe.dtg > left:
        is_between = is_final and probe.accrued.code <= rule.cutoff_code  # if the table is clean
        return Within.BETWEEN if is_between else Within.UNKNOWN
    if probe.outcome.is_mate:
        return Within.CERTAIN
    return Within.LIKELY if is_final and is_clean(tables, probe) else Within.UNPROVED


def is_clean(tables: Tablebase, probe: Probe) -> bool:
    """Whether all entry values of a table, and of those that it leads to, are near; False if a table is missing."""
    try:
        return tables.longest_distance(probe.material) <= CLEAN_PLIES
    except (*NO_TABLE, MissingDistancesError):
        return False


class _Search:
    """All lines until the rule strikes, by alpha-beta; where the clock starts anew, a table's entry value counts."""

    def __init__(self, tables: Tablebase, rule: FiftyMoves) -> None:
        self._rule = rule
        self._is_reset_rule = rule.setting is FiftyMoveSetting.RESET
        self._entry = cache(lambda place: tables.probe(chess.Board(f"{place} 0 1")).outcome)
        """Position -> the value of a table for it."""
        self._moves = 0

    def value(self, board: chess.Board, probe: Probe, left: int) -> Score | None:
        """The value with so many plies left, one or more; None if that is too much, or if a table is missing.

        Under `reset`, with an accrued score of the cutoff or lower, the lines are those of the unlimited game, cut
        short. So the value lies between the accrued score and the table's value.
        """
        mover, low, high = color_of(board.turn), -_WORST, _WORST
        if self._is_reset_rule and probe.accrued.code <= self._rule.cutoff_code:
            low, high = sorted((probe.accrued.worth_to(mover), probe.outcome.worth_to(mover)))
        try:
            worth = min(high, max(low, self._best(board, probe.accrued, left, low, high)))
        except (*NO_TABLE, _TooManyMovesError):
            return None
        return Score(MOST_CODE + 1 - abs(worth), mover if worth > 0 else mover.other)

    def _best(self, board: chess.Board, accrued: Score, left: int, low: int, high: int) -> int:
        """The value of a position to the side to move; exact between the bounds, else itself a bound."""
        mover, best, onward = color_of(board.turn), -_WORST, list[tuple[int, chess.Board, Score]]()
        for move in board.legal_moves:
            self._moves += 1
            if self._moves > MOST_MOVES:
                raise _TooManyMovesError
            after = board.copy(stack=False)
            played = play_move(after, move, accrued)
            end = self._end(after, played, accrued, left - 1)
            if end is None:
                onward.append((played.own.code, after, played.accrued))
            else:
                best = max(best, end.worth_to(mover))
            if best >= high:
                return best
        for _, after, reached in sorted(onward, key=itemgetter(0)):  # few replies are soon looked at
            best = max(best, -self._best(after, reached, left - 1, -high, -max(low, best)))
            if best >= high:
                break
        return best

    def _end(self, after: chess.Board, played: Reached, accrued: Score, left: int) -> Score | None:
        """The value of a move that ends the search; else None."""
        own = played.own
        if own.is_mate or own.is_stalemate:
            return own
        improves = own.code < accrued.code
        if played.reset or (self._is_reset_rule and improves and own.code < self._rule.cutoff_code):
            return self._entry(after.epd(en_passant="legal"))
        if left:
            return None
        # A score that the last ply makes counts only where such a score can also start the clock anew.
        return played.accrued if self._is_reset_rule else accrued


class _TooManyMovesError(Exception):
    """A search has played as many moves as it may."""
