"""Pages in a real browser: lines can be stepped through, and nothing hangs over the edge of a phone."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import chess
import pytest

from tests.report.browser import browser, document_after

pytestmark = pytest.mark.skipif(browser() is None, reason="no Chromium on this system (Debian's package is `chromium`)")

TO_THE_END = "document.querySelectorAll('button[name=last]').forEach((each) => each.click());"
THERE_AND_BACK = TO_THE_END + "document.querySelectorAll('button[name=first]').forEach((each) => each.click());"
BY_KEYS = """
const keys = ["End", "ArrowLeft", "ArrowRight"].map((key) => new KeyboardEvent("keydown", {key, cancelable: true}));
document.querySelectorAll("figure.line").forEach((each) => keys.forEach((key) => each.dispatchEvent(key)));
"""
PHONE = """
const frame = document.createElement('iframe');
frame.style = 'width:390px;height:800px;border:0';
frame.src = PAGE;
document.body.append(frame);
frame.onload = () => {
  const page = frame.contentDocument.documentElement;
  document.title = `${page.scrollWidth} of ${frame.contentWindow.innerWidth}`;
};
"""


@pytest.fixture
def pages(site: Path, tmp_path: Path) -> Path:
    """A site that a test may change."""
    return Path(shutil.copytree(site, tmp_path / "site"))


def with_script(page: Path, script: str) -> Path:
    page.write_text(page.read_text().replace("</body>", f"<script>{script}</script></body>"))
    return page


def placements(document: str) -> list[set[tuple[str, str]]]:
    """The men of each board and their squares, board by board."""
    boards = []
    for board in re.findall(r'<figure class="line" id=.*?</figure>', document, re.DOTALL):
        men = set()
        for use in re.findall(r"<use [^>]*>", board):
            found = dict(re.findall(r'(\w+)="([^"]*)"', use))
            if "x" in found and found.get("visibility") != "hidden":
                men.add((found["href"][1:], "abcdefgh"[int(found["x"]) // 45] + str(8 - int(found["y"]) // 45)))
        boards.append(men)
    return boards


def placement(board: chess.Board) -> set[tuple[str, str]]:
    return {
        (f"{'white' if man.color else 'black'}-{chess.piece_name(man.piece_type)}", chess.square_name(square))
        for square, man in board.piece_map().items()
    }


def lines_of(site: Path, name: str) -> list[tuple[str, str]]:
    """The lines of a page in its order: first White to move, the longest first; last the longest quiet stretch."""
    lines = []
    for side in json.loads((site / "data" / f"{name}.json").read_text())["sides"].values():
        every = [each["longest"] for each in side["outcomes"].values() if each["longest"]["dtg"]]
        lines += [(each["fen"], each["line"]) for each in sorted(every, key=lambda each: -each["dtg"])]
    quiet = json.loads((site / "data" / f"{name}.json").read_text())["quiet"]
    return [*lines, (quiet["fen"], quiet["line"])]


def final(fen: str, line: str) -> chess.Board:
    board = chess.Board(fen)
    for san in line.split():
        board.push_san(san)
    return board


@pytest.mark.parametrize("script", [TO_THE_END, BY_KEYS], ids=["buttons", "keys"])
def test_lines_are_played_to_their_last_position(pages: Path, tmp_path: Path, script: str) -> None:
    page = with_script(pages / "material" / "KPvKP.html", script)
    found = placements(document_after(page, tmp_path / "profile"))
    expected = [placement(final(fen, line)) for fen, line in lines_of(pages, "KPvKP")]
    assert found == expected


def test_lines_go_back_to_where_they_began(pages: Path, tmp_path: Path) -> None:
    page = with_script(pages / "material" / "KPvK.html", THERE_AND_BACK)
    found = placements(document_after(page, tmp_path / "profile"))
    assert found == [placement(chess.Board(fen)) for fen, _ in lines_of(pages, "KPvK")]


def test_buttons_appear_only_with_a_script(pages: Path, tmp_path: Path) -> None:
    page = pages / "material" / "KBvK.html"
    assert page.read_text().count('class="stepper" hidden') == len(lines_of(pages, "KBvK"))
    document = document_after(page, tmp_path / "profile")
    assert 'class="stepper" hidden' not in document
    assert "46 plies</span>" in document


@pytest.mark.parametrize("name", ["index", "records", "drawn", "potential", "event", "material/KPvKP"])
def test_no_page_is_wider_than_a_phone(pages: Path, tmp_path: Path, name: str) -> None:
    frame = pages / "frame.html"
    frame.write_text(
        f"<!DOCTYPE html><title>-</title><body><script>{PHONE.replace('PAGE', repr(f'{name}.html'))}</script>"
    )
    document = document_after(frame, tmp_path / "profile", "--virtual-time-budget=5000")
    assert "<title>390 of 390</title>" in document


def title_of(document: str) -> str:
    """What a script has left in the title of a page."""
    found = re.search("<title>(.*?)</title>", document)
    assert found is not None
    return found[1]


FOLLOWED = (
    TO_THE_END
    + """
document.title = [...document.querySelectorAll(".moves")].map((list) => {
  const [outer, inner] = [list, list.querySelector("[data-now]")].map((each) => each.getBoundingClientRect());
  return inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
}).join();
"""
)


def test_the_moves_follow_the_stepper(pages: Path, tmp_path: Path) -> None:
    document = document_after(with_script(pages / "material" / "KPvKP.html", FOLLOWED), tmp_path / "profile")
    assert title_of(document) == ",".join(["true"] * len(lines_of(pages, "KPvKP")))


INSIDE = """
document.title = [...document.querySelectorAll("svg.plot text")].filter((text) => {
  const [inner, outer] = [text, text.closest("svg")].map((each) => each.getBoundingClientRect());
  return inner.left < outer.left || inner.right > outer.right || inner.top < outer.top || inner.bottom > outer.bottom;
}).map((text) => text.textContent).join();
"""


@pytest.mark.parametrize("name", ["KvK", "KPvKP", "KRvKN"])
def test_no_letter_of_a_plot_is_cut_off(pages: Path, tmp_path: Path, name: str) -> None:
    document = document_after(with_script(pages / "material" / f"{name}.html", INSIDE), tmp_path / "profile")
    assert title_of(document) == ""


FIND = """
const field = document.getElementById("find");
field.value = "kp";
field.dispatchEvent(new Event("input"));
document.title = [...document.querySelectorAll("tbody tr:not([hidden]) th")].map((each) => each.textContent).join() +
  "; " + document.getElementById("found").textContent;
"""


def test_an_ending_is_found_by_a_part_of_its_name(pages: Path, tmp_path: Path) -> None:
    document = document_after(with_script(pages / "index.html", FIND), tmp_path / "profile")
    assert title_of(document) == "KPvK,KPvKP; 2 of 5"
