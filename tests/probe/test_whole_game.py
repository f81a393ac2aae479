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
    positions = list[chess.Board]()
    scores = list[Score]()
    expected = list[tuple[Score, int | None]]()
    for board in boards:
        for probe in whole_tables.probe_every_accrued(board):
            positions.append(board)
            scores.append(probe.accrued)
            expected.append((probe.outcome, probe.dtg))
    assert list(whole_tables.probe_many(positions, accrued=scores)) == expected


def test_a_score_outlives_the_man_that_made_it(whole_tables: Tablebase) -> None:
    board = chess.Board(TAKEN)
    accrued = Score("G1.5")
    assert whole_tables.probe(board, accrued).outcome == accrued
    moves = {move.san: move for move in whole_tables.probe_moves(board, accrued)}
    capture = moves["Kxc2"]
    assert capture.reset
    assert capture.accrued == accrued
    assert capture.outcome == accrued
    assert capture.dtg == 0


def test_a_bare_king_may_have_given_check_before(
    whole_tables: Tablebase, table_folder: Path
) -> None:
    board = chess.Board("8/8/8/2k5/8/4K3/8/8 w - - 0 1")
    check = Score("-G2.0")
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
