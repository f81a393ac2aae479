"""Mating potential: the rule as it is written, shares counted by hand, fitted factors."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

from research.potential import (
    Rule,
    facts_of,
    fits_of,
    own_records,
    potentials_of,
    rule_for,
    worths_of,
)
from tbgen.apps.records.record import Record, read_record
from tbgen.errors import UsageError
from tbgen.facts import plain
from tbgen.library.build import build_tables
from tbgen.material import Material
from tbgen.men import Role, is_bound, name_of_men
from tbgen.score import Color, Score
from tests.own_men import MEN, material
from tests.project import RECORDS, ROOT

pytestmark = pytest.mark.slow


@pytest.fixture
def some() -> list[Record]:
    return [read_record(RECORDS / f"{name}.json") for name in ("KBvK", "KPvK", "KRvKN")]


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("KQvK", Rule.BARE_KING),
        ("KBBvK", Rule.BARE_KING),
        ("KBNvK", Rule.BARE_KING),
        ("KBvK", Rule.NO_MATE),
        ("KNvK", Rule.NO_MATE),
        ("KNNvK", Rule.NO_MATE),
        ("KRvKB", Rule.MINOR_AHEAD),
        ("KBvKP", Rule.MINOR_AHEAD),
        ("KRBvKR", Rule.MINOR_AHEAD),
        ("KNNvKB", Rule.MINOR_AHEAD),
        ("KQvKR", Rule.PAWNLESS),
        ("KRRvKR", Rule.PAWNLESS),
        ("KNNNvKB", Rule.PAWNLESS),
        ("KPvK", Rule.FULL),
        ("KPPvK", Rule.FULL),
        ("KRPvKR", Rule.FULL),
        ("KBPvKN", Rule.LAST_PAWN),
        ("KNPvKN", Rule.LAST_PAWN),
    ],
)
def test_the_rule_says(name: str, rule: Rule) -> None:
    assert rule_for(Material.parse(name), Color.WHITE) is rule


@pytest.mark.parametrize("name", ["KvK", "KRvKR", "KBvKN"])
def test_nobody_leads_with_men_of_equal_value(name: str) -> None:
    assert potentials_of([read_record(RECORDS / f"{name}.json")]) == []


def by_hand(record: Record, worth: dict[str, Fraction]) -> Fraction:
    """The mean over both sides to move of what outcomes are worth to White."""
    means = []
    for side in plain(record)["sides"].values():
        total = sum(each["classes"] for each in side["outcomes"].values())
        signed = [
            worth.get(outcome, Fraction(0)) * each["classes"]
            for outcome, each in side["outcomes"].items()
        ]
        means.append(sum(signed, Fraction(0)) / total)
    return sum(means, Fraction(0)) / 2


def test_factors_are_means_over_all_positions(some: list[Record]) -> None:
    found = {str(each.material): each for each in potentials_of(some)}
    record = next(record for record in some if str(record.material) == "KRvKN")
    mates = {"G0.0": Fraction(1), "-G0.0": Fraction(-1)}
    assert found["KRvKN"].mates == by_hand(record, mates)
    signs = {Color.WHITE: 1, Color.BLACK: -1}
    points = {
        str(Score(code, side)): Fraction(signs[side], 2**code)
        for code in range(60)
        for side in Color
    }
    assert found["KRvKN"].points == by_hand(record, points)


def test_shares_count_scores_that_are_good_enough(some: list[Record]) -> None:
    found = {str(each.material): each for each in potentials_of(some)}["KBvK"]
    shares = [found.share(Color.WHITE, Color.WHITE, code) for code in (0, 1, 3)]
    assert shares == [Fraction(0), Fraction(924, 24178), Fraction(1)]
    assert found.share(Color.WHITE, Color.BLACK, 99) == Fraction(0)


def test_a_lead_that_loses_more_than_it_wins_confirms_nothing(published: list[Record]) -> None:
    found = {str(each.material): each for each in potentials_of(published)}
    assert found["KNvKP"].mates < 0
    assert not found["KNvKP"].is_confirmed
    assert found["KQvK"].is_confirmed


def test_fitted_factors_are_means_of_endings(published: list[Record]) -> None:
    potentials = potentials_of(published)
    for fit in fits_of(potentials):
        some = [each for each in potentials if each.rule is fit.rule]
        mates, points = (
            sum((getattr(each, name) for each in some), Fraction(0)) for name in ("mates", "points")
        )
        assert (fit.mates, fit.points, fit.endings) == (
            mates / len(some),
            points / len(some),
            len(some),
        )


def test_the_last_pawn_is_in_jeopardy_in_four_endings(published: list[Record]) -> None:
    found = {each.name: each for each in potentials_of(published) if each.rule is Rule.LAST_PAWN}
    assert sorted(found) == ["KBPvKB", "KBPvKN", "KNPvKB", "KNPvKN"]
    white = Fraction(
        135028146 - 1316, 135028146 + 139454038 + 1316
    )  # KNPvKN, from tests/golden/ordinary_tables.csv
    black = Fraction(64286727 - 7059, 7059 + 217962174 + 64286727)
    assert found["KNPvKN"].mates == (white + black) / 2


def test_bishops_on_squares_of_one_colour_are_an_ending_of_their_own(
    published: list[Record],
) -> None:
    record = next(record for record in published if str(record.material) == "KBBvK")
    found = {
        each.bishops: each for each in potentials_of([record]) if each.material == record.material
    }
    assert {bishops: each.rule for bishops, each in found.items()} == {
        "both colours": Rule.BARE_KING,
        "one colour": Rule.NO_MATE,
    }
    assert found["one colour"].mates == 0
    assert found["one colour"].is_confirmed
    for side in Color:
        assert (
            sum(sum(each.counts[side].values()) for each in found.values())
            == record.sides[side].positions.classes
        )


def test_an_engine_can_read_the_factors(some: list[Record]) -> None:
    facts = json.loads(json.dumps(facts_of(potentials_of(some))))
    assert set(facts["endings"]) == {"KBvK", "KPvK", "KRvKN"}
    row = facts["endings"]["KBvK"]
    assert (row["leader"], row["rule_factor"], row["factor"]) == ("white", 0.125, 0)
    assert row["shares"]["white_to_move"]["white"]["G0.5"] == round(924 / 24178, 6)
    assert {rule["rule"] for rule in facts["rules"]} == {
        "no mating material",
        "full",
        "minor ahead",
    }


PLAIN = [f"{role.letter}=300" for role in MEN if role.letter not in "MFEA"]
WORTHS = worths_of(["M=325,mates,tough", "F=150,no-pair", "E=500", "A=1250", *PLAIN], MEN)


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("KMvK", Rule.BARE_KING),
        ("KFvK", Rule.NO_MATE),
        ("KFFvK", Rule.NO_MATE),
        ("KFNvK", Rule.NO_MATE),
        ("KFLvK", Rule.BARE_KING),
        ("KEvK", Rule.NO_MATE),
        ("KAvK", Rule.BARE_KING),
        ("KQvKM", Rule.TOUGH),
        ("KQvKF", Rule.PAWNLESS),
        ("KRvKF", Rule.PAWNLESS),
        ("KRvKL", Rule.MINOR_AHEAD),
    ],
)
def test_the_rule_says_of_men_of_ones_own(name: str, rule: Rule) -> None:
    assert rule_for(material(name), Color.WHITE, WORTHS) is rule


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        (["M"], "'M' is not a man's worth"),
        (["M=3.5"], "'M=3.5' is not a man's worth"),
        (["Q=900"], "'Q=900' is not a man's worth"),
        (["M=325,strong"], "mates, no-pair, tough"),
        (["M=325"], "say in centipawns what A is worth: --worth A=325"),
    ],
)
def test_a_worth_that_cannot_be_read_or_is_missing_is_refused(
    texts: list[str], reason: str
) -> None:
    with pytest.raises(UsageError, match=reason):
        worths_of(texts, MEN)


def test_the_figures_of_ones_own_men_are_those_of_the_study(tmp_path: Path) -> None:
    """Four tables, with the values of the page."""
    published = json.loads((RECORDS / "own-men.json").read_text())["endings"]
    page = (ROOT / "research" / "README.md").read_text(encoding="utf-8")
    folder = tmp_path / name_of_men(MEN)
    build_tables(["KDvK", "KEvK", "KGvK", "KMvK"], folder, threads=1)
    worths = worths_of(re.findall(r"--worth (\S+)", page), MEN)
    for potential in potentials_of(own_records(folder), worths):
        assert json.loads(json.dumps(potential.facts())) == published[potential.name]


def test_men_bound_to_a_colour_are_found_by_their_moves() -> None:
    assert "".join(role.letter for role in MEN if is_bound(role)) == "EFHILOU"
    assert [role for role in Role if is_bound(role)] == [Role.BISHOP]
