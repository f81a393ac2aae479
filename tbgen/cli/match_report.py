"""The standings of a match in words and columns."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from tbgen.apps.match.engine import TIME_FORFEIT
from tbgen.apps.match.match import Match
from tbgen.apps.match.standings import Record, Standings
from tbgen.apps.match.statistics import Strength

Table = tuple[tuple[str, ...], list[tuple[str, ...]], str]
"""Heads, rows, and which columns are flush right."""

HEADS = ("scoring", "points", "%", "Elo", "95 %", "LOS", ">½", "=½", "<½", "var game", "var pair", "0-½-1-1½-2")
RIGHT = ".rrrrrrrrrrr"


def meeting_table(standings: Standings, first: int, second: int) -> Table:
    """One engine's results against another, under every scoring."""
    rows = []
    for scoring in standings.scorings():
        mine = standings.record(first, scoring, against=second)
        rows.append((scoring.scheme.value, *_figures(mine)))
    return HEADS, rows, RIGHT


def _figures(record: Record) -> tuple[str, ...]:
    strength = record.strength
    wins, draws, losses = record.games.wins_draws_losses()
    pairs = record.pairs
    return (
        f"{points_text(strength.points)}-{points_text(strength.games - strength.points)}",
        f"{float(100 * strength.share):.2f}",
        elo_text(strength),
        "-" if strength.error is None else f"±{strength.error:.1f}",
        "-" if strength.superiority is None else likelihood_text(strength.superiority),
        str(wins),
        str(draws),
        str(losses),
        f"{float(record.games.variance):.4f}" if record.games.units else "-",
        f"{float(pairs.variance):.4f}" if pairs.units else "-",
        "-".join(map(str, pairs.by_quarters())) if pairs.units else "-",
    )


def ranking_table(standings: Standings) -> Table:
    """All engines, best first under the scoring that decides, with the points of the other scorings."""
    mine, *others = standings.scorings()
    heads = ("", "engine", "games", mine.scheme.value, "%", "Elo", "95 %", *(each.scheme.value for each in others))
    rows = []
    for place, player in enumerate(standings.ranking(), start=1):
        strength = standings.record(player, mine).strength
        error = "-" if strength.error is None else f"±{strength.error:.1f}"
        rows.append(
            (
                str(place),
                standings.players[player],
                str(strength.games),
                points_text(strength.points),
                f"{float(100 * strength.share):.2f}",
                elo_text(strength),
                error,
                *(points_text(standings.record(player, each).games.total) for each in others),
            )
        )
    return heads, rows, "r." + "r" * (len(heads) - 2)


def elo_text(strength: Strength) -> str:
    """Elo with its sign; `inf` where one side has all the points."""
    return f"{strength.elo:+.1f}" if math.isfinite(strength.elo) else ("inf" if strength.elo > 0 else "-inf")


def likelihood_text(likelihood: float) -> str:
    """A likelihood in per cent, never 0 or 100.

    >>> likelihood_text(0.00672), likelihood_text(0.5), likelihood_text(0.99999)
    ('0.7 %', '50.0 %', '> 99.9 %')
    """
    percent = 100 * likelihood
    if percent < 0.05:
        return "< 0.1 %"
    return "> 99.9 %" if percent >= 99.95 else f"{percent:.1f} %"


def points_text(points: Fraction) -> str:
    """Points without more decimals than they need, at most four.

    >>> points_text(Fraction(9, 16)), points_text(Fraction(3)), points_text(Fraction(7, 2))
    ('0.5625', '3', '3.5')
    """
    return f"{float(points):.4f}".rstrip("0").rstrip(".")


def test_line(match: Match) -> str | None:
    """Where the sequential test stands, if there is one."""
    sprt = match.settings.sprt
    if sprt is None:
        return None
    state = match.standings.test(sprt)
    bounds = f"({sprt.lower:.2f}, {sprt.upper:.2f}) [{sprt.elo0:g}, {sprt.elo1:g}]"
    return f"SPRT {sprt.model.value}: LLR {state.ratio:.2f} {bounds}, {state.conclusion.value}"


def forfeit_lines(standings: Standings) -> Iterator[str]:
    """How often each engine lost otherwise than on the board."""
    for player, name in enumerate(standings.players):
        ways = Counter(
            result.game.termination
            for result in standings.forfeits()
            if result.side(player) is not result.game.outcome.holder
            and player in (result.pairing.white, result.pairing.black)
        )
        if ways:
            yield f"{name} forfeited: " + ", ".join(f"{count} × {way}" for way, count in sorted(ways.items()))


def time_hint(standings: Standings) -> str | None:
    """What to try if every game was lost on time."""
    if not standings.results or any(each.game.termination != TIME_FORFEIT for each in standings.results.values()):
        return None
    return "every game was lost on time: allow a margin, such as timemargin=100 with -each, or give more time"


def hours(seconds: float) -> str:
    """A time for people.

    >>> hours(3725), hours(65), hours(5)
    ('1 h 02 min', '1 min 05 s', '5 s')
    """
    whole = round(seconds)
    if whole >= 3600:
        return f"{whole // 3600} h {whole // 60 % 60:02} min"
    return f"{whole // 60} min {whole % 60:02} s" if whole >= 60 else f"{whole} s"
