"""The comparison of two games that the repository publishes.

python-chess plays its lines, and its sums are added up again.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.apps.records.slow import scores_of
from tests.project import RECORDS


@pytest.fixture(scope="module")
def published() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RECORDS / "two-games.json").read_text())
    return found


def test_every_line_reaches_its_score_and_no_sooner(published: dict[str, Any]) -> None:
    games = ("r_mobility", "whole_game")
    lines = [
        (each["fen"], each[game], n)
        for each in published["positions"]
        for n, game in enumerate(games)
    ]
    lines += [(each["fen"], each, 1) for each in published["longest"]]
    assert len(lines) > 100
    for fen, play, forgets in lines:
        scores = [each[1 + forgets] for each in scores_of(fen, play["line"])]
        assert len(scores) == play["dtg"] + 1
        assert scores[-1] == play["outcome"]
        assert forgets == 0 or play["outcome"] not in scores[:-1]


def test_the_reset_that_is_named_is_the_first_after_which_the_scores_differ(
    published: dict[str, Any],
) -> None:
    for each in published["positions"]:
        scores = enumerate(scores_of(each["fen"], each["r_mobility"]["line"]))
        first = next(((ply, san) for ply, (san, one, other, _) in scores if one != other), None)
        assert (each["reset"] is None) == (first is None)
        assert first is None or each["reset"].endswith(f", ply {first[0]}: {first[1]}")
        assert each["r_mobility"]["outcome"] != each["whole_game"]["outcome"]


@pytest.mark.parametrize(
    ("men", "tables", "positions", "shares"),
    [
        (2, 1, 7_224, (0, 0, 0, 0)),
        (3, 5, 1_945_584, (0.0524, 0.0051, 0.0473, 0.0269)),
        (4, 30, 621_706_550, (0.0422, 0.0115, 0.0307, 0.0109)),
        (5, 110, 120_150_762_280, (0.0545, 0.0218, 0.0326, 0.0169)),
    ],
)
def test_the_tables_add_up_to_the_sums_that_were_published_with_exact_counts(
    published: dict[str, Any], men: int, tables: int, positions: int, shares: tuple[float, ...]
) -> None:
    some = [each for each in published["tables"] if len(each["material"]) == men + 1]
    assert (len(some), sum(each["positions"] for each in some)) == (tables, positions)
    for n, name in enumerate(("differing", "better_for_white", "better_for_black", "other_holder")):
        assert sum(
            each["shares"][name] * each["positions"] for each in some
        ) / positions == pytest.approx(shares[n], abs=1e-4)
