"""`tbgen match`: engines play each other under r-mobility."""

from __future__ import annotations

import asyncio
import math
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from tbgen.apps.games.standings import Standings, crosstable, in_decimals
from tbgen.apps.games.tags import last_move
from tbgen.apps.match.arguments import OPTIONS, settings_of
from tbgen.apps.match.engine import Offence
from tbgen.apps.match.match import Match, MatchSettings
from tbgen.apps.match.play import GameRecord, Sheet
from tbgen.apps.match.run import play_match
from tbgen.apps.match.schedule import Pairing
from tbgen.apps.match.standings import Figures, MatchStandings
from tbgen.apps.match.statistics import Distribution
from tbgen.cli import QUIET
from tbgen.cli.output import Form, table_lines, text_of, written_whole
from tbgen.cli.reporter import Reporter, Work, clock, reporter
from tbgen.rules.game import FiftyMoveSetting
from tbgen.rules.points import format_points
from tbgen.system.process import processors
from tbgen.text import counted

_FILES = {"FILE": "file", "DIRS": "dir"}
"""Hint of an option -> what a shell completes after it."""

_DIFFERENCES = """\
Options are those of cutechess-cli and fastchess. What differs:
-games is 2 and -repeat is on unless it says otherwise: an opening is played with both colours.
-recover goes on with an interrupted match; an engine that dies is always started again.
-tb has folders of r-mobility tables, which decide games exactly; Syzygy's are given with -syzygy.
-resign is a loss with G0.0; -draw is refused, since there are no draws; -maxmoves leaves the accrued score.
-sprt has model=cutechess unless it says otherwise; the first engine is tested against the second.
"""

_ENGINE_OPTIONS = (
    ("cmd=FILE", "The program; a name is looked up as in a shell."),
    ("name=NAME", "Its name (default: its `id name`)."),
    ("dir=DIR  arg=ARG  args=ARGS", "Its folder, and its arguments."),
    ("option.NAME=VALUE", "A UCI option; hash=N and threads=N are short for two of them."),
    ("tc=[MOVES/]TIME[+INC]", "Time control in seconds or minutes:seconds; inf sets none."),
    ("st=S  nodes=N  depth=N", "Seconds, nodes, plies for each move."),
    ("timemargin=MS", "Tolerate so many milliseconds over the time limit."),
    ("hang=S", "The time limit of a move for an engine without a clock (default 300)."),
    ("restart=auto|on|off", "on: a new process for every game."),
    ("log=FILE  stderr=FILE", "Logs of its protocol and of its standard error."),
    ("whitepov", "Its scores are always White's."),
)


class MatchCommand(click.Command):
    """Takes its words as they are: options have one dash and many words."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.params["arguments"] = tuple(args)
        return []

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """An option, or what the option before it takes; the words of engines are left to the user."""
        before = ["", *ctx.params["arguments"]][-1]
        name = before.lstrip("-")
        hint = OPTIONS[name].hint if before.startswith("-") and name in OPTIONS else ""
        if not hint or incomplete.startswith("-"):
            return [CompletionItem(f"-{name}") for name in OPTIONS if f"-{name}".startswith(incomplete)]
        return [CompletionItem(incomplete, type=_FILES[hint])] if hint in _FILES else []

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage(ctx.command_path, "-engine cmd=FILE ... -engine cmd=FILE ... [-each tc=10+0.1 ...] ...")
        self.format_help_text(ctx, formatter)
        with formatter.section("Options"):
            formatter.write_dl([(f"-{name} {hint}".strip(), text) for name, (hint, text) in OPTIONS.items()])
        with formatter.section("Of -engine and -each"):
            formatter.write_dl(_ENGINE_OPTIONS)
        formatter.write("\n" + _DIFFERENCES)


@click.command("match", cls=MatchCommand, add_help_option=False)
@click.pass_context
def command(ctx: click.Context, arguments: tuple[str, ...]) -> int:
    """Play engines against each other under r-mobility.

    \b
    Examples:
      tbgen match -engine cmd=stockfish -engine cmd=fairy-stockfish -each tc=10+0.1 -games 100 -pgnout games.pgn
      tbgen match -config match.toml -concurrency 4 -recover
    """
    if not arguments or {"-h", "-help", "--help"} & set(arguments):
        click.echo(ctx.get_help())
        return 0
    settings = settings_of(arguments)
    ctx.meta[QUIET] = settings.quiet
    with reporter(sys.stdout) as shown:
        return asyncio.run(_run(settings, MatchView(shown)))


async def _run(settings: MatchSettings, view: MatchView) -> int:
    """Run to the end, or until a signal says that it is enough."""
    code = 0
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()

    def stop(number: signal.Signals) -> None:
        nonlocal code
        code = 128 + number
        stopped.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop, number)
    match = await play_match(settings, view, stopped)
    view.ends(interrupted=code != 0)
    written: dict[Path | None, Callable[[Match], dict[str, Any]]] = {
        settings.json: _facts,
        settings.crosstable: lambda match: crosstable(Standings(match.event())) | {"Type": settings.plan.format.value},
    }
    for path, facts in written.items():
        if path is not None:
            with written_whole(str(path)) as file:
                file.write(text_of(Form.JSON, facts(match)).encode())
    return code


def _facts(match: Match) -> dict[str, Any]:
    """The standings for JSON, with the seed and where the test stands."""
    sprt = match.settings.sprt
    rounds = [[meeting.facts(match.standings.players) for meeting in each] for each in match.bracket()]
    return {
        "seed": match.seed,
        "scheduled": len(match.pairings),
        **match.standings.facts(match.settings.pgn),
        "sprt": None if sprt is None else match.standings.test_facts(sprt),
        **({"bracket": rounds} if rounds else {}),
    }


class MatchView:
    """A line when a game begins and when it is over, and the standings now and then, as far as a reporter shows it.

    Bars show the games at work, and lines do not.
    """

    def __init__(self, reporter: Reporter) -> None:
        self._reporter = reporter
        self.says = reporter.say
        self._boards: dict[int, Work] = {}
        self._begun = time.monotonic()
        self._played = 0

    def begins(self, match: Match) -> None:
        self._match = match
        settings, done = match.settings, len(match.standings.results)
        self.says(
            f"{', '.join(match.standings.players)}: {counted(len(match.pairings), 'game', 'games')}, seed {match.seed}"
        )
        if done:
            rest = "there is nothing left to play" if match.is_over() else "going on with the others"
            self.says(f"{counted(done, 'game', 'games')} played already; {rest}")
        if settings.concurrency > processors():
            self.says(
                f"note: {settings.concurrency} games at a time share {processors()} cores; engines may lose on time"
            )
        plain = [name for name, knows in zip(match.standings.players, match.knows_variant, strict=True) if not knows]
        if plain and settings.rules.fifty_moves.setting is FiftyMoveSetting.RESET:
            self.says(f"note: {', '.join(plain)} may know only the ordinary fifty-move rule; -fifty legacy plays by it")
        self._games = self._reporter.work("games", len(match.pairings))
        self._games.every = math.inf

    def game_begins(self, board: int, pairing: Pairing, sheet: Sheet) -> None:
        self._reporter.log(f"Started game {self._title(pairing)}")
        names = self._match.standings.players
        title = f"{pairing.number}. {names[pairing.white]} - {names[pairing.black]}"
        self._boards[board] = self._reporter.work(title, as_share=True)
        self._boards[board].every = math.inf
        self.moved(board, sheet)

    def moved(self, board: int, sheet: Sheet) -> None:
        clocks = " ".join("-" if clock.remaining is None else f"{clock.remaining:.1f}" for clock in sheet.clocks)
        move = last_move(sheet.game.board, sheet.game.last.san) or "-"
        self._boards[board].advance(0, detail=f"{move}, accrued {sheet.game.last.accrued}, {clocks}")

    def game_over(self, board: int, record: GameRecord) -> None:
        self._played += 1
        ending, match = record.ending, self._match
        points = format_points(record.scoring.points(ending.outcome), record.scoring.scheme)
        self._reporter.end(self._boards.pop(board).title)
        self.says(f"Finished game {self._title(record.pairing)}: {ending.outcome} {points} {{{ending.details}}}")
        done, total = len(match.standings.results), len(match.pairings)
        pace = (time.monotonic() - self._begun) / self._played
        self._games.reach(done, total, detail=test_line(match), left=(total - done) * pace)
        interval = match.settings.rating_interval
        if interval and self._played % interval == 0 and not match.is_over():
            for line in self._standings(final=False):
                self.says(line)

    def ends(self, *, interrupted: bool) -> None:
        """The last word on a match."""
        self._reporter.close()
        match, standings = self._match, self._match.standings
        if standings.results:
            click.echo("\n".join(("", *self._standings(final=True), *_forfeits(standings))))
        if match.is_decided():
            click.echo(f"the test is decided after {counted(len(standings.results), 'game', 'games')}")
        elif interrupted and match.settings.pgn is not None:
            left = counted(len(match.pairings) - len(standings.results), "game", "games")
            click.echo(f"interrupted with {left} to play; the same command with -recover goes on")
        click.echo(f"{counted(self._played, 'game', 'games')} in {clock(time.monotonic() - self._begun)}")

    def _title(self, pairing: Pairing) -> str:
        names = self._match.standings.players
        return f"{pairing.number} of {len(self._match.pairings)} ({names[pairing.white]} vs {names[pairing.black]})"

    def _standings(self, *, final: bool) -> Iterator[str]:
        """The ranking, and at the end every meeting under every scoring."""
        standings, players = self._match.standings, self._match.standings.players
        if len(players) > 2:
            yield from ranking_lines(standings)
        for first, second in standings.meetings() if final or len(players) == 2 else []:
            games = standings.record(first, standings.scoring, against=second).games.games
            yield f"{players[first]} against {players[second]}, {counted(games, 'game', 'games')}"
            yield from meeting_lines(standings, first, second)
        yield from bracket_lines(self._match)
        if line := test_line(self._match):
            yield line


def meeting_lines(standings: MatchStandings, first: int, second: int) -> Iterator[str]:
    """One engine's results against another, under every scoring."""
    return _lines(
        {"scoring": each.scheme.value, **_figures(standings.record(first, each, against=second))}
        for each in standings.scorings()
    )


def _figures(record: Figures) -> dict[str, str]:
    strength, games, pairs = record.strength, record.games, record.pairs
    return {
        "points": f"{in_decimals(strength.points)}-{in_decimals(strength.games - strength.points)}",
        **_strength(strength),
        "LOS": "-" if strength.superiority is None else likelihood_text(strength.superiority),
        **dict(zip((">½", "=½", "<½"), map(str, games.wins_draws_losses()), strict=True)),
        "var game": f"{float(games.variance):.4f}" if games.units else "-",
        "var pair": f"{float(pairs.variance):.4f}" if pairs.units else "-",
        "0-½-1-1½-2": "-".join(map(str, pairs.by_quarters())) if pairs.units else "-",
    }


def _strength(strength: Distribution) -> dict[str, str]:
    """The share of points, Elo and its error."""
    return {
        "%": f"{float(100 * strength.share):.2f}",
        "Elo": f"{strength.elo:+.1f}",
        "95 %": "-" if strength.error is None else f"±{strength.error:.1f}",
    }


def _lines(rows: Iterable[Mapping[str, str]]) -> Iterator[str]:
    """A table of rows that have the same heads."""
    cells = list(rows)
    return table_lines(list(cells[0]), [list(row.values()) for row in cells])


def ranking_lines(standings: MatchStandings) -> Iterator[str]:
    """All engines, best first under the scoring that decides, with the points of the other scorings."""
    mine, *others = standings.scorings()
    strengths = [(player, standings.record(player, mine).strength) for player in standings.ranking()]
    return _lines(
        {
            "": str(place),
            "engine": standings.players[player],
            "games": str(strength.games),
            mine.scheme.value: in_decimals(strength.points),
            **_strength(strength),
            **{each.scheme.value: in_decimals(standings.record(player, each).games.points) for each in others},
        }
        for place, (player, strength) in enumerate(strengths, 1)
    )


def likelihood_text(likelihood: float) -> str:
    """A likelihood in per cent, never 0 or 100.

    >>> likelihood_text(0.00672), likelihood_text(0.5), likelihood_text(0.99999)
    ('0.7 %', '50.0 %', '> 99.9 %')
    """
    percent = 100 * likelihood
    if percent < 0.05:
        return "< 0.1 %"
    return "> 99.9 %" if percent >= 99.95 else f"{percent:.1f} %"


def bracket_lines(match: Match) -> Iterator[str]:
    """The meetings of a knockout, round by round."""
    names = match.standings.players
    for meetings in match.bracket():
        yield f"Round {meetings[0].round}"
        for meeting in meetings:
            if meeting.second is None:
                yield f"  {names[meeting.first]}: bye"
            else:
                points = "-".join(map(in_decimals, meeting.points))
                end = "" if meeting.winner is None else f": {names[meeting.winner]} by {meeting.decided_by}"
                yield f"  {names[meeting.first]} - {names[meeting.second]} {points}{end}"


def test_line(match: Match) -> str | None:
    """Where the sequential test stands, if there is one."""
    sprt = match.settings.sprt
    if sprt is None:
        return None
    ratio = match.standings.ratio(sprt)
    return (
        f"SPRT {sprt.model.value}: LLR {ratio:.2f} ({sprt.lower:.2f}, {sprt.upper:.2f}) "
        f"[{sprt.elo0:g}, {sprt.elo1:g}], {sprt.conclusion(ratio).value}"
    )


def _forfeits(standings: MatchStandings) -> Iterator[str]:
    """How often each engine lost otherwise than on the board, and what to try if every game was lost on time."""
    for player, name in enumerate(standings.players):
        ways = Counter(
            result.ending.termination
            for result in standings.forfeits()
            if result.side(player) is not result.ending.outcome.holder
            and player in (result.pairing.white, result.pairing.black)
        )
        if ways:
            yield f"{name} forfeited: " + ", ".join(f"{count} × {way}" for way, count in sorted(ways.items()))
    if all(each.ending.termination == Offence.TIME.value for each in standings.results.values()):
        yield "every game was lost on time: allow a margin, such as timemargin=100 with -each, or give more time"
