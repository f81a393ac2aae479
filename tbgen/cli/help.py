"""`tbgen help` and `tbgen completion`."""

from __future__ import annotations

from collections.abc import Iterable

import click

from tbgen.cli import COMMANDS
from tbgen.cli.command import Command
from tbgen.cli.options import completing


def _commands(context: click.Context) -> Iterable[str]:
    return COMMANDS


@click.command("help", cls=Command)
@click.argument("words", nargs=-1, metavar="[COMMAND]...", shell_complete=completing(_commands))
def help_command(*, words: tuple[str, ...]) -> None:
    """Show the help of a command, or of all.

    \b
    Examples:
      tbgen help
      tbgen help study record
    """
    program = click.get_current_context().find_root().command
    program.main([*words, "--help"], prog_name="tbgen", standalone_mode=False)


@click.command("completion", cls=Command)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(*, shell: str) -> None:
    """Print a script by which a shell completes commands, options, materials and files.

    \b
    Examples:
      tbgen completion bash >> ~/.bashrc
      tbgen completion fish > ~/.config/fish/completions/tbgen.fish
    """
    from click.shell_completion import shell_complete

    program = click.get_current_context().find_root().command
    shell_complete(program, {}, "tbgen", "_TBGEN_COMPLETE", f"{shell}_source")
