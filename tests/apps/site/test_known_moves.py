"""The explorer without a table.

The tables that captures and promotions lead to bound its moves, or prove the value.
"""

from __future__ import annotations

from typing import NamedTuple

import chess
import pytest

from tbgen.apps.site.palette import signed
from tbgen.probe import Tablebase
from tbgen.rules.position import is_reset, own_score
from tbgen.score import Color, Score
from tests.apps.site.chromium import NEEDED, Chromium
from tests.apps.site.test_explorer import look_at, press, text_of, texts_of

pytestmark = NEEDED

MOST_MEN = 3
"""The server of these tests has tables of so many."""

WON_BY_A_CAPTURE = "8/8/8/8/5k2/3n4/3R4/4K3 w - - 0 1"
"""White takes the knight, and mates. Nothing is known of other moves."""
LOST_WHATEVER_IS_PLAYED = "k7/8/8/8/8/8/1r5p/K7 w - - 0 1"
"""White has one move, which takes the rook. Black promotes, and mates."""
MATED_AT_ONCE = "7k/R7/1R6/8/8/8/8/K7 w - - 0 1"
REFUTED = "8/8/8/8/2b5/1k6/3P4/1K6 w - - 0 1"
"""After d3, Black takes the pawn."""
NOTHING_NEAR = "7n/8/8/2k5/8/8/R7/7K w - - 0 1"
BLACK_TO_MOVE = "8/2n5/3R4/3k4/8/8/8/K7 b - - 0 1"
FENS = [
    WON_BY_A_CAPTURE,
    LOST_WHATEVER_IS_PLAYED,
    MATED_AT_ONCE,
    BLACK_TO_MOVE,
    REFUTED,
    "8/3P4/8/8/8/1k6/6r1/1K6 w - - 0 1",
    "8/8/8/3Pp3/8/1k6/8/1K6 w - e6 0 1",
]


class Known(NamedTuple):
    """What is known of a move, as its group on the page says it."""

    outcome: Score
    reply: str
    """The reply that bounds the move; empty if the outcome is that of the move."""


def end_of(tables: Tablebase, board: chess.Board, move: chess.Move) -> Score | None:
    """The outcome after a move that ends the game or leads to a table."""
    after = board.copy()
    after.push(move)
    if not any(after.legal_moves):
        return own_score(after)
    men = chess.popcount(after.occupied)
    if is_reset(board, move) and men <= MOST_MEN:
        return tables.probe(after).outcome
    return None


def known_of(tables: Tablebase, board: chess.Board, move: chess.Move) -> Known | None:
    """The outcome of a move, or the best that it can come to; a mate bounds nothing."""
    end = end_of(tables, board, move)
    if end is not None:
        return Known(end, "")
    mover = Color.of(board.turn)
    after = board.copy()
    after.push(move)
    worst: Known | None = None
    for reply in after.legal_moves:
        outcome = end_of(tables, after, reply)
        if outcome is None or outcome == Score(0, mover):
            continue
        if worst is None or outcome.worth_to(mover) < worst.outcome.worth_to(mover):
            worst = Known(outcome, after.san(reply))
    return worst


def known_on(page: Chromium) -> dict[str, tuple[str, str | None, bool]]:
    """By move: the words of its group, the score there, and whether a reply is named."""
    rows = page.run(
        """[...document.querySelectorAll('#moves .move')].map((row) => {
          const title = row.closest('.group').querySelector('h3');
          const score = title.querySelector('.score')?.dataset.g ?? null;
          const reply = row.querySelector('b + span').textContent.startsWith('then ');
          return [row.querySelector('b').textContent, [title.firstChild.textContent, score, reply]];
        })"""
    )
    return {san: tuple(said) for san, said in rows}


@pytest.mark.parametrize("fen", FENS)
def test_what_captures_and_promotions_lead_to_stands_beside_each_move(
    page: Chromium, server: str, tables: Tablebase, fen: str
) -> None:
    board = chess.Board(fen)
    look_at(page, server, fen)
    expected = dict[str, tuple[str, str | None, bool]]()
    for move in board.legal_moves:
        known = known_of(tables, board, move)
        if known is None:
            said: tuple[str, str | None, bool] = ("Not known", None, False)
        elif known.reply:
            said = (f"{Color.of(board.turn)} gets at most", str(known.outcome), True)
        else:
            said = ("Comes to", str(known.outcome), False)
        expected[board.san(move)] = said
    assert known_on(page) == expected


def test_a_value_that_a_capture_proves_is_shown_and_its_move_played(
    page: Chromium, server: str
) -> None:
    look_at(page, server, WON_BY_A_CAPTURE)
    verdict = text_of(page, "#verdict")
    assert verdict.startswith(
        "G0.0 White forces checkmate, with best play."
        " Proved by what captures and promotions lead to: Rxd3."
    )
    assert texts_of(page, ".move.best b") == ["Rxd3"]
    page.wait("document.getElementById('why').innerText.startsWith('Rxd3. Black replies')")
    press(page, " ", "8/8/8/8/5k2/3R4/8/4K3")


def test_a_move_that_a_capture_refutes_names_it(page: Chromium, server: str) -> None:
    look_at(page, server, REFUTED)
    place = texts_of(page, ".move b").index("d3")
    page.run(f"document.querySelectorAll('.move')[{place}].dispatchEvent(new Event('mouseenter'))")
    page.wait("document.getElementById('why').innerText.startsWith('Black can reply Bxd3+: −G1.5')")


def test_a_side_that_loses_whatever_it_plays_is_told(
    page: Chromium, server: str, tables: Tablebase
) -> None:
    board = chess.Board(LOST_WHATEVER_IS_PLAYED)
    (move,) = board.legal_moves
    outcome = end_of(tables, board, move)
    assert outcome is not None
    look_at(page, server, LOST_WHATEVER_IS_PLAYED)
    assert text_of(page, "#verdict").startswith(signed(f"{outcome} {outcome.in_words()}, with"))


def test_where_nothing_is_near_the_moves_are_only_listed(page: Chromium, server: str) -> None:
    look_at(page, server, NOTHING_NEAR)
    assert {words for words, _, _ in known_on(page).values()} == {"Legal moves"}
    assert text_of(page, "#verdict").startswith("No table of KRvKN")
