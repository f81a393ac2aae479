"""The match from random positions with even chances, as far as it is not played."""

from __future__ import annotations

import importlib
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import chess
import chess.pgn
import pytest

from tbgen.probe import open_tablebase
from tbgen.score import Color, Score


@pytest.fixture(scope="module")
def spar() -> Iterator[ModuleType]:
    scripts = str(Path(__file__).parent.parent / "scripts")
    sys.path.insert(0, scripts)
    yield importlib.import_module("spar")
    sys.path.remove(scripts)


def test_chances_are_even_and_the_positions_always_the_same(spar: ModuleType, table_folder: Path) -> None:
    with open_tablebase(table_folder) as judge:
        boards = [spar.openings(judge, men, 30) for men in (4, 5)]
        assert boards == [spar.openings(judge, men, 30) for men in (4, 5)]
    for men, drawn in zip((4, 5), boards, strict=True):
        for board in drawn:
            values = [
                spar.VALUES.get(man.symbol().upper(), 0) * (1 if man.color else -1)
                for man in board.piece_map().values()
            ]
            assert len(values) == men
            assert abs(sum(values)) <= spar.EVEN


def test_a_promise_is_made_by_the_first_position_that_a_table_knows(spar: ModuleType, table_folder: Path) -> None:
    read = chess.pgn.read_game(
        io.StringIO('[FEN "7k/8/5K2/8/8/8/7p/1R6 w - - 0 1"]\n\n1. Rh1 Kg8 2. Rxh2 Kf8 3. Ra2 Ke8 *')
    )
    with open_tablebase(table_folder) as judge:
        final, promise = spar.replayed(read, judge)
    assert promise == Score(0, Color.WHITE)
    assert final == Score(3, Color.WHITE)  # and no mate
