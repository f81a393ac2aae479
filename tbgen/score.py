"""Scores: how few legal moves a side was held to, by whom, and the one order of outcomes.

A score is kept as its integer code, `2 * legal moves + 1 if not in check`; `G = code / 2`.

>>> parse_score("-G3.5")
Accrued(code=7, holder=<Color.BLACK: 1>)
>>> str(Outcome(Color.WHITE, 1)), Outcome(Color.WHITE, 1).in_words()
('G0.5', 'White forces stalemate')
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass

from tbgen.errors import RepresentationError, ScoreFormatError, expect, expect_number

MATE_CODE = 0
STALEMATE_CODE = 1
DEFAULT_CUTOFF_CODE = 12
"""G6.0, from which on some schemes and the fifty-move rule make no difference."""
MOST_CODE = 1999
"""G999.5, the largest score that can be written."""
MOST_STORED_CODE = 126
"""The largest code that fits the signed byte of a stored table."""

_SCORE = re.compile(r"(-|m(?=[Gg]))?([Gg])?(0|[1-9][0-9]{0,2})(?:\.([05]))?")

_A_COLOR = "Color.WHITE or Color.BLACK (python-chess's True and False mean the reverse of our 0 and 1)"


class Color(enum.IntEnum):
    """A side."""

    WHITE = 0
    BLACK = 1

    @property
    def other(self) -> Color:
        return Color.BLACK if self is Color.WHITE else Color.WHITE

    def __str__(self) -> str:
        return self.name.capitalize()


class Mobility(enum.Enum):
    """Which of two games is meant: what a capture or a pawn move does to the accrued score."""

    RESET = "r-mobility"
    WHOLE_GAME = "whole-game"

    @property
    def forgets(self) -> bool:
        """Whether such a move wipes out what has accrued; under whole-game mobility all positions of a game count."""
        return self is Mobility.RESET

    def __str__(self) -> str:
        return self.value

    @classmethod
    def named(cls, game: Mobility | str) -> Mobility:
        """The game of a name.

        >>> Mobility.named("whole-game")
        <Mobility.WHOLE_GAME: 'whole-game'>
        """
        names = " or ".join(repr(each.value) for each in cls)
        if isinstance(game, str) and game in {each.value for each in cls}:
            return cls(game)
        return expect(game, cls, "game", names)


def code_of(moves: int, *, in_check: bool) -> int:
    """The code of a position with `moves` legal moves.

    >>> code_of(20, in_check=False)
    41
    """
    return 2 * moves + (not in_check)


def replaces(code: int, accrued_code: int, reset: int) -> bool:
    """Whether a score just reached takes the place of the accrued one: after a reset, or if it is strictly lower."""
    return bool(reset) or code < accrued_code


class _Held:
    """A code with its holder, ordered as seen from White: G0.0 > G0.5 > ... > -G0.5 > -G0.0.

    An accrued score and an outcome that are written alike are equal: what has accrued *is* what a game would
    end with.
    """

    __slots__ = ()

    code: int
    holder: Color

    def __post_init__(self) -> None:
        if type(self.code) is not int or not 0 <= self.code <= MOST_CODE:
            object.__setattr__(self, "code", expect_number(self.code, "code", 0, MOST_CODE))
        if type(self.holder) is not Color:
            expect(self.holder, Color, "holder", _A_COLOR)

    @property
    def is_mate(self) -> bool:
        return self.code == MATE_CODE

    @property
    def is_stalemate(self) -> bool:
        return self.code == STALEMATE_CODE

    @property
    def moves(self) -> int:
        """The number of legal moves left to the held side."""
        return self.code // 2

    @property
    def in_check(self) -> bool:
        """Whether the held side was in check."""
        return self.code % 2 == 0

    @property
    def signed(self) -> int:
        """The score as one number, as arrays have it: +(code + 1) for White, -(code + 1) for Black, never 0.

        >>> parse_score("G1.5").signed, parse_score("-G0.0").signed
        (4, -1)
        """
        return self.code + 1 if self.holder is Color.WHITE else -(self.code + 1)

    def worth_to(self, side: Color) -> int:
        """A number that is the greater, the better the score is for a side: the one order of outcomes.

        >>> [parse_score(text).worth_to(Color.WHITE) for text in ("G0.0", "G0.5", "-G0.5", "-G0.0")]
        [2000, 1999, -1999, -2000]
        """
        worth = MOST_CODE + 1 - self.code
        return worth if self.holder is side else -worth

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Held):
            return NotImplemented
        return self.code == other.code and self.holder is other.holder

    def __hash__(self) -> int:
        return self.code << 1 | self.holder

    def __lt__(self, other: _Held) -> bool:
        return self._order() < other._order() if isinstance(other, _Held) else NotImplemented

    def __le__(self, other: _Held) -> bool:
        return self._order() <= other._order() if isinstance(other, _Held) else NotImplemented

    def __gt__(self, other: _Held) -> bool:
        return self._order() > other._order() if isinstance(other, _Held) else NotImplemented

    def __ge__(self, other: _Held) -> bool:
        return self._order() >= other._order() if isinstance(other, _Held) else NotImplemented

    def _order(self) -> int:
        return self.worth_to(Color.WHITE)

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __str__(self) -> str:
        sign = "" if self.holder is Color.WHITE else "-"
        return f"{sign}G{self.code // 2}.{5 * (self.code % 2)}"


@dataclass(frozen=True, slots=True, eq=False)
class Outcome(_Held):
    """A final score and the side it is held by."""

    holder: Color
    code: int

    @property
    def accrued(self) -> Accrued:
        return Accrued(self.code, self.holder)

    def flipped(self) -> Outcome:
        """The same outcome in the colour-reversed position."""
        return Outcome(self.holder.other, self.code)

    def in_words(self) -> str:
        """What the outcome says, as a sentence without its full stop.

        >>> Outcome(Color.BLACK, 6).in_words()
        'Black holds White to 3 legal moves, in check'
        """
        if self.is_mate:
            return f"{self.holder} forces checkmate"
        if self.is_stalemate:
            return f"{self.holder} forces stalemate"
        plural = "" if self.moves == 1 else "s"
        check = ", in check" if self.in_check else ""
        return f"{self.holder} holds {self.holder.other} to {self.moves} legal move{plural}{check}"

    def to_byte(self) -> int:
        """The outcome as a signed number that fits the byte of a stored table."""
        if self.code > MOST_STORED_CODE:
            raise RepresentationError(self, "the signed byte of a stored table")
        return self.signed

    @classmethod
    def from_byte(cls, byte: int) -> Outcome:
        """The outcome that a stored byte means; 0 means that there is no position."""
        if byte == 0 or abs(byte) > MOST_STORED_CODE + 1:
            raise ValueError(f"no outcome is stored as {byte}")
        return Accrued.from_signed(byte).outcome


@dataclass(frozen=True, slots=True, eq=False)
class Accrued(_Held):
    """The lowest score since the last reset, and the side that reached it first.

    >>> accrued, reached = Accrued(7, Color.WHITE), Accrued(9, Color.BLACK)
    >>> str(accrued.after(reached, reset=False)), str(accrued.after(reached, reset=True))
    ('G3.5', '-G4.5')
    """

    code: int
    holder: Color

    @classmethod
    def from_signed(cls, number: int) -> Accrued:
        """The score that a signed number other than 0 means."""
        return cls(abs(number) - 1, Color.WHITE if number > 0 else Color.BLACK)

    @property
    def outcome(self) -> Outcome:
        return Outcome(self.holder, self.code)

    def after(self, reached: Accrued, *, reset: bool) -> Accrued:
        """A reset starts anew; otherwise only a strictly lower score replaces it."""
        return reached if replaces(reached.code, self.code, reset) else self

    def flipped(self) -> Accrued:
        """The same score in the colour-reversed position."""
        return Accrued(self.code, self.holder.other)


def parse_score(text: str) -> Accrued:
    """The score that a text writes.

    Arguments:
        text: `G3.5`, `-G3.5`, also `g3.5`, `mG3.5` for a score of Black, `G4`, or `4.0`; but not `4`, which may be
            a number of moves.

    Raises:
        ScoreFormatError: The text is no score.

    >>> parse_score("mG2.5") == parse_score("-G2.5") == Outcome(Color.BLACK, 5)
    True
    >>> [str(parse_score(text)) for text in ("G4", "-4.5", "g3.0")]
    ['G4.0', '-G4.5', 'G3.0']
    """
    match = _SCORE.fullmatch(expect(text, str, "score", "a text such as 'G3.5'").strip())
    if match is None:
        raise ScoreFormatError(text)
    sign, letter, whole, half = match.groups()
    if not letter and half is None:
        raise ScoreFormatError(text, f"a score such as G{whole}.0 or G{whole}.5")
    return Accrued(2 * int(whole) + (half == "5"), Color.BLACK if sign else Color.WHITE)


def expect_color(value: object, name: str) -> Color:
    """The argument called `name`, if it is a side."""
    return expect(value, Color, name, _A_COLOR)


def expect_score(value: object, name: str) -> Accrued:
    """The argument called `name` as an accrued score; an outcome is one too, and so is a text that writes one."""
    if isinstance(value, str):
        return parse_score(value)
    if isinstance(value, Outcome):
        return value.accrued
    return expect(value, Accrued, name, "a score such as 'G3.5'")


def expect_outcome(value: object, name: str) -> Outcome:
    """The argument called `name` as an outcome; an accrued score is one too, and so is a text that writes one."""
    if isinstance(value, (str, Accrued)):
        return expect_score(value, name).outcome
    return expect(value, Outcome, name, "an outcome such as 'G3.5'")
