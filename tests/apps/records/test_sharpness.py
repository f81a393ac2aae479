"""Moves that keep what a position is worth, beside the reference and beside python-chess."""

from __future__ import annotations

import random
from pathlib import Path

import chess
import numpy as np
import pytest

from tbgen.apps.records.positions import TablePositions
from tbgen.apps.records.record import Record, Sharpness
from tbgen.apps.records.sharpness import sharpness_in
from tbgen.errors import MissingTableError, UsageError
from tbgen.index.bulk import cells_of
from tbgen.material import TableMaterial, build_order, materials, table_named
from tbgen.probe import Tablebase
from tbgen.rules.position import is_reset, own_score
from tbgen.score import Color, Score
from tests import reference
from tests.apps.records.slow import first_of_classes
from tests.positions import is_legal, random_board, squares_of
from tests.reference.keeping import kept_in, squares_in

SMALL = [str(material) for material in build_order(materials(3))]
FOUR = [str(material) for material in materials(4)]


@pytest.mark.parametrize("name", SMALL)
def test_every_position_of_three_men_keeps_what_the_reference_says(
    table_folder: Path, name: str
) -> None:
    table = reference.solve(name)
    seen = 0
    with TablePositions(table_folder, table_named(name)) as positions:
        order = [table_slot(name, slot) for slot in positions.layout.slots]
        for placement in table.placements:
            block = table.block(placement)
            given = squares_in(table, block)
            cells = cells_of(positions.layout, given[:, 0], given[:, 1:][:, order])
            kept = positions.keeping(cells)
            result, outcome = kept_in(block)
            assert np.array_equal(kept.result, result)
            assert np.array_equal(kept.outcome, outcome)
            seen += len(np.unique(cells))
        assert seen == sum(positions.for_each_part(len))


def table_slot(name: str, slot: tuple[Color, object]) -> int:
    """The number of a man in the name of a table without equal men."""
    color, kind = slot
    white, _, black = name.partition("v")
    letter = str(getattr(kind, "letter", ""))
    return white.index(letter) if color is Color.WHITE else len(white) + black.index(letter)


def kept_on(tables: Tablebase, board: chess.Board) -> tuple[int, int, int]:
    """The legal moves, those that keep the result and those that keep the outcome, one by one."""
    own = own_score(board)
    entry = tables.probe(board, accrued=own).outcome
    same_result = 0
    same_outcome = 0
    for move in list(board.legal_moves):
        reset = is_reset(board, move)
        board.push(move)
        accrued = own.after(own_score(board), reset=reset)
        outcome = tables.probe(board, accrued=accrued).outcome
        board.pop()
        same_outcome += outcome == entry
        same_result += result_of(outcome) == result_of(entry)
    return board.legal_moves.count(), same_result, same_outcome


def result_of(outcome: Score) -> str:
    """A mate by White, a mate by Black, or a draw."""
    return str(outcome) if outcome.code == 0 else "draw"


def compare_sample(folder: Path, name: str, count: int, draw: random.Random) -> None:
    material = table_named(name)
    boards = [random_board(draw, material) for _ in range(count)]
    with Tablebase(folder) as tables, TablePositions(folder, material) as positions:
        slots = positions.layout.slots
        squares = np.array([squares_of(board, slots) for board in boards])
        sides = np.array([int(not board.turn) for board in boards])
        cells = cells_of(positions.layout, sides, squares)
        kept = positions.keeping(cells)
        found = zip(kept.moves.tolist(), kept.result.tolist(), kept.outcome.tolist(), strict=True)
        for board, counts in zip(boards, found, strict=True):
            assert counts == kept_on(tables, board), board.fen()


@pytest.mark.slow
@pytest.mark.parametrize("name", FOUR)
def test_a_sample_of_four_men_keeps_what_python_chess_and_probes_say(
    four_men_folder: Path, name: str
) -> None:
    compare_sample(four_men_folder, name, 300, random.Random(f"kept {name}"))


@pytest.mark.slow
def test_moves_that_may_be_taken_en_passant_are_counted(four_men_folder: Path) -> None:
    draw = random.Random("double steps")
    material = table_named("KPvKP")
    boards = [before_double_step(draw, material) for _ in range(1000)]
    with (
        Tablebase(four_men_folder) as tables,
        TablePositions(four_men_folder, material) as positions,
    ):
        squares = np.array([squares_of(board, positions.layout.slots) for board in boards])
        sides = np.array([int(not board.turn) for board in boards])
        kept = positions.keeping(cells_of(positions.layout, sides, squares))
        found = zip(kept.result.tolist(), kept.outcome.tolist(), strict=True)
        for board, counts in zip(boards, found, strict=True):
            assert counts == kept_on(tables, board)[1:], board.fen()


def before_double_step(draw: random.Random, material: TableMaterial) -> chess.Board:
    """A position with a double step that may be taken en passant."""
    while True:
        board = random_board(draw, material, en_passant=1)
        if board.ep_square is None or not board.has_legal_en_passant():
            continue
        ahead = 8 if board.turn == chess.BLACK else -8
        board.remove_piece_at(board.ep_square + ahead)
        board.turn = not board.turn
        board.set_piece_at(board.ep_square - ahead, chess.Piece(chess.PAWN, board.turn))
        board.ep_square = None
        if is_legal(board):
            return board


def test_records_count_what_is_found_position_by_position(
    table_folder: Path, records: dict[str, Record]
) -> None:
    for name, record in records.items():
        assert record.sharpness is not None
        table = reference.solve(name)
        for side in Color:
            moves = record.sharpness[side].all.moves
            where = np.argwhere(table.entry[int(side)] != 0)
            first = where[first_of_classes(where, with_pawns="P" in name)]
            own = table.own[(int(side), *first.T)]
            assert list(moves) == np.bincount(own // 2).tolist()
            of_side = record.sides[side]
            drawn = record.sharpness[side].drawn
            mates = sum(of_side.counts.get(Score(0, winner), 0) for winner in Color)
            assert drawn.positions == of_side.positions.classes - mates


@pytest.mark.parametrize("name", SMALL)
def test_files_say_what_tables_in_memory_say(table_folder: Path, name: str) -> None:
    material = table_named(name)
    with (
        TablePositions(table_folder, material) as positions,
        TablePositions(table_folder, material, in_memory=False) as files,
    ):
        cells = positions.drawn(1000, seed=2)
        found = zip(positions.keeping(cells), files.keeping(cells), strict=True)
        assert all(np.array_equal(in_memory, in_file) for in_memory, in_file in found)


def test_a_sample_is_as_sharp_as_its_table(table_folder: Path, records: dict[str, Record]) -> None:
    size = 100_000
    for name in ("KBvK", "KPvK"):
        sample = sharpness_in(table_folder, table_named(name), sampled=size)
        assert sum(side.all.positions for side in sample.values()) == size
        record = records[name]
        assert record.sharpness is not None
        for side, exact in record.sharpness.items():
            for drawn, every in ((sample[side].all, exact.all), (sample[side].drawn, exact.drawn)):
                share = every.positions / record.positions.classes
                assert drawn.positions == pytest.approx(share * size, abs=5 * error_of(share, size))
                only = every.only / every.positions
                error = error_of(only, drawn.positions)
                assert drawn.only / drawn.positions == pytest.approx(
                    only, abs=5 * error / drawn.positions
                )


def error_of(share: float, size: int) -> float:
    """The standard error of a number of positions that have a share of all, in a sample."""
    return float(np.sqrt(size * share * (1 - share)))


def test_every_distribution_counts_every_position(published: list[Record]) -> None:
    counted = [record for record in published if record.sharpness is not None]
    assert len(counted) >= 36
    for record in counted:
        assert record.sharpness is not None
        for side, sharpness in record.sharpness.items():
            if record.sampled is None:
                assert sharpness.all.positions == record.sides[side].positions.classes
            for part in (sharpness.all, sharpness.drawn):
                assert sum(part.keep_result) == sum(part.keep_outcome) == part.positions
                moves, result, outcome = part.means
                assert moves >= result >= outcome


def test_a_missing_table_is_named(table_folder: Path) -> None:
    with pytest.raises(MissingTableError, match="no table KQvKR"):
        sharpness_in(table_folder, table_named("KQvKR"))


def test_whole_game_mobility_is_refused(whole_game_folder: Path) -> None:
    from tbgen.score import Mobility
    from tbgen.storage.files import folder_for

    with pytest.raises(UsageError, match="whole-game"):
        sharpness_in(folder_for(whole_game_folder, Mobility.WHOLE_GAME), table_named("KvK"))


def test_means_are_over_positions() -> None:
    assert Sharpness((0, 1, 1), (2,), (0, 2)).means == (1.5, 0, 1)
    assert Sharpness((), (), ()).means == (0, 0, 0)
    assert Sharpness((1, 2), (0, 3), (0, 3)).only == 3
