"""Whole tables pass; every corruption that changes what a table says is found."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Mapping

import numpy as np
import pytest

from tbgen.index.layout import layout_of
from tbgen.material import Material, materials
from tbgen.rules.position import own_score
from tbgen.score import Color, Score
from tbgen.table import Patterns, Table
from tbgen.verify import Violation, verify_table
from tbgen.verify.resets import drawn_cells, needs_of
from tests.patterns import value_of_pattern
from tests.retro.tables import solve_from_values, values

from .model import board_of

Random = np.random.Generator
Corruption = Callable[[Table, Random], Table]


def violation_of(table: Table, tables: Mapping[Material, Table], sample: int | None = None) -> Violation | None:
    return verify_table(table, tables.__getitem__, sample=sample, threads=2).violation


@pytest.mark.parametrize("solved", ["small_tables", "whole_game_tables"])
@pytest.mark.parametrize("material", [*materials(2), *materials(3)], ids=str)
def test_a_solved_table_passes(request: pytest.FixtureRequest, solved: str, material: Material) -> None:
    tables: dict[Material, Table] = request.getfixturevalue(solved)
    report = verify_table(tables[material], tables.__getitem__, threads=2)
    assert report.violation is None
    assert report.pairs > 10 * report.positions


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KNNvK", "KBvKN", "KPvKP"])
def test_a_solved_table_of_four_men_passes(name: str) -> None:
    """Equal men, two sides with pieces, and captures en passant; all others as files: test_all_tables.py."""
    table = solve_from_values(name)
    assert verify_table(table, lambda child: values(str(child)), threads=2).violation is None


@pytest.mark.parametrize("name", ["KNvK", "KPvK"])
def test_a_sample_passes_and_counts_what_it_drew(small_tables: dict[Material, Table], name: str) -> None:
    report = verify_table(small_tables[Material.parse(name)], small_tables.__getitem__, sample=500, seed=7)
    assert report.violation is None
    assert 300 < report.positions <= 500


def test_a_sample_finds_its_share_of_wrong_distances(small_tables: dict[Material, Table]) -> None:
    table, random = small_tables[Material.parse("KNvK")], np.random.default_rng(8)
    dtg = table.dtg + random.integers(0, 2, len(table.dtg), np.uint16)
    assert violation_of(dataclasses.replace(table, dtg=dtg), small_tables, sample=100) is not None


@pytest.mark.parametrize("place", [0, 1])
def test_a_sample_of_one_position_finds_it_wrong_wherever_it_is(
    small_tables: dict[Material, Table], place: int
) -> None:
    """The check numbers the cells that it needs; the position that was drawn can be any of them."""
    table = small_tables[Material.parse("KNvK")]
    drawn = ((seed, drawn_cells(layout_of(table.material), 1, seed)) for seed in itertools.count())
    seed, cell = next(each for each in drawn if needs_of(layout_of(table.material), each[1])[0][place] == each[1])
    dtg = table.dtg.copy()
    dtg[cell] += 1
    changed = dataclasses.replace(table, dtg=dtg)
    assert verify_table(changed, small_tables.__getitem__, sample=1, seed=seed, threads=1).violation is not None


@pytest.mark.parametrize("name", ["KRvK", "KQvK"])
def test_the_end_of_a_game_is_no_ply_away(small_tables: dict[Material, Table], name: str) -> None:
    """Also where several moves mate, so that the positions before tell nothing of it."""
    table, random = small_tables[Material.parse(name)], np.random.default_rng(3)
    ends = np.flatnonzero((np.abs(table.entry) <= 2) & (table.entry != 0) & (table.dtg == 0))
    for cell in random.choice(ends, 6, replace=False).tolist():
        dtg = table.dtg.copy()
        dtg[cell] = 1
        violation = violation_of(dataclasses.replace(table, dtg=dtg), small_tables)
        assert violation is not None
        assert violation.law == "end of the game"


def filled(table: Table, random: Random) -> int:
    return int(random.choice(np.flatnonzero(table.entry)))


def with_empty_cell_filled(table: Table, random: Random) -> Table:
    entry = table.entry.copy()
    entry[random.choice(np.flatnonzero(entry == 0))] = random.choice(entry[entry != 0])
    return dataclasses.replace(table, entry=entry)


def with_dtg(table: Table, random: Random) -> Table:
    cell, dtg = filled(table, random), table.dtg.copy()
    dtg[cell] = max(0, int(dtg[cell]) + int(random.choice((1, 2, 100)))) if random.integers(2) else dtg[cell] ^ 1
    return dataclasses.replace(table, dtg=dtg)


def middle_of(table: Table, cell: int, patterns: Patterns, pattern: int) -> list[tuple[Score, int]]:
    """What a pattern makes of all the accrued scores for which a reader would look at it."""
    own, entry = own_score(board_of(layout_of(table.material), cell)), Score.from_byte(int(table.entry[cell]))
    scores = [Score(code, holder) for code in range(2, own.code + 1) for holder in Color]
    scores = [b for b in scores if b != own and not (entry.code < own.code and entry.code < b.code)]
    return [value_of_pattern(patterns, pattern, accrued) for accrued in scores]


def with_pattern(table: Table, random: Random) -> Table:
    while True:
        cell, other = filled(table, random), int(random.integers(len(table.patterns)))
        now = int(table.pattern[cell])
        if middle_of(table, cell, table.patterns, other) != middle_of(table, cell, table.patterns, now):
            pattern = table.pattern.copy()
            pattern[cell] = other
            return dataclasses.replace(table, pattern=pattern)


def with_disorder(table: Table, random: Random) -> Table:
    """Two rows of a pattern exchanged."""
    wide = np.flatnonzero(np.diff(table.patterns.start.astype(int)) > 1)
    first = int(table.patterns.start[random.choice(wide)])
    order = np.arange(len(table.patterns.code))
    order[[first, first + 1]] = order[[first + 1, first]]
    columns = {name: getattr(table.patterns, name)[order] for name in ("holder", "code", "outcome", "dtg")}
    return dataclasses.replace(table, patterns=Patterns(table.patterns.start, **columns))


CASES = [
    ("KvK", with_empty_cell_filled, 36),
    *(("KNvK", corrupt, 7) for corrupt in (with_empty_cell_filled, with_pattern, with_disorder)),
    *(("KPvK", corrupt, 2) for corrupt in (with_empty_cell_filled, with_dtg, with_pattern, with_disorder)),
]
"""Beside what tests/laws/test_proof.py changes. Bare kings hold for ever: KvK has no rows."""


@pytest.mark.parametrize(("name", "corrupt", "rounds"), CASES)
def test_a_corrupted_table_fails(
    small_tables: dict[Material, Table], name: str, corrupt: Corruption, rounds: int
) -> None:
    table = small_tables[Material.parse(name)]
    random = np.random.default_rng(list((name + corrupt.__name__).encode()))
    for _ in range(rounds):
        violation = violation_of(corrupt(table, random), small_tables)
        assert violation is not None
        if corrupt is not with_disorder:
            assert violation.fen is not None, violation
