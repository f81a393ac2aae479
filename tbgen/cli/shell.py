"""`tbgen help` and `tbgen completion`: commands about commands."""

from __future__ import annotations

import click

from tbgen.cli.options import declared


def _a_command(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    group = ctx.find_root().command
    assert isinstance(group, click.Group)
    return [name for name in group.list_commands(ctx) if name.startswith(incomplete)]


@declared("help")
@click.argument("words", nargs=-1, metavar="[COMMAND]...", shell_complete=_a_command)
@click.pass_context
def help_command(ctx: click.Context, words: tuple[str, ...]) -> None:
    """Show the help of a command, or of all.

    \b
    Examples:
      tbgen help
      tbgen help study record
    """
    shown = ctx.find_root()
    for word in words:
        group = shown.command
        command = group.get_command(shown, word) if isinstance(group, click.Group) else None
        if command is None:
            shown.fail(f"there is no command {word!r}")
        shown = click.Context(command, info_name=word, parent=shown)
    click.echo(shown.get_help())


@declared("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print a script by which a shell completes commands, options, materials and files.

    \b
    Examples:
      tbgen completion bash >> ~/.bashrc
      tbgen completion fish > ~/.config/fish/completions/tbgen.fish
    """
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    assert made is not None
    click.echo(made(ctx.find_root().command, {}, "tbgen", "_TBGEN_COMPLETE").source())
