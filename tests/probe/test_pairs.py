"""Probes of a table of pairs, beside the whole table of the same men."""

import random
from collections.abc import Iterator
from pathlib import Path

import chess
import numpy as np
import pytest

from tbgen.errors import MissingTableError, TooManyMenError
from tbgen.material import Material
from tbgen.probe import Tablebase, open_tablebase
from tbgen.probe.many import Fault
from tbgen.probe.opened import has_pair_on
from tests.positions import random_board

PAIR = "8/4p3/8/2k5/8/8/4P3/4K3 w - - 0 1"
NO_PAIR = "8/3p4/8/2k5/8/8/4P3/4K3 w - - 0 1"


@pytest.fixture(scope="module")
def pairs(pairs_folder: Path) -> Iterator[Tablebase]:
    """The tables of two and three men, and that of the pairs of two pawns."""
    with open_tablebase(pairs_folder) as tables:
        yield tables


def test_a_position_with_a_pair_has_a_value_and_one_without_has_none(pairs: Tablebase) -> None:
    probe = pairs.probe(PAIR)
    assert str(probe.outcome) == "-G5.5"
    assert probe.dtg == 16
    assert str(probe.material) == "KPvKP.pairs"
    for _ in range(2):  # whatever has been asked before
        with pytest.raises(MissingTableError, match="no table KPvKP in"):
            pairs.probe(NO_PAIR)
        assert pairs.probe(PAIR) == probe


def test_a_table_of_pairs_is_there_by_its_own_name(pairs: Tablebase) -> None:
    assert Material.parse("KPvKP.pairs") in pairs.available()
    assert "KPvKP.pairs" in pairs
    assert "KPvKP" not in pairs
    assert chess.Board(PAIR) in pairs
    assert chess.Board(NO_PAIR) not in pairs


def test_many_positions_are_answered_where_they_have_a_pair(pairs: Tablebase) -> None:
    draw = random.Random(7)
    boards = [random_board(draw, "KPvKP") for _ in range(400)]
    many = pairs.probe_many(boards)
    answered = 0
    for number, board in enumerate(boards):
        if board.has_legal_en_passant():
            continue
        if has_pair_on(board):
            answered += 1
            assert many[number] == (pairs.probe(board).outcome, pairs.probe(board).dtg)
        else:
            assert many.fault_of(number) is Fault.MISSING_TABLE
    assert answered > 20


def test_arrays_without_a_pair_have_the_fault_of_a_missing_table(pairs: Tablebase) -> None:
    squares = [[chess.E1, chess.E2, chess.C5, chess.E7], [chess.E1, chess.E2, chess.C5, chess.D7]]
    for name in ("KPvKP", "KPvKP.pairs"):
        many = pairs.probe_arrays(name, np.array([True, True]), squares)
        assert many.fault.tolist() == [Fault.NONE, Fault.MISSING_TABLE]
        first = many[0]
        assert first is not None
        assert str(first[0]) == "-G5.5"


def test_six_men_name_the_table_of_pairs_or_a_solve(pairs: Tablebase) -> None:
    with pytest.raises(TooManyMenError, match=r"tbgen build KRPvKRP\.pairs --outcomes"):
        pairs.probe("8/r2p4/8/2k5/8/8/3P4/3KR3 w - - 0 1")
    with pytest.raises(TooManyMenError, match="solve the position with: tbgen solve"):
        pairs.probe("8/r1p5/8/2k5/8/8/3P4/3KR3 w - - 0 1")


def test_a_pair_is_a_white_pawn_below_a_black_one() -> None:
    draw = random.Random(3)
    for _ in range(500):
        board = random_board(draw, draw.choice(["KPvKP", "KPPvKP", "KPPvKPP"]))
        expected = any(
            chess.square_file(white) == chess.square_file(black) and white < black
            for white in board.pieces(chess.PAWN, chess.WHITE)
            for black in board.pieces(chess.PAWN, chess.BLACK)
        )
        assert has_pair_on(board) is expected
        assert has_pair_on(board.mirror()) is expected, "turned upside down, a pair stays one"
