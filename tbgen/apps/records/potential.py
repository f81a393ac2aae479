"""Potential: exact shares of whole tables beside a rule of thumb for mating.

The rule is that of Pair-o-Max, a version of Fairy-Max by H. G. Muller: how far to trust a lead in material, in
centipawns. In the words of its README it divides the score "by 2, 4, or 8 when the mating potential of the leading
site is already non-existent, or is in jeopardy because the opponent can afford to sacrifice its cheapest piece for the
only remaining Pawn". He has given the divisors in a comment at chessvariants.com (2 January 2018):

* without pawns the leader's score is halved;
* if moreover it leads by less than 350 in pieces it is divided by 8; the README adds: with at most two pieces against
  at most one;
* with one pawn, if it would lead by less than 350 in pieces once the weakest piece has been given for the pawn, it is
  divided by 4.

Exceptions: a bare king cannot hold against mating material, so nothing is halved there. Two knights alone do not mate
and count as the second case. Nor do bishops on squares of one colour, which are an ending of their own.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import mean
from typing import Any, Final

from tbgen.apps.records.record import Record
from tbgen.material import Material, Role
from tbgen.rules.points import DRAW, Scoring
from tbgen.score import Color, Score
from tbgen.text import plain

VALUES: Final = {Role.PAWN: 100, Role.KNIGHT: 325, Role.BISHOP: 325, Role.ROOK: 500, Role.QUEEN: 950, Role.KING: 0}
"""Centipawns."""
MINOR_AHEAD: Final = 350
BOUNDS: Final = tuple(map(Score, ("G0.0", "G0.5", "G1.0", "G1.5", "G2.5", "G3.5")))
"""Each share counts the positions where a side gets at least one of these scores."""
_NO_MATE: Final = ([Role.KNIGHT], [Role.BISHOP], [Role.KNIGHT, Role.KNIGHT])


class Rule(enum.Enum):
    """A case of the rule of thumb, and its factor."""

    FULL = ("full", Fraction(1), "enough to win")
    BARE_KING = ("bare king", Fraction(1), "mating material against a bare king")
    PAWNLESS = ("pawnless", Fraction(1, 2), "no pawns")
    MINOR_AHEAD = ("minor ahead", Fraction(1, 8), "no pawns, and no more than a minor ahead")
    NO_MATE = (
        "no mating material",
        Fraction(1, 8),
        "a lone minor, two knights, or bishops of one colour, against a bare king",
    )
    LAST_PAWN = ("last pawn", Fraction(1, 4), "the last pawn can be had for a piece")

    def __init__(self, title: str, factor: Fraction, words: str) -> None:
        self.title = title
        self.factor = factor
        self.words = words


def lead_of(white: Iterable[Role], black: Iterable[Role]) -> int:
    """By how many centipawns White's men are worth more than Black's; negative if they are worth less."""
    return sum(VALUES[role] for role in white) - sum(VALUES[role] for role in black)


def leader_of(material: Material) -> Color | None:
    """The side ahead in material."""
    lead = lead_of(material.white, material.black)
    return None if lead == 0 else Color.WHITE if lead > 0 else Color.BLACK


def rule_for(material: Material, leader: Color) -> Rule:
    """The case of the rule for the leader."""
    ours, theirs = (material.side(color) for color in (leader, leader.other))
    pieces, others = ([role for role in side if role not in (Role.KING, Role.PAWN)] for side in (ours, theirs))
    lead, pawns = lead_of(pieces, others), ours.count(Role.PAWN)
    if pawns == 1 and others and lead + VALUES[min(others)] < MINOR_AHEAD:
        return Rule.LAST_PAWN
    if pawns:
        return Rule.FULL
    if len(theirs) == 1:
        return Rule.NO_MATE if pieces in _NO_MATE else Rule.BARE_KING
    return Rule.MINOR_AHEAD if lead < MINOR_AHEAD and len(pieces) <= 2 and len(others) <= 1 else Rule.PAWNLESS


ByOutcome = Mapping[Color, Mapping[Score, int]]
"""By side to move, positions up to symmetry."""


@dataclass(frozen=True)
class Judged:
    """A rule beside the truth: the leader's share of mates, less those that it suffers, and its points."""

    rule: Rule
    mates: Fraction
    """The share of positions the leader wins by mate, less those it loses so; either side to move counts half."""
    points: Fraction
    """Twice what the leader gets above half a point, by the exponential formula."""

    @property
    def is_confirmed(self) -> bool:
        """Whether no other factor is nearer, and the leader at least wins more often than it loses."""
        return self.mates >= 0 and abs(self.error) == min(abs(each.factor - self.mates) for each in Rule)

    @property
    def error(self) -> Fraction:
        """By how much the rule trusts the lead too much (positive) or too little."""
        return self.rule.factor - self.mates

    def factors(self) -> dict[str, float]:
        """As JSON has them."""
        return {
            "rule_factor": float(self.rule.factor),
            "factor": _rounded(self.mates),
            "rmobility_factor": _rounded(self.points),
        }


@dataclass(frozen=True)
class Potential(Judged):
    """The exact value of an ending to its leader, beside the rule."""

    material: Material
    leader: Color
    counts: ByOutcome
    bishops: str | None = None
    """Which positions these are, where they are told apart by the colours of the squares of bishops."""

    @property
    def name(self) -> str:
        """The material, and what it leaves open."""
        return str(self.material) if self.bishops is None else f"{self.material}, bishops on {self.bishops}"

    def share(self, side: Color, holder: Color, code: int) -> Fraction:
        """The share of positions with a side to move where a side gets a score of this code or a lower one."""
        counts = self.counts[side]
        won = sum(count for outcome, count in counts.items() if outcome.holder is holder and outcome.code <= code)
        return Fraction(won, sum(counts.values()) or 1)

    @property
    def verdict(self) -> str:
        if self.is_confirmed:
            return "confirmed"
        return "too high" if self.error > 0 else "too low"

    def facts(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "material": str(self.material),
            "bishops": self.bishops,
            "leader": plain(self.leader),
            "advantage": abs(lead_of(self.material.white, self.material.black)),
            "rule": self.rule.title,
            **self.factors(),
            "confirmed": self.is_confirmed,
            "shares": {f"{plain(side)}_to_move": self._shares(side) for side in Color},
        }

    def _shares(self, side: Color) -> dict[str, dict[str, float]]:
        return {
            plain(holder): {str(score): _rounded(self.share(side, holder, score.code)) for score in BOUNDS}
            for holder in Color
        }


def _rounded(share: Fraction) -> float:
    return round(float(share), 6)


def potentials_of(records: Iterable[Record]) -> list[Potential]:
    """Every ending in which somebody leads, the rule's worst errors first."""
    found = (each for record in records for each in _recorded(record))
    return sorted(found, key=lambda each: (-abs(each.error), each.name))


def _mean(leader: Color, counts: ByOutcome, worth: Callable[[Score], Fraction]) -> Fraction:
    """The average worth of outcomes to the leader, over all positions."""
    sign = {leader: 1, leader.other: -1}
    means = (
        sum(sign[outcome.holder] * worth(outcome) * count for outcome, count in of_side.items())
        / Fraction(sum(of_side.values()) or 1)
        for of_side in counts.values()
    )
    return sum(means, Fraction(0)) / len(Color)


def _recorded(record: Record) -> Iterator[Potential]:
    """A record's ending, or its two endings if the leader's bishops may stand on squares of one colour."""
    leader = leader_of(record.material)
    if leader is None:
        return
    rule = rule_for(record.material, leader)
    every = {side: record.sides[side].counts for side in Color}
    parts: list[tuple[str | None, Rule, ByOutcome]] = [(None, rule, every)]
    men = record.material.side(leader)
    if record.one_colored is not None and men.count(Role.BISHOP) > 1:
        one = {side: {outcome: n.classes for outcome, n in record.one_colored[side].items()} for side in Color}
        both = {side: {each: n - one[side].get(each, 0) for each, n in every[side].items()} for side in Color}
        has_more = set(men) != {Role.KING, Role.BISHOP} or len(record.material.side(leader.other)) > 1
        parts = [("both colours", rule, both), ("one colour", rule if has_more else Rule.NO_MATE, one)]
    scoring = Scoring()
    for bishops, said, counts in parts:
        points = _mean(leader, counts, lambda outcome: 2 * (scoring.holders_points(outcome) - DRAW))
        mates = _mean(leader, counts, lambda outcome: Fraction(outcome.is_mate))
        yield Potential(said, mates, points, record.material, leader, counts, bishops)


@dataclass(frozen=True)
class Fit(Judged):
    """A rule over all the endings that it speaks of, each counted once."""

    endings: int
    confirmed: int

    def facts(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "rule": self.rule.title,
            "means": self.rule.words,
            **self.factors(),
            "endings": self.endings,
            "confirmed": self.confirmed,
        }


def fits_of(potentials: Sequence[Potential]) -> list[Fit]:
    """The rules that speak of some ending, with fitted factors, the worst errors first."""
    groups = ([each for each in potentials if each.rule is rule] for rule in Rule)
    fits = [
        Fit(
            group[0].rule,
            mean(each.mates for each in group),
            mean(each.points for each in group),
            endings=len(group),
            confirmed=sum(each.is_confirmed for each in group),
        )
        for group in groups
        if group
    ]
    return sorted(fits, key=lambda fit: -abs(fit.error))


def facts_of(potentials: Sequence[Potential]) -> Mapping[str, Any]:
    """Factors for an engine to read, by rule and by ending."""
    return {
        "format": 1,
        "rules": [fit.facts() for fit in fits_of(potentials)],
        "endings": {each.name: each.facts() for each in sorted(potentials, key=lambda each: each.name)},
    }
