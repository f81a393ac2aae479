"""What commands print, word for word: `transcripts.txt` has a line `$ tbgen ...` and what follows it.

Lines on the standard error begin with `! `; an exit code other than 0 stands at the end, as `[2]`; `…` is any text.
To write the file anew from the same commands: `python -m tests.cli.test_transcripts`, then read the difference.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from tests.apps.match.matches import walker
from tests.cli.calls import tbgen

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
FILE = HERE / "transcripts.txt"
TRANSCRIPTS = re.split(r"^\$ tbgen ", FILE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
GIVEN = (
    ROOT / "tests" / "golden" / "tcec_s18.pgn",
    ROOT / "docs" / "examples" / "drawn.pgn",
    *(HERE / "given").iterdir(),
)
ENGINES = {name: walker(name) for name in ("Ann", "Bob", "Cat")}


def laid_out(folder: Path, tables: Path) -> None:
    """Files that commands find in their folder."""
    for path in GIVEN:
        shutil.copy(path, folder)
    (folder / "tables").symlink_to(tables)
    (folder / "empty").mkdir()
    (folder / "records").mkdir()
    for name in ("KvK", "KBvK", "KNvK"):
        shutil.copy(ROOT / "records" / f"{name}.json", folder / "records")


def transcript_of(command: str) -> str:
    """What a command says."""
    words = [part for word in shlex.split(command) for part in ENGINES.get(word, [word])]
    done = tbgen(*words)
    told = [*done.stdout.splitlines(), *(f"! {line}" for line in done.stderr.splitlines())]
    return "\n".join([*told, *([f"[{done.returncode}]"] if done.returncode else [])])


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda text: text.partition("\n")[0])
def test_a_command_prints_what_its_transcript_shows(
    transcript: str, table_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    laid_out(tmp_path, table_folder)
    monkeypatch.chdir(tmp_path)
    command, _, expected = transcript.partition("\n")
    pattern = "[^\n]*".join(map(re.escape, expected.rstrip("\n").split("…")))
    told = transcript_of(command).rstrip("\n")
    assert re.fullmatch(pattern, told) is not None, told


def main(tables: Path) -> None:
    """Write the transcripts of all commands anew."""
    made = []
    for transcript in TRANSCRIPTS:
        command = transcript.partition("\n")[0]
        with tempfile.TemporaryDirectory() as name:
            laid_out(Path(name), tables.resolve())
            os.chdir(name)
            told = re.sub(r"\b\d+\.\d( +)\d+\.\d( +)(?=\d+\.\d kB)", r"…\1…\2", transcript_of(command))
        made.append(f"$ tbgen {command}\n{told}\n")
    FILE.write_text("\n".join(made), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
