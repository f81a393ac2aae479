"""The first thing that a visitor does: paste a position.

Then the visitor asks for its worth with the other side to move.
"""

from __future__ import annotations

import chess

from tbgen.probe import Tablebase
from tbgen.rules.position import own_score
from tests.apps.site.chromium import NEEDED, Chromium
from tests.apps.site.test_explorer import (
    ROOK,
    SHOWN,
    ask,
    fen_in,
    look_at,
    middle_of,
    text_of,
    wait_for,
)
from tests.positions import BISHOP

pytestmark = NEEDED

KINGS = "8/6k1/8/4K3/8/8/8/8 b - - 0 1"
ROOK_CHECKS = "8/8/8/8/8/R1k5/8/K7 b - - 0 1"
MATE = "7k/6Q1/5K2/8/8/8/8/8 b - - 0 1"
NO_DOUBLE_STEP = "8/8/8/4k3/8/3PK3/8/8 w - e3 0 1"
SELECTED = "((each) => each.value.slice(each.selectionStart, each.selectionEnd))(window.fen)"


def copy(page: Chromium, text: str) -> None:
    """Leave a text on the browser's clipboard."""
    page.type_into("#typed", text)
    page.run("window.typed.select()")
    edit(page, "copy")
    page.run("window.typed.value = ''")


def edit(page: Chromium, command: str) -> None:
    """What a key such as Ctrl+V does."""
    page.call("Input.dispatchKeyEvent", type="keyDown", key="v", commands=[command])
    page.call("Input.dispatchKeyEvent", type="keyUp", key="v")


def test_a_click_selects_the_position_and_what_is_pasted_is_looked_up_at_once(
    page: Chromium, server: str, tables: Tablebase
) -> None:
    look_at(page, server, BISHOP, "G4.0")
    copy(page, KINGS)
    page.click(*middle_of(page, "#fen"))
    assert page.run(SELECTED) == BISHOP
    edit(page, "paste")
    wait_for(page, KINGS)
    assert fen_in(page) == KINGS
    outcome = tables.probe(chess.Board(KINGS)).outcome
    assert page.run("document.querySelector('#verdict .big').dataset.g") == str(outcome)
    assert page.run("document.activeElement === document.body")  # so keys are the board's
    page.click(*middle_of(page, "#fen"))
    assert page.run(SELECTED) == KINGS
    page.click(*middle_of(page, "#fen"))  # a second one puts the caret where it is wanted
    assert page.run(SELECTED) == ""
    copy(page, "8/8/8 w")
    page.click(*middle_of(page, "#fen"))
    edit(page, "paste")
    page.wait("document.getElementById('note').innerText.includes('a FEN has eight ranks')")
    assert fen_in(page) == "8/8/8 w"


def test_a_phone_has_the_field_beside_the_board_and_the_answer_in_sight(
    page: Chromium, server: str
) -> None:
    page.look(390, 844)
    look_at(page, server, BISHOP, "G4.0")
    in_sight = """(selector) => {
      const box = document.querySelector(selector).getBoundingClientRect();
      return box.top >= 0 && box.bottom <= innerHeight;
    }"""
    at_once = "['#fen', '#accrued', '#ask button', '.tagline', '#verdict', '.move']"
    assert page.run(f"{at_once}.every({in_sight})")
    assert page.run("document.getElementById('accrued').getBoundingClientRect().left > 0")
    copy(page, ROOK)
    page.run("scrollTo(0, 150)")
    page.tap(*middle_of(page, "#fen"))
    page.wait(f"{SELECTED} === {BISHOP!r}")
    assert page.run("document.getElementById('accrued').getBoundingClientRect().left > 0")
    edit(page, "paste")
    wait_for(page, ROOK)
    assert page.run(f"['.tagline', '#board', '#verdict', '.move'].every({in_sight})")
    assert page.run("document.documentElement.scrollWidth") == 390


def test_a_phone_that_lies_on_its_side_has_the_answer_beside_the_board(
    page: Chromium, server: str
) -> None:
    page.look(844, 390)
    look_at(page, server, ROOK)
    boxes = (
        "['#board', '#answer'].map((each) => document.querySelector(each).getBoundingClientRect())"
    )
    board_right, answer_left, answer_width = page.run(
        f"(([board, answer]) => [board.right, answer.left, answer.width])({boxes})"
    )
    assert board_right < answer_left < board_right + 170
    assert answer_width > 360
    assert page.run("document.documentElement.scrollWidth") == 844


def test_one_click_lets_the_other_side_move(page: Chromium, server: str, tables: Tablebase) -> None:
    look_at(page, server)
    for fen in (ROOK, KINGS, BISHOP):
        ask(page, fen)
        wait_for(page, fen)
        board = chess.Board(fen)
        board.turn = not board.turn
        side = "White" if board.turn else "Black"
        assert text_of(page, "#verdict .link") == f"Let {side} move"
        page.run("document.querySelector('#verdict .link').click()")
        page.wait(f"document.getElementById('fen').value === {board.fen()!r} && {SHOWN}")
        value = tables.probe(board)
        assert page.run("document.querySelector('#verdict .big').dataset.g") == str(value.outcome)
        assert value.accrued == own_score(board)
        page.run("history.back()")
        wait_for(page, fen)


def test_no_move_is_asked_for_where_there_is_none(page: Chromium, server: str) -> None:
    for fen in (MATE, NO_DOUBLE_STEP):
        look_at(page, server, fen)
        assert not page.run("document.getElementById('type').checkVisibility()")
    page.complaints.clear()  # of the status of what the server refuses
    look_at(page, server, ROOK_CHECKS)
    assert page.run("document.getElementById('type').checkVisibility()")
    # A side in check keeps the move.
    assert not page.run("Boolean(document.querySelector('#verdict .link'))")
