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
from tests.positions import random_root as random_board
from tests.reference import minimax

MEN = "PPNBRQpnbrq"


def random_root(men: int, chance: random.Random) -> Situation:
    """A position with a score that may have accrued, and some that end the game if they arise."""
    board = random_board(chance, "Kk" + "".join(chance.choices(MEN, k=men - 2)))
    accrued = own_score(board)
    if chance.random() < 0.7:
        accrued = Score(chance.randrange(2, 30), chance.choice(list(Color))).after(
            accrued, reset=False
        )
    over = Counter[str]()
    for _ in range(chance.randrange(8)):
        walker = board.copy(stack=False)
        for _ in range(chance.randrange(1, 4)):
            if moves := list(walker.legal_moves):
                walker.push(chance.choice(moves))
        over[walker.epd()] = 2
    return Situation(board, accrued, over)


def slow_value(root: Situation, depth: int, tables: Tablebase) -> int:
    """What the twin says, for the side to move."""

    def entry(board: chess.Board) -> minimax.Score | None:
        found = None if board.ep_square is not None else tables.get(board.copy(stack=False))
        return None if found is None else (int(found.outcome.holder), found.outcome.code)

    accrued = int(root.accrued.holder), root.accrued.code
    found = minimax.value(root.board.copy(stack=False), accrued, depth, entry, set(root.seen))
    return found if root.board.turn else -found


def last(engine: Engine, root: Situation, depth: int, **wanted: Any) -> Searched:
    *_, found = engine.deepen(root, depth, **wanted)
    return found


@pytest.mark.parametrize(
    ("men", "depth", "number"),
    [
        *((3, 3, 2), (4, 2, 8), (5, 2, 5), (6, 1, 12), (8, 1, 10)),
        *(
            pytest.param(*each, marks=pytest.mark.slow)
            for each in ((3, 4, 8), (4, 3, 25), (5, 3, 10), (5, 4, 1), (6, 3, 5), (8, 2, 30))
        ),
    ],
)
@pytest.mark.parametrize("with_tables", [False, True])
def test_the_value_is_that_of_every_line(
    tables: Tablebase, men: int, depth: int, number: int, with_tables: bool
) -> None:
    asked = tables if with_tables else Tablebase("nowhere", missing_ok=True)
    engine, chance = Engine(asked), random.Random(men)
    for _ in range(number):
        root = random_root(men, chance)
        assert last(engine, root, depth).lines[0].value == slow_value(root, depth, asked), (
            root.board.fen(),
            root.accrued,
        )


def test_a_pawn_that_is_taken_en_passant_behind_the_depth_is_lost() -> None:
    nowhere, board = (
        Tablebase("nowhere", missing_ok=True),
        chess.Board("k7/8/8/8/1p6/8/P7/K7 w - - 0 1"),
    )
    root, step = Situation(board, own_score(board), Counter()), chess.Move.from_uci("a2a4")
    found = last(Engine(nowhere), root, 1, only=[step]).lines[0].value
    after = board_after(board, step)
    assert found == -slow_value(Situation(after, own_score(after), Counter()), 0, nowhere)


def test_what_is_stored_of_other_depths_and_positions_changes_no_value(tables: Tablebase) -> None:
    chance, used = random.Random(4), Engine(tables)
    for men in (4, 6, 12, 24):
        root = random_root(men, chance)
        *_, found = used.deepen(root, 4)
        fresh = last(Engine(tables), root, 4, only=list(root.board.legal_moves))
        assert found.lines[0].value == fresh.lines[0].value, root.board.fen()


def test_a_search_that_was_cut_off_leaves_no_question_without_an_answer(tables: Tablebase) -> None:
    root, engine = random_root(5, random.Random(1)), Engine(tables)
    expected = [each.lines[0].value for each in Engine(tables).deepen(root, 4)]
    for nodes in range(1, 1500, 37):
        values = [each.lines[0].value for each in engine.deepen(root, 4, nodes)]
        assert values == expected[: len(values)]
    assert [each.lines[0].value for each in engine.deepen(root, 4)] == expected


def test_a_damaged_table_is_worth_as_much_as_a_missing_one(
    table_folder: Path, tmp_path: Path
) -> None:
    board, values = chess.Board("4k3/8/7Q/8/8/K7/b7/8 b - - 0 1"), list[list[int]]()
    root = Situation(board, own_score(board), Counter())
    for name in ("damaged", "missing"):
        shutil.copytree(table_folder, folder := tmp_path / name)
        content = (folder / "KQvK.h5").read_bytes()
        (folder / "KQvK.h5").unlink()
        if name == "damaged":
            (folder / "KQvK.h5").write_bytes(content[:-1000])
        with open_tablebase(folder) as tables:
            values.append([each.lines[0].value for each in Engine(tables).deepen(root, 6)])
    assert values[0] == values[1]


def test_several_lines_are_the_best_moves_one_by_one(tables: Tablebase) -> None:
    chance, engine = random.Random(5), Engine(tables)
    for _ in range(5):
        root = random_root(5, chance)
        lines = last(engine, root, 2, most_lines=400).lines
        assert {line.moves[0] for line in lines} == set(root.board.legal_moves)
        for line in lines:
            assert last(engine, root, 2, only=[line.moves[0]]).lines[0].value == line.value
        assert [line.value for line in lines] == sorted(
            (line.value for line in lines), reverse=True
        )
