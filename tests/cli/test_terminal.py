from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from tbgen.cli import COMMANDS, Terminated, run
from tbgen.errors import MissingTableError
from tests.attacks.attack import assert_civil
from tests.cli.calls import tbgen
from tests.cli.terminals import shown_on_terminal
from tests.project import S18

HEAVY = ("numba", "numpy", "h5py", "rich", "zstandard")


ONE_AFTER_ANOTHER = """
import sys
from tbgen.cli import main
for words in {calls!r}:
    sys.argv = ['tbgen', *words]
    try:
        main()
    except SystemExit:
        print('\\n' + {told!r} + ' '.join(sys.modules))
"""
TOLD = "modules so far: "


def modules_after_each(*calls: tuple[str, ...]) -> list[set[str]]:
    """The modules that a process has imported after each call of the program."""
    program = ONE_AFTER_ANOTHER.format(calls=calls, told=TOLD)
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith(TOLD)]
    assert len(lines) == len(calls)
    return [set(line.removeprefix(TOLD).split()) for line in lines]


BISHOP = "8/8/8/4KBk1/8/8/8/8 b - - 0 1"
PAWNS = "4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1"
"""Four men, of which the folder of two and three men has no table."""
SCORING = (("--help",), ("score", "--help"), ("score", "startpos"))
ANSWERS = {
    ("probe", BISHOP): "tbgen.probe",
    ("probe", BISHOP, "--line"): "tbgen.probe",
    ("probe", BISHOP, "--json", "--fifty", "reset"): "tbgen.apps.play.clock",
    ("probe", BISHOP, "--svg"): "tbgen.apps.pages.standalone",
    ("list",): "tbgen.library.catalog",
    ("solve", PAWNS, "--plan"): "tbgen.closures.solver",
}
"""[words of a command] a module that it needs"""


def test_commands_import_no_more_than_they_need(table_folder: Path) -> None:
    """Scoring needs no arrays, a probe neither HDF5 nor colours, one answer no compiler."""
    answers = [(*words, "--data", str(table_folder)) for words in ANSWERS]
    helps = [(command, "--help") for command in COMMANDS if command != "score"]
    calls: list[tuple[str, ...]] = [*SCORING, *answers, *helps]
    loaded = dict(zip(calls, modules_after_each(*calls), strict=True))
    for call in SCORING:
        assert not loaded[call] & set(HEAVY), call
    assert not loaded[answers[0]] & {"h5py", "rich"}
    for words, module in zip(answers, ANSWERS.values(), strict=True):
        assert module in loaded[words], words
        assert not loaded[words] & {"h5py", "tbgen.retro"}, words
    for each in calls:
        assert not loaded[each] & {"numba", "llvmlite"}, each


@pytest.mark.parametrize(
    "words",
    [
        "score --pgn junk --json",
        "verify --digest --list junk",
        f"build KvK --jobs {'9' * 30}",
    ],
)
def test_words_that_ended_in_a_traceback_end_in_a_line(
    words: str, tmp_path: Path, table_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("junk").write_bytes(bytes(range(256)))
    assert_civil(tbgen(*words.split(), folder=table_folder))


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (MissingTableError("KBvK"), 3, "tbgen: no table KBvK; build it with: tbgen build KBvK\n"),
        (
            OSError(28, "No space left on device", "x.h5"),
            1,
            "tbgen: x.h5: No space left on device\n",
        ),
        (OSError("odd"), 1, "tbgen: odd\n"),
        (click.UsageError("what?"), 2, "tbgen: what?\n"),
        (KeyboardInterrupt(), 130, "\ntbgen: interrupted\n"),
        (Terminated(), 143, "\ntbgen: terminated\n"),
        (MemoryError(), 6, "tbgen: there is not enough memory for this\n"),
        (
            RuntimeError("can't start new thread"),
            6,
            "tbgen: the system starts no more threads; allow more of them, or more memory\n",
        ),
    ],
)
def test_an_error_is_one_line_and_an_exit_code(
    error: BaseException, code: int, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    @click.command()
    def failing() -> None:
        raise error

    with pytest.raises(SystemExit) as caught:
        run(failing, [])
    assert caught.value.code == code
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


FEN = re.compile(
    r"(?<!\S)(?:[1-8KQRBNPkqrbnp]+/){7}[1-8KQRBNPkqrbnp]+ [wb] \S+ \S+ [0-9]+ [0-9]+$", re.MULTILINE
)


@pytest.mark.parametrize("columns", [20, 80])
def test_a_fen_is_whole_on_a_terminal_of_any_width(columns: int, table_folder: Path) -> None:
    text = shown_on_terminal(columns, "list", "KPvK", "--data", str(table_folder))
    rows = [line for line in text.splitlines() if re.match(r" *-?G[0-9.]+ +[0-9,]+ +[0-9]+", line)]
    assert len(rows) > 20
    assert len(FEN.findall(text)) == len(rows)


def test_standings_leave_out_the_cross_table_where_it_has_no_room() -> None:
    text = shown_on_terminal(80, "standings", "-q", str(S18))
    lines = re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines()
    head = next(number for number, line in enumerate(lines) if line.split()[:1] == ["player"])
    first, *rows = lines[head : head + 11]  # the ten players of the first of two leagues
    assert first.split() == ["player", "games", "classical", "points"]
    assert max(map(len, rows)) <= 80
    assert [row.split()[0] for row in rows] == [str(rank) for rank in range(1, 11)]
