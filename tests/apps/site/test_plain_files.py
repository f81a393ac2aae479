"""The explorer on plain files: the same answers as Python's, and a clear message instead of a wrong one."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tbgen.apps.site.answers import line_of
from tbgen.apps.site.export import write_explorer
from tbgen.apps.site.palette import signed
from tbgen.apps.site.parameters import Question
from tbgen.library.catalog import Catalog
from tbgen.library.workers import make_table
from tbgen.material import Material
from tbgen.probe import Tablebase, open_tablebase
from tbgen.rules.points import Scoring
from tbgen.rules.position import own_score
from tbgen.score import Color, Score
from tbgen.storage.schema import SEAL_BYTES
from tests.apps.site.chromium import NEEDED, Chromium
from tests.apps.site.conftest import WithoutRanges, WithRanges, client_of, giving
from tests.apps.site.test_explorer import BISHOP, look_at, text_of
from tests.cli.calls import printed
from tests.positions import random_board
from tests.project import RECORDS
from tests.readers.pairs import vectors

pytestmark = NEEDED

PROBE = """(async () => {
  const { Tables } = await import('./tables.js'), tables = new Tables('../tables/');
  return Promise.all(ASKED.map(([fen, accrued]) => tables.probe(fen, accrued).catch((error) => error.message)));
})()"""
TOLD = ("fen", "material", "own", "accrued", "outcome", "dtg", "moves", "strip")
LINES = PROBE.replace("tables.probe", "tables.line")


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
        most = max(2, own_score(board).code + 3)
        yield (
            board.fen(),
            str(Score(draw.randint(2, most), draw.choice(list(Color))))
            if draw.random() < 0.7
            else "",
        )


def told_by(server: TestClient, fen: str, accrued: str) -> dict[str, Any]:
    """What a server answers, which is what Python answers; without points, which the browser does not count."""
    told = server.get("/r-mobility", params={"fen": fen, "strip": "1", "accrued": accrued}).json()
    return {key: told[key] for key in TOLD} if "moves" in told else {"error": told["error"]}


def told_by_browser(page: Chromium, asked: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    """The same, said by the reader in the browser."""
    found = list[dict[str, Any]]()
    for start in range(0, len(asked), 50):  # a browser refuses too many requests at once
        found += page.run(PROBE.replace("ASKED", json.dumps(asked[start : start + 50])))
    return [
        {"error": "AccruedError"}
        if str(each).startswith("Impossible")
        else {key: each[key] for key in TOLD}
        for each in found
    ]


def test_lines_are_those_of_python(
    page: Chromium, places: dict[str, str], tables: Tablebase
) -> None:
    draw = random.Random(27)
    boards = [random_board(draw, material) for material in ("KBvK", "KNvK", "KPvK", "KRvK")]
    expected = [
        line_of(tables, Question(board, None), Scoring(), None, 2000)["line"] for board in boards
    ]
    page.open(f"{places['http.server']}/explorer/")
    found = page.run(LINES.replace("ASKED", json.dumps([[board.fen(), ""] for board in boards])))
    for each in (step for line in found for step in line):
        del each["best"], each["keeps"]
    assert found == expected


def verdict(page: Chromium, address: str) -> str:
    """What the page says of a position."""
    look_at(page, address, BISHOP, "G4.0")
    return text_of(page, "#verdict")


def flipped(content: bytes, *places: int) -> bytes:
    damaged = bytearray(content)
    for place in places:
        damaged[place] ^= 0x55
    return bytes(damaged)


def with_chunks_flipped(content: bytes) -> bytes:
    return flipped(
        content, *range(SEAL_BYTES + 2048, int(re.search(rb"\nindex (\d+)", content)[1]))
    )


@pytest.mark.parametrize(
    ("name", "spoil", "said"),
    [
        (
            "KBvK.h5",
            lambda content: flipped(content, 5),
            "Damaged table KBvK: it has no seal of its own",
        ),
        (
            "KBvK.h5",
            lambda content: flipped(content, -1),
            "Damaged table KBvK: its index is not what was written",
        ),
        (
            "KBvK.h5",
            with_chunks_flipped,
            r"Damaged table KBvK: chunk \d+ of \w+ is not what was written",
        ),
        (
            "KBvK.h5",
            lambda content: content.replace(b"\nformat 3\n", b"\nformat 9\n", 1),
            "has format 9; .* reads format 3",
        ),
        ("KBvK.h5", lambda content: None, r"No table of KBvK \(bishop against king\) is here"),
        (
            "KBvK.h5",
            lambda content: content.replace(b"l KBvK\n", b"l KNvK\n", 1),
            "it has no seal of its own",
        ),
        (
            "KBvK.dtg.h5",
            lambda content: re.sub(
                rb"\noutcomes [0-9a-f]{4}", b"\noutcomes 0000", content, count=1
            ),
            "it belongs to other outcomes than those beside it",
        ),
    ],
)
def test_a_wrong_file_is_said_to_be_and_never_answers(
    page: Chromium, copied: Path, name: str, spoil: Callable[[bytes], bytes | None], said: str
) -> None:
    path = copied / "tables" / name
    content = spoil(path.read_bytes())
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    with giving(copied) as address:
        assert re.search(said, verdict(page, address))
        page.open("about:blank")  # so that it asks nothing of a server that is gone
    page.complaints[:] = [each for each in page.complaints if "404" not in each]


@pytest.mark.parametrize(
    ("handler", "said"),
    [
        (WithoutRanges, "does not give files in part"),
        (type("Cutting", (WithRanges,), {"cut": 7}), "a part of it came cut short"),
    ],
)
def test_a_host_that_gives_no_parts_or_cuts_them_is_named_as_the_cause(
    page: Chromium, copied: Path, handler: type[WithoutRanges], said: str
) -> None:
    with giving(copied, handler) as address:
        assert said in verdict(page, address)
        page.open("about:blank")


def test_without_distances_the_outcome_is_known_and_nothing_else_is_promised(
    page: Chromium, table_folder: Path, tmp_path: Path
) -> None:
    for path in table_folder.glob("K*.h5"):
        if path.name != "KBvK.dtg.h5":
            (tmp_path / path.name).hardlink_to(path)
    write_explorer(tmp_path / "site", Catalog([tmp_path]))
    with giving(tmp_path / "site") as address:
        said = verdict(page, address)
        assert said.startswith(
            "G1.5 White holds Black to 1 legal move. White to move. How far away it is, no table here says."
        )
        assert "This adds them; then start tbgen serve again: tbgen build KBvK" in said
        assert not page.run("document.querySelector('.move.best')")
        assert page.run("document.getElementById('best').disabled")
        assert "plies" not in page.run("document.getElementById('moves').innerText")
        assert page.run("document.getElementById('ask-line').hidden")


def test_a_site_is_written_by_one_command_and_again(table_folder: Path, tmp_path: Path) -> None:
    for _ in range(2):
        said = printed(
            "site", "--explorer", "--no-pages", "-o", str(tmp_path / "site"), folder=table_folder
        )
        assert "with 6 tables" in said
    there = {
        path.relative_to(tmp_path / "site").as_posix() for path in (tmp_path / "site").rglob("*")
    }
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
    records = tmp_path / "records"
    records.mkdir()
    for name in ("KvK", "KBvK", "KRvKN"):
        shutil.copy(RECORDS / f"{name}.json", records)
    options = (
        "--explorer",
        "--records",
        str(records),
        "--most-men",
        "2",
        "-o",
        str(tmp_path / "whole"),
    )
    assert "with 1 table" in printed("site", *options, folder=table_folder)
    assert 'href="../explorer/?fen=' in (tmp_path / "whole" / "material" / "KBvK.html").read_text()
    assert 'data-report="../"' in (tmp_path / "whole" / "explorer" / "index.html").read_text()


@pytest.mark.parametrize(
    ("tables_in", "number", "materials"),
    [
        ("table_folder", 20, []),
        pytest.param("four_men_folder", 100, [], marks=pytest.mark.slow),
        pytest.param("five_men_folder", 200, ["KRBvKN"], marks=pytest.mark.slow),
        pytest.param(
            "given_folder", 70, [], marks=pytest.mark.given_tables
        ),  # 10,220 pairs, if five men are there
    ],
)
def test_the_browser_the_server_and_python_agree(
    page: Chromium,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    tables_in: str,
    number: int,
    materials: list[str],
) -> None:
    """Of random pairs of a position and an accrued score, and of those of the conformance set."""
    folder = request.getfixturevalue(tables_in)
    write_explorer(tmp_path, Catalog([folder]))
    with open_tablebase(folder) as tables, client_of(folder) as server, giving(tmp_path) as address:
        page.open(f"{address}/explorer/")
        for material in map(Material.parse, materials) if materials else tables.available():
            pairs = list(random_pairs(material, number))
            found, expected = (
                told_by_browser(page, pairs),
                [told_by(server, *pair) for pair in pairs],
            )
            for each in (move for told in expected for move in told.get("moves", ())):
                del each["points"]
            assert found == expected
            rows = [row for row in vectors(2, 5) if row["table"] == str(material)]
            given = told_by_browser(page, [(row["fen"], row["accrued"]) for row in rows])
            assert [(each.get("outcome", ""), str(each.get("dtg", ""))) for each in given] == [
                (row["outcome"], row["dtg"]) for row in rows
            ]


def test_the_explorer_keeps_only_the_chunks_that_were_used_last(
    page: Chromium, copied: Path
) -> None:
    with giving(copied) as address:
        page.open(f"{address}/explorer/")
        script = """(async () => {
          const { LayerFile } = await import('./reader.js'), { Tables } = await import('./tables.js');
          LayerFile.most = 3;
          const tables = new Tables('../tables/'), found = [];
          for (const fen of ASKED) found.push((await tables.probe(fen, '')).outcome, LayerFile.kept.size);
          return found;
        })()"""
        with open_tablebase(copied / "tables") as tables:
            asked = [random_pairs(material, 4) for material in tables.available()]
            fens = [fen for pairs in asked for fen, _ in pairs]
            found = page.run(script.replace("ASKED", json.dumps(fens)))
            assert found[::2] == [str(tables.probe(fen).outcome) for fen in fens]
        assert max(found[1::2]) == 3


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
        page.open(f"{address}/explorer/")
        *answers, refusal = page.run(PROBE.replace("ASKED", json.dumps(questions)))
        page.complaints.clear()  # this does not know which tables are here; the page does
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
            assert (answer["outcome"], answer["dtg"]) == (str(probe.outcome), probe.dtg)
            moves = {move["san"]: (move["outcome"], move["dtg"]) for move in answer["moves"]}
            assert moves == {
                move.san: (str(move.outcome), move.dtg) for move in tables.probe_moves(fen)
            }
    assert refusal == "No table KPvKP is here."
