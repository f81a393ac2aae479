"""Tables without their distances: every outcome as with them, and no promise of progress."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from pathlib import Path

import chess
import numpy as np
import pytest

from tbgen.errors import MissingDistancesError
from tbgen.material import table_named
from tbgen.probe import MoveProbe, Tablebase, open_tablebase
from tbgen.score import Score
from tbgen.storage.files import Layer, path_of, tables_in
from tests.copies import copy_tables
from tests.positions import BISHOP, random_board


@pytest.fixture(scope="module")
def folder(table_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All tables of two and three men, without distances."""
    made = tmp_path_factory.mktemp("outcomes")
    for material in tables_in(table_folder):
        copy_tables(table_folder, made, str(material))
        path_of(made, material, Layer.DISTANCES).unlink()
    return made


@pytest.fixture(params=["no distances are there", "they are not wanted"])
def bare(request: pytest.FixtureRequest, folder: Path, table_folder: Path) -> Iterator[Tablebase]:
    wanted = request.param == "they are not wanted"
    with open_tablebase(table_folder if wanted else folder, outcomes_only=wanted) as opened:
        yield opened


def asked(tables: Tablebase, number: int, seed: int) -> Iterator[tuple[chess.Board, Score | None]]:
    """Legal positions of every table, with scores that can have accrued or none."""
    draw = random.Random(seed)
    for material in tables.available():
        for _ in range(number):
            board = random_board(draw, material)
            scores = [probe.accrued for probe in tables.probe_every_accrued(board)]
            yield board, draw.choice([None, *scores])


def test_outcomes_are_those_with_distances(bare: Tablebase, tables: Tablebase) -> None:
    for board, accrued in asked(tables, 25, 1):
        found = bare.probe(board, accrued)
        expected = tables.probe(board, accrued)
        assert found.outcome == expected.outcome
        assert found.accrued == expected.accrued
        assert found.dtg is None
        moves = bare.probe_moves(board, accrued)
        expected_moves = tables.probe_moves(board, accrued)
        assert facts_without_distances(moves) == facts_without_distances(expected_moves)
        assert all(move.dtg is None for move in moves)
        keeping = [move for move in moves if move.keeps]
        assert list(moves[: len(keeping)]) == keeping, "they come first"
        assert moves.best == (keeping if len(keeping) == 1 else [])


def facts_without_distances(moves: Iterable[MoveProbe]) -> dict[chess.Move, tuple[object, ...]]:
    return {move.move: (move.outcome, move.keeps, move.reset) for move in moves}


def test_many_outcomes_are_those_with_distances(bare: Tablebase, tables: Tablebase) -> None:
    boards, scores = zip(*asked(tables, 80, 2), strict=True)
    found = bare.probe_many(boards, accrued=scores)
    expected = tables.probe_many(boards, accrued=scores)
    assert (found.outcome == expected.outcome).all()
    assert (found.fault == expected.fault).all()
    assert {answer[1] for answer in found if answer is not None} == {None}
    assert np.isnan(found.dtg).all()


def test_no_line_is_promised(bare: Tablebase) -> None:
    board = chess.Board(BISHOP)
    assert bare.probe_moves(board).best == []
    message = r"^only the outcomes of KBvK are in \S+; for distances: tbgen build KBvK --data \S+$"
    with pytest.raises(MissingDistancesError, match=message):
        bare.line(board)


def test_a_move_that_alone_keeps_the_outcome_is_best_play(bare: Tablebase) -> None:
    board = chess.Board("8/8/7K/5k2/8/7b/8/8 b - - 0 1")
    assert [move.san for move in bare.probe_moves(board).best] == ["Bg4"]


def test_distances_that_only_worse_moves_lack_are_not_missed(
    table_folder: Path, tables: Tablebase, tmp_path: Path
) -> None:
    copy_tables(table_folder, tmp_path, *map(str, tables_in(table_folder)))
    path_of(tmp_path, table_named("KNvK"), Layer.DISTANCES).unlink()
    board = chess.Board("8/P7/8/8/8/k7/8/2K5 w - - 0 1")
    with open_tablebase(tmp_path) as partly:
        moves = partly.probe_moves(board)
    assert moves.best == tables.probe_moves(board).best
    assert moves.best != []
    assert [str(move.move) for move in moves if move.dtg is None] == ["a7a8n"]
    path_of(tmp_path, table_named("KRvK"), Layer.DISTANCES).unlink()
    with open_tablebase(tmp_path) as partly:
        assert partly.probe_moves(board).best == []
        with pytest.raises(MissingDistancesError, match="the outcomes of KRvK are"):
            partly.line(board)
