"""Who won an event or leads it, in a sentence or two, and how far the event has come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tbgen.apps.events.columns import name_of, value_of
from tbgen.apps.events.criteria import TieBreak
from tbgen.apps.events.knockout import Tie
from tbgen.apps.events.players import PlayerRow
from tbgen.apps.events.standings import Standings
from tbgen.apps.events.ties import names_in_words
from tbgen.text import counted


def headline(standings: Standings, knockout: Mapping[int, Sequence[Tie[str]]]) -> str:
    """Who won, or leads; empty if no game counts."""
    if not standings.rows:
        return ""
    if knockout:
        return _of_knockout(knockout)
    first = [row for row in standings.rows if row.rank == 1]
    names = names_in_words(first)
    criterion = standings.order[0]
    value = value_of(standings, criterion, first[0])
    with_value = f" with {value} {_unit_of(criterion, value)}" if value else ""
    if len(first) > 1:
        return f"{names} share first place{with_value}."
    games = counted(first[0].games - first[0].byes, "game", "games")
    is_won = standings.is_over and standings.is_first_certain
    verb = "wins" if is_won else "leads"
    told = f"{names} {verb}{with_value}, from {games}."
    if len(standings.rows) > 1:
        told += _second(standings, standings.rows[1])
    return told


def heading(standings: Standings, knockout: Mapping[int, Sequence[Tie[str]]]) -> str:
    """What the table of players shows: final standings, or those after or in a round."""
    if knockout:
        return "Points of all games"
    if standings.is_over and not standings.doubtful:
        return "Final standings"
    # Byes have their points before the round is played.
    played = [game.round_number for game in standings.finished if not game.is_bye]
    last = max(played, default=0)
    if not last:
        return "Standings"
    is_running = any(game.round_number == last for game in standings.unfinished)
    return f"Standings {'in' if is_running else 'after'} round {last}"


def _second(standings: Standings, second: PlayerRow) -> str:
    """Who is second, if only a tie-break says so."""
    criterion = standings.order[0]
    if second.behind_by in (None, criterion):
        return ""
    assert second.behind_by is not None
    return f" {second.name} has as much, and is second by {name_of(second.behind_by)}."


def _unit_of(criterion: TieBreak, value: str) -> str:
    """What a value counts, such as `points`."""
    if criterion not in ("classical", "points"):
        return f"by {name_of(criterion)}"
    unit = "point" if value == "1" else "points"
    return f"{unit} on the score sheet" if criterion == "classical" else unit


def _of_knockout(knockout: Mapping[int, Sequence[Tie[str]]]) -> str:
    """The winner of the last tie, or the round that is being played."""
    number = max(knockout)
    ties = knockout[number]
    if len(ties) == 1 and ties[0].winner is not None:
        return f"{ties[0].winner} wins the knockout."
    undecided = sum(tie.winner is None for tie in ties)
    return f"Round {number}: {undecided} of {counted(len(ties), 'tie', 'ties')} undecided."
