"""The pages as they lie on the disk."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import replace
from pathlib import Path

import chess.pgn
import pytest

from tbgen.apps.pages import EXTRAS
from tbgen.apps.pages.records import Site, write_site
from tbgen.apps.records.census import census_of
from tbgen.apps.records.record import Record
from tbgen.errors import UsageError
from tbgen.material import table_named
from tbgen.score import Color
from tbgen.storage.files import path_of
from tbgen.storage.reader import TableFile
from tests.apps.site.faults import faults_of, parsed
from tests.project import ROOT


def test_every_page_is_sound_and_no_link_is_dead(site: Path) -> None:
    assert faults_of(site) == []


@pytest.mark.slow
def test_every_page_of_all_records_is_sound_and_no_link_is_dead(
    published: list[Record], tmp_path: Path
) -> None:
    write_site(Site(published), tmp_path)
    assert faults_of(tmp_path) == []


def test_faults_of_pages_are_found(tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    head = "<!DOCTYPE html><title>a</title>"
    links = ""
    for link in ("b.html", "#x", "https://elsewhere.example/", "/a.html"):
        links += f'<a href="{link}">x</a>'
    page.write_text(
        f'{head}<h2 id="x">x</h2><p id="x">{links}</p><svg></svg><button></button><table></table>'
    )
    assert [fault.removeprefix("a.html: ") for fault in faults_of(tmp_path)] == [
        "x twice",
        "dead link b.html",
        "dead link https://elsewhere.example/",
        "dead link /a.html",
        "a picture without words: {}",
        "a nameless button",
        "a table without column heads",
        "a heading 2 after 0",
        "not one main heading",
        "no language",
    ]
    page.write_text(f"{head}<p></div>")
    with pytest.raises(pytest.fail.Exception, match="end-tag"):
        parsed(page.read_text())


def test_only_built_endings_have_pages(site: Path) -> None:
    assert sorted(path.stem for path in (site / "material").iterdir()) == [
        "KBvK",
        "KPvK",
        "KPvKP",
        "KRvKN",
        "KvK",
    ]
    index = (site / "index.html").read_text()
    assert "Not built: KNvK, KRvK, KQvK." in index
    assert index.count("<tr>") == 3 + 5


def test_endings_of_six_men_are_named_where_they_have_a_record(some: list[Record]) -> None:
    pawns = next(record for record in some if str(record.material) == "KPvK")
    more = [replace(pawns, material=table_named(name)) for name in ("KPPPvK", "KPPPPvK")]
    files = dict(Site([*some, *more]).files())
    five, six = (str(files[f"material/{record.material}.html"]) for record in more)
    index = str(files["index.html"])
    assert "what best play makes of every ending of six men or fewer" in " ".join(index.split())
    assert index.count("KPPPPvK") == 2
    assert "KPPPvK" in six
    assert "KQPPPvK" in six, "a promotion leads there"
    assert "KPPPPvK" in five, "a capture leads from there"
    assert "KQPPPvK" not in five + index, "a capture leads from there, too, but it has no record"


def test_the_page_of_an_ending_names_it_in_words(site: Path) -> None:
    page = (site / "material" / "KRvKN.html").read_text()
    assert "Rook against knight. With White to move" in " ".join(page.split())


def test_what_the_rules_claim_stands_there_exactly(site: Path) -> None:
    page = " ".join((site / "drawn.html").read_text().split())
    for claim in (
        "G1.5 44 (1.2182 %)",
        "\N{MINUS SIGN}G5.5 1,216 (33.6656 %)",
        "G0.5 7,360 (3.8079 %)",
        "G1.5 185,924 (96.1921 %)",
    ):
        assert claim in page
    assert "G0.0 124,960 (" in page
    assert "G0.5 18,984 (" in page


def test_lines_can_be_downloaded_as_games(site: Path) -> None:
    with (site / "lines" / "KBvK.pgn").open() as file:
        games = list(iter(lambda: chess.pgn.read_game(file), None))
    record = json.loads((site / "data" / "KBvK.json").read_text())
    lines = [
        each["longest"] for side in record["sides"].values() for each in side["outcomes"].values()
    ]
    assert sorted(game.headers["FEN"] for game in games) == sorted(
        each["fen"] for each in lines if each["dtg"]
    )
    assert not any(game.errors for game in games)
    assert [game.end().ply() - game.ply() for game in games] == [
        int(game.headers["PlyCount"]) for game in games
    ]


def test_what_is_not_installed_is_said_in_a_line(
    some: list[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(EXTRAS, "report", ("pages", ["jinja2", "a_module_that_is_not_there"]))
    missing = "pages need a_module_that_is_not_there"
    remedy = r"install with: .* -m pip install '?.*\[report\]'?"
    with pytest.raises(UsageError, match=f"{missing}; {remedy}"):
        Site(some)


@pytest.mark.parametrize("extra", EXTRAS)
def test_each_module_of_an_extra_is_looked_for(extra: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = set[str]()
    for requirement in project["optional-dependencies"][extra]:
        distribution = re.split("[<>=]", requirement)[0]
        wanted.add(distribution.replace("-", "_"))
    _, modules = EXTRAS[extra]
    assert set(modules) == wanted


def test_a_record_without_lines_makes_a_page_too(table_folder: Path, tmp_path: Path) -> None:
    with TableFile(path_of(table_folder, table_named("KBvK"))) as file:
        write_site(Site([census_of(file)]), tmp_path)
    assert faults_of(tmp_path) == []


def test_pages_need_no_style_in_their_text(site: Path) -> None:
    for page in site.rglob("*.html"):
        assert not re.findall(r"\sstyle=|<style|\son\w+=|<script>", page.read_text()), page


def test_every_board_leads_to_the_explorer_if_it_is_there(some: list[Record]) -> None:
    few = [record for record in some if str(record.material) == "KBvK"]
    without = dict(Site(few, explorer=False).files())
    with_it = dict(Site(few, explorer=True).files())
    assert not any("explorer/" in str(text) for text in without.values())
    page = str(with_it["material/KBvK.html"])
    fens = re.findall(r'href="\.\./explorer/\?fen=([^"]+)"', page)
    assert len(fens) == page.count('<svg class="board"')
    black = json.loads(with_it["data/KBvK.json"])["sides"]["black"]
    longest = black["outcomes"]["G1.5"]["longest"]["fen"]
    assert longest.replace(" ", "_") in fens
    assert '<a href="explorer/">Explorer</a>' in with_it["index.html"]


def test_a_page_shows_how_many_moves_keep_what_a_position_is_worth(some: list[Record]) -> None:
    few = [record for record in some if str(record.material) == "KPvK"]
    page = " ".join(str(dict(Site(few).files())["material/KPvK.html"]).split())
    assert few[0].sharpness is not None
    for part in few[0].sharpness.values():
        moves, result, outcome = part.drawn.means
        sentence = (
            f"On average over {part.drawn.positions:,} positions, {result:.1f} of {moves:.1f} "
            f"moves keep the draw and {outcome:.1f} keep the outcome."
        )
        assert sentence in page
    only = few[0].sharpness[Color.WHITE].drawn.only
    assert f"<title>1: {only:,}</title>" in page
    uncounted = replace(few[0], sharpness=None)
    assert "How sharp" not in str(dict(Site([uncounted]).files())["material/KPvK.html"])


def test_a_page_names_the_size_of_a_sample(published: list[Record]) -> None:
    few = [record for record in published if str(record.material) in ("KRPvKR", "KPvK")]
    files = dict(Site(few).files())
    assert "among 1,000,000 positions chosen at random" in str(files["material/KRPvKR.html"])
    assert "positions chosen at random" not in str(files["material/KPvK.html"])
    sharpest = str(files["records.html"]).partition('id="sharp"')[2]
    only = {record.drawn.only / record.drawn.positions: str(record.material) for record in few}
    in_order = re.findall(r"material/(\w+)\.html#sharpness", sharpest)
    assert in_order == [only[share] for share in sorted(only, reverse=True)]


def test_only_what_changes_is_written_again(some: list[Record], tmp_path: Path) -> None:
    site = Site(some[:2])
    told = list[tuple[int, int]]()
    files, written = write_site(site, tmp_path, lambda *done: told.append(done))
    assert written == files
    assert told == [(1, 2), (2, 2)]
    (tmp_path / "material" / "KBvK.html").write_text("spoilt")
    assert write_site(site, tmp_path) == (files, 1)
    for name, content in site.files():
        data = content if isinstance(content, bytes) else content.encode()
        assert (tmp_path / name).read_bytes() == data
