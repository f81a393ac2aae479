"""The help of every command."""

from __future__ import annotations

import contextlib
import re
import shlex

import click
import pytest
from click.shell_completion import BashComplete

from tbgen import cli
from tbgen.apps.match.words import ALIASES, OPTIONS
from tbgen.errors import MissingFolderError
from tests.cli.calls import printed
from tests.project import ROOT


def all_commands() -> list[tuple[str, click.Command]]:
    """Every command by its words, those of groups too."""
    commands: dict[str, click.Command] = {}
    root = click.Context(cli.tbgen)
    for name in cli.COMMANDS:
        command = cli.tbgen.get_command(root, name)
        assert command is not None
        commands[name] = command
        for inner_name, inner in getattr(commands[name], "commands", {}).items():
            commands[f"{name} {inner_name}"] = inner
    return list(commands.items())


@pytest.mark.parametrize(("name", "command"), [("", cli.tbgen), *all_commands()])
def test_every_help_has_examples_whose_options_exist(name: str, command: click.Command) -> None:
    examples = re.findall(
        rf"^ +tbgen {name}\b(.*)$", printed(*name.split(), "--help"), re.MULTILINE
    )
    assert len(examples) >= 2, f"the help of {name} needs two lines of examples, indented"
    for line in [] if name in ("", "match") else examples:
        words = shlex.split(re.split("[<>]", line)[0])
        with contextlib.suppress(
            MissingFolderError, click.BadParameter
        ):  # files and folders that are not here
            command.make_context(name, words)


PAGES = "\n".join(
    path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
)


def options_of(name: str, command: click.Command) -> set[str]:
    """The options that a command declares, those of a match in a table of its own."""
    if name == "match":
        return {f"-{option}" for option in OPTIONS}
    return {
        word
        for option in command.params
        if isinstance(option, click.Option)
        for word in (*option.opts, "--help")
    }


@pytest.mark.parametrize(("name", "command"), all_commands())
def test_help_completion_and_pages_have_the_options_that_are_declared(
    name: str, command: click.Command
) -> None:
    """docs/cli.rst is made from the help itself."""
    declared = options_of(name, command) or {"--help"}
    dash = "-" if name == "match" else "--"
    shell = BashComplete(cli.tbgen, {}, "tbgen", "_TBGEN_COMPLETE")
    completed = {item.value for item in shell.get_completions(name.split(), dash)}
    assert completed == {word for word in declared if word.startswith(dash)}
    assert isinstance(command, click.Group) or {"-q", "--quiet"} & declared or "-quiet" in declared
    text = printed(*name.split(), "--help")
    assert all(re.search(rf"{word}(?![\w-])", text) for word in completed)
    assert set(re.findall(rf"^  (?:-\w, )?({dash}[a-z][\w-]*)", text, re.MULTILINE)) <= completed
    inner = getattr(command, "commands", {}).items()
    known = declared.union(
        *(options_of(*each) for each in inner), (f"-{alias}" for alias in ALIASES)
    )
    used = re.findall(rf"\btbgen {name}\b((?: (?![|&#])[^\s`|)]+)*)", PAGES)
    assert set(re.findall(r"(?<!\S)--?[a-z][\w-]*", " ".join(used))) <= known | {"-h", "-help"}


def test_the_surface_stays_small() -> None:
    """Commands, and their options without those that every command has."""
    options = {
        (name, option.opts[0])
        for name, command in all_commands()
        for option in command.params
        if isinstance(option, click.Option) and option.name not in ("help", "quiet")
    }
    assert len(cli.COMMANDS) <= 18, "a command that comes takes the place of another"
    assert len(options) <= 140, "an option that comes takes the place of another"


@pytest.mark.parametrize("words", [(), ("study",)])
def test_no_line_of_a_list_of_commands_is_cut_off(words: tuple[str, ...]) -> None:
    lines = printed(*words, "--help").splitlines()
    assert not [line for line in lines if line.startswith("  ") and line.endswith("...")]
