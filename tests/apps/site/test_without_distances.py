"""The explorer with tables of outcomes alone: what is known of moves, replies and the best move."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import chess
import pytest

from tbgen.apps.pages.palette import signed
from tbgen.apps.server.application import application
from tbgen.apps.server.service import ServerSettings
from tbgen.probe import Tablebase
from tests.apps.site.chromium import NEEDED, Chromium
from tests.apps.site.conftest import running
from tests.apps.site.test_explorer import look_at, text_of, texts_of, wait_for

pytestmark = NEEDED

ONE_KEEPS = "8/8/7K/5k2/8/7b/8/8 b - - 0 1"
"""Only Bg4 keeps Black's stalemate."""
SEVERAL_KEEP = "8/8/8/8/5k2/8/4P3/4K3 w - - 0 1"
PROMOTES = "8/4P1k1/8/8/8/8/8/4K3 w - - 0 1"
"""Queen and rook keep the mate."""
MATES = "k7/8/1K6/8/8/8/8/7R w - - 0 1"
SEVERAL_HOLD = "8/3k4/8/8/5K2/8/1P6/8 b - - 0 1"


@pytest.fixture(scope="module")
def server(table_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of all tables of two and three men, without their distances."""
    folder = tmp_path_factory.mktemp("outcomes")
    for path in table_folder.glob("*.h5"):
        if ".dtg." not in path.name:
            (folder / path.name).symlink_to(path)
    with running(application(ServerSettings([folder]))) as address:
        yield address


def test_a_move_that_alone_keeps_the_outcome_is_best_play_and_its_line_goes_on(
    page: Chromium, server: str, tables: Tablebase
) -> None:
    look_at(page, server, ONE_KEEPS)
    assert texts_of(page, ".move.best b") == ["Bg4"]
    page.wait(
        "document.getElementById('why').innerText.startsWith('The only move: 1... Bg4. Then ')"
    )
    assert text_of(page, "#why").endswith(" moves of White keep −G0.5: Kg7, Kh7.")
    point_at_moves(
        page,
        tables,
        ONE_KEEPS,
        {
            "Bg4": "White replies Kg7 or Kh7",
            "Kf6": "White has one good reply, Kh5",
            "Ke5": "White has 4 good replies of 5",
            "Kf4": "All 4 replies come to the same",
        },
    )
    page.press(" ")
    wait_for(page, "8/8/7K/5k2/6b1/8/8/8")


def test_of_several_moves_none_is_best_and_the_one_with_fewest_good_replies_is_tried(
    page: Chromium, server: str, tables: Tablebase
) -> None:
    look_at(page, server, SEVERAL_KEEP)
    assert not texts_of(page, ".move.best b")
    assert page.run("document.getElementById('ask-line').hidden")
    assert "No table here says how far away it is. White has to make progress." in text_of(
        page, "#verdict"
    )
    assert_hardest_is_tried(page, tables, SEVERAL_KEEP)
    point_at_moves(page, tables, SEVERAL_KEEP, {"e4": "Black has one good reply, Kxe4"})


def test_the_side_that_has_to_make_progress_is_named_whoever_moves(
    page: Chromium, server: str, tables: Tablebase
) -> None:
    look_at(page, server, SEVERAL_HOLD)
    assert text_of(page, "#verdict").count("White has to make progress.") == 1
    assert_hardest_is_tried(page, tables, SEVERAL_HOLD)


def assert_hardest_is_tried(page: Chromium, tables: Tablebase, fen: str) -> None:
    shares = dict[str, float]()
    for move in tables.probe_moves(fen):
        if not move.keeps:
            continue
        board = chess.Board(fen)
        board.push(move.move)
        replies = tables.probe_moves(board, move.accrued)
        shares[move.san] = sum(reply.keeps for reply in replies) / len(replies)
    page.wait("document.getElementById('best').textContent === 'Keep'")
    page.wait("document.getElementById('why').innerText.startsWith('Hardest for ')")
    said = text_of(page, "#why")
    assert f" of {len(shares)} moves that keep it: " in said
    tried = re.split(r"[.]+ |[.] ", said.partition(" keep it: ")[2])[1]
    assert shares[tried.split()[0]] == min(shares.values())


def point_at_moves(page: Chromium, tables: Tablebase, fen: str, replies: dict[str, str]) -> None:
    """See which replies are said to be good while a move is pointed at."""
    page.run("document.querySelectorAll('#moves details').forEach((each) => { each.open = true; })")
    outcomes = {move.san: move.outcome for move in tables.probe_moves(fen)}
    for move, said in replies.items():
        place = texts_of(page, ".move b").index(move)
        pointed = f"document.querySelectorAll('.move')[{place}]"
        page.run(f"{pointed}.dispatchEvent(new Event('mouseenter'))")
        page.wait(f"document.getElementById('why').innerText.startsWith({said + ': '!r})")
        assert text_of(page, "#why").startswith(f"{said}: {signed(str(outcomes[move]))} ")


@pytest.mark.parametrize(
    ("fen", "said"),
    [
        (PROMOTES, "Progress that cannot be taken back: 1. e8="),
        (MATES, "The outcome is on the board after 1. Rh8#. The game is over."),
    ],
)
def test_a_move_that_makes_progress_comes_before_one_that_is_hard_to_answer(
    page: Chromium, server: str, fen: str, said: str
) -> None:
    look_at(page, server, fen)
    page.wait(f"document.getElementById('why').innerText.startsWith({said!r})")
