"""`tbgen completion`."""

from __future__ import annotations

import click

from tbgen.cli.command import Command


@click.command("completion", cls=Command)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(*, shell: str) -> None:
    """Print a script by which a shell completes commands, options, materials and files.

    \b
    Examples:
      tbgen completion bash >> ~/.bashrc
      tbgen completion fish > ~/.config/fish/completions/tbgen.fish
    """
    from click.shell_completion import shell_complete

    program = click.get_current_context().find_root().command
    shell_complete(program, {}, "tbgen", "_TBGEN_COMPLETE", f"{shell}_source")
