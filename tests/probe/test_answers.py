"""What answers say of themselves."""

from __future__ import annotations

import dataclasses
import json
import pickle
import random
from pathlib import Path

import chess
import chess.svg
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbgen.errors import UsageError
from tbgen.material import materials
from tbgen.probe import BulkProbe, Probe, Tablebase
from tbgen.rules.points import Scheme, Scoring
from tbgen.rules.position import own_score, play_move
from tbgen.score import Color, Score
from tests.positions import random_boards

from .tables_without import alone

WAITING = chess.Board("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30")
ACCRUED = Score("G4.0")


def test_the_facts_of_a_probe_say_where_what_and_how_much(tables: Tablebase) -> None:
    facts = tables.probe(WAITING, ACCRUED).facts()
    assert facts == {
        "fen": "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30",
        "material": "KBvK",
        "own": str(own_score(WAITING)),
        "accrued": "G4.0",
        "outcome": "G1.5",
        "dtg": 5,
        "points": {"white": 0.5625, "black": 0.4375},
        "scoring": "exponential",
    }
    assert json.loads(json.dumps(facts)) == facts
    lasker = tables.probe(WAITING, ACCRUED).facts(Scoring(Scheme.LASKER))
    assert lasker["points"] == {"white": 0.5, "black": 0.5}
    assert lasker["scoring"] == "lasker"


def test_best_is_best_play_and_what_only_keeps_the_outcome_is_not(tables: Tablebase) -> None:
    draw = random.Random(31)
    slower = 0
    for board in random_boards(30, 80, materials(3)):
        moves = tables.probe_moves(board)
        assert [move for move in moves if move.best] == moves.best
        for move in moves:
            assert move.keeps == (move.outcome == moves[0].outcome)
            assert move.best == (move.keeps and move.dtg == moves[0].dtg)
            slower += move.keeps and not move.best
        if moves:
            chosen = draw.choice(moves)
            after = board.copy(stack=False)
            own, accrued, reset = play_move(after, chosen.move, own_score(board))
            assert chosen.own == own
            assert chosen.accrued == accrued
            assert chosen.reset == reset
            assert chosen.san == board.san(chosen.move)
    assert slower > 100


def test_answers_are_short_in_a_shell_and_drawn_in_a_notebook(tables: Tablebase) -> None:
    found = tables.probe(WAITING, ACCRUED)
    move = found.best[0]
    assert repr(found) == "<Probe KBvK: G1.5 in 5 plies>"
    assert repr(move) == "<MoveProbe Ke5 G1.5 in 5 plies>"
    assert f"{found:>16}|" == " G1.5 in 5 plies|"
    assert f"{found.material:>6}|" == "  KBvK|"
    assert repr(tables.line(WAITING, ACCRUED)[0]) == "<LineStep Ke5 G1.5 in 4 plies>"
    assert found.moves == tables.probe_moves(WAITING, ACCRUED)
    assert found.best == tables.probe_moves(WAITING, ACCRUED).best == [move]
    drawn = chess.svg.board(WAITING, arrows=[(chess.E6, chess.E5)], size=320)
    assert found._repr_svg_() == move._repr_svg_() == drawn
    many = tables.probe("8/8/7R/2k5/4K3/8/8/8 w - - 0 1")
    assert len(many.best) > 6 == str(many._repr_svg_()).count("<line ")
    assert found._repr_html_() == f"<p>G1.5 in 5 plies</p>{drawn}"


@pytest.mark.usefixtures("unbundled")
def test_an_answer_without_its_moves_is_drawn_too(table_folder: Path, tmp_path: Path) -> None:
    """The tables that captures lead to are missing, or it has been pickled."""
    with Tablebase(alone(table_folder, tmp_path / "alone", "KBvK")) as few:
        found = few.probe("8/8/8/8/8/1k6/2B5/5K2 b - - 0 1")
        assert str(found._repr_svg_()).count("<line ") == 0
        again = pickle.loads(pickle.dumps(found))
        assert again == found
        assert again.own == found.own
        assert again._repr_svg_() == found._repr_svg_()
        with pytest.raises(UsageError, match="a pickled answer has no tables"):
            assert again.best


def test_moves_are_a_frame(tables: Tablebase) -> None:
    moves = tables.probe_moves(WAITING, ACCRUED)
    harmonic = Scoring("harmonic")
    columns = moves.columns(harmonic)
    assert {len(column) for column in columns.values()} == {len(moves)}
    for number, (move, facts) in enumerate(zip(moves, moves.facts(harmonic), strict=True)):
        row = {name: column[number] for name, column in columns.items()}
        for name in ("uci", "san", "reset", "outcome", "dtg", "best", "keeps"):
            assert row[name] == facts[name]
        assert row["points"] == facts["points"]["white"]
        assert row["moves"] == move.outcome.moves
        assert row["check"] == move.outcome.check
        assert row["rank"] == move.outcome.rank
        assert row["holder"] == str(move.outcome.holder).lower()


MANY = BulkProbe(
    np.array([4, -2, 0, 1], np.int8),
    np.array([5, 0, np.nan, np.nan]),
    np.array([0, 0, 2, 0], np.uint8),
)


def test_a_frame_of_answers_shows_no_private_state(tables: Tablebase) -> None:
    """pandas and polars make a column of each field of a dataclass."""
    moves = tables.probe_moves(WAITING, ACCRUED)
    rows = [dataclasses.asdict(move) for move in moves]
    assert list(rows[0]) == ["outcome", "dtg", "uci", "reset", "best", "keeps"]
    best_first = sorted((move.outcome for move in moves), reverse=True)
    assert [row["outcome"] for row in rows] == best_first
    fields = dataclasses.asdict(tables.probe(WAITING))
    assert list(fields) == ["outcome", "dtg", "material"]


def test_many_answers_are_read_one_by_one() -> None:
    assert list(MANY) == [(Score("G1.5"), 5), (Score("-G0.5"), 0), None, (Score("G0.0"), None)]


def test_no_answer_is_never_a_number() -> None:
    columns = MANY.columns(Scoring("winner"))
    for name in ("outcome", "holder", "check"):
        assert columns[name][2] is None
    assert columns["fault"][2] == "castling"
    for name in ("moves", "rank", "points", "dtg"):
        assert np.isnan(columns[name]).tolist() == [False, False, True, name == "dtg"]
    assert columns["points"].tolist()[:2] == [1.0, 0.0]
    assert np.nanmean(MANY.dtg) == 2.5
    assert np.nanmean(MANY.rank) == (1997 - 1999 + 2000) / 3
    assert repr(MANY) == "<BulkProbe: 3 of 4 answered>"


@given(st.lists(st.tuples(st.integers(0, 126), st.sampled_from(Color)), min_size=1))
def test_ranks_of_many_are_in_the_one_order(drawn: list[tuple[int, Color]]) -> None:
    scores = [Score(*each) for each in drawn]
    outcomes = np.array([score.signed for score in scores], np.int8)
    many = BulkProbe(outcomes, np.zeros(len(scores), np.float32), np.zeros(len(scores), np.uint8))
    assert [found[0] for found in many[np.argsort(many.rank)] if found] == sorted(scores)


def test_answers_of_different_positions_differ_even_where_their_values_are_equal(
    tables: Tablebase,
) -> None:
    probes = [tables.probe(board) for board in random_boards(7, 300, ["KBvK"])]
    values = {(probe.outcome, probe.dtg, probe.material) for probe in probes}
    positions = {probe.facts()["fen"] for probe in probes}
    assert len(values) < len(positions)
    assert len(set(probes)) == len(positions)


def test_answers_to_one_question_are_equal(tables: Tablebase) -> None:
    probe = tables.probe(WAITING, ACCRUED)
    again = tables.probe(WAITING, ACCRUED)
    assert probe == again == pickle.loads(pickle.dumps(probe))
    assert hash(probe) == hash(again)
    assert probe != tables.probe(WAITING, "G4.5")
    assert tables.probe_moves(WAITING, ACCRUED) == probe.moves
    assert len(set(probe.moves)) == len(probe.moves)
    assert probe != str(probe)


def test_a_field_of_an_answer_may_be_replaced(tables: Tablebase) -> None:
    probe = tables.probe(WAITING, ACCRUED)
    longer = dataclasses.replace(probe, dtg=99)
    assert longer.dtg == 99
    assert longer.outcome == probe.outcome
    assert longer.own == probe.own
    assert longer.moves == probe.moves
    assert longer != probe
    with pytest.raises(TypeError, match="belongs to a position"):
        Probe(probe.outcome, probe.dtg, probe.material)
