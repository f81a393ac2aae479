"""The help of every command."""

from __future__ import annotations

import contextlib
import re
import shlex

import click
import pytest

from tbgen import cli
from tbgen.errors import MissingFolderError
from tests.cli.calls import complaint, printed

NAMES = list(cli.SUBCOMMANDS)


def help_of(*name: str) -> str:
    return printed(*name, "--help")


@pytest.mark.parametrize("name", [[], *([name] for name in NAMES)], ids=["", *NAMES])
def test_every_help_has_examples(name: list[str]) -> None:
    examples = help_of(*name).partition("Examples:")[2].splitlines()
    assert sum(line.strip().startswith(" ".join(["tbgen", *name])) for line in examples) >= 2


@pytest.mark.parametrize("name", [name for name in NAMES if name != "match"])
def test_the_options_of_examples_exist(name: str) -> None:
    command = cli.tbgen.get_command(click.Context(cli.tbgen), name)
    assert command is not None
    lines = re.findall(rf"^ +tbgen {name}\b(.*)$", help_of(name), re.MULTILINE)
    for line in lines:
        words = shlex.split(line.partition("<")[0])
        with contextlib.suppress(MissingFolderError, click.BadParameter):  # files and folders that are not here
            command.make_context(name, words)


def test_a_name_that_is_no_command_is_told_what_it_may_mean() -> None:
    assert complaint("prob") == (2, "tbgen: there is no command 'prob'; did you mean probe?")
    assert complaint("xyz") == (2, "tbgen: there is no command 'xyz'")
