from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given

from tbgen.errors import ScoreFormatError, UsageError
from tbgen.rules.points import (
    Komi,
    Scheme,
    Scoring,
    format_points,
    lexicographic_key,
    parse_komi,
    parse_points,
    points_facts,
)
from tbgen.score import Color, Score
from tests.strategies import komis, outcomes, scorings

WHITE_WINS = "1-0"
DRAW = "1/2-1/2"
BLACK_WINS = "0-1"


@pytest.mark.parametrize(
    ("scheme", "score", "points"),
    [
        ("exponential", "G0.0", "1"),
        ("exponential", "G0.5", "0.75"),
        ("exponential", "G1.0", "0.625"),
        ("exponential", "G1.5", "0.5625"),
        ("exponential", "G2.0", "0.53125"),
        ("harmonic", "G0.0", "1"),
        ("harmonic", "G0.5", "3/4"),
        ("harmonic", "G1.0", "2/3"),
        ("harmonic", "G3.5", "9/16"),
        ("classical", "G0.0", "1"),
        ("classical", "G0.5", "1/2"),
        ("winner", "G0.0", "1"),
        ("winner", "G5.5", "1"),
        ("winner", "G6.0", "1/2"),
        ("winner", "G20.5", "1/2"),
        ("otb", "G3.5", "1"),
        ("otb", "G4.0", "1/2"),
        ("lasker", "G0.0", "1"),
        ("lasker", "G0.5", "3/4"),
        ("lasker", "G1.0", "1/2"),
    ],
)
def test_the_holder_gets_what_the_scheme_says(scheme: str, score: str, points: str) -> None:
    scoring = Scoring(Scheme(scheme))
    of_holder = Fraction(points)
    assert scoring.points(Score(score)) == (of_holder, 1 - of_holder)
    assert scoring.points(Score(f"-{score}")) == (1 - of_holder, of_holder)


@pytest.mark.parametrize(
    ("komi", "score", "result"),
    [
        ("G2.25", "G0.0", WHITE_WINS),
        ("G2.25", "G2.0", WHITE_WINS),
        ("G2.25", "G2.5", BLACK_WINS),
        ("G2.25", "G20.5", BLACK_WINS),
        ("G2.25", "-G0.0", BLACK_WINS),
        ("G2.25", "-G2.0", BLACK_WINS),
        ("G2.25", "-G30.5", BLACK_WINS),
        ("-G3.5", "-G3.0", BLACK_WINS),
        ("-G3.5", "-G3.5", DRAW),
        ("-G3.5", "-G4.0", WHITE_WINS),
        ("-G3.5", "G0.0", WHITE_WINS),
        ("-G3.5", "G25.5", WHITE_WINS),
        ("G6.0", "G5.5", WHITE_WINS),
        ("G6.0", "G6.0", DRAW),
        ("G6.0", "G17.5", DRAW),
        ("G6.0", "-G6.0", DRAW),
        ("G6.0", "-G17.5", DRAW),
        ("G6.0", "-G5.5", BLACK_WINS),
        ("-G6.0", "-G5.5", BLACK_WINS),
        ("-G6.0", "-G6.0", DRAW),
        ("-G6.0", "G6.0", DRAW),
        ("-G6.0", "G5.5", WHITE_WINS),
        ("G6.25", "G0.5", WHITE_WINS),
        ("G6.25", "G30.5", WHITE_WINS),
        ("G6.25", "-G6.0", WHITE_WINS),
        ("G6.25", "-G30.5", WHITE_WINS),
        ("G6.25", "-G5.5", BLACK_WINS),
        ("-G6.25", "-G30.5", BLACK_WINS),
        ("-G6.25", "G6.0", BLACK_WINS),
        ("-G6.25", "G5.5", WHITE_WINS),
        ("G5.75", "G5.5", WHITE_WINS),
        ("G5.75", "G6.0", BLACK_WINS),
        ("G5.75", "-G6.0", BLACK_WINS),
    ],
)
def test_a_komi_is_beaten_met_or_missed(komi: str, score: str, result: str) -> None:
    scoring = Scoring(Scheme.KOMI, komi=parse_komi(komi))
    assert format_points(scoring.points(Score(score)), Scheme.KOMI) == result


@given(scorings, outcomes)
def test_points_of_both_sides_add_to_one(scoring: Scoring, result: Score) -> None:
    white, black = scoring.points(result)
    assert white + black == 1
    assert 0 <= white <= 1
    assert isinstance(white, Fraction)


@given(scorings, outcomes, outcomes)
def test_a_better_outcome_never_gives_fewer_points(
    scoring: Scoring, one: Score, other: Score
) -> None:
    worse, better = sorted((one, other))
    assert scoring.points(worse)[Color.WHITE] <= scoring.points(better)[Color.WHITE]


@given(komis)
def test_a_printed_komi_is_read_back(komi: Komi) -> None:
    assert parse_komi(str(komi)) == komi


@pytest.mark.parametrize(
    ("text", "quarters"), [("G5.75", 23), ("g5.5", 22), ("G5.50", 22), ("G0.25", 1), ("G6.00", 24)]
)
def test_a_komi_has_quarter_steps(text: str, quarters: int) -> None:
    assert parse_komi(text) == Komi(Color.WHITE, quarters)
    assert parse_komi(f"-{text}") == Komi(Color.BLACK, quarters)


@pytest.mark.parametrize("text", ["", "5", "G5.8", "G", "G5.7", "G5.755", "++G5.75", "G-5.75"])
def test_what_is_no_komi_is_refused(text: str) -> None:
    with pytest.raises(ScoreFormatError, match="komi") as caught:
        parse_komi(text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize(
    ("scheme", "score", "text"),
    [
        ("exponential", "G1.5", "0.5625-0.4375"),
        ("exponential", "G0.0", "1.0000-0.0000"),
        ("exponential", "-G30.5", "0.5000-0.5000"),
        ("harmonic", "-G1.0", "0.3333-0.6667"),
        ("lasker", "G0.5", "0.7500-0.2500"),
        ("classical", "-G0.0", "0-1"),
        ("winner", "G3.0", "1-0"),
        ("otb", "G4.0", "1/2-1/2"),
    ],
)
def test_points_are_written_as_in_a_tag(scheme: str, score: str, text: str) -> None:
    assert format_points(Scoring(Scheme(scheme)).points(Score(score)), Scheme(scheme)) == text


def test_points_that_a_scheme_does_not_give_are_refused() -> None:
    with pytest.raises(UsageError):
        format_points((Fraction(1), Fraction(1, 4)), Scheme.WINNER)


@given(scorings, outcomes)
def test_written_points_are_read_back(scoring: Scoring, result: Score) -> None:
    points = scoring.points(result)
    again = parse_points(format_points(points, scoring.scheme))
    assert sum(again) == 1
    assert abs(again[0] - points[0]) <= Fraction(1, 20_000)


@pytest.mark.parametrize("text", ["0.5625 - 0.4375", "0.5625- 0.4375", " 0.5625-0.4375 "])
def test_points_are_read_with_spaces_around_the_dash(text: str) -> None:
    assert parse_points(text) == (Fraction(9, 16), Fraction(7, 16))


@pytest.mark.parametrize(
    "text", ["", "1", "1-1", "0.5-0.6", "2--1", "a-b", "1-0-0", "1/2-0.4", "½-½", "1-x", "x-1"]
)
def test_points_that_cannot_be_are_refused(text: str) -> None:
    with pytest.raises(ScoreFormatError):
        parse_points(text)


def test_an_event_is_decided_by_stalemates_first_and_then_by_ever_higher_scores() -> None:
    stalemate = lexicographic_key([(Color.WHITE, Score("G0.5"))])
    suffered = lexicographic_key([(Color.BLACK, Score("G0.5")), (Color.WHITE, Score("G1.0"))])
    black_wins = [(Color.BLACK, Score("-G1.0"))]
    white_wins = [(Color.WHITE, Score("G1.5"))]
    many = lexicographic_key(9 * black_wins)
    few = lexicographic_key(8 * black_wins + 3 * white_wins)
    none = lexicographic_key([])
    mates = lexicographic_key([(Color.WHITE, Score("G0.0"))])
    assert stalemate > many > few > none > suffered
    assert mates == none
    assert len({len(key) for key in (stalemate, suffered, many, few, none)}) == 1


@given(outcomes, scorings)
def test_points_in_json_add_to_one_and_are_exact_where_a_binary_fraction_can_be(
    outcome: Score, scoring: Scoring
) -> None:
    points = scoring.points(outcome)
    facts = points_facts(points)
    turned = points_facts(points[::-1])
    assert facts["white"] + facts["black"] == 1
    assert turned["white"] == facts["black"]
    assert turned["black"] == facts["white"]
    for number, exact in zip(facts.values(), points, strict=True):
        error = abs(Fraction(number) - exact)
        assert error <= Fraction(1, 2**53)
        assert error == 0 or scoring.scheme is Scheme.HARMONIC or outcome.code > 51
