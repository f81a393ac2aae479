"""The explorer in a real browser, with a server's answers."""

from __future__ import annotations

import asyncio
import gzip
import re
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import chess
import chess.pgn
import pytest
from starlette.testclient import TestClient

from tbgen.apps.pages.export import INDEX, SERVER, TABLES, files, index_page
from tbgen.apps.pages.palette import signed
from tbgen.apps.server.application import application
from tbgen.apps.server.limits import Limits
from tbgen.apps.server.service import ServerSettings
from tbgen.closures.solver import PositionSolver
from tbgen.closures.store import FILE
from tbgen.probe import Tablebase
from tbgen.score import Score
from tests.apps.site.chromium import NEEDED, Chromium
from tests.apps.site.conftest import client_of, running
from tests.apps.site.test_boards import probed
from tests.positions import BISHOP

pytestmark = NEEDED

FIRST_LOAD_BYTES = 81_000
SHOWN = "document.documentElement.dataset.shown && !document.querySelector('[aria-busy]')"
ROOK = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
PROMOTION = "8/4P1k1/8/8/8/8/8/4K3 w - - 0 1"


def look_at(page: Chromium, server: str, fen: str = "", accrued: str = "") -> None:
    """Open the explorer with a position, and wait for the answer."""
    question = dict[str, str]()
    if fen:
        question["fen"] = fen.replace(" ", "_")
    if accrued:
        question["accrued"] = accrued
    page.open(f"{server}/explorer/?{urlencode(question)}", SHOWN)


def with_single_spaces(text: str) -> str:
    return " ".join(text.split())


def text_of(page: Chromium, selector: str) -> str:
    return with_single_spaces(page.run(f"document.querySelector({selector!r}).innerText"))


def texts_of(page: Chromium, selector: str) -> list[str]:
    elements = f"[...document.querySelectorAll({selector!r})]"
    texts = page.run(f"{elements}.map((each) => each.textContent)")
    return [with_single_spaces(text) for text in texts]


def wait_for(page: Chromium, fen: str) -> None:
    """Return when the page shows the answer to a position."""
    page.wait(f"document.getElementById('fen').value.startsWith({fen.split()[0]!r}) && {SHOWN}")


def press(page: Chromium, key: str, fen: str) -> None:
    """Press a key that leads to a position."""
    page.press(key)
    wait_for(page, fen)


def fen_in(page: Chromium) -> str:
    return str(page.run("document.getElementById('fen').value"))


def accrued_in(page: Chromium) -> str:
    return str(page.run("document.getElementById('accrued').value"))


@pytest.mark.parametrize("place", ["server", "plain_files"])
def test_the_page_loads_little_and_nothing_from_elsewhere(
    page: Chromium, request: pytest.FixtureRequest, place: str
) -> None:
    address: str = request.getfixturevalue(place)
    look_at(page, address)
    page.wait("!document.getElementById('ending').hidden")
    assert_loads_little(page, is_served=place == "server")
    page.run("document.getElementById('gallery').open = true")
    page.wait("document.querySelectorAll('.gallery').length >= 2")
    for url in page.requests:
        assert url.startswith((address, "data:"))


def test_a_map_stays_with_its_man_and_has_a_field_for_each_square(
    page: Chromium, server: str, tables: Tablebase
) -> None:
    look_at(page, server, BISHOP, "G4.0")
    page.run("(({ map }) => { map.value = 'f5'; map.onchange(); })(window)")
    page.wait("document.querySelector('#marks .field')")
    squares = probed(tables, chess.Board(BISHOP), chess.F5, Score("G4.0"))
    outcomes = [value for value in squares.values() if value]
    assert page.run("document.querySelectorAll('#marks .field').length") == len(outcomes)
    press(page, " ", "8/8/8/4KBk1/8/8/8/8")  # the king moves
    page.wait(
        "document.querySelector('#marks .field') && document.getElementById('map').value === 'f5'"
    )


def assert_loads_little(page: Chromium, *, is_served: bool) -> None:
    """See that the explorer has loaded a few small files: with a server, none of tables."""
    loaded = set[str]()
    for url in page.requests:
        _, is_part, path = url.partition("/explorer/")
        if is_part:
            loaded.add(path.partition("?")[0])
    parts = dict(files())
    if is_served:
        assert "tables.js" not in loaded
        parts[""] = index_page(SERVER).encode()
    else:
        assert {"tables.js", "files.js", "vendor/fzstd.js"} <= loaded
        parts[""] = index_page(TABLES).encode()
    first_load = sum(len(gzip.compress(parts[name])) for name in loaded - {"icon.svg"})
    assert first_load < FIRST_LOAD_BYTES
    of_tables = sum(url.endswith(".h5") for url in page.requests)
    if is_served:
        assert of_tables == 0
    else:
        assert 1 <= of_tables <= 16


LATE = "8/8/4K3/6k1/8/7B/8/8 b - - {} 60"
BUILD_PAIRS = (
    "face to face; then start tbgen serve again: tbgen build KRPvKRP.pairs --outcomes "
    "Copy This looks for a proof"
)
ASKED = [
    (LATE.format(80), "G4.0", "The fifty-move rule leaves 20 plies: fewer than best play needs."),
    (LATE.format(60), "G4.0", "In 30 plies with best play. Let White move Points"),
    (LATE.format(100), "G4.0", "The fifty-move rule ends the game here, with G4.0."),
    (
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "",
        "Tables have at most six men; this position has 32.",
    ),
    (
        "4k2r/8/8/8/8/8/8/RR1QK3 b - - 0 1",
        "",
        "No table of KQRRvKR (queen and two rooks against rook) is here.",
    ),
    (
        "3r4/8/1p1k4/1P6/3KR3/8/8/8 b - - 0 1",
        "",
        BUILD_PAIRS,
    ),
    (BISHOP, "+G4", "Accrued G4.0"),
    (BISHOP, "−g14.5", "Accrued −G14.5"),
]
REFUSED = [
    ("hello", "", "That is no FEN, no link to a position and no game as PGN."),
    ("8/8/4K3/5Bk1/8/8/8 w", "", "a FEN has eight ranks of eight squares"),
    ("8/8/8/8/8/8/8/K7 w", "", "Black has no king."),
    (BISHOP, "3.7", "3.7 is no score"),
    (BISHOP, "4", "4 is no score"),
    (BISHOP, "-G14,5", "-G14,5 is no score"),
    (BISHOP, "G0.0", "G0.0: the game would have ended before this position."),
    ("1. e4 e5 2. Ke3", "", "Ke3 is no legal move at move 2."),
]
"""What is refused, and the words beside the field."""
IGNORED = [
    ("8/8/8/4KBk1/8/8/8/8 b - - 3 30 G7.0", "", "G7.0 is ignored: the position’s own score G3.5"),
    ("8/8/4K3/5Bk1/8/8/8/8 w - - 0 30", "G4.0", "The halfmove clock is 1 now"),
]


def ask(page: Chromium, text: str, accrued: str = "") -> None:
    """Fill the form and send it."""
    page.type_into("#fen", text)
    if accrued:
        page.type_into("#accrued", accrued)
    page.press("Enter")


def test_what_is_typed_is_understood_or_refused_without_asking(page: Chromium, server: str) -> None:
    look_at(page, server, ROOK)
    for text, accrued, said in ASKED:
        ask(page, text, accrued)
        verdict = "document.getElementById('verdict').innerText.replace(/\\s+/g, ' ')"
        page.wait(f"{verdict}.includes({said!r}) && {SHOWN}")
        assert ("The fifty-move rule" in text_of(page, "#verdict")) == ("fifty" in said)
        if said.startswith("Accrued"):
            assert fen_in(page) == BISHOP
    for text, accrued, said in IGNORED:
        ask(page, text, accrued)
        page.wait(f"document.getElementById('note').innerText.startsWith({said!r}) && {SHOWN}")
    for fen in ("pppppppppp/8/8/8/8/8/8/8_w", "8/8/8/4KBk1/8/8/8/8_b_-_zz", "%00%F0%9F%99%83"):
        page.open(
            f"{server}/explorer/?fen={fen}",
            "document.body.innerText.includes('Not a position that can be ')",
        )


def test_what_cannot_be_read_leaves_the_page_as_it_was(page: Chromium, server: str) -> None:
    look_at(page, server, BISHOP, "G4.0")
    state = """[
      document.getElementById('verdict').innerText,
      location.search,
      document.getElementById('editing').hidden,
      document.querySelectorAll('#board piece').length,
    ]"""
    before = page.run(state)
    for text, accrued, said in REFUSED:
        ask(page, text, accrued)
        page.wait(f"document.getElementById('note').innerText.includes({said!r})")
        assert text_of(page, "#note").endswith("The board is as it was.")
        assert page.run(state) == before
        assert fen_in(page) == text, "it can be mended"


PICK = """(score) => {
  const pick = document.querySelector('.pick');
  for (let place = 0; place <= Number(pick.max); place += 1) {
    pick.value = place;
    pick.dispatchEvent(new Event('input'));
    if (pick.getAttribute('aria-valuetext').startsWith(`${score} `)) break;
  }
  pick.dispatchEvent(new Event('change'));
}"""
"""Move the slider of the strip to a score."""


def test_the_strip_shows_every_accrued_score_and_chooses_one(
    page: Chromium, server: str, tables: Tablebase
) -> None:
    look_at(page, server, BISHOP)
    cells = page.run("document.querySelectorAll('.band.sheet span').length")
    page.run("document.querySelector('#strip-part details').open = true")
    page.run("document.querySelector('.pick').focus()")
    for accrued in ("G1.0", "G4.0", "-G3.5", "-G1.5"):
        outcome = str(tables.probe(BISHOP, accrued).outcome)
        page.run(f"({PICK})({signed(Score(accrued))!r})")
        page.wait(f"location.search.includes('accrued={accrued}') && {SHOWN}")
        page.wait(f"document.querySelector('#verdict .big').dataset.g === {outcome!r}")
        assert page.run("document.querySelectorAll('.band.sheet span').length") == cells
        assert page.run("document.activeElement.className") == "pick"


def type_move(page: Chromium, text: str) -> None:
    page.run(f"document.getElementById('typed').value = {text!r}")
    page.run("document.getElementById('type').requestSubmit()")


def test_moves_are_played_by_mouse_keys_and_words_and_gone_through_by_arrows(
    page: Chromium, server: str
) -> None:
    look_at(page, server, BISHOP, "G4.0")
    for key in ("ArrowLeft", "ArrowRight", "Home", "End"):  # on a fresh page they lead nowhere
        page.press(key)
    assert page.run("document.getElementById('back').ariaDisabled") == "true"
    press(page, " ", "8/8/8/4KBk1/8/8/8/8")
    assert accrued_in(page) == "", "G3.5 is the position's own score"
    type_move(page, "Kh4")
    wait_for(page, "8/8/8/4KB2/7k/8/8/8")
    assert accrued_in(page) == "G3.5"
    press(page, "ArrowLeft", "8/8/8/4KBk1/8/8/8/8")
    press(page, "ArrowLeft", BISHOP)
    assert "accrued=G4.0" in page.run("location.search")
    page.press("ArrowLeft")
    click_squares(page, "f5", "e4")
    wait_for(page, "8/8/4K3/6k1/4B3/8/8/8")
    assert text_of(page, "#game") == "30. Ke5 ( 30. Be4 ) 30... Kh4"
    press(page, "ArrowLeft", BISHOP)
    press(page, "End", "8/8/4K3/6k1/4B3/8/8/8")
    page.run("history.back()")  # the browser's own history leads to what was shown before
    wait_for(page, BISHOP)
    type_move(page, "Qh4")
    assert text_of(page, "#said") == "Qh4 is no legal move here."


def test_the_keyboard_alone_plays_and_keeps_its_place(page: Chromium, server: str) -> None:
    look_at(page, server, BISHOP, "G4.0")
    page.press("ArrowDown")
    page.wait("document.activeElement.innerText.startsWith('Ke5')")
    press(page, "Enter", "8/8/8/4KBk1/8/8/8/8")
    assert "move" in page.run("document.activeElement.className")
    for is_on in (False, True):
        page.run("document.getElementById('letters').click(); document.activeElement.blur()")
        page.press("e")
        page.press("Tab")
        page.wait(f"document.getElementById('editing').hidden !== {str(is_on).lower()}")


def test_a_finger_plays_turns_and_asks(page: Chromium, server: str) -> None:
    page.look(390)
    look_at(page, server, BISHOP, "G4.0")
    for square in ("e6", "e5"):
        page.tap(*place_of(page, square))
    wait_for(page, "8/8/8/4KBk1/8/8/8/8")
    page.tap(*middle_of(page, "#back"))
    wait_for(page, BISHOP)
    page.tap(*middle_of(page, "#verdict .big"))
    said = "G1.5 White’s score: Black has 1 legal move"
    page.wait(f"document.getElementById('tip').innerText.startsWith({said!r})")


MIDDLE = """(selector) => {
  const element = document.querySelector(selector);
  element.scrollIntoView({ block: 'center' });
  const box = element.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
}"""


def middle_of(page: Chromium, selector: str) -> list[float]:
    """The middle of an element, scrolled to."""
    return page.run(f"({MIDDLE})({selector!r})")


def test_a_printed_page_has_the_board_above_the_verdict_and_best_play(
    page: Chromium, server: str
) -> None:
    is_seen = "document.getElementById('why').checkVisibility()"
    look_at(page, server, "8/8/7k/5B2/6K1/8/8/8 b - - 0 1")  # held for ever: no line leads on
    assert text_of(page, "#why").startswith("Point at a move")
    page.call("Emulation.setEmulatedMedia", media="print")
    assert not page.run(is_seen)
    look_at(page, server, BISHOP, "G4.0")
    page.wait("document.getElementById('why').innerText.startsWith('Best play: ')")
    assert page.run(is_seen)
    page.run("dispatchEvent(new Event('beforeprint'))")
    page.wait("""(() => {
      const boxOf = (selector) => document.querySelector(selector).getBoundingClientRect();
      const board = boxOf('cg-board');
      const king = boxOf('.frame piece.white.king');
      const side = board.width / 8;
      const isOnE6 = Math.abs(king.left - board.left - 4 * side) < 1
        && Math.abs(king.top - board.top - 2 * side) < 1;
      return isOnE6 && board.bottom < boxOf('#verdict').top;
    })()""")
    tools = "[...document.querySelectorAll('nav, .bar, form, #famous')]"
    assert page.run(f"{tools}.every((each) => !each.offsetParent)")


def test_the_board_shows_best_moves_and_what_a_score_counts(page: Chromium, server: str) -> None:
    look_at(page, server, BISHOP, "G4.0")
    boxes = (
        "['#board', '.move'].map((each) => document.querySelector(each).getBoundingClientRect())"
    )
    assert page.run(f"(([board, move]) => board.right <= move.left)({boxes})")
    arrows = "document.querySelectorAll('.cg-shapes line').length"
    dots = "document.querySelectorAll('#marks .dot').length"
    page.wait(f"{arrows} === 1 && {dots} === 0")  # Ke5 alone is best
    after = chess.Board(BISHOP)
    after.push_san("Be4")
    second_move = page.run("document.querySelectorAll('.move')[1].getBoundingClientRect().toJSON()")
    point_at(page, second_move["left"] + 5, second_move["top"] + 5)
    page.wait(f"{arrows} === 1 && {dots} === {after.legal_moves.count()}")
    point_at(page, 1, 1)
    page.wait(f"{arrows} === 1 && {dots} === 0")
    press(page, " ", "8/8/8/4KBk1/8/8/8/8")
    assert page.run(dots) == 3, "G3.5 is on the board"
    assert "The dots are the moves that Black has left: G3.5." in text_of(page, "#status")
    look_at(page, server, PROMOTION)
    assert text_of(page, "#status") == "White to move."
    page.press("ArrowDown")
    page.press("ArrowDown")
    page.wait(f"{dots} > 0")


def point_at(page: Chromium, x: float, y: float) -> None:
    """Move the mouse."""
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)


def test_a_score_explains_itself_to_pointer_and_keyboard(page: Chromium, server: str) -> None:
    look_at(page, server, BISHOP, "G4.0")
    tip = "(({ hidden, innerText }) => hidden ? '' : innerText)(document.getElementById('tip'))"
    said = (
        "G1.5 White’s score: Black has 1 legal move, and half a move more for not being in check."
    )
    assert page.run(
        "[...document.querySelectorAll('button.score')].every((each) => each.dataset.g)"
    )
    point_at(page, *middle_of(page, "#verdict .big"))
    page.wait(f"{tip}.startsWith({said!r})")
    page.press("Escape")
    page.wait(f"{tip} === ''")
    page.run("document.querySelector('#verdict .big').focus()")
    page.wait(f"{tip}.startsWith({said!r})")
    page.run("document.activeElement.blur()")
    page.run("document.querySelector('#verdict .facts .score').click()")
    page.wait(f"{tip}.startsWith('G4.0 White’s score: Black has 4 legal moves and is in check.')")


def place_of(page: Chromium, square: str) -> list[float]:
    """The middle of a square."""
    number = chess.parse_square(square)
    board = page.run("document.querySelector('cg-board').getBoundingClientRect().toJSON()")
    side = board["width"] / 8
    x = board["left"] + (chess.square_file(number) + 0.5) * side
    y = board["top"] + (7 - chess.square_rank(number) + 0.5) * side
    return [x, y]


def click_squares(page: Chromium, *names: str) -> None:
    for name in names:
        page.click(*place_of(page, name))


def test_a_pawn_becomes_what_is_chosen(page: Chromium, server: str) -> None:
    look_at(page, server, PROMOTION)
    click_squares(page, "e7", "e8")
    page.wait("document.querySelector('dialog[open]')")
    page.run("document.querySelector('dialog button[value=knight]').click()")
    wait_for(page, "4N3/6k1/8/8/8/8/8/4K3")


def test_positions_are_set_up_without_turning_the_side_to_move(page: Chromium, server: str) -> None:
    look_at(page, server, "8/8/8/4k3/8/8/8/4K3 b - - 3 5", "G4.5")
    page.press("e")
    page.run("document.querySelector('#white-men [aria-label=\"Add a white queen\"]').click()")
    click_squares(page, "a1")
    wait_for(page, "8/8/8/4k3/8/8/8/Q3K3")
    assert fen_in(page).split()[1] == "b"
    assert accrued_in(page) == "", "the score belonged to another position"
    for button, shown in (
        ("#mirror", "8/8/8/3k4/8/8/8/3K3Q"),
        ("[data-shift='up']", "8/8/3k4/8/8/8/3K3Q/8"),
        ("#swap", "8/3k3q/8/8/8/3K4/8/8"),
    ):
        page.run(f"document.querySelector({button!r}).click()")
        wait_for(page, shown)
    assert fen_in(page).split()[1] == "w"
    page.run("document.querySelector('[name=turn][value=black]').click()")
    page.wait("document.getElementById('fen').value.includes(' b ')")
    page.run("document.querySelector('[aria-label=\"Take men away\"]').click()")
    click_squares(page, "h7")
    wait_for(page, "8/3k4/8/8/8/3K4/8/8")
    click_squares(page, "d7")
    page.wait("document.getElementById('verdict').innerText.includes('Black has no king')")
    page.press("e")  # a position that cannot be played on stays in the editor, with its tools
    assert not page.run(
        "document.getElementById('editing').hidden || document.getElementById('white-men').hidden"
    )
    page.run("document.querySelector('#kings').click()")
    wait_for(page, "4k3/8/8/8/8/8/8/4K3")
    page.press("e")
    assert page.run("document.getElementById('editing').hidden")


def test_a_pawn_that_has_just_moved_twice_can_be_set_up(page: Chromium, server: str) -> None:
    fen = "8/8/8/3pP3/8/2k5/8/4K3 w - - 0 1"
    look_at(page, server, fen)
    page.press("e")
    _, *squares = texts_of(page, "#passant option")
    assert squares == ["on d6"]
    page.run("window.passant.value = window.passant.options[1].value")
    page.run("window.passant.onchange()")
    page.wait("document.getElementById('fen').value.includes(' w - d6 ')")
    page.run("document.querySelector('[name=turn][value=black]').click()")
    page.wait("document.getElementById('fen').value.includes(' b - - ')")
    assert not page.run("document.getElementById('passant').checkVisibility()")


def solved_blocks_in(folder: Path) -> list[tuple[str]]:
    """The names of the blocks that are kept beside some tables."""
    with closing(sqlite3.connect(folder / "solved" / FILE)) as blocks:
        return blocks.execute("SELECT name FROM blocks ORDER BY name").fetchall()


def test_what_a_solve_has_proved_is_shown(page: Chromium, own_folder: Path) -> None:
    """The server answers from blocks that are there, and makes none."""
    exact = "8/8/3p4/3P4/1k6/3Kp3/4P3/8 b - - 0 1"
    open_one = "8/PP6/8/3k4/8/3K4/6pp/8 w - - 0 1"
    # The first question loads the solver and compiles what it needs, however busy the machine is.
    patient = Limits(seconds=600)
    with (
        client_of(own_folder, limits=patient) as client,
        PositionSolver(own_folder, budget=1) as solver,
    ):
        assert client.get("/r-mobility/solved", params={"fen": exact}).status_code == 204
        solutions = {fen: solver.solve(fen, line=True).facts() for fen in (exact, open_one)}
        made = solved_blocks_in(own_folder)
        for fen, facts in solutions.items():
            answer = client.get("/r-mobility/solved", params={"fen": fen}).json()
            for name in ("lower", "upper", "moves"):
                assert answer[name] == facts[name]
        asked = {"fen": exact, "line": "1"}
        line = client.get("/r-mobility/solved", params=asked).json()["line"]
        assert line == solutions[exact]["line"]
        other = client.get("/r-mobility/solved", params={"fen": exact.replace("3p4", "p2p4")})
        assert other.status_code == 204
        assert other.content == b""
        games = "".join(f'[FEN "{fen}"]\n[SetUp "1"]\n\n1/2-1/2\n\n' for fen in (exact, open_one))
        kind = {"Content-Type": "text/plain"}
        decided = client.post("/adjudicate", content=games, headers=kind).json()["games"]
        assert [game["source"] for game in decided] == ["solved", "provisional"]
        assert decided[0]["final"] == solutions[exact]["lower"]["outcome"]
        castling = {"fen": "4k2r/8/8/8/8/8/8/4K3 b k - 0 1"}
        assert client.get("/r-mobility/solved", params=castling).status_code == 400
    with running(application(ServerSettings([own_folder], limits=patient))) as address:
        look_at(page, address, exact)
        facts = solutions[exact]
        verdict = text_of(page, "#verdict")
        assert verdict.startswith(f"{facts['lower']['outcome']} White holds")
        assert f"Proved to be best: {facts['moves'][0]['san']}" in verdict
        best = {move["san"] for move in facts["moves"] if move["best"]}
        assert set(texts_of(page, ".move.best b")) == best
        assert texts_of(page, ".group:first-child .score")[0] == facts["lower"]["outcome"]
        page.run("document.getElementById('ask-line').click()")
        page.wait("document.querySelector('#game button')")
        moves = list[str]()
        for step in line:
            moves.append(step["san"])
            if step["outcome"] == step["accrued"]:
                break  # the outcome is on the board
        assert texts_of(page, "#game button") == moves
        look_at(page, address, open_one)
        bounds = "With best play between \N{MINUS SIGN}G0.0 and G0.0"
        assert text_of(page, "#verdict").startswith(bounds)
    assert solved_blocks_in(own_folder) == made


def test_what_the_clipboard_refuses_can_be_selected_or_copied_from_a_field(
    page: Chromium, server: str
) -> None:
    look_at(page, server, BISHOP, "G4.0")
    page.run("navigator.clipboard.writeText = async () => { throw Error('refused'); }")
    page.run("document.execCommand = () => false")
    for name, said in (("link", "&accrued=G4.0"), ("fen", f"{BISHOP} G4.0")):
        page.run(f"document.querySelector('#share [name={name}]').click()")
        page.wait(f"document.querySelector('#said textarea')?.value.includes({said!r})")
        selected = page.run("document.activeElement.selectionEnd")
        assert selected == page.run("document.activeElement.value.length")
    # Over plain HTTP there is no clipboard.
    page.run("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    copy = "(does) => { window.copied = [does, document.activeElement.value]; return true; }"
    page.run(f"document.execCommand = {copy}")
    page.run("document.querySelector('#share [name=fen]').click()")
    page.wait("document.getElementById('said').textContent === 'Copied.'")
    assert page.run("window.copied") == ["copy", f"{BISHOP} G4.0"]


def test_a_slow_server_leaves_no_stale_answer_to_click_and_a_dead_one_can_be_asked_again(
    page: Chromium, table_folder: Path
) -> None:
    app = application(ServerSettings([table_folder]))
    gate = threading.Event()
    gate.set()

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        await asyncio.to_thread(gate.wait, 20)
        await app(scope, receive, send)

    with running(slow) as address:
        look_at(page, address, BISHOP, "G4.0")
        gate.clear()
        page.run("""document.querySelectorAll('.move')[0].click();
          document.querySelectorAll('.move')[1].click()""")
        page.wait("document.querySelector('#answer[aria-busy]')")
        assert fen_in(page).startswith("8/8/8/4KBk1/8/8/8/8")
        style = "getComputedStyle(document.getElementById('moves-part'))"
        assert page.run(f"{style}.pointerEvents") == "none"
        press(page, "ArrowLeft", BISHOP)  # the page stays usable: what has been seen is there
        page.press("ArrowRight")
        gate.set()
        wait_for(page, "8/8/8/4KBk1/8/8/8/8")
    type_move(page, "Kh4")
    page.wait("document.getElementById('verdict').innerText.includes('The server does not answer')")
    assert page.run("document.title") == "r-mobility explorer"
    page.run("""window.tried = document.documentElement.dataset.shown;
      document.querySelector('#verdict button').click()""")
    page.wait("document.documentElement.dataset.shown !== window.tried")
    page.press("ArrowLeft")  # what has been seen is there without a server
    page.wait("document.querySelector('#verdict .big')?.dataset.g === 'G1.5'")
    forgive(page, "ERR_CONNECTION_REFUSED")


def forgive(page: Chromium, *expected: str) -> None:
    """Forget the complaints that have some words and should be there."""
    for complaint in list(page.complaints):
        if any(words in complaint for words in expected):
            page.complaints.remove(complaint)


def test_a_link_to_a_position_is_shown_elsewhere_with_its_verdict(client: TestClient) -> None:
    found = client.get("/explorer/", params={"fen": BISHOP, "accrued": "G4.0"}).text
    shown = dict(re.findall(r'<meta property="og:(\w+)" content="([^"]+)">', found))
    assert shown["title"] == "G1.5: White holds Black to 1 legal move"
    assert shown["description"] == "White: Ke6, Bf5. Black: Kg5. White to move."
    assert client.get(shown["image"]).headers["content-type"] == "image/png"
    other = client.get("/explorer/", params={"fen": "<script>"})
    assert other.status_code == 200
    assert "<script>" not in other.text


def test_the_page_says_itself_what_it_may_do() -> None:
    text = index_page(SERVER)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', text)
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert not re.findall(r"\sstyle=|\son\w+=|<script>|<style>", text)
    assert INDEX not in files()


def test_positions_to_start_from_can_be_asked(tables: Tablebase) -> None:
    text = files()["controls.js"].decode()
    rows = re.findall(r"^\['([^']+)', '([^']*)', '[^']+', '[^']+'\],$", text, re.MULTILINE)
    assert len(rows) == 8
    values = list[str]()
    for fen, accrued in rows:
        board = chess.Board(fen)
        assert board.is_valid()
        if len(board.piece_map()) <= tables.max_men:
            values.append(str(tables.probe(board, accrued or None)))
    assert values[:4] == [
        "G1.5 in 5 plies",
        "G5.5 in 2 plies",
        "G3.5 in 0 plies",
        "G0.0 in 31 plies",
    ]
