"""The criteria by which players are ranked, and lists of them that rules prescribe."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from tbgen.apps.events import tiebreaks
from tbgen.apps.events.tiebreaks import CrossTable, Values
from tbgen.rules.points import LOSS, WIN

TieBreak = str
"""A criterion by which players are ranked, one of `TIE_BREAKS`.

`classical` is points by the sheet, a win 1 and a draw 1/2. `points` is the sum of r-mobility
points. `net` is the lexicographic order of the rules: stalemates given minus suffered, then the
same for G1.0, G1.5 and so on. The others come from the cross table, and count the kind of points
that ranks first.
"""

ON_TABLE: Final[Mapping[TieBreak, Callable[[CrossTable], Values]]] = {
    "sonneborn-berger": tiebreaks.sonneborn_berger,
    "buchholz": tiebreaks.buchholz,
    "buchholz-cut-1": partial(tiebreaks.buchholz, lowest=1),
    "buchholz-median": partial(tiebreaks.buchholz, lowest=1, highest=1),
    "wins": tiebreaks.wins,
    "black-wins": tiebreaks.black_wins,
    "crashes": tiebreaks.crashes,
    "double-wins": tiebreaks.double_wins,
    "quick-wins": partial(tiebreaks.lengths, points=WIN, is_more_better=False),
    "long-losses": partial(tiebreaks.lengths, points=LOSS, is_more_better=True),
}

TIE_BREAKS: Final[tuple[TieBreak, ...]] = (
    "classical",
    "points",
    "net",
    "direct-encounter",
    *ON_TABLE,
)
DEFAULT_ORDER: Final[tuple[TieBreak, ...]] = ("points", "net", "direct-encounter", "classical")
"""By r-mobility points first, as the rules demand; under --scoring classical they are the ordinary
points.
"""

PRESETS: Final[Mapping[str, tuple[TieBreak, ...]]] = {
    "tcec-swiss": ("classical", "sonneborn-berger", "points", "wins", "direct-encounter"),
    "tcec-league": (
        "classical",
        "direct-encounter",
        "sonneborn-berger",
        "points",
        "double-wins",
        "quick-wins",
        "long-losses",
    ),
    "tcec-season-18": ("classical", "crashes", "direct-encounter", "wins", "sonneborn-berger"),
    "otb": (
        "points",
        "direct-encounter",
        "buchholz-cut-1",
        "buchholz",
        "sonneborn-berger",
        "wins",
        "net",
    ),
}
"""Name -> criteria in order; docs/adjudication.md names the rules behind them."""
