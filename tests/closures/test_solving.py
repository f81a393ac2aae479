"""What a position solver says, against tables of positions that have them."""

import contextlib
import os
import random
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import chess
import numpy as np
import pytest

from tbgen.closures import closure_solver, kept, placements, plan
from tbgen.closures.answers import Brackets, Solution, in_order
from tbgen.closures.bounds import ANYTHING, Bracket, CutQuestion
from tbgen.closures.closure import Closure, PlannedBlock
from tbgen.closures.closure_solver import ClosureSolver
from tbgen.closures.costs import LISTING_SECONDS
from tbgen.closures.policy import Way
from tbgen.closures.reading import SolvedBlocks
from tbgen.closures.solver import PositionSolver
from tbgen.closures.store import FILE, BlockStore
from tbgen.errors import (
    BuildError,
    ClosureTooLargeError,
    NotEnoughMemoryError,
    UsageError,
)
from tbgen.probe import Tablebase, open_tablebase
from tbgen.rules.position import accruable, bare_sides, own_score
from tbgen.score import Score
from tbgen.system import process
from tests.closures.test_store import lose
from tests.positions import random_board

pytestmark = pytest.mark.usefixtures("unbundled")
"""Positions of three men are solved here, which have no table."""

SEED = 48
PATIENT = 3600.0
"""Seconds between two looks at running blocks, so that a slow machine looks once a block."""
PAWNS = "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1"
LATER = "8/8/4P3/4k3/8/8/8/4K3 w - - 0 1"
PAWNS_OF_BOTH = "8/1P6/8/4k3/8/8/4p3/2K5 w - - 0 1"
PIECES = ("KvK", "KNvK", "KBvK", "KRvK", "KQvK")

Folder = Callable[..., Path]


@pytest.fixture
def folder_of(tmp_path: Path, table_folder: Path) -> Folder:
    """A folder with the tables of some materials."""

    def made(*names: str) -> Path:
        for name in names:
            shutil.copy(table_folder / f"{name}.h5", tmp_path)
        return tmp_path

    return made


def solved(folder: Path, board: chess.Board | str, **settings: Any) -> Solution:
    """What a solver of its own says of a position."""
    with PositionSolver(folder, **settings) as solver:
        return solver.solve(board)


def pairs(
    draw: random.Random, names: Sequence[str], count: int
) -> Iterator[tuple[chess.Board, Score]]:
    """Positions with a score that can have accrued in them."""
    for _ in range(count):
        board = random_board(draw, draw.choice(names), en_passant=0.1)
        yield board, draw.choice(accruable(own_score(board), bare_sides(board)))


def contradictions(
    solver: PositionSolver, tables: Tablebase, asked: Iterable[tuple[chess.Board, Score]]
) -> list[str]:
    """The positions and moves whose value lies outside its bracket, or that are wrongly best."""
    faults = []
    for board, accrued in asked:
        position = f"{board.fen()} {accrued}"
        answer = solver.solve(board, accrued)
        truth = tables.probe(board, accrued).outcome
        if not answer.bracket.lower <= truth <= answer.bracket.upper:
            faults.append(f"{position}: {truth} is not in {answer.bracket}")
        known_moves = {known.move: known for known in tables.probe_moves(board, accrued)}
        for move in answer.moves:
            known = known_moves.pop(move.move)
            if not move.bracket.lower <= known.outcome <= move.bracket.upper:
                faults.append(f"{position} {move.san}: {known.outcome} is not in {move.bracket}")
            if move.best and not known.keeps:
                faults.append(f"{position} {move.san} is not best")
        assert not known_moves
    return faults


def brackets_of(answer: Solution) -> dict[str, Bracket]:
    """The bracket of each move, and that of the position, which has no name."""
    brackets = {move.san: move.bracket for move in answer.moves}
    brackets[""] = answer.bracket
    return brackets


def outside(near: Solution, far: Solution) -> list[str]:
    """The brackets of an answer that are not within those of another."""
    faults = []
    wide_brackets = brackets_of(far)
    for san, bracket in brackets_of(near).items():
        wide = wide_brackets[san]
        if not wide.lower <= bracket.lower <= bracket.upper <= wide.upper:
            faults.append(f"{near.fen} {san}: {bracket} is not within {wide}")
    return faults


def bracket_by_moves(answer: Solution) -> Bracket:
    """The best bounds that the moves of a position have; its own bracket if the game is over."""
    brackets = [move.bracket for move in answer.moves] or [answer.bracket]
    lower_bounds = [bracket.lower for bracket in brackets]
    upper_bounds = [bracket.upper for bracket in brackets]
    best = max if chess.Board(answer.fen).turn == chess.WHITE else min
    return Bracket(best(lower_bounds), best(upper_bounds))


def test_no_bracket_excludes_the_value_of_a_table_whose_promotions_are_hidden(
    folder_of: Folder, tables: Tablebase
) -> None:
    with PositionSolver(folder_of("KvK")) as solver:
        assert contradictions(solver, tables, pairs(random.Random(SEED), ["KPk", "Kkp"], 25)) == []


def test_solved_promotions_make_every_value_exact(folder_of: Folder, tables: Tablebase) -> None:
    distances = [f"{name}.dtg" for name in PIECES]
    with PositionSolver(folder_of(*PIECES, *distances)) as solver:
        for board, accrued in pairs(random.Random(SEED), ["KPk", "Kkp"], 30):
            answer = solver.solve(board, accrued)
            assert answer.plan.exact
            assert answer.bracket.exact == tables.probe(board, accrued).outcome
            keeping = [move.move for move in tables.probe_moves(board, accrued) if move.keeps]
            best = [move.move for move in answer.moves if move.best]
            assert best == sorted(keeping, key=chess.Move.uci)


def test_moves_are_bounded_as_closely_as_by_tables_that_replies_lead_to(
    folder_of: Folder,
) -> None:
    """After a7-a8=N, which is not solved, Black takes the other knight."""
    position = "8/P7/3k4/3N4/8/8/8/7K w - - 0 1"
    folder = folder_of(*PIECES)
    with Tablebase(folder, missing_ok=True) as tables:
        proved = {move.move: move.bounds for move in tables.prove(position).moves}
    for move in solved(folder, position).moves:
        bounds = proved.pop(move.move)
        assert bounds.least <= move.bracket.lower <= move.bracket.upper <= bounds.most, move.san
    assert not proved


@pytest.mark.slow
def test_no_bracket_of_four_men_excludes_the_value_of_its_table(
    tmp_path: Path, four_men_folder: Path
) -> None:
    for path in (*four_men_folder.glob("K?vK.*h5"), four_men_folder / "KvK.h5"):
        shutil.copy(path, tmp_path)
    with PositionSolver(tmp_path) as solver, open_tablebase(four_men_folder) as tables:
        for solver.budget in (1, 2, 100):  # queens alone, knights too, all
            for names in (["KPkp"], ["KRkp", "KPkr"], ["KPPk", "Kkpp"]):
                assert contradictions(solver, tables, pairs(random.Random(SEED), names, 100)) == []


def test_cuts_come_as_close_as_all_outcomes_with_the_same_bounds(
    folder_of: Folder, tables: Tablebase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "ways_of", lambda free: [Way(0, 0, free)])
    asked = list(pairs(random.Random(SEED), ["KPk", "Kkp"], 8))
    folder = folder_of("KvK")
    with PositionSolver(folder) as solver:
        whole_solutions = [solver.solve(board, accrued) for board, accrued in asked]
    forget_answers(folder)
    monkeypatch.setattr(plan, "ways_of", lambda free: [Way(0, 0, free, coarse_free=0)])
    with PositionSolver(folder) as solver:
        assert contradictions(solver, tables, asked) == []
        for (board, accrued), by_outcomes in zip(asked, whole_solutions, strict=True):
            by_cuts = solver.solve(board, accrued)
            assert by_cuts.bracket == by_outcomes.bracket
            assert outside(by_outcomes, by_cuts) == []


def test_later_questions_are_watched_too_and_a_server_finds_their_answers(
    folder_of: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "ways_of", lambda free: [Way(0, 0, free, coarse_free=0)])
    monkeypatch.setattr(closure_solver, "TICK_SECONDS", PATIENT)
    told = list[float]()
    folder = folder_of("KvK")
    with PositionSolver(folder) as solver:
        planned = solver.plan(LATER).nodes
        found = solver.solve(LATER, watch=told.append)
    assert told == sorted(told)
    assert told[-1] == 1
    assert len(told) == found.plan.nodes + 1
    assert len(told) > 2 * planned + 1
    with PositionSolver(folder) as solver:
        again = solver.solved(LATER)
    assert again is not None
    assert again.facts()["moves"] == found.facts()["moves"]


def test_a_right_to_take_en_passant_counts_at_the_root(
    folder_of: Folder, tables: Tablebase
) -> None:
    board = chess.Board("8/8/8/8/3pP2k/8/8/K7 b - e3 0 1")
    with PositionSolver(folder_of(*PIECES), budget=1) as solver:
        with_right = solver.solve(board)
        without = solver.solve("8/8/8/8/3pP2k/8/8/K7 b - - 0 1")
    (taking,) = [move for move in with_right.moves if board.is_en_passant(move.move)]
    assert taking.move not in {move.move for move in without.moves}
    assert with_right.accrued.code == without.accrued.code + 2
    board.push(taking.move)
    assert taking.bracket.lower <= tables.probe(board).outcome <= taking.bracket.upper
    assert with_right.bracket == bracket_by_moves(with_right)


def test_a_double_step_has_the_same_bounds_in_a_mirror_image(folder_of: Folder) -> None:
    """The pawn may be taken en passant. One of both placements is the mirror image of its node."""
    board = chess.Board("8/8/4k3/8/2p5/8/1P6/4K3 w - - 0 1")
    mirrored = board.transform(chess.flip_horizontal)
    with PositionSolver(folder_of(*PIECES), budget=2) as solver:
        for turn in chess.COLORS:
            board.turn = turn
            mirrored.turn = turn
            moves = {move.move: move.bracket for move in solver.solve(board).moves}
            for move in solver.solve(mirrored).moves:
                image = chess.Move(
                    move.move.from_square ^ 7, move.move.to_square ^ 7, move.move.promotion
                )
                assert move.bracket == moves[image]


@pytest.mark.parametrize("shares", [True, False])
def test_reversed_colours_exchange_the_bounds(
    folder_of: Folder, monkeypatch: pytest.MonkeyPatch, *, shares: bool
) -> None:
    """Either side's pawn can be taken, so that one material is reached in both colours."""
    if not shares:
        monkeypatch.setattr(placements, "is_reversed_in_root", lambda _: False)
    folder = folder_of("KvK")
    board = chess.Board(PAWNS_OF_BOTH)
    with PositionSolver(folder, budget=1) as solver:
        solution = solver.solve(board, "G4.0")
        names_before = names_in(folder)
        of_mirror = solver.solve(board.mirror(), "-G4.0")
    assert (names_in(folder) == names_before) is shares
    assert of_mirror.bracket == solution.bracket.flipped()
    assert of_mirror.bracket != solution.bracket
    expected = {}
    for move in solution.moves:
        turned = chess.Move(
            chess.square_mirror(move.move.from_square),
            chess.square_mirror(move.move.to_square),
            move.move.promotion,
        )
        expected[turned] = move.bracket.flipped()
    assert {move.move: move.bracket for move in of_mirror.moves} == expected


def test_a_solver_answers_the_same_whatever_it_was_asked_before(folder_of: Folder) -> None:
    """One solver answers from closures in which the same block leads to bounds, or does not."""
    with PositionSolver(folder_of(*PIECES)) as solver:
        solver.budget = 1
        solver.solve(PAWNS_OF_BOTH)
        solver.budget = 100
        second = solver.solve(PAWNS_OF_BOTH)
    alone = solved(folder_of(), PAWNS_OF_BOTH, budget=100)
    assert alone.facts()["moves"] == second.facts()["moves"]


def test_progress_moves_while_a_block_is_solved_and_never_falls(
    folder_of: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "ways_of", lambda free: [Way(0, 0, free, coarse_free=0)])
    monkeypatch.setattr(closure_solver, "TICK_SECONDS", 0.001)
    told = list[float]()
    with PositionSolver(folder_of("KvK")) as solver:
        found = solver.solve(PAWNS, watch=told.append)
    assert told == sorted(told)
    assert len(set(told)) > found.plan.nodes + 1


def names_in(folder: Path) -> set[str]:
    """The names of the solved blocks."""
    path = folder / "solved" / FILE
    if not path.exists():
        return set()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return {name for (name,) in connection.execute("SELECT name FROM blocks")}


def blocks_in(folder: Path) -> set[str]:
    """The solved blocks, whether with one bound or with both."""
    return {name.rpartition("-")[0] for name in names_in(folder)}


def forget_answers(folder: Path) -> None:
    """Let positions be answered from their blocks again."""
    with contextlib.closing(sqlite3.connect(folder / "solved" / FILE)) as connection:
        connection.execute("DELETE FROM answers")
        connection.commit()


def test_solved_blocks_are_used_again_with_the_same_tables(folder_of: Folder) -> None:
    folder = folder_of("KvK")
    first = solved(folder, PAWNS)
    made = blocks_in(folder)
    assert len(made) == first.plan.nodes
    forget_answers(folder)
    again = solved(folder, PAWNS)
    assert again.facts()["moves"] == first.facts()["moves"]
    assert again.plan.nodes == 0
    assert blocks_in(folder) == made
    solved(folder_of("KQvK"), PAWNS)
    assert len(blocks_in(folder)) == 2 * len(made), "another table is another key"


def test_the_blocks_of_the_last_position_stay_when_others_take_too_much_room(
    folder_of: Folder,
) -> None:
    folder = folder_of("KvK")
    with PositionSolver(folder) as solver:
        solver.cache_bytes = 0
        for board in map(chess.Board, (PAWNS, LATER)):
            solver.bracket(board, own_score(board))
        assert len(blocks_in(folder)) == 2, "e6 and e7"
        assert solver.plan(LATER).nodes == 0 < solver.plan(PAWNS).nodes


def test_a_damaged_block_is_solved_again(folder_of: Folder) -> None:
    folder = folder_of("KvK")
    first = solved(folder, PAWNS)
    forget_answers(folder)
    with contextlib.closing(sqlite3.connect(folder / "solved" / FILE)) as connection:
        chunks = connection.execute("SELECT number, content FROM chunks").fetchall()
        for number, content in chunks[::2]:
            damaged = content[:-1] + bytes([content[-1] ^ 1])
            connection.execute("UPDATE chunks SET content = ? WHERE number = ?", (damaged, number))
        connection.commit()
    assert solved(folder, PAWNS).facts()["moves"] == first.facts()["moves"]


def test_an_answer_is_found_without_planning_until_a_table_changes(
    folder_of: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_of(*PIECES)
    with PositionSolver(folder) as solver:
        first = solver.solve(PAWNS, line=True)
    assert first.bracket.is_exact
    monkeypatch.setattr(
        placements.PlacementMoves, "_listed", mock.Mock(side_effect=AssertionError("it plans"))
    )
    with PositionSolver(folder) as solver:
        kept = solver.solved(PAWNS, line=True)
        assert kept is not None
        nothing_solved = {"cpu_seconds": 0, "nodes": 0, "cells": 0}
        assert kept.facts() | nothing_solved == first.facts() | nothing_solved
        assert solver.solve(PAWNS).bracket == first.bracket
        assert solver.solved(LATER) is None
    (folder / "KQvK.h5").unlink()
    with PositionSolver(folder) as solver:
        assert solver.solved(PAWNS) is None


def on_squares_of(board: chess.Board, draw: random.Random) -> chess.Board:
    """A legal position with the same pawns, and kings anywhere."""
    while True:
        other = chess.Board(None)
        for square in board.pieces(chess.PAWN, chess.WHITE) | board.pieces(chess.PAWN, chess.BLACK):
            other.set_piece_at(square, board.piece_at(square))
        empty = [square for square in chess.SQUARES if other.piece_at(square) is None]
        white, black = draw.sample(empty, 2)
        other.set_piece_at(white, chess.Piece(chess.KING, chess.WHITE))
        other.set_piece_at(black, chess.Piece(chess.KING, chess.BLACK))
        other.turn = draw.choice(chess.COLORS)
        if other.is_valid():
            return draw.choice((other, other.transform(chess.flip_horizontal), other.mirror()))


@pytest.mark.parametrize("names", [PIECES, ("KvK",)], ids=["all promotions", "bounds"])
def test_a_solve_answers_every_position_of_its_block_with_any_accrued_score(
    folder_of: Folder, tables: Tablebase, monkeypatch: pytest.MonkeyPatch, names: Sequence[str]
) -> None:
    draw = random.Random(SEED)
    with PositionSolver(folder_of(*names)) as solver:
        solver.solve(PAWNS)
        monkeypatch.setattr(
            placements.PlacementMoves, "_listed", mock.Mock(side_effect=AssertionError("it plans"))
        )
        for _ in range(60):
            board = on_squares_of(chess.Board(PAWNS), draw)
            accrued = draw.choice(accruable(own_score(board), bare_sides(board)))
            answer = solver.solved(board, accrued)
            assert answer is not None
            truth = tables.probe(board, accrued).outcome
            assert answer.bracket.lower <= truth <= answer.bracket.upper
            assert answer.bracket.is_exact or names != PIECES
            known = {move.move: move.outcome for move in tables.probe_moves(board, accrued)}
            for move in answer.moves:
                assert move.bracket.lower <= known[move.move] <= move.bracket.upper


def test_a_solve_answers_no_position_whose_kings_stand_elsewhere(folder_of: Folder) -> None:
    """Neither king can cross the chain, so each side of it has a closure of its own."""
    chain = "p1p1p1p1/P1P1P1P1"
    with PositionSolver(folder_of("KvK")) as solver:
        solver.solve(f"6k1/8/{chain}/8/8/8/1K6 w - - 0 1")
        assert solver.solved(f"8/6k1/{chain}/8/8/7K/8 b - - 0 1") is not None
        assert solver.solved(f"1K6/8/{chain}/8/6k1/8/8 w - - 0 1") is None


def test_a_closure_that_lost_its_blocks_hides_no_answer_of_another(folder_of: Folder) -> None:
    with PositionSolver(folder_of(*PIECES)) as solver:
        solver.solve(PAWNS)
        root = placements.root_of(*solver._read(PAWNS, None)).node
        question = kept._key_of_root(root)
        (lost,) = solver._store.answers(question, 9)
        for block in lost["blocks"].values():
            block["key"] = "removed"
        solver._store.put({"lost": {}})
        solver._store.put_answer(question, "lost", lost)
        answer = solver.solved(PAWNS)
        assert answer is not None
        assert answer.bracket.is_exact


def test_what_a_plan_says_of_a_position_with_bounds_is_not_that_they_are_exact(
    folder_of: Folder,
) -> None:
    board = chess.Board(PAWNS)
    with PositionSolver(folder_of("KvK")) as solver:
        assert not solver.solve(board).bracket.is_exact
        (position,) = solver.outlook([(board, own_score(board))]).positions
        assert position.plan is not None
        assert not position.plan.exact
        assert not solver.solve(board).plan.exact


def test_bounds_for_which_a_later_question_lacked_memory_are_not_final(
    folder_of: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked = list[plan.SolvePlan]()

    def lacking_memory_later(wanted: plan.SolvePlan, _: Path) -> None:
        checked.append(wanted)
        if len(checked) > 1:
            raise NotEnoughMemoryError("the blocks of a position", 2, 1)

    monkeypatch.setattr(plan, "ways_of", lambda free: [Way(0, 0, free, coarse_free=0)])
    folder = folder_of("KvK")
    with monkeypatch.context() as small:
        small.setattr(plan, "refuse_lack_of_room", lacking_memory_later)
        assert not solved(folder, LATER).bracket.is_exact
    assert len(checked) == 2
    assert solved(folder, LATER).plan.nodes


def test_the_only_legal_move_is_the_best_whatever_is_known_of_it() -> None:
    board = chess.Board("k7/8/8/8/8/8/1r6/K7 w - - 0 1")
    (move,) = board.legal_moves
    assert in_order(board, {move: ANYTHING})[0].best
    forked = chess.Board("k7/8/8/8/8/8/8/K7 w - - 0 1")
    open_moves = dict.fromkeys(forked.legal_moves, ANYTHING)
    assert not any(move.best for move in in_order(forked, open_moves))


def test_bounds_are_looked_for_again_with_a_larger_budget_or_another_table(
    folder_of: Folder,
) -> None:
    assert not solved(folder_of("KvK"), PAWNS).bracket.is_exact
    folder = folder_of(*PIECES)
    assert solved(folder, PAWNS).bracket.is_exact
    root = "7k/8/8/8/P4p2/8/P7/6K1 w - - 0 1"
    bounds = solved(folder, root, budget=1)
    assert not bounds.bracket.is_exact
    again = solved(folder, root, budget=1)
    assert again.moves == bounds.moves
    assert again.plan.nodes == 0
    assert again.plan.missing == bounds.plan.missing != (), "the hint at tables stays"
    assert solved(folder, root, budget=10).bracket.is_exact
    assert solved(folder, root, budget=1).bracket.is_exact, "a proved value stays one"


def test_a_folder_of_many_blocks_is_not_listed(
    folder_of: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_of("KvK")
    values = np.zeros(1, np.int8)
    with contextlib.closing(BlockStore(folder / "solved")) as store:
        store.put({f"KPPvKBP-a2b3d5-{number}-WHOLE": {"entry": values} for number in range(10_000)})
    asked = list[str]()
    rows = BlockStore._rows

    def counted(self: BlockStore, question: str, *given: object) -> list[Any]:
        found = rows(self, question, *given)
        asked.extend(question for _ in found)
        return found

    monkeypatch.setattr(BlockStore, "_rows", counted)
    answer = solved(folder, PAWNS)
    assert len(asked) < 50 * answer.plan.nodes


def test_a_position_is_refused_before_more_placements_are_listed_than_memory_has_room_for(
    folder_of: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither may it take longer than the seconds that were granted."""
    listed = list[object]()
    list_moves = placements.PlacementMoves._listed

    def counted(self: placements.PlacementMoves, node: placements.Node) -> Any:
        listed.append(node)
        return list_moves(self, node)

    monkeypatch.setattr(placements.PlacementMoves, "_listed", counted)
    board = "8/pppp4/8/3k4/8/3K4/PPPP4/8 w - - 0 1"
    monkeypatch.setattr(placements, "MOST_PLACEMENTS", 50)
    with PositionSolver(folder_of(*PIECES), budget=10**9) as solver:
        for refused in (solver.plan, solver.solve):
            listed.clear()
            with pytest.raises(ClosureTooLargeError, match="more than 50 placements of pawns"):
                refused(board)
            assert 50 <= len(listed) <= 2 * 50, "the first way, and the one that keeps pieces"
    monkeypatch.undo()
    monkeypatch.setattr(placements.PlacementMoves, "_listed", counted)
    with PositionSolver(folder_of(*PIECES), budget=1) as solver:
        listed.clear()
        with pytest.raises(ClosureTooLargeError, match="more than 1 CPU seconds by the plan"):
            solver.solve(board)
        assert len(listed) < 1 / LISTING_SECONDS


def test_a_contradiction_of_the_solver_is_told(
    folder_of: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def contradict(*_: object, **__: object) -> None:
        raise BuildError("KPvK", "both sides force a position")

    board = chess.Board(PAWNS)
    with PositionSolver(folder_of("KvK")) as solver:
        monkeypatch.setattr(solver, "solve", contradict)
        with pytest.raises(BuildError, match="both sides force"):
            solver.bracket(board, own_score(board))
        monkeypatch.setattr(solver, "solve", mock.Mock(side_effect=NotEnoughMemoryError("", 2, 1)))
        assert solver.bracket(board, own_score(board)) is None


def test_a_contradiction_in_a_later_question_is_told(
    folder_of: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "ways_of", lambda free: [Way(0, 0, free, coarse_free=0)])
    closure = plan.PlannedWays.closure

    def contradict(self: plan.PlannedWays, way: Way, question: CutQuestion) -> Closure:
        if self.taken:
            raise BuildError("KPvK", "it lacks bishops on squares of one colour")
        return closure(self, way, question)

    monkeypatch.setattr(plan.PlannedWays, "closure", contradict)
    with pytest.raises(BuildError, match="lacks bishops"):
        solved(folder_of("KvK"), LATER)


def test_a_way_is_planned_when_those_before_it_have_left_bounds(
    folder_of: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = list[Way]()
    add = Closure.add

    def watched(self: Closure, root: placements.RootNode) -> object:
        planned.append(self.way)
        return add(self, root)

    monkeypatch.setattr(Closure, "add", watched)
    assert not solved(folder_of("KvK"), PAWNS).bracket.is_exact
    assert len(planned) > 1
    planned.clear()
    assert solved(folder_of(*PIECES), PAWNS).bracket.is_exact
    assert len(planned) == 1


def test_a_solved_block_needs_no_plan_for_another_accrued_score(
    folder_of: Folder,
) -> None:
    with PositionSolver(folder_of("KvK"), budget=1) as solver:
        solver.solve(PAWNS_OF_BOTH, "G4.0")
        assert [solver.plan(PAWNS_OF_BOTH, accrued).nodes for accrued in ("G4.0", "G3.5")] == [0, 0]


def test_an_interrupted_solve_goes_on(folder_of: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(closure_solver, "TICK_SECONDS", PATIENT)
    folder = folder_of("KvK")
    told = list[float]()
    with PositionSolver(folder) as solver, pytest.raises(KeyboardInterrupt):
        solver.solve(PAWNS, watch=mock.Mock(side_effect=KeyboardInterrupt))
    made = len(blocks_in(folder))
    assert made > 0
    with PositionSolver(folder) as solver:
        found = solver.solve(PAWNS, watch=told.append)
    assert len(blocks_in(folder)) == made + found.plan.nodes
    assert told[-1] == 1
    assert told == sorted(told)


def test_blocks_that_another_process_removes_meanwhile_are_solved_again(
    folder_of: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_of("KvK")
    removals = [1, 2]
    read_plane = SolvedBlocks._read_plane
    improve = Brackets.improve
    expected = solved(folder, PAWNS).facts()["moves"]
    shutil.rmtree(folder / "solved")

    def remove(blocks: SolvedBlocks) -> None:
        lose(blocks.store, names_in(folder))

    def removing(self: SolvedBlocks, *arguments: Any) -> None:
        if removals and len(names_in(folder)) >= removals[0]:
            removals.pop(0)
            remove(self)
        read_plane(self, *arguments)

    def removed(self: Brackets, solution: Solution) -> Solution:
        remove(self.blocks)
        monkeypatch.undo()
        return improve(self, solution)

    monkeypatch.setattr(SolvedBlocks, "_read_plane", removing)
    monkeypatch.setattr(Brackets, "improve", removed)
    assert solved(folder, PAWNS).facts()["moves"] == expected


def test_many_positions_are_solved_block_by_block(folder_of: Folder) -> None:
    folder = folder_of("KvK")
    board = chess.Board(PAWNS)
    boards = [
        board,
        board.mirror(),
        chess.Board(LATER),
        chess.Board("8/8/8/8/8/8/8/K1k5 w"),
        chess.Board(f"{chess.STARTING_BOARD_FEN} w"),
    ]
    with PositionSolver(folder) as solver:
        assert solver.solved(board) is None
        outlook = solver.outlook([(each, own_score(each)) for each in boards])
        for each, position in zip(boards, outlook.positions, strict=True):
            if position.plan is not None:
                solver.bracket(each, own_score(each))
        made = names_in(folder)
        assert outlook.plan.nodes == len(blocks_in(folder))
        assert [position.refusal for position in outlook.positions] == [
            None,
            None,
            None,
            "its table is there; ask it with: tbgen probe",
            "more than 1,200 CPU seconds by the plan; try a larger --budget",
        ]
        assert [position.plan.nodes for position in outlook.planned if position.plan] == [6, 6, 2]
    with PositionSolver(folder) as solver:
        for solved_board in boards[:2]:
            solution = solver.solved(solved_board)
            assert solution is not None
            assert solution.bracket == solver.solve(solved_board).bracket
    assert names_in(folder) == made


@pytest.mark.parametrize("order", [1, -1])
def test_a_plan_of_many_is_exact_only_if_all_of_them_are(folder_of: Folder, order: int) -> None:
    knights = chess.Board("8/8/1n2k3/8/8/8/4N3/4K3 b - - 0 1")
    promoting = chess.Board("8/PP6/8/3k4/8/3K4/6pp/8 w - - 0 1")
    boards = [knights, promoting][::order]
    with PositionSolver(folder_of("KvK", "KNvK")) as solver:
        outlook = solver.outlook([(board, own_score(board)) for board in boards])
    plans = [position.plan for position in outlook.planned]
    assert [plan is not None and plan.exact for plan in plans] == [True, False][::order]
    assert not outlook.plan.exact
    assert "KBPvKP" in outlook.plan.missing


def test_positions_without_pawns_are_solved_together(folder_of: Folder) -> None:
    folder = folder_of("KvK")
    knight = chess.Board("8/8/8/4k3/8/8/4N3/4K3 b")
    roots = list[tuple[chess.Board, Score]]()
    for score in accruable(own_score(knight), bare_sides(knight))[::3]:
        roots.append((knight, score))
        roots.append((knight.mirror(), score.flipped()))
    with PositionSolver(folder) as solver:
        assert solver.outlook(roots).plan.nodes == 1
        brackets = [solver.bracket(board, accrued) for board, accrued in roots]
    assert len(names_in(folder)) == 1
    assert len(set(brackets)) > 3
    for (board, accrued), bracket in zip(roots, brackets, strict=True):
        assert PositionSolver(folder).solve(board, accrued).bracket == bracket


@pytest.mark.parametrize(("room", "most"), [(1 << 40, 2), (1 << 10, 1)])
def test_blocks_take_turns_where_memory_is_scarce(
    folder_of: Folder, monkeypatch: pytest.MonkeyPatch, room: int, most: int
) -> None:
    at_work = list[object]()
    numbers_at_work = set[int]()
    barrier = threading.Barrier(most)
    solve_at_cuts = closure_solver.solve_at_cuts

    def watched(block: PlannedBlock, solver: ClosureSolver) -> Any:
        at_work.append(block)
        if len(block.node.pawns) == 1:  # the last block, with both pawns, is alone
            barrier.wait(60)
            numbers_at_work.add(len(at_work))
            barrier.wait(60)
        values = solve_at_cuts(block, solver)
        at_work.remove(block)
        return values

    monkeypatch.setattr(closure_solver, "solve_at_cuts", watched)
    monkeypatch.setattr(process, "available_memory", lambda: room)
    monkeypatch.setattr(plan, "ways_of", lambda *_: [Way(2, 2, 2, coarse_free=0)])
    solved(folder_of("KvK"), "8/4P1P1/8/4k3/8/8/8/4K3 w - - 0 1", threads=4)
    assert numbers_at_work == {most}


def test_a_folder_that_cannot_be_written_to_is_enough(
    folder_of: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder_of("KvK") / "solved").touch()
    assert not solved(folder_of("KvK"), PAWNS).bracket.is_exact
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert not solved(folder_of("KvK"), PAWNS).bracket.is_exact


def test_a_position_with_too_many_men_beside_pawns_has_no_solved_blocks(folder_of: Folder) -> None:
    with PositionSolver(folder_of("KvK")) as solver:
        for fen in (f"{chess.STARTING_BOARD_FEN} w", "8/1k6/2rb4/8/8/3NR3/5P2/6K1 w"):
            assert solver.solved(fen) is None
            with pytest.raises(ClosureTooLargeError):
                solver.solve(fen)


@pytest.mark.parametrize(
    ("fen", "value"),
    [("8/P2PP3/8/8/6K1/2k5/8/8 b - - 0 1", "G0.0"), ("2k5/P7/1p6/8/8/8/5K2/8 b - - 0 1", "-G0.0")],
)
def test_a_queen_bounds_a_rook_beside_pawns_that_mirror_each_other_and_where_she_loses(
    folder_of: Folder, monkeypatch: pytest.MonkeyPatch, fen: str, value: str
) -> None:
    monkeypatch.setattr(plan, "ways_of", lambda *_: [Way(3, 3, 2)])
    assert solved(folder_of(*PIECES), fen).bracket.exact == Score(value)


@pytest.mark.parametrize(
    "fen",
    [
        PAWNS_OF_BOTH,
        pytest.param("8/8/1P6/4k3/4p3/8/8/2K5 b - - 0 1", marks=pytest.mark.slow),
    ],
)
def test_blocks_in_which_no_piece_is_lost_tell_less_and_nothing_wrong(
    folder_of: Folder, monkeypatch: pytest.MonkeyPatch, fen: str
) -> None:
    folder = folder_of(*PIECES)
    answers = list[Solution]()
    for way in (Way(2, 2, 2), Way(3, 2, 2, keeps_pieces=True), Way(3, 3, 3)):
        monkeypatch.setattr(plan, "ways_of", lambda *_, way=way: [way])
        answers.append(solved(folder, fen))
        forget_answers(folder)
    bounded, kept, everything = answers
    assert outside(everything, kept) == []
    assert outside(kept, bounded) == []
    assert [move.bracket for move in kept.moves] != [move.bracket for move in bounded.moves]
    assert kept.plan.cells < everything.plan.cells


def test_a_plan_makes_no_folders_and_has_one_way_of_those_that_solve_the_same(
    folder_of: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    same_ways = [Way(most, 0, 0, coarse_free=0) for most in range(3)]
    monkeypatch.setattr(plan, "ways_of", lambda *_: same_ways)
    folder = folder_of("KvK")
    with PositionSolver(folder) as solver:
        planned = solver.plan("8/8/3K4/8/8/6P1/4k3/8 w - - 0 1")
        assert planned.nodes == 5, "a pawn from g3 on; a queen leaves three men"
    assert not any(path.is_dir() for path in folder.iterdir())


def test_tables_of_the_other_game_and_too_little_memory_are_refused(
    folder_of: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match="whole-game"):
        PositionSolver(tmp_path / "whole-game")
    monkeypatch.setattr(plan, "available_memory", lambda: 1 << 20)
    with pytest.raises(NotEnoughMemoryError, match="the blocks of a position"):
        solved(folder_of("KvK"), PAWNS)
    with PositionSolver(tmp_path) as solver:
        assert solver.plan(PAWNS).memory_bytes > 1 << 20, "a plan tells what is lacking"


def test_a_bracket_is_no_outcome() -> None:
    with pytest.raises(TypeError):
        _ = ANYTHING < ANYTHING  # type: ignore[operator]
    with pytest.raises(ValueError, match="better for White"):
        Bracket(Score("G4.0"), Score("G5.5"))
