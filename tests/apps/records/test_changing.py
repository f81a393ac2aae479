"""Where the accrued score changes the best move, beside probes of every move with every score."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import chess
import numpy as np
import pytest

import tbgen
from tbgen.apps.records.making import changes_in, count_in, possible_scores
from tbgen.apps.records.record import Changes
from tbgen.errors import AccruedError
from tbgen.index.layout import fen_of_cell, layout_of
from tbgen.material import Material
from tbgen.rules.position import own_score
from tbgen.score import Color, Score
from tbgen.storage.files import path_of
from tbgen.storage.reader import TableFile
from tbgen.verify.resets import Cells, positions_among

Counter = Callable[[Cells], int]


@contextlib.contextmanager
def counter(folder: Path, name: str) -> Iterator[Counter]:
    """How many of some cells have a best move that the accrued score changes."""
    with contextlib.ExitStack() as files:

        def opened(material: Material) -> TableFile:
            return files.enter_context(TableFile(path_of(folder, material)))

        file = opened(Material.parse(name))
        yield lambda cells: count_in(file, opened, cells)[1]


def first_changing(count: Counter, cells: Cells, wanted: int) -> list[int]:
    """Some of the changing cells, found by halving."""
    if wanted <= 0 or not len(cells) or not count(cells):
        return []
    if len(cells) == 1:
        return [int(cells[0])]
    left, right = np.array_split(cells, 2)
    found = first_changing(count, left, wanted)
    return found + first_changing(count, right, wanted - len(found))


def best_moves(tables: tbgen.Tablebase, board: chess.Board, accrued: Score) -> set[str]:
    """Those that keep the outcome, however long they take."""
    moves = tables.probe_moves(board, accrued)
    return {each.move.uci() for each in moves if each.outcome == moves[0].outcome}


def is_changed(tables: tbgen.Tablebase, fen: str) -> bool:
    """Whether some score has no best move in common with the position's own."""
    board = chess.Board(fen)
    own = own_score(board)
    usual = best_moves(tables, board, own)
    for code in range(2, own.code + 1):
        for holder in Color:
            with contextlib.suppress(AccruedError):
                if not usual & best_moves(tables, board, Score(code, holder)):
                    return True
    return False


@pytest.mark.parametrize(("name", "changing"), [("KBvK", 2), ("KPvK", 2)])
def test_the_best_move_changes_where_probes_say_so(
    table_folder: Path, tables: tbgen.Tablebase, name: str, changing: int
) -> None:
    layout = layout_of(Material.parse(name))
    cells, random = positions_among(layout, np.arange(layout.cells)), np.random.default_rng(5)
    with counter(table_folder, name) as count:
        found = first_changing(count, cells, changing)
        assert len(found) == changing
        assert all(is_changed(tables, fen_of_cell(layout, cell)) for cell in found)
        for cell in random.choice(cells, 5, replace=False).tolist():
            assert is_changed(tables, fen_of_cell(layout, cell)) == bool(count(np.array([cell])))


def test_all_positions_that_have_moves_are_asked(table_folder: Path) -> None:
    with TableFile(path_of(table_folder, Material.parse("KvK"))) as file:
        assert changes_in(file, lambda _: pytest.fail("two kings have no children"), None) == Changes(924, 0, None)
        assert changes_in(file, lambda _: pytest.fail("two kings have no children"), 9).positions == 9


def test_bare_kings_leave_only_some_scores() -> None:
    possible = possible_scores(Material.parse("KBvK"))
    assert np.flatnonzero(possible[Color.WHITE]).max() == 17
    assert not possible[Color.BLACK, ::2].any()
    assert possible_scores(Material.parse("KBvKN"))[:, 2:].all(), "all but mate and stalemate"
