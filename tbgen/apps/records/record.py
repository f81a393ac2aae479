"""Record: what is published of a table, as `records/MATERIAL.json` has it (schema.json says its form).

Its bytes depend on the table alone: no seconds, no machine, no date.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Self, TypeVar

from tbgen.errors import InputError, RecordError
from tbgen.material import Material
from tbgen.score import Color, Score
from tbgen.system.json_files import Field, parse_json

T = TypeVar("T")

FORMAT: Final = 1
_SHARE_DIGITS: Final = 6
_LIST: Final = re.compile(r"\[\s+([^][{}]*?)\s+\]")


@dataclass(frozen=True)
class Count:
    """How many positions: placements of labelled men on 64 squares, and those that differ up to symmetry."""

    placements: int
    classes: int

    def __add__(self, other: Count) -> Count:
        return Count(self.placements + other.placements, self.classes + other.classes)


NOBODY: Final = Count(0, 0)

Counts = Mapping[Color, Mapping[Score, Count]]
"""By side to move, best outcome for White first."""


@dataclass(frozen=True)
class Spread:
    """The positions of one side to move that have one outcome."""

    count: Count
    distances: tuple[int, ...]
    """[plies] -> positions up to symmetry whose outcome is so far away."""


@dataclass(frozen=True)
class Longest:
    """A position from which an outcome is furthest away, and best play from there."""

    dtg: int
    fen: str
    moves: tuple[str, ...] | None
    """In short notation, to the goal; None if the line has not been asked for."""


@dataclass(frozen=True)
class OutcomeRecord(Spread):
    """The same with the longest line."""

    longest: Longest


@dataclass(frozen=True)
class Waiting:
    """What a position with either side to move is worth."""

    fen: str
    """With White to move."""
    white: tuple[Score, int]
    """Outcome and distance with White to move."""
    black: tuple[Score, int]


@dataclass(frozen=True)
class Zugzwangs:
    """Men who do worse, whoever has to move: White's move makes it worse for White than Black's move would.

    With the side's own scores accrued, as after a reset. It is *played for* if neither score is on the board
    already: whoever has to move will be forced to the worse one.
    """

    all: Count
    played: Count
    mates: Count
    """Those where a mate is won only because the other side has to move."""
    holders: Count
    """Those, played for, where each side would hold the score if the other had to move."""
    longest: Waiting | None = None
    """The one, played for, in which either outcome is furthest away."""


@dataclass(frozen=True)
class Quiet:
    """The longest run of plies without a reset that best play can have from a position of the table."""

    side: Color
    outcome: Score
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

    @property
    def share(self) -> float:
        return self.changing / self.positions


@dataclass(frozen=True)
class Record:
    """What is published of a table."""

    material: Material
    bytes: int
    """Of the table file."""
    sides: Mapping[Color, Mapping[Score, OutcomeRecord]]
    """By side to move, best outcome for White first."""
    zugzwangs: Zugzwangs
    one_colored: Counts | None
    """The positions where all bishops of the side that has two or more stand on squares of one colour; None where
    neither side has two."""
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

    def longest(self) -> tuple[Color, Score, Longest] | None:
        """The longest of all lines: its side to move, its outcome, and itself."""
        lines = [(side, outcome, each.longest) for side in Color for outcome, each in self.sides[side].items()]
        return max(lines, key=lambda line: line[2].dtg, default=None)

    def widest(self) -> Score | None:
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
            return cls._of(parse_json(text))
        except (ValueError, InputError) as error:
            raise RecordError(name, str(error)) from None

    def facts(self) -> dict[str, Any]:
        """The record as JSON has it."""
        zugzwangs, widest = self.zugzwangs, self.widest()
        return {
            "format": FORMAT,
            "material": str(self.material),
            "men": self.men,
            "bytes": self.bytes,
            "positions": vars(self.positions),
            "sides": {_name(side): self._side_facts(side) for side in Color},
            "zugzwangs": {
                **{kind: vars(getattr(zugzwangs, kind)) for kind in ("all", "played", "mates", "holders")},
                "longest": zugzwangs.longest and _waiting_facts(zugzwangs.longest),
            },
            "one_colored": self.one_colored
            and {
                _name(side): {str(outcome): vars(count) for outcome, count in counts.items()}
                for side, counts in self.one_colored.items()
            },
            "quiet": self.quiet and _quiet_facts(self.quiet),
            "widest": widest and str(widest),
            "changes": self.changes and vars(self.changes),
        }

    def _side_facts(self, side: Color) -> dict[str, Any]:
        total = self.count(side)
        outcomes = {
            str(outcome): {
                **vars(each.count),
                "share": round(each.count.placements / total.placements, _SHARE_DIGITS),
                "distances": list(each.distances),
                "longest": _longest_facts(each.longest),
            }
            for outcome, each in self.sides[side].items()
        }
        return {"positions": vars(total), "outcomes": outcomes}

    @classmethod
    def _of(cls, facts: Field) -> Self:
        """The record of some JSON; ValueError or InputError for anything else."""
        if facts["format"].value != FORMAT:
            raise ValueError(f"format is {facts['format'].value!r} instead of {FORMAT}")
        sides, one_colored = facts["sides"], facts["one_colored"]
        return cls(
            Material.parse(facts["material"].text()),
            facts["bytes"].whole(),
            {side: _by_outcome(sides[_name(side)]["outcomes"], _outcome_of) for side in Color},
            _zugzwangs_of(facts["zugzwangs"]),
            _unless_null(one_colored, lambda each: {side: _by_outcome(each[_name(side)], _count_of) for side in Color}),
            _unless_null(facts["quiet"], _quiet_of),
            _unless_null(facts["changes"], _changes_of),
        )


def _name(side: Color) -> str:
    return str(side).lower()


def _unless_null(field: Field, read: Callable[[Field], T]) -> T | None:
    return None if field.value is None else read(field)


def _by_outcome(field: Field, read: Callable[[Field], T]) -> dict[Score, T]:
    return {Score(name): read(each) for name, each in field.members()}


def _count_of(field: Field) -> Count:
    return Count(field["placements"].whole(), field["classes"].whole())


def _outcome_of(field: Field) -> OutcomeRecord:
    distances = tuple(each.whole() for each in field["distances"].each())
    return OutcomeRecord(_count_of(field), distances, _longest_of(field["longest"]))


def _longest_facts(longest: Longest) -> dict[str, Any]:
    line = None if longest.moves is None else " ".join(longest.moves)
    return {"dtg": longest.dtg, "fen": longest.fen, "line": line}


def _longest_of(field: Field) -> Longest:
    line = field["line"].text_or_none()
    return Longest(field["dtg"].whole(), field["fen"].text(), None if line is None else tuple(line.split()))


def _zugzwangs_of(field: Field) -> Zugzwangs:
    every, played, mates, holders = (_count_of(field[kind]) for kind in ("all", "played", "mates", "holders"))
    return Zugzwangs(every, played, mates, holders, _unless_null(field["longest"], _waiting_of))


def _waiting_facts(waiting: Waiting) -> dict[str, Any]:
    values = {"white": waiting.white, "black": waiting.black}
    return {
        "fen": waiting.fen,
        **{side: {"outcome": str(outcome), "dtg": dtg} for side, (outcome, dtg) in values.items()},
    }


def _waiting_of(field: Field) -> Waiting:
    white, black = ((Score(each["outcome"].text()), each["dtg"].whole()) for each in (field["white"], field["black"]))
    return Waiting(field["fen"].text(), white, black)


def _quiet_facts(quiet: Quiet) -> dict[str, Any]:
    return {
        "side": _name(quiet.side),
        "outcome": str(quiet.outcome),
        "plies": quiet.plies,
        "exact": quiet.exact,
        **_longest_facts(quiet.longest),
    }


def _quiet_of(field: Field) -> Quiet:
    sides = {_name(side): side for side in Color}
    if field["side"].value not in sides:
        raise ValueError(f"{field['side'].name} is {field['side'].value!r}, not white or black")
    return Quiet(
        sides[field["side"].text()],
        Score(field["outcome"].text()),
        field["plies"].whole(),
        _longest_of(field),
        field["exact"].truth(),
    )


def _changes_of(field: Field) -> Changes:
    return Changes(field["positions"].positive(), field["changing"].whole(), field["seed"].whole_or_none())
