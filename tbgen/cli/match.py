"""`tbgen match`: engines play each other under r-mobility."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from functools import partial
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from tbgen.apps.events.standings import Standings
from tbgen.apps.match.options import settings_of
from tbgen.apps.match.runner import Match, Referee
from tbgen.apps.match.tcec import tcec_json
from tbgen.apps.match.words import OPTIONS
from tbgen.cli import QUIET, Terminated
from tbgen.cli.match_view import MatchView
from tbgen.cli.output import Outputs, refuse_no_file
from tbgen.cli.reporter import reporter
from tbgen.cli.showing import Form, text_of
from tbgen.system.outputs import STANDARD_OUTPUT, written_whole

_FILES = {"FILE": "file", "DIRS": "dir"}
"""What an option takes -> what a shell completes after it."""

_DIFFERENCES = """\
Options are those of cutechess-cli and fastchess. What differs:
-games is 2 and -repeat is on unless it says otherwise: an opening is played with both colours.
-recover goes on with an interrupted match; an engine that dies is always started again.
-tb has folders of r-mobility tables, which decide games exactly; Syzygy's are given with -syzygy.
-resign is a loss with G0.0; -maxmoves leaves the accrued score.
-draw is refused, since there are no draws.
-sprt has model=logistic unless it says otherwise; the first engine is tested against the second.
"""


class MatchCommand(click.Command):
    """Takes its words as they are: options have one dash and many words."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.params["arguments"] = tuple(args)
        return []

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """An option, or a file or folder after an option that takes one.

        The words of engines are left to the user.
        """
        words = ctx.params["arguments"]
        before = words[-1] if words else ""
        option = OPTIONS.get(before.lstrip("-")) if before.startswith("-") else None
        if option is None or not option.kind.form or incomplete.startswith("-"):
            names = [f"-{name}" for name in OPTIONS]
            return [CompletionItem(name) for name in names if name.startswith(incomplete)]
        kind = "file" if "file" in option.keys else _FILES.get(option.kind.form)
        return [CompletionItem(incomplete, type=kind)] if kind else []

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage(
            ctx.command_path, "-engine cmd=FILE ... -engine cmd=FILE ... [-each tc=10+0.1 ...] ..."
        )
        self.format_help_text(ctx, formatter)
        options = [
            (f"-{option.name} {option.form}".strip(), option.help) for option in OPTIONS.values()
        ]
        keys = [(f"{key.name}={key.form}", key.help) for key in OPTIONS["engine"].keys.values()]
        with formatter.section("Options"):
            formatter.write_dl(options)
        with formatter.section("Of -engine and -each"):
            formatter.write_dl(keys)
        formatter.write("\n" + _DIFFERENCES)


@click.command("match", cls=MatchCommand, add_help_option=False)
@click.pass_context
def command(ctx: click.Context, arguments: tuple[str, ...]) -> int:
    """Play engines against each other under r-mobility.

    \b
    Examples:
      tbgen match -engine cmd=stockfish -engine cmd=./mine -each tc=10+0.1 -pgnout games.pgn
      tbgen match -config match.toml -concurrency 4 -recover
    """
    if not arguments or {"-h", "-help", "--help"} & set(arguments):
        click.echo(ctx.get_help())
        return 0
    settings = settings_of(arguments)
    if settings.pgn is not None:
        refuse_no_file(str(settings.pgn))
    ctx.meta[QUIET] = settings.quiet
    with reporter(sys.stdout) as shown:
        outputs = Outputs(
            {"-jsonout": settings.json, "-crosstable": settings.crosstable},
            kept={
                "-pgnout": settings.pgn,
                "-openings": settings.openings.file,
                "-config": settings.config,
            },
        )
        view = MatchView(shown, partial(_keep_up, settings.json))
        return _played(Referee(settings, view), view, outputs)


def _played(referee: Referee, view: MatchView, outputs: Outputs) -> int:
    """Play a match, and show and write the standings of its games, whatever ends it."""
    code = 0
    failure: Exception | None = None
    try:
        # The files are tried before the first game.
        with outputs.open("-jsonout") as standings, outputs.open("-crosstable") as crosstable:
            try:
                code = asyncio.run(_run(referee))
            except Exception as error:
                failure = error
            if referee.match is None and failure is not None:
                raise failure
            if referee.match is None:
                raise _interruption(code)
            view.ends(referee.match, interrupted=code != 0)
            if standings is not None:
                standings.write(text_of(Form.JSON, _facts(referee.match)).encode())
            if crosstable is not None:
                crosstable.write(text_of(Form.JSON, _crosstable(referee.match)).encode())
    except Exception:
        # The failure of the match explains more than a file that is refused.
        if failure is None:
            raise
    if failure is not None:
        raise failure
    return code


def _keep_up(json: Path | None, match: Match) -> None:
    """Write the standings so far, which a match that is killed leaves behind."""
    if json is not None and (json.is_file() or not json.exists()) and str(json) != STANDARD_OUTPUT:
        with written_whole(str(json)) as file:
            file.write(text_of(Form.JSON, _facts(match)).encode())


def _interruption(code: int) -> KeyboardInterrupt:
    """The signal that ended a match before it began, as an error."""
    if code == 128 + signal.SIGTERM:
        return Terminated()
    return KeyboardInterrupt()


async def _run(referee: Referee) -> int:
    """Run to the end, or until a signal says that it is enough."""
    signals = list[signal.Signals]()
    playing = asyncio.ensure_future(referee.play())

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
    standings = match.standings
    sprt = match.settings.sprt
    facts = {
        "seed": match.plan.seed,
        "scheduled": match.scheduled,
        **standings.facts(match.settings.pgn),
        "sprt": None if sprt is None else standings.test_facts(sprt),
    }
    rounds = list[list[dict[str, Any]]]()
    for meetings in match.bracket():
        rounds.append([meeting.facts(standings.players) for meeting in meetings])
    if rounds:
        facts["bracket"] = rounds
    return facts


def _crosstable(match: Match) -> dict[str, Any]:
    """The cross table as the site of TCEC reads it."""
    games = match.standings.games
    standings = Standings(games[number] for number in sorted(games))
    return {**tcec_json(standings), "Type": match.plan.format.value}
