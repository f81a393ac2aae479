"""Colours and words of outcomes: warm ones are White's, cool ones Black's, the stronger the better the score."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tbgen.score import Color, Score

SHADE_FROM: Final = (0, 1, 2, 4, 6, 8, 12, 18)
"""[shade] -> the lowest code that has it."""

THEMES: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "light": {
        "w": ("#8a3405", "#b4520c", "#d37022", "#e39347", "#edb376", "#f3cda3", "#f8e0c7", "#fbeddf"),
        "b": ("#123a63", "#1d568c", "#3779b5", "#659bcd", "#93bbdf", "#b8d3ea", "#d3e4f3", "#e6eff8"),
    },
    "dark": {
        "w": ("#ffb36b", "#f0903d", "#cf7327", "#aa5c1c", "#864919", "#673917", "#4e2d16", "#3c2414"),
        "b": ("#8ac6ff", "#5ba5e8", "#3e85c8", "#326ba2", "#2a5681", "#234566", "#1d3751", "#192d41"),
    },
}


DASHES: Final = ("none", "7 3", "2 2.5", "10 3 2 3", "5 4", "14 4", "6 2 1.5 2 1.5 2")
"""[dash] -> the pattern of a line in plots."""


def shade_of(outcome: Score) -> str:
    """The name of an outcome's colour, such as `w0` for White's mates.

    >>> shade_of(Score(7, Color.BLACK))
    'b4'
    """
    number = max(n for n, code in enumerate(SHADE_FROM) if code <= outcome.code)
    return f"{'w' if outcome.holder is Color.WHITE else 'b'}{number}"


def colors(theme: str) -> dict[str, str]:
    """The name of each shade and its colour, in the theme `light` or `dark`."""
    return {f"{side}{n}": color for side, shades in THEMES[theme].items() for n, color in enumerate(shades)}


def theme() -> str:
    """The colours as variables of a style sheet; print has the light ones."""
    light, dark = ("".join(f"--{name}:{color};" for name, color in colors(each).items()) for each in THEMES)
    return f":root{{{light}}}\n@media screen and (prefers-color-scheme: dark){{:root{{{dark}}}}}\n"


@dataclass(frozen=True)
class Segment:
    """A part of a bar: neighbouring outcomes of one colour."""

    shade: str
    start: float
    """Where it begins, in per cent of the bar."""
    percent: float
    label: str


def bar_of(counts: Mapping[Score, int]) -> list[Segment]:
    """The parts of a bar, best outcome for White first, outcomes of one colour together."""
    total = sum(counts.values())
    groups: dict[str, list[Score]] = {}
    for outcome in sorted(counts, reverse=True):
        groups.setdefault(shade_of(outcome), []).append(outcome)
    parts, before = list[Segment](), 0
    for shade, outcomes in groups.items():
        size = sum(counts[outcome] for outcome in outcomes)
        if size:
            label = f"{range_of(outcomes)} {percent(size, total)}"
            parts.append(Segment(shade, 100 * before / total, 100 * size / total, label))
        before += size
    return parts


def border_of(parts: Sequence[Segment]) -> float | None:
    """Where the outcomes that Black holds begin, in per cent of a bar; None if one side holds all of them.

    >>> border_of(bar_of({Score(0, Color.WHITE): 3, Score(5, Color.BLACK): 1}))
    75.0
    """
    first = next((part.start for part in parts if part.shade.startswith("b")), 0.0)
    return first or None


def range_of(outcomes: list[Score]) -> str:
    """Some neighbouring outcomes in short."""
    return str(outcomes[0]) if len(outcomes) == 1 else f"{outcomes[0]} to {outcomes[-1]}"


def told(counts: Mapping[Score, int], most: int = 4) -> str:
    """A bar in words: the outcomes that occur most.

    >>> told({Score(0, Color.WHITE): 3, Score(5, Color.BLACK): 1})
    'G0.0 75.0 %, -G2.5 25.0 %'
    """
    total = sum(counts.values())
    ranked: Iterable[Score] = sorted(counts, key=lambda outcome: -counts[outcome])
    named = [f"{outcome} {percent(counts[outcome], total)}" for outcome in ranked][:most]
    return ", ".join(named) + (f", and {len(counts) - most} more" if len(counts) > most else "")


def percent(part: int, whole: int) -> str:
    """A share for people, never 0 or 100 unless it is.

    >>> percent(1, 3), percent(1, 10**6), percent(5, 5), percent(999_999, 10**6)
    ('33.3 %', '< 0.1 %', '100 %', '> 99.9 %')
    """
    if part in (0, whole):
        return "100 %" if part else "0 %"
    share = 100 * part / whole
    if share < 0.1:
        return "< 0.1 %"
    return "> 99.9 %" if share > 99.9 else f"{share:.1f} %"
