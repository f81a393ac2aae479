"""The explorer on plain files: the same answers as Python's.

A wrong file gives a clear message instead of a wrong answer.
"""

from __future__ import annotations

import contextlib
import json
import random
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote

import chess
import pytest
from starlette.testclient import TestClient

from tbgen.apps.pages.export import write_explorer
from tbgen.apps.pages.palette import signed
from tbgen.apps.server.answers import line_of
from tbgen.apps.server.parameters import Question
from tbgen.library.catalog import Catalog
from tbgen.library.workers import make_table
from tbgen.material import Material
from tbgen.probe import Tablebase, open_tablebase
from tbgen.rules.points import Scoring
from tbgen.rules.position import own_score
from tbgen.score import Color, Score
from tbgen.storage.schema import SEAL_BYTES
from tests.apps.site import node
from tests.apps.site.chromium import NEEDED, Chromium
from tests.apps.site.conftest import WithoutRanges, WithRanges, client_of, giving
from tests.apps.site.test_boards import random_maps
from tests.apps.site.test_explorer import look_at, text_of
from tests.cli.calls import printed
from tests.library.mirrors import CERTIFICATE
from tests.positions import BISHOP, random_board
from tests.project import RECORDS
from tests.readers.pairs import vectors

pytestmark = node.NEEDED

PROBE = """

(asked, tables) => {
  const ask = ([fen, accrued]) => tables.probe(fen, accrued).catch((error) => error.message);
  return Promise.all(asked.map(ask));
}"""
TOLD = ("fen", "material", "own", "accrued", "outcome", "dtg", "moves", "strip")
LINES = PROBE.replace("tables.probe", "tables.line")
MAPS = """
import { mapOf } from './figures.js';

(asked, tables) => {
  const outcomes = (fens) => tables.outcomes(fens);
  return Promise.all(asked.map(([place, man]) => mapOf(place, man, outcomes)));
}"""


@pytest.fixture
def copied(own_folder: Path, tmp_path: Path) -> Path:
    """The explorer with copies of all tables of two and three men."""
    write_explorer(tmp_path / "site", Catalog([own_folder]))
    return tmp_path / "site"


def random_pairs(material: Material, number: int) -> Iterator[tuple[str, str]]:
    """Positions of a table, each with a random accrued score or its own."""
    draw = random.Random(1128)
    for _ in range(number):
        board = random_board(draw, draw.choice((material, material.flipped())), en_passant=0.5)
        accrued = ""
        if draw.random() < 0.7:
            most = max(2, own_score(board).code + 3)
            code = draw.randint(2, most)
            accrued = str(Score(code, draw.choice(list(Color))))
        yield board.fen(), accrued


def told_by_server(server: TestClient, fen: str, accrued: str) -> dict[str, Any]:
    """The answer of a server, which is Python's, without points: the browser counts none."""
    question = {"fen": fen, "strip": "1", "accrued": accrued}
    answer = server.get("/r-mobility", params=question).json()
    if "moves" not in answer:
        return {"error": answer["error"]}
    for move in answer["moves"]:
        del move["points"]
    return {name: answer[name] for name in TOLD}


def told_by_node(files: str, asked: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    """The answers of the browser's reader."""
    told = list[dict[str, Any]]()
    for answer in node.run(PROBE, asked, files):
        if str(answer).startswith("Impossible"):
            told.append({"error": "AccruedError"})
        else:
            told.append({name: answer[name] for name in TOLD})
    return told


def test_lines_are_those_of_python(table_files: str, tables: Tablebase) -> None:
    draw = random.Random(27)
    boards = [random_board(draw, material) for material in ("KBvK", "KNvK", "KPvK", "KRvK")]
    lines = node.run(LINES, [[board.fen(), ""] for board in boards], table_files)
    for board, line in zip(boards, lines, strict=True):
        for step in line:
            del step["best"]
            del step["keeps"]
        facts = line_of(tables, Question(board, None), Scoring(), None, 2000)
        assert line == facts["line"], board.fen()


def test_maps_are_those_of_python(table_files: str, tables: Tablebase) -> None:
    asked = list[list[object]]()
    expected = list[object]()
    for board, accrued, man, squares in random_maps(tables, 149, 20):
        place = {"fen": board.fen(), "accrued": str(accrued or "")}
        asked.append([place, chess.square_name(man)])
        expected.append(squares)
    assert node.run(MAPS, asked, table_files) == expected


def verdict(page: Chromium, address: str) -> str:
    """The verdict of the page on a position."""
    look_at(page, address, BISHOP, "G4.0")
    return text_of(page, "#verdict")


def flipped(content: bytes, *places: int) -> bytes:
    damaged = bytearray(content)
    for place in places:
        damaged[place] ^= 0x55
    return bytes(damaged)


def with_chunks_flipped(content: bytes) -> bytes:
    match = re.search(rb"\nindex (\d+)", content)
    assert match is not None
    return flipped(content, *range(SEAL_BYTES + 2048, int(match[1])))


def with_other_outcomes(content: bytes) -> bytes:
    return re.sub(rb"\noutcomes [0-9a-f]{4}", b"\noutcomes 0000", content, count=1)


class Cutting(WithRanges):
    """A server that cuts parts of files short."""

    cut = 7


WRONG: list[tuple[str, str, Callable[[bytes], bytes | None], str]] = [
    (
        "another first byte",
        "KBvK.h5",
        lambda content: flipped(content, 5),
        "Damaged table KBvK: it has no seal of its own",
    ),
    (
        "another last byte",
        "KBvK.h5",
        lambda content: flipped(content, -1),
        "Damaged table KBvK: its index is not what was written",
    ),
    (
        "other chunks",
        "KBvK.h5",
        with_chunks_flipped,
        r"Damaged table KBvK: chunk \d+ of \w+ is not what was written",
    ),
    (
        "another format",
        "KBvK.h5",
        lambda content: content.replace(b"\nformat 3\n", b"\nformat 9\n", 1),
        "has format 9; .* reads format 3",
    ),
    ("no file", "KBvK.h5", lambda content: None, "No table KBvK is here"),
    (
        "another name",
        "KBvK.h5",
        lambda content: content.replace(b"l KBvK\n", b"l KNvK\n", 1),
        "it has no seal of its own",
    ),
    (
        "other outcomes",
        "KBvK.dtg.h5",
        with_other_outcomes,
        "it belongs to other outcomes than those beside it",
    ),
]
"""Files that are not what they should be, and what is said of them."""
HOSTS: list[tuple[type[WithoutRanges], str]] = [
    (WithoutRanges, "does not give files in part"),
    (Cutting, "a part of it came cut short"),
]
ASK_EACH = """

(addresses) => Promise.all(addresses.map((address) =>
  new Tables(address).probe('FEN', 'G4.0').catch((error) => error.message)))"""


def test_a_wrong_file_or_host_is_said_to_be_and_never_answers(copied: Path, tmp_path: Path) -> None:
    for folder, name, spoil, _ in WRONG:
        spoilt = Path(shutil.copytree(copied / "tables", tmp_path / folder))
        content = spoil((spoilt / name).read_bytes())
        (spoilt / name).unlink()
        if content is not None:
            (spoilt / name).write_bytes(content)
    with contextlib.ExitStack() as servers:
        host = servers.enter_context(giving(tmp_path))
        addresses = [f"{host}/{quote(folder)}/" for folder, *_ in WRONG]
        for handler, _ in HOSTS:
            addresses.append(f"{servers.enter_context(giving(copied, handler))}/tables/")
        answers = node.run(ASK_EACH.replace("FEN", BISHOP), addresses)
    expected = [*(said for *_, said in WRONG), *(said for _, said in HOSTS)]
    for answer, said in zip(answers, expected, strict=True):
        assert re.search(said, answer)


class SendingOn(WithRanges):
    """A server that sends for each table to another one."""

    to = ""

    def do_GET(self) -> None:  # noqa: N802 - http.server looks for it
        if not self.path.endswith(".h5"):
            super().do_GET()
            return
        self.send_response(302)
        self.send_header("Location", f"{self.to}{self.path}?signature=x")
        self.send_header("Content-Length", "0")
        self.end_headers()


class Store(WithRanges):
    """A server that gives pages of others files, but answers no question before the request."""

    asked: ClassVar[list[str]] = []

    def end_headers(self) -> None:
        self.send_header("Access-Control-Allow-Origin", "*")
        super().end_headers()

    def do_GET(self) -> None:  # noqa: N802 - http.server looks for it
        self.asked.append(self.path)
        super().do_GET()

    def do_OPTIONS(self) -> None:  # noqa: N802 - http.server looks for it
        self.asked.append("a question before the request")
        self.send_error(405)


@NEEDED
def test_a_published_folder_is_fetched_and_explored_where_hosts_send_on_and_refuse_preflight(
    page: Chromium, table_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "place"
    printed("site", "--explorer", "-o", str(place), folder=table_folder)
    fetched = tmp_path / "fetched"
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    asked = list[str]()
    monkeypatch.setattr(Store, "asked", asked)
    with giving(place, Store, CERTIFICATE) as store, giving(place, SendingOn) as address:
        monkeypatch.setattr(SendingOn, "to", store)
        assert "6 fetched" in printed("fetch", "--from", address, folder=fetched)
        assert len(asked) == 2 * 6
        asked.clear()
        said = verdict(page, address)
        page.open("about:blank")
    for path in table_folder.glob("*.h5"):
        assert (fetched / path.name).read_bytes() == path.read_bytes()
    assert said.startswith("G1.5 White holds Black to 1 legal move.")
    assert {path.partition("?")[0] for path in asked} >= {"/tables/KBvK.h5", "/tables/KBvK.dtg.h5"}
    assert "a question before the request" not in asked


@NEEDED
def test_without_distances_the_outcome_is_known_and_nothing_else_is_promised(
    page: Chromium, table_folder: Path, tmp_path: Path
) -> None:
    for path in table_folder.glob("K*.h5"):
        if path.name != "KBvK.dtg.h5":
            (tmp_path / path.name).hardlink_to(path)
    write_explorer(tmp_path / "site", Catalog([tmp_path]))
    with giving(tmp_path / "site") as address:
        said = verdict(page, address)
        value = "G1.5 White holds Black to 1 legal move. White to move."
        assert said.startswith(f"{value} No table here says how far away it is.")
        again = "then write these pages again with tbgen site --explorer"
        assert f"This adds them; {again}: tbgen build KBvK" in said
        assert not page.run("document.querySelector('.move.best')")
        assert page.run("document.getElementById('best').disabled")
        assert "plies" not in page.run("document.getElementById('moves').innerText")
        assert page.run("document.getElementById('ask-line').hidden")


def test_a_site_is_written_by_one_command_and_again(table_folder: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    for _ in range(2):
        options = ("--explorer", "-o", str(site))
        assert "with 6 tables" in printed("site", *options, folder=table_folder)
    names = {path.relative_to(site).as_posix() for path in site.rglob("*")}
    assert "explorer/index.html" in names
    assert "explorer/vendor/fzstd.js" in names
    assert "tables/KvK.h5" in names
    assert "tables/KvK.dtg.h5" in names
    assert "tables/KvK.json" in names
    assert not any("partial" in name for name in names)
    listed = json.loads((site / "tables" / "tables.json").read_text())["tables"]
    assert [table["file"] for table in listed] == [
        "KvK.h5",
        "KNvK.h5",
        "KBvK.h5",
        "KRvK.h5",
        "KQvK.h5",
        "KPvK.h5",
    ]
    assert 'url=explorer/"' in (site / "index.html").read_text()


def test_pages_of_endings_and_the_explorer_are_written_together(
    table_folder: Path, tmp_path: Path
) -> None:
    records = tmp_path / "records"
    records.mkdir()
    for name in ("KvK", "KBvK", "KRvKN"):
        shutil.copy(RECORDS / f"{name}.json", records)
    site = tmp_path / "site"
    options = ["--explorer", "--records", str(records), "-o", str(site)]
    assert "with 6 tables" in printed("site", *options, folder=table_folder)
    assert 'href="../explorer/?fen=' in (site / "material" / "KBvK.html").read_text()
    assert 'data-report="../"' in (site / "explorer" / "index.html").read_text()


@pytest.mark.parametrize(
    ("tables_in", "number", "materials"),
    [
        ("table_folder", 20, []),
        pytest.param("four_men_folder", 100, [], marks=pytest.mark.slow),
        pytest.param("five_men_folder", 200, ["KRBvKN"], marks=pytest.mark.slow),
        # 10,220 pairs, if five men are there.
        pytest.param("given_folder", 70, [], marks=pytest.mark.given_tables),
    ],
)
def test_the_browser_the_server_and_python_agree(
    request: pytest.FixtureRequest,
    tables_in: str,
    number: int,
    materials: list[str],
) -> None:
    """Of random pairs of a position and an accrued score, and of those of the conformance set."""
    folder = request.getfixturevalue(tables_in)
    with open_tablebase(folder) as tables, client_of(folder) as server, giving(folder) as address:
        files = f"{address}/"
        for material in map(Material.parse, materials) if materials else tables.available():
            pairs = list(random_pairs(material, number))
            expected = [told_by_server(server, fen, accrued) for fen, accrued in pairs]
            rows = [row for row in vectors(2, 5) if row["table"] == str(material)]
            asked = [*pairs, *((row["fen"], row["accrued"]) for row in rows)]
            answers = told_by_node(files, asked)
            assert answers[:number] == expected
            for row, answer in zip(rows, answers[number:], strict=True):
                assert answer.get("outcome", "") == row["outcome"], row
                assert str(answer.get("dtg", "")) == row["dtg"], row


FEW_CHUNKS = """import { LayerFile } from './files.js';

async (fens, tables) => {
  LayerFile.most = 3;
  const told = [];
  for (const fen of fens) told.push([(await tables.probe(fen, '')).outcome, LayerFile.kept.size]);
  return told;
}"""


def test_the_explorer_keeps_only_the_chunks_that_were_used_last(
    table_files: str, tables: Tablebase
) -> None:
    fens = list[str]()
    for material in tables.available():
        fens += [fen for fen, _ in random_pairs(material, 4)]
    told = node.run(FEW_CHUNKS, fens, table_files)
    assert [outcome for outcome, _ in told] == [str(tables.probe(fen).outcome) for fen in fens]
    assert max(kept for _, kept in told) == 3


@NEEDED
def test_a_table_of_pairs_answers_where_two_pawns_face_each_other(
    page: Chromium, own_folder: Path, tmp_path: Path
) -> None:
    make_table(own_folder, "KPvKP.pairs", 2)
    site = tmp_path / "site"
    write_explorer(site, Catalog([own_folder]))
    with_pair = ("8/4p3/8/2k5/8/8/4P3/4K3 w - - 0 1", "8/4p3/8/2k5/8/8/4P3/4K3 b - - 0 1")
    without_pair = "8/3p4/8/2k5/8/8/4P3/4K3 w - - 0 1"
    questions = [(fen, "") for fen in (*with_pair, without_pair)]
    with giving(site) as address:
        *answers, refusal = node.run(PROBE, questions, f"{address}/tables/")
        shown = []
        for fen in (*with_pair, without_pair):
            look_at(page, address, fen)
            shown.append(text_of(page, "#verdict"))
        page.open("about:blank")
    with open_tablebase(own_folder) as tables:
        for fen, verdict in zip(with_pair, shown, strict=False):
            assert verdict.startswith(signed(tables.probe(fen).outcome))
        assert shown[-1].startswith("No table of KPvKP (pawn against pawn) is here.")
        for fen, answer in zip(with_pair, answers, strict=True):
            probe = tables.probe(fen)
            assert answer["outcome"] == str(probe.outcome)
            assert answer["dtg"] == probe.dtg
            moves = {move["san"]: (move["outcome"], move["dtg"]) for move in answer["moves"]}
            expected = {move.san: (str(move.outcome), move.dtg) for move in probe.moves}
            assert moves == expected
    assert refusal == "No table KPvKP is here."
