"""The help of every command."""

from __future__ import annotations

import contextlib
import re
import shlex
from io import StringIO
from pathlib import Path

import click
import pytest

from tbgen import cli
from tbgen.apps.match.arguments import settings_of
from tbgen.cli.terminal import run
from tbgen.errors import MissingFolderError
from tests.cli.calls import complaint, printed

NAMES = list(cli.SUBCOMMANDS)
ROOT = Path(__file__).parents[2]
GAMES = str(ROOT / "tests" / "golden" / "tcec_s18.pgn")


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


@pytest.mark.parametrize("name", NAMES)
def test_every_command_can_be_told_to_be_quiet(name: str) -> None:
    command = cli.tbgen.get_command(click.Context(cli.tbgen), name)
    assert command is not None
    if name == "match":
        assert settings_of(["-engine", "cmd=a", "tc=1", "-engine", "cmd=b", "tc=1", "-q"]).quiet
        return
    (quiet,) = (option for option in command.params if option.name == "quiet")
    assert quiet.opts == ["-q", "--quiet"]


@pytest.mark.parametrize(
    ("words", "has_output"),
    [
        (("score", "--pgn", GAMES), True),
        (("standings", GAMES), True),
        (("annotate", GAMES), True),
        (("adjudicate", GAMES, "-o", "copy.pgn"), False),
        (("list",), True),
        (("info", "KvK"), True),
        (("probe", "8/8/8/8/8/5k2/8/5K2 w - - 0 1"), True),
        (("line", "8/8/8/8/8/5k2/8/5K2 w - - 0 1"), True),
        (("verify", "KvK"), False),
        (("explorer", "-o", "site"), False),
        (("build", "KvK"), False),
        (("record", "KvK", "-o", "records"), False),
        (("potential", "--records", str(ROOT / "records")), True),
        (("hold", "8/8/8/8/8/5k2/8/5K2 w - - 0 1", "--side", "white"), True),
    ],
    ids=lambda words: words[0] if isinstance(words, tuple) else "",
)
def test_a_quiet_command_says_nothing_of_its_progress_however_slow_it_is(
    words: tuple[str, ...], has_output: bool, table_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if every step took minutes: all that is said at some time is said at once."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TBGEN_DATA", str(table_folder))
    for name in ("terminal.LINE_SECONDS", "terminal._QUIET_SECONDS", "watch.LINE_SECONDS", "watch._QUIET_SECONDS"):
        monkeypatch.setattr(f"tbgen.cli.{name}", -1.0)
    out, err = StringIO(), StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as ended:
        run(cli.tbgen, [*words, "-q"])
    assert (ended.value.code, err.getvalue(), out.getvalue() != "") == (0, "", has_output)


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
    monkeypatch.setenv("TBGEN_DATA", str(table_folder))
    monkeypatch.setattr("tbgen.cli.terminal.LINE_SECONDS", -1.0)
    out, err = StringIO(), StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as ended:
        run(cli.tbgen, words)
    assert ended.value.code == 0
    assert err.getvalue().startswith(f"{Path(GAMES).name}: 20 games, 100 %, ")


def test_a_name_that_is_no_command_is_told_what_it_may_mean() -> None:
    assert complaint("prob") == (2, "tbgen: there is no command 'prob'; did you mean probe?")
    assert complaint("xyz") == (2, "tbgen: there is no command 'xyz'")
