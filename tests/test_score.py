from __future__ import annotations

import itertools
import re
from typing import Any

import pytest
from hypothesis import given

from tbgen.errors import ScoreFormatError
from tbgen.index.kernels import goal_of_byte
from tbgen.score import MOST_STORED_CODE, Color, Score
from tbgen.verify.values import worth_to_white
from tests.project import ROOT
from tests.strategies import outcomes, scores


@pytest.mark.parametrize(
    ("text", "code", "holder"),
    [
        ("G3.5", 7, Color.WHITE),
        ("-G3.5", 7, Color.BLACK),
        ("g2.5", 5, Color.WHITE),
        ("-g2.5", 5, Color.BLACK),
        ("mG2.5", 5, Color.BLACK),
        ("G0.0", 0, Color.WHITE),
        ("-G0.0", 0, Color.BLACK),
        ("G218.5", 437, Color.WHITE),
        ("G3", 6, Color.WHITE),
        ("3.5", 7, Color.WHITE),
        (" -G3.5\n", 7, Color.BLACK),
    ],
)
def test_every_spelling_of_a_score_is_read(text: str, code: int, holder: Color) -> None:
    assert Score(text) == Score(code, holder)


def test_spellings_in_the_rules_are_read_as_they_say() -> None:
    page = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    section = page.partition("### Scores as text")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*`) \| (`.*`|an error) \|$", section, re.MULTILINE)
    assert len(rows) == 4
    for spellings, meaning in rows:
        for text in re.findall("`([^`]*)`", spellings):
            if meaning == "an error":
                with pytest.raises(ScoreFormatError):
                    Score(text)
            else:
                assert Score(text) == Score(meaning.strip("`")), text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        "G",
        "3",
        "G3.25",
        "G3,5",
        "G3.5.",
        "G03.5",
        "G1000.5",
        "G٣.5",
        "H3.5",
        "G3.5G3.5",
        "++G3.5",
        "--G3.5",
        "G-3.5",
        "m-G3.5",
        "MG3.5",
        "M3.5",
        "GG3.5",
        "G 3.5",
    ],
)
def test_anything_else_is_an_error_that_quotes_it(text: str) -> None:
    with pytest.raises(ScoreFormatError) as caught:
        Score(text)
    assert caught.value.text == text
    assert repr(text) in str(caught.value)


@given(scores)
def test_what_is_printed_is_read_back(score: Score) -> None:
    assert Score(str(score)) == score
    assert f"{score:>9}" == str(score).rjust(9)
    assert f"{score:<9}" == str(score).ljust(9)


def test_outcomes_have_the_one_order_seen_from_white() -> None:
    descending = [Score(code, Color.WHITE) for code in range(60)]
    descending += [Score(code, Color.BLACK) for code in reversed(range(60))]
    for better, worse in itertools.combinations(descending, 2):
        assert worse < better > worse
        assert worse <= better >= worse != better


def test_a_score_is_not_compared_with_anything_else() -> None:
    for unlike in ("G1.5", 3, None, (3, Color.WHITE)):
        assert Score("G1.5") != unlike
        with pytest.raises(TypeError):
            assert Score("G1.5") < unlike


def test_the_ranks_of_the_kernels_are_the_one_order() -> None:
    stored = [byte for byte in range(-MOST_STORED_CODE - 1, MOST_STORED_CODE + 2) if byte]
    goal: Any = getattr(goal_of_byte, "py_func")  # noqa: B009 - a kernel has no types
    worth: Any = getattr(worth_to_white, "py_func")  # noqa: B009
    for side in Color:
        best_first = sorted(stored, key=lambda byte: -Score.from_signed(byte).worth_to(side))
        assert sorted(stored, key=lambda byte: goal(byte, int(side))) == best_first
    assert sorted(stored, key=lambda byte: -worth(byte)) == sorted(
        stored, key=lambda byte: -Score.from_signed(byte).worth_to(Color.WHITE)
    )


@given(outcomes)
def test_a_signed_number_is_read_back_and_fits_a_byte_if_tables_store_the_code(
    outcome: Score,
) -> None:
    assert (outcome.signed > 0) == (outcome.holder is Color.WHITE)
    assert (abs(outcome.signed) <= 127) == (outcome.code <= MOST_STORED_CODE)
    assert Score.from_signed(outcome.signed) == outcome


@given(scores, scores)
def test_a_reset_starts_anew_and_otherwise_only_a_strictly_lower_score_replaces(
    accrued: Score, reached: Score
) -> None:
    assert accrued.after(reached, reset=True) == reached
    lower = reached if reached.code < accrued.code else accrued
    assert accrued.after(reached, reset=False) == lower


@pytest.mark.parametrize(
    ("score", "words"),
    [
        ("G0.0", "White forces checkmate"),
        ("-G0.5", "Black forces stalemate"),
        ("G1.0", "White holds Black to 1 legal move, in check"),
        ("-G3.5", "Black holds White to 3 legal moves"),
    ],
)
def test_an_outcome_can_be_said_in_words(score: str, words: str) -> None:
    assert Score(score).in_words() == words
