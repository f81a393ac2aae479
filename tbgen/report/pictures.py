"""Pictures: plots as files of their own, on white, for a page that is not ours."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tbgen.errors import UsageError
from tbgen.records.record import Record
from tbgen.report.boards import picture_of
from tbgen.report.extra import need_extra
from tbgen.report.plots import STYLE, bars_figure, distances_figure, shortened
from tbgen.score import Color, Outcome
from tbgen.storage.files import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS: Final = (".svg", ".png")
_SHOWN: Final = (
    *("KvK", "KNvK", "KBvK", "KPvK", "KQvK", "KNNvK", "KBBvK", "KBNvK", "KBvKN", "KRvKN", "KRvKB", "KRvKR"),
    *("KQvKR", "KQvKQ", "KNvKP", "KBvKP", "KRvKP", "KQvKP", "KPvKP", "KPPvK"),
)
"""The endings that the picture of all shows, where there are records of them."""
_INCHES: Final = 7.2


def draw_table(record: Record, path: Path) -> None:
    """Draw one table: shares of outcomes, and how far away they are, for either side to move."""
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise UsageError(f"a plot is written to a file that ends with {' or '.join(FORMATS)}, not to {path.name}")
    write_whole(path, [_drawn(lambda figure: _table(figure, record), 7.4, suffix[1:])])


def draw_pictures(records: Iterable[Record], folder: Path) -> list[Path]:
    """The pictures of a readme: all endings, one table, and the position of the longest line."""
    known = {str(record.material): record for record in records}
    rows = [(name, _counts(known[name])) for name in _SHOWN if name in known]
    files: dict[str, bytes] = {
        "endings.svg": _drawn(lambda figure: _endings(figure, rows), 0.24 * len(rows) + 0.7, "svg")
    }
    longest = max(known.values(), key=lambda record: found[2].dtg if (found := record.longest()) else 0)
    if (line := longest.longest()) is not None:
        files["longest.svg"] = picture_of(line[2].fen).encode() + b"\n"
    if "KBvKN" in known:
        files["KBvKN.svg"] = _drawn(lambda figure: _table(figure, known["KBvKN"]), 7.4, "svg")
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        write_whole(folder / name, [content])
    return [folder / name for name in files]


def _drawn(draw: Any, height: float, form: str) -> bytes:
    """What `draw` puts on an empty figure, as a file's bytes."""
    need_extra()
    import matplotlib as mpl
    from matplotlib.figure import Figure

    out = io.BytesIO()
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(_INCHES, height), layout="constrained")
        draw(figure)
        metadata = {"Date": None, "Creator": None} if form == "svg" else {"Software": None}
        figure.savefig(out, format=form, facecolor="white", dpi=160, metadata=metadata)
    return shortened(out.getvalue().decode()).encode() if form == "svg" else out.getvalue()


def _counts(record: Record, sides: Sequence[Color] = tuple(Color)) -> Mapping[Outcome, int]:
    counts: dict[Outcome, int] = {}
    for side in sides:
        for outcome, each in record.sides[side].items():
            counts[outcome] = counts.get(outcome, 0) + each.count.classes
    return counts


def _endings(figure: Figure, rows: Sequence[tuple[str, Mapping[Outcome, int]]]) -> None:
    bars_figure(figure.add_subplot(), rows)
    figure.suptitle(
        "What best play makes of all positions: White's scores warm, Black's cool, mates darkest", fontsize=9
    )


def _table(figure: Figure, record: Record) -> None:
    bars, *plots = figure.subplots(3, 1, height_ratios=(0.32, 1, 1))
    bars_figure(bars, [(f"{side} to move", _counts(record, [side])) for side in Color if record.sides[side]])
    bars.set_xlabel("")
    for side, axes in zip(Color, plots, strict=True):
        if record.sides[side]:
            distances_figure(axes, {outcome: each.distances for outcome, each in record.sides[side].items()})
        axes.text(0.99, 0.95, f"{side} to move", ha="right", va="top", transform=axes.transAxes)
    figure.suptitle(f"{record.material}: {record.positions.classes:,} positions up to symmetry", fontsize=10)
