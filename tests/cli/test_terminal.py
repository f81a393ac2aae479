from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import click
import pytest

from tbgen.cli import SUBCOMMANDS
from tbgen.cli.terminal import Progress, Terminated, run, show_rows
from tbgen.errors import MissingTableError
from tests.cli.terminals import run_on_terminal, shown_on_terminal

HEAVY = ("numba", "numpy", "h5py", "rich", "zstandard")


def modules_after(*arguments: str) -> set[str]:
    code = (
        "import sys\n"
        "from tbgen.cli import main\n"
        f"sys.argv = ['tbgen', *{arguments!r}]\n"
        "try:\n    main()\nexcept SystemExit:\n    print('\\n' + ' '.join(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("arguments", [("--help",), ("score", "--help"), ("score", "startpos")])
def test_scoring_imports_no_arrays_and_no_compiler(arguments: tuple[str, ...]) -> None:
    assert not modules_after(*arguments) & set(HEAVY)


def test_the_help_of_the_program_imports_no_subcommand() -> None:
    loaded = modules_after("--help")
    assert not loaded & {module for module, _ in SUBCOMMANDS.values()}


def test_importing_tbgen_imports_next_to_nothing() -> None:
    code = "import sys, tbgen; print([name for name in sys.modules if name.startswith(('tbgen.', 'chess'))])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def exit_code_of(error: BaseException) -> int:
    @click.command()
    def failing() -> None:
        raise error

    with pytest.raises(SystemExit) as caught:
        run(failing, [])
    assert isinstance(caught.value.code, int)
    return caught.value.code


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (MissingTableError("KBvK"), 3, "tbgen: no table KBvK; build it with: tbgen build KBvK\n"),
        (OSError(28, "No space left on device", "x.h5"), 1, "tbgen: x.h5: No space left on device\n"),
        (OSError("odd"), 1, "tbgen: odd\n"),
        (click.UsageError("what?"), 2, "tbgen: what?\n"),
        (KeyboardInterrupt(), 130, "\ntbgen: interrupted\n"),
        (Terminated(), 143, "\ntbgen: terminated\n"),
        (MemoryError(), 6, "tbgen: there is not enough memory for this\n"),
    ],
)
def test_an_error_is_one_line_and_an_exit_code(
    error: BaseException, code: int, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code_of(error) == code
    assert capsys.readouterr().err.strip() == line.strip()


def test_a_reader_that_goes_away_ends_the_program_quietly() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "tbgen", "score", "startpos"]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert done.stderr == b""
    assert done.returncode == 1


@pytest.mark.parametrize("closed", [">&-", "2>&-"])
def test_a_stream_that_the_shell_has_closed_does_no_harm(closed: str) -> None:
    command = f"'{sys.executable}' -m tbgen score startpos {closed}"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_rows_are_aligned_lines_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    show_rows(("name", "n"), [("a", "100"), ("bcdef", "1")], right=".r")
    assert capsys.readouterr().out == "name     n\na      100\nbcdef    1\n"


@pytest.mark.parametrize("piped", [True, False])
def test_progress_appears_by_itself_and_leaves_the_output_alone(piped: bool) -> None:
    code = (
        "from tbgen.cli import terminal\n"
        "terminal._QUIET_SECONDS = 0.0\n"
        "with terminal.progress('at work', 3) as shown:\n"
        "    shown._timer.join()\n"
        "    shown.advance()\n"
        "    print('x' * 200)\n"
    )
    on_terminal, output = run_on_terminal([sys.executable, "-c", code], 60, piped=piped)
    assert "at work" in on_terminal
    assert ("x" * 200 in output) == piped
    assert ("x" * 200 in on_terminal) == (not piped)


def test_quick_work_shows_no_progress() -> None:
    code = "from tbgen.cli import terminal\nwith terminal.progress('at work', 3) as shown:\n    shown.advance()"
    assert run_on_terminal([sys.executable, "-c", code], 60)[0] == ""


def test_quick_work_prints_nothing_where_there_is_no_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = iter([0.0, 1.0, 5.9])
    monkeypatch.setattr("tbgen.cli.terminal.time", SimpleNamespace(monotonic=lambda: next(seconds)))
    shown = Progress("work", total=3)
    shown.advance()
    shown.advance()
    shown.close()
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("total", "as_share", "lines"),
    [
        (3, False, ["work, 1 of 3, 18 s", "KBvK: moves, 1 of 3, 24 s"]),
        (None, False, ["work, 1, 18 s", "KBvK: moves, 1, 24 s"]),
        (4, True, ["work, 25 %, 18 s, about 54 s to go", "KBvK: moves, 25 %, 24 s, about 72 s to go"]),
        (None, True, ["work, 18 s", "KBvK: moves, 24 s"]),
    ],
)
def test_long_work_prints_a_line_now_and_then_where_there_is_no_terminal(
    total: int | None,
    as_share: bool,
    lines: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What comes before there is anything to tell, such as compiling, is counted but is no reason for a line."""
    seconds = iter([0.0, 12.0, 18.0, 19.0, 24.0])
    monkeypatch.setattr("tbgen.cli.terminal.time", SimpleNamespace(monotonic=lambda: next(seconds)))
    shown = Progress("work", total, as_share=as_share)
    shown.advance()
    shown.advance(0)
    shown.advance(0, title="KBvK: checksum")
    shown.advance(0, title="KBvK: moves")
    shown.close()
    shown.advance()
    assert capsys.readouterr() == ("", "".join(f"{line}\n" for line in lines))


def test_quiet_work_prints_nothing_however_long_it_takes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tbgen.cli.terminal.LINE_SECONDS", 0.0)
    shown = Progress("work", total=3, quiet=True)
    shown.advance()
    assert capsys.readouterr() == ("", "")


FEN = re.compile(r"(?<!\S)(?:[1-8KQRBNPkqrbnp]+/){7}[1-8KQRBNPkqrbnp]+ [wb] \S+ \S+ [0-9]+ [0-9]+$", re.MULTILINE)


@pytest.mark.parametrize("columns", [20, 40, 60, 80, 200])
def test_a_fen_is_whole_on_a_terminal_of_any_width(columns: int, table_folder: Path) -> None:
    text = shown_on_terminal(columns, "info", "KPvK", "--data", str(table_folder))
    rows = [line for line in text.splitlines() if re.match(r" *-?G[0-9.]+ +[0-9,]+ +[0-9]+", line)]
    assert len(rows) > 20
    assert len(FEN.findall(text)) == len(rows)


@pytest.mark.parametrize("columns", [40, 60, 80])
def test_rows_fit_a_terminal_except_for_what_is_kept_whole(columns: int, table_folder: Path) -> None:
    text = shown_on_terminal(columns, "probe", "8/8/8/4KBk1/8/8/8/8 b - - 0 1", "--data", str(table_folder))
    rows = re.sub(r"\x1b\[[0-9;]*m", "", text[text.rindex("move") :]).splitlines()
    assert max(map(len, rows)) <= columns
    assert not any(line.endswith("…") for line in rows)


def test_headings_are_bold_only_on_a_terminal_that_wants_colours(table_folder: Path) -> None:
    arguments = ("list", "--data", str(table_folder))
    assert "\x1b[1m" in shown_on_terminal(80, *arguments)
    assert "\x1b" not in shown_on_terminal(80, *arguments, environment={"NO_COLOR": "1"})
    assert "\x1b" not in shown_on_terminal(80, *arguments, environment={"TERM": "dumb"})
    piped = subprocess.run([sys.executable, "-m", "tbgen", *arguments], capture_output=True, text=True, check=True)
    assert "\x1b" not in piped.stdout
