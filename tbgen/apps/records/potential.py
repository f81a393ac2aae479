"""Potential: exact shares of whole tables beside a rule of thumb for mating.

The rule is that of Pair-o-Max (docs/records.md): how far to trust a lead in material, in centipawns.

* without pawns the leader's score is halved;
* if moreover it leads by less than 350 in pieces, with at most two against at most one, it is divided by 8;
* with one pawn, if it would lead by less than 350 in pieces once the weakest piece has been given for the pawn, it is
  divided by 4.

Exceptions: a bare king cannot hold against mating material, so nothing is halved there. Two knights alone do not mate
and count as the second case. Nor do bishops on squares of one colour, which are an ending of their own.

A man of your own has the marks of that program beside its value (see `Mark`). A man bound to squares of one colour,
whatever his value, does not mate alone; how he moves says so.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from statistics import mean
from typing import Any, Final, NamedTuple

from tbgen.apps.records.record import Record
from tbgen.errors import UsageError
from tbgen.facts import plain
from tbgen.material import Material
from tbgen.men import AnyMan, Man, Role, is_bound
from tbgen.rules.points import DRAW, Scoring
from tbgen.score import MATE_CODE, Color, Score
from tbgen.storage.files import tables_in


class Mark(enum.Enum):
    """What the rule has to be told of a man beside his value."""

    MATES = "mates"
    """He mates alone although he is a minor, `0,3`."""
    NO_PAIR = "no-pair"
    """Nor does a pair of such men mate, `0,-4`."""
    TOUGH = "tough"
    """He holds out alone against any man, `0,-1`."""


class Worth(NamedTuple):
    """What a man is worth, in centipawns, and his marks."""

    value: int
    marks: frozenset[Mark] = frozenset()


Worths = Mapping[AnyMan, Worth]
CHESS: Final[Worths] = {
    Role.PAWN: Worth(100),
    Role.KNIGHT: Worth(325, frozenset([Mark.NO_PAIR])),
    Role.BISHOP: Worth(325),
    Role.ROOK: Worth(500),
    Role.QUEEN: Worth(950),
    Role.KING: Worth(0),
}
MINOR_AHEAD: Final = 350
BOUNDS: Final = tuple(map(Score, ("G0.0", "G0.5", "G1.0", "G1.5", "G2.5", "G3.5")))
"""Each share counts the positions where a side gets at least one of these scores."""


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
    TOUGH = ("tough defender", Fraction(1, 8), "one man against a tough defender")
    LAST_PAWN = ("last pawn", Fraction(1, 4), "the last pawn can be had for a piece")

    def __init__(self, title: str, factor: Fraction, words: str) -> None:
        self.title = title
        self.factor = factor
        self.words = words


def lead_of(white: Iterable[AnyMan], black: Iterable[AnyMan], worths: Worths = CHESS) -> int:
    """By how many centipawns White's men are worth more than Black's; negative if they are worth less."""
    return sum(worths[role].value for role in white) - sum(worths[role].value for role in black)


def _mates(pieces: Sequence[AnyMan], worths: Worths) -> bool:
    """Whether the rule takes some men for mating material against a bare king."""
    if len(pieces) == 1:
        worth = worths[pieces[0]]
        return not is_bound(pieces[0]) and (worth.value >= MINOR_AHEAD or Mark.MATES in worth.marks)
    return len(pieces) > 2 or not all(Mark.NO_PAIR in worths[role].marks for role in pieces)


def rule_for(material: Material, leader: Color, worths: Worths = CHESS) -> Rule:
    """The case of the rule for the leader."""
    ours, theirs = (material.side(color) for color in (leader, leader.other))
    pieces, others = (
        [role for role in side if role not in (Role.KING, Role.PAWN)] for side in (ours, theirs)
    )
    lead, pawns = lead_of(pieces, others, worths), ours.count(Role.PAWN)
    if pawns == 1 and others and lead + min(worths[role].value for role in others) < MINOR_AHEAD:
        return Rule.LAST_PAWN
    if pawns:
        return Rule.FULL
    if len(theirs) == 1:
        return Rule.BARE_KING if _mates(pieces, worths) else Rule.NO_MATE
    if len(pieces) == len(others) == 1 and Mark.TOUGH in worths[others[0]].marks:
        return Rule.TOUGH
    return (
        Rule.MINOR_AHEAD
        if lead < MINOR_AHEAD and len(pieces) <= 2 and len(others) <= 1
        else Rule.PAWNLESS
    )


_WORTH: Final = re.compile(
    rf"([A-Z])=([0-9]{{1,4}})((?:,(?:{'|'.join(mark.value for mark in Mark)}))*)"
)

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
        return self.mates >= 0 and abs(self.error) == min(
            abs(each.factor - self.mates) for each in Rule
        )

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
    advantage: int
    """In centipawns."""
    longest: int | None
    """The most plies to the leader's mate; None if it never mates."""
    bishops: str | None = None
    """Which positions these are, where they are told apart by the colours of the squares of bishops."""

    @property
    def name(self) -> str:
        """The material, and what it leaves open."""
        if self.bishops is None:
            return str(self.material)
        return f"{self.material}, {'men bound to' if self.material.own else 'bishops on'} {self.bishops}"

    def share(self, side: Color, holder: Color, code: int) -> Fraction:
        """The share of positions with a side to move where a side gets a score of this code or a lower one."""
        counts = self.counts[side]
        won = sum(
            count
            for outcome, count in counts.items()
            if outcome.holder is holder and outcome.code <= code
        )
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
            "advantage": self.advantage,
            "rule": self.rule.title,
            **self.factors(),
            "confirmed": self.is_confirmed,
            "longest_mate": self.longest,
            "shares": {f"{plain(side)}_to_move": self._shares(side) for side in Color},
        }

    def _shares(self, side: Color) -> dict[str, dict[str, float]]:
        return {
            plain(holder): {
                str(score): _rounded(self.share(side, holder, score.code)) for score in BOUNDS
            }
            for holder in Color
        }


def _rounded(share: Fraction) -> float:
    return round(float(share), 6)


def worths_of(texts: Iterable[str], own: Sequence[Man]) -> Worths:
    """What men are worth, those of chess and some of your own, as texts such as `M=325,mates` say."""
    found = dict(CHESS)
    roles = {role.letter: role for role in own}
    for text in texts:
        match = _WORTH.fullmatch(text)
        if match is None or match[1] not in roles:
            marks = ", ".join(mark.value for mark in Mark)
            raise UsageError(
                f"{text!r} is not a man's worth such as M=325; marks follow it ({marks}): M=325,mates"
            )
        found[roles[match[1]]] = Worth(int(match[2]), frozenset(map(Mark, match[3].split(",")[1:])))
    for role in own:
        if role not in found:
            raise UsageError(
                f"say in centipawns what {role.letter} is worth: --worth {role.letter}=325"
            )
    return found


def own_records(folder: Path) -> list[Record]:
    """The records, without lines, of the tables with men of your own in a folder."""
    from tbgen.apps.records.census import census_in

    return [census_in(folder, material) for material in tables_in(folder) if material.own]


def potentials_of(records: Iterable[Record], worths: Worths = CHESS) -> list[Potential]:
    """Every ending in which somebody leads, the rule's worst errors first."""
    found = (each for record in records for each in _recorded(record, worths))
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


def _recorded(record: Record, worths: Worths) -> Iterator[Potential]:
    """A record's ending, or its two endings if the leader's bishops may stand on squares of one colour."""
    lead = lead_of(record.material.white, record.material.black, worths)
    if lead == 0:
        return
    leader = Color.WHITE if lead > 0 else Color.BLACK
    rule = rule_for(record.material, leader, worths)
    mate = Score(MATE_CODE, leader)
    longest = max(
        (line.dtg for _, outcome, line in record.lines() if outcome == mate), default=None
    )
    every = {side: record.sides[side].counts for side in Color}
    parts: list[tuple[str | None, Rule, ByOutcome]] = [(None, rule, every)]
    men = record.material.side(leader)
    if record.one_colored is not None and sum(is_bound(role) for role in men) > 1:
        one = {
            side: {outcome: n.classes for outcome, n in record.one_colored[side].items()}
            for side in Color
        }
        both = {
            side: {each: n - one[side].get(each, 0) for each, n in every[side].items()}
            for side in Color
        }
        has_more = (
            not all(is_bound(role) for role in men[1:])
            or len(record.material.side(leader.other)) > 1
        )
        parts = [
            ("both colours", rule, both),
            ("one colour", rule if has_more else Rule.NO_MATE, one),
        ]
    scoring = Scoring()
    for bishops, said, counts in parts:
        points = _mean(
            leader, counts, lambda outcome: 2 * (scoring.points(outcome)[outcome.holder] - DRAW)
        )
        won = _mean(leader, counts, lambda outcome: Fraction(outcome.is_mate))
        yield Potential(
            said, won, points, record.material, leader, counts, abs(lead), longest, bishops
        )


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
        "endings": {
            each.name: each.facts() for each in sorted(potentials, key=lambda each: each.name)
        },
    }
