"""What the shell, pages, JSON and CSV say of an event: who leads or has won, and by which rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from tbgen.apps.events.criteria import TieBreak, name_of
from tbgen.apps.events.cross_table import byes_of, value_of
from tbgen.apps.events.knockout import Knockout, round_in_words, tie_in_words
from tbgen.apps.events.players import PlayerRow
from tbgen.apps.events.standings import Standings
from tbgen.apps.events.ties import names_in_words, ties_of
from tbgen.apps.games.dates import in_words
from tbgen.apps.games.rules import Rules
from tbgen.apps.games.tags import Source
from tbgen.rules.points import Scheme, Scoring
from tbgen.rules.stage import FiftyMoveSetting
from tbgen.score import Color, Score
from tbgen.text import counted, in_decimals

_EXAMPLES: Final = (0, 1, 2, 3, 7)
"""The codes of scores whose points a page names: mate, stalemate, G1.0, G1.5 and G3.5."""
_FIFTY: Final = {
    FiftyMoveSetting.NONE: "The fifty-move rule ends no game.",
    FiftyMoveSetting.FIDE: "The fifty-move rule is that of ordinary chess.",
    FiftyMoveSetting.RESET: (
        "A better score below the cutoff restarts the count of the fifty-move rule."
    ),
    FiftyMoveSetting.LEGACY: "The fifty-move rule is that of earlier events (legacy).",
}
NAMELESS = "Games without an event"
SUMS_OF_KNOCKOUT = "The meetings decide a knockout, not these sums."


@dataclass(frozen=True)
class BracketRound:
    """A round of a knockout in words."""

    name: str
    ties: list[tuple[str, str]]
    """The winner of each tie, or an empty text, and the rest of the sentence."""
    byes: list[str]
    """A line for each player without an opponent."""


@dataclass(frozen=True)
class Told:
    """An event in words, for the shell and for pages."""

    title: str
    dates: str
    counts: str
    """How many games, players and byes it has."""
    headline: str
    """Who has won, or leads; empty if no game counts."""
    heading: str
    """What the table of players shows."""
    bracket: list[BracketRound]
    """Empty unless the event is a knockout."""
    note: str
    """What a reader of the table has to know; empty if there is nothing."""
    byes: dict[str, str]
    """Player -> the points of byes; empty without byes."""
    ties: list[list[str]]
    """Why players with equal points stand in their order."""


def told_of(standings: Standings) -> Told:
    """What there is to say of an event."""
    knockout = standings.knockout
    return Told(
        title=standings.event or NAMELESS,
        dates=in_words(standings.days),
        counts=", ".join(_counts_in_words(standings)),
        headline=headline(standings),
        heading=heading(standings),
        bracket=[] if knockout is None else list(_bracket_in_words(knockout)),
        note="" if knockout is None else SUMS_OF_KNOCKOUT,
        byes=byes_of(standings),
        ties=ties_of(standings) if knockout is None else [],
    )


def facts_of_event(standings: Standings) -> dict[str, Any]:
    """An event as JSON has it."""
    provisional = {name or "?": number for name, number in standings.provisional.most_common()}
    facts: dict[str, Any] = {
        "event": standings.event,
        "dates": in_words(standings.days),
        "headline": headline(standings),
        "caveat": standings.caveat if standings.doubtful else None,
        "tiebreak": list(standings.order),
        "scoring": [scheme.value for scheme in standings.schemes],
        "games": standings.games,
        "byes": standings.byes,
        "unfinished": len(standings.unfinished),
        "skipped": [error.facts() for error in standings.skipped],
        "by_sheet": [error.facts() for error in standings.by_sheet],
        "provisional": provisional,
        "players": [row.facts(standings.indices) for row in standings.rows],
    }
    if standings.knockout is not None:
        facts["knockout"] = standings.knockout.facts()
    return facts


def csv_rows_of(standings: Standings) -> list[dict[str, Any]]:
    """The players as rows of a table, and then what does not count, or counts by its score sheet.

    A cell has the points of all games against a player, as the cross table shows them.
    """
    event = standings.event
    rows = list[dict[str, Any]]()
    for row in standings.rows:
        facts = row.facts(standings.indices)
        facts["net"] = "; ".join(f"{score}: {count}" for score, count in facts["net"].items())
        against = dict[str, str]()
        for other in standings.rows:
            points = row.points_against(other.name)
            against[other.name] = " ".join(map(in_decimals, points))
        facts["against"] = against
        rows.append({"event": event, **facts})
    if standings.unfinished:
        rows.append({"event": event, "unfinished": len(standings.unfinished)})
    for error in standings.by_sheet:
        rows.append({"event": event, "counted_by_score_sheet": str(error)})
    for error in standings.skipped:
        rows.append({"event": event, "left_out": str(error)})
    return rows


def headline(standings: Standings) -> str:
    """Who has won, or leads; empty if no game counts.

    Somebody wins only if somebody has said that the event is over, or if the games of a knockout
    prove it.
    """
    if not standings.rows:
        return ""
    if standings.knockout is not None:
        return _of_knockout(standings.knockout)
    first = [row for row in standings.rows if row.rank == 1]
    names = names_in_words(first)
    criterion = standings.order[0]
    value = value_of(standings, criterion, first[0])
    with_value = f" with {value} {_unit_of(criterion, value)}" if value else ""
    is_decided = standings.is_over and standings.is_first_certain
    if len(first) > 1:
        place = "first place" if is_decided else "the lead"
        told = f"{names} share {place}{with_value}."
    else:
        games = counted(first[0].games, "game", "games")
        verb = "wins" if is_decided else "leads"
        told = f"{names} {verb}{with_value}, from {games}."
        if len(standings.rows) > 1:
            told += _second(standings, standings.rows[1])
    if standings.is_said_to_be_over and not is_decided:
        told += _why_not_final(standings)
    return told


def heading(standings: Standings) -> str:
    """What the table of players shows: final standings, or those after or in a round."""
    if standings.knockout is not None:
        return "Points of all games"
    if standings.is_over and not standings.doubtful:
        return "Final standings"
    # Byes have their points before the round is played.
    played = {game.round_number for game in standings.finished if not game.is_bye}
    if 0 in played or not played:
        return "Standings"
    last = max(played)
    is_running = any(game.round_number == last for game in standings.unfinished)
    return f"Standings {'in' if is_running else 'after'} round {last}"


def _why_not_final(standings: Standings) -> str:
    """Why an event has no winner yet, though somebody has said that it is over."""
    unfinished = len(standings.unfinished)
    if unfinished:
        return f" It is not over: {counted(unfinished, 'game has', 'games have')} no result."
    return " Nobody has won yet: scores that are not final can change the first place."


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


def _of_knockout(knockout: Knockout) -> str:
    """The winner, or how far the last round has come."""
    if knockout.winner is not None:
        return f"{knockout.winner} wins the knockout."
    number = max(knockout.rounds)
    ties = knockout.rounds[number]
    decided = sum(tie.winner is not None for tie in ties)
    undecided = len(ties) - decided
    if not decided:
        counts = counted(undecided, "meeting is not decided", "meetings are not decided")
    else:
        counts = counted(decided, "meeting is decided", "meetings are decided")
        if undecided:
            counts += f", {undecided} {'is' if undecided == 1 else 'are'} not"
    return f"{round_in_words(number)}: {counts}."


def _bracket_in_words(knockout: Knockout) -> Iterator[BracketRound]:
    for number in sorted(knockout.rounds.keys() | knockout.byes.keys()):
        ties = knockout.rounds.get(number, [])
        byes = [f"{name}: bye" for name in knockout.byes.get(number, [])]
        yield BracketRound(round_in_words(number), [tie_in_words(tie) for tie in ties], byes)


def _counts_in_words(standings: Standings) -> Iterator[str]:
    """How many games, players and byes an event has."""
    if standings.rows:
        games = counted(standings.games, "game", "games")
        yield f"{games} of {counted(len(standings.rows), 'player', 'players')}"
    if standings.byes:
        yield counted(standings.byes, "bye", "byes")
    if standings.unfinished:
        yield f"{counted(len(standings.unfinished), 'game', 'games')} without a result"


def rules_in_words(standings: Standings, rules: Rules) -> Iterator[str]:
    """The rules of an event, a sentence each."""
    scorings = dict.fromkeys(game.scoring for game in standings.finished)
    for scoring in scorings:
        yield _scoring_in_words(scoring)
    yield (
        "A won game is G0.0. A drawn game has the lowest score since the last capture or pawn "
        "move, and the side that holds it gets more than the other."
    )
    yield from _best_play_in_words(standings)
    if rules.fifty_moves is not None:
        yield _FIFTY[rules.fifty_moves]
    else:
        yield (
            "Unless the tags of a game name another rule, a better score below the cutoff restarts "
            "the count of the fifty-move rule."
        )
    rounds = {game.round_number for game in standings.finished}
    if 0 in rounds and len(rounds) > 1:
        yield "Games of rounds without a number have points, too, and nobody is absent from them."
    yield "Byes, forfeits and draws without moves have the points of the score sheet."
    if standings.by_sheet or standings.skipped:
        yield "A game whose moves cannot be read has the points of the score sheet."
    if standings.unfinished:
        yield "A game without a result does not count yet."


def _scoring_in_words(scoring: Scoring) -> str:
    """A scheme with the points of some scores."""
    scheme = scoring.scheme
    told = f"Points are {scheme.value}"
    if scheme is Scheme.KOMI:
        told += f", with a komi of {scoring.komi}"
    if scheme in (Scheme.KOMI, Scheme.WINNER):
        told += f", and scores from {Score(scoring.cutoff_code, Color.WHITE)} on are alike"
    examples = []
    for code in _EXAMPLES:
        score = Score(code, Color.WHITE)
        examples.append(f"{in_decimals(scoring.points(score)[Color.WHITE])} for {score}")
    return f"{told}: {', '.join(examples)}. The opponent gets the rest of the point."


def _best_play_in_words(standings: Standings) -> Iterator[str]:
    """How games that stopped were decided."""
    sources = Counter(game.source for game in standings.finished)
    yield (
        "Best play continues a game that stopped, if a table has its last position or a solve "
        "proves it. Otherwise the accrued score stands."
    )
    by_best_play = sources[Source.TABLEBASE] + sources[Source.SOLVED]
    if by_best_play:
        verb = "was" if by_best_play == 1 else "were"
        yield f"Best play decided {counted(by_best_play, 'game', 'games')} that {verb} stopped."
