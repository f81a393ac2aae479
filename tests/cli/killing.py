"""Commands that write, killed at seeded moments: files are old or whole.

The next run ends the same.
"""

from __future__ import annotations

import atexit
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.apps.match.matches import walker
from tests.library.mirrors import mirror_of
from tests.project import RECORDS, ROOT, S18

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
OLD = b"what was there before\n"
MIRROR = "MIRROR"
"""Stands for the address of a server that has the tables of two and three men."""

Files = Mapping[str, bytes]


@dataclass(frozen=True)
class Case:
    """A command, the files that it is given, and those that count of what it writes."""

    words: tuple[str, ...]
    given: Callable[[], Files]
    written: tuple[str, ...]
    """Patterns of the files that must be old or whole after a kill."""


def _games() -> Files:
    return {"games.pgn": S18.read_bytes() * 10, "copy.pgn": OLD, "facts.json": OLD}


def _records() -> Files:
    return {
        f"records/{name}.json": (RECORDS / f"{name}.json").read_bytes() for name in ("KvK", "KBvK")
    }


FORTRESS = "6k1/6p1/8/p6Q/8/2r5/1q4PP/7K w - - 0 1"
DRAWN = (ROOT / "docs" / "examples" / "drawn.pgn").read_bytes()

CASES = {
    "copy": Case(
        ("adjudicate", "games.pgn", "-o", "copy.pgn", "--verdicts", "facts.json"),
        _games,
        ("*.pgn", "*.json"),
    ),
    "in place": Case(("adjudicate", "games.pgn", "--in-place"), _games, ("games.pgn",)),
    "build": Case(("build", "KBvK", "KNvK", "--data", "tables"), dict, ("tables/*.h5",)),
    "fetch": Case(("fetch", "--from", MIRROR, "--data", "tables"), dict, ("tables/*.h5",)),
    "record": Case(
        ("study", "record", "KNvK", "--data", "3 men", "-o", "records"), dict, ("records/*.json",)
    ),
    "report": Case(
        ("site", "--records", "records", "-o", "site"),
        _records,
        ("site/*.html", "site/data/*.json"),
    ),
    "explorer": Case(
        ("site", "--explorer", "--data", "3 men", "-o", "site"),
        dict,
        ("site/explorer/*.js", "site/tables/*.json", "site/tables/*.h5"),
    ),
    "explorer with pages": Case(
        ("site", "--explorer", "--data", "3 men", "--records", "records", "-o", "site"),
        _records,
        (
            "site/*.html",
            "site/data/*.json",
            "site/explorer/*.js",
            "site/tables/*.json",
            "site/tables/*.h5",
        ),
    ),
    "event": Case(
        ("standings", "games.pgn", "--pages", "www"),
        lambda: {"games.pgn": S18.read_bytes()},
        ("www/**/*.html",),
    ),
    "pair": Case(
        ("pair", "--rounds", "3", "--players", "players.txt", "-o", "next.pgn"),
        lambda: {"players.txt": b"Anna\nBob\nCid\nDan\n"},
        ("next.pgn",),
    ),
    "find": Case(
        ("study", "find", "KNvK", "--where", "check", "-o", "found.epd", "--data", "3 men"),
        dict,
        ("found.epd",),
    ),
    "annotate": Case(
        ("annotate", "games.pgn", "-o", "copy.pgn", "--data", "3 men"),
        lambda: {"games.pgn": DRAWN * 200, "copy.pgn": OLD},
        ("copy.pgn",),
    ),
    "digests": Case(
        ("verify", "KNvK", "--digest", "-o", "known.csv", "--data", "3 men"), dict, ("known.csv",)
    ),
    "hold": Case(
        ("hold", FORTRESS, "--side", "white", "--goal", "draw", "--strategy", "fortress.json"),
        lambda: {"fortress.json": OLD},
        ("fortress.json",),
    ),
    "match": Case(
        (
            "match",
            *walker("Ann"),
            *walker("Bob"),
            "-games",
            "4",
            "-rounds",
            "2",
            "-maxmoves",
            "6",
            "-recover",
            "-srand",
            "3",
            "-pgnout",
            "match.pgn",
            "-jsonout",
            "match.json",
        ),
        dict,
        ("match.json",),
    ),
}


@dataclass
class Peace:
    """What a command that nobody disturbs writes, and how long it took the last time."""

    files: Files
    seconds: float


def files_of(folder: Path, case: Case) -> Files:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for pattern in case.written
        for path in folder.glob(pattern)
    }


def laid_out(folder: Path, case: Case, tables: Path) -> Path:
    """A folder with what a command is given."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "3 men").symlink_to(tables)
    for name, content in case.given().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def words_of(folder: Path, case: Case) -> list[str]:
    """The words of a command that is run in a folder laid out for it."""
    return [
        _mirror_of((folder / "3 men").resolve()) if word == MIRROR else word for word in case.words
    ]


def started(folder: Path, case: Case) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tbgen", *words_of(folder, case)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        process_group=0,
    )


@cache
def _mirror_of(tables: Path) -> str:
    """The address of a server of some tables, which is there until this process ends."""
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(mirror_of(tables)).url


def undisturbed(folder: Path, case: Case, tables: Path) -> Peace:
    laid_out(folder, case, tables)
    began = time.monotonic()
    assert started(folder, case).wait() == 0, case.words
    return Peace(files_of(folder, case), time.monotonic() - began)


def kill(folder: Path, case: Case, tables: Path, peace: Peace, draw: random.Random) -> bool:
    """Kill a run at some moment; return whether it was hit."""

    def run() -> int:
        process = started(folder, case)
        try:
            process.wait(timeout=draw.uniform(0.0, 1.1 * peace.seconds))
        except subprocess.TimeoutExpired:
            process.send_signal(draw.choice(SIGNALS))
        return process.wait()

    return disturb(folder, case, tables, peace, run) != 0


def disturb(
    folder: Path,
    case: Case,
    tables: Path,
    peace: Peace,
    run: Callable[[], object],
    then: Callable[[], object] = tuple,
) -> object:
    """Lay out a folder for a run that something disturbs, and look at its files.

    Then let the same command end.
    """
    laid_out(folder, case, tables)
    before = files_of(folder, case)
    found = run()
    for name, content in files_of(folder, case).items():
        assert is_whole(name, content, before, peace), (
            f"{case.words}: {name} is neither old nor whole"
        )
    then()
    began = time.monotonic()
    assert started(folder, case).wait() == 0, case.words
    peace.seconds = (
        time.monotonic() - began
    )  # or kills come too late once a busy machine is idle again
    after = files_of(folder, case)
    assert after.keys() == peace.files.keys(), case.words
    assert all(is_whole(name, content, {}, peace) for name, content in after.items()), case.words
    return found


def is_whole(name: str, content: bytes, before: Files, peace: Peace) -> bool:
    """Whether a file is as it was, or as a run that nobody disturbed writes it.

    A match's figures tell of engines.
    """
    if name == "match.json":
        return content.endswith(b"}\n")
    return content in (before.get(name), peace.files.get(name))
