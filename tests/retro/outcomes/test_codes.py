"""The solver of outcomes beside the reference, and beside the solver of distances.

The two solvers share no search.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tbgen.errors import RepresentationError
from tbgen.material import Material, build_order, table_named
from tbgen.retro import DISTANCES, OUTCOMES, MemoryStore, Method, solve_into
from tbgen.retro.cells.worker import Room
from tbgen.score import Mobility
from tbgen.storage.files import Layer, path_of
from tbgen.storage.writer import write_table
from tbgen.table import Child, Table
from tests import reference
from tests.retro.comparison import differences
from tests.retro.tables import solve, solved, values

THREE_MEN = [str(material) for material in build_order([table_named("KPvK")])]


def outcomes_of(name: str, threads: int = 2) -> Table:
    material = table_named(name)
    children: dict[Material, Child] = {child: values(str(child)) for child in material.children()}
    return solve(material, children, threads, method=OUTCOMES)


def assert_agreement(name: str) -> None:
    pairs, found = differences(outcomes_of(name), reference.solve(name), plies=False)
    assert found == []
    assert pairs > 0


@pytest.mark.parametrize("name", THREE_MEN)
def test_every_outcome_of_two_and_three_men_agrees_with_the_reference(name: str) -> None:
    assert_agreement(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KBvKN", "KNNvK", "KPvKP", "KRvKP", "KNvKP"])
def test_every_outcome_of_four_men_agrees_with_the_reference(name: str) -> None:
    assert_agreement(name)


def outcomes_file(folder: Path, name: str, mobility: Mobility, method: Method[Any]) -> bytes:
    """The file of outcomes that a solver leads to."""
    material = table_named(name)
    children = {child: solved(str(child), mobility) for child in material.children()}
    table = solve_into(MemoryStore(), material, children, 2, mobility=mobility, method=method)
    write_table(folder, table, generator="test", source="test", outcomes_only=method is OUTCOMES)
    assert path_of(folder, material, Layer.DISTANCES).exists() == (method is DISTANCES)
    return path_of(folder, material).read_bytes()


@pytest.mark.parametrize("mobility", [*Mobility])
@pytest.mark.parametrize(
    "name",
    [
        "KvK",
        "KNvK",
        "KPvK",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("KBvK", "KRvK", "KQvK", "KRvKR", "KPvKP")
        ),
    ],
)
def test_both_solvers_write_the_same_file_of_outcomes(
    name: str, mobility: Mobility, tmp_path: Path
) -> None:
    folders = [
        tmp_path / each / ("" if mobility.forgets else str(mobility))
        for each in ("outcomes", "distances")
    ]
    for folder in folders:
        folder.mkdir(parents=True)
    assert outcomes_file(folders[0], name, mobility, OUTCOMES) == outcomes_file(
        folders[1], name, mobility, DISTANCES
    )


@pytest.mark.parametrize("entries", [0, 10, 100])
@pytest.mark.parametrize("name", ["KNvK", "KPvK"])
def test_what_there_is_no_room_for_is_refused(
    name: str, entries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Room, "entries", entries)
    with pytest.raises(RepresentationError, match="the number of positions of"):
        outcomes_of(name)
