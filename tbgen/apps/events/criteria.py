"""The criteria by which players are ranked: what each counts, in words, and how it is counted.

Lists of criteria that rules prescribe stand here, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Final, NamedTuple

from tbgen.apps.events import tiebreaks
from tbgen.apps.events.tiebreaks import CrossTable
from tbgen.rules.points import LOSS, WIN

TieBreak = str
"""A criterion by which players are ranked, one of `TIE_BREAKS`."""

Figure = Fraction | None
"""A player's value of a criterion as people count it; None without such a game."""

_ASSUMED_LENGTH: Final = Fraction(10_000)
"""The assumed length of games, in moves, for a player without such a game. It only ranks."""


class Meaning(NamedTuple):
    """A criterion, in words and as a function."""

    head: str
    """The head of its column."""
    name: str
    """Its name within a sentence."""
    sentence: str
    """What it counts."""
    of_table: Callable[[CrossTable], Mapping[str, Figure]] | None = None
    """Its values by the cross table, of the kind of points that ranks first; None for others."""
    is_fewer_better: bool = False


MEANINGS: Final[Mapping[TieBreak, Meaning]] = {
    "classical": Meaning(
        "Score sheet", "the score sheet", "A win is 1 and a draw 1/2, as in ordinary chess."
    ),
    "points": Meaning(
        "Points", "points", "The sum of the r-mobility points of all games, in exact fractions."
    ),
    "net": Meaning(
        "Net",
        "net counts",
        "Stalemates given less suffered; if these are equal, the same for G1.0, G1.5 and so on.",
    ),
    "direct-encounter": Meaning(
        "Direct encounter",
        "direct encounter",
        "The points of the games between equal players. If some of them have not met, "
        "it places only those whom none of the others can overtake.",
    ),
    "sonneborn-berger": Meaning(
        "Sonneborn-Berger",
        "Sonneborn-Berger",
        "The sum of the opponents' points, each times the points won against that opponent.",
        tiebreaks.sonneborn_berger,
    ),
    "buchholz": Meaning(
        "Buchholz", "Buchholz", "The sum of the opponents' points.", tiebreaks.buchholz
    ),
    "buchholz-cut-1": Meaning(
        "Buchholz cut 1",
        "Buchholz cut 1",
        "The sum of the opponents' points without the lowest.",
        partial(tiebreaks.buchholz, lowest=1),
    ),
    "buchholz-median": Meaning(
        "Median Buchholz",
        "median Buchholz",
        "The sum of the opponents' points without the lowest and the highest.",
        partial(tiebreaks.buchholz, lowest=1, highest=1),
    ),
    "wins": Meaning("Wins", "wins", "The rounds with the points of a win.", tiebreaks.wins),
    "black-wins": Meaning(
        "Black wins",
        "wins with Black",
        "The games that were played and won with Black.",
        tiebreaks.black_wins,
    ),
    "crashes": Meaning(
        "Crashes",
        "fewer crashes",
        "Games lost by a crash, a lost connection or silence, by the tags Termination and "
        "TerminationDetails; fewer are better.",
        tiebreaks.crashes,
        is_fewer_better=True,
    ),
    "double-wins": Meaning(
        "Double wins",
        "double wins",
        "Pairs of games with one opponent, won with both colours.",
        tiebreaks.double_wins,
    ),
    "quick-wins": Meaning(
        "Quick wins",
        "quick wins",
        "The average number of moves of won games; fewer are better.",
        partial(tiebreaks.lengths, points=WIN),
        is_fewer_better=True,
    ),
    "long-losses": Meaning(
        "Long losses",
        "long losses",
        "The average number of moves of lost games; more are better.",
        partial(tiebreaks.lengths, points=LOSS),
    ),
}

TIE_BREAKS: Final[tuple[TieBreak, ...]] = tuple(MEANINGS)
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


def more_is_better(criterion: TieBreak, figure: Figure) -> Fraction:
    """A number by which players can be sorted."""
    value = _ASSUMED_LENGTH if figure is None else figure
    return -value if MEANINGS[criterion].is_fewer_better else value


def name_of(criterion: TieBreak) -> str:
    """The name of a criterion within a sentence."""
    return MEANINGS[criterion].name
