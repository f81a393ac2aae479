"""The program on the command line; each subcommand is a module that is imported when it is asked for."""

from __future__ import annotations

import gc
import importlib
from typing import TYPE_CHECKING

import click

from tbgen import __version__
from tbgen.cli.terminal import run

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

SUBCOMMANDS = {
    "adjudicate": ("tbgen.cli.adjudicate", "Decide every game of a PGN file, and write the result into its tags."),
    "annotate": ("tbgen.cli.annotate", "Show games ply by ply, from where tables know them, and who gave what away."),
    "build": ("tbgen.cli.build", "Build tables, and all tables that they need."),
    "compare": ("tbgen.cli.compare", "Compare r-mobility with whole-game mobility, table by table."),
    "fetch": ("tbgen.cli.fetch", "Fetch tables that somebody else has built."),
    "hold": ("tbgen.cli.hold", "Prove that a side keeps a score for ever, with any number of men."),
    "explorer": ("tbgen.cli.explorer", "Write the explorer and tables as files for any web server."),
    "info": ("tbgen.cli.info", "Show what a table holds."),
    "line": ("tbgen.cli.line", "Print best play from a position, as PGN."),
    "list": ("tbgen.cli.list", "List the tables of one or several folders."),
    "match": ("tbgen.cli.match", "Play engines against each other under r-mobility."),
    "potential": ("tbgen.cli.potential", "Compare a rule of thumb for mating potential with exact shares."),
    "probe": ("tbgen.cli.probe", "Show the value of a position and of every move."),
    "record": ("tbgen.cli.record", "Count whole tables, and write records of what they hold."),
    "report": ("tbgen.cli.report", "Make a web site from records."),
    "score": ("tbgen.cli.score", "Score a position, a line of moves or the games of a PGN file."),
    "serve": ("tbgen.cli.serve", "Answer over HTTP, and show the explorer in a browser."),
    "standings": ("tbgen.cli.standings", "Show the cross table and the standings of an event."),
    "uci": ("tbgen.cli.uci", "Play best moves for any chess program, by UCI."),
    "verify": ("tbgen.cli.verify", "Prove tables, one ply at a time."),
}
"""Name -> module with a click command called `command`, and its line in the help."""

_COLLECTED_AFTER = 20_000
"""New objects that the collector waits for: modules are made of many, and looking through them finds nothing."""


class LazyGroup(click.Group):
    """A group that imports a subcommand only to run it or to show its own help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in SUBCOMMANDS and ctx.resilient_parsing:
            return None  # a shell completes words behind it
        if cmd_name not in SUBCOMMANDS:
            import difflib

            close = difflib.get_close_matches(cmd_name, SUBCOMMANDS, 1)
            ctx.fail(f"there is no command {cmd_name!r}" + (f"; did you mean {close[0]}?" if close else ""))
        module, _ = SUBCOMMANDS[cmd_name]
        command = importlib.import_module(module).command
        assert isinstance(command, click.Command)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """Names of subcommands, none of which is imported for it, and options."""
        from click.shell_completion import CompletionItem

        names = [
            CompletionItem(name, help=line) for name, (_, line) in SUBCOMMANDS.items() if name.startswith(incomplete)
        ]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in SUBCOMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="tbgen")
def tbgen() -> None:
    """Build and probe endgame tablebases for r-mobility chess, and score any game by its rules.

    \b
    Examples:
      tbgen build --men 3
      tbgen probe "8/8/8/4KBk1/8/8/8/8 b - - 0 1"
      tbgen score startpos e4 e5 Qh5 Nc6
      tbgen probe --help
    """


def main() -> None:
    """Entry point of the program."""
    gc.set_threshold(_COLLECTED_AFTER)
    try:
        run(tbgen)
    finally:
        gc.freeze()  # or the interpreter looks through all modules when it ends
