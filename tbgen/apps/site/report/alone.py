"""Pages that stand alone: one file in the style of the report, which loads nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Final

from tbgen.apps.site.report.palette import DARK, LIGHT, colors, shade_of
from tbgen.score import Outcome

_STATIC: Final = Path(__file__).parent / "static"
_ABOUT: Final = (
    "After a move, <i>G</i> counts the opponent's legal moves, and half a move more if there is no check: "
    "G0.0 is mate, G0.5 stalemate, G3.5 three moves. Scores without a sign are White's, those with a minus Black's. "
    "The lowest since the last capture or pawn move is what a game ends with."
)
WORDS: Final = (
    ("w0", "White mates"),
    ("w1", "stalemates"),
    ("w3", "holds Black to 1–3 moves"),
    ("w5", "to more"),
    ("b5", "Black holds White to many moves"),
    ("b3", "to 1–3"),
    ("b1", "stalemates"),
    ("b0", "mates"),
)
"""Shades of outcomes, and what they mean."""


def style() -> str:
    """The style sheet of the report, with the colours of outcomes in light and in dark."""
    light, dark = ("".join(f"--{name}:{color};" for name, color in colors(theme).items()) for theme in (LIGHT, DARK))
    classes = "".join(f".{name}{{--shade:var(--{name})}}" for name in colors(LIGHT))
    theme = f":root{{{light}}}\n@media screen and (prefers-color-scheme: dark){{:root{{{dark}}}}}\n{classes}\n"
    return (_STATIC / "style.css").read_text(encoding="utf-8") + theme


def alone(title: str, content: str, *, said: str = "", scripts: Sequence[str] = (), broad: bool = False) -> str:
    """A page with a content of HTML; `said` stands in its foot, and `scripts` are files of the report.

    A `broad` page takes what room there is, for a table with many columns.
    """
    kind = ' class="broad"' if broad else ""
    code = "".join(f"<script>{(_STATIC / name).read_text(encoding='utf-8')}</script>\n" for name in scripts)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<link rel="icon" href="data:,">\n'
        f'<style>\n{style()}</style>\n</head>\n<body>\n<main id="content"{kind}>\n{content}</main>\n'
        f"<footer>\n<p>{_ABOUT}</p>\n{said}</footer>\n{code}</body>\n</html>\n"
    )


def legend(label: str, words: Iterable[tuple[str, str]] = WORDS) -> str:
    """What shades mean, as a row of patches."""
    items = "".join(f'<li><span class="score {shade}">{text}</span></li>' for shade, text in words)
    return f'<ul class="legend" aria-label="{label}">{items}</ul>\n'


def score(outcome: Outcome, text: str | None = None) -> str:
    """An outcome with its colour; `text` stands in its place if it is given."""
    words = str(outcome) if text is None else text
    return f'<span class="score {shade_of(outcome)}" title="{escape(outcome.in_words())}">{escape(words)}</span>'
