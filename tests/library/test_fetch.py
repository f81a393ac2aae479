"""Tables from servers, good and bad ones."""

from __future__ import annotations

import errno
import gzip
import os
import random
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from tbgen.apps.pages.export import write_explorer
from tbgen.apps.server.application import application
from tbgen.apps.server.service import ServerSettings
from tbgen.errors import FetchError
from tbgen.library import fetch as fetching
from tbgen.library.catalog import Catalog
from tbgen.library.fetch import STAGE, Fetched, fetch
from tbgen.library.workers import make_table
from tbgen.material import TableMaterial, table_named
from tests.apps.site.conftest import running
from tests.apps.site.test_plain_files import flipped
from tests.cli.calls import complaint, printed
from tests.copies import copy_tables
from tests.library.mirrors import CERTIFICATE, Handler, Mirror, mirror_of

pytestmark = pytest.mark.usefixtures("unbundled")


@pytest.fixture(scope="module")
def small(table_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two tables."""
    folder = tmp_path_factory.mktemp("small")
    copy_tables(table_folder, folder, "KvK", "KNvK")
    return folder


@pytest.fixture
def mirror(small: Path) -> Iterator[Mirror]:
    with mirror_of(small) as made:
        yield made


def only(*names: str) -> Callable[[Iterable[TableMaterial]], Iterable[TableMaterial]]:
    return lambda _: [table_named(name) for name in names]


def files_in(folder: Path) -> dict[str, bytes]:
    """All that is in a folder, but for the lock."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != ".build.lock"
    }


def fetched(mirror: Mirror, folder: Path, **settings: Any) -> Fetched:
    return fetch(folder, mirror.url, list, **settings)


def test_outcomes_come_alone_and_distances_later(
    mirror: Mirror, small: Path, tmp_path: Path
) -> None:
    done = fetched(mirror, tmp_path, outcomes_alone=True)
    assert [*map(str, done.fetched)] == ["KvK", "KNvK"]
    assert sorted(files_in(tmp_path)) == ["KNvK.h5", "KvK.h5"]
    mirror.asked.clear()
    fetched(mirror, tmp_path)
    assert files_in(tmp_path) == files_in(small)
    assert sorted(path for path, _ in mirror.asked[1:]) == [
        "/tables/KNvK.dtg.h5",
        "/tables/KvK.dtg.h5",
    ]
    again = fetched(mirror, tmp_path)
    assert (again.fetched, [str(each) for each in again.there]) == ([], ["KvK", "KNvK"])
    assert not (tmp_path / STAGE).exists()


def test_tables_come_from_a_server_of_ours_and_from_static_files(
    small: Path, tmp_path: Path
) -> None:
    with running(application(ServerSettings([small]))) as address:
        fetch(tmp_path / "served", address, list)
        fetch(tmp_path / "named", f"{address}/tables/tables.json", only("KvK"))
    assert files_in(tmp_path / "served") == files_in(small)
    assert sorted(files_in(tmp_path / "named")) == ["KvK.dtg.h5", "KvK.h5"]
    write_explorer(tmp_path / "site", Catalog([small]))
    with mirror_of(tmp_path / "site" / "tables") as static:
        static.catalog = (tmp_path / "site" / "tables" / "tables.json").read_bytes()
        fetched(static, tmp_path / "static")
    assert files_in(tmp_path / "static") == files_in(small)


def test_a_folder_for_others_says_what_it_has_and_a_second_run_changes_nothing(
    small: Path, tmp_path: Path
) -> None:
    printed("site", "--explorer", "--data", str(small), "-o", str(tmp_path / "site"))
    card = (tmp_path / "site" / "README.md").read_text()
    assert "2 tables in 4 files" in card
    assert "for every position of the men that each table names" in card
    assert re.search("fetch --from ADDRESS (KNvK|KvK) --children", card)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "site").rglob("*")}
    printed("site", "--explorer", "--data", str(small), "-o", str(tmp_path / "site"))
    assert before == {path: path.stat().st_mtime_ns for path in (tmp_path / "site").rglob("*")}


def stopping(pieces: int) -> mock.Mock:
    """A listener that stops a fetch after so many pieces, in the middle of a file."""
    return mock.Mock(side_effect=[*[None] * (pieces + 1), KeyboardInterrupt])


def test_a_fetch_that_is_stopped_goes_on_where_it_was(
    mirror: Mirror, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "_PIECE", 1000)
    draw = random.Random(28)
    size = sum(map(len, mirror.files.values()))
    for _ in range(20):
        with pytest.raises(KeyboardInterrupt):
            fetched(mirror, tmp_path, jobs=1, tell=stopping(draw.randrange(size // 25_000)))
        there = {
            path.name: path.read_bytes()
            for path in map(tmp_path.joinpath, mirror.files)
            if path.exists()
        }
        assert there.items() <= mirror.files.items()
    assert any(wanted for _, wanted in mirror.asked), "nothing was resumed"
    for left in (tmp_path / STAGE).glob("*/*"):
        left.write_bytes(bytes(size))
    told = mock.Mock()
    fetched(mirror, tmp_path, tell=told)
    assert files_in(tmp_path) == files_in(small)
    assert told.call_args.args[1] == sum(told.call_args.args[2:]), "what was too long counts once"


class Listener:
    """Hears how many bytes have come, and whether two threads tell at once."""

    def __init__(self) -> None:
        self.come = list[int]()
        self.is_told_at_once = False
        self._is_hearing = False

    def __call__(self, tables: int, whole: int, left: int, come: int) -> None:
        self.is_told_at_once |= self._is_hearing
        self._is_hearing = True
        for _ in range(2000):  # long enough for another thread to come in between
            pass
        self.come.append(come)
        self._is_hearing = False


def test_the_bytes_of_several_downloads_are_counted_one_after_another(
    mirror: Mirror, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "_PIECE", 100)
    listener = Listener()
    seconds = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        fetched(mirror, tmp_path, tell=listener)
    finally:
        sys.setswitchinterval(seconds)
    assert not listener.is_told_at_once
    assert listener.come == sorted(listener.come)
    assert listener.come[-1] == sum(map(len, mirror.files.values()))


def without_end(handler: Handler, content: bytes, start: int) -> None:
    handler.give(b"", 0, Content_Length="")
    while True:
        handler.wfile.write(bytes(1 << 16))


def chunked(handler: Handler, body: bytes) -> None:
    """Chunks, whose extensions and trailers nobody bounds."""
    handler.give(b"", 0, Content_Length="", Transfer_Encoding="chunked")
    handler.wfile.write(body)


WRONG: dict[str, tuple[Callable[[Handler, bytes, int], object], str]] = {
    "another size": (
        lambda handler, content, start: handler.give(content + b"x", start),
        "it sends",
    ),
    "a bit flipped": (
        lambda handler, content, start: handler.give(flipped(content, -1), start),
        "is none: damaged file",
    ),
    "without end": (without_end, "it does not say how much it sends"),
    "cut": (
        lambda handler, content, start: handler.give(content, start, upto=start),
        "the answer ends too early",
    ),
    "without length": (
        lambda handler, content, start: handler.give(content, start, Content_Length=""),
        "how much",
    ),
    "elsewhere": (
        lambda handler, content, start: handler.give(
            b"", 0, status=302, Location="http://elsewhere.example/x"
        ),
        "it sends us to http://elsewhere.example/x",
    ),
    "packed": (
        lambda handler, content, start: handler.give(
            gzip.compress(bytes(1 << 24)), 0, Content_Encoding="gzip"
        ),
        "it packs its answer",
    ),
    "a chunk's extension": (
        lambda handler, content, start: chunked(handler, b"5;x=y"),
        "how much it sends",
    ),
    "trailers": (
        lambda handler, content, start: chunked(handler, b"5\r\nhello\r\n0\r\nX: y"),
        "how much it sends",
    ),
    "nothing": (lambda handler, content, start: None, "Remote end closed connection"),
    "no HTTP": (lambda handler, content, start: handler.wfile.write(b"\x1b[2J\r\n\r\n"), "x1b"),
    "busy": (lambda handler, content, start: handler.send_error(503), "it answers 503"),
}


def test_another_part_than_was_asked_for_is_refused(
    mirror: Mirror, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "_PIECE", 1000)
    with pytest.raises(KeyboardInterrupt):
        fetched(mirror, tmp_path, jobs=1, tell=stopping(9))
    mirror.wrong = lambda handler, content, start: handler.give(
        content, start, Content_Range=f"bytes 0-{len(content) - 1}/{len(content)}"
    )
    with pytest.raises(FetchError, match="another part"):
        fetched(mirror, tmp_path)


def in_the_head(handler: Handler, content: bytes, start: int) -> None:
    while True:
        handler.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        time.sleep(0.002)


def in_the_body(handler: Handler, content: bytes, start: int) -> None:
    handler.PIECE = 1
    handler.server.mirror.sent = lambda _: time.sleep(0.02)
    handler.give(content, start)


@pytest.mark.parametrize(
    "wrong", [in_the_head, in_the_body, lambda handler, content, start: handler.rfile.read(1)]
)
def test_a_server_that_drips_or_is_silent_is_left(
    mirror: Mirror, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: Any
) -> None:
    monkeypatch.setattr(fetching, "SECONDS", 0.3)
    mirror.wrong = wrong
    with pytest.raises(
        FetchError, match=r"it sends less than 1024 bytes a second|no answer for|timed out"
    ):
        fetch(tmp_path, mirror.url, only("KNvK"))
    assert len(mirror.asked) <= 4


@pytest.mark.parametrize("upto", [lambda start, asked: start + 1, lambda start, asked: asked * 100])
@pytest.mark.parametrize("knows_ranges", [True, False])
def test_a_server_that_keeps_breaking_off_is_asked_three_times(
    mirror: Mirror, tmp_path: Path, upto: Callable[[int, int], int], knows_ranges: bool
) -> None:
    mirror.wrong = lambda handler, content, start: handler.give(
        content, start * knows_ranges, upto=upto(start, len(mirror.asked))
    )
    with pytest.raises(FetchError, match="the answer ends too early"):
        fetch(tmp_path, mirror.url, only("KNvK"), outcomes_alone=True)
    assert len(mirror.asked) == 4, "one is the catalog"


@pytest.mark.parametrize("knows_ranges", [True, False])
def test_a_download_that_breaks_off_twice_goes_on(
    mirror: Mirror, small: Path, tmp_path: Path, knows_ranges: bool
) -> None:
    mirror.wrong = lambda handler, content, start: handler.give(
        content, start * knows_ranges, upto=len(content) * mirror.times_asked()[handler.path] // 3
    )
    fetched(mirror, tmp_path)
    assert files_in(tmp_path) == files_in(small)
    assert sorted(mirror.times_asked().values()) == [1, 3, 3, 3, 3], "one is the catalog"


@pytest.fixture
def store(small: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mirror]:
    """A server of https, whose certificate is trusted."""
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    with mirror_of(small, scheme="https") as made:
        yield made


def sending_to(address: str, status: int = 302) -> Callable[[Handler, bytes, int], None]:
    """Sends for each file elsewhere, as places do where tables can live for nothing."""

    def answer(handler: Handler, content: bytes, start: int) -> None:
        location = f"{address}{handler.path}?signature=a%2Fb"
        handler.give(b"", 0, status=status, Location=location)

    return answer


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_server_may_send_us_to_another_for_files(
    mirror: Mirror, store: Mirror, small: Path, tmp_path: Path, status: int
) -> None:
    mirror.wrong = sending_to(store.url, status)
    fetched(mirror, tmp_path)
    assert files_in(tmp_path) == files_in(small)
    asked = {path.partition("?") for path, _ in store.asked}
    assert len(asked) == len(store.asked) == 4
    assert {signature for _, _, signature in asked} == {"signature=a%2Fb"}


def test_a_download_that_was_sent_elsewhere_resumes_there(
    mirror: Mirror, store: Mirror, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "_PIECE", 1000)
    mirror.wrong = sending_to(store.url)
    with pytest.raises(KeyboardInterrupt):
        fetched(mirror, tmp_path, jobs=1, tell=stopping(9))
    fetched(mirror, tmp_path)
    assert files_in(tmp_path) == files_in(small)
    assert any(wanted for _, wanted in store.asked), "nothing was resumed"


def test_nobody_is_sent_on_twice_or_for_the_catalog_or_without_https(
    mirror: Mirror, store: Mirror, tmp_path: Path
) -> None:
    mirror.wrong = sending_to(store.url)
    mirror.has_wrong_catalog = True
    with pytest.raises(FetchError, match=r"tables\.json: it sends us to https"):
        fetched(mirror, tmp_path)
    mirror.has_wrong_catalog = False
    store.wrong = sending_to(store.url)
    with pytest.raises(FetchError, match=r"h5: it sends us to https"):
        fetched(mirror, tmp_path)
    store.wrong = None
    plain = (
        "http://127.0.0.1:9",
        "https://",
        "https://a@b",
        "https://\xe4",
        "//127.0.0.1",
        "//[",
        "file:",
    )
    for address in plain:
        mirror.wrong = sending_to(address)
        store.asked.clear()
        with pytest.raises(FetchError, match=r"h5: it sends us to"):
            fetched(mirror, tmp_path)
        assert not store.asked
    mirror.wrong = sending_to(store.url + "x" * 9000)
    with pytest.raises(FetchError, match=r"h5: it sends us to"):
        fetched(mirror, tmp_path)


def test_a_server_may_send_us_on_within_itself_once(
    mirror: Mirror, small: Path, tmp_path: Path
) -> None:
    mirror.has_wrong_catalog = True
    mirror.wrong = lambda handler, content, start: (
        handler.give(content, start)
        if "?" in handler.path
        else handler.give(b"", 0, status=307, Location=f"{handler.path}?etag=%22x%22")
    )
    fetched(mirror, tmp_path / "sent")
    assert files_in(tmp_path / "sent") == files_in(small)
    mirror.wrong = sending_to("")
    with pytest.raises(FetchError, match=r"it sends us to /tables/tables\.json"):
        fetched(mirror, tmp_path / "again")


def test_a_server_whose_certificate_is_not_trusted_is_left(
    mirror: Mirror, store: Mirror, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    mirror.wrong = sending_to(store.url)
    with pytest.raises(FetchError, match="certificate"):
        fetched(mirror, tmp_path)


def row(**changes: Any) -> list[dict[str, Any]]:
    """The catalog's only row; all but the changes is in order."""
    return [
        {
            "material": "KvK",
            "file": "KvK.h5",
            "bytes": 9,
            "sha256": "0" * 64,
            "distances": None,
            **changes,
        }
    ]


CATALOGS: list[tuple[Any, str]] = [
    (b"", "Expecting value"),
    (b"[" * 100_000, "it is nested too deep"),
    (b"[]", "not an object"),
    ([1], "tables[0] is 1, not an object"),
    ([{}] * 20_001, "it lacks tables[0].file"),
    (row(material="../../x"), "unknown material '../../x'"),
    (row(material=["KvK"]), "tables[0].material is ['KvK'], not a text"),
    (row(material="KvKB"), "KvKB is no table"),
    (row() * 2, "KvK is there twice"),
    (row(file="../KvK.h5"), "the file of KvK is '../KvK.h5' and not KvK.h5"),
    (row(bytes=-1), "tables[0].bytes is -1"),
    (row(bytes=1e9), "tables[0].bytes is 1000000000.0"),
    (row(bytes=99999999999), "KvK.h5 has 99999999999 bytes"),
    (row(sha256="x"), "the digest of KvK.h5 is none"),
    (row(distances={"file": "KvK.h5", "bytes": 9, "sha256": "0" * 64}), "and not KvK.dtg.h5"),
]


@pytest.mark.parametrize(
    ("wrong", "catalog", "said"),
    [
        *(pytest.param(wrong, None, said, id=name) for name, (wrong, said) in WRONG.items()),
        *(pytest.param(None, catalog, said, id=said) for catalog, said in CATALOGS),
    ],
)
def test_a_wrong_server_or_catalog_costs_one_line(
    mirror: Mirror, tmp_path: Path, wrong: Any, catalog: Any, said: str
) -> None:
    mirror.wrong = wrong
    folder = tmp_path / "new"
    if catalog is not None:
        mirror.catalog = catalog if isinstance(catalog, bytes) else {"tables": catalog}
    code, line = complaint("fetch", "KvK", "--from", mirror.url, "--data", str(folder))
    assert code == 9
    assert said in line, line
    assert "\x1b" not in line
    assert len(line) < 500
    assert catalog is None or not folder.exists()
    assert [name for name in files_in(folder) if not name.startswith(STAGE)] == []


def test_a_disk_that_is_too_small_is_asked_first(
    mirror: Mirror, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "free_disk", lambda _: 1000)
    with pytest.raises(FetchError, match=r" of disk, 1.0 kB are free"):
        fetched(mirror, tmp_path)
    assert len(mirror.asked) == 1


def test_a_disk_that_fails_is_not_taken_for_a_server_that_breaks_off(
    mirror: Mirror, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        os, "fsync", mock.Mock(side_effect=OSError(errno.ENOSPC, "No space left on device"))
    )
    complaints = (
        complaint("fetch", "KvK", "--from", mirror.url, "--data", str(tmp_path)) for _ in range(2)
    )
    ends = [(code, line.rpartition("/")[2]) for code, line in complaints]
    # The catalog and two files, then the catalog alone: all bytes are there, but perhaps not on the
    # disk.
    assert (ends, len(mirror.asked)) == ([(1, "KvK.dtg.h5: No space left on device")] * 2, 4)


def test_the_command_says_what_it_has_done(mirror: Mirror, tmp_path: Path) -> None:
    data = ("--from", mirror.url, "--data", str(tmp_path))
    assert printed("fetch", "KNvK", "--children", *data).startswith("2 fetched, 0 already there; ")
    assert '"there": [\n    "KvK",\n    "KNvK"\n  ]' in printed("fetch", "--json", *data)
    assert printed("fetch", "-q", *data) == ""


def test_a_table_of_pairs_is_fetched_by_its_name(table_folder: Path, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    copy_tables(table_folder, source, "KvK", "KBvK", "KNvK", "KRvK", "KQvK", "KPvK")
    made = make_table(source, "KPvKP.pairs", 2, outcomes_only=True)
    target = tmp_path / "target"
    target.mkdir()
    with mirror_of(source) as mirror:
        done = fetch(target, mirror.url, only("KPvKP.pairs"))
    assert [*map(str, done.fetched)] == ["KPvKP.pairs"]
    assert sorted(files_in(target)) == ["KPvKP.pairs.h5"]
    assert len(files_in(target)["KPvKP.pairs.h5"]) == made.file.bytes
