"""Pictures: plots as SVG files of their own, for a page that is not ours, on a ground of their own, light or dark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Final

from tbgen.apps.records.record import Record
from tbgen.apps.site.report.boards import picture_of
from tbgen.apps.site.report.palette import DARK, LIGHT, bar_of, border_of, colors
from tbgen.apps.site.report.plots import HEIGHT, WIDTH, Plot, plot_of
from tbgen.errors import UsageError
from tbgen.score import Color, Outcome
from tbgen.storage.files import write_whole

DASHES: Final = ("none", "7 3", "2 2.5", "10 3 2 3", "5 4", "14 4", "6 2 1.5 2 1.5 2")
"""[dash] -> the pattern of a line, as `static/style.css` has it too."""

_SHOWN: Final = (
    *("KvK", "KNvK", "KBvK", "KPvK", "KQvK", "KNNvK", "KBBvK", "KBNvK", "KBvKN", "KRvKN", "KRvKB", "KRvKR"),
    *("KQvKR", "KQvKQ", "KNvKP", "KBvKP", "KRvKP", "KQvKP", "KPvKP", "KPPvK"),
)
"""The endings that the picture of all shows, where there are records of them."""
_SIZE: Final = 720
_ROW: Final = 24
_LEFT: Final = 96
_ACROSS: Final = 606
_PLOT_HEIGHT: Final = 230
_GROUNDS: Final = {
    "light": ("#fcfbf8", "#1f2328", "#5b6270", "#dcd9d0"),
    "dark": ("#15181c", "#e4e2dc", "#a0a6b0", "#33383f"),
}


def draw_table(record: Record, path: Path) -> None:
    """Draw one table: shares of outcomes, and how far away they are, for either side to move."""
    if path.suffix.lower() != ".svg":
        raise UsageError(f"a plot is written to a file that ends with .svg, not to {path.name}")
    write_whole(path, [_table(record).encode()])


def draw_pictures(records: Iterable[Record], folder: Path) -> list[Path]:
    """The pictures of a readme: all endings, one table, and the position of the longest line."""
    known = {str(record.material): record for record in records}
    rows = [(name, _counts(known[name])) for name in _SHOWN if name in known]
    files = {"endings.svg": _endings(rows)}
    longest = max(known.values(), key=lambda record: found[2].dtg if (found := record.longest()) else 0)
    if (line := longest.longest()) is not None:
        files["longest.svg"] = picture_of(line[2].fen) + "\n"
    if "KBvKN" in known:
        files["KBvKN.svg"] = _table(known["KBvKN"])
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        write_whole(folder / name, [content.encode()])
    return [folder / name for name in files]


def _counts(record: Record, sides: Sequence[Color] = tuple(Color)) -> Mapping[Outcome, int]:
    counts: dict[Outcome, int] = {}
    for side in sides:
        for outcome, each in record.sides[side].items():
            counts[outcome] = counts.get(outcome, 0) + each.count.classes
    return counts


def _endings(rows: Sequence[tuple[str, Mapping[Outcome, int]]]) -> str:
    title = "What best play makes of all positions: White's scores warm, Black's cool, mates strongest"
    height, bars = _bars(rows, 34)
    return _picture(title, height, bars)


def _table(record: Record) -> str:
    title = f"{record.material}: {record.positions.classes:,} positions up to symmetry"
    sides = [side for side in Color if record.sides[side]]
    top, text = _bars([(f"{side} to move", _counts(record, [side])) for side in sides], 34)
    for side in sides:
        text += _distances(record, side, top)
        top += _PLOT_HEIGHT + 80
    return _picture(title, top, text)


def _picture(title: str, height: float, body: str) -> str:
    """A picture with its own ground, ink and colours, in light and in dark."""
    light, dark = (_style(name, shades) for name, shades in (("light", LIGHT), ("dark", DARK)))
    dashes = "".join(f".d{number}{{stroke-dasharray:{dash}}}" for number, dash in enumerate(DASHES))
    style = (
        f"{light}@media(prefers-color-scheme:dark){{{dark}}}"
        f".line,.grid,.axis{{fill:none;vector-effect:non-scaling-stroke}}.line{{stroke-width:1.8}}"
        f".other{{stroke-width:.7;opacity:.35}}{dashes}.dots{{stroke-width:5;stroke-linecap:round}}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_SIZE} {height:g}" width="{_SIZE}" height="{height:g}" '
        f'font-family="DejaVu Sans, Verdana, sans-serif" font-size="12" role="img" aria-label="{escape(title)}">'
        f'<style>{style}</style><rect class="ground" width="{_SIZE}" height="{height:g}" rx="6"/>'
        f"{_text(_SIZE / 2, 20, title, kind='')}{body}</svg>\n"
    )


def _style(name: str, shades: Mapping[str, tuple[str, ...]]) -> str:
    ground, ink, soft, rule = _GROUNDS[name]
    fills = "".join(f".{shade}{{fill:{color};stroke:{color}}}" for shade, color in colors(shades).items())
    return (
        f".ground{{fill:{ground}}}text{{fill:{ink}}}.soft{{fill:{soft}}}.grid,.axis{{stroke:{rule}}}"
        f".other,.border{{stroke:{ink}}}{fills}"
    )


def _text(x: float, y: float, words: str, *, kind: str = "soft", anchor: str = "middle") -> str:
    look = f' class="{kind}"' if kind else ""
    return f'<text{look} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _bars(rows: Sequence[tuple[str, Mapping[Outcome, int]]], top: float) -> tuple[float, str]:
    """Shares of outcomes as bars from `top` on, the first row first; and where they end."""
    text = ""
    for number, (name, counts) in enumerate(rows):
        y, parts = top + number * _ROW, bar_of(counts)
        text += _text(_LEFT - 8, y + 13, name, kind="", anchor="end")
        text += "".join(
            f'<rect class="{part.shade}" stroke-width="0" x="{_LEFT + _ACROSS * part.start / 100:.1f}" y="{y:g}" '
            f'width="{_ACROSS * part.percent / 100:.2f}" height="17"/>'
            for part in parts
        )
        if (border := border_of(parts)) is not None:
            text += f'<path class="border" stroke-width="2" d="M{_LEFT + _ACROSS * border / 100:.1f} {y - 1:g}v19"/>'
    bottom = top + len(rows) * _ROW
    text += "".join(_text(_LEFT + _ACROSS * share / 100, bottom + 12, str(share)) for share in range(0, 101, 20))
    return bottom + 42, text + _text(_LEFT + _ACROSS / 2, bottom + 28, "% of positions")


def _distances(record: Record, side: Color, top: float) -> str:
    """The plot of one side to move, from `top` on."""
    plot = plot_of({outcome: each.distances for outcome, each in record.sides[side].items()})
    base = top + 24
    below = base + _PLOT_HEIGHT
    text = _text(_LEFT, top + 12, f"{side} to move", kind="", anchor="start")
    for number, line in enumerate(plot.named):
        x = _LEFT + 100 + number * 73
        text += f'<path class="line {line.shade} d{line.dash}" d="M{x} {top + 8:g}h22"/>'
        text += _text(x + 27, top + 12, str(line.outcome), kind="", anchor="start")
    for tick in plot.up:
        y = base + _PLOT_HEIGHT * tick.place / 100
        text += f'<path class="grid" d="M{_LEFT} {y:.1f}h{_ACROSS}"/>{_text(_LEFT - 8, y + 4, tick.text, anchor="end")}'
    text += "".join(_text(_LEFT + _ACROSS * tick.place / 100, below + 16, tick.text) for tick in plot.across)
    text += _text(_LEFT + _ACROSS / 2, below + 32, "plies to the goal")
    return text + _lines(plot, f"translate({_LEFT} {base:g}) scale({_ACROSS / WIDTH:g} {_PLOT_HEIGHT / HEIGHT:g})")


def _lines(plot: Plot, scaled: str) -> str:
    text = f'<g transform="{scaled}"><path class="axis" d="M0 0V{HEIGHT}H{WIDTH}"/>'
    for line in plot.lines:
        look = "other" if line.shade is None else f"{line.shade} d{line.dash}"
        text += f'<path class="line {look}" d="{line.path}"/>'
        text += f'<path class="line dots {look}" d="{line.dots}"/>' if line.dots else ""
    return f"{text}</g>"
