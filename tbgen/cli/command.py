"""What every command can do: take -q, and refuse options that mean nothing together."""

from __future__ import annotations

import re
from typing import Any

import click
from click.core import ParameterSource

from tbgen.cli import QUIET
from tbgen.cli.showing import Form
from tbgen.errors import UsageError
from tbgen.score import LIKE_A_SCORE

_NEGATIVE_SCORE = re.compile(f"(?=-){LIKE_A_SCORE}")


class Command(click.Command):
    """A command that takes -q."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        quiet = click.Option(
            ["-q", "--quiet"],
            is_flag=True,
            expose_value=False,
            callback=_be_quiet,
            help="Print results and errors only.",
        )
        self.params.insert(0, quiet)


def _be_quiet(context: click.Context, option: click.Parameter, value: bool) -> None:
    context.meta[QUIET] = value


class PositionCommand(Command):
    """A command that takes the words of a FEN, where `-G2.5` is a score and no option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put a blank before such a score, as click takes words with a dash for options."""
        takers = set()
        for parameter in self.params:
            if isinstance(parameter, click.Option) and not parameter.is_flag:
                takers.update(parameter.opts)
        words = []
        before = ""
        for word in args:
            is_score = _NEGATIVE_SCORE.fullmatch(word) is not None and before not in takers
            words.append(f" {word}" if is_score else word)
            before = word
        return super().parse_args(ctx, words)


def is_typed(name: str) -> bool:
    """Whether an option stands on the command line and asks for something.

    $TBGEN_DATA is there for all commands, so it does not count. A format for people is no wish.
    """
    context = click.get_current_context()
    for parameter in context.command.params:
        if name in parameter.opts:
            source = context.get_parameter_source(parameter.name or "")
            value = context.params[parameter.name or ""]
            is_wish = value is not False and value is not Form.TABLE
            return source is ParameterSource.COMMANDLINE and is_wish
    raise LookupError(f"{context.command_path} has no option {name}")


def refuse_together(*names: str) -> None:
    """Refuse more than one of some options."""
    typed = [name for name in names if is_typed(name)]
    if len(typed) > 1:
        raise UsageError(f"{' and '.join(typed)} cannot be given together")


def refuse_beside(wish: str, *names: str) -> None:
    """Refuse options that mean nothing beside something else that is asked for."""
    for name in names:
        if is_typed(name):
            raise UsageError(f"{wish} and {name} cannot be given together")


def refuse_without(needed: str, *names: str) -> None:
    """Refuse options that mean nothing without another one."""
    if is_typed(needed):
        return
    for name in names:
        if is_typed(name):
            raise UsageError(f"{name} means nothing without {needed}")
