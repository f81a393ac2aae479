"""Plots by matplotlib as SVG: the same bytes twice, and in pages the colours of the page."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tbgen.report.boards import without_styles
from tbgen.report.extra import need_extra
from tbgen.report.palette import LIGHT, bar_of, border_of, colors, shade_of
from tbgen.score import Outcome

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Distances = Mapping[Outcome, Sequence[int]]
"""[outcome][plies] -> positions."""

_INK = "#000000"
_FONT = re.compile(r" ?font-family: [^;\"]*;?")
_NUMBER = re.compile(r"(?<![\w#.])-?[0-9]+\.[0-9]{2,}")
_REFERENCE = re.compile(r"#([\w-]+)[\")]")
_STYLE_SHEET = re.compile(r" *<defs>\s*<style.*?</style>\s*</defs>\n", re.DOTALL)
_HEAD = re.compile(r"^.*?(?=<svg )", re.DOTALL)
_METADATA = re.compile(r" *<metadata>.*?</metadata>\n", re.DOTALL)
_MOST_NAMED = 7
_PALEST = 4
_DASHES = ("-", (0, (4, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)), (0, (2, 3)), (0, (8, 3)), (0, (1, 3)))
_FEW_POINTS = 3
"""A line of so few would be overlooked."""
STYLE: Any = {
    "svg.hashsalt": "tbgen",
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "axes.edgecolor": _INK,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "ytick.minor.width": 0.3,
    "legend.frameon": False,
    "lines.solid_capstyle": "round",
}


@contextmanager
def _figure(width: float, height: float) -> Iterator[tuple[Figure, Any]]:
    """An empty plot in our style."""
    need_extra()
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(width, height))
        yield figure, figure.add_axes((0.135, 0.15, 0.86, 0.75))


def distances_figure(axes: Any, distances: Distances) -> None:
    """How many positions are how far away, a line an outcome, on a log axis; the most frequent ones have a colour."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

    named = _to_name(distances)
    dashes = {shade: iter(_DASHES) for shade in colors(LIGHT)}
    for outcome in sorted(distances, reverse=True):
        points = [(plies, count) for plies, count in enumerate(distances[outcome]) if count]
        look: dict[str, Any] = {"color": _INK, "linewidth": 0.6, "alpha": 0.22}
        if outcome in named:
            shade = f"{shade_of(outcome)[0]}{min(int(shade_of(outcome)[1]), _PALEST)}"
            look = {"color": colors(LIGHT)[shade], "linewidth": 1.6, "label": str(outcome), "zorder": 3}
            look["linestyle"] = next(dashes[shade])
        marker = "o" if len(points) < _FEW_POINTS else None
        axes.plot(*zip(*points, strict=True), marker=marker, markersize=3, **look)
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda count, _: in_short(count)))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_ylim(bottom=0.7)
    axes.set_xlim(left=-0.5)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("plies to the goal")
    axes.set_ylabel("positions up to symmetry")
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=_MOST_NAMED, fontsize=8, handlelength=1.6)


def in_short(count: float) -> str:
    """A power of ten, short enough for the margin of a plot.

    >>> in_short(10), in_short(10_000), in_short(100_000_000)
    ('10', '10 k', '100 M')
    """
    for size, unit in ((10**9, " G"), (10**6, " M"), (10**3, " k")):
        if count >= size:
            return f"{count / size:g}{unit}"
    return f"{count:g}"


def _to_name(distances: Distances) -> set[Outcome]:
    """The outcomes that most positions have still before them, and the one that is furthest away."""
    ahead = {outcome: sum(counts[1:]) for outcome, counts in distances.items()}
    by_size = sorted(distances, key=lambda outcome: -ahead[outcome])
    return {*by_size[: _MOST_NAMED - 1], max(by_size, key=lambda outcome: len(distances[outcome]))}


def distances_plot(distances: Distances, prefix: str) -> str:
    """The plot of one side to move, to be written into a page where nothing else has the prefix."""
    with _figure(6.6, 3.1) as (figure, axes):
        distances_figure(axes, distances)
        return for_page(_svg_of(figure), prefix)


def bars_figure(axes: Any, rows: Sequence[tuple[str, Mapping[Outcome, int]]]) -> None:
    """Shares of outcomes as bars, the first row on top."""
    palette = colors(LIGHT)
    for number, (_, counts) in enumerate(rows):
        start = 0.0
        for part in bar_of(counts):
            axes.barh(-number, part.percent, left=start, height=0.72, color=palette[part.shade], linewidth=0)
            start += part.percent
        border = border_of(bar_of(counts))
        if border is not None:
            axes.plot([border, border], [-number - 0.36, -number + 0.36], color=_INK, linewidth=1.2)
    axes.set_yticks([-number for number in range(len(rows))], [name for name, _ in rows])
    axes.set_xlim(0, 100)
    axes.set_xlabel("% of positions")
    axes.spines["left"].set_visible(False)
    axes.tick_params(left=False)


def for_page(svg: str, prefix: str) -> str:
    """An SVG as part of a page: colours and letters are the page's, names its own, and it is short."""
    svg = _STYLE_SHEET.sub("", _HEAD.sub("", svg))
    svg = _FONT.sub("", svg)
    for name, color in colors(LIGHT).items():
        svg = svg.replace(color, f"var(--{name})")
    svg = svg.replace("stroke: #000000", "stroke: currentColor").replace("fill: #000000", "fill: currentColor")
    used = set(_REFERENCE.findall(svg))
    svg = re.sub(r' id="([^"]+)"', lambda match: f' id="{prefix}{match[1]}"' if match[1] in used else "", svg)
    svg = re.sub(r"(xlink:href=\"#|url\(#)", rf"\1{prefix}", svg).replace("xlink:href", "href")
    svg = without_styles(re.sub(r"\s*\n\s*", " ", svg).replace("> <", "><"))
    return re.sub(r"<svg [^>]*(viewBox=\"[^\"]*\")[^>]*>", r'<svg class="plot" aria-hidden="true" \1>', svg, count=1)


def _svg_of(figure: Figure) -> str:
    """The figure as text without a date."""
    out = io.BytesIO()
    figure.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return shortened(out.getvalue().decode())


def shortened(svg: str) -> str:
    """An SVG that says nothing of when and by what it was made, its numbers to a tenth, which is enough for an eye."""
    return _NUMBER.sub(lambda match: f"{float(match[0]):.1f}", _METADATA.sub("", svg))
