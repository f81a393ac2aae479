from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tbgen.errors import UsageError
from tbgen.reading import parse_json, read_as
from tbgen.storage.files import (
    FileRecord,
    build_lock,
    folders_in,
    partial_of,
    tables_in,
    write_whole,
)


def broken_off() -> Iterator[bytes]:
    yield b"half"
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("named", [3, [], ["here", 3]])
def test_what_names_no_folder_is_refused(named: object) -> None:
    with pytest.raises(UsageError, match="folders must be"):
        folders_in(named)  # type: ignore[arg-type]


def test_a_link_in_the_way_of_a_write_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").write_bytes(b"precious")
    partial_of(tmp_path / "a").symlink_to(tmp_path / "precious")
    write_whole(tmp_path / "a", [b"new"])
    assert (tmp_path / "precious").read_bytes() == b"precious"
    assert (tmp_path / "a").read_bytes() == b"new"


def test_a_write_that_fails_leaves_the_old_file_and_no_trace(tmp_path: Path) -> None:
    write_whole(tmp_path / "a", [b"old"])
    with pytest.raises(OSError, match="No space left"):
        write_whole(tmp_path / "a", broken_off())
    assert (tmp_path / "a").read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_the_tables_of_a_folder_are_listed_in_build_order_and_nothing_else_is(
    tmp_path: Path,
) -> None:
    for name in ("KQvK.h5", "KvK.h5", "KRvKP.h5", "KvKB.h5", "KBvK.h5.partial", "notes.txt"):
        (tmp_path / name).touch()
    (tmp_path / "KNvK.h5").mkdir()
    assert [str(material) for material in tables_in(tmp_path)] == ["KvK", "KQvK", "KRvKP"]
    assert tables_in(tmp_path / "nowhere") == []


def test_a_second_builder_waits_for_the_first(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib\n"
        "from tbgen.storage.files import build_lock\n"
        "waited = lambda: print('waiting', flush=True)\n"
        "with build_lock(pathlib.Path(sys.argv[1]), waited):\n"
        "    print('in', flush=True)\n"
    )
    with build_lock(tmp_path / "new", lambda: pytest.fail("nobody else is here")):
        other = subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path / "new")], stdout=subprocess.PIPE, text=True
        )
        assert other.stdout is not None
        assert other.stdout.readline() == "waiting\n"
    assert other.communicate()[0] == "in\n"


def test_facts_of_a_file_that_lack_what_has_a_default_are_read() -> None:
    text = '{"bytes": 1, "sha256": "a"}'
    assert read_as(FileRecord, parse_json(text)) == FileRecord(1, "a")
    with pytest.raises(ValueError, match="it lacks sha256"):
        read_as(FileRecord, {"bytes": 1})


def test_threads_write_beside_a_file_under_names_of_their_own(tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        met = threading.Barrier(2)
        names = set(pool.map(lambda _: (met.wait(), partial_of(tmp_path / "a"))[1], range(2)))
    assert len(names) == 2


def test_a_full_disk_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No space left") as caught:
        write_whole(tmp_path / "a", broken_off())
    assert caught.value.filename == str(tmp_path / "a")
