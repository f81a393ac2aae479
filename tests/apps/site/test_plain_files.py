"""The explorer on plain files: the same answers as Python's, and a clear message instead of a wrong one."""

from __future__ import annotations

import gzip
import json
import random
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from tbgen.apps.site.answers import answer_of, line_of
from tbgen.apps.site.asked import Asked
from tbgen.apps.site.export import TABLES, files, index_page, write_explorer
from tbgen.errors import AccruedError
from tbgen.library.catalog import Catalog
from tbgen.material import Material
from tbgen.probe import Tablebase, open_tablebase
from tbgen.rules.points import Scoring
from tbgen.rules.position import own_score
from tbgen.score import Color, Score
from tbgen.storage.schema import SEAL_BYTES
from tests.apps.conftest import PUBLISHED
from tests.apps.site.chromium import NEEDED, Chromium
from tests.apps.site.conftest import client_of, running
from tests.cli.calls import complaint, printed
from tests.positions import random_board
from tests.readers.pairs import vectors

pytestmark = NEEDED

FIRST_LOAD_BYTES = 80_000
BISHOP = "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30"
PROBE = """(async () => {
  const { Tables } = await import('./tables.js'), tables = new Tables('../tables/');
  return Promise.all(ASKED.map(([fen, accrued]) => tables.probe(fen, accrued).catch((error) => error.message)));
})()"""
LINES = PROBE.replace("tables.probe", "tables.line")


class Host:
    """A folder as a web server gives it, or as a bad one does."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.knows_ranges, self.cut = True, 0
        self.address = ""
        self._files = Starlette(routes=[Mount("/", StaticFiles(directory=folder, html=True))])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._files(scope, receive, send)
            return
        if not self.knows_ranges:
            scope = {**scope, "headers": [(name, value) for name, value in scope["headers"] if name != b"range"]}

        async def pass_on(message: Message) -> None:
            if self.cut and scope["path"].endswith(".h5"):
                if message["type"] == "http.response.start":
                    kept = [(name, value) for name, value in message["headers"] if name != b"content-length"]
                    message = {**message, "headers": kept}
                elif message["body"]:
                    message = {**message, "body": message["body"][: -self.cut]}
            await send(message)

        await self._files(scope, receive, pass_on)


@pytest.fixture
def host(table_folder: Path, tmp_path: Path) -> Iterator[Host]:
    """The explorer with copies of all tables of two and three men."""
    shutil.copytree(table_folder, tmp_path / "tables")
    write_explorer(tmp_path / "site", Catalog([tmp_path / "tables"]))
    made = Host(tmp_path / "site")
    with running(made) as made.address:
        yield made


def golden(tables: Tablebase, number: int, seed: int, of: Sequence[Material] | None = None) -> list[dict[str, Any]]:
    """Answers of Python for random positions of some tables, or of all, with random accrued scores."""
    draw, answers = random.Random(seed), list[dict[str, Any]]()
    for material in tables.available() if of is None else of:
        for _ in range(number):
            board = random_board(draw, draw.choice((material, material.flipped())), en_passant=0.5)
            most = own_score(board).code + 3
            accrued = Score(draw.randint(2, max(2, most)), draw.choice(list(Color))) if draw.random() < 0.7 else None
            try:
                answer = answer_of(tables, Asked(board, accrued), Scoring(), brief=False, strip=True)
                for move in answer["moves"]:
                    del move["points"]  # the browser counts none
            except AccruedError as error:
                answer = {"impossible": str(error)}
            answers.append({"asked": [board.fen(), "" if accrued is None else str(accrued)], **answer})
    return answers


def differences(page: Chromium, expected: list[dict[str, Any]]) -> list[object]:
    """Where the reader in the browser says something else."""
    found = page.run(PROBE.replace("ASKED", json.dumps([each["asked"] for each in expected])))
    return [
        (wanted["asked"], key, value, here)
        for wanted, got in zip(expected, found, strict=True)
        for key, value, here in _compared(wanted, got)
        if value != here
    ]


def _compared(wanted: dict[str, Any], got: Any) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(got, str) or "impossible" in wanted:
        yield "refused", "impossible" in wanted, str(got).startswith("Impossible")
        return
    for key in ("fen", "material", "own", "accrued", "outcome", "dtg", "moves", "strip"):
        yield key, wanted[key], got[key]


def differences_of_vectors(page: Chromium, rows: list[dict[str, str]]) -> list[object]:
    """Where the reader in the browser gives another value than the conformance set, or one that is none."""
    found = page.run(PROBE.replace("ASKED", json.dumps([[row["fen"], row["accrued"]] for row in rows])))
    given = [("", "") if isinstance(got, str) else (got["outcome"], str(got["dtg"])) for got in found]
    return [(row, got) for row, got in zip(rows, given, strict=True) if got != (row["outcome"], row["dtg"])]


def test_the_browser_gives_what_the_vectors_say(page: Chromium, host: Host) -> None:
    page.open(f"{host.address}/explorer/")
    assert differences_of_vectors(page, vectors(2, 3)) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("folder", "men", "number", "of"),
    [("four_men_folder", 4, 100, None), ("five_men_folder", 5, 200, [Material.parse("KRBvKN")])],
)
def test_the_browser_reads_larger_tables_as_python_does(
    page: Chromium,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    folder: str,
    men: int,
    number: int,
    of: list[Material] | None,
) -> None:
    there = request.getfixturevalue(folder)
    write_explorer(tmp_path / "site", Catalog([there]))
    with open_tablebase(there) as tables, running(Host(tmp_path / "site")) as address:
        expected, rows = golden(tables, number, 22 + men, of), vectors(men, men)
        assert of or any(" e" in each["asked"][0] or " d" in each["asked"][0] for each in expected)
        page.open(f"{address}/explorer/")
        for start in range(0, len(expected), 200):
            assert differences(page, expected[start : start + 200]) == []
        for start in range(0, len(rows), 200):
            assert differences_of_vectors(page, rows[start : start + 200]) == []


def test_lines_are_those_of_python(page: Chromium, host: Host, tables: Tablebase) -> None:
    draw = random.Random(27)
    boards = [random_board(draw, material) for material in ("KBvK", "KNvK", "KPvK", "KRvK")]
    expected = [line_of(tables, Asked(board, None), Scoring(), None, 2000)["line"] for board in boards]
    page.open(f"{host.address}/explorer/")
    found = page.run(LINES.replace("ASKED", json.dumps([[board.fen(), ""] for board in boards])))
    for each in (step for line in found for step in line):
        del each["best"], each["keeps"]
    assert found == expected


def verdict(page: Chromium, host: Host, fen: str = BISHOP) -> str:
    """What the page says of a position."""
    page.open(
        f"{host.address}/explorer/?fen={fen.replace(' ', '_')}&accrued=G4.0",
        "document.querySelector('#verdict p')",
    )
    return re.sub(r"\s+", " ", str(page.run("document.getElementById('verdict').innerText")))


def test_the_page_is_the_same_without_a_server(page: Chromium, host: Host) -> None:
    assert verdict(page, host).startswith("G1.5 White holds Black to 1 legal move. White to move. In 5 plies")
    page.wait("!document.getElementById('ending').hidden")
    page.run("document.getElementById('ask-line').click()")
    page.wait("document.querySelectorAll('#game button').length === 5")
    names = {url.partition("/explorer/")[2].partition("?")[0] for url in page.requests if "/explorer/" in url}
    names -= {"icon.svg"}  # the browser asks for it when it has time
    assert {"tables.js", "reader.js", "vendor/fzstd.js"} <= names
    parts = {**files(), "": index_page(TABLES).encode()}
    assert sum(len(gzip.compress(parts[name])) for name in names) < FIRST_LOAD_BYTES
    assert [url for url in page.requests if not url.startswith((host.address, "data:"))] == []
    assert page.complaints == []


def test_plain_files_say_that_the_fifty_move_rule_may_strike_first(page: Chromium, host: Host) -> None:
    late = "8/8/4K3/6k1/8/7B/8/8 b - - {} 60"
    assert "The fifty-move rule leaves 3 plies: fewer than best play needs." in verdict(page, host, late.format(97))
    assert "The fifty-move rule" not in verdict(page, host, late.format(60))


def test_a_first_answer_takes_few_and_small_requests(page: Chromium, host: Host) -> None:
    verdict(page, host)
    asked = [url for url in page.requests if url.endswith(".h5")]
    assert 0 < len(asked) <= 16


def flipped(content: bytes, *places: int) -> bytes:
    damaged = bytearray(content)
    for place in places:
        damaged[place] ^= 0x55
    return bytes(damaged)


def with_chunks_flipped(content: bytes) -> bytes:
    index = re.search(rb"\nindex (\d+)", content)
    assert index is not None
    return flipped(content, *range(SEAL_BYTES + 2048, int(index[1])))


@pytest.mark.parametrize(
    ("name", "spoil", "said"),
    [
        ("KBvK.h5", lambda content: flipped(content, 5), "Damaged table KBvK: it has no seal of its own"),
        ("KBvK.h5", lambda content: flipped(content, -1), "Damaged table KBvK: its index is not what was written"),
        ("KBvK.h5", with_chunks_flipped, r"Damaged table KBvK: chunk \d+ of \w+ is not what was written"),
        (
            "KBvK.h5",
            lambda content: content.replace(b"\nformat 3\n", b"\nformat 9\n", 1),
            "has format 9; .* reads format 3",
        ),
        (
            "KBvK.dtg.h5",
            lambda content: re.sub(rb"\noutcomes [0-9a-f]{4}", b"\noutcomes 0000", content, count=1),
            "it belongs to other outcomes than those beside it",
        ),
    ],
)
def test_a_wrong_file_is_said_to_be_and_never_answers(
    page: Chromium, host: Host, name: str, spoil: Callable[[bytes], bytes], said: str
) -> None:
    path = host.folder / "tables" / name
    content = path.read_bytes()
    path.unlink()
    path.write_bytes(spoil(content))
    assert re.search(said, verdict(page, host))


def test_a_table_that_is_gone_or_is_that_of_another_material_is_refused(page: Chromium, host: Host) -> None:
    path = host.folder / "tables" / "KBvK.h5"
    path.unlink()
    assert "No table of KBvK is here" in verdict(page, host)
    path.write_bytes((path.parent / "KNvK.h5").read_bytes())
    assert "it has no seal of its own" in verdict(page, host)


@pytest.mark.parametrize(
    ("fault", "value", "said"),
    [("knows_ranges", False, "does not give files in part"), ("cut", 7, "a part of it came cut short")],
)
def test_a_host_that_gives_no_parts_or_cuts_them_is_named_as_the_cause(
    page: Chromium, host: Host, fault: str, value: int, said: str
) -> None:
    setattr(host, fault, value)
    assert said in verdict(page, host)


def test_without_distances_the_outcome_is_known_and_nothing_else_is_promised(page: Chromium, host: Host) -> None:
    (host.folder / "tables" / "KBvK.dtg.h5").unlink()
    said = verdict(page, host)
    assert said.startswith(
        "G1.5 White holds Black to 1 legal move. White to move. How far away it is, no table here says."
    )
    assert not page.run("document.querySelector('.move.best')")
    page.run("document.getElementById('ask-line').click()")
    page.wait("document.getElementById('said').innerText.includes('no line is known to make progress')")


def test_a_site_is_written_by_one_command_and_again(table_folder: Path, tmp_path: Path) -> None:
    for _ in range(2):
        said = printed("site", "--explorer", "--no-pages", "-o", str(tmp_path / "site"), folder=table_folder)
        assert "with 6 tables" in said
    there = {path.relative_to(tmp_path / "site").as_posix() for path in (tmp_path / "site").rglob("*")}
    assert {
        "explorer/index.html",
        "explorer/vendor/fzstd.js",
        "tables/KvK.h5",
        "tables/KvK.dtg.h5",
        "tables/KvK.json",
    } <= there
    listed = json.loads((tmp_path / "site" / "tables" / "tables.json").read_text())["tables"]
    assert [each["file"] for each in listed] == [
        f"{name}.h5" for name in ("KvK", "KNvK", "KBvK", "KRvK", "KQvK", "KPvK")
    ]
    assert not [name for name in there if "partial" in name]
    assert 'url=explorer/"' in (tmp_path / "site" / "index.html").read_text()
    (tmp_path / "records").mkdir()
    shutil.copy(PUBLISHED / "KBvK.json", tmp_path / "records")
    options = ("--explorer", "--records", str(tmp_path / "records"), "--most-men", "2", "-o", str(tmp_path / "whole"))
    assert "with 1 table" in printed("site", *options, folder=table_folder)
    assert 'href="../explorer/?fen=' in (tmp_path / "whole" / "material" / "KBvK.html").read_text()
    assert 'data-report="../"' in (tmp_path / "whole" / "explorer" / "index.html").read_text()
    (tmp_path / "none").mkdir()
    code, line = complaint("site", "--explorer", "--no-pages", "-o", str(tmp_path / "x"), folder=tmp_path / "none")
    assert (code, "no tables in" in line) == (2, True)


def told_by(server: TestClient, asked: Sequence[str]) -> dict[str, Any]:
    """What a server answers, in the form of `golden`."""
    fen, accrued = asked
    found = server.get("/r-mobility", params={"fen": fen, "strip": "1", **({"accrued": accrued} if accrued else {})})
    told = found.json()
    if found.status_code == 400:
        return {"asked": asked, "impossible": told["message"]}
    for move in told["moves"]:
        del move["points"]
    del told["scores"]
    return {"asked": asked, **told}


def find_differences(page: Chromium, folder: Path, site: Path, number: int) -> None:
    """Ask so many pairs of a position and an accrued score of each table in a folder."""
    write_explorer(site, Catalog([folder]))
    with open_tablebase(folder) as tables, client_of(folder) as server, running(Host(site)) as address:
        page.open(f"{address}/explorer/")
        for material in tables.available():
            expected = golden(tables, number, 1128, [material])
            assert [each for each in expected if told_by(server, each["asked"]) != each] == []
            assert differences(page, expected) == []


def test_the_browser_the_server_and_python_agree(page: Chromium, table_folder: Path, tmp_path: Path) -> None:
    find_differences(page, table_folder, tmp_path, 20)


@pytest.mark.given_tables
def test_the_browser_the_server_and_python_agree_on_a_set(page: Chromium, given_folder: Path, tmp_path: Path) -> None:
    """10,220 pairs, if all tables of up to five men are there."""
    find_differences(page, given_folder, tmp_path, 70)
