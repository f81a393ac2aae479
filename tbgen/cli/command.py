"""What every command can do: take -q, and refuse options that mean nothing together."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Any

import click
from click.core import ParameterSource

from tbgen.cli import QUIET
from tbgen.cli.showing import Form
from tbgen.compiled.notice import Notice, heard_by
from tbgen.errors import UsageError
from tbgen.score import LIKE_A_SCORE

_NEGATIVE_SCORE = re.compile(f"(?=-){LIKE_A_SCORE}")


class Command(click.Command):
    """A command that takes -q.

    Its help has the options of the names `rare` under a heading of their own.
    """

    def __init__(self, *arguments: Any, rare: Sequence[str] = (), **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._rare = rare
        quiet = click.Option(
            ["-q", "--quiet"],
            is_flag=True,
            expose_value=False,
            callback=_be_quiet,
            help="Print results and errors only.",
        )
        self.params.insert(0, quiet)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse two forms of the answer, which set one parameter."""
        if {"--json", "--csv"} <= set(args):
            raise UsageError("--json and --csv cannot be given together")
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the common options, and then the rare ones."""
        common = list[tuple[str, str]]()
        rare = list[tuple[str, str]]()
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None or not isinstance(parameter, click.Option):
                continue
            if any(name in self._rare for name in parameter.opts):
                rare.append(record)
            else:
                common.append(record)
        for heading, records in {"Options": common, "Rare options": rare}.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


def _be_quiet(context: click.Context, option: click.Parameter, value: bool) -> None:
    context.meta[QUIET] = value
    if not value and sys.stderr.isatty():
        context.with_resource(heard_by(_say_compiling))


def _say_compiling(notice: Notice) -> None:
    """Tell a user who waits at a terminal; a command with a reporter tells everybody by that."""
    click.echo(notice, err=True)


class PositionCommand(Command):
    """A command that takes the words of a FEN, where `-G2.5` is a score and no option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put a blank before a negative score, because click takes words with a dash for options.

        The value of an option needs no blank.
        """
        options_with_value = set()
        for parameter in self.params:
            if isinstance(parameter, click.Option) and not parameter.is_flag:
                options_with_value.update(parameter.opts)
        words = []
        last_word = ""
        for word in args:
            is_value = last_word in options_with_value
            if _NEGATIVE_SCORE.fullmatch(word) and not is_value:
                words.append(f" {word}")
            else:
                words.append(word)
            last_word = word
        return super().parse_args(ctx, words)


def is_typed(name: str) -> bool:
    """Whether the command line has an option.

    A variable of the shell such as $TBGEN_DATA does not count, because it is set for all commands.
    """
    context = click.get_current_context()
    option = _option_of(context.command, name)
    assert option.name is not None
    if context.get_parameter_source(option.name) is not ParameterSource.COMMANDLINE:
        return False
    # --json and --csv set one parameter.
    is_form = isinstance(option.flag_value, Form)
    return not is_form or context.params[option.name] is option.flag_value


def _option_of(command: click.Command, name: str) -> click.Option:
    for parameter in command.params:
        if name in parameter.opts and isinstance(parameter, click.Option):
            return parameter
    raise LookupError(f"{command.name} has no option {name}")


def refuse_together(*names: str) -> None:
    """Refuse the command line if it has more than one of these options."""
    typed = [name for name in names if is_typed(name)]
    if len(typed) > 1:
        raise UsageError(f"{' and '.join(typed)} cannot be given together")


def refuse_beside(given: str, *names: str) -> None:
    """Refuse options that mean nothing beside `given`, such as `--continue never`."""
    for name in names:
        if is_typed(name):
            raise UsageError(f"{given} and {name} cannot be given together")


def refuse_without(needed: str, *names: str) -> None:
    """Refuse options that mean nothing without the option `needed`."""
    if is_typed(needed):
        return
    for name in names:
        if is_typed(name):
            raise UsageError(f"{name} means nothing without {needed}")
