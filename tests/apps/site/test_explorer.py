"""The explorer in a real browser, with a server's answers."""

from __future__ import annotations

import asyncio
import gzip
import io
import re
import threading
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import chess
import chess.pgn
import pytest
from starlette.testclient import TestClient

from tbgen.apps.site.export import INDEX, SERVER, files, index_page
from tbgen.apps.site.server import application
from tbgen.apps.site.service import Settings
from tbgen.probe import open_tablebase
from tbgen.rules.position import own_score
from tbgen.score import Color, Score
from tests.apps.site.chromium import NEEDED, Chromium
from tests.apps.site.conftest import running

pytestmark = NEEDED

FIRST_LOAD_BYTES = 80_000
SHOWN = "document.documentElement.dataset.shown && !document.querySelector('[aria-busy]')"
BISHOP = "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30"
ROOK = "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
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


def shown(score: Score) -> str:
    return str(score).replace("-", "\N{MINUS SIGN}")


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
    assert verdict.startswith(f"{shown(found.outcome)} {found.outcome.in_words()}.")
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
    page.run("document.querySelector('#strip-part details').open = true; document.querySelector('.pick').focus()")
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
            f" return pick.getAttribute('aria-valuetext').startsWith('{shown(Score(accrued))} '); }});"
            " pick.dispatchEvent(new Event('change')); return place; })()"
        )
        page.wait(f"location.search.includes('accrued={accrued}') && {SHOWN}")
        page.wait(f"document.querySelector('#verdict .big').dataset.g === {outcome!r}")
        assert page.run("document.querySelectorAll('.band.sheet span').length") == cells
        assert page.run("document.activeElement.className") == "pick"
    assert page.complaints == []


def test_sentences_say_what_another_accrued_score_makes_of_a_position(
    page: Chromium, server: str, table_folder: Path
) -> None:
    kings = "8/6k1/8/4K3/8/8/8/8 b - - 0 1"
    with open_tablebase(table_folder) as tables:
        every = tables.probe_every_accrued(chess.Board(kings))
    held = [each.accrued for each in every if each.outcome == each.accrued]
    white, black = ([each for each in held if each.holder is side] for side in Color)
    broken = [each for each in every if each.accrued not in held]
    assert {each.outcome for each in broken} == {white[-1]}
    middle = f"{white[-1]} to {broken[-1].accrued}"
    rows = [f"White has {white[-2]} or better", middle, f"Black has {black[0]} or better"]
    for fen, expected in ((kings, rows), (ROOK, ["Whatever has accrued"])):
        look_at(page, server, fen)
        assert texts_of(page, "#runs li b") == [each.replace("-", "\N{MINUS SIGN}") for each in expected]


def type_move(page: Chromium, text: str) -> None:
    page.run(f"document.getElementById('typed').value = {text!r}; document.getElementById('type').requestSubmit()")


def test_moves_are_played_by_mouse_keys_and_words_and_gone_through_by_arrows(page: Chromium, server: str) -> None:
    look_at(page, server, BISHOP, "G4.0")
    for key in ("ArrowLeft", "ArrowRight", "Home", "End"):  # on a fresh page they lead nowhere
        page.press(key)
    assert page.run("document.getElementById('back').ariaDisabled") == "true"
    page.press(" ")
    wait_for(page, "8/8/8/4KBk1/8/8/8/8")
    assert page.run("document.getElementById('accrued').value") == ""  # G3.5 is the position's own score
    type_move(page, "Kh4")
    wait_for(page, "8/8/8/4KB2/7k/8/8/8")
    assert page.run("document.getElementById('accrued').value") == "G3.5"
    page.press("ArrowLeft")
    wait_for(page, "8/8/8/4KBk1/8/8/8/8")
    page.press("ArrowLeft")
    wait_for(page, BISHOP)
    assert "accrued=G4.0" in page.run("location.search")
    page.press("ArrowLeft")
    click_square(page, "f5")
    click_square(page, "e4")
    wait_for(page, "8/8/4K3/6k1/4B3/8/8/8")
    assert text_of(page, "#game") == "30. Ke5 ( 30. Be4 ) 30... Kh4"
    page.press("ArrowLeft")
    wait_for(page, BISHOP)
    page.press("End")
    wait_for(page, "8/8/4K3/6k1/4B3/8/8/8")
    page.run("history.back()")  # the browser's own history leads to what was shown before
    wait_for(page, BISHOP)
    type_move(page, "Qh4")
    assert text_of(page, "#said") == "Qh4 is no legal move here."
    assert page.complaints == []


def test_the_keyboard_alone_plays_and_keeps_its_place(page: Chromium, server: str) -> None:
    look_at(page, server, BISHOP, "G4.0")
    page.press("ArrowDown")
    assert page.run("document.activeElement.innerText").startswith("Ke5")
    page.press("Enter")
    wait_for(page, "8/8/8/4KBk1/8/8/8/8")
    assert "move" in page.run("document.activeElement.className")
    page.run("document.getElementById('letters').click(); document.activeElement.blur()")
    page.press("e")
    assert page.run("document.getElementById('editing').hidden")
    page.run("document.getElementById('letters').click(); document.activeElement.blur()")
    page.press("e")
    assert not page.run("document.getElementById('editing').hidden")


def test_the_board_shows_best_moves_and_what_a_score_counts(page: Chromium, server: str) -> None:
    look_at(page, server, BISHOP, "G4.0")
    arrows, dots = (f"document.querySelectorAll('{each}').length" for each in (".cg-shapes line", "#marks .dot"))
    page.wait(f"{arrows} === 1 && {dots} === 0")  # Ke5 alone is best; arrows come with the next frame
    place = "(({ left, top }) => [left + 5, top + 5])(document.querySelectorAll('.move')[1].getBoundingClientRect())"
    after = chess.Board(BISHOP)
    after.push_san("Be4")
    for x, y, count in ((*page.run(place), after.legal_moves.count()), (1, 1, 0)):
        page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        page.wait(f"{arrows} === 1 && {dots} === {count}")
    page.press(" ")
    wait_for(page, "8/8/8/4KBk1/8/8/8/8")
    assert page.run(dots) == 3  # G3.5 is on the board
    assert "The dots are the moves that Black has left: G3.5." in text_of(page, "#status")
    look_at(page, server, PROMOTION)
    assert text_of(page, "#status") == "White to move."
    page.press("ArrowDown")
    page.press("ArrowDown")
    page.wait(f"{dots} > 0")
    assert page.complaints == []


def test_a_score_explains_itself_to_pointer_keyboard_and_touch(page: Chromium, server: str) -> None:
    look_at(page, server, BISHOP, "G4.0")
    tip = "(({ hidden, innerText }) => hidden ? '' : innerText)(document.getElementById('tip'))"
    said = "G1.5 White’s score: Black has 1 legal move, and half a move more for not being in check."
    assert page.run("[...document.querySelectorAll('button.score')].every((each) => each.dataset.g)")
    middle = """(({ left, top, width, height }) => [left + width / 2, top + height / 2])(
      document.querySelector('#verdict .big').getBoundingClientRect())"""
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=page.run(middle)[0], y=page.run(middle)[1])
    assert page.run(tip).startswith(said)
    page.press("Escape")
    assert page.run(tip) == ""
    page.run("document.querySelector('#verdict .big').focus()")
    assert page.run(tip).startswith(said)
    page.run("document.activeElement.blur(); document.querySelector('#verdict .facts .score').click()")
    assert page.run(tip).startswith("G4.0 White’s score: Black has 4 legal moves and is in check.")


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
    look_at(page, server, "8/8/8/4k3/8/8/8/4K3 b - - 3 5", "G4.5")
    page.press("e")
    page.run("document.querySelector('#white-men [aria-label=\"Add a white queen\"]').click()")
    click_square(page, "a1")
    wait_for(page, "8/8/8/4k3/8/8/8/Q3K3")
    assert fen_in(page).split()[1] == "b"
    assert page.run("document.getElementById('accrued').value") == ""  # what had accrued was another position's
    page.run("document.querySelector('#mirror').click()")
    wait_for(page, "8/8/8/3k4/8/8/8/3K3Q")
    page.run("document.querySelector('[data-shift=\"8\"]').click()")
    wait_for(page, "8/8/3k4/8/8/8/3K3Q/8")
    page.run("document.querySelector('#swap').click()")
    wait_for(page, "8/3k3q/8/8/8/3K4/8/8")
    assert fen_in(page).split()[1] == "w"
    page.run("document.querySelector('[name=turn][value=b]').click()")
    page.wait("document.getElementById('fen').value.includes(' b ')")
    page.run("document.querySelector('[aria-label=\"Take men away\"]').click()")
    click_square(page, "h7")
    wait_for(page, "8/3k4/8/8/8/3K4/8/8")
    click_square(page, "d7")
    page.wait("document.getElementById('verdict').innerText.includes('Black has no king')")
    page.press("e")  # a position that cannot be played on stays in the editor, with its tools
    assert not page.run("document.getElementById('editing').hidden || document.getElementById('white-men').hidden")
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


@pytest.mark.parametrize(
    ("fen", "name"),
    [("4k2r/8/8/8/8/8/8/R3K3 b - - 0 1", "KRvKR"), ("4k2r/8/8/8/8/8/8/RR1QK3 b - - 0 1", "KQRRvKR")],
)
def test_without_a_table_the_page_has_scores_and_moves(page: Chromium, server: str, fen: str, name: str) -> None:
    look_at(page, server, fen)
    board = chess.Board(fen)
    verdict = text_of(page, "#verdict")
    assert f"No table of {name} is here. Black to move. The position’s own score is {own_score(board)}" in verdict
    assert "6 endings are here" in verdict
    assert sorted(texts_of(page, ".move b")) == sorted(map(board.san, board.legal_moves))
    assert "tbgen" not in verdict
    type_move(page, "Kf7")
    page.wait("document.querySelector('#game button')")


@pytest.mark.parametrize(
    ("text", "accrued", "fen"),
    [
        ("https://lichess.org/analysis/fromPosition/8/8/4K3/5Bk1/8/8/8/8_w_-_-_33_30?color=black", "4", BISHOP),
        ("https://example.org/explorer/?fen=8/8/4K3/5Bk1/8/8/8/8_w_-_-_33_30&accrued=G4.0", "", BISHOP),
        (f"{BISHOP} G4.0", "", BISHOP),
        (BISHOP, "+G4", BISHOP),
    ],
)
def test_links_and_short_scores_are_understood(page: Chromium, server: str, text: str, accrued: str, fen: str) -> None:
    look_at(page, server, "8/6k1/8/4K3/8/8/8/8 b - - 0 1")
    page.run(f"document.getElementById('fen').value = {text!r}; document.getElementById('accrued').value = {accrued!r}")
    page.run("document.getElementById('ask').requestSubmit()")
    page.wait(f"document.querySelector('#verdict .facts')?.innerText.includes('Accrued G4.0') && {SHOWN}")
    assert fen_in(page) == fen


GAME = """[Event "A"]
[White "B"]

1. e4 e5 2. Nf3 {a comment} (2. f4 exf4 (2... d5)) 2... Nc6 3. Bc4 $1 Bc5 4. O-O Nf6! *
"""


def test_a_game_is_pasted_and_copied_with_its_branches(page: Chromium, server: str) -> None:
    look_at(page, server)
    page.run("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    page.run(f"document.getElementById('fen').value = {GAME!r}; document.getElementById('ask').requestSubmit()")
    given = chess.pgn.read_game(io.StringIO(GAME))
    assert given is not None
    end, board = given.end().board(), chess.Board()
    accrued = own_score(board)
    for move in end.move_stack:
        resets = board.is_zeroing(move)
        board.push(move)
        accrued = accrued.after(own_score(board), reset=resets)
    wait_for(page, end.fen())
    assert fen_in(page) == end.fen()
    assert page.run("document.getElementById('accrued').value") == str(accrued) == "-G27.5"
    page.run("document.querySelector('#share [name=pgn]').click()")
    page.wait("window.copied")
    found = chess.pgn.read_game(io.StringIO(page.run("window.copied")))
    assert found is not None
    assert not found.errors
    exporter = lambda: chess.pgn.StringExporter(headers=False, comments=False)  # noqa: E731
    for each in given.mainline():
        each.nags.clear()
    assert found.accept(exporter()) == given.accept(exporter())
    page.run("document.getElementById('fen').value = '1. e4 e5 2. Ke3'; document.getElementById('ask').requestSubmit()")
    assert text_of(page, "#verdict") == "Ke3 is no legal move at move 2."


def test_what_the_clipboard_refuses_can_be_selected(page: Chromium, server: str) -> None:
    look_at(page, server, BISHOP, "G4.0")
    page.run("navigator.clipboard.writeText = async () => { throw Error('refused'); }")
    for name, said in (("link", "&accrued=G4.0"), ("fen", f"{BISHOP} G4.0"), ("frame", "&embed=1")):
        page.run(f"document.querySelector('#share [name={name}]').click()")
        page.wait(f"document.querySelector('#said textarea')?.value.includes({said!r})")
        assert page.run("document.activeElement.selectionEnd === document.activeElement.value.length")


def test_best_play_ends_where_its_score_is_held_for_ever(page: Chromium, server: str, table_folder: Path) -> None:
    look_at(page, server, BISHOP, "G4.0")
    with open_tablebase(table_folder) as tables:
        steps = tables.line(chess.Board(BISHOP), Score("G4.0"))[:5]  # the verdict says 5 plies
    page.run("document.getElementById('ask-line').click()")
    page.wait("document.querySelector('#game button')")
    assert texts_of(page, "#game button") == [step.san for step in steps]
    assert texts_of(page, "#game span") == ["G1.5 held for ever from here"]
    page.press("End")
    board = chess.Board(BISHOP)
    for step in steps:
        board.push(step.move)
    wait_for(page, board.fen())
    assert "Held for ever from here" in text_of(page, "#verdict")
    assert page.run("document.querySelectorAll('#marks .dot').length") == 1
    page.run("document.querySelector('#game button').click()")
    wait_for(page, "8/8/8/4KBk1/8/8/8/8")


def test_a_slow_server_leaves_no_stale_answer_to_click_and_a_dead_one_can_be_asked_again(
    page: Chromium, table_folder: Path
) -> None:
    app, held = application(Settings([table_folder])), threading.Event()

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        while held.is_set():
            await asyncio.sleep(0.01)
        await app(scope, receive, send)

    with running(slow) as address:
        look_at(page, address, BISHOP, "G4.0")
        held.set()
        page.run("document.querySelectorAll('.move')[0].click(); document.querySelectorAll('.move')[1].click()")
        page.wait("document.querySelector('#answer[aria-busy]')")
        assert fen_in(page).startswith("8/8/8/4KBk1/8/8/8/8")
        assert page.run("getComputedStyle(document.getElementById('moves-part')).pointerEvents") == "none"
        held.clear()
        wait_for(page, "8/8/8/4KBk1/8/8/8/8")
    type_move(page, "Kh4")
    page.wait("document.getElementById('verdict').innerText.includes('The server does not answer')")
    assert page.run("document.title") == "r-mobility explorer"
    page.run("window.tried = document.documentElement.dataset.shown; document.querySelector('#verdict button').click()")
    page.wait("document.documentElement.dataset.shown !== window.tried")
    page.press("ArrowLeft")  # what has been seen is there without a server
    page.wait("document.querySelector('#verdict .big')?.dataset.g === 'G1.5'")


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
    page.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    page.wait("document.querySelector('#game button') && !document.getElementById('ending').hidden")
    page.run("document.querySelector('#verdict .big').focus()")
    assert page.run("document.documentElement.scrollWidth") == width
    assert page.violations() == []
    page.open(f"{server}/explorer/rules.html", "document.querySelector('h1')")
    assert page.run("document.documentElement.scrollWidth") == width
    assert page.violations() == []
    assert page.complaints == []


def test_a_page_in_a_frame_has_the_board_and_the_verdict(page: Chromium, server: str) -> None:
    page.look(640, 420)
    asked = urlencode({"fen": BISHOP, "accrued": "G4.0", "embed": "1"})
    page.open(f"{server}/explorer/?{asked}", SHOWN)
    for selector in ("cg-board", "#verdict .big"):
        bottom = page.run(f"document.querySelector({selector!r}).getBoundingClientRect().bottom")
        assert 0 < bottom <= 420
    assert not page.run("document.querySelector('header').offsetParent || document.querySelector('#ask').offsetParent")
    page.press(" ")
    wait_for(page, "8/8/8/4KBk1/8/8/8/8")
    assert "embed=1" in page.run("location.search")
    assert "embed=1" not in page.run("document.getElementById('whole').href")
    assert page.run("document.documentElement.scrollWidth") == 640
    assert page.violations() == []


def test_a_link_to_a_position_is_shown_elsewhere_with_its_verdict(client: TestClient) -> None:
    found = client.get("/explorer/", params={"fen": BISHOP, "accrued": "G4.0"}).text
    shown = dict(re.findall(r'<meta property="og:(\w+)" content="([^"]+)">', found))
    assert shown["title"] == "G1.5: White holds Black to 1 legal move"
    assert shown["description"] == "White: Ke6, Bf5. Black: Kg5. White to move."
    assert client.get(shown["image"]).headers["content-type"] == "image/png"
    other = client.get("/explorer/", params={"fen": "<script>"})
    assert (other.status_code, "<script>" in other.text) == (200, False)


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
