"""Exact shares of whole tables beside a rule of thumb for mating, the worst errors first.

    python research/potential.py records                              # records of chess
    python research/potential.py data/M=WF --worth M=325,mates        # men of your own

The factor of an ending is the share of positions that the side ahead wins by mate, less the share
that it loses. The r-mobility factor is twice what that side gets above half a point.

The rule is that of Pair-o-Max (docs/records.md): how far to trust a lead in material, in
centipawns.

* without pawns the leader's score is halved;
* if moreover it leads by less than 350 in pieces, with at most two against at most one, it is
  divided by 8;
* with one pawn, if it would lead by less than 350 in pieces once the weakest piece has been given
  for the pawn, it is divided by 4.

Exceptions: a bare king cannot hold against mating material, so nothing is halved there. Two knights
alone do not mate and count as the second case. Nor do bishops on squares of one colour, which are
an ending of their own.

A man of your own has the marks of that program beside its value (see `Mark`). A man bound to
squares of one colour, whatever his value, does not mate alone; how he moves says so.
"""

from __future__ import annotations

import argparse
import enum
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from statistics import mean
from typing import Any, Final, NamedTuple

from tbgen.apps.records.record import Record, records_in
from tbgen.errors import UsageError
from tbgen.facts import plain
from tbgen.material import Material, Scope
from tbgen.men import AnyMan, Man, Role, is_bound
from tbgen.rules.points import DRAW, Scoring
from tbgen.score import MATE_CODE, Color, Score
from tbgen.storage.files import men_of_folder, tables_in


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
    """White's lead in material, in centipawns; negative if Black leads."""
    return _sum_of(white, worths) - _sum_of(black, worths)


def _sum_of(men: Iterable[AnyMan], worths: Worths) -> int:
    return sum(worths[man].value for man in men)


def _mates(pieces: Sequence[AnyMan], worths: Worths) -> bool:
    """Whether the rule takes some men for mating material against a bare king."""
    if len(pieces) == 1:
        piece = pieces[0]
        worth = worths[piece]
        is_strong = worth.value >= MINOR_AHEAD or Mark.MATES in worth.marks
        return is_strong and not is_bound(piece)
    if len(pieces) == 2:
        return any(Mark.NO_PAIR not in worths[piece].marks for piece in pieces)
    return len(pieces) > 2


def rule_for(material: Material, leader: Color, worths: Worths = CHESS) -> Rule:
    """The case of the rule for the leader."""
    pieces = _pieces(material, leader)
    others = _pieces(material, leader.other)
    pawns = material.side(leader).count(Role.PAWN)
    lead = lead_of(pieces, others, worths)
    if pawns == 1 and others:
        weakest = min(worths[role].value for role in others)
        if lead + weakest < MINOR_AHEAD:
            return Rule.LAST_PAWN
    if pawns:
        return Rule.FULL
    has_bare_king = len(material.side(leader.other)) == 1
    if has_bare_king:
        return Rule.BARE_KING if _mates(pieces, worths) else Rule.NO_MATE
    if len(pieces) == len(others) == 1 and Mark.TOUGH in worths[others[0]].marks:
        return Rule.TOUGH
    if lead < MINOR_AHEAD and len(pieces) <= 2 and len(others) <= 1:
        return Rule.MINOR_AHEAD
    return Rule.PAWNLESS


def _pieces(material: Material, color: Color) -> list[AnyMan]:
    """The men of a side but king and pawns."""
    return [role for role in material.side(color) if role not in (Role.KING, Role.PAWN)]


_MARKS: Final = "|".join(mark.value for mark in Mark)
_WORTH: Final = re.compile(rf"([A-Z])=([0-9]{{1,4}})((?:,(?:{_MARKS}))*)")
"""A man's letter, his value in centipawns, and his marks, such as `M=325,mates`."""

ByOutcome = Mapping[Color, Mapping[Score, int]]
"""By side to move, positions up to symmetry."""


@dataclass(frozen=True)
class Judged:
    """A rule beside the truth: the leader's share of mates, less those that it suffers, and its
    points.
    """

    rule: Rule
    mates: Fraction
    """The share of positions the leader wins by mate, less those it loses so; either side to move
    counts half.
    """
    points: Fraction
    """Twice what the leader gets above half a point, by the exponential formula."""

    @property
    def is_confirmed(self) -> bool:
        """Whether no other factor is nearer, and the leader wins at least as often as it loses."""
        least_error = min(abs(rule.factor - self.mates) for rule in Rule)
        return self.mates >= 0 and abs(self.error) == least_error

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
    """Which positions these are, if the colours of the bishops' squares divide them."""

    @property
    def name(self) -> str:
        """The material, and what it leaves open."""
        if self.bishops is None:
            return str(self.material)
        men = "men bound to" if self.material.own else "bishops on"
        return f"{self.material}, {men} {self.bishops}"

    def share(self, side: Color, holder: Color, code: int) -> Fraction:
        """The share of positions with a side to move where a side gets a score of this code or a
        lower one.
        """
        positions = 0
        won = 0
        for outcome, count in self.counts[side].items():
            positions += count
            if outcome.holder is holder and outcome.code <= code:
                won += count
        return Fraction(won, positions or 1)

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
        shares: dict[str, dict[str, float]] = {}
        for holder in Color:
            shares_of_holder = {}
            for score in BOUNDS:
                share = self.share(side, holder, score.code)
                shares_of_holder[str(score)] = _rounded(share)
            shares[plain(holder)] = shares_of_holder
        return shares


def _rounded(share: Fraction) -> float:
    return round(float(share), 6)


def worths_of(texts: Iterable[str], own: Sequence[Man]) -> Worths:
    """What the men of chess and those of your own are worth, by texts such as `M=325,mates`."""
    worths = dict(CHESS)
    men = {man.letter: man for man in own}
    for text in texts:
        match = _WORTH.fullmatch(text)
        if match is None or match[1] not in men:
            known_marks = ", ".join(mark.value for mark in Mark)
            raise UsageError(
                f"{text!r} is not a man's worth such as M=325; "
                f"marks follow it ({known_marks}): M=325,mates"
            )
        letter, centipawns, marks = match.groups()
        names = marks.split(",")[1:]
        worths[men[letter]] = Worth(int(centipawns), frozenset(map(Mark, names)))
    for man in own:
        if man not in worths:
            raise UsageError(
                f"say in centipawns what {man.letter} is worth: --worth {man.letter}=325"
            )
    return worths


def own_records(folder: Path) -> list[Record]:
    """The records, without lines, of the tables with men of your own in a folder."""
    from tbgen.apps.records.census import census_in

    return [census_in(folder, material) for material in tables_in(folder) if material.own]


def potentials_of(records: Iterable[Record], worths: Worths = CHESS) -> list[Potential]:
    """Every ending in which somebody leads, the rule's worst errors first."""
    potentials = list[Potential]()
    for record in records:
        potentials.extend(_recorded(record, worths))
    return sorted(potentials, key=lambda potential: (-abs(potential.error), potential.name))


def _mean(leader: Color, counts: ByOutcome, worth: Callable[[Score], Fraction]) -> Fraction:
    """The average worth of outcomes to the leader, over all positions."""
    means = Fraction(0)
    for of_side in counts.values():
        total = Fraction(0)
        for outcome, count in of_side.items():
            sign = 1 if outcome.holder is leader else -1
            total += sign * worth(outcome) * count
        means += total / (sum(of_side.values()) or 1)
    return means / len(Color)


def _points_above_draw(outcome: Score) -> Fraction:
    """Twice what the holder gets above half a point, by the exponential formula."""
    return 2 * (Scoring().points(outcome)[outcome.holder] - DRAW)


def _is_mate(outcome: Score) -> Fraction:
    return Fraction(outcome.is_mate)


class _Share(NamedTuple):
    """Some of the positions of an ending."""

    bishops: str | None
    rule: Rule
    counts: ByOutcome


def _recorded(record: Record, worths: Worths) -> Iterator[Potential]:
    """A record's ending, or its two if the leader's bishops may stand on squares of one colour.

    None of a table of pairs, which has only some of an ending's positions.
    """
    if record.material.scope is Scope.PAIRS:
        return
    lead = lead_of(record.material.white, record.material.black, worths)
    if lead == 0:
        return
    leader = Color.WHITE if lead > 0 else Color.BLACK
    mate = Score(MATE_CODE, leader)
    mates = [line.dtg for _, outcome, line in record.lines() if outcome == mate]
    for part in _parts_of(record, leader, rule_for(record.material, leader, worths)):
        yield Potential(
            part.rule,
            mates=_mean(leader, part.counts, _is_mate),
            points=_mean(leader, part.counts, _points_above_draw),
            material=record.material,
            leader=leader,
            counts=part.counts,
            advantage=abs(lead),
            longest=max(mates, default=None),
            bishops=part.bishops,
        )


def _parts_of(record: Record, leader: Color, rule: Rule) -> list[_Share]:
    """All positions, or those with the leader's bishops on squares of both colours and of one."""
    every = {side: record.sides[side].counts for side in Color}
    men = record.material.side(leader)
    bound = [role for role in men if is_bound(role)]
    if record.one_colored is None or len(bound) < 2:
        return [_Share(None, rule, every)]
    one_color: dict[Color, dict[Score, int]] = {}
    both_colors: dict[Color, dict[Score, int]] = {}
    for side in Color:
        counts = record.one_colored[side]
        one_color[side] = {outcome: count.classes for outcome, count in counts.items()}
        both_colors[side] = {}
        for outcome, classes in every[side].items():
            both_colors[side][outcome] = classes - one_color[side].get(outcome, 0)
    others = record.material.side(leader.other)
    has_only_bishops = len(bound) == len(men) - 1
    has_more = not has_only_bishops or len(others) > 1
    return [
        _Share("both colours", rule, both_colors),
        _Share("one colour", rule if has_more else Rule.NO_MATE, one_color),
    ]


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
    fits = list[Fit]()
    for rule in Rule:
        group = [potential for potential in potentials if potential.rule is rule]
        if group:
            fit = Fit(
                rule,
                mates=mean(potential.mates for potential in group),
                points=mean(potential.points for potential in group),
                endings=len(group),
                confirmed=sum(potential.is_confirmed for potential in group),
            )
            fits.append(fit)
    return sorted(fits, key=lambda fit: -abs(fit.error))


def facts_of(potentials: Sequence[Potential]) -> Mapping[str, Any]:
    """Factors for an engine to read, by rule and by ending."""
    endings = {}
    for potential in potentials:
        endings[potential.name] = potential.facts()
    return {
        "format": 1,
        "rules": [fit.facts() for fit in fits_of(potentials)],
        "endings": dict(sorted(endings.items())),
    }


def main() -> None:
    shape = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=shape)
    parser.add_argument(
        "folder", type=Path, help="records of chess, or tables with men of your own"
    )
    parser.add_argument(
        "--worth", action="append", default=[], metavar="M=325,mates", help="of a man of your own"
    )
    parser.add_argument("--json", action="store_true", help="print all shares")
    options = parser.parse_args()
    own = men_of_folder(options.folder)
    if own:
        potentials = potentials_of(own_records(options.folder), worths_of(options.worth, own))
    else:
        potentials = potentials_of(records_in(options.folder))
    if options.json:
        print(json.dumps(facts_of(potentials), indent=1))
        return
    for fit in fits_of(potentials):
        fitted = f"fitted {float(fit.mates):.3f}, r-mobility {float(fit.points):.3f}"
        confirmed = f"confirmed by {fit.confirmed} of {fit.endings}"
        print(f"{fit.rule.title}: says {fit.rule.factor}, {fitted}, {confirmed}; {fit.rule.words}")
    for ending in potentials:
        exact = f"factor {float(ending.mates):.3f}, r-mobility {float(ending.points):.3f}"
        says = f"{ending.rule.title} says {ending.rule.factor}"
        print(f"{ending.name}: {exact}; {says}: {ending.verdict}")


if __name__ == "__main__":
    main()
