"""The search at the end of the clock, beside the slow twin of tests/reference."""

from __future__ import annotations

import random
from pathlib import Path

import chess
import pytest

from tbgen.clock.search import search
from tbgen.probe import Tablebase, open_tablebase
from tbgen.rules.position import own_score
from tbgen.rules.stage import FiftyMoves, FiftyMoveSetting
from tbgen.score import Accrued, Color
from tests.reference import clock

SETTINGS = [FiftyMoveSetting.FIDE, FiftyMoveSetting.LEGACY, FiftyMoveSetting.RESET]
NAMES = ["KvK", "KBvK", "KNvK", "KPvK", "KRvK", "KQvK", "KvKN", "KvKP"]


def entry_in(tables: Tablebase, board: chess.Board) -> clock.Score:
    found = tables.probe(board.copy(stack=False)).outcome
    return int(found.holder), found.code


def random_position(name: str, chance: random.Random) -> chess.Board:
    """A legal position that is not over."""
    white, black = name.split("v")
    while True:
        board = chess.Board(None)
        for square, letter in zip(chance.sample(range(64), len(name) - 1), white + black.lower(), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = chance.random() < 0.5
        if board.is_valid() and any(board.legal_moves):
            return board


def random_accrued(board: chess.Board, chance: random.Random) -> Accrued:
    """A score that may have accrued, most often a low one."""
    own = own_score(board)
    return (
        own
        if chance.random() < 0.3
        else Accrued(chance.randrange(2, 18), chance.choice(list(Color))).after(own, reset=False)
    )


@pytest.mark.parametrize("name", ["KBvK", "KNvK", "KRvK", "KQvK", "KPvK"])
def test_bounds_that_meet_are_the_value(name: str, table_folder: Path) -> None:
    chance, met = random.Random(name), 0
    with open_tablebase(table_folder) as tables:
        for _ in range(60):
            board = random_position(name, chance)
            accrued, plies = random_accrued(board, chance), chance.randrange(2, 7)
            if accrued.code > 12:
                continue
            whole = search(tables, board, accrued, plies, FiftyMoves())
            assert whole is not None
            found = search(tables, board, accrued, plies, FiftyMoves(), most_states=whole.states // 2)
            assert found is None or found.outcome == whole.outcome, (board.fen(), accrued, plies)
            met += found is not None and whole.states > 1
    assert met > 0


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("setting", SETTINGS)
def test_the_search_finds_what_every_line_gives(name: str, setting: FiftyMoveSetting, table_folder: Path) -> None:
    chance = random.Random(f"{name} {setting.value}")
    with open_tablebase(table_folder) as tables:
        for _ in range(12):
            board = random_position(name, chance)
            accrued, plies = random_accrued(board, chance), chance.randrange(1, 4)
            rule = FiftyMoves(setting, chance.choice([12, 12, 4, 8, 16]))
            found = search(tables, board, accrued, plies, rule)
            assert found is not None
            how = "reset" if setting is FiftyMoveSetting.RESET else "fide"
            expected = clock.value(
                board,
                (int(accrued.holder), accrued.code),
                plies,
                how,
                rule.cutoff_code,
                lambda there: entry_in(tables, there),
            )
            assert (int(found.outcome.holder), found.outcome.code) == expected, (board.fen(), accrued, plies, rule)
