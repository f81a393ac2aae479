"""The search beside the slow twin of tests/reference."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import chess
import pytest

from tbgen.apps.play.search import Engine, Searched
from tbgen.apps.play.situation import Situation
from tbgen.probe import Tablebase, open_tablebase
from tbgen.rules.position import board_after, own_score
from tbgen.score import Color, Score
from tests import positions
from tests.reference import minimax

MEN = "PPNBRQpnbrq"


def random_root(men: int, chance: random.Random) -> Situation:
    """A position with a score that may have accrued, and some that end the game if they arise."""
    board = positions.random_root(chance, "Kk" + "".join(chance.choices(MEN, k=men - 2)))
    accrued = own_score(board)
    if chance.random() < 0.7:
        code = chance.randrange(2, 30)
        holder = chance.choice(list(Color))
        accrued = Score(code, holder).after(accrued, reset=False)
    over = Counter[str]()
    for _ in range(chance.randrange(8)):
        walker = board.copy(stack=False)
        for _ in range(chance.randrange(1, 4)):
            moves = list(walker.legal_moves)
            if moves:
                walker.push(chance.choice(moves))
        over[walker.epd()] = 2
    return Situation(board, accrued, over)


def situation_of(board: chess.Board) -> Situation:
    """A position in its own score."""
    return Situation(board, own_score(board), Counter())


def slow_value(root: Situation, depth: int, tables: Tablebase) -> int:
    """The value by the slow twin, for the side to move."""

    def entry(board: chess.Board) -> minimax.Score | None:
        if board.ep_square is not None:
            return None
        probe = tables.get(board.copy(stack=False))
        if probe is None:
            return None
        return int(probe.outcome.holder), probe.outcome.code

    accrued = (int(root.accrued.holder), root.accrued.code)
    value = minimax.value(root.board.copy(stack=False), accrued, depth, entry, set(root.seen))
    return value if root.board.turn == chess.WHITE else -value


def no_tables() -> Tablebase:
    return Tablebase("nowhere", missing_ok=True)


def last(engine: Engine, root: Situation, depth: int, **wanted: Any) -> Searched:
    *_, deepest = engine.deepen(root, depth, **wanted)
    return deepest


def value_of(engine: Engine, root: Situation, depth: int, **wanted: Any) -> int:
    return last(engine, root, depth, **wanted).lines[0].value


def values_by_depth(
    engine: Engine, root: Situation, depth: int, most_nodes: int | None = None
) -> list[int]:
    return [searched.lines[0].value for searched in engine.deepen(root, depth, most_nodes)]


@pytest.mark.parametrize(
    ("men", "depth", "number"),
    [
        (3, 3, 2),
        (4, 2, 8),
        (5, 2, 5),
        (6, 1, 12),
        (8, 1, 10),
        pytest.param(3, 4, 8, marks=pytest.mark.slow),
        pytest.param(4, 3, 25, marks=pytest.mark.slow),
        pytest.param(5, 3, 10, marks=pytest.mark.slow),
        pytest.param(5, 4, 1, marks=pytest.mark.slow),
        pytest.param(6, 3, 5, marks=pytest.mark.slow),
        pytest.param(8, 2, 30, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("with_tables", [False, True])
def test_the_value_is_that_of_every_line(
    tables: Tablebase, men: int, depth: int, number: int, with_tables: bool
) -> None:
    asked = tables if with_tables else no_tables()
    engine = Engine(asked)
    chance = random.Random(men)
    for _ in range(number):
        root = random_root(men, chance)
        expected = slow_value(root, depth, asked)
        assert value_of(engine, root, depth) == expected, f"{root.board.fen()} {root.accrued}"


def test_a_pawn_that_is_taken_en_passant_behind_the_depth_is_lost() -> None:
    board = chess.Board("k7/8/8/8/1p6/8/P7/K7 w - - 0 1")
    jump = chess.Move.from_uci("a2a4")
    value = value_of(Engine(no_tables()), situation_of(board), 1, only=[jump])
    after = situation_of(board_after(board, jump))
    assert value == -slow_value(after, 0, no_tables())


def test_what_is_stored_of_other_depths_and_positions_changes_no_value(tables: Tablebase) -> None:
    chance = random.Random(4)
    used = Engine(tables)
    for men in (4, 6, 12, 24):
        root = random_root(men, chance)
        value = value_of(used, root, 4)
        fresh = value_of(Engine(tables), root, 4, only=list(root.board.legal_moves))
        assert value == fresh, root.board.fen()


def test_a_search_that_was_cut_off_leaves_no_question_without_an_answer(tables: Tablebase) -> None:
    root = random_root(5, random.Random(1))
    engine = Engine(tables)
    expected = values_by_depth(Engine(tables), root, 4)
    for nodes in range(1, 1500, 37):
        values = values_by_depth(engine, root, 4, nodes)
        assert values == expected[: len(values)]
    assert values_by_depth(engine, root, 4) == expected


def test_a_damaged_table_is_worth_as_much_as_a_missing_one(
    table_folder: Path, tmp_path: Path
) -> None:
    root = situation_of(chess.Board("4k3/8/7Q/8/8/K7/b7/8 b - - 0 1"))

    def values_in(folder: Path) -> list[int]:
        with open_tablebase(folder) as tables:
            return values_by_depth(Engine(tables), root, 6)

    shutil.copytree(table_folder, tmp_path / "tables")
    path = tmp_path / "tables" / "KQvK.h5"
    content = path.read_bytes()
    path.write_bytes(content[:-1000])
    of_damaged = values_in(path.parent)
    path.unlink()
    assert values_in(path.parent) == of_damaged


def test_several_lines_are_the_best_moves_one_by_one(tables: Tablebase) -> None:
    chance = random.Random(5)
    engine = Engine(tables)
    for _ in range(5):
        root = random_root(5, chance)
        lines = last(engine, root, 2, most_lines=400).lines
        assert {line.moves[0] for line in lines} == set(root.board.legal_moves)
        for line in lines:
            assert value_of(engine, root, 2, only=[line.moves[0]]) == line.value
        values = [line.value for line in lines]
        assert values == sorted(values, reverse=True)
