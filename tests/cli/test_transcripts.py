"""What commands print, word for word.

`transcripts.txt` has a line `$ tbgen ...` and what follows it. A line `> tbgen ...` goes on in the
same folder, and `> cat FILE` shows what is in a file. Lines on the standard error begin with `! `;
an exit code other than 0 stands at the end, as `[2]`; `…` is any text of a line. To write anew what
has changed, before reading the difference:
`python -m tests.cli.test_transcripts TABLES WHOLE-GAME`.
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
from tests.project import RECORDS, ROOT, S18

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


@pytest.mark.parametrize(
    "transcript", TRANSCRIPTS, ids=lambda text: text.partition("\n")[0].removeprefix("$ tbgen ")
)
def test_a_command_prints_what_its_transcript_shows(
    transcript: str,
    table_folder: Path,
    whole_game_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    laid_out(tmp_path, table_folder, whole_game_folder)
    monkeypatch.chdir(tmp_path)
    now = repeated(transcript)
    assert is_as_expected(transcript, now), now


def main(*tables: Path) -> None:
    """Write anew the transcripts of commands that say something else now."""
    made = []
    for transcript in TRANSCRIPTS:
        with tempfile.TemporaryDirectory() as name:
            laid_out(Path(name), *(each.resolve() for each in tables))
            os.chdir(name)
            now = repeated(transcript)
        made.append(transcript.rstrip("\n") if is_as_expected(transcript, now) else now)
    FILE.write_text("\n\n".join(made) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
