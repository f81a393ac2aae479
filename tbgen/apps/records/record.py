"""Record: what is published of a table, as `records/MATERIAL.json` has it (schema.json says its form).

Its bytes depend on the table alone: no seconds, no machine, no date.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from tbgen.apps.records.census import NOBODY, Count
from tbgen.errors import InputError, RecordError
from tbgen.material import Material
from tbgen.score import Color, Outcome, parse_score
from tbgen.text import trouble

FORMAT: Final = 1
_SHARE_DIGITS: Final = 6
_LIST: Final = re.compile(r"\[\s+([^][{}]*?)\s+\]")


ZUGZWANGS: Final = ("all", "played", "mates", "holders")
"""The kinds that are counted."""


@dataclass(frozen=True)
class Longest:
    """A position from which an outcome is furthest away, and best play from there."""

    dtg: int
    fen: str
    moves: tuple[str, ...] | None
    """In short notation, to the goal; None if the line has not been asked for."""


@dataclass(frozen=True)
class OutcomeRecord:
    """The positions of one side to move that have one outcome."""

    count: Count
    distances: tuple[int, ...]
    """[plies] -> positions up to symmetry."""
    longest: Longest


@dataclass(frozen=True)
class Waiting:
    """What a position with either side to move is worth."""

    fen: str
    """With White to move."""
    white: tuple[Outcome, int]
    """Outcome and distance with White to move."""
    black: tuple[Outcome, int]


@dataclass(frozen=True)
class ZugzwangRecord:
    """Mutual zugzwangs by kind, as census.Zugzwangs counts them."""

    all: Count
    played: Count
    mates: Count
    holders: Count
    longest: Waiting | None


@dataclass(frozen=True)
class Quiet:
    """The longest run of plies without a reset that best play can have from a position of the table."""

    side: Color
    outcome: Outcome
    plies: int
    longest: Longest
    """The position, and best play from there, which begins with the run."""
    exact: bool
    """Whether no position has a longer one; else this is the longest that was found."""


@dataclass(frozen=True)
class Changes:
    """Positions where the accrued score changes the best move.

    There is a score, brought along from before, with which every move that is best with the position's own score
    accrued gives something away.
    """

    positions: int
    """How many were asked: all that have moves, up to symmetry, or those of a sample."""
    changing: int
    seed: int | None
    """Of the sample; None if it is none."""


@dataclass(frozen=True)
class Record:
    """What is published of a table."""

    material: Material
    bytes: int
    """Of the table file."""
    sides: Mapping[Color, Mapping[Outcome, OutcomeRecord]]
    """By side to move, best outcome for White first."""
    zugzwangs: ZugzwangRecord
    one_colored: Mapping[Color, Mapping[Outcome, Count]] | None
    """As census.Census counts them."""
    quiet: Quiet | None
    changes: Changes | None

    @property
    def men(self) -> int:
        return self.material.men

    def count(self, side: Color) -> Count:
        """The positions with a side to move."""
        return sum((each.count for each in self.sides[side].values()), NOBODY)

    @property
    def positions(self) -> Count:
        return sum((self.count(side) for side in Color), NOBODY)

    def longest(self) -> tuple[Color, Outcome, Longest] | None:
        """The longest of all lines: its side to move, its outcome, and itself."""
        lines = [(side, outcome, each.longest) for side in Color for outcome, each in self.sides[side].items()]
        return max(lines, key=lambda line: line[2].dtg, default=None)

    def widest(self) -> Outcome | None:
        """The score with the most legal moves that is forced by play and not on the board already."""
        forced = [outcome for side in Color for outcome, each in self.sides[side].items() if each.longest.dtg]
        return max(forced, key=lambda outcome: (outcome.code, outcome.holder is Color.WHITE), default=None)

    def to_text(self) -> str:
        """The bytes of the file: lists on one line each, a final newline."""
        text = json.dumps(self.facts(), indent=1)
        return _LIST.sub(lambda match: f"[{' '.join(match[1].split())}]", text) + "\n"

    @classmethod
    def from_text(cls, text: str, name: str = "record") -> Self:
        """The record that `to_text` wrote; RecordError for anything else."""
        try:
            return cls.from_facts(json.loads(text))
        except (
            ValueError,
            LookupError,
            TypeError,
            AttributeError,
            ArithmeticError,
            RecursionError,
            InputError,
        ) as error:
            raise RecordError(name, trouble(error)) from None

    def facts(self) -> dict[str, Any]:
        """The record as JSON has it."""
        return {
            "format": FORMAT,
            "material": str(self.material),
            "men": self.men,
            "bytes": self.bytes,
            "positions": _count_facts(self.positions),
            "sides": {str(side).lower(): self._side_facts(side) for side in Color},
            "zugzwangs": _zugzwang_facts(self.zugzwangs),
            "one_colored": None if self.one_colored is None else _one_colored_facts(self.one_colored),
            "quiet": None if self.quiet is None else _quiet_facts(self.quiet),
            "widest": None if (widest := self.widest()) is None else str(widest),
            "changes": None if self.changes is None else _changes_facts(self.changes),
        }

    def _side_facts(self, side: Color) -> dict[str, Any]:
        total = self.count(side)
        outcomes = {str(outcome): _outcome_facts(each, total) for outcome, each in self.sides[side].items()}
        return {"positions": _count_facts(total), "outcomes": outcomes}

    @classmethod
    def from_facts(cls, facts: Any) -> Self:
        if facts["format"] != FORMAT:
            raise ValueError(f"format {facts['format']} instead of {FORMAT}")
        sides = {
            side: {
                _outcome(name): _outcome_of(each)
                for name, each in facts["sides"][str(side).lower()]["outcomes"].items()
            }
            for side in Color
        }
        one_colored, quiet, changes = facts["one_colored"], facts["quiet"], facts["changes"]
        return cls(
            Material.parse(facts["material"]),
            int(facts["bytes"]),
            sides,
            _zugzwangs_of(facts["zugzwangs"]),
            None if one_colored is None else _one_colored_of(one_colored),
            None if quiet is None else _quiet_of(quiet),
            None if changes is None else Changes(changes["positions"], changes["changing"], changes["seed"]),
        )


def _outcome(text: str) -> Outcome:
    return parse_score(text).outcome


def _count_facts(count: Count) -> dict[str, int]:
    return {"placements": count.placements, "classes": count.classes}


def _count_of(facts: Mapping[str, int]) -> Count:
    return Count(int(facts["placements"]), int(facts["classes"]))


def _outcome_facts(each: OutcomeRecord, total: Count) -> dict[str, Any]:
    return {
        **_count_facts(each.count),
        "share": round(each.count.placements / total.placements, _SHARE_DIGITS),
        "distances": list(each.distances),
        "longest": _longest_facts(each.longest),
    }


def _outcome_of(facts: Any) -> OutcomeRecord:
    distances = tuple(int(number) for number in facts["distances"])
    return OutcomeRecord(_count_of(facts), distances, _longest_of(facts["longest"]))


def _zugzwang_facts(found: ZugzwangRecord) -> dict[str, Any]:
    kinds = {name: _count_facts(getattr(found, name)) for name in ZUGZWANGS}
    longest = found.longest
    if longest is None:
        return {**kinds, "longest": None}
    values = {
        name: {"outcome": str(value[0]), "dtg": value[1]}
        for name, value in (("white", longest.white), ("black", longest.black))
    }
    return {**kinds, "longest": {"fen": longest.fen, **values}}


def _zugzwangs_of(facts: Any) -> ZugzwangRecord:
    kinds = {name: _count_of(facts[name]) for name in ZUGZWANGS}
    longest = facts["longest"]
    if longest is None:
        return ZugzwangRecord(**kinds, longest=None)
    white, black = ((_outcome(longest[side]["outcome"]), int(longest[side]["dtg"])) for side in ("white", "black"))
    return ZugzwangRecord(**kinds, longest=Waiting(longest["fen"], white, black))


def _one_colored_facts(counts: Mapping[Color, Mapping[Outcome, Count]]) -> dict[str, Any]:
    return {
        str(side).lower(): {str(outcome): _count_facts(count) for outcome, count in of_side.items()}
        for side, of_side in counts.items()
    }


def _one_colored_of(facts: Any) -> dict[Color, dict[Outcome, Count]]:
    return {
        side: {_outcome(name): _count_of(count) for name, count in facts[str(side).lower()].items()} for side in Color
    }


def _quiet_facts(quiet: Quiet) -> dict[str, Any]:
    return {
        "side": str(quiet.side).lower(),
        "outcome": str(quiet.outcome),
        "plies": quiet.plies,
        "exact": quiet.exact,
        **_longest_facts(quiet.longest),
    }


def _quiet_of(facts: Any) -> Quiet:
    side, outcome = Color[facts["side"].upper()], _outcome(facts["outcome"])
    return Quiet(side, outcome, int(facts["plies"]), _longest_of(facts), bool(facts["exact"]))


def _longest_facts(longest: Longest) -> dict[str, Any]:
    line = None if longest.moves is None else " ".join(longest.moves)
    return {"dtg": longest.dtg, "fen": longest.fen, "line": line}


def _longest_of(facts: Any) -> Longest:
    moves = None if facts["line"] is None else tuple(facts["line"].split())
    return Longest(int(facts["dtg"]), str(facts["fen"]), moves)


def _changes_facts(changes: Changes) -> dict[str, Any]:
    return {"positions": changes.positions, "changing": changes.changing, "seed": changes.seed}
