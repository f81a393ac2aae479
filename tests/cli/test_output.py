"""Files that the program writes, and what it must not write over."""

from __future__ import annotations

import gzip
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tbgen.system.process import try_lock
from tests.cli.calls import GAME, complaint, tbgen


@pytest.mark.parametrize("options", [["-o"], ["-o", "copy.pgn", "--verdicts"]])
def test_a_named_pipe_is_written_to_and_stays_one(
    games: Path, options: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pipe = tmp_path / "pipe"
    read: list[bytes] = []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    assert tbgen("adjudicate", str(games), "-q", *options, str(pipe)).returncode == 0
    reader.join()
    assert b"e4" in read[0] or b"accrued" in read[0]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_file_is_written_where_there_are_no_locks(
    games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fcntl.flock", lambda *_: os.close(-1))
    assert tbgen("adjudicate", str(games), "-q", "-o", str(tmp_path / "copy.pgn")).returncode == 0
    assert b"RMobilityResult" in (tmp_path / "copy.pgn").read_bytes()


@pytest.mark.parametrize("allowed", [True, False])
def test_a_file_changed_in_place_keeps_its_owner_and_mode_or_stays_as_it_is(
    games: Path, monkeypatch: pytest.MonkeyPatch, allowed: bool
) -> None:
    """As if our own files were another user's than those that are there."""
    games.chmod(0o640)
    before = games.stat()
    given: list[tuple[int, int]] = []
    fstat = os.fstat

    def give(descriptor: int, owner: int, group: int) -> None:
        if not allowed:
            raise PermissionError(1, "Operation not permitted")
        given.append((owner, group))

    def other(descriptor: int) -> os.stat_result:
        mode, ino, dev, nlink, uid, *rest = fstat(descriptor)
        return os.stat_result((mode, ino, dev, nlink, uid + 1, *rest))

    monkeypatch.setattr(os, "fstat", other)
    monkeypatch.setattr(os, "fchown", give)
    done = tbgen("adjudicate", str(games), "-q", "--in-place")
    assert (done.returncode, given) == (
        (0, [(before.st_uid, before.st_gid)]) if allowed else (1, [])
    )
    if not allowed:
        said = "it belongs to another user or group, who would lose it; write to another file"
        assert done.stderr == f"tbgen: {games}: {said}\n"
    assert stat.S_IMODE(games.stat().st_mode) == 0o640
    assert ("RMobilityResult" in games.read_text(), games.read_text() == GAME) == (
        allowed,
        not allowed,
    )
    assert [each.name for each in games.parent.iterdir()] == ["games.pgn"]


def test_a_file_in_a_folder_that_is_not_there_is_refused_with_the_command_that_makes_it(
    tmp_path: Path,
) -> None:
    """Before any game is read: a solve may take hours."""
    out = tmp_path / "no where" / "out.pgn"
    code, line = complaint("adjudicate", "nofile.pgn", "-o", str(out))
    assert code == 1
    assert line == (
        f"tbgen: {out}: there is no folder {out.parent}; make it with: mkdir -p '{out.parent}'"
    )


def test_a_folder_that_may_not_be_written_to_is_told_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tmp_path)
    out = tmp_path / "out.pgn"
    code, line = complaint("adjudicate", "nofile.pgn", "-o", str(out))
    assert (code, line) == (1, f"tbgen: {out}: you may not write into the folder {tmp_path}")


def test_a_folder_is_no_file_to_write(tmp_path: Path) -> None:
    code, line = complaint("annotate", "nofile.pgn", "-o", str(tmp_path))
    assert (code, line) == (1, f"tbgen: {tmp_path}: it is a folder; name a file in it")


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
def test_a_copy_is_not_named_like_a_packed_file(games: Path, suffix: str) -> None:
    """It would be plain text, which other programs cannot unpack."""
    name = f"{games.parent / 'copy.pgn'}{suffix}"
    code, line = complaint("adjudicate", str(games), "-o", name)
    plain = name.removesuffix(suffix)
    assert (code, line) == (2, f"tbgen: {name} would be plain text, not packed; write to {plain}")


def test_a_full_disk_is_told_without_its_number() -> None:
    command = [sys.executable, "-m", "tbgen", "score", "startpos"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "tbgen: No space left on device\n")


UNSEEN = "a\u202eb\x9b2Jc\x7f\u2066d"


@pytest.mark.parametrize(
    "words", [["score", "--summary", "--pgn"], ["score", "--pgn"], ["standings"]]
)
def test_what_a_tag_says_or_a_file_is_called_cannot_control_a_terminal(
    tmp_path: Path, words: list[str]
) -> None:
    path = tmp_path / "\x1b[2J.pgn"
    path.write_text(
        f'[Event "{UNSEEN}"]\n[White "{UNSEEN}"]\n[Black "b"]\n[Termination "{UNSEEN}"]\n\n'
        "1. e4 e5 1-0\n\n1. e5 *\n"
    )
    done = tbgen(*words, str(path))
    assert r"a\u202eb\x9b2Jc\x7f\u2066d" in done.stdout
    assert "[2J.pgn" in done.stderr
    assert not set(done.stdout + done.stderr) & set("\x1b\u202e\x9b\x7f\u2066")


@pytest.mark.parametrize(
    "content",
    [b"\0\1\2", b"", gzip.compress((b"1. e4 {" + b"a" * 5000 + b"} *\n") * 99, mtime=0)[:-9]],
)
def test_a_file_that_cannot_be_read_to_its_end_leaves_the_old_copy(
    games: Path, tmp_path: Path, content: bytes
) -> None:
    broken, copy = tmp_path / "broken.pgn", tmp_path / "copy.pgn"
    broken.write_bytes(content)
    copy.write_text("what a run before has written")
    assert complaint("adjudicate", str(games), str(broken), "-q", "-o", str(copy))[0] == 2
    assert copy.read_text() == "what a run before has written"


def test_what_killed_runs_have_left_is_removed_and_nothing_else(
    games: Path, tmp_path: Path
) -> None:
    stale, fresh, foreign = (
        tmp_path / f".out.pgn.{name}.partial" for name in ("0123abcd", "00000000", "notes")
    )
    locked = tmp_path / ".out.pgn.ffffffff.partial"
    for path in (stale, fresh, foreign, locked):
        path.write_text("half")
        if path is not fresh:
            os.utime(path, (1e9, 1e9))
    with locked.open() as file:
        assert try_lock(file.fileno())
        assert (
            tbgen("adjudicate", str(games), "-q", "-o", str(tmp_path / "out.pgn")).returncode == 0
        )
    assert [path.exists() for path in (stale, fresh, foreign, locked)] == [False, True, True, True]
