"""The explorer with a table of pairs: its name, its figures, and positions drawn from it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import chess
import pytest

from tbgen.apps.server.application import application
from tbgen.apps.server.service import ServerSettings
from tbgen.probe.opened import has_pair_on
from tests.apps.site.chromium import NEEDED, Chromium
from tests.apps.site.conftest import client_of, running
from tests.apps.site.test_explorer import SHOWN, fen_in, look_at, text_of, texts_of

pytestmark = NEEDED

FACING = "8/4p3/8/2k5/8/8/4P3/4K3 w - - 0 1"
PASSED_FIRST = "8/8/8/4p3/2k1P3/8/8/2K5 b - - 0 1"
WORDS = "Pawn against pawn, pawns face to face"


@pytest.fixture(scope="module")
def server(pair_outcomes_folder: Path) -> Iterator[str]:
    with running(application(ServerSettings([pair_outcomes_folder]))) as address:
        yield address


def assert_is_named(page: Chromium) -> None:
    build = "This adds them; then start tbgen serve again: tbgen build KPvKP.pairs"
    assert build in text_of(page, "#verdict")
    page.wait("!document.getElementById('ending').hidden")
    assert text_of(page, "#ending-title") == f"{WORDS} (KPvKP.pairs)"
    assert "Positions, all placements" in text_of(page, "#ending")


def test_the_table_is_named_and_another_position_for_a_drill_has_the_pair_too(
    page: Chromium, server: str
) -> None:
    look_at(page, server, FACING)
    assert_is_named(page)
    page.run("document.getElementById('ask-drill').click()")
    page.wait("document.getElementById('drill-part').innerText.includes('You play')")
    page.run("""[...document.querySelectorAll('#drill-part button')]
      .find((each) => each.textContent === 'Another like this').click()""")
    page.wait(f"!document.getElementById('fen').value.startsWith({FACING.split()[0]!r}) && {SHOWN}")
    assert has_pair_on(chess.Board(fen_in(page)))


def test_its_ending_is_found_and_a_position_of_it_drawn(page: Chromium, server: str) -> None:
    look_at(page, server, PASSED_FIRST)
    assert_is_named(page)
    page.run("document.querySelector('#endings summary').click()")
    page.wait("document.querySelectorAll('#found-endings button').length === 7")
    page.type_into("#find-ending", "kpkp")
    page.wait("document.querySelectorAll('#found-endings button').length === 1")
    assert texts_of(page, "#found-endings button") == [f"{WORDS} KPvKP.pairs"]
    for button in ("#found-endings button", "#random", "#random"):
        before = fen_in(page)
        page.run(f"document.querySelector({button!r}).click()")
        page.wait(f"document.getElementById('fen').value !== {before!r} && {SHOWN}")
        page.wait("!document.getElementById('ending').hidden")
        assert has_pair_on(chess.Board(fen_in(page)))


@pytest.mark.given_tables
def test_a_server_names_the_tables_of_six_men_that_it_answers_from(given_folder: Path) -> None:
    expected = {path.name.removesuffix(".h5") for path in given_folder.glob("*.pairs.h5")}
    with client_of(given_folder) as client:
        named = {entry["material"] for entry in client.get("/tables").json()["tables"]}
        assert expected <= named
        assert len(named) == client.get("/health").json()["tables"]
