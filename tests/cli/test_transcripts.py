"""What commands print, word for word.

`transcripts.txt` has a line `$ tbgen ...` and what follows it. A line `> tbgen ...` goes on in the
same folder, and `> cat FILE` shows what is in a file. Lines on the standard error begin with `! `;
an exit code other than 0 stands at the end, as `[2]`; `…` is any text of a line. `pytest --rewrite`
writes anew what has changed; then read the difference.
"""

from __future__ import annotations

import difflib
import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.apps.match.matches import walker
from tests.cli.calls import tbgen
from tests.project import RECORDS, ROOT, S18

HOW_TO_REWRITE = (
    "if this is meant: .venv/bin/python -m pytest tests/cli/test_transcripts.py --rewrite"
)
HERE = Path(__file__).parent
FILE = HERE / "transcripts.txt"
TRANSCRIPTS = re.split(r"^(?=\$ )", FILE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
GIVEN = (
    S18,
    ROOT / "docs" / "examples" / "drawn.pgn",
    *(HERE / "given").iterdir(),
)
ENGINES = {name: walker(name) for name in ("Ann", "Bob", "Cat")}


def laid_out(folder: Path, *tables: Path) -> None:
    """Files that commands find in their folder."""
    for path in GIVEN:
        shutil.copy(path, folder)
    for place in tables:
        for path in [*place.rglob("*.h5"), *place.rglob("manifest.json")]:
            there = folder / "tables" / path.relative_to(place)
            there.parent.mkdir(parents=True, exist_ok=True)
            there.symlink_to(path)
    (folder / "empty").mkdir()
    (folder / "records").mkdir()
    for name in ("KvK", "KBvK", "KNvK"):
        shutil.copy(RECORDS / f"{name}.json", folder / "records")


def said_by(command: str) -> list[str]:
    """What a command says, or what is in a file."""
    program, *words = shlex.split(command)
    if program == "cat":
        return Path(words[0]).read_text(encoding="utf-8").splitlines()
    done = tbgen(*(part for word in words for part in ENGINES.get(word, [word])))
    told = [*done.stdout.splitlines(), *(f"! {line}" for line in done.stderr.splitlines())]
    return [*told, *([f"[{done.returncode}]"] if done.returncode else [])]


def repeated(transcript: str) -> str:
    """A transcript with what its commands say now."""
    commands = re.findall(r"^[$>] .*$", transcript, re.MULTILINE)
    return "\n".join(line for each in commands for line in (each, *said_by(each[2:]))).rstrip("\n")


def is_as_expected(transcript: str, now: str) -> bool:
    pattern = "[^\n]*".join(map(re.escape, transcript.rstrip("\n").split("…")))
    return re.fullmatch(pattern, now) is not None


def with_figures_left_open(transcript: str, now: str) -> str:
    """What commands say now, with `…` again where lines of the transcript have it."""
    open_lines = [line for line in transcript.splitlines() if "…" in line]
    lines = list[str]()
    for line in now.splitlines():
        fitting = (each for each in open_lines if is_as_expected(each, line))
        lines.append(next(fitting, line))
    return "\n".join(lines)


def rewrite(transcript: str, now: str) -> None:
    """Put what commands say now in place of a transcript."""
    transcripts = FILE.read_text(encoding="utf-8").split("\n\n$ ")
    place = transcripts.index(transcript.removeprefix("$ ").rstrip("\n"))
    transcripts[place] = now.removeprefix("$ ")
    FILE.write_text("\n\n$ ".join(transcripts), encoding="utf-8")


def difference(transcript: str, now: str) -> str:
    """The lines that have changed, with a few around them."""
    before = transcript.rstrip("\n").splitlines()
    return "\n".join(
        difflib.unified_diff(before, now.splitlines(), FILE.name, "printed now", lineterm="")
    )


@pytest.mark.parametrize(
    "transcript", TRANSCRIPTS, ids=lambda text: text.partition("\n")[0].removeprefix("$ tbgen ")
)
def test_a_command_prints_what_its_transcript_shows(
    transcript: str,
    table_folder: Path,
    whole_game_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    laid_out(tmp_path, table_folder, whole_game_folder)
    monkeypatch.chdir(tmp_path)
    now = repeated(transcript)
    if is_as_expected(transcript, now):
        return
    now = with_figures_left_open(transcript, now)
    if request.config.getoption("--rewrite"):
        rewrite(transcript, now)
    else:
        pytest.fail(f"{difference(transcript, now)}\n{HOW_TO_REWRITE}", pytrace=False)


OLD = """$ tbgen list
table  from
KvK    tables
built in … s

2 of … tables"""
NOW = OLD.replace("  from", "  men  from").replace("…", "7")
OTHERS = ["$ tbgen --help\nhelp\n\nmore help", "$ tbgen list --json\n[]\n"]


def test_figures_that_vary_stay_open_when_a_transcript_is_written_anew() -> None:
    assert with_figures_left_open(OLD, NOW) == OLD.replace("  from", "  men  from")


def test_a_transcript_is_written_anew_and_the_others_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.cli.test_transcripts.FILE", tmp_path / "transcripts.txt")
    file = tmp_path / "transcripts.txt"
    file.write_text("\n\n".join((OTHERS[0], OLD, OTHERS[1])))
    rewrite(f"{OLD}\n\n", NOW)
    assert file.read_text() == "\n\n".join((OTHERS[0], NOW, OTHERS[1]))


def test_a_changed_line_is_shown_and_equal_ones_are_not_marked() -> None:
    lines = difference(f"{OLD}\n\n", with_figures_left_open(OLD, NOW)).splitlines()
    marked = [line for line in lines[3:] if line[0] in "+-"]
    assert marked == ["-table  from", "+table  men  from"]
