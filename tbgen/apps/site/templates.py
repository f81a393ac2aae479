"""Templates: where pages get their HTML, and the words and colours that templates use."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tbgen.apps.site import need_modules
from tbgen.apps.site.boards import shapes_of_men, view_of
from tbgen.apps.site.palette import DASHES, bar_of, border_of, colors, percent, shade_of, theme, told
from tbgen.score import Color, Score
from tbgen.text import counted, in_plies

if TYPE_CHECKING:
    from jinja2 import Environment

HERE: Final = Path(__file__).parent
MODULES = ("jinja2",)

_SHADES: Final = (
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


def need_extra() -> None:
    """UsageError if something of the extra `report` is not installed."""
    need_modules("pages", "report", MODULES)


def static(name: str) -> str:
    """A script or a picture that pages load."""
    return (HERE / "static" / name).read_text(encoding="utf-8")


def style() -> str:
    """The style sheet, with the colours of outcomes in light and in dark, and the dashes of lines in plots."""
    shades = "".join(f".{name}{{--shade:var(--{name})}}" for name in colors("light"))
    dashes = "".join(f".dash{number}{{stroke-dasharray:{dash}}}" for number, dash in enumerate(DASHES))
    return f"{static('style.css')}{theme()}{shades}{dashes}\n"


def environment(**given: Any) -> Environment:
    """The templates, with what all of them are given."""
    need_extra()
    import jinja2

    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    made.filters.update(_FILTERS)
    made.globals.update(shades=_SHADES, men=shapes_of_men(), **given)
    return made


def _signed(number: Fraction) -> str:
    return f"{float(number):+.3f}".replace("-", "−") if number else "0"


def _units(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 10**6 else f"{size / 1e3:.1f} kB"


_FILTERS: Final[dict[str, Callable[..., Any]]] = {
    "bar": bar_of,
    "border": border_of,
    "asked": lambda fen: fen.replace(" ", "_"),
    "view": view_of,
    "counted": counted,
    "css": lambda number: f"{number:.3f}",
    "exact": lambda part, whole: f"{100 * part / whole:.4f} %",
    "factor": lambda factor: f"{float(factor):.3f}",
    "g": lambda code: str(Score(code, Color.WHITE)),
    "rank": lambda outcome: (1 if outcome.holder is Color.WHITE else -1) * (10**4 - outcome.code),
    "numeral": lambda number: {2: "Two", 3: "Three", 4: "Four", 5: "Five", 6: "Six"}[number],
    "in_plies": in_plies,
    "percent": percent,
    "shade": shade_of,
    "share": lambda share: percent(share.numerator, share.denominator),
    "signed": _signed,
    "thousands": lambda number: f"{number:,}",
    "told": told,
    "unbroken": lambda text: text.replace("-G", "\N{NON-BREAKING HYPHEN}G"),
    "units": _units,
}
