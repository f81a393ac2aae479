"""`tbgen match`: engines play each other under r-mobility."""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING, Any

import click

from tbgen.apps.games.standings import Standings, crosstable
from tbgen.apps.match.arguments import OPTIONS, settings_of
from tbgen.apps.match.match import Match, MatchSettings, Notation
from tbgen.apps.match.run import play_match
from tbgen.cli.match_view import MatchView
from tbgen.cli.options import beginning_so, from_shell
from tbgen.cli.output import written_whole
from tbgen.cli.reporter import compile_for
from tbgen.cli.rows import Form, text_of
from tbgen.compiled.known import Purpose

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_FILES = {"FILE": "file", "DIRS": "dir"}
"""Hint of an option -> what a shell completes after it."""

_STOPPED = {signal.SIGINT: 130, signal.SIGTERM: 143}

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
        before = ctx.params["arguments"][-1:]
        option = OPTIONS.get(before[0].lstrip("-")) if before and before[0].startswith("-") else None
        if option is None or option.is_flag or incomplete.startswith("-"):
            return beginning_so((f"-{name}" for name in OPTIONS), incomplete)
        if option.hint in _FILES:
            return from_shell(_FILES[option.hint], incomplete)
        return []

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage(ctx.command_path, "-engine cmd=FILE ... -engine cmd=FILE ... [-each tc=10+0.1 ...] ...")
        self.format_help_text(ctx, formatter)
        with formatter.section("Options"):
            formatter.write_dl([(f"-{each.name} {each.hint}".strip(), each.help) for each in OPTIONS.values()])
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
    if settings.openings is not None and settings.openings.notation is Notation.PGN:
        compile_for(Purpose.GAMES, quiet=settings.quiet)
    with MatchView(quiet=settings.quiet) as view:
        return asyncio.run(_run(settings, view))


async def _run(settings: MatchSettings, view: MatchView) -> int:
    """Run to the end, or until a signal says that it is enough."""
    code = 0
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()

    def stop(number: signal.Signals) -> None:
        nonlocal code
        code = _STOPPED[number]
        stopped.set()

    for number in _STOPPED:
        loop.add_signal_handler(number, stop, number)
    match = await play_match(settings, view, stopped)
    view.ends(match, interrupted=code != 0)
    written = {match.settings.json: _facts, match.settings.crosstable: _crosstable}
    for path, facts in written.items():
        if path is not None:
            with written_whole(str(path)) as file:
                file.write(text_of(Form.JSON, facts(match)).encode())
    return code


def _crosstable(match: Match) -> dict[str, Any]:
    return {**crosstable(Standings(match.event())), "Type": match.settings.plan.format.value}


def _facts(match: Match) -> dict[str, Any]:
    """The standings for JSON, with the seed and where the test stands."""
    sprt = match.settings.sprt
    test = None if sprt is None else match.standings.test(sprt).facts()
    rounds = [[meeting.facts(match.standings.players) for meeting in each] for each in match.bracket()]
    return {
        "seed": match.seed,
        "scheduled": len(match.pairings),
        **match.standings.facts(),
        "sprt": test,
        **({"bracket": rounds} if rounds else {}),
    }
