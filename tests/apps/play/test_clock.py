"""How a table's value stands to the fifty-move rule."""

from __future__ import annotations

import chess
import pytest

from tbgen.apps.play.clock import value_within
from tbgen.probe import Tablebase
from tbgen.rules.stage import FiftyMoves, FiftyMoveSetting
from tbgen.score import Score


@pytest.mark.parametrize(
    ("fen", "accrued", "setting", "within", "words"),
    [
        (
            "8/8/4K3/5Bk1/8/8/8/8 w - - 99 30",
            "G4.0",
            "none",
            "certain",
            "G1.5: the fifty-move rule is ignored",
        ),
        (
            "7k/8/5KQ1/8/8/8/8/8 w - - 99 30",
            "G4.0",
            "fide",
            "certain",
            "under fide, with 1 ply left, G0.0 (certain)",
        ),
        (
            "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30",
            "G4.0",
            "reset",
            "between",
            "with 67 plies left, G1.5 (likely)",
        ),
        (
            "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30",
            "G4.0",
            "fide",
            "unknown",
            "with 67 plies left, G1.5 (likely)",
        ),
        (
            "8/8/4K3/6k1/8/7B/8/8 b - - 80 30",
            "G4.0",
            "reset",
            "between",
            "20 plies left, between G4.0 and G1.5",
        ),
        (
            "8/8/4K3/6k1/8/7B/8/8 b - - 80 30",
            "G4.0",
            "fide",
            "unknown",
            "with 20 plies left, not known",
        ),
        (
            "8/8/4K3/6k1/8/7B/8/8 b - - 100 30",
            "G4.0",
            "fide",
            "certain",
            "with 0 plies left, G4.0 (certain)",
        ),
        (
            "8/8/8/8/8/5k2/5p2/5K2 w - - 50 30",
            None,
            "reset",
            "certain",
            "with 50 plies left, -G0.5 (certain)",
        ),
        (
            "8/8/8/8/8/1k6/8/K6Q w - - 95 30",
            None,
            "reset",
            "unknown",
            "with 5 plies left, not known",
        ),
    ],
)
def test_every_answer_says_how_sure_it_is(
    fen: str, accrued: str | None, setting: str, within: str, words: str, tables: Tablebase
) -> None:
    rule = FiftyMoves(FiftyMoveSetting(setting))
    score = None if accrued is None else Score(accrued)
    found = value_within(tables, chess.Board(fen), score, rule)
    assert found.within.value == within
    assert str(found).endswith(words)
    assert found.facts() == {
        "fifty": setting,
        "plies_left": found.plies_left,
        "within": within,
        "outcome_within": None if found.outcome is None else str(found.outcome),
    }
    assert found.matters == (found.outcome != found.table)


@pytest.mark.parametrize(
    ("fen", "accrued", "table", "cutoff", "within"),
    [
        ("8/8/4K3/6k1/8/7B/8/8 b - - 80 30", "G4.0", "G1.5", 8, "between"),
        ("8/8/4K3/6k1/8/7B/8/8 b - - 80 30", "G4.0", "G1.5", 7, "unknown"),
        ("8/8/8/B7/8/8/K6k/8 w - - 80 30", "-G1.5", "G5.5", 12, "between"),
        ("8/8/8/B7/8/8/K6k/8 w - - 80 30", "-G1.5", "G5.5", 11, "unknown"),
    ],
)
def test_bounds_are_told_only_where_no_score_of_the_cutoff_or_more_counts(
    fen: str, accrued: str, table: str, cutoff: int, within: str, tables: Tablebase
) -> None:
    """The accrued score may be the cutoff itself, since only lower scores replace it.

    The table's value may not.
    """
    rule = FiftyMoves(FiftyMoveSetting.RESET, cutoff)
    found = value_within(tables, chess.Board(fen), Score(accrued), rule)
    assert str(found.table) == table
    assert found.within.value == within
