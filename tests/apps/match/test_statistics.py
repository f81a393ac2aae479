from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tbgen.apps.match.statistics import MOST_ELO, Distribution, Model, Sprt
from tbgen.rules.points import DRAW, LOSS, WIN, Scheme, Scoring
from tbgen.score import Color, Score
from tests.apps.match import reference
from tests.project import golden_rows

PLAIN = st.sampled_from([LOSS, DRAW, WIN])
OUTCOMES = st.builds(Score, st.integers(0, 40), st.sampled_from(list(Color)))
GRADED = OUTCOMES.map(lambda outcome: Scoring(Scheme.EXPONENTIAL).points(outcome)[0])
HARMONIC = OUTCOMES.map(lambda outcome: Scoring(Scheme.HARMONIC).points(outcome)[0])
ANY_POINTS = st.lists(PLAIN, min_size=1, max_size=40) | st.lists(
    GRADED | HARMONIC, min_size=1, max_size=40
)


def games_of(points: Iterable[Fraction]) -> Distribution:
    return Distribution(Counter(points))


def pairs_of(pairs: Iterable[tuple[Fraction, Fraction]]) -> Distribution:
    return Distribution(Counter((first + second) / 2 for first, second in pairs), games_each=2)


def distribution_of(row: dict[str, str]) -> Distribution:
    counts = [int(number) for number in row["results"].split()]
    shares = [1 - Fraction(place, len(counts) - 1) for place in range(len(counts))]
    return Distribution(
        Counter(dict(zip(shares, counts, strict=True))), 1 if row["kind"] == "games" else 2
    )


@pytest.mark.parametrize(
    "row",
    golden_rows("match_statistics.csv"),
    ids=lambda row: f"{row['statistic']} of {row['results']}",
)
def test_published_figures_come_out_to_the_last_digit_that_was_printed(row: dict[str, str]) -> None:
    found = distribution_of(row)
    if row["statistic"] == "ratio":
        model, elo0, elo1 = row["arguments"].split()
        value = Sprt(float(elo0), float(elo1), model=Model(model)).ratio(
            found, found if row["kind"] == "pairs" else None
        )
    else:
        value = float(getattr(found, row["statistic"]))
    assert f"{value:.{len(row['value'].partition('.')[2])}f}" == row["value"]


@given(st.lists(st.tuples(GRADED, GRADED) | st.tuples(PLAIN, PLAIN), min_size=1, max_size=30))
def test_the_variance_over_pairs_is_that_of_their_sums(
    pairs: list[tuple[Fraction, Fraction]],
) -> None:
    found = pairs_of(pairs)
    assert found.variance == reference.variance_in_pairs(pairs)
    assert found.games == 2 * len(pairs)


@given(ANY_POINTS)
@example(
    [Fraction(32769, 65536), Fraction(32769, 65536), Fraction(32767, 65536)]
)  # its share is close to a half
def test_strength_is_that_of_the_games_listed_one_by_one(points: list[Fraction]) -> None:
    found = games_of(points)
    mean, variance = reference.mean_and_variance(points)
    assert (found.share, found.variance, found.points) == (mean, variance, sum(points))
    if 0 < mean < 1:
        assert found.elo == pytest.approx(
            float(reference.elo_of(reference.decimal(mean))), rel=1e-12, abs=1e-12
        )
    if not variance:
        assert found.superiority is None
        return
    z = (reference.decimal(mean) - reference.decimal(0.5)) / (
        reference.decimal(variance) / len(points)
    ).sqrt()
    assert found.superiority == pytest.approx(0.5 * math.erfc(-float(z) / math.sqrt(2)), abs=1e-12)


@settings(max_examples=15)
@given(ANY_POINTS, st.sampled_from([(0, 5), (-3, 1), (10, 50)]))
def test_the_generalised_ratio_equals_the_slow_one(
    points: list[Fraction], elos: tuple[int, int]
) -> None:
    found = Sprt(*elos, model=Model.LOGISTIC).ratio(games_of(points))
    assert found == pytest.approx(
        float(reference.generalised_ratio(points, 1, *elos)), rel=1e-7, abs=1e-9
    )


@settings(max_examples=15)
@given(st.lists(st.tuples(GRADED, GRADED) | st.tuples(PLAIN, PLAIN), min_size=1, max_size=30))
def test_the_generalised_ratio_over_pairs_equals_the_slow_one(
    pairs: list[tuple[Fraction, Fraction]],
) -> None:
    found = Sprt(0, 10, model=Model.LOGISTIC).ratio(games_of([]), pairs_of(pairs))
    shares = [(first + second) / 2 for first, second in pairs]
    assert found == pytest.approx(
        float(reference.generalised_ratio(shares, 2, 0, 10)), rel=1e-7, abs=1e-9
    )


@pytest.mark.parametrize("model", Model)
@pytest.mark.parametrize(
    "elos", [(0, 5), (-50, 50), (900, MOST_ELO), (-MOST_ELO, -900), (-MOST_ELO, MOST_ELO)]
)
@given(
    st.dictionaries(GRADED | PLAIN, st.integers(1, 10**6), min_size=1, max_size=6),
)
@example({WIN: 1, LOSS: 1, DRAW: 10**9})
@example({WIN: 10**6, LOSS: 1})
def test_a_test_has_a_ratio_whatever_is_played(
    model: Model, elos: tuple[int, int], counts: dict[Fraction, int]
) -> None:
    test = Sprt(*elos, model=model)
    assert math.isfinite(test.ratio(Distribution(counts)))
    assert math.isfinite(test.ratio(Distribution({}), Distribution(counts, games_each=2)))


def test_a_test_ends_at_the_bounds_of_wald() -> None:
    test = Sprt(0, 5, alpha=0.05, beta=0.1)
    assert (test.lower, test.upper) == (math.log(0.1 / 0.95), math.log(0.9 / 0.05))
    ends = [test.conclusion(ratio) for ratio in (test.upper, test.lower, 0.0)]
    assert ends == ["H1 accepted", "H0 accepted", "open"]
