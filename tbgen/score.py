"""Scores: how few legal moves a side was held to, by whom, and the one order of outcomes.

A score is kept as its integer code, `2 * legal moves + 1 if not in check`; `G = code / 2`.
"""

from __future__ import annotations

import enum
import re
from functools import total_ordering

from tbgen.errors import ScoreFormatError, expect, expect_member, expect_number

MATE_CODE = 0
STALEMATE_CODE = 1
DEFAULT_CUTOFF_CODE = 12
"""G6.0: some schemes and the fifty-move rule treat this score and all higher ones alike."""
MOST_CODE = 1999
"""G999.5, the largest score that can be written."""
MOST_STORED_CODE = 126
"""The largest code that fits the signed byte of a stored table."""

SIGN = r"([-+\u2212]|m(?=[Gg]))?"
"""The pattern of the sign before a score or a komi; `side_of` reads it."""
LIKE_A_SCORE = r"(?:[-+\u2212m]?[Gg][0-9]+(?:[.,][0-9]*)?|[-+\u2212]?[0-9]+(?:\.[0-9]+)?)"
"""The pattern of a word that may be meant as a score, correct or not."""

_SCORE = re.compile(SIGN + r"([Gg])?(0|[1-9][0-9]{0,2})(?:\.([05]))?")


class Color(enum.Enum):
    """A side. It equals nothing but itself; as an index of an array White is 0 and Black is 1.

    >>> Color.of(True), Color.WHITE == True, Color.WHITE.chess, ("first", "second")[Color.BLACK]
    (<Color.WHITE: 0>, False, True, 'second')
    """

    WHITE = 0
    """White."""
    BLACK = 1
    """Black."""

    @classmethod
    def of(cls, turn: bool) -> Color:
        """The side that python-chess writes as a truth value.

        Arguments:
            turn: `chess.WHITE` (True) or `chess.BLACK` (False), such as `board.turn`.

        Returns:
            The side.
        """
        if turn:
            return cls.WHITE
        return cls.BLACK

    @property
    def chess(self) -> bool:
        """The side as python-chess writes it."""
        return self is Color.WHITE

    @property
    def other(self) -> Color:
        """The opponent."""
        if self is Color.WHITE:
            return Color.BLACK
        return Color.WHITE

    def __index__(self) -> int:
        return self.value

    def __str__(self) -> str:
        return self.name.capitalize()


class Mobility(enum.Enum):
    """One of two games, which differ in the effect of captures and pawn moves on the accrued score.

    >>> Mobility("whole-game").forgets, str(Mobility.RESET)
    (False, 'r-mobility')
    """

    RESET = "r-mobility"
    """A capture or a pawn move replaces the accrued score."""
    WHOLE_GAME = "whole-game"
    """The lowest score of the whole game counts."""

    @property
    def forgets(self) -> bool:
        """Whether a capture or a pawn move replaces the accrued score."""
        return self is Mobility.RESET

    def __str__(self) -> str:
        return self.value


def expect_mobility(value: object) -> Mobility:
    """The argument called `mobility`, which may be given by its name."""
    return expect_member(value, Mobility, "mobility", "a mobility")


def code_of(moves: int, *, in_check: bool) -> int:
    """The code of a position with `moves` legal moves.

    >>> code_of(20, in_check=False)
    41
    """
    return 2 * moves + (not in_check)


def replaces(code: int, accrued_code: int, reset: int) -> bool:
    """Whether a score just reached replaces the accrued one: after a reset, or if it is lower."""
    return bool(reset) or code < accrued_code


@total_ordering
class Score:
    """An accrued score or an outcome: the legal moves that a side was held to, and the holder.

    Scores are ordered as White sees them: G0.0 > G0.5 > ... > -G0.5 > -G0.0.

    Arguments:
        value: A text such as `G3.5`, `-G3.5`, `g3.5`, `mG3.5`, `G4`, `+4.0`; another score; or an
            integer code, which needs a holder. `4` alone is an error, because it may be a number of
            moves.
        holder: The side that holds the opponent to a code.

    Raises:
        ScoreFormatError: The text is no score.
        UsageError: The code is out of range, or has no holder.

    >>> Score("mG2.5") == Score("-G2.5") == Score(5, Color.BLACK)
    True
    >>> [str(Score(text)) for text in ("G4", "-4.5", "+g3.0")]
    ['G4.0', '-G4.5', 'G3.0']
    >>> Score.from_signed(-8), Score("-G3.5").worth_to(Color.BLACK), Score("-G3.5").flipped()
    (Score('-G3.5'), 1993, Score('G3.5'))
    >>> Score.from_signed(Score("-G3.5").signed)
    Score('-G3.5')
    """

    __slots__ = ("code", "holder")

    code: int
    """Twice the number of legal moves, plus 1 without a check."""
    holder: Color
    """The side that holds its opponent to this number."""

    def __init__(self, value: str | int | Score, holder: Color | None = None) -> None:
        if holder is None and isinstance(value, str):
            value, holder = _parsed(value)
        elif holder is None and isinstance(value, Score):
            holder = value.holder
            value = value.code
        if type(value) is not int or not 0 <= value <= MOST_CODE:  # a probe makes dozens of scores
            value = expect_number(value, "code", 0, MOST_CODE)
        object.__setattr__(self, "code", value)
        object.__setattr__(self, "holder", expect_color(holder, "holder"))

    # A score is no dataclass: `dataclasses.asdict` of an answer would take it apart.
    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a score cannot be changed: {name}")

    def __reduce__(self) -> tuple[type[Score], tuple[int, Color]]:
        return Score, (self.code, self.holder)

    @property
    def is_mate(self) -> bool:
        """Whether the score is `G0.0` or `-G0.0`."""
        return self.code == MATE_CODE

    @property
    def is_stalemate(self) -> bool:
        """Whether the score is `G0.5` or `-G0.5`."""
        return self.code == STALEMATE_CODE

    @property
    def moves(self) -> int:
        """The number of legal moves left to the held side."""
        return self.code // 2

    @property
    def check(self) -> bool:
        """Whether the held side was in check."""
        return self.code % 2 == 0

    @property
    def signed(self) -> int:
        """The score as arrays have it: code + 1 for White, -(code + 1) for Black, never 0.

        >>> Score("G1.5").signed, Score("-G0.0").signed
        (4, -1)
        """
        if self.holder is Color.WHITE:
            return self.code + 1
        return -(self.code + 1)

    @classmethod
    def from_signed(cls, number: int) -> Score:
        """The score that a number of an array means.

        Arguments:
            number: +(code + 1) for White, -(code + 1) for Black, not 0.

        Returns:
            The score.
        """
        return cls(abs(number) - 1, Color.WHITE if number > 0 else Color.BLACK)

    @property
    def rank(self) -> int:
        """A number to sort by, the greater the better for White, and never 0.

        >>> [Score(text).rank for text in ("G0.0", "G0.5", "-G0.5", "-G0.0")]
        [2000, 1999, -1999, -2000]
        """
        rank = MOST_CODE + 1 - self.code
        if self.holder is Color.WHITE:
            return rank
        return -rank

    def worth_to(self, side: Color) -> int:
        """The rank as a side sees it.

        Arguments:
            side: The side.

        Returns:
            A number to sort by, the greater the better for that side.
        """
        if side is Color.WHITE:
            return self.rank
        return -self.rank

    def after(self, reached: Score, *, reset: bool) -> Score:
        """The accrued score after a ply.

        Arguments:
            reached: The score of the new position.
            reset: Whether the move was a capture or a pawn move, which starts anew.

        Returns:
            `reached` after a reset or if it is strictly lower, else this score.

        >>> accrued, reached = Score("G3.5"), Score("-G4.5")
        >>> str(accrued.after(reached, reset=False)), str(accrued.after(reached, reset=True))
        ('G3.5', '-G4.5')
        """
        if replaces(reached.code, self.code, reset):
            return reached
        return self

    def counts_beside(self, accrued: Score) -> bool:
        """Whether this own score of a position is the accrued one, or replaces it.

        Then the value of the position is its entry value.

        Arguments:
            accrued: The accrued score.

        Returns:
            Whether the code is lower, or the score the same.

        >>> Score("G3.5").counts_beside(Score("-G4.0")), Score("G3.5").counts_beside(Score("G3.0"))
        (True, False)
        """
        return self.code < accrued.code or self == accrued

    def flipped(self) -> Score:
        """The score of the colour-reversed position.

        Returns:
            The same code, held by the other side.
        """
        return Score(self.code, self.holder.other)

    def in_words(self) -> str:
        """The score as an outcome, in words.

        Returns:
            A sentence without its full stop.

        >>> Score("-G3.0").in_words()
        'Black holds White to 3 legal moves, in check'
        """
        if self.is_mate:
            return f"{self.holder} forces checkmate"
        if self.is_stalemate:
            return f"{self.holder} forces stalemate"
        plural = "" if self.moves == 1 else "s"
        check = ", in check" if self.check else ""
        return f"{self.holder} holds {self.holder.other} to {self.moves} legal move{plural}{check}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Score):
            return NotImplemented
        return self.code == other.code and self.holder is other.holder

    def __hash__(self) -> int:
        return self.signed

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Score):
            return NotImplemented
        return self.rank < other.rank

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __repr__(self) -> str:
        return f"Score({str(self)!r})"

    def __str__(self) -> str:
        sign = "" if self.holder is Color.WHITE else "-"
        return f"{sign}G{self.code // 2}.{5 * (self.code % 2)}"


def _parsed(text: str) -> tuple[int, Color]:
    match = _SCORE.fullmatch(text.strip())
    if match is None:
        raise ScoreFormatError(text)
    sign, letter, whole, half = match.groups()
    if not letter and half is None:
        raise ScoreFormatError(text, f"a score such as G{whole}.0 or G{whole}.5")
    return 2 * int(whole) + (half == "5"), side_of(sign)


def side_of(sign: str | None) -> Color:
    """The side that the sign of a score names."""
    if sign in (None, "+"):
        return Color.WHITE
    return Color.BLACK


def expect_color(value: object, name: str) -> Color:
    """The argument called `name`, if it is a side."""
    return expect(
        value,
        Color,
        name,
        "Color.WHITE or Color.BLACK, or Color.of(board.turn) for a side of python-chess",
    )


def expect_score(value: object, name: str) -> Score:
    """The argument called `name` as a score; a text that writes one will do."""
    if isinstance(value, str):
        return Score(value)
    return expect(value, Score, name, "a score such as 'G3.5'")
