"""Thresholds against tables: every cell of a block, scores accrued, and rights to take."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest

from tbgen.index.layout import layout_of
from tbgen.material import Material, build_order, materials
from tbgen.retro.drive import single
from tbgen.retro.drive.single import BlockBits
from tbgen.retro.outcomes.en_passant import Inquiry
from tbgen.retro.words.block import Block
from tbgen.score import Color, Score
from tbgen.table import Entries
from tests.retro.comparison import goodness
from tests.retro.single import KnownBlock, known_blocks

ENDS = [Score("G0.0"), Score("-G0.0"), Score("G0.5"), Score("-G0.5")]
"""Alone they take no codes."""
THREE_MEN = [str(material) for material in build_order([Material.parse("KPvK")])]


def thresholds_of(known: KnownBlock) -> list[Score]:
    """Every score that somebody gets in a block, and the scores a step worse.

    One more is such that nobody's moves allow it.
    """
    codes = {120}
    for signed in np.unique(known.entry[known.cells]).tolist():
        codes |= {abs(signed) - 1, abs(signed)}
    return [Score(code, color) for code in sorted(codes) for color in Color]


def is_met(values: Entries, threshold: Score) -> np.ndarray:
    """Whether values are at least the threshold for its holder."""
    holder = int(threshold.holder)
    return np.greater_equal(goodness(values, holder), goodness(threshold.signed, holder))


def met_in(bits: BlockBits) -> np.ndarray:
    """[cell] whether the threshold is met there."""
    return np.unpackbits(bits.met, bitorder="little") != 0


def wrong_bits(known: KnownBlock, thresholds: list[Score], scores: Sequence[Score] = ()) -> int:
    """How many cells, accrued scores and rights of a block are wrong.

    Cells and scores are compared with the table, rights with the solver of outcomes.
    """
    rights = known.outcomes().en_passant
    has_right = rights != 0
    entry = known.entry[known.cells]
    worth = [known.worth(accrued) for accrued in scores]
    blocks = known.single.solve_thresholds(lambda _: known.tables, thresholds, known.asked(scores))
    wrong = 0
    for threshold, bits in zip(thresholds, blocks, strict=True):
        wrong += differences(met_in(bits)[known.cells], is_met(entry, threshold))
        wrong += differences(bits.en_passant != 0, has_right)
        met = is_met(bits.en_passant[has_right], threshold)
        wrong += differences(met, is_met(rights[has_right], threshold))
        answers = np.split(bits.answers, len(scores)) if scores else []
        for answered, expected in zip(answers, worth, strict=True):
            wrong += differences(is_met(answered, threshold), is_met(expected, threshold))
    return wrong


def differences(one: np.ndarray, other: np.ndarray) -> int:
    return int((one != other).sum())


def wrong_in_table(name: str) -> int:
    """How many cells and rights of a whole table are wrong, all thresholds together."""
    wrong = 0
    for known in known_blocks(name):
        wrong += wrong_bits(known, thresholds_of(known))
        wrong += wrong_bits(known, ENDS)
    return wrong


@pytest.mark.parametrize("name", THREE_MEN)
def test_every_cell_of_two_and_three_men_is_right_at_every_threshold(name: str) -> None:
    assert wrong_in_table(name) == 0


def test_threads_do_not_move_the_same_pawns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Finding moves, and captures en passant, puts pawns on other squares for a moment."""
    seen = list[np.ndarray]()
    known = next(known_blocks("KPvK", [5]))

    def noting(real: Callable[..., Any], asked: Block | Inquiry, *rest: Any) -> Any:
        seen.append((asked if isinstance(asked, Block) else asked.worker.block).pawns)
        return real(asked, *rest)

    monkeypatch.setattr(single, "CHUNK", 16)
    for name in ("find_goods", "solve_threshold"):
        monkeypatch.setattr(single, name, partial(noting, getattr(single, name)))
    assert wrong_bits(known, ENDS) == 0
    assert len(seen) == 8 + len(ENDS)
    assert not any(np.shares_memory(one, other) for one, other in itertools.combinations(seen, 2))


def some_pairs(name: str, blocks: int, thresholds: int, scores: int) -> list[int]:
    """How many cells, accrued scores and rights are wrong in some blocks of a table."""
    draw = random.Random(name)
    wrong = list[int]()
    numbers = range(len(layout_of(Material.parse(name)).blocks))
    for known in known_blocks(name, sorted(draw.sample(numbers, min(blocks, len(numbers))))):
        codes = draw.choices([*range(2, 10), 11, 13, 16], k=scores)
        accrued = [Score(code, draw.choice([*Color])) for code in codes]
        every = thresholds_of(known)
        some = draw.sample(every, min(scores * thresholds, len(every)))
        wrong.append(wrong_bits(known, some, accrued))
        wrong.append(wrong_bits(known, ENDS, accrued))
    return wrong


@pytest.mark.parametrize("name", ["KQvK", "KNvK", "KPvK"])
def test_accrued_scores_are_right_at_every_threshold(name: str) -> None:
    assert set(some_pairs(name, 6, 12, 8)) == {0}


@pytest.mark.slow
def test_some_thresholds_of_four_men_are_right_with_scores_accrued() -> None:
    assert set(some_pairs("KRvKN", 1, 12, 2)) == {0}


@pytest.mark.slow
def test_rights_to_take_en_passant_are_right_at_every_threshold() -> None:
    layout = layout_of(Material.parse("KPvKP"))
    numbers = [layout.blocks.index(pawns) for pawns in ((27, 28), (33, 34))]
    for known in known_blocks("KPvKP", numbers):
        assert wrong_bits(known, thresholds_of(known)) == 0
        assert np.count_nonzero(known.outcomes().en_passant) > 1000


@pytest.mark.slow
@pytest.mark.parametrize("name", [str(each) for each in materials(4) if each.men == 4])
def test_four_men_are_right_at_every_threshold(name: str) -> None:
    if Material.parse(name).pawns:  # then blocks are small enough to ask for scores in every cell
        assert set(some_pairs(name, 8, 24, 4)) == {0}
    assert wrong_in_table(name) == 0
