"""The rules along a game in plain numbers: what accrues, and when and why the game ends.

A ply is given by four facts: the code of its position, whether its move was a reset, whether only
kings are left, and how often the position has arisen. They come from python-chess or from a
compiled kernel; the rules are the same.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NamedTuple

import chess

from tbgen.errors import expect_member, expect_number
from tbgen.facts import facts_of, plain
from tbgen.score import (
    DEFAULT_CUTOFF_CODE,
    MATE_CODE,
    MOST_CODE,
    STALEMATE_CODE,
    Color,
    Mobility,
    Score,
    code_of,
    replaces,
)

_FIFTY_MOVES_PLIES = 100
REPETITIONS = 3
"""A game is over when a position has arisen this often."""
MOST_KING_CODE = code_of(8, in_check=False)
"""The largest code of a position in which the side to move has only its king."""


class End(enum.Enum):
    """A reason for the end of a game, in the order of the tests.

    >>> End("bare kings")
    <End.BARE_KINGS: 'bare kings'>
    """

    CHECKMATE = "checkmate"
    """The side to move is mated."""
    STALEMATE = "stalemate"
    """The side to move has no legal move, and is not in check."""
    VARIANT = "variant end"
    """A rule of the variant has ended the game, such as an explosion in atomic chess."""
    BARE_KINGS = "bare kings"
    """Only kings are left, and two plies in a row left eight legal moves."""
    FIFTY_MOVES = "fifty moves"
    """The fifty-move rule applies."""
    THREEFOLD_REPETITION = "threefold repetition"
    """The position has arisen for the third time."""


ON_THE_BOARD = (End.CHECKMATE, End.STALEMATE, End.VARIANT)
"""The ends that decide a game whatever its tags say."""


class FiftyMoveSetting(enum.Enum):
    """The settings of the fifty-move rule."""

    NONE = "none"
    FIDE = "fide"
    RESET = "reset"
    LEGACY = "legacy"


def expect_setting(value: object, name: str = "setting") -> FiftyMoveSetting:
    """The argument called `name`: a setting of the fifty-move rule, perhaps by its name."""
    return expect_member(value, FiftyMoveSetting, name, "a setting of the fifty-move rule")


@dataclass(frozen=True, slots=True)
class FiftyMoves:
    """The fifty-move rule of a game.

    Arguments:
        setting: `none`, `fide`, `reset` or `legacy`, by name or as a FiftyMoveSetting.
        cutoff_code: Under `reset`, improvements to a lower code restart the count.

    Raises:
        UsageError: No setting has that name, or the code is out of range.

    >>> FiftyMoves("fide").plies_left(98), FiftyMoves("none").plies_left(98)
    (2, None)
    """

    setting: FiftyMoveSetting = FiftyMoveSetting.RESET
    cutoff_code: int = DEFAULT_CUTOFF_CODE

    def __init__(
        self,
        setting: FiftyMoveSetting | str = FiftyMoveSetting.RESET,
        cutoff_code: int = DEFAULT_CUTOFF_CODE,
    ) -> None:
        object.__setattr__(self, "setting", expect_setting(setting))
        object.__setattr__(
            self, "cutoff_code", expect_number(cutoff_code, "cutoff_code", 0, MOST_CODE)
        )

    def plies_left(self, counter: int) -> int | None:
        """The plies until the rule applies.

        Arguments:
            counter: Plies since the last reset.

        Returns:
            A number from 0 to 100; None if the setting is `none`.
        """
        if self.setting is FiftyMoveSetting.NONE:
            return None
        return max(0, _FIFTY_MOVES_PLIES - counter)


def can_accrue(code: int, counter: int, fifty_moves: FiftyMoves) -> bool:
    """Whether a position's own score can still accrue.

    After fifty moves only a mate or a stalemate can, unless there is no such rule or it resets.
    """
    if counter < _FIFTY_MOVES_PLIES or code <= STALEMATE_CODE:
        return True
    return fifty_moves.setting in (FiftyMoveSetting.NONE, FiftyMoveSetting.RESET)


class Ply(NamedTuple):
    """A game after `number` plies.

    >>> from tbgen.rules.game import Game
    >>> *_, ply = Game().push_line("e4 e5 Qh5 Nc6")
    >>> ply.number, ply.san, str(ply.own), str(ply.accrued), ply.since, ply.end, ply.facts()["uci"]
    (4, 'Nc6', '-G39.5', 'G26.5', 3, None, 'b8c6')
    """

    number: int
    """The number of plies; 0 for the first position."""
    own: Score
    """The score of the position itself."""
    accrued: Score
    """The accrued score."""
    since: int
    """The ply that reached the accrued score; 0 for the first position and a score of its FEN."""
    counter: int
    """The counter of the fifty-move rule, in plies."""
    bare: int
    """Whether only kings are left."""
    end: End | None
    """The reason why the game is over; None if it goes on."""
    move: chess.Move | None = None
    """The move that led here; None for the first position, and for the last of a game in a file."""
    san: str = ""
    """The move in short notation; empty for the same positions."""

    def facts(self) -> dict[str, Any]:
        """The ply as JSON has it.

        Returns:
            The keys and values of a ply in `tbgen score --json`.
        """
        return {
            "ply": self.number,
            "san": self.san or None,
            "uci": plain(self.move),
            **facts_of(self, "own", "accrued", reached_at_ply=self.since, end=self.end),
        }


def first_ply(own: Score, accrued: Score, counter: int, bare: int, fifty_moves: FiftyMoves) -> Ply:
    """The first position of a game, with its accrued score."""
    return Ply(0, own, accrued, 0, counter, bare, _end(own.code, False, counter, 1, fifty_moves))


_WHITE = Color.WHITE
# Long games have a few dozen scores, and making one takes as long as the rest of a ply.
_held_by_white = cache(partial(Score, holder=Color.WHITE))
_held_by_black = cache(partial(Score, holder=Color.BLACK))


def next_ply(
    before: Ply,
    code: int,
    reset: int,
    bare: int,
    seen: int,
    fifty_moves: FiftyMoves,
    mobility: Mobility = Mobility.RESET,
) -> Ply:
    """The game one ply later, without its move.

    After a reset the accrued score is the new position's own; otherwise only a strictly lower score
    replaces it. Under whole-game mobility a reset affects the fifty-move rule alone. Bare kings end
    a game when two plies in a row left eight moves. The first position of a game is not a ply.
    """
    own = _held_by_black(code) if before.own.holder is _WHITE else _held_by_white(code)
    number = before.number + 1
    counter = 0 if reset else before.counter + 1
    accrued = before.accrued
    since = before.since
    is_lower = replaces(code, accrued.code, reset and mobility.forgets)
    if is_lower and can_accrue(code, counter, fifty_moves):
        accrued = own
        since = number
        if fifty_moves.setting is FiftyMoveSetting.RESET and code < fifty_moves.cutoff_code:
            counter = 0
    is_settled = (
        bool(bare and before.bare) and code == before.own.code == MOST_KING_CODE and number > 1
    )
    end = _end(code, is_settled, counter, seen, fifty_moves)
    return Ply(number, own, accrued, since, counter, bare, end)


def _end(
    code: int, is_settled: bool, counter: int, seen: int, fifty_moves: FiftyMoves
) -> End | None:
    """Why a game is over, in the order of the rules."""
    if code == MATE_CODE:
        return End.CHECKMATE
    if code == STALEMATE_CODE:
        return End.STALEMATE
    if is_settled:
        return End.BARE_KINGS
    if counter >= _FIFTY_MOVES_PLIES and fifty_moves.setting is not FiftyMoveSetting.NONE:
        return End.FIFTY_MOVES
    if seen >= REPETITIONS:
        return End.THREEFOLD_REPETITION
    return None
