"""The page that stands alone: it solves what it shows, and does without a network later."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tbgen.apps.pages.palette import signed
from tbgen.probe import Tablebase, open_tablebase
from tests.apps.site.chromium import NEEDED, Chromium
from tests.apps.site.conftest import WithoutRanges, giving
from tests.apps.site.test_explorer import look_at, text_of, texts_of
from tests.cli.calls import printed

pytestmark = [NEEDED, pytest.mark.slow]

SOLVED = "document.querySelector('#verdict .facts')"
KEPT = "caches.open('tbgen-page-' + document.documentElement.dataset.build)"


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site that tbgen makes where no tables were built."""
    folder = tmp_path_factory.mktemp("alone")
    empty = folder / "empty"
    empty.mkdir()
    site = folder / "site"
    said = printed("site", "--explorer", "--data", str(empty), "-o", str(site))
    assert "without tables, which the page solves itself" in said
    return site


@pytest.fixture(scope="module")
def address(alone: Path) -> Iterator[str]:
    with giving(alone, WithoutRanges) as address:
        yield address


@pytest.fixture(scope="module")
def tables(four_men_folder: Path) -> Iterator[Tablebase]:
    with open_tablebase(four_men_folder) as tables:
        yield tables


@pytest.mark.parametrize(
    ("fen", "accrued"),
    [
        ("8/8/8/8/8/2k5/2P5/2K5 w - - 0 1", ""),
        ("8/8/2k5/3n4/8/4K3/8/7R w - - 20 30", "G6.5"),
        ("8/8/2k5/3r4/8/4K3/8/Q7 b - - 0 1", ""),
    ],
)
def test_an_ending_is_solved_where_it_is_shown(
    chromium: Chromium, address: str, tables: Tablebase, fen: str, accrued: str
) -> None:
    chromium.complaints.clear()
    look_at(chromium, address, fen, accrued)
    chromium.wait(SOLVED)
    found = tables.probe(fen, accrued or None)
    moves = tables.probe_moves(fen, accrued or None)
    assert text_of(chromium, "#verdict").startswith(f"{signed(found.outcome)} ")
    listed = texts_of(chromium, "#moves .move b")
    assert len(listed) == len(moves)
    assert chromium.run("document.getElementById('solving').hidden")
    assert chromium.complaints == []


def test_a_solve_can_be_stopped_and_begun_again(chromium: Chromium, address: str) -> None:
    look_at(chromium, address, "8/8/2k5/3n4/8/4K3/8/7B w - - 0 1")
    chromium.wait("document.querySelector('#solving button')")
    chromium.run("document.querySelector('#solving button').click()")
    assert re.search(r"KBvKN can be solved .* at most 300 MB", text_of(chromium, "#solving"))
    chromium.run("document.querySelector('#solving button').click()")
    chromium.wait(SOLVED)


def test_the_page_is_light_and_answers_without_a_network(chromium: Chromium, alone: Path) -> None:
    fen = "8/8/8/8/8/2k5/2P5/2K5 w - - 0 1"
    assert sum(path.stat().st_size for path in alone.rglob("*") if path.is_file()) < 1_500_000
    with giving(alone, WithoutRanges) as address:
        look_at(chromium, address, fen)
        chromium.wait(SOLVED)
        chromium.run(f"navigator.serviceWorker.ready.then(() => {KEPT})")
    look_at(chromium, address, fen)
    chromium.wait(SOLVED)
