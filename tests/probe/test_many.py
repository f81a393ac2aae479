"""Many positions at once: each answer is that of a single probe, and so is each fault."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pytest

from tbgen.errors import (
    AccruedError,
    CastlingError,
    IllegalPositionError,
    MissingTableError,
    TbgenError,
    TooManyMenError,
    UsageError,
)
from tbgen.index.layout import layout_of
from tbgen.material import Material, materials, table_named
from tbgen.probe import BulkProbe, Fault, Tablebase, open_tablebase
from tbgen.probe.bulk import columns_of_slots
from tbgen.rules.position import own_score
from tbgen.score import Color, Score
from tests.library.made_up import write_made_up
from tests.positions import random_board, squares_of

from .tables_without import EN_PASSANT

FAULTS = {
    IllegalPositionError: Fault.ILLEGAL,
    CastlingError: Fault.CASTLING,
    TooManyMenError: Fault.TOO_MANY_MEN,
    MissingTableError: Fault.MISSING_TABLE,
    AccruedError: Fault.ACCRUED,
}
SMALL = [*materials(2), *materials(3)]
BISHOP = chess.Board("8/8/8/4KBk1/8/8/8/8 b - - 0 1")


def single(tables: Tablebase, board: chess.Board, accrued: Score | None) -> tuple[object, ...]:
    """The signed outcome, the plies and the fault by a probe of its own."""
    try:
        found = tables.probe(board, accrued)
    except TbgenError as error:
        return 0, None, FAULTS[type(error)]
    return found.outcome.signed, found.dtg, Fault.NONE


def row(many: BulkProbe, number: int) -> tuple[object, ...]:
    """The same by a probe of many."""
    dtg = many.dtg[number]
    plies = None if np.isnan(dtg) else int(dtg)
    return int(many.outcome[number]), plies, many.fault_of(number)


def any_score(draw: random.Random, own: Score) -> Score:
    return Score(draw.randint(0, min(own.code + 4, 60)), draw.choice(list(Color)))


def agree(
    tables: Tablebase,
    boards: Sequence[chess.Board],
    material: Material,
    scores: Sequence[Score | None],
) -> Counter[object]:
    """See that arrays and boards give what single probes give, and count the faults."""
    expected = [single(tables, board, score) for board, score in zip(boards, scores, strict=True)]
    turns = [board.turn for board in boards]
    slots = [(color, role) for color in Color for role in material.side(color)]
    squares = [squares_of(board, slots) for board in boards]
    by_array = tables.probe_arrays(material, turns, squares, accrued=scores)
    by_board = tables.probe_many(boards, accrued=scores)
    for number, board in enumerate(boards):
        question = f"{board.fen()} {scores[number]}"
        assert row(by_array, number) == expected[number], question
        assert row(by_board, number) == expected[number], question
    return Counter(fault for _, _, fault in expected)


@pytest.mark.parametrize("material", SMALL, ids=str)
def test_values_with_any_accrued_score_are_those_of_single_probes(
    tables: Tablebase, material: Material
) -> None:
    draw = random.Random(str(material))
    for turned in (material, material.flipped()):
        boards = [random_board(draw, turned) for _ in range(150)]
        scores = [draw.choice((None, any_score(draw, own_score(board)))) for board in boards]
        found = agree(tables, boards, turned, scores)
        assert found[Fault.NONE] > 50
        assert found[Fault.ACCRUED] > 5


def test_without_its_table_an_impossible_right_is_a_fault_of_its_own(tmp_path: Path) -> None:
    with open_tablebase(tmp_path) as tables:
        draw = random.Random(52)
        boards = [random_board(draw, "KPkp", en_passant=0.9) for _ in range(200)]
        for board in boards[::4]:
            board.ep_square = draw.choice((chess.A3, chess.E6))
        expected = list[object]()
        for board in boards:
            _, _, fault = single(tables, board, None)
            expected.append(fault)
        assert tables.probe_many(boards).fault.tolist() == expected
        assert {Fault.ILLEGAL, Fault.MISSING_TABLE} == set(expected)


def test_a_missing_table_of_a_named_material_is_an_error(tables: Tablebase) -> None:
    with pytest.raises(MissingTableError):
        tables.probe_arrays("KQvKR", True, [[0, 1, 2, 3]])
    with pytest.raises(TooManyMenError):
        tables.probe_arrays("KBBBvKB", True, [[0, 1, 2, 3, 4, 5]])


@pytest.mark.parametrize(
    ("fen", "fault"),
    [
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", Fault.CASTLING),
        (chess.STARTING_FEN, Fault.TOO_MANY_MEN),
        (chess.STARTING_FEN.replace("KQkq", "-"), Fault.TOO_MANY_MEN),
        ("6k1/8/8/8/8/8/8/4K2R w K - 0 1", Fault.CASTLING),
        ("6k1/8/8/8/8/8/8/4K1R1 w K - 0 1", Fault.ILLEGAL),
        ("8/8/8/4KBK1/8/8/8/8 b - - 0 1", Fault.ILLEGAL),
        ("8/8/8/4KBkq/8/8/8/8 w - - 0 1", Fault.MISSING_TABLE),
        ("8/8/4R3/4k3/8/8/8/K7 w - - 0 1", Fault.ILLEGAL),
        ("8/8/4R3/4k2q/8/8/8/K7 w - - 0 1", Fault.ILLEGAL),
        ("8/8/8/3Kk3/8/8/8/8 w - - 0 1", Fault.ILLEGAL),
        ("P7/8/8/3K1k2/8/8/8/8 w - - 0 1", Fault.ILLEGAL),
        ("8/8/8/8/8/8/8/8 w - - 0 1", Fault.ILLEGAL),
        ("8/8/8/4KBk1/8/8/8/8 w - e6 0 1", Fault.ILLEGAL),
        ("QQQQQQQQ/8/8/8/8/8/8/K1k5 w - - 0 1", Fault.ILLEGAL),
    ],
)
def test_a_bad_board_is_reported_and_spoils_no_other(
    tables: Tablebase, fen: str, fault: Fault
) -> None:
    bad = chess.Board(fen)
    many = tables.probe_many([BISHOP, bad, BISHOP])
    assert many.fault.tolist() == [Fault.NONE, fault, Fault.NONE]
    assert many[1] is None
    assert many[0] == many[2] == (Score("G1.5"), 4)
    assert many.columns()["fault"][1] == str(fault)
    _, _, fault_of_probe = single(tables, bad, None)
    assert fault_of_probe is fault


def test_what_the_moves_on_boards_have_accrued_counts(tables: Tablebase) -> None:
    draw = random.Random(53)
    boards = list[chess.Board]()
    for _ in range(60):
        board = random_board(draw, draw.choice(SMALL))
        for _ in range(draw.randrange(8)):
            moves = list(board.legal_moves)
            if moves:
                board.push(draw.choice(moves))
        boards.append(board)
    many = tables.probe_many(boards)
    expected = [tables.probe(board) for board in boards]
    assert list(many) == [(found.outcome, found.dtg) for found in expected]
    assert sum(found.accrued != found.own for found in expected) > 10


def test_scores_are_given_as_one_or_many_or_as_numbers(tables: Tablebase) -> None:
    squares = [[44, 37, 38], [44, 37, 38]]
    score = Score("G4.0")
    board = chess.Board("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30")
    with_score = tables.probe(board, score)
    with_own_score = tables.probe(board)
    value = (with_score.outcome, with_score.dtg)
    own_value = (with_own_score.outcome, with_own_score.dtg)
    for accrued in (score, [score, score], 9, [9, 9], np.array([9, 9], np.int8)):
        many = tables.probe_arrays("KBvK", True, squares, accrued=accrued)
        assert list(many) == [value, value]
    for mixed in ([score, None], [9, 0], np.array([9, 0])):
        many = tables.probe_arrays("KBvK", True, squares, accrued=mixed)
        assert list(many) == [value, own_value]


def test_positions_may_be_fens_in_any_iterable(tables: Tablebase) -> None:
    boards = [BISHOP, chess.Board("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30")]
    expected = list(tables.probe_many(boards))
    fens = [board.fen() for board in boards]
    for positions in (
        fens,
        iter(fens),
        iter(boards),
        np.array(fens),
        np.array(fens, object),
        tuple(boards),
    ):
        assert list(tables.probe_many(positions)) == expected
    with_scores = [f"{fen} G4.0" for fen in fens]
    singly = [tables.probe(fen) for fen in with_scores]
    assert list(tables.probe_many(with_scores)) == [(probe.outcome, probe.dtg) for probe in singly]
    strange = [
        fens[0],
        "nonsense",
        "KBvK",
        f"{fens[1]} G4.2",
        f"{fens[1]} G0.0",
        "8/8/8/8/8/8/8/8 w - - 0 1",
    ]
    assert tables.probe_many(strange).fault.tolist() == [
        Fault.NONE,
        Fault.UNREADABLE,
        Fault.UNREADABLE,
        Fault.UNREADABLE,
        Fault.ACCRUED,
        Fault.ILLEGAL,
    ]


@pytest.mark.parametrize(
    ("squares", "arguments", "words"),
    [
        ([[1, 2, 3]], {"white_to_move": Color.WHITE}, "white_to_move must be truth values"),
        ([[1, 2, 3]], {"white_to_move": [1, 0]}, "white_to_move must be truth values"),
        ([[1.0, 2.0, 3.0]], {}, "squares must be whole numbers"),
        ([["a1", "b1", "c8"]], {}, "squares must be whole numbers"),
        ([[1, 2, 40]], {"accrued": 2.5}, "accrued must be whole numbers"),
        ([[1, 2, 40]], {"accrued": b"G2.5"}, "accrued must be"),
        ([[1, 2, 40]], {"accrued": [2.5]}, "accrued must be a score"),
        ([[1, 2, 40]], {"accrued": [3, 3]}, "accrued must be one value"),
        ([[1, 2, 40]], {"accrued": 2001}, "accrued must be"),
        ([[1, 2]], {}, "KBvK needs 3 squares"),
        ([[1, 2, 64]], {}, "squares are numbers"),
        ([[0, 1, 63], [0, 1, 62]], {"white_to_move": [True, False, True]}, "one length"),
        ([[0, 1, 63], [0, 1]], {}, "one length"),
    ],
)
def test_arrays_that_cannot_be_meant_are_refused(
    tables: Tablebase, squares: list[list[int]], arguments: dict[str, Any], words: str
) -> None:
    given = {"white_to_move": True} | arguments
    with pytest.raises(UsageError, match=words):
        tables.probe_arrays("KBvK", squares=squares, **given)


@pytest.mark.parametrize(
    ("positions", "accrued", "words"),
    [
        ([BISHOP], [3, 3], "accrued must be one value"),
        ([BISHOP, 7], None, "board must be"),
        (7, None, "positions must be many boards"),
        ("KBvK", None, "positions must be many boards"),
        (BISHOP, None, "positions must be many boards"),
    ],
)
def test_positions_that_cannot_be_meant_are_refused(
    tables: Tablebase, positions: Any, accrued: list[int] | None, words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        tables.probe_many(positions, accrued=accrued)


@pytest.mark.usefixtures("unbundled")
def test_a_right_to_take_that_leads_to_a_missing_table_does_not_spoil_other_positions(
    tmp_path: Path,
) -> None:
    boards = [chess.Board(EN_PASSANT), chess.Board(EN_PASSANT.replace("e3", "-"))]
    write_made_up(tmp_path, table_named("KPvKP"))
    with open_tablebase(tmp_path) as few:
        found = few.probe_many(boards)
        assert [found.fault_of(number) for number in range(2)] == [Fault.MISSING_TABLE, Fault.NONE]
        with pytest.raises(MissingTableError, match="KPvK"):
            few.probe(boards[0])


@pytest.mark.parametrize("men", [4, 5])
def test_every_man_has_a_column_of_its_own(men: int) -> None:
    for material in materials(men):
        layout = layout_of(material)
        for named in (material, material.flipped()):
            columns = columns_of_slots(named, layout, flipped=not named.is_canonical)
            assert sorted(columns) == list(range(men)), named
