"""Laws of the tables of two and three men, over positions with any score that can have accrued."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import chess
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbgen import (
    Color,
    Fault,
    Material,
    Probe,
    Score,
    Tablebase,
    TbgenError,
    open_tablebase,
    play_move,
)
from tbgen.material import build_order, materials
from tbgen.probe import BulkProbe
from tbgen.probe.opened import Answering, OpenTables
from tests.library.made_up import write_made_up
from tests.positions import board_of, random_board
from tests.strategies import scores

from .symmetries import LEFT_TO_RIGHT, TURNS, turned_move

SMALL = [*materials(2), *materials(3)]
positions = st.builds(
    lambda seed, name, exchanged: random_board(
        random.Random(seed), name.flipped() if exchanged else name
    ),
    st.integers(0, 2**32),
    st.sampled_from(SMALL),
    st.booleans(),
)


def some_of(every: Sequence[Probe]) -> Sequence[Probe]:
    """A third of the scores that can have accrued in a position."""
    return every[len(every) % 3 :: 3]


@given(positions)
def test_colours_exchanged_exchange_values_and_moves(tables: Tablebase, board: chess.Board) -> None:
    for asked in some_of(tables.probe_every_accrued(board)):
        seen = tables.probe(board.mirror(), asked.accrued.flipped())
        assert (seen.outcome, seen.dtg) == (asked.outcome.flipped(), asked.dtg)
        expected = {
            (
                turned_move(each.move, chess.square_mirror),
                each.outcome.flipped(),
                each.dtg,
                each.best,
            )
            for each in tables.probe_moves(board, asked.accrued)
        }
        moves = tables.probe_moves(board.mirror(), asked.accrued.flipped())
        assert {(each.move, each.outcome, each.dtg, each.best) for each in moves} == expected


def test_a_queen_is_worth_a_rook_or_a_bishop_in_her_place_unless_she_stalemates(
    tables: Tablebase,
) -> None:
    for seed in range(500):
        fen = random_board(random.Random(seed), "KQk").fen()
        queen, *others = (tables.probe(fen.replace("Q", man)).outcome for man in "QRB")
        assert queen >= min(max(others), Score("G0.5"))


@given(positions, st.sampled_from(list(TURNS)))
def test_a_turned_board_has_the_same_values_and_moves(
    tables: Tablebase, board: chess.Board, how: Callable[[int], int]
) -> None:
    """Left and right with pawns, all symmetries without."""
    turn = LEFT_TO_RIGHT if board.pawns else how
    seen = board.transform(turn)
    for asked in some_of(tables.probe_every_accrued(board)):
        assert tables.probe(seen, asked.accrued).facts() == {**asked.facts(), "fen": seen.fen()}
        moves = {
            (each.move, each.outcome, each.dtg) for each in tables.probe_moves(seen, asked.accrued)
        }
        expected = tables.probe_moves(board, asked.accrued)
        assert moves == {
            (turned_move(each.move, TURNS[turn]), each.outcome, each.dtg) for each in expected
        }


@given(positions)
def test_a_better_score_is_never_worth_less_and_the_own_one_is_the_entry_value(
    tables: Tablebase, board: chess.Board
) -> None:
    every = tables.probe_every_accrued(board)
    outcomes = [asked.outcome for asked in every]
    assert outcomes == sorted(outcomes, reverse=True)
    entry = tables.probe(board)
    assert [(each.outcome, each.dtg) for each in every if each.accrued == entry.own] == [
        (entry.outcome, entry.dtg)
    ]
    for asked in every:
        assert asked.is_reached == (asked.dtg == 0)
        if entry.outcome.code < min(entry.own.code, asked.accrued.code):
            assert (asked.outcome, asked.dtg) == (entry.outcome, entry.dtg)


def best_of(tables: Tablebase, board: chess.Board, accrued: Score) -> tuple[object, int]:
    """A value by what probes say after each move, one ply ahead."""
    found = list[Probe]()
    for move in board.legal_moves:
        after = board.copy(stack=False)
        reached = play_move(after, move, accrued, tables.mobility)
        is_wiped_out = reached.reset and tables.mobility.forgets
        found.append(tables.probe(after, None if is_wiped_out else reached.accrued))
    outcome = (max if board.turn else min)(each.outcome for each in found)
    if outcome == accrued:
        return outcome, 0
    ways = [each.dtg or 0 for each in found if each.outcome == outcome]
    gains = (outcome > accrued) == board.turn
    return outcome, 1 + (min(ways) if gains else max(ways))


@pytest.mark.parametrize("name", ["tables", "whole_tables"])
@given(board=positions, number=st.integers(0, 400))
def test_a_value_is_that_of_the_best_move_and_a_reset_starts_anew_under_r_mobility_alone(
    request: pytest.FixtureRequest, name: str, board: chess.Board, number: int
) -> None:
    asked_tables: Tablebase = request.getfixturevalue(name)
    every = asked_tables.probe_every_accrued(board)
    asked = every[number % len(every)]
    if any(board.legal_moves):
        assert best_of(asked_tables, board, asked.accrued) == (asked.outcome, asked.dtg)


@given(positions, st.integers(0, 400))
def test_a_line_keeps_the_promise_of_the_probe(
    tables: Tablebase, board: chess.Board, number: int
) -> None:
    """The outcome is on the sheet after so many plies and no earlier.

    A forced reset may wipe it out for a while.
    """
    every = tables.probe_every_accrued(board)
    asked = every[number % len(every)]
    accrued = asked.accrued
    reached = [asked.accrued]
    for step in tables.line(board, accrued):
        accrued = play_move(board, step.move, accrued).accrued
        assert accrued == step.accrued
        reached.append(accrued)
    plies = asked.dtg or 0
    assert asked.outcome not in reached[:plies]
    assert reached[plies] == reached[-1] == asked.outcome


@pytest.fixture(scope="module")
def with_en_passant(
    table_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Tablebase]:
    """KPvKP with all that it leads to: real tables of three men, others made up, as good for a
    comparison.
    """
    folder = tmp_path_factory.mktemp("made_up")
    for material in build_order([Material.parse("KPvKP")]):
        if material.men == 4:
            write_made_up(folder, material)
    with open_tablebase([table_folder, folder]) as tables:
        yield tables


def test_a_value_with_a_right_to_take_en_passant_is_that_of_the_best_move(
    with_en_passant: Tablebase,
) -> None:
    draw = random.Random(52)
    compared = Counter[bool]()
    while min(compared[True], compared[False]) < 30:
        board = random_board(draw, "KPkp", en_passant=1)
        if board.has_legal_en_passant():
            every = with_en_passant.probe_every_accrued(board)
            every = sorted(
                draw.sample(every, len(every)), key=lambda asked: asked.is_reached
            )  # few are
            for asked in (*every[:3], *every[-3:]):
                assert best_of(with_en_passant, board, asked.accrued) == (
                    asked.outcome,
                    asked.dtg,
                ), board.fen()
                compared[asked.is_reached] += 1


squares = st.integers(0, 63)
rows = st.lists(
    st.tuples(
        st.booleans(), st.tuples(squares, squares, squares, squares), st.integers(-1, 63), scores
    )
)


@given(rows)
def test_many_probes_are_as_many_single_ones_whatever_is_asked(
    with_en_passant: Tablebase, rows: list[tuple[bool, tuple[int, ...], int, Score]]
) -> None:
    """Men on each other's squares, rights that nobody has, scores that cannot be: a fault each, and
    no error.
    """
    assert_alike(with_en_passant, rows)


def test_many_probes_are_as_many_single_ones_with_pawns_side_by_side(
    with_en_passant: Tablebase,
) -> None:
    draw = random.Random(4)
    rows = []
    for _ in range(400):
        board = random_board(draw, "KPkp", en_passant=0.9)
        places = [
            board.king(True),
            *board.pieces(1, True),
            board.king(False),
            *board.pieces(1, False),
        ]
        right = (
            board.ep_square if draw.random() < 0.8 and board.ep_square else draw.randrange(-1, 64)
        )
        rows.append(
            (board.turn, tuple(places), right, Score(draw.randrange(40), draw.choice(list(Color))))
        )
    faults = assert_alike(with_en_passant, rows)
    assert {Fault.NONE, Fault.ILLEGAL, Fault.ACCRUED} <= set(faults)


def test_a_right_is_turned_with_the_men_where_colours_are_exchanged(
    with_en_passant: Tablebase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only materials of five men need that.

    So KPvKP is said to, whose made-up values are others then.
    """
    draw = random.Random(6)
    answering = OpenTables.answering

    def exchanged(tables: OpenTables, board: chess.Board) -> Answering:
        known = answering(tables, board)
        return known._replace(flipped=known.flipped or known.material.men == 4)

    boards = [random_board(draw, "KPkp", en_passant=0.9) for _ in range(100)]
    turned = with_en_passant.probe_many([board.mirror() for board in boards])
    monkeypatch.setattr(OpenTables, "answering", exchanged)
    found = with_en_passant.probe_many(boards)
    assert found.fault.tolist() == turned.fault.tolist()


def assert_alike(
    tables: Tablebase, rows: list[tuple[bool, tuple[int, ...], int, Score]]
) -> list[Fault]:
    """Faults of positions of KPvKP, after each has been asked alone and all at once, with its score
    and without.
    """
    shape = np.array([where for _, where, _, _ in rows], int).reshape(-1, 4)
    turns = [turn for turn, *_ in rows]
    boards = {
        n: board_at(*each[:3]) for n, each in enumerate(rows) if len(set(each[1])) == len(each[1])
    }
    faults = []
    for asked_scores in ([score for _, _, _, score in rows], [None] * len(rows)):
        arrays = tables.probe_arrays("KPvKP", turns, shape, accrued=asked_scores)
        many = tables.probe_many(boards.values(), accrued=[asked_scores[n] for n in boards])
        asked: list[tuple[int, BulkProbe, int, chess.Board | None]] = [
            (n, many, place, board) for place, (n, board) in enumerate(boards.items())
        ]
        asked += [
            (n, arrays, n, board_at(*rows[n][:2], -1) if n in boards else None)
            for n in range(len(rows))
        ]
        for n, answers, place, board in asked:
            found = None if board is None else single(tables, board, asked_scores[n])
            fault = answers.fault_of(place)
            assert (fault is Fault.NONE) == (found is not None), (board, asked_scores[n])
            if found is not None:
                assert (answers.outcome[place], answers.dtg[place]) == (
                    found.outcome.signed,
                    found.dtg,
                )
            faults.append(fault)
    return faults


def board_at(turn: bool, where: tuple[int, ...], right: int) -> chess.Board:
    slots = [(0, chess.KING), (0, chess.PAWN), (1, chess.KING), (1, chess.PAWN)]
    return board_of(slots, where, 0 if turn else 1, None if right < 0 else right)


def single(tables: Tablebase, board: chess.Board, score: Score | None) -> Probe | None:
    try:
        return tables.probe(board, score)
    except TbgenError:
        return None
