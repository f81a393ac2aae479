"""The explorer in a real browser, with a server's answers."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from urllib.parse import urlencode

import chess
import pytest

from tbgen.apps.site.export import INDEX, SERVER, TABLES, files, index_page
from tbgen.probe import open_tablebase
from tbgen.score import Score
from tests.apps.site.chromium import NEEDED, Chromium

pytestmark = NEEDED

FIRST_LOAD_BYTES = 45_000
SHOWN = "document.documentElement.dataset.shown && !document.querySelector('[aria-busy]')"
BISHOP = "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30"
PROMOTION = "8/4P1k1/8/8/8/8/8/4K3 w - - 0 1"


def look_at(page: Chromium, server: str, fen: str = "", accrued: str = "") -> None:
    asked = {"fen": fen.replace(" ", "_"), "accrued": accrued}
    page.open(f"{server}/explorer/?{urlencode({key: value for key, value in asked.items() if value})}", SHOWN)


def text_of(page: Chromium, selector: str) -> str:
    found = page.run(f"document.querySelector({selector!r}).innerText")
    return re.sub(r"\s+", " ", str(found)).strip()


def texts_of(page: Chromium, selector: str) -> list[str]:
    found = page.run(f"[...document.querySelectorAll({selector!r})].map((each) => each.textContent)")
    return [re.sub(r"\s+", " ", each).strip() for each in found]


def wait_for(page: Chromium, fen: str) -> None:
    """Until the page shows what is said of a position."""
    page.wait(f"document.getElementById('fen').value.startsWith({fen.split()[0]!r}) && {SHOWN}")


def fen_in(page: Chromium) -> str:
    return str(page.run("document.getElementById('fen').value"))


@pytest.mark.parametrize(
    ("fen", "accrued"), [(BISHOP, "G4.0"), (BISHOP, ""), ("8/8/8/8/8/2k5/1r6/K7 b - - 0 1", ""), (PROMOTION, "")]
)
def test_a_position_is_shown_as_python_values_it(
    page: Chromium, server: str, table_folder: Path, fen: str, accrued: str
) -> None:
    look_at(page, server, fen, accrued)
    with open_tablebase(table_folder) as tables:
        score = Score(accrued) if accrued else None
        found, moves = tables.probe(chess.Board(fen), score), tables.probe_moves(chess.Board(fen), score)
    verdict = text_of(page, "#verdict")
    assert verdict.startswith(f"{found.outcome} {found.outcome.in_words()}.")
    assert f"In {found.dtg} plies" in verdict
    assert sorted(texts_of(page, ".move b")) == sorted(each.san for each in moves)
    assert texts_of(page, ".move.best b") == [each.san for each in moves if each.best]
    kept = texts_of(page, ".group:first-child .move b")
    assert sorted(kept) == sorted(each.san for each in moves if each.keeps)
    assert page.complaints == []


@pytest.mark.parametrize(
    ("clock", "said"),
    [
        (97, "The fifty-move rule leaves 3 plies: G4.0."),
        (80, "The fifty-move rule leaves 20 plies: fewer than best play needs."),
        (60, None),
        (100, "The fifty-move rule leaves 0 plies: G4.0."),
    ],
)
def test_what_the_fifty_move_rule_leaves_is_said_where_it_matters(
    page: Chromium, server: str, clock: int, said: str | None
) -> None:
    look_at(page, server, f"8/8/4K3/6k1/8/7B/8/8 b - - {clock} 60", "G4.0")
    verdict = text_of(page, "#verdict")
    assert "In 30 plies with best play." in verdict
    assert ("The fifty-move rule" in verdict) == (said is not None)
    assert (said or "") in verdict
    assert page.complaints == []


def test_the_strip_shows_every_accrued_score_and_chooses_one(page: Chromium, server: str, table_folder: Path) -> None:
    look_at(page, server, BISHOP)
    cells = page.run("document.querySelectorAll('.band.sheet span').length")
    with open_tablebase(table_folder) as tables:
        expected = {
            accrued: str(tables.probe(chess.Board(BISHOP), Score(accrued)).outcome)
            for accrued in ("G1.0", "G4.0", "-G3.5", "-G1.5")
        }
    for accrued, outcome in expected.items():
        page.run(
            "(() => { const pick = document.querySelector('.pick');"
            " const place = [...Array(Number(pick.max) + 1).keys()].find((each) => { pick.value = each;"
            " pick.dispatchEvent(new Event('input'));"
            f" return pick.getAttribute('aria-valuetext').startsWith('{accrued} '); }});"
            " pick.dispatchEvent(new Event('change')); return place; })()"
        )
        page.wait(f"location.search.includes('accrued={accrued}') && {SHOWN}")
        page.wait(f"document.querySelector('#verdict .big').textContent === {outcome!r}")
        assert page.run("document.querySelectorAll('.band.sheet span').length") == cells
    assert page.complaints == []


def test_moves_are_played_by_mouse_keys_and_words_and_taken_back_by_the_browser(page: Chromium, server: str) -> None:
    look_at(page, server, BISHOP, "G4.0")
    page.press(" ")
    wait_for(page, "8/8/8/4KBk1/8/8/8/8")
    assert page.run("document.getElementById('accrued').value") == ""  # G3.5 is the position's own score
    page.run("document.getElementById('typed').value = 'Kh4'; document.getElementById('type').requestSubmit()")
    wait_for(page, "8/8/8/4KB2/7k/8/8/8")
    assert page.run("document.getElementById('accrued').value") == "G3.5"
    page.press("ArrowLeft")
    wait_for(page, "8/8/8/4KBk1/8/8/8/8")
    page.press("ArrowLeft")
    wait_for(page, BISHOP)
    assert "accrued=G4.0" in page.run("location.search")
    click_square(page, "f5")
    click_square(page, "e4")
    wait_for(page, "8/8/4K3/6k1/4B3/8/8/8")
    page.run("document.getElementById('typed').value = 'Qh4'; document.getElementById('type').requestSubmit()")
    assert text_of(page, "#said") == "Qh4 is no legal move here."
    assert page.complaints == []


def test_a_move_that_is_pointed_at_has_its_arrow_on_the_board(page: Chromium, server: str) -> None:
    look_at(page, server, BISHOP, "G4.0")
    arrows = "document.querySelectorAll('.cg-shapes line').length"
    place = "(({ left, top }) => [left + 5, top + 5])(document.querySelector('.move').getBoundingClientRect())"
    for x, y, shown in ((*page.run(place), 1), (1, 1, 0)):
        page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        page.wait(f"{arrows} === {shown}")
    page.press("ArrowDown")
    page.wait(f"{arrows} === 1")
    assert page.complaints == []


def click_square(page: Chromium, name: str) -> None:
    left, top, width = page.run(
        "(({ left, top, width }) => [left, top, width])(document.querySelector('cg-board').getBoundingClientRect())"
    )
    square = chess.parse_square(name)
    x, y = chess.square_file(square), 7 - chess.square_rank(square)
    page.click(left + (x + 0.5) * width / 8, top + (y + 0.5) * width / 8)


def test_a_pawn_becomes_what_is_chosen(page: Chromium, server: str) -> None:
    look_at(page, server, PROMOTION)
    click_square(page, "e7")
    click_square(page, "e8")
    page.wait("document.querySelector('dialog[open]')")
    page.run("document.querySelector('dialog button[value=n]').click()")
    wait_for(page, "4N3/6k1/8/8/8/8/8/4K3")


def test_positions_are_set_up_without_turning_the_side_to_move(page: Chromium, server: str) -> None:
    look_at(page, server, "8/8/8/4k3/8/8/8/4K3 b - - 0 1")
    page.press("e")
    page.run("document.querySelector('#white-men [aria-label=\"Add a white queen\"]').click()")
    click_square(page, "a1")
    wait_for(page, "8/8/8/4k3/8/8/8/Q3K3")
    assert fen_in(page).split()[1] == "b"
    page.run("document.querySelector('#mirror').click()")
    wait_for(page, "8/8/8/3k4/8/8/8/3K3Q")
    page.run("document.querySelector('[data-shift=\"8\"]').click()")
    wait_for(page, "8/8/3k4/8/8/8/3K3Q/8")
    page.run("document.querySelector('#swap').click()")
    wait_for(page, "8/3k3q/8/8/8/3K4/8/8")
    assert fen_in(page).split()[1] == "w"
    page.run("document.querySelector('[name=turn][value=b]').click()")
    page.wait("document.getElementById('fen').value.includes(' b ')")
    page.run("document.querySelector('#kings').click()")
    wait_for(page, "4k3/8/8/8/8/8/8/4K3")
    page.press("e")
    assert page.run("document.getElementById('editing').hidden")
    assert page.complaints == []


@pytest.mark.parametrize(
    ("fen", "accrued", "said"),
    [
        ("8/8/8/8/8/8/8/K7 w", "", "Black has no king"),
        ("8/8/8", "", "a FEN has eight ranks"),
        (BISHOP, "3,7", "is no score"),
    ],
)
def test_what_cannot_be_asked_is_said_without_asking(
    page: Chromium, server: str, fen: str, accrued: str, said: str
) -> None:
    page.open(
        f"{server}/explorer/?{urlencode({'fen': fen, 'accrued': accrued})}", "document.querySelector('#verdict p')"
    )
    assert said in text_of(page, "#verdict")
    assert page.run("document.getElementById('moves-part').hidden")


def test_a_table_that_is_missing_is_named(page: Chromium, server: str) -> None:
    look_at(page, server, "4k2r/8/8/8/8/8/8/R3K3 b - - 0 1")
    assert "No table KRvKR" in text_of(page, "#verdict")


def test_best_play_is_stepped_through(page: Chromium, server: str, table_folder: Path) -> None:
    look_at(page, server, BISHOP, "G4.0")
    with open_tablebase(table_folder) as tables:
        steps = tables.line(chess.Board(BISHOP), Score("G4.0"))
    page.run("document.getElementById('ask-line').click()")
    page.wait("document.querySelector('.line-moves')")
    assert texts_of(page, ".line-moves button") == [step.san for step in steps]
    page.run("document.querySelector('[aria-label=\"To the last position\"]').click()")
    board = chess.Board(BISHOP)
    for step in steps:
        board.push(step.move)
    wait_for(page, board.fen())
    assert fen_in(page) == board.fen()
    page.run("document.querySelector('[aria-label=\"To the first position\"]').click()")
    wait_for(page, BISHOP)
    assert texts_of(page, ".line-moves button") == [step.san for step in steps]
    page.run("document.querySelectorAll('.group .move')[3].click()")
    page.wait("!document.querySelector('.line-moves')")


@pytest.mark.parametrize("fen", [BISHOP, "8/8/8/8/8/5k2/5p2/5K2 w - - 0 1"])
def test_the_ending_has_its_figures_with_either_colour(page: Chromium, server: str, fen: str) -> None:
    look_at(page, server, fen)
    page.wait("!document.getElementById('ending').hidden")
    here = page.run("[...document.querySelectorAll('.share [data-now]')].map((each) => each.title)")
    assert len(here) == 1
    assert here[0].startswith(text_of(page, "#verdict .big"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_hangs_over_the_edge_and_everybody_can_use_it(
    page: Chromium, server: str, width: int, scheme: str
) -> None:
    page.look(width, scheme=scheme)
    look_at(page, server, BISHOP, "G4.0")
    page.run("document.getElementById('ask-line').click(); document.getElementById('edit').click()")
    page.wait("document.querySelector('.line-moves') && !document.getElementById('ending').hidden")
    assert page.run("document.documentElement.scrollWidth") == width
    assert page.violations() == []
    assert page.complaints == []


def test_the_board_and_the_verdict_are_there_in_words(page: Chromium, server: str) -> None:
    look_at(page, server, BISHOP)
    assert texts_of(page, "#in-words") == ["White: Ke6, Bf5. Black: Kg5. White to move."]
    for part in ("in-words", "verdict"):
        assert page.run(f"document.getElementById('{part}').getAttribute('aria-live')") == "polite"


def test_nothing_comes_from_elsewhere_and_the_first_load_is_small(page: Chromium, server: str) -> None:
    look_at(page, server)
    assert page.requests
    assert [url for url in page.requests if not url.startswith((server, "data:"))] == []
    loaded = {url.removeprefix(f"{server}/explorer/").partition("?")[0] for url in page.requests if "/explorer/" in url}
    parts = {**files(), "": index_page(SERVER).encode()}
    assert sum(len(gzip.compress(parts[name])) for name in loaded) < FIRST_LOAD_BYTES
    assert loaded <= parts.keys()


def test_without_a_script_a_form_asks(page: Chromium, server: str) -> None:
    page.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        page.call("Page.navigate", url=f"{server}/explorer/plain?{urlencode({'fen': BISHOP, 'accrued': 'G4.0'})}")
        page.call("Emulation.setScriptExecutionDisabled", value=False)
        page.wait("document.readyState === 'complete' && document.querySelector('table')")
    finally:
        page.call("Emulation.setScriptExecutionDisabled", value=False)
    assert text_of(page, ".verdict").startswith("G1.5 White holds Black to 1 legal move, in 5 plies.")
    assert page.run("document.querySelectorAll('tbody tr').length") == 14
    link = page.run("document.querySelector('tbody a').href")
    page.open(link, "document.querySelector('.verdict')")
    assert "accrued G3.5" in text_of(page, ".verdict")
    late = urlencode({"fen": "8/8/4K3/6k1/8/7B/8/8 b - - 97 60", "accrued": "G4.0"})
    page.open(f"{server}/explorer/plain?{late}", "document.querySelector('.verdict')")
    assert "But under reset, with 3 plies left, G4.0 (searched)." in text_of(page, ".verdict")
    assert page.violations() == []


@pytest.mark.parametrize("asked", ["", urlencode({"fen": BISHOP, "accrued": "G4.0"}), "fen=x", "accrued=G4.0"])
def test_the_form_without_a_script_fits_a_phone(page: Chromium, server: str, asked: str) -> None:
    page.look(390)
    page.open(f"{server}/explorer/plain?{asked}", "document.querySelector('form')")
    assert page.run("document.documentElement.scrollWidth") == 390
    assert page.violations() == []


@pytest.mark.parametrize("source", [SERVER, TABLES])
def test_every_module_is_asked_for_at_once(source: str) -> None:
    modules, waiting = set[str](), ["explorer.js"]
    other = {SERVER: "./tables.js", TABLES: "./server.js"}[source]
    while waiting:
        modules.add(name := waiting.pop())
        named = re.findall(r"(?:from |import |import\()'(\./[^']+)'", files()[name].decode())
        waiting += [path.removeprefix("./") for path in named if path != other and path[2:] not in modules]
    assert set(re.findall(r'modulepreload" href="([^"]+)"', index_page(source))) == modules


def test_the_page_says_itself_what_it_may_do() -> None:
    text = index_page(SERVER)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', text)
    assert "unsafe" not in policy
    assert policy.startswith("default-src 'none'")
    assert not re.findall(r"\sstyle=|\son\w+=|<script>|<style>", text)
    assert INDEX not in files()


def test_positions_to_start_from_can_be_asked(table_folder: Path) -> None:
    rows = re.findall(r"^\['([^']+)', '([^']*)', '[^']+', '[^']+'\],$", files()["famous.js"].decode(), re.MULTILINE)
    boards = [(chess.Board(fen), Score(accrued) if accrued else None) for fen, accrued in rows]
    assert len(boards) == 8
    assert all(board.is_valid() for board, _ in boards)
    with open_tablebase(table_folder) as tables:
        small = [tables.probe(*each) for each in boards if len(each[0].piece_map()) < 4]
    assert [str(each) for each in small][:4] == [
        "G1.5 in 5 plies",
        "G5.5 in 2 plies",
        "G3.5 in 0 plies",
        "G0.0 in 31 plies",
    ]
