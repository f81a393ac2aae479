"""Tables of whole-game mobility, asked as those of r-mobility are."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest

from tbgen.errors import AccruedError, UsageError
from tbgen.material import materials
from tbgen.probe import Tablebase, open_tablebase
from tbgen.score import Mobility, Score
from tests.positions import random_boards

SEED = 27
TAKEN = "8/8/8/8/8/1k6/2B5/5K2 b - - 0 1"
"""Black may take the bishop."""


def test_many_positions_are_answered_as_single_ones(whole_tables: Tablebase) -> None:
    boards = random_boards(SEED, 40, materials(3))
    asked = [(board, each) for board in boards for each in whole_tables.probe_every_accrued(board)]
    many = whole_tables.probe_many(
        [board for board, _ in asked], accrued=[each.accrued for _, each in asked]
    )
    assert list(many) == [(each.outcome, each.dtg) for _, each in asked]


def test_a_score_outlives_the_man_that_made_it(whole_tables: Tablebase) -> None:
    board, accrued = chess.Board(TAKEN), Score("G1.5")
    assert whole_tables.probe(board, accrued).outcome == accrued
    capture = next(each for each in whole_tables.probe_moves(board, accrued) if each.san == "Kxc2")
    assert (capture.reset, capture.accrued, capture.outcome, capture.dtg) == (
        True,
        accrued,
        accrued,
        0,
    )


def test_a_bare_king_may_have_given_check_before(
    whole_tables: Tablebase, table_folder: Path
) -> None:
    board, check = chess.Board("8/8/8/2k5/8/4K3/8/8 w - - 0 1"), Score("-G2.0")
    assert whole_tables.probe(board, check).outcome.code <= 4
    with open_tablebase(table_folder) as tables, pytest.raises(AccruedError):
        tables.probe(board, check)


@pytest.mark.usefixtures("unbundled")
def test_the_folder_of_one_game_is_not_taken_for_that_of_the_other(whole_game_folder: Path) -> None:
    with pytest.raises(UsageError):
        open_tablebase(whole_game_folder / "whole-game")
    with open_tablebase(whole_game_folder) as tables:
        assert tables.available() == []
    with open_tablebase(whole_game_folder / "whole-game", mobility=Mobility.WHOLE_GAME) as tables:
        assert len(tables.available()) == 6
