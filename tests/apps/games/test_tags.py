from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbgen.apps.games.results import classical_result, result_in, winner_of
from tbgen.apps.games.rules import Rules
from tbgen.apps.games.tags import GameTags, parse_cutoff, read_tags, write_tags
from tbgen.errors import TbgenError
from tbgen.rules.game import FiftyMoveSetting
from tbgen.rules.points import Komi, Scheme, Scoring
from tbgen.score import Color, Score
from tests.strategies import outcomes, scorings


@pytest.mark.parametrize(
    ("written", "tags"),
    [
        ({"Event": "any - thing", "Result": "1/2-1/2"}, GameTags()),
        ({"RMobilityResult": "-G3.5"}, GameTags(outcome=Score(7, Color.BLACK))),
        ({"RMobilityResult": "- G3.5"}, GameTags(outcome=Score(7, Color.BLACK))),
        (
            {"RMobilityCutoff": "G7.0", "RMobilityScoring": "komi"},
            GameTags(scheme=Scheme.KOMI, cutoff_code=14),
        ),
        ({"Komi": "-G5.75"}, GameTags(komi=Komi(Color.BLACK, 23))),
        ({"Points": "0-1"}, GameTags(points=(Fraction(0), Fraction(1)))),
        *(
            ({"Points": points}, GameTags(points=(Fraction(9, 16), Fraction(7, 16))))
            for points in ("0.5625-0.4375", "0.5625 - 0.4375", "0.5625 -0.4375")
        ),
        ({"Legacy": "1"}, GameTags(legacy=True, fifty_moves=FiftyMoveSetting.LEGACY)),
    ],
)
def test_each_tag_is_read_and_those_that_are_not_there_say_nothing(
    written: dict[str, str], tags: GameTags
) -> None:
    assert read_tags(written) == tags


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("RMobilityResult", "G3,5"),
        ("RMobilityCutoff", "-G6.0"),
        ("RMobilityCutoff", "six"),
        ("RMobilityScoring", "fair"),
        ("Points", "2-0"),
        ("Komi", "G5.8"),
        ("RMobilityFifty", "sixty"),
    ],
)
def test_a_tag_that_cannot_be_read_is_quoted(name: str, value: str) -> None:
    with pytest.raises(TbgenError, match=re.escape(repr(value))):
        read_tags({name: value})


@given(outcomes, scorings, st.sampled_from(FiftyMoveSetting))
def test_what_is_written_is_read_back(
    outcome: Score, scoring: Scoring, fifty_moves: FiftyMoveSetting
) -> None:
    tags = read_tags(write_tags(outcome, scoring, fifty_moves=fifty_moves))
    assert parse_cutoff("g4.5") == 9
    assert (tags.outcome, tags.scheme, tags.cutoff_code) == (
        outcome,
        scoring.scheme,
        scoring.cutoff_code,
    )
    assert tags.fifty_moves is (None if fifty_moves is FiftyMoveSetting.RESET else fifty_moves)
    assert tags.legacy == (fifty_moves is FiftyMoveSetting.LEGACY)
    assert tags.komi == (scoring.komi if scoring.scheme is Scheme.KOMI else None)
    assert tags.points is not None
    assert abs(tags.points[0] - scoring.points(outcome)[0]) < Fraction(1, 10_000)


@given(outcomes)
def test_only_mate_is_decisive_in_the_classical_result(outcome: Score) -> None:
    assert winner_of(classical_result(outcome)) == (outcome.holder if outcome.is_mate else None)
    assert [winner_of(result_in(result) or "") for result in ("1 - 0", "0 -1", "1/2-1/2")] == [
        Color.WHITE,
        Color.BLACK,
        None,
    ]


@pytest.mark.parametrize("setting", list(FiftyMoveSetting))
def test_the_fifty_move_rule_of_a_game_comes_back_from_its_tags(setting: FiftyMoveSetting) -> None:
    tags = write_tags(Score(3, Color.WHITE), Scoring(), fifty_moves=setting)
    assert Rules().fifty(read_tags(tags)).setting is setting
