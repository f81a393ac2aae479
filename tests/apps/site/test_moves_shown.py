"""What the explorer shows of a move before it is played: the best reply, and how the line ends."""

from __future__ import annotations

import re

import chess
import pytest

from tbgen.probe import Tablebase
from tbgen.rules.position import board_after
from tbgen.score import Score
from tests.apps.site.chromium import NEEDED, Chromium
from tests.apps.site.test_explorer import (
    ROOK,
    fen_in,
    look_at,
    middle_of,
    text_of,
    texts_of,
    wait_for,
)
from tests.positions import BISHOP

pytestmark = NEEDED

AT_REST = "Point at a move|Best play"
"""What is said while the pointer is on no move."""
HELD = "8/8/8/8/8/5k2/8/K4B2 w - - 0 1"


def why_of(page: Chromium, number: int) -> str:
    """What is said while the pointer is on a move."""
    x, y = middle_of(page, f".group:first-child li:nth-child({number}) .move")
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    page.wait(f"!/^({AT_REST})/.test(document.getElementById('why').innerText.trim())")
    return text_of(page, "#why")


@pytest.mark.parametrize("fen", [ROOK, HELD, "7k/8/6K1/8/8/8/8/R7 w"])
def test_the_reply_and_the_end_of_the_line_are_those_of_python(
    page: Chromium, server: str, tables: Tablebase, fen: str
) -> None:
    look_at(page, server, fen)
    board = chess.Board(fen_in(page))
    (san, *_) = texts_of(page, ".group:first-child .move b")
    move = next(each for each in tables.probe_moves(board) if each.san == san)
    after = board_after(board, move.move)
    value = tables.probe(after, move.accrued)
    said = why_of(page, 1)
    assert str(value.outcome).replace("-", "\N{MINUS SIGN}") in said
    if not any(after.legal_moves):
        assert said.endswith("Checkmate by White.")
        return
    reply = tables.probe_moves(after, move.accrued)[0]
    assert re.match(rf"Black replies (\d+\.\.\. )?{re.escape(reply.san)}", said)
    if value.outcome == value.accrued:
        assert said.endswith("is held for ever: nobody can better it.")
        return
    line = tables.line(after, move.accrued)
    end = next(step for step in line if step.outcome == step.accrued)
    assert f"{end.san}: " in said
    page.wait("document.querySelectorAll('#board .cg-shapes line').length === 2")


def test_best_play_is_told_before_anybody_points(
    page: Chromium, server: str, tables: Tablebase
) -> None:
    look_at(page, server, BISHOP, "G4.0")
    page.wait("document.getElementById('why').innerText.startsWith('Best play')")
    line = tables.line(chess.Board(BISHOP), Score("G4.0"))
    end = next(step for step in line if step.outcome == step.accrued)
    said = text_of(page, "#why")
    assert said.startswith(f"Best play: 30. {next(iter(line)).san} ")
    assert f"{end.san}: {end.outcome} White holds Black to 1 legal move." in said
    why_of(page, 2)
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=5, y=5)
    page.wait(f"document.getElementById('why').innerText.trim() === {said!r}")


def test_a_finger_sees_the_reply_first_and_then_plays(page: Chromium, server: str) -> None:
    page.look(390, 844)
    look_at(page, server, BISHOP, "G4.0")
    page.wait("document.getElementById('why').innerText.startsWith('Best play')")  # rows move then
    page.tap(*middle_of(page, ".move.best"))
    page.wait("document.querySelector('li #why')?.innerText.includes('Touch it again to play it.')")
    assert fen_in(page) == BISHOP
    page.tap(*middle_of(page, ".move.best"))
    wait_for(page, "8/8/8/4KBk1/8/8/8/8")


def test_a_finger_goes_from_one_move_to_another(page: Chromium, server: str) -> None:
    page.look(390, 844)
    look_at(page, server, BISHOP, "G4.0")
    page.wait("document.getElementById('why').innerText.startsWith('Best play: ')")
    page.run("scrollTo(0, 300)")
    for row in (5, 0, 3):  # words that leave one row must not move another from under the finger
        page.tap(*middle_of(page, f"#moves li:nth-child({row + 1}) .move"))
        page.wait(
            f"document.querySelectorAll('#moves .group:first-child li')[{row}].innerText"
            ".includes('Touch it again to play it.')"
        )


def test_without_a_table_nothing_is_asked_of_a_move_and_a_touch_plays_it(
    page: Chromium, server: str
) -> None:
    page.look(390, 844)
    look_at(page, server, "4k2r/8/8/8/8/8/8/R3K3 w - - 0 1")
    place = texts_of(page, ".move b").index("Rb1")  # the king is between the rooks
    row = f"#moves li:nth-child({place + 1}) .move"
    page.run(f"document.querySelector({row!r}).dispatchEvent(new Event('mouseenter'))")
    page.wait("document.querySelectorAll('#board .cg-shapes line').length === 1")
    page.requests.clear()
    page.tap(*middle_of(page, row))
    page.wait("document.getElementById('fen').value.includes(' b ')")
    assert not [url for url in page.requests if "/r-mobility?" in url]
