"""The view of a match on a terminal: its games, and its standings now and then."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

import click

from tbgen.apps.games.writing import last_move
from tbgen.apps.match.engine import SILENT, Offence
from tbgen.apps.match.info import DoubtKind
from tbgen.apps.match.results import Figures, MatchStandings
from tbgen.apps.match.runner import Match
from tbgen.apps.match.schedule import Pairing
from tbgen.apps.match.settings import MatchSettings
from tbgen.apps.match.sheet import Sheet
from tbgen.apps.match.statistics import Distribution
from tbgen.cli.reporter import Reporter, clock
from tbgen.cli.showing import table_lines
from tbgen.rules.game import FiftyMoveSetting
from tbgen.rules.points import format_points
from tbgen.system.process import processors
from tbgen.text import counted, in_decimals


class MatchView:
    """A line when a game begins and when it is over, and the standings now and then.

    The reporter decides which of these are shown. Its bars show the games at work, and its lines do
    not.
    """

    def __init__(self, reporter: Reporter, keep_up: Callable[[Match], None]) -> None:
        self._reporter = reporter
        self._keep_up = keep_up
        self.says = reporter.say
        self._begun = time.monotonic()
        self._played = 0
        self._doubts = Counter[tuple[str, DoubtKind]]()
        """[engine, kind] -> how often its lines were wrong."""

    def begins(self, match: Match) -> None:
        self._match = match
        players = ", ".join(match.standings.players)
        self.says(f"{players}: {_games(match.scheduled)}, seed {match.plan.seed}")
        done = len(match.standings.games)
        if done:
            rest = "going on with the others"
            if match.is_over():
                rest = "there is nothing left to play"
            self.says(f"{_games(done)} played already; {rest}")
        for note in _notes(match):
            self.says(f"note: {note}")
        self._games = self._reporter.work("games", match.scheduled, every=math.inf)

    def moved(self, sheet: Sheet) -> None:
        title = self._title(sheet.pairing)
        if not sheet.answers:
            self._reporter.log(f"Started game {title}")
        times = list[str]()
        for side_clock in sheet.clocks:
            remaining = side_clock.remaining
            times.append("-" if remaining is None else f"{remaining:.1f}")
        move = last_move(sheet.game.board, sheet.game.last.san) or "-"
        work = self._reporter.work(title, as_share=True, every=math.inf)
        work.advance(0, detail=f"{move}, accrued {sheet.game.last.accrued}, {' '.join(times)}")

    def game_over(self, sheet: Sheet) -> None:
        match = self._match
        title = self._title(sheet.pairing)
        self._played += 1
        self._reporter.end(title)
        ending = sheet.ending
        scoring = sheet.rules.scoring
        points = format_points(scoring.points(ending.outcome), scoring.scheme)
        self.says(f"Finished game {title}: {ending.outcome} {points} {{{ending.details}}}")
        self._note_doubts(sheet)
        pace = (time.monotonic() - self._begun) / self._played
        self._games.reach(
            len(match.standings.games),
            match.scheduled,
            detail=test_line(match),
            left=match.left * pace,
        )
        interval = match.settings.rating_interval
        if interval and self._played % interval == 0 and not match.is_over():
            for line in self._standings():
                self.says(line)
            self._keep_up(match)

    def _note_doubts(self, sheet: Sheet) -> None:
        """Count an engine's wrong lines, and show the first of each kind."""
        for ply, answer in sheet.answers.items():
            if answer.doubt is None:
                continue
            name = self._match.standings.names(sheet.pairing)[sheet.mover_of(ply)]
            kind, details = answer.doubt
            self._doubts[name, kind] += 1
            if self._doubts[name, kind] == 1:
                self.says(
                    f"warning: {name}, game {sheet.pairing.number}, move {sheet.number_of(ply)} "
                    f"{kind.value}: {details}"
                )

    def ends(self, match: Match, *, interrupted: bool) -> None:
        """The last word on a match."""
        self._reporter.close()
        standings = match.standings
        if standings.games:
            lines = [*self._standings(), *_forfeits(standings), *self._wrong_lines()]
            click.echo("\n".join(["", *lines]))
        if match.is_decided():
            click.echo(f"the test is decided after {_games(len(standings.games))}")
        elif interrupted and match.settings.pgn is not None:
            click.echo(
                f"interrupted with {_games(match.left)} to play; "
                "the same command with -recover goes on"
            )
        click.echo(f"{_games(self._played)} in {clock(time.monotonic() - self._begun)}")

    def _wrong_lines(self) -> Iterator[str]:
        """How often the lines of each engine were wrong."""
        for (name, kind), number in self._doubts.items():
            yield f"{name}: {counted(number, kind.value, kind.plural)}"

    def _title(self, pairing: Pairing) -> str:
        names = " vs ".join(self._match.standings.names(pairing))
        return f"{pairing.number} of {self._match.scheduled} ({names})"

    def _standings(self) -> Iterator[str]:
        """The ranking of more than two engines, or the meeting of two."""
        standings = self._match.standings
        players = standings.players
        if len(players) > 2:
            yield from ranking_lines(standings)
            if standings.byes:
                yield "ranked with byes as won games"
        elif standings.meetings():
            games = standings.record(0, standings.scoring, against=1).games.games
            yield f"{players[0]} against {players[1]}, {_games(games)}"
            yield from meeting_lines(standings, 0, 1)
        yield from bracket_lines(self._match)
        line = test_line(self._match)
        if line is not None:
            yield line


def _games(number: int) -> str:
    return counted(number, "game", "games")


def _notes(match: Match) -> Iterator[str]:
    """Warnings before the first game."""
    settings = match.settings
    if settings.concurrency > processors():
        yield (
            f"{settings.concurrency} games at a time share {processors()} cores; "
            "engines may lose on time"
        )
    players = match.standings.players
    ordinary = [
        name for name, knows in zip(players, match.knows_r_mobility, strict=True) if not knows
    ]
    if ordinary and settings.rules.fifty_moves.setting is FiftyMoveSetting.RESET:
        yield (
            f"{', '.join(ordinary)} may know only the ordinary fifty-move rule; "
            "-fifty legacy plays by it"
        )
    if _may_repeat_games(settings):
        yield "engines with fixed nodes or depth may repeat games; give them -openings"


def _may_repeat_games(settings: MatchSettings) -> bool:
    """Whether engines whose search no clock ends meet more than twice in the same position."""
    games = settings.plan.games * settings.plan.rounds
    if settings.openings.file is not None or games <= 2:
        return False
    controls = [spec.control for spec in settings.engines]
    return all(control.base is None and control.each_move is None for control in controls)


def meeting_lines(standings: MatchStandings, first: int, second: int) -> Iterator[str]:
    """One engine's results against another, under every scoring."""
    rows = list[dict[str, str]]()
    for scoring in standings.scorings:
        record = standings.record(first, scoring, against=second)
        rows.append({"scoring": scoring.scheme.value, **_figures(record)})
    return _lines(rows)


def _figures(record: Figures) -> dict[str, str]:
    strength = record.strength
    games = record.games
    pairs = record.pairs
    wins, draws, losses = games.wins_draws_losses()
    superiority = strength.superiority
    lost_points = strength.games - strength.points
    return {
        "points": f"{in_decimals(strength.points)}-{in_decimals(lost_points)}",
        **_strength(strength),
        "LOS": "-" if superiority is None else f"{100 * superiority:.1f} %",
        ">½": str(wins),
        "=½": str(draws),
        "<½": str(losses),
        "var game": f"{float(games.variance):.4f}" if games.units else "-",
        "var pair": f"{float(pairs.variance):.4f}" if pairs.units else "-",
        "0-½-1-1½-2": "-".join(map(str, pairs.by_quarters())) if pairs.units else "-",
    }


def _strength(strength: Distribution) -> dict[str, str]:
    """The share of points, Elo and its error."""
    return {
        "%": f"{float(100 * strength.share):.2f}",
        "Elo": f"{round(strength.elo, 1) + 0.0:+.1f}",  # and no -0.0
        "95 %": "-" if strength.error is None else f"±{strength.error:.1f}",
    }


def _lines(rows: Iterable[Mapping[str, str]]) -> Iterator[str]:
    """A table of rows that have the same heads."""
    cells = list(rows)
    return table_lines(list(cells[0]), [list(row.values()) for row in cells])


def ranking_lines(standings: MatchStandings) -> Iterator[str]:
    """All engines, best first under the scoring that decides, with the points of the others."""
    deciding, *others = standings.scorings
    rows = list[dict[str, str]]()
    for number, player in enumerate(standings.ranking(), 1):
        strength = standings.record(player, deciding).strength
        row = {
            "": str(number),
            "engine": standings.players[player],
            "games": str(strength.games),
            deciding.scheme.value: in_decimals(strength.points),
            **_strength(strength),
        }
        for scoring in others:
            points = standings.record(player, scoring).games.points
            row[scoring.scheme.value] = in_decimals(points)
        if standings.byes:
            row["byes"] = str(standings.byes[player])
        rows.append(row)
    return _lines(rows)


def bracket_lines(match: Match) -> Iterator[str]:
    """The meetings of a knockout, round by round."""
    names = match.standings.players
    for meetings in match.bracket():
        yield f"Round {meetings[0].round}"
        for meeting in meetings:
            tie = meeting.tie
            players = [names[player] for player in tie.players if player is not None]
            if len(players) == 1:
                yield f"  {players[0]}: bye"
                continue
            line = f"  {' - '.join(players)} {'-'.join(map(in_decimals, tie.points))}"
            if tie.winner is not None:
                line += f": {names[tie.winner]} by {tie.decided_by}"
            yield line


def test_line(match: Match) -> str | None:
    """Where the sequential test stands, if there is one."""
    sprt = match.settings.sprt
    if sprt is None:
        return None
    ratio = match.standings.ratio(sprt)
    return (
        f"SPRT {sprt.model.value}: LLR {ratio:.2f} ({sprt.lower:.2f}, {sprt.upper:.2f}) "
        f"[{sprt.elo0:g}, {sprt.elo1:g}], {sprt.conclusion(ratio)}"
    )


def _forfeits(standings: MatchStandings) -> Iterator[str]:
    """How often each engine lost otherwise than on the board.

    If every game was lost on time or by silence, a line says what to try.
    """
    late = 0
    silent = 0
    ways = [Counter[str]() for _ in standings.players]
    for loser, _, ending in standings.forfeits:
        ways[loser][ending.termination] += 1
        if ending.termination == Offence.TIME.value:
            late += 1
            silent += ending.details.endswith(SILENT)
    for name, ways_of_player in zip(standings.players, ways, strict=True):
        if ways_of_player:
            counts = [f"{count} × {way}" for way, count in sorted(ways_of_player.items())]
            yield f"{name} forfeited: {', '.join(counts)}"
    if late != len(standings.games):
        return
    if silent == late:
        yield "no engine that lost has answered at all: -debug prints the lines that pass"
    else:
        yield (
            "every game was lost on time: allow a margin, such as timemargin=100 with -each, "
            "or give more time"
        )
