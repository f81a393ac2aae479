"""What answers say of themselves."""

from __future__ import annotations

import json
import random

import chess
import numpy as np

from tbgen.material import materials
from tbgen.probe import BulkProbe, Tablebase
from tbgen.rules.points import Scheme, Scoring
from tbgen.rules.position import own_score, play_move
from tbgen.score import Score
from tests.positions import random_boards

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
    assert (lasker["points"], lasker["scoring"]) == ({"white": 0.5, "black": 0.5}, "lasker")


def test_the_facts_of_a_move_say_what_stands_after_it(tables: Tablebase) -> None:
    first, second, *_ = (each.facts() for each in tables.probe_moves(WAITING, ACCRUED))
    assert first == {
        "uci": "e6e5",
        "san": "Ke5",
        "reset": False,
        "own": "G3.5",
        "accrued": "G3.5",
        "outcome": "G1.5",
        "dtg": 5,
        "points": {"white": 0.5625, "black": 0.4375},
        "best": True,
        "keeps": True,
    }
    assert (second["best"], second["keeps"]) == (False, True)


def test_best_is_best_play_and_what_only_keeps_the_outcome_is_not(tables: Tablebase) -> None:
    draw = random.Random(31)
    slower = 0
    for board in random_boards(30, 80, materials(3)):
        moves = tables.probe_moves(board)
        assert [each for each in moves if each.best] == tables.best_moves(board)
        for each in moves:
            assert each.keeps == (each.outcome == moves[0].outcome)
            assert each.best == (each.keeps and each.dtg == moves[0].dtg)
            slower += each.keeps and not each.best
        if moves:
            chosen, walker = draw.choice(moves), board.copy(stack=False)
            own, accrued, reset = play_move(walker, chosen.move, own_score(board))
            assert (chosen.own, chosen.accrued, chosen.reset) == (own, accrued, reset)
            assert chosen.san == board.san(chosen.move)
    assert slower > 100


def test_an_answer_keeps_what_it_was_asked_when_the_board_goes_on(tables: Tablebase) -> None:
    board = WAITING.copy()
    found, moves = tables.probe(board, ACCRUED), tables.probe_moves(board, ACCRUED)
    board.push_san("Ke5")
    board.push_san("Kh5")
    assert found.facts()["fen"] == WAITING.fen()
    assert moves[0].san == "Ke5"
    assert str(moves[0].own) == "G3.5"


def test_the_facts_of_a_line_are_those_of_its_steps(tables: Tablebase) -> None:
    facts = [step.facts() for step in tables.line(WAITING, ACCRUED)]
    assert list(facts[0]) == ["uci", "san", "reset", "own", "accrued", "outcome", "dtg"]
    assert [each["dtg"] for each in facts[:5]] == [4, 3, 2, 1, 0]


def test_many_answers_have_facts_one_by_one() -> None:
    many = BulkProbe(np.array([4, -2, 0], np.int8), np.array([5, 0, 0], np.uint16), np.array([0, 0, 2], np.uint8))
    assert many.facts() == [
        {"outcome": "G1.5", "dtg": 5, "fault": None},
        {"outcome": "-G0.5", "dtg": 0, "fault": None},
        {"outcome": None, "dtg": None, "fault": "castling"},
    ]
    assert list(many) == [many[0], many[1], None]
