"""Whole-game mobility: the solver without its middles, and the definition, which share no code, agree on every pair."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from tbgen.material import materials
from tbgen.score import Color, Mobility, Score
from tbgen.table import Table
from tests.reference.material import Squares
from tests.reference.moves import NO_SQUARE
from tests.reference.whole_game import Part, WholeGame
from tests.retro.comparison import men_of_slots
from tests.retro.excerpt import SolvedBlocks, cells_in, outside
from tests.retro.tables import solved
from tests.retro.test_five_and_six_men import CLOSURES, squares

Ints = npt.NDArray[np.int64]
Held = Callable[[str, Ints], tuple[Ints, Ints]]
"""Entry values and distances of cells of a material."""


def whole(name: str, threads: int = 2) -> Table:
    return solved(name, Mobility.WHOLE_GAME, threads)


def by_table(name: str, cells: Ints) -> tuple[Ints, Ints]:
    table = whole(name)
    return table.entry[cells].astype(np.int64), table.dtg[cells].astype(np.int64)


def better_coded(entry: Ints, dtg: Ints, holder: int, code: int) -> tuple[Ints, Ints]:
    """The law: what can be forced takes the place of what has accrued if its code is lower."""
    lower = np.abs(entry) - 1 < code
    return np.where(lower, entry, code + 1 if holder == 0 else -(code + 1)), np.where(lower, dtg, 0)


def differences(twin: WholeGame, held: Held) -> tuple[int, list[str]]:
    """How many pairs were compared, and the first few of which a table and the definition say something else."""
    pairs, found, asked = 0, list[str](), [(part, *look_up(twin, part, held)) for part in twin.parts.values()]
    for holder, code, value, plies in twin.pairs():
        for part, plain, entry, dtg in asked:
            here = np.arange(part.first, part.first + len(plain))[plain]
            own, mover = twin.own[here].astype(np.int64), twin.side[here]
            outcome, distance = better_coded(entry, dtg, holder, code)
            arrived = (own == code) & (mover != holder)
            outcome, distance = np.where(arrived, entry, outcome), np.where(arrived, dtg, distance)
            wrong = (own >= code) & ((value[here] != outcome) | (plies[here] != distance))
            pairs += int((own >= code).sum())
            what = f"{part.material.name} {part.placement} with {holder} {code}"
            found.extend(f"{what}: node {node}" for node in np.flatnonzero(wrong)[: 10 - len(found)])
    for part, plain, entry, dtg in asked:
        wrong = (twin.entry[part.here][plain] != entry) | (twin.dtg[part.here][plain] != dtg)
        found.extend(f"{part.material.name} {part.placement}: {node}" for node in np.flatnonzero(wrong)[:10])
    return pairs, found


def look_up(twin: WholeGame, part: Part, held: Held) -> tuple[npt.NDArray[np.bool_], Ints, Ints]:
    """Which nodes of a block have no right to take en passant, and what is stored of these."""
    plain = part.nodes.en_passant == NO_SQUARE
    side, *men = [np.asarray(axis)[plain] for axis in twin.index_of(part)]
    return plain, *held(part.material.name, cells_in(part.material.name, side, men))


@pytest.mark.parametrize("name", ["KvK", "KPvK"])
def test_every_pair_of_two_and_three_men_agrees_with_the_definition(name: str) -> None:
    pairs, found = differences(WholeGame(name, reduced=name != "KvK"), by_table)
    assert found == []
    assert pairs > 50_000


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KBvKN", "KNNvK", "KRvKN"])
def test_every_pair_of_four_men_agrees_with_the_definition(name: str) -> None:
    pairs, found = differences(WholeGame(name, reduced=True), by_table)
    assert found == []
    assert pairs > 50_000_000


class Excerpt(SolvedBlocks):
    """Some blocks of a table whose children, and other blocks, hold what is made up, and the definition's word."""

    def __init__(self, name: str, placements: list[tuple[int, ...]]) -> None:
        super().__init__(name, placements, game=Mobility.WHOLE_GAME)
        self.twin = WholeGame(name, placements=placements, outside=self._outside)

    @staticmethod
    def _outside(name: str, side: Ints, men: Squares, holder: int, code: int) -> tuple[Ints, Ints]:
        entry, dtg = outside(name, side, men)
        return better_coded(entry.astype(np.int64), dtg.astype(np.int64), holder, code)

    def by_block(self, name: str, wanted: Ints) -> tuple[Ints, Ints]:
        found = self.held(wanted)
        return found.entry.astype(np.int64), found.dtg.astype(np.int64)

    def en_passant_differences(self) -> tuple[int, list[str]]:
        """How many positions with a legal en passant capture there are, and the first few that differ."""
        compared, found = 0, list[str]()
        for part in self.twin.parts.values():
            index = self.twin.index_of(part)
            for node in np.flatnonzero(part.nodes.en_passant != NO_SQUARE).tolist():
                side, over = int(index[0][node]), int(part.nodes.en_passant[node])
                men = tuple(int(index[1 + man][node]) for man in men_of_slots(self.layout))
                here = self.en_passant_value(part.placement, side, men, over)
                there = int(self.twin.entry[part.first + node]), int(self.twin.dtg[part.first + node])
                compared += 1
                if here != there:
                    found.append(f"{side} {men} {over}: {here} != {there}")
        return compared, found[:10]


@pytest.mark.parametrize(("name", "placements"), CLOSURES.values(), ids=CLOSURES.keys())
def test_every_pair_of_a_block_with_pawns_agrees_with_the_definition(
    name: str, placements: list[tuple[str, ...]]
) -> None:
    excerpt = Excerpt(name, [squares(*each) for each in placements])
    pairs, found = differences(excerpt.twin, excerpt.by_block)
    assert found == []
    assert pairs > 100_000 * len(placements)
    compared, found = excerpt.en_passant_differences()
    assert found == []
    assert compared >= 500 * (len(placements) - 1)


def test_one_value_a_position_is_stored() -> None:
    for material in materials(3):
        table = whole(str(material))
        assert len(table.patterns) == 1
        assert not table.pattern.any()


def test_mates_are_those_of_ordinary_chess() -> None:
    for material in materials(3):
        table, other = whole(str(material)), solved(str(material))
        mates = np.abs(other.entry) == 1
        assert (mates == (np.abs(table.entry) == 1)).all()
        assert (table.entry[mates] == other.entry[mates]).all()
        assert (table.dtg[mates] == other.dtg[mates]).all()
        for side in Color:
            for winner in Color:
                mate = Score(0, winner)
                assert table.tallies[side].get(mate) == other.tallies[side].get(mate)


@pytest.mark.parametrize("name", ["KQvK", "KPvK"])
def test_threads_make_no_difference(name: str) -> None:
    one, two = whole(name, 1), whole(name, 2)
    assert (one.entry == two.entry).all()
    assert (one.dtg == two.dtg).all()
