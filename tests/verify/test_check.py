"""Whole tables pass.

A corruption that changes what patterns say is found, beside those of tests/laws/test_proof.py.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable

import numpy as np
import pytest

from tbgen.index.layout import layout_of
from tbgen.material import materials
from tbgen.rules.position import own_score
from tbgen.score import Color, Mobility, Score
from tbgen.table import Patterns, Table
from tbgen.verify import verify_table
from tbgen.verify.resets import drawn_cells, needs_of
from tests.patterns import value_of_pattern
from tests.retro.tables import has_filled_blank, report_of, solve_from_values, solved, values

from .model import board_of

Random = np.random.Generator
SMALL = [str(material) for men in (2, 3) for material in materials(men)]


@pytest.mark.parametrize("mobility", Mobility)
@pytest.mark.parametrize("name", SMALL)
def test_a_solved_table_passes(name: str, mobility: Mobility) -> None:
    report = report_of(solved(name, mobility))
    assert report.violation is None
    assert report.pairs > 10 * report.positions
    assert not has_filled_blank(solved(name, mobility))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KNNvK", "KBvKN", "KPvKP"])
def test_a_solved_table_of_four_men_passes(name: str) -> None:
    """Equal men, two sides with pieces, and captures en passant.

    All others as files: test_all_tables.py.
    """
    table = solve_from_values(name)
    assert verify_table(table, lambda child: values(str(child)), threads=2).violation is None
    assert not has_filled_blank(table)


@pytest.mark.parametrize("name", ["KBvK", "KPvK"])
def test_a_table_of_whole_game_mobility_does_not_pass_as_one_of_r_mobility(name: str) -> None:
    table = solved(name, Mobility.WHOLE_GAME)
    assert report_of(dataclasses.replace(table, mobility=Mobility.RESET)).violation is not None


def test_a_sample_finds_its_share_of_wrong_distances() -> None:
    table = solved("KNvK")
    random = np.random.default_rng(8)
    dtg = table.dtg + random.integers(0, 2, len(table.dtg), np.uint16)
    assert report_of(dataclasses.replace(table, dtg=dtg), sample=100).violation is not None


@pytest.mark.parametrize("place", [0, 1])
def test_a_sample_of_one_position_finds_it_wrong_wherever_it_is(place: int) -> None:
    """The check numbers the cells that it needs; the position that was drawn can be any of them."""
    table = solved("KNvK")
    drawn = ((seed, drawn_cells(layout_of(table.material), 1, seed)) for seed in itertools.count())
    seed, cell = next(
        each for each in drawn if needs_of(layout_of(table.material), each[1])[0][place] == each[1]
    )
    dtg = table.dtg.copy()
    dtg[cell] += 1
    assert report_of(dataclasses.replace(table, dtg=dtg), sample=1, seed=seed).violation is not None


@pytest.mark.parametrize("name", ["KRvK", "KQvK"])
def test_the_end_of_a_game_is_its_score_and_no_ply_away(name: str) -> None:
    """Also where several moves mate, so that the positions before tell nothing of it."""
    table = solved(name)
    random = np.random.default_rng(3)
    ends = np.flatnonzero((np.abs(table.entry) <= 2) & (table.entry != 0) & (table.dtg == 0))
    for cell in random.choice(ends, 6, replace=False).tolist():
        entry = table.entry.copy()
        dtg = table.dtg.copy()
        entry[cell] = -entry[cell]
        dtg[cell] = 1
        for wrong in ({"entry": entry}, {"dtg": dtg}):
            violation = report_of(dataclasses.replace(table, **wrong)).violation
            assert violation is not None
            assert violation.law == "end of the game"


def middle_of(table: Table, cell: int, pattern: int) -> list[tuple[Score, int]]:
    """What a pattern makes of all the accrued scores for which a reader would look at it."""
    own = own_score(board_of(layout_of(table.material), cell))
    entry = Score.from_signed(int(table.entry[cell]))
    scores = [Score(code, holder) for code in range(2, own.code + 1) for holder in Color]
    scores = [b for b in scores if b != own and not (entry.code < own.code and entry.code < b.code)]
    return [value_of_pattern(table.patterns, pattern, accrued) for accrued in scores]


def with_pattern(table: Table, random: Random) -> Table:
    """Another pattern, which says other things of the position."""
    cell = int(random.choice(np.flatnonzero(table.entry)))
    other = int(random.integers(len(table.patterns)))
    if middle_of(table, cell, other) == middle_of(table, cell, int(table.pattern[cell])):
        return with_pattern(table, random)
    pattern = table.pattern.copy()
    pattern[cell] = other
    return dataclasses.replace(table, pattern=pattern)


def with_disorder(table: Table, random: Random) -> Table:
    """Two rows of a pattern exchanged."""
    wide = np.flatnonzero(np.diff(table.patterns.start.astype(int)) > 1)
    first = int(table.patterns.start[random.choice(wide)])
    order = np.arange(len(table.patterns.code))
    order[[first, first + 1]] = order[[first + 1, first]]
    columns = {
        name: getattr(table.patterns, name)[order] for name in ("holder", "code", "outcome", "dtg")
    }
    return dataclasses.replace(table, patterns=Patterns(table.patterns.start, **columns))


@pytest.mark.parametrize("corrupt", [with_pattern, with_disorder])
@pytest.mark.parametrize(("name", "rounds"), [("KNvK", 7), ("KPvK", 2)])
def test_a_corrupted_table_fails(
    name: str, rounds: int, corrupt: Callable[[Table, Random], Table]
) -> None:
    random = np.random.default_rng(list((name + corrupt.__name__).encode()))
    for _ in range(rounds):
        violation = report_of(corrupt(solved(name), random)).violation
        assert violation is not None
        assert corrupt is with_disorder or str(violation.fen).endswith(
            f" 1 1 {violation.accrued}"
        ), violation
