"""How a table's value stands to the fifty-move rule."""

from __future__ import annotations

import contextlib
import csv
import random
from pathlib import Path

import chess
import pytest

from tbgen.apps.games.decide import AdjudicationRules, Adjudicator
from tbgen.apps.play.within import Within, value_within
from tbgen.errors import AccruedError
from tbgen.probe import Tablebase, open_tablebase
from tbgen.rules.game import Game
from tbgen.rules.notation import parse_fen
from tbgen.rules.position import own_score
from tbgen.rules.stage import FiftyMoves, FiftyMoveSetting
from tbgen.score import Color, Score
from tests.apps.play.twin import said_by_twin
from tests.positions import random_root
from tests.probe.tables_without import without_promotions

ENDS = list(csv.DictReader(Path(__file__).with_name("ends.csv").read_text().splitlines()))
"""Positions drawn at random, with what the slow twin (tests/reference/clock.py) says of them: our own figures, not
facts from outside. test_search.py holds the search against that twin; these hold all callers to one answer."""


@pytest.mark.parametrize("end", ENDS, ids=lambda end: end["fen"].replace(" ", "_"))
@pytest.mark.parametrize("setting", [FiftyMoveSetting.FIDE, FiftyMoveSetting.LEGACY, FiftyMoveSetting.RESET])
def test_a_probe_and_an_adjudicator_say_of_an_end_what_every_line_gives(
    end: dict[str, str], setting: FiftyMoveSetting, tables: Tablebase
) -> None:
    board, accrued = parse_fen(end["fen"])
    expected = end["reset" if setting is FiftyMoveSetting.RESET else "fide"]
    found = value_within(tables, board, accrued, FiftyMoves(setting))
    assert (str(found.table), str(found.outcome), found.within) == (end["table"], expected, Within.SEARCHED)
    assert found.plies_left == int(end["plies_left"])
    assert found.matters == (expected != end["table"])
    game = Game(board, accrued=accrued, fifty_moves=FiftyMoves(setting))
    verdict = Adjudicator(tables, AdjudicationRules(counts_fifty_moves=True)).decide(game)
    assert (verdict.clocked, str(verdict.final)) == (found, expected)
    assert str(Adjudicator(tables).decide(game).final) == end["table"], "by default tables ignore the rule"


@pytest.mark.parametrize(
    ("fen", "accrued", "setting", "within", "words"),
    [
        ("8/8/4K3/5Bk1/8/8/8/8 w - - 99 30", "G4.0", "none", "certain", "G1.5: the fifty-move rule is ignored"),
        ("7k/8/5KQ1/8/8/8/8/8 w - - 99 30", "G4.0", "fide", "certain", "under fide, with 1 ply left, G0.0 (certain)"),
        ("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30", "G4.0", "reset", "likely", "with 67 plies left, G1.5 (likely)"),
        ("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30", "G4.0", "fide", "unproved", "with 67 plies left, G1.5 (unproved)"),
        ("8/8/4K3/6k1/8/7B/8/8 b - - 80 30", "G4.0", "reset", "between", "20 plies left, between G4.0 and G1.5"),
        ("8/8/4K3/6k1/8/7B/8/8 b - - 80 30", "G4.0", "fide", "unknown", "with 20 plies left, not known"),
        ("8/8/4K3/6k1/8/7B/8/8 b - - 100 30", "G4.0", "fide", "certain", "with 0 plies left, G4.0 (certain)"),
        ("8/8/8/8/8/5k2/5p2/5K2 w - - 50 30", None, "reset", "certain", "with 50 plies left, -G0.5 (certain)"),
    ],
)
def test_every_answer_says_how_sure_it_is(
    fen: str, accrued: str | None, setting: str, within: str, words: str, tables: Tablebase
) -> None:
    rule = FiftyMoves(FiftyMoveSetting(setting))
    found = value_within(tables, chess.Board(fen), None if accrued is None else Score(accrued), rule)
    assert found.within.value == within
    assert str(found).endswith(words)
    assert found.facts() == {
        "fifty": setting,
        "plies_left": found.plies_left,
        "within": within,
        "outcome_within": None if found.outcome is None else str(found.outcome),
    }


def test_a_table_that_a_line_leads_to_and_that_is_missing_ends_the_search(
    table_folder: Path, tables: Tablebase, tmp_path: Path
) -> None:
    board = chess.Board("8/3P4/8/8/8/2k5/8/K7 w - - 97 30")
    with open_tablebase(without_promotions(table_folder, tmp_path / "tables")) as lacking:
        assert value_within(lacking, board).within is Within.UNKNOWN
    assert value_within(tables, board).within is Within.SEARCHED


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
    """What has accrued may be the cutoff itself, since only lower scores replace it; the table's value may not."""
    rule = FiftyMoves(FiftyMoveSetting.RESET, cutoff)
    found = value_within(tables, chess.Board(fen), Score(accrued), rule)
    assert (str(found.table), found.within.value) == (table, within)


@pytest.mark.parametrize("name", ["KvK", "KBvK", "KNvK", "KPvK", "KRvK", "KQvK", "KvKN", "KvKP"])
@pytest.mark.parametrize("setting", [FiftyMoveSetting.FIDE, FiftyMoveSetting.LEGACY, FiftyMoveSetting.RESET])
def test_few_plies_are_searched_to_the_end_of_every_line(
    name: str, setting: FiftyMoveSetting, tables: Tablebase
) -> None:
    """Random positions with random scores and cutoffs, beside the slow twin, which plays every line."""
    chance, how = random.Random(f"{name} {setting.value}"), "reset" if setting is FiftyMoveSetting.RESET else "fide"
    asked = 0
    while asked < 3:
        board, left = random_root(chance, name), chance.choice([1, 1, 2, 2, 3, 3, 4])
        own = own_score(board)
        accrued = Score(chance.randrange(2, 18), chance.choice(list(Color))).after(own, reset=False)
        board.halfmove_clock = 100 - left
        rule = FiftyMoves(setting, chance.choice([12, 12, 4, 8, 16]))
        with contextlib.suppress(AccruedError):
            found = value_within(tables, board, own if chance.random() < 0.3 else accrued, rule)
            expected = said_by_twin(tables, board, found.accrued, left, how, rule.cutoff_code)
            assert found.within in (Within.SEARCHED, Within.CERTAIN)
            assert found.outcome == expected, (board.fen(), found.accrued, rule)
            asked += 1
