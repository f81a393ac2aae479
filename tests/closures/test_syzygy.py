"""Syzygy tables as a source of bounds.

Functions that know the truth, or a part of it, stand in for the tables.
"""

import random
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import chess
import chess.syzygy
import pytest

from tbgen.closures.solver import PositionSolver
from tbgen.errors import UnprovedError
from tbgen.probe import Tablebase, open_tablebase
from tbgen.score import Score
from tests.closures.test_coarse import FENS
from tests.closures.test_solving import (
    PAWNS,
    PIECES,
    SEED,
    Folder,
    bracket_by_moves,
    contradictions,
    folder_of,
    outside,
    pairs,
    solved,
)

pytestmark = pytest.mark.usefixtures("unbundled")
"""Positions of three men are solved here, which have no table."""

__all__ = ["folder_of"]

Probe = Callable[[chess.Board], int]
Asks = Callable[[Probe], Path]
EN_PASSANT = "8/8/8/8/3pP2k/8/8/K7 b - e3 0 1"


@pytest.fixture
def asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Asks:
    """A folder of Syzygy tables that a function stands in for; they answer at once."""

    def made(probe: Probe) -> Path:
        monkeypatch.setattr(
            chess.syzygy, "Tablebase", lambda: mock.Mock(add_directory=mock.Mock(), probe_wdl=probe)
        )
        return tmp_path

    return made


def nothing(board: chess.Board) -> int:
    raise chess.syzygy.MissingTableError("no such table")


def mates_in(tables: Tablebase, most_pawns: int) -> Probe:
    """What Syzygy tables would say of positions with so few pawns.

    A mate is a win or a cursed win, all else a draw.
    """

    def probe(board: chess.Board) -> int:
        if board.pawns.bit_count() > most_pawns:
            return nothing(board)
        outcome = tables.probe(board.copy(stack=False)).outcome
        if not outcome.is_mate:
            return 0
        win = 1 + board.occupied % 2  # 1 is a cursed win
        return win if outcome.holder.chess == board.turn else -win

    return probe


def test_mates_after_promotions_make_bounds_closer_and_never_wrong(
    folder_of: Folder, asks: Asks, tables: Tablebase
) -> None:
    """The bounds of a position and those of its moves agree."""
    folder = folder_of("KvK")
    syzygy = asks(mates_in(tables, 0))
    edge = chess.BB_FILE_A | chess.BB_FILE_H  # files that are mirrored: fewer blocks to solve
    drawn = pairs(random.Random(SEED), ["KPk", "Kkp"], 60)
    asked = [(board, accrued) for board, accrued in drawn if board.pawns & edge]
    closer = 0
    with PositionSolver(folder) as plain, PositionSolver(folder, syzygy=syzygy) as solver:
        assert contradictions(solver, tables, asked) == []
        for board, accrued in asked:
            far = plain.solve(board, accrued)
            near = solver.solve(board, accrued)
            closer += far.bracket != near.bracket
            assert near.bracket == bracket_by_moves(near), board.fen()
            assert outside(near, far) == []
    assert closer


@pytest.mark.slow
def test_mates_after_promotions_beside_a_pawn_are_never_wrong(
    folder_of: Folder, asks: Asks, four_men_folder: Path
) -> None:
    folder = folder_of(*PIECES, "KPvK")
    asked = [(chess.Board(fen), Score(own)) for fen, own in FENS]
    with (
        open_tablebase(four_men_folder) as tables,
        PositionSolver(folder, budget=1, syzygy=asks(mates_in(tables, 1))) as solver,
    ):
        assert contradictions(solver, tables, asked) == []
        brackets = [str(solver.solve(board, own).bracket) for board, own in asked]
        assert brackets == [
            "G0.0",
            "-G0.5 to G0.0",
            "-G0.0",
        ]


def test_tables_that_do_not_know_a_position_change_nothing(folder_of: Folder, asks: Asks) -> None:
    plain = solved(folder_of("KvK"), PAWNS).facts()
    asking = solved(folder_of("KvK"), PAWNS, syzygy=asks(nothing)).facts()
    assert asking["moves"] == plain["moves"]
    assert asking["lower"] == plain["lower"]


def test_tables_that_contradict_the_moves_are_told(folder_of: Folder, asks: Asks) -> None:
    with pytest.raises(UnprovedError, match="Syzygy tables are wrong"):
        solved(
            folder_of("KvK"),
            "8/8/8/8/8/8/5k1p/7K w - - 0 1",
            syzygy=asks(lambda board: 2 if board.turn else -2),
        )


def test_the_position_itself_is_asked_with_its_right_to_take_en_passant(
    folder_of: Folder, asks: Asks
) -> None:
    def wins_with_the_right(board: chess.Board) -> int:
        return 1 if board.has_legal_en_passant() else nothing(board)

    folder = folder_of("KvK")
    assert solved(folder, EN_PASSANT, syzygy=asks(nothing)).bracket.exact is None
    syzygy = asks(wins_with_the_right)
    (syzygy / "KPvKP.rtbw").touch()  # with more tables, bounds are found again
    without_right = EN_PASSANT.replace("e3", "-")
    assert solved(folder, EN_PASSANT, syzygy=syzygy).bracket.exact == Score("-G0.0")
    assert solved(folder, EN_PASSANT).bracket.exact is None
    assert solved(folder, without_right, syzygy=syzygy).bracket.exact is None
