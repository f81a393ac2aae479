"""The help of every command."""

from __future__ import annotations

import contextlib
import re
import shlex
from pathlib import Path

import click
import pytest
from click.shell_completion import BashComplete

from tbgen import cli
from tbgen.apps.match.words import ALIASES, OPTIONS
from tbgen.errors import MissingFolderError
from tests.cli.calls import printed, tbgen
from tests.project import ROOT, S18

GAMES = str(S18)


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


@pytest.mark.parametrize(
    ("words", "has_output"),
    [
        (("score", "--pgn", GAMES), True),
        (("standings", GAMES, "--event", "TCEC Season 18 - League 2"), True),
        (("annotate", GAMES), True),
        (("adjudicate", GAMES, "-o", "copy.pgn"), False),
        (("list",), True),
        (("list", "KvK"), True),
        (("probe", "8/8/8/8/8/5k2/8/5K2 w - - 0 1"), True),
        (("probe", "--line", "8/8/8/8/8/5k2/8/5K2 w - - 0 1"), True),
        (("verify", "KvK"), False),
        (("site", "--explorer", "-o", "site"), False),
        (("build", "KvK"), False),
        (("study", "record", "KvK", "-o", "records"), False),
        (("hold", "8/8/8/8/8/5k2/8/5K2 w - - 0 1", "--side", "white"), True),
    ],
    ids=lambda words: words[0] if isinstance(words, tuple) else "",
)
def test_a_quiet_command_says_nothing_of_its_progress_however_slow_it_is(
    words: tuple[str, ...],
    has_output: bool,
    own_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As if every step took minutes: all that is said at some time is said at once."""
    monkeypatch.chdir(tmp_path)
    for name in ("LINE_SECONDS", "QUIET_SECONDS"):
        monkeypatch.setattr(f"tbgen.cli.reporter.{name}", -1.0)
    done = tbgen(*words, "-q", folder=own_folder, progress=True)
    assert (done.returncode, done.stderr, done.stdout != "") == (0, "", has_output)


@pytest.mark.parametrize(
    "words",
    [
        ("score", "--summary", "--pgn", GAMES),
        ("standings", GAMES),
        ("annotate", GAMES, "-o", "copy.pgn"),
        ("adjudicate", GAMES, "-o", "copy.pgn"),
        ("build", "--plan", "--for", GAMES),
    ],
    ids=lambda words: words[0],
)
def test_a_command_that_reads_games_says_how_much_of_a_file_is_read(
    words: tuple[str, ...], table_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tbgen.cli.reporter.LINE_SECONDS", -1.0)
    done = tbgen(*words, folder=table_folder, progress=True)
    assert done.returncode == 0
    assert re.search(rf"^{Path(GAMES).name}, \d+ s: 20 games, 100 %", done.stderr, re.MULTILINE)
