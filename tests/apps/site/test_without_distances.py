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


def test_a_move_that_alone_keeps_the_outcome_is_best_play(page: Chromium, server: str) -> None:
    look_at(page, server, ONE_KEEPS)
    assert texts_of(page, ".move.best b") == ["Bg4"]
    page.press(" ")
    wait_for(page, "8/8/7K/5k2/6b1/8/8/8")


def test_of_several_moves_none_is_said_to_be_best(page: Chromium, server: str) -> None:
    look_at(page, server, SEVERAL_KEEP)
    assert not texts_of(page, ".move.best b")
    assert page.run("document.getElementById('ask-line').hidden")
    assert "No table here says how far away it is. White has to make progress." in text_of(
        page, "#verdict"
    )


@pytest.mark.parametrize("fen", [SEVERAL_KEEP, SEVERAL_HOLD])
def test_of_several_moves_the_one_with_fewest_good_replies_is_tried(
    page: Chromium, server: str, tables: Tablebase, fen: str
) -> None:
    shares = dict[str, float]()
    for move in tables.probe_moves(fen):
        if not move.keeps:
            continue
        board = chess.Board(fen)
        board.push(move.move)
        replies = tables.probe_moves(board, move.accrued)
        shares[move.san] = sum(reply.keeps for reply in replies) / len(replies)
    look_at(page, server, fen)
    page.wait("document.getElementById('best').textContent === 'Keep'")
    page.wait("document.getElementById('why').innerText.startsWith('Hardest for ')")
    said = text_of(page, "#why")
    assert f" of {len(shares)} moves that keep it: " in said
    tried = re.split(r"[.]+ |[.] ", said.partition(" keep it: ")[2])[1]
    assert shares[tried.split()[0]] == min(shares.values())


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


def test_the_side_that_has_to_make_progress_is_named_whoever_moves(
    page: Chromium, server: str
) -> None:
    look_at(page, server, SEVERAL_HOLD)
    assert text_of(page, "#verdict").count("White has to make progress.") == 1


def test_the_line_goes_on_while_one_move_is_good(page: Chromium, server: str) -> None:
    look_at(page, server, ONE_KEEPS)
    page.wait(
        "document.getElementById('why').innerText.startsWith('The only move: 1... Bg4. Then ')"
    )
    assert text_of(page, "#why").endswith(" moves of White keep −G0.5: Kg7, Kh7.")


@pytest.mark.parametrize(
    ("fen", "move", "said"),
    [
        (ONE_KEEPS, "Bg4", "White replies Kg7 or Kh7"),
        (ONE_KEEPS, "Kf6", "White has one good reply, Kh5"),
        (ONE_KEEPS, "Ke5", "White has 4 good replies of 5"),
        (ONE_KEEPS, "Kf4", "All 4 replies come to the same"),
        (SEVERAL_KEEP, "e4", "Black has one good reply, Kxe4"),
    ],
)
def test_who_points_at_a_move_reads_which_replies_are_good(
    page: Chromium, server: str, tables: Tablebase, fen: str, move: str, said: str
) -> None:
    look_at(page, server, fen)
    page.run("document.querySelectorAll('#moves details').forEach((each) => { each.open = true; })")
    place = texts_of(page, ".move b").index(move)
    page.run(f"document.querySelectorAll('.move')[{place}].dispatchEvent(new Event('mouseenter'))")
    page.wait(f"document.getElementById('why').innerText.startsWith({said + ': '!r})")
    (outcome,) = (each.outcome for each in tables.probe_moves(fen) if each.san == move)
    assert text_of(page, "#why").startswith(f"{said}: {signed(str(outcome))} ")
