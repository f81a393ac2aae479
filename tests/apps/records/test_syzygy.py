"""Ordinary results beside Syzygy tables: of positions, and of each of their moves."""

from __future__ import annotations

import random
from pathlib import Path

import chess
import chess.syzygy
import numpy as np
import pytest

from tbgen.apps.records.positions import TablePositions, results_of
from tbgen.index.bulk import cells_of
from tbgen.material import materials, table_named
from tbgen.score import Color
from tests.positions import random_board, squares_of

NAMES = [str(material) for men in (3, 4) for material in materials(men)]
POSITIONS = 300

pytestmark = [pytest.mark.slow, pytest.mark.given_syzygy]


@pytest.fixture(scope="session")
def syzygy_folder(request: pytest.FixtureRequest) -> Path:
    folder: Path = request.config.getoption("--syzygy")
    return folder


def result_of(syzygy: chess.syzygy.Tablebase, board: chess.Board) -> int:
    """1 if White wins, -1 if Black does, else 0; the fifty-move rule is ignored."""
    wdl = syzygy.probe_wdl(board)
    return int(np.sign(wdl)) * (1 if board.turn else -1)


def kept_by(syzygy: chess.syzygy.Tablebase, board: chess.Board) -> int:
    """The number of moves after which Syzygy's result is the same."""
    before = result_of(syzygy, board)
    kept = 0
    for move in list(board.legal_moves):
        board.push(move)
        kept += result_of(syzygy, board) == before
        board.pop()
    return kept


@pytest.mark.parametrize("name", NAMES)
def test_results_and_moves_that_keep_them_are_those_of_syzygy(
    four_men_folder: Path, syzygy_folder: Path, name: str
) -> None:
    draw = random.Random(f"syzygy {name}")
    material = table_named(name)
    boards = [random_board(draw, material) for _ in range(POSITIONS)]
    with (
        chess.syzygy.open_tablebase(str(syzygy_folder)) as syzygy,
        TablePositions(four_men_folder, material, in_memory=False) as positions,
    ):
        squares = np.array([squares_of(board, positions.layout.slots) for board in boards])
        sides = np.array([int(Color.WHITE if board.turn else Color.BLACK) for board in boards])
        kept = positions.keeping(cells_of(positions.layout, sides, squares))
        results = results_of(kept.entries).tolist()
        for board, result, moves in zip(boards, results, kept.result.tolist(), strict=True):
            assert (result > 0) - (result < 0) == result_of(syzygy, board), board.fen()
            assert moves == kept_by(syzygy, board), board.fen()
