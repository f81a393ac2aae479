"""The tour (docs/explorer.md) says what the explorer shows.

scripts/pictures.py takes its pictures.
"""

from __future__ import annotations

from tests.apps.site.chromium import NEEDED, Chromium
from tests.apps.site.test_explorer import SHOWN, text_of, texts_of
from tests.apps.site.test_explorer import look_at as open_at
from tests.project import ROOT

pytestmark = NEEDED

TOUR = (ROOT / "docs" / "explorer.md").read_text("utf-8")
READ = "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0"
MAPPED = "8/8/3k4/8/3K4/3P4/8/8 b - - 0 1"
RIGHT_OF_BOARD = """document.querySelector('.move').getBoundingClientRect().left >=
  document.getElementById('board').getBoundingClientRect().right"""


def look_at(page: Chromium, server: str, fen: str) -> None:
    fields = fen.split()
    open_at(page, server, " ".join(fields[:6]), "".join(fields[6:]))


def play_best(page: Chromium) -> None:
    page.press(" ")
    page.wait(f"document.getElementById('fen').value.includes(' b ') && {SHOWN}")
    wait_for_best_play(page)


def wait_for_best_play(page: Chromium) -> None:
    page.wait("document.getElementById('why').innerText.startsWith('Best play')")


def choose_map(page: Chromium, square: str) -> None:
    page.run(f"(({{ map }}) => {{ map.value = '{square}'; map.onchange(); }})(window)")
    page.wait("document.querySelector('#marks .field')")


def count(page: Chromium, selector: str) -> int:
    return int(page.run(f"document.querySelectorAll({selector!r}).length"))


def test_the_first_position_is_as_the_tour_says(page: Chromium, server: str) -> None:
    assert f"`{READ}`" in TOUR
    page.look(1280, 800)
    look_at(page, server, READ)
    assert text_of(page, "#verdict").startswith(
        "G1.5 White holds Black to 1 legal move. White to move. In 5 plies"
    )
    assert page.run(RIGHT_OF_BOARD)
    wait_for_best_play(page)
    assert count(page, "#board .cg-shapes line") == 1
    play_best(page)
    assert "The dots are the moves that Black has left: G3.5." in text_of(page, "#status")
    assert count(page, "#board .cg-shapes line") == 1
    assert count(page, "#marks .dot") == 3
    assert any("Every accrued score" in each for each in texts_of(page, "summary"))


def test_the_map_is_as_the_tour_says(page: Chromium, server: str) -> None:
    assert f"`{MAPPED}`" in TOUR
    page.look(1280, 800)
    look_at(page, server, MAPPED)
    choose_map(page, "d6")
    assert text_of(page, "#map-words").startswith("G0.0 on 50 squares")
    assert text_of(page, "#map-words").endswith("G0.5 on c6, e6, c7, d7, e7")
