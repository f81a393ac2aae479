"""The search at the end of the clock, beside the slow twin of tests/reference."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path

import chess
import pytest

from tbgen.apps.play.plies import search
from tbgen.apps.play.rounds import WORST, Asked, Round, Window
from tbgen.errors import AccruedError
from tbgen.probe import Probe, Tablebase, open_tablebase
from tbgen.rules.position import own_score
from tbgen.rules.stage import FiftyMoves, FiftyMoveSetting
from tbgen.score import Accrued, Color
from tests.apps.play.twin import said_by_twin
from tests.positions import random_root
from tests.reference import clock

SETTINGS = [FiftyMoveSetting.FIDE, FiftyMoveSetting.LEGACY, FiftyMoveSetting.RESET]
Known = dict[str, clock.Score]
"""Entry values that were asked for before."""
NAMES = ["KvK", "KBvK", "KNvK", "KPvK", "KRvK", "KQvK", "KvKN", "KvKP"]


def random_probe(tables: Tablebase, name: str, chance: random.Random) -> tuple[chess.Board, Probe]:
    """A position with a score that may have accrued, most often a low one."""
    while True:
        board = random_root(chance, name)
        own = own_score(board)
        accrued = Accrued(chance.randrange(2, 18), chance.choice(list(Color))).after(own, reset=False)
        with contextlib.suppress(AccruedError):
            return board, tables.probe(board, own if chance.random() < 0.3 else accrued)


def compare(
    tables: Tablebase, name: str, setting: FiftyMoveSetting, chance: random.Random, plies: int, known: Known
) -> None:
    """Hold the search of one random position to the slow twin, with the whole budget and with less."""
    board, probe = random_probe(tables, name, chance)
    accrued = probe.accrued
    rule = FiftyMoves(setting, chance.choice([12, 12, 4, 8, 16]))
    how = "reset" if setting is FiftyMoveSetting.RESET else "fide"
    found = search(tables, board, probe, plies, rule)
    assert found is not None

    expected = said_by_twin(tables, board, accrued, plies, how, rule.cutoff_code, known)
    assert found.outcome == expected, (board.fen(), accrued, plies, rule)
    less = search(tables, board, probe, plies, rule, most_states=found.states // 2)
    assert less is None or less.outcome == found.outcome, (board.fen(), accrued, plies, rule)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("setting", SETTINGS)
def test_the_search_finds_what_every_line_gives(name: str, setting: FiftyMoveSetting, table_folder: Path) -> None:
    chance = random.Random(f"{name} {setting.value}")
    with open_tablebase(table_folder) as tables:
        for _ in range(12):
            compare(tables, name, setting, chance, chance.randrange(1, 4), {})


@pytest.mark.parametrize(
    ("name", "plies"),
    [
        *((name, (4, 4, 5)) for name in ("KBvK", "KNvK", "KRvK", "KvKP")),
        *(pytest.param(name, (5, 6, 6), marks=pytest.mark.slow) for name in ("KBvK", "KNvK", "KRvK", "KPvK")),
    ],
)
@pytest.mark.parametrize("setting", [FiftyMoveSetting.FIDE, FiftyMoveSetting.RESET])
def test_the_search_finds_what_every_line_gives_of_four_to_six_plies(
    name: str, plies: tuple[int, ...], setting: FiftyMoveSetting, table_folder: Path
) -> None:
    chance, known = random.Random(f"deep {name} {setting.value} {max(plies)}"), Known()
    with open_tablebase(table_folder) as tables:
        for left in plies:
            compare(tables, name, setting, chance, left, known)


@pytest.mark.parametrize("name", ["KBvK", "KNvK", "KRvK", "KQvK", "KPvK"])
def test_rounds_in_which_a_side_has_one_move_find_what_one_without_limits_finds(name: str, table_folder: Path) -> None:
    """More plies than the slow twin reaches: bounds of tables and limited rounds against all lines."""
    chance, rule = random.Random(f"rounds {name}"), FiftyMoves()
    with open_tablebase(table_folder) as tables:
        for plies in (7, 8, 9):
            board, probe = random_probe(tables, name, chance)
            while probe.accrued.code > rule.cutoff_code:
                board, probe = random_probe(tables, name, chance)
            asked = Asked(tables, board, probe.accrued, plies, rule)
            wide = Round(asked, Window(-WORST, WORST), None, {}).played(1 << 60)[0]
            found = search(tables, board, probe, plies, rule, most_states=1 << 30)
            assert wide.is_shut
            assert found is not None
            assert found.outcome.worth_to(Color.WHITE) == wide.low, (board.fen(), probe.accrued, plies)
