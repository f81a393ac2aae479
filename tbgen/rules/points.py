"""Points for a game and for an event, in exact arithmetic."""

from __future__ import annotations

import enum
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from tbgen.errors import ScoreFormatError, UsageError, expect, expect_member, expect_number
from tbgen.score import (
    DEFAULT_CUTOFF_CODE,
    MATE_CODE,
    MOST_CODE,
    SIGN,
    STALEMATE_CODE,
    Color,
    Score,
    expect_color,
    expect_score,
    side_of,
)

WIN = Fraction(1)
DRAW = Fraction(1, 2)
LOSS = Fraction(0)

Points = tuple[Fraction, Fraction]
"""White's and Black's; they add to one."""

_KOMI = re.compile(SIGN + r"([Gg])?(0|[1-9][0-9]{0,2})(?:\.(0|00|25|5|50|75))?")
_ONE_SIDES_POINTS = re.compile(r"[01]|1/2|[01]\.[0-9]{1,9}")
OTB_CUTOFF_CODE = 8


class Scheme(enum.Enum):
    """How a final score becomes points."""

    EXPONENTIAL = "exponential"
    HARMONIC = "harmonic"
    CLASSICAL = "classical"
    WINNER = "winner"
    KOMI = "komi"
    OTB = "otb"
    LASKER = "lasker"


_BOUNDS = {Scheme.CLASSICAL: STALEMATE_CODE, Scheme.OTB: OTB_CUTOFF_CODE}
"""Scheme -> the code below which a score wins; `winner` has its cutoff."""


@dataclass(frozen=True, slots=True)
class Komi:
    """A score in quarter steps. The side that its sign names has to beat it."""

    side: Color
    quarters: int

    def __post_init__(self) -> None:
        expect_color(self.side, "side")
        object.__setattr__(
            self, "quarters", expect_number(self.quarters, "quarters", 0, 2 * MOST_CODE + 1)
        )

    def __str__(self) -> str:
        sign = "" if self.side is Color.WHITE else "-"
        return f"{sign}G{self.quarters // 4}.{('0', '25', '5', '75')[self.quarters % 4]}"


def parse_komi(text: str) -> Komi:
    """The komi that a text writes.

    Arguments:
        text: `G5.75`, `-G3.5`, also `mG3.5`, `5.75` or `G5`; but not `5`.

    Raises:
        ScoreFormatError: The text is no komi.

    >>> [str(parse_komi(text)) for text in ("-G3.25", "5.75", "mG5")]
    ['-G3.25', 'G5.75', '-G5.0']
    """
    match = _KOMI.fullmatch(expect(text, str, "komi", "a text such as 'G5.75'").strip())
    if match is None or not any(match.group(2, 4)):
        raise ScoreFormatError(text, "a komi such as G5.75 or -G3.5")
    sign, _, whole, part = match.groups()
    return Komi(side_of(sign), 4 * int(whole) + int((part or "0").ljust(2, "0")) // 25)


DEFAULT_KOMI = Komi(Color.WHITE, 23)
"""G5.75"""


def expect_scheme(value: object, name: str = "scheme") -> Scheme:
    """The argument called `name` as a scheme, which may be given by its name."""
    return expect_member(value, Scheme, name, "a scoring scheme")


def expect_komi(value: object, name: str) -> Komi:
    """The argument called `name` as a komi; a text that writes one is one too."""
    if isinstance(value, str):
        return parse_komi(value)
    return expect(value, Komi, name, "a Komi such as 'G5.75'")


@dataclass(frozen=True, slots=True)
class Scoring:
    """A scheme that turns a final score into points, with its parameters.

    Arguments:
        scheme: The scheme, or its name.
        cutoff_code: From this code on, the schemes `winner` and `komi` make no difference.
        komi: The komi of the scheme `komi`, also as text.

    Raises:
        ScoreFormatError: The text is no komi.
        UsageError: No scheme has that name, or the code is out of range.

    >>> Scoring("komi", komi="G2.25") == Scoring(Scheme.KOMI, komi=parse_komi("G2.25"))
    True
    """

    scheme: Scheme = Scheme.EXPONENTIAL
    cutoff_code: int = DEFAULT_CUTOFF_CODE
    komi: Komi = DEFAULT_KOMI

    def __init__(
        self,
        scheme: Scheme | str = Scheme.EXPONENTIAL,
        cutoff_code: int = DEFAULT_CUTOFF_CODE,
        komi: Komi | str = DEFAULT_KOMI,
    ) -> None:
        object.__setattr__(self, "scheme", expect_scheme(scheme))
        object.__setattr__(
            self, "cutoff_code", expect_number(cutoff_code, "cutoff_code", 0, MOST_CODE)
        )
        object.__setattr__(self, "komi", expect_komi(komi, "komi"))

    def points(self, outcome: Score | str) -> Points:
        """The points for a game.

        Arguments:
            outcome: The final score.

        Returns:
            White's and Black's points, as fractions with the sum 1.

        Raises:
            ScoreFormatError: The text is no score.

        >>> Scoring("winner").points("-G1.5"), Scoring("komi", komi="G2.25").points("G2.5")
        ((Fraction(0, 1), Fraction(1, 1)), (Fraction(0, 1), Fraction(1, 1)))
        """
        final = expect_score(outcome, "outcome")
        holders = self._holders_points(final)
        if final.holder is Color.WHITE:
            return holders, 1 - holders
        return 1 - holders, holders

    def _holders_points(self, final: Score) -> Fraction:
        code = final.code
        match self.scheme:
            case Scheme.EXPONENTIAL:
                return DRAW + Fraction(1, 2 ** (1 + code))
            case Scheme.HARMONIC:
                return DRAW + Fraction(1, 2 * (1 + code))
            case Scheme.LASKER:
                return {MATE_CODE: WIN, STALEMATE_CODE: Fraction(3, 4)}.get(code, DRAW)
            case Scheme.KOMI:
                return self._komi_points(final)
            case _:
                return WIN if code < _BOUNDS.get(self.scheme, self.cutoff_code) else DRAW

    def _komi_points(self, outcome: Score) -> Fraction:
        """Points under komi.

        All scores from the cutoff on count alike, and only the komi side can gain by them.
        """
        quarters = 2 * min(outcome.code, self.cutoff_code)
        cutoff = 2 * self.cutoff_code
        komi = self.komi.quarters
        if outcome.holder is self.komi.side:
            return _compared(quarters, komi)
        return WIN if quarters < cutoff else _compared(komi, cutoff)


def _compared(reached: int, bound: int) -> Fraction:
    if reached == bound:
        return DRAW
    return WIN if reached < bound else LOSS


def format_points(points: Points, scheme: Scheme) -> str:
    """Points as PGN tags write them: `0.5625-0.4375` or `1/2-1/2`.

    >>> format_points((Fraction(9, 16), Fraction(7, 16)), Scheme.EXPONENTIAL)
    '0.5625-0.4375'
    """
    graded = (Scheme.EXPONENTIAL, Scheme.HARMONIC, Scheme.LASKER)
    if expect(scheme, Scheme, "scheme", "a Scheme such as Scheme.WINNER") not in graded:
        names = {WIN: "1", DRAW: "1/2", LOSS: "0"}
        if not all(side in names for side in points):
            raise UsageError(
                f"points under {scheme.value} must be wins, draws or losses, not {points!r}"
            )
        return "-".join(names[side] for side in points)
    white = round(points[0] * 10_000)
    return "-".join(f"{side // 10_000}.{side % 10_000:04}" for side in (white, 10_000 - white))


def points_facts(points: Points) -> dict[str, float]:
    """Points as JSON has them everywhere: two numbers that add to one, alike for either colour.

    >>> points_facts((Fraction(9, 16), Fraction(7, 16)))
    {'white': 0.5625, 'black': 0.4375}
    """
    return {"white": float(points[0]), "black": float(points[1])}


def parse_points(text: str) -> Points:
    """White's and Black's points as a tag writes them, with or without spaces around the dash.

    >>> parse_points("1/2 - 1/2")
    (Fraction(1, 2), Fraction(1, 2))
    """
    written = expect(text, str, "points", "a text such as '1/2-1/2'")
    sides = [side.strip() for side in written.split("-")]
    if len(sides) == 2 and all(_ONE_SIDES_POINTS.fullmatch(side) for side in sides):
        white = Fraction(sides[0])
        black = Fraction(sides[1])
        if white + black == 1:
            return white, black
    raise ScoreFormatError(text, "points of two sides that add to one, such as 0.5625-0.4375")


def lexicographic_key(
    results: Iterable[tuple[Color, Score]], most_code: int = MOST_CODE
) -> tuple[int, ...]:
    """A player's tie-break: given minus suffered, first stalemates, then G1.0, G1.5, and so on.

    More is better.

    Keys of all players have one length and compare as tuples; scores above `most_code` do not
    count. A mapping says how often each result has occurred.

    >>> stalemates = lexicographic_key([(Color.WHITE, Score(1, Color.WHITE))] * 2)
    >>> one_each = [(Color.WHITE, Score(1, Color.WHITE)), (Color.BLACK, Score(2, Color.BLACK))]
    >>> stalemates > lexicographic_key(one_each)
    True
    """
    balance = [0] * (MOST_CODE + 1)
    counts = results if isinstance(results, Mapping) else Counter(results)
    for (side, outcome), number in counts.items():
        final = expect_score(outcome, "outcome")
        if expect_color(side, "side") is final.holder:
            balance[final.code] += number
        else:
            balance[final.code] -= number
    return tuple(balance[STALEMATE_CODE : most_code + 1])
