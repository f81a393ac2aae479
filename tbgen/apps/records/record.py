"""Record: what is published of a table, as `records/MATERIAL.json` has it (schema.json says its form).

The fields of these classes are the members of its objects. Its bytes depend on the table alone: no seconds, no
machine, no date.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tbgen.errors import InputError, RecordError
from tbgen.material import Material
from tbgen.rules.facts import to_json
from tbgen.score import Color, Score
from tbgen.text import parse_json, plain

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
class Longest:
    """A position from which an outcome is furthest away, and best play from there."""

    dtg: int
    fen: str
    line: str | None
    """The moves in short notation, to the goal; None if the line has not been asked for."""

    @property
    def moves(self) -> list[str]:
        return (self.line or "").split()


@dataclass(frozen=True)
class OutcomeRecord(Count):
    """The positions of one side to move that have one outcome."""

    share: float
    """Of the placements of this side to move."""
    distances: tuple[int, ...]
    """[plies] -> positions up to symmetry whose outcome is so far away."""
    longest: Longest

    @classmethod
    def of(cls, count: Count, total: Count, distances: tuple[int, ...], longest: Longest) -> OutcomeRecord:
        share = round(count.placements / total.placements, _SHARE_DIGITS)
        return cls(count.placements, count.classes, share, distances, longest)


@dataclass(frozen=True)
class SideRecord:
    """All positions of one side to move."""

    positions: Count
    outcomes: Mapping[Score, OutcomeRecord]
    """Best outcome for White first."""


@dataclass(frozen=True)
class Value:
    """An outcome and its distance."""

    outcome: Score
    dtg: int


@dataclass(frozen=True)
class Waiting:
    """The values of a position with either side to move."""

    fen: str
    """With White to move."""
    white: Value
    black: Value


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
    exact: bool
    """Whether no position has a longer one; else this is the longest that was found."""
    dtg: int
    fen: str
    line: str | None
    """Best play to the goal, which begins with the run."""

    @classmethod
    def of(cls, side: Color, outcome: Score, plies: int, longest: Longest, *, exact: bool) -> Quiet:
        return cls(side, outcome, plies, exact, longest.dtg, longest.fen, longest.line)

    @property
    def longest(self) -> Longest:
        return Longest(self.dtg, self.fen, self.line)


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
    """The published figures of a table."""

    format: int
    material: Material
    men: int
    bytes: int
    """Of the table file."""
    positions: Count
    sides: Mapping[Color, SideRecord]
    zugzwangs: Zugzwangs
    one_colored: Counts | None
    """The positions where all bishops of the side that has two or more stand on squares of one colour; None where
    neither side has two."""
    quiet: Quiet | None
    widest: Score | None
    """The score with the most legal moves that is forced by play and not on the board already."""
    changes: Changes | None

    @classmethod
    def of(cls, material: Material, size: int, sides: Mapping[Color, SideRecord], **more: Any) -> Record:
        """A record with what follows from the counts; `more` are the other fields."""
        positions = sum((each.positions for each in sides.values()), NOBODY)
        forced = [outcome for side in sides.values() for outcome, each in side.outcomes.items() if each.longest.dtg]
        widest = max(forced, key=lambda outcome: (outcome.code, outcome.holder is Color.WHITE), default=None)
        known = {"positions": positions, "sides": sides, "widest": widest, **more}
        return cls(FORMAT, material, material.men, size, **known)

    def longest(self) -> tuple[Color, Score, Longest] | None:
        """The longest of all lines: its side to move, its outcome, and itself."""
        lines = [
            (side, outcome, each.longest)
            for side, record in self.sides.items()
            for outcome, each in record.outcomes.items()
        ]
        return max(lines, key=lambda line: line[2].dtg, default=None)

    def to_text(self) -> str:
        """The bytes of the file: lists on one line each, a final newline."""
        text = to_json(plain(self), indent=1)
        return _LIST.sub(lambda match: f"[{' '.join(match[1].split())}]", text) + "\n"

    @classmethod
    def from_text(cls, text: str, name: str = "record") -> Record:
        """The record that `to_text` wrote; RecordError for anything else."""
        try:
            facts = parse_json(text)
            if facts["format"].value != FORMAT:
                raise ValueError(f"format is {facts['format'].value!r} instead of {FORMAT}")
            record: Record = facts.read(cls)
        except (ValueError, InputError) as error:
            raise RecordError(name, str(error)) from None
        return record
