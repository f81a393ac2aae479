"""Tables of whole-game mobility, asked as those of r-mobility are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import chess
import numpy as np
import pytest

from tbgen.errors import AccruedError, UsageError
from tbgen.material import materials
from tbgen.probe import Tablebase, open_tablebase
from tbgen.score import Mobility, Score
from tests.positions import random_boards
from tests.reference.one_ply import Ints, wrong_pairs

SEED = 27
TAKEN = "8/8/8/8/8/1k6/2B5/5K2 b - - 0 1"
"""Black may take the bishop."""


@pytest.fixture(scope="module")
def whole(whole_game_folder: Path) -> Iterator[Tablebase]:
    with open_tablebase(whole_game_folder, mobility="whole-game") as opened:
        yield opened


class Answers:
    """What tables say of pairs, as the check by single plies asks it; `spoiled` answers are wrong."""

    def __init__(self, tables: Tablebase, *, value: int = 0, dtg: int = 0) -> None:
        self.tables, self.value, self.dtg = tables, value, dtg

    def __call__(self, name: str, side: Ints, squares: Ints, accrued: Ints, jumped: Ints) -> tuple[Ints, Ints]:
        pairs = accrued if accrued.any() else None
        many = self.tables.probe_many(name, side == 0, squares, accrued=pairs, en_passant=jumped)
        assert not many.fault.any()
        outcome, dtg = many.outcome.astype(np.int64), many.dtg.astype(np.int64)
        if pairs is not None:
            outcome[7] += self.value
            dtg[7] += self.dtg
        return outcome, dtg


@pytest.mark.parametrize("name", ["KvK", "KNvK", "KBvK", "KRvK", "KQvK", "KPvK"])
def test_random_pairs_are_worth_what_the_moves_of_the_reference_say(whole: Tablebase, name: str) -> None:
    assert wrong_pairs(name, 2000, SEED, Answers(whole)) == []


@pytest.mark.parametrize("spoiled", [{"value": 1}, {"dtg": 1}])
def test_a_wrong_value_or_distance_of_a_pair_is_found(whole: Tablebase, spoiled: dict[str, int]) -> None:
    found = wrong_pairs("KRvK", 200, SEED, Answers(whole, **spoiled))
    assert len(found) == 1
    assert found[0].startswith("KRvK: side ")


def test_many_positions_are_answered_as_single_ones(whole: Tablebase) -> None:
    boards = random_boards(SEED, 40, materials(3))
    asked = [(board, each) for board in boards for each in whole.probe_every_accrued(board)]
    many = whole.probe_many([board for board, _ in asked], accrued=[each.accrued for _, each in asked])
    assert list(many) == [(each.outcome, each.dtg) for _, each in asked]


def test_a_score_outlives_the_man_that_made_it(whole: Tablebase) -> None:
    board, accrued = chess.Board(TAKEN), Score("G1.5")
    assert whole.probe(board, accrued).outcome == accrued
    capture = next(each for each in whole.probe_moves(board, accrued) if each.san == "Kxc2")
    assert (capture.reset, capture.accrued, capture.outcome, capture.dtg) == (True, accrued, accrued, 0)


def test_a_bare_king_may_have_given_check_before(whole: Tablebase, table_folder: Path) -> None:
    board, check = chess.Board("8/8/8/2k5/8/4K3/8/8 w - - 0 1"), Score("-G2.0")
    assert whole.probe(board, check).outcome.code <= 4
    with open_tablebase(table_folder) as tables, pytest.raises(AccruedError):
        tables.probe(board, check)


def test_the_folder_of_one_game_is_not_taken_for_that_of_the_other(whole_game_folder: Path) -> None:
    with pytest.raises(UsageError):
        open_tablebase(whole_game_folder / "whole-game")
    with open_tablebase(whole_game_folder) as tables:
        assert tables.available() == []
    with open_tablebase(whole_game_folder / "whole-game", mobility=Mobility.WHOLE_GAME) as tables:
        assert len(tables) == 6
