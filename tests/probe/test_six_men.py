"""Six men: a table that is there answers.

Where none is, no table knows the position, and no error asks to build one.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import chess
import numpy as np
import pytest

from tbgen.errors import MissingTableError, TooManyMenError
from tbgen.index.bulk import cells_of
from tbgen.index.layout import layout_of
from tbgen.material import table_named
from tbgen.probe import Fault, Tablebase, open_tablebase
from tbgen.storage.files import path_of
from tbgen.storage.reader import TableFile
from tests.library.made_up import write_made_up
from tests.positions import random_board, squares_of

SIX = table_named("KRBvKRN")
OTHER = chess.Board("8/8/8/4KBkq/8/8/8/R6r w - - 0 1")


@pytest.fixture(scope="module")
def six_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of 21 billion cells, made up."""
    folder = tmp_path_factory.mktemp("six")
    write_made_up(folder, SIX)
    return folder


@pytest.fixture
def six(six_folder: Path) -> Iterator[Tablebase]:
    with open_tablebase(six_folder) as opened:
        yield opened


def test_a_table_of_six_men_answers_with_what_its_file_says(
    six: Tablebase, six_folder: Path
) -> None:
    draw = random.Random(6)
    layout = layout_of(SIX)
    boards = [random_board(draw, SIX) for _ in range(300)]
    sides = np.array([not board.turn for board in boards], np.int64)
    men = np.array([squares_of(board, layout.slots) for board in boards])
    with TableFile(path_of(six_folder, SIX)) as file:
        entry, dtg, _ = file.look_up(cells_of(layout, sides, men))
    assert len(np.unique(entry)) > 10
    many = six.probe_many(boards)
    mirrored = six.probe_many([board.mirror() for board in boards])
    for number, board in enumerate(boards):
        expected = int(entry[number]), int(dtg[number])
        found = six.probe(board)
        assert (found.outcome.signed, found.dtg) == expected, board.fen()
        assert (int(many.outcome[number]), int(many.dtg[number])) == expected
        assert (-int(mirrored.outcome[number]), int(mirrored.dtg[number])) == expected


def test_where_there_is_none_no_table_knows_the_position(six: Tablebase, tables: Tablebase) -> None:
    for there in (six, tables):
        with pytest.raises(TooManyMenError, match="KRBvKQR has 6 men; whole tables have at most 5"):
            there.probe(OTHER)
        assert there.get(OTHER) is None
        castling = chess.Board("4k2r/7r/8/8/8/8/8/R3K2R w Q - 0 1")
        for board in (OTHER, castling, chess.Board()):
            assert there.probe_many([board]).fault_of(0) is Fault.TOO_MANY_MEN
        with pytest.raises(TooManyMenError):
            there.probe(castling)
    with pytest.raises(MissingTableError):
        six.probe(chess.Board("8/8/8/4KBkq/8/8/8/8 w - - 0 1"))
