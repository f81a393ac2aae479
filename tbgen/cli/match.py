"""`tbgen match`: engines play each other under r-mobility."""

from __future__ import annotations

import asyncio
import contextlib
import math
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import click
from click.shell_completion import CompletionItem

from tbgen.apps.games.crosstable import tcec_json
from tbgen.apps.games.standings import Standings, in_decimals
from tbgen.apps.games.tags import last_move
from tbgen.apps.match.options import settings_of
from tbgen.apps.match.process import Offence
from tbgen.apps.match.results import Figures, MatchStandings
from tbgen.apps.match.runner import Match, Referee
from tbgen.apps.match.schedule import Pairing
from tbgen.apps.match.settings import GROWING
from tbgen.apps.match.sheet import Sheet
from tbgen.apps.match.statistics import Distribution
from tbgen.apps.match.words import OPTIONS
from tbgen.cli import QUIET, Terminated
from tbgen.cli.output import Outputs
from tbgen.cli.reporter import Reporter, clock, reporter
from tbgen.cli.showing import Form, table_lines, text_of
from tbgen.rules.game import FiftyMoveSetting
from tbgen.rules.points import format_points
from tbgen.system.process import processors
from tbgen.text import counted

_FILES = {"FILE": "file", "DIRS": "dir"}
"""What an option takes -> what a shell completes after it."""

_DIFFERENCES = """\
Options are those of cutechess-cli and fastchess. What differs:
-games is 2 and -repeat is on unless it says otherwise: an opening is played with both colours.
-recover goes on with an interrupted match; an engine that dies is always started again.
-tb has folders of r-mobility tables, which decide games exactly; Syzygy's are given with -syzygy.
-resign is a loss with G0.0; -draw is refused, since there are no draws; -maxmoves leaves the accrued score.
-sprt has model=cutechess unless it says otherwise; the first engine is tested against the second.
"""


class MatchCommand(click.Command):
    """Takes its words as they are: options have one dash and many words."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.params["arguments"] = tuple(args)
        return []

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """An option, or a file or folder after an option that takes one; the words of engines are left to the user."""
        before = ["", *ctx.params["arguments"]][-1]
        option = OPTIONS.get(before.lstrip("-")) if before.startswith("-") else None
        if option is None or not option.kind.form or incomplete.startswith("-"):
            return [
                CompletionItem(f"-{name}") for name in OPTIONS if f"-{name}".startswith(incomplete)
            ]
        kind = "file" if "file" in option.keys else _FILES.get(option.kind.form)
        return [CompletionItem(incomplete, type=kind)] if kind else []

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage(
            ctx.command_path, "-engine cmd=FILE ... -engine cmd=FILE ... [-each tc=10+0.1 ...] ..."
        )
        self.format_help_text(ctx, formatter)
        with formatter.section("Options"):
            formatter.write_dl(
                [(f"-{each.name} {each.form}".strip(), each.help) for each in OPTIONS.values()]
            )
        with formatter.section("Of -engine and -each"):
            formatter.write_dl(
                [
                    (f"{each.name}={each.form}", each.help)
                    for each in OPTIONS["engine"].keys.values()
                ]
            )
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
        outputs = Outputs(
            {"-jsonout": settings.json, "-crosstable": settings.crosstable},
            kept={
                "-pgnout": settings.pgn,
                "-openings": settings.openings.file,
                "-config": settings.config,
            },
            force=settings.force,
        )
        view = MatchView(shown, outputs)
        return _played(Referee(settings, view), view, outputs)


def _played(referee: Referee, view: MatchView, outputs: Outputs) -> int:
    """Play a match, and show and write the standings of what has been played, whatever ends it."""
    code = 0
    failure: Exception | None = None
    try:
        # The files are tried before the first game.
        with outputs.open("-jsonout") as standings, outputs.open("-crosstable") as crosstable:
            try:
                code = asyncio.run(_run(referee))
            except Exception as error:
                failure = error
            if referee.match is None:
                raise failure or _interruption(code)
            view.ends(referee.match, interrupted=code != 0)
            if standings is not None:
                standings.write(text_of(Form.JSON, _facts(referee.match)).encode())
            if crosstable is not None:
                crosstable.write(text_of(Form.JSON, _crosstable(referee.match)).encode())
    finally:
        if failure is not None:  # it explains more than a file that is refused
            raise failure
    return code


def _interruption(code: int) -> KeyboardInterrupt:
    """What ended a match before it began."""
    if code == 128 + signal.SIGTERM:
        return Terminated()
    return KeyboardInterrupt()


async def _run(referee: Referee) -> int:
    """Run to the end, or until a signal says that it is enough."""
    signals, playing = list[signal.Signals](), asyncio.ensure_future(referee.play())

    def stop(number: signal.Signals) -> None:
        signals.append(number)
        playing.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop, number)
    with contextlib.suppress(asyncio.CancelledError):
        await playing
    return 128 + signals[-1] if signals else 0


def _facts(match: Match) -> dict[str, Any]:
    """The standings for JSON, with the seed and where the test stands."""
    sprt = match.settings.sprt
    rounds = [
        [meeting.facts(match.standings.players) for meeting in each] for each in match.bracket()
    ]
    return {
        "seed": match.plan.seed,
        "scheduled": match.scheduled,
        **match.standings.facts(match.settings.pgn),
        "sprt": None if sprt is None else match.standings.test_facts(sprt),
        **({"bracket": rounds} if rounds else {}),
    }


def _crosstable(match: Match) -> dict[str, Any]:
    """The cross table as the site of TCEC reads it."""
    games = match.standings.games
    return tcec_json(Standings(games[number] for number in sorted(games))) | {
        "Type": match.plan.format.value
    }


class MatchView:
    """A line when a game begins and when it is over, and the standings now and then, as far as a reporter shows it.

    Bars show the games at work, and lines do not.
    """

    def __init__(self, reporter: Reporter, outputs: Outputs) -> None:
        self._reporter = reporter
        self._outputs = outputs
        self.says = reporter.say
        self._begun = time.monotonic()
        self._played = 0

    def begins(self, match: Match) -> None:
        self._match = match
        settings, done, players = (
            match.settings,
            len(match.standings.games),
            match.standings.players,
        )
        rest = "there is nothing left to play" if match.is_over() else "going on with the others"
        plain = [
            name for name, knows in zip(players, match.knows_r_mobility, strict=True) if not knows
        ]
        counts_resets = settings.rules.fifty_moves.setting is FiftyMoveSetting.RESET
        said: dict[str, object] = {
            f"{', '.join(players)}: {counted(match.scheduled, 'game', 'games')}, seed {match.plan.seed}": True,
            f"{counted(done, 'game', 'games')} played already; {rest}": done,
            f"note: {settings.concurrency} games at a time share {processors()} cores; engines may lose on time": (
                settings.concurrency > processors()
            ),
            f"note: {', '.join(plain)} may know only the ordinary fifty-move rule; -fifty legacy plays by it": (
                plain and counts_resets
            ),
        }
        for text in filter(said.get, said):
            self.says(text)
        self._games = self._reporter.work("games", match.scheduled, every=math.inf)
        if match.plan.format not in GROWING:
            self._outputs.refuse_fewer(match.scheduled)

    def moved(self, sheet: Sheet) -> None:
        if not sheet.answers:
            self._reporter.log(f"Started game {self._title(sheet.pairing)}")
        clocks = " ".join(
            "-" if clock.remaining is None else f"{clock.remaining:.1f}" for clock in sheet.clocks
        )
        move = last_move(sheet.game.board, sheet.game.last.san) or "-"
        work = self._reporter.work(self._title(sheet.pairing), as_share=True, every=math.inf)
        work.advance(0, detail=f"{move}, accrued {sheet.game.last.accrued}, {clocks}")

    def game_over(self, sheet: Sheet) -> None:
        self._played += 1
        self._reporter.end(self._title(sheet.pairing))
        ending, match, scoring = sheet.ending, self._match, sheet.rules.scoring
        points = format_points(scoring.points(ending.outcome), scoring.scheme)
        self.says(
            f"Finished game {self._title(sheet.pairing)}: {ending.outcome} {points} {{{ending.details}}}"
        )
        done, total = len(match.standings.games), match.scheduled
        pace = (time.monotonic() - self._begun) / self._played
        self._games.reach(done, total, detail=test_line(match), left=(total - done) * pace)
        interval = match.settings.rating_interval
        if interval and self._played % interval == 0 and not match.is_over():
            for line in self._standings(final=False):
                self.says(line)

    def ends(self, match: Match, *, interrupted: bool) -> None:
        """The last word on a match."""
        self._reporter.close()
        standings = match.standings
        if standings.games:
            click.echo("\n".join(("", *self._standings(final=True), *_forfeits(standings))))
        if match.is_decided():
            click.echo(
                f"the test is decided after {counted(len(standings.games), 'game', 'games')}"
            )
        elif interrupted and match.settings.pgn is not None:
            click.echo(
                f"interrupted with {counted(match.left, 'game', 'games')} to play; "
                "the same command with -recover goes on"
            )
        click.echo(
            f"{counted(self._played, 'game', 'games')} in {clock(time.monotonic() - self._begun)}"
        )

    def _title(self, pairing: Pairing) -> str:
        return f"{pairing.number} of {self._match.scheduled} ({' vs '.join(self._match.standings.names(pairing))})"

    def _standings(self, *, final: bool) -> Iterator[str]:
        """The ranking, and at the end every meeting under every scoring."""
        standings, players = self._match.standings, self._match.standings.players
        if len(players) > 2:
            yield from ranking_lines(standings)
        for first, second in standings.meetings() if final or len(players) == 2 else []:
            played = standings.record(first, standings.scoring, against=second).games
            yield f"{players[first]} against {players[second]}, {counted(played.games, 'game', 'games')}"
            yield from meeting_lines(standings, first, second)
        yield from bracket_lines(self._match)
        if line := test_line(self._match):
            yield line


def meeting_lines(standings: MatchStandings, first: int, second: int) -> Iterator[str]:
    """One engine's results against another, under every scoring."""
    return _lines(
        {"scoring": each.scheme.value, **_figures(standings.record(first, each, against=second))}
        for each in standings.scorings
    )


def _figures(record: Figures) -> dict[str, str]:
    strength, games, pairs = record.strength, record.games, record.pairs
    return {
        "points": f"{in_decimals(strength.points)}-{in_decimals(strength.games - strength.points)}",
        **_strength(strength),
        "LOS": "-" if strength.superiority is None else f"{100 * strength.superiority:.1f} %",
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
    mine, *others = standings.scorings
    strengths = [
        (player, standings.record(player, mine).strength) for player in standings.ranking()
    ]
    return _lines(
        {
            "": str(number),
            "engine": standings.players[player],
            "games": str(strength.games),
            mine.scheme.value: in_decimals(strength.points),
            **_strength(strength),
            **{
                each.scheme.value: in_decimals(standings.record(player, each).games.points)
                for each in others
            },
            **({"byes": str(standings.byes[player])} if standings.byes else {}),
        }
        for number, (player, strength) in enumerate(strengths, 1)
    )


def bracket_lines(match: Match) -> Iterator[str]:
    """The meetings of a knockout, round by round."""
    names = match.standings.players
    for meetings in match.bracket():
        yield f"Round {meetings[0].round}"
        for meeting in meetings:
            tie, players = (
                meeting.tie,
                [names[player] for player in meeting.tie.players if player is not None],
            )
            end = "" if tie.winner is None else f": {names[tie.winner]} by {tie.decided_by}"
            points = "-".join(map(in_decimals, tie.points))
            yield (
                f"  {players[0]}: bye"
                if len(players) == 1
                else f"  {' - '.join(players)} {points}{end}"
            )


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
    """How often each engine lost otherwise than on the board, and what to try if every game was lost on time."""
    for player, name in enumerate(standings.players):
        ways = Counter(
            ending.termination for loser, _, ending in standings.forfeits if loser == player
        )
        if ways:
            yield f"{name} forfeited: " + ", ".join(
                f"{count} × {way}" for way, count in sorted(ways.items())
            )
    late = sum(ending.termination == Offence.TIME.value for _, _, ending in standings.forfeits)
    if late == len(standings.games):
        yield "every game was lost on time: allow a margin, such as timemargin=100 with -each, or give more time"
