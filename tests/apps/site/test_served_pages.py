"""Pages that were written without the explorer, beside the explorer of `tbgen serve`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tbgen.apps.server.application import application
from tbgen.apps.server.service import ServerSettings
from tests.apps.site.chromium import NEEDED, Chromium
from tests.apps.site.conftest import running
from tests.apps.site.test_explorer import SHOWN, fen_in

pytestmark = NEEDED

LINKS = """[...document.querySelectorAll('a')].map((link) => link.href)
  .filter((link) => link.includes('/explorer/'))"""
PLACED = "document.querySelector('.position a')"


@pytest.fixture(scope="module")
def address(site: Path, table_folder: Path) -> Iterator[str]:
    """The address of a server with the pages of a few records."""
    with running(application(ServerSettings([table_folder], site=site))) as found:
        yield found


@pytest.mark.parametrize("name", ["records.html", "material/KBvK.html"])
def test_every_board_leads_to_the_explorer(page: Chromium, address: str, name: str) -> None:
    page.open(f"{address}/{name}")
    boards = page.run("document.querySelectorAll('.under').length")
    links = page.run("[...document.querySelectorAll('.under a')].map((link) => link.href)")
    fens = page.run("[...document.querySelectorAll('.under')].map((each) => each.dataset.fen)")
    assert len(links) == boards > 0
    for link, fen in zip(links, fens, strict=True):
        parts = urlsplit(link)
        assert parts.path == "/explorer/"
        assert parse_qs(parts.query)["fen"] == [fen.replace(" ", "_")]


def test_a_position_in_the_table_of_records_opens_in_the_explorer(
    page: Chromium, address: str
) -> None:
    page.open(f"{address}/records.html")
    placement = page.run(f"{PLACED}.textContent")
    page.open(page.run(f"{PLACED}.href"), SHOWN)
    assert fen_in(page).split()[0] == placement


def test_the_pages_and_the_explorer_name_each_other_in_one_order(
    page: Chromium, address: str
) -> None:
    names = "[...document.querySelectorAll('nav a')].map((link) => link.textContent)"
    page.open(f"{address}/material/KBvK.html")
    assert page.run(names) == [
        "Explorer",
        "Endings",
        "Records",
        "Drawn endings",
        "Rules",
    ]
    page.open(page.run("document.querySelector('nav a').href"), SHOWN)
    assert page.run(names) == ["Explorer", "Endings", "Records", "Rules"]


def test_a_link_follows_the_board_as_its_line_is_stepped_through(
    page: Chromium, address: str
) -> None:
    page.open(f"{address}/material/KBvK.html")
    page.run("document.querySelector('figure.line button[name=on]').click()")
    link = page.run("document.querySelector('figure.line .under a').href")
    fen = page.run("document.querySelector('figure.line .under').dataset.fen")
    assert parse_qs(urlsplit(link).query)["fen"] == ["_".join(fen.split()[:6])]


def test_pages_of_other_servers_name_no_explorer(page: Chromium, site: Path) -> None:
    page.open((site / "records.html").as_uri())
    assert page.run(LINKS) == []


def test_the_page_of_an_ending_leads_to_a_position_of_it(page: Chromium, address: str) -> None:
    page.open(f"{address}/material/KBvK.html")
    links = "[...document.querySelectorAll('.facts a')]"
    link = f"{links}.find((each) => each.textContent === 'a position at random')"
    page.open(page.run(f"{link}.href"), SHOWN)
    fen = fen_in(page)
    assert sorted(man for man in fen.split()[0] if man.isalpha()) == ["B", "K", "k"]
    assert parse_qs(urlsplit(page.run("location.href")).query)["fen"] == [fen.replace(" ", "_")]


def test_the_explorer_leads_to_pages_that_are_there_alone(page: Chromium, address: str) -> None:
    """The server has tables of KNvK, KRvK and KQvK, but the pages have no records of them."""
    to_pages = "[...document.querySelectorAll('{} a')].map((link) => link.getAttribute('href'))"
    for ending, links in (("KRvK", []), ("KBvK", ["../material/KBvK.html"])):
        page.open(f"{address}/explorer/?ending={ending}", SHOWN)
        page.wait("!document.getElementById('ending').hidden")
        assert page.run(to_pages.format("#ending")) == links
    page.run("document.querySelector('#endings summary').click()")
    page.wait("document.querySelectorAll('#found-endings button').length === 6")
    expected = [f"../material/{name}.html" for name in ("KvK", "KBvK", "KPvK")]
    assert page.run(to_pages.format("#found-endings")) == expected
