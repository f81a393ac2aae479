"""The solver as a whole: same result on every run, published counts and values, and what it refuses."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pytest

from tbgen.errors import BuildError, RepresentationError
from tbgen.index.layout import layout_of
from tbgen.material import Material, materials
from tbgen.retro import solve
from tbgen.retro.drive import one_block
from tbgen.retro.drive.task import check_worker
from tbgen.retro.levels import forcer as forcer_module
from tbgen.retro.levels.forcer import STATUS, TOO_HIGH, Worker, new_worker, open_words, start_forcer, start_middles
from tbgen.retro.levels.histories import new_interner
from tbgen.retro.levels.one_code import TOP_CODE, freeze
from tbgen.retro.levels.packing import NO_LABEL, label_from
from tbgen.retro.words.block import BlockValues, enter_block, find_legal, number_cells
from tbgen.retro.words.geometry import geometry_of
from tbgen.rules.position import own_score
from tbgen.score import Color, Score
from tbgen.table import EntryValues, Table
from tests.patterns import value_of_pattern
from tests.retro.tables import solve_from_values, solved, values
from tests.verify.model import value_of

GOLDEN = Path(__file__).parent.parent / "golden"
SMALL = [str(material) for men in (2, 3) for material in materials(men)]


def rows(name: str) -> list[dict[str, str]]:
    with (GOLDEN / name).open(newline="") as file:
        return list(csv.DictReader(file))


def assert_same(left: Table, right: Table) -> None:
    for name in ("entry", "dtg", "pattern"):
        np.testing.assert_array_equal(getattr(left, name), getattr(right, name), strict=True)
    for name in ("start", "holder", "code", "outcome", "dtg"):
        np.testing.assert_array_equal(getattr(left.patterns, name), getattr(right.patterns, name), strict=True)
    assert left.tallies == right.tallies


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("name", SMALL)
def test_a_table_is_the_same_for_any_number_of_threads(name: str, threads: int) -> None:
    assert_same(solve_from_values(name, threads), solved(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KBvKN", "KNNvK", "KPvKP"])
def test_a_table_of_four_men_is_the_same_for_any_number_of_threads(name: str) -> None:
    first = solve_from_values(name, 1)
    for threads in (1, 2, 3):
        assert_same(solve_from_values(name, threads), first)


@pytest.mark.parametrize("row", rows("entry_counts.csv"), ids=lambda row: " ".join(row.values()))
def test_entry_values_are_as_many_as_the_rules_say(row: dict[str, str]) -> None:
    side = Color.WHITE if row["side_to_move"] == "white" else Color.BLACK
    tally = solved(row["material"]).tallies[side][Score(row["outcome"])]
    assert tally.count == int(row["positions"])


@pytest.mark.parametrize("row", rows("entry_values.csv"), ids=lambda row: row["fen"])
def test_single_values_are_those_published_with_the_rules(row: dict[str, str]) -> None:
    board = chess.Board(row["fen"])
    accrued = Score(row["accrued"]) if row["accrued"] else own_score(board)
    tables = {Material.parse(name): solved(name) for name in SMALL}
    assert value_of(tables, board, accrued)[0] == Score(row["value"])


@pytest.mark.parametrize("name", SMALL)
def test_tallies_are_those_of_the_table(name: str) -> None:
    table = solved(name)
    layout = layout_of(table.material)
    for side in Color:
        assert list(table.tallies[side]) == sorted(table.tallies[side], reverse=True)
        for outcome, tally in table.tallies[side].items():
            there = table.entry.reshape(layout.shape)[:, side] == outcome.to_byte()
            assert tally.max_dtg == table.dtg.reshape(layout.shape)[:, side][there].max()
            assert table.entry[tally.cell] == outcome.to_byte()
            assert table.dtg[tally.cell] == tally.max_dtg
            assert layout.squares_of(tally.cell)[0] == int(side)


def bare_kings() -> tuple[Worker, BlockValues]:
    """A worker with all positions of bare kings before their first level, and room for their values."""
    layout = layout_of(Material.parse("KvK"))
    geometry = geometry_of(layout)
    worker = new_worker(geometry)
    enter_block(worker.block, 0, np.zeros(0, np.int64))
    find_legal(worker.block, worker.scratch.men, 0, geometry.words)
    worker.block.next_code[:] = 255
    open_words(worker.block, worker.white, worker.black, 0, geometry.words)
    start_forcer(worker.block, worker.white)
    start_forcer(worker.block, worker.black)
    places = number_cells(worker.block, 0, geometry.words, 0)
    start_middles(worker.block, worker.white, places)
    start_middles(worker.block, worker.black, places)
    return worker, BlockValues(np.zeros(layout.cells, np.int8), np.zeros(layout.cells, np.uint16))


def freeze_one(code: int, broken: int | None) -> tuple[Worker, np.ndarray]:
    """Freeze one cell, White to move, with this own code; `broken` is what White makes of Black's hold, if anything."""
    worker, values = bare_kings()
    square = int(worker.block.legal[0, 0]).bit_length() - 1
    worker.block.code[0, :64] = 255
    worker.block.code[0, square] = code
    worker.block.next_code[0, 0] = code
    place = int(np.bitwise_count(worker.block.legal[0, 0])) - 1
    worker.white.label[place] = NO_LABEL if broken is None else label_from(broken, 5)
    freeze(worker.block, worker.white, worker.black, values, code, 0, 10)
    return worker, values.entry[square : square + 1]


def refusal(worker: Worker) -> RepresentationError | None:
    """What the solver makes of a worker's status."""
    try:
        check_worker(Material.parse("KvK"), worker)
    except RepresentationError as error:
        return error
    return None


def test_the_highest_code_that_fits_a_byte_is_stored() -> None:
    worker, entry = freeze_one(TOP_CODE, None)
    assert refusal(worker) is None
    assert entry.tolist() == [Score(TOP_CODE, Color.BLACK).to_byte()]


def test_an_outcome_above_the_byte_is_refused() -> None:
    worker, _ = freeze_one(TOP_CODE + 1, None)
    assert worker.white.state[STATUS] == TOO_HIGH
    assert str(refusal(worker)) == "an outcome of KvK does not fit the signed byte of a stored table"


def test_a_code_above_the_byte_is_no_outcome_where_its_hold_breaks() -> None:
    worker, entry = freeze_one(TOP_CODE + 60, 4)
    assert refusal(worker) is None
    assert entry.tolist() == [Score(4, Color.WHITE).to_byte()]


def test_a_distance_too_far_is_refused() -> None:
    kings = values("KvK")
    child = EntryValues(kings.material, kings.entry, np.full_like(kings.dtg, 5000))
    with pytest.raises(RepresentationError, match="a distance of KNvK does not fit"):
        solve(Material.parse("KNvK"), {kings.material: child})


@pytest.mark.parametrize("name", ["KNvK", "KPvK"])
def test_a_child_without_values_is_refused(name: str) -> None:
    material = Material.parse(name)
    children = {child: values(str(child)) for child in material.children()}
    kings = children[Material.parse("KvK")]
    children[kings.material] = EntryValues(kings.material, np.zeros_like(kings.entry), kings.dtg)
    with pytest.raises(BuildError, match="a child table has no value"):
        solve(material, children)


def test_what_there_is_no_room_for_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Histories, pairs of histories, and cells to be asked again; by one kernel, and step by step."""
    small = {
        "MOST_NODES": (2, 5, 100),
        "AGENDA_ENTRIES": (0,),
    }
    for name in ("KNvK", "KPvK"):
        children = {child: values(str(child)) for child in Material.parse(name).children()}
        for limit, sizes in small.items():
            what = "patterns" if limit == "MOST_NODES" else "positions"
            for size in sizes:
                with monkeypatch.context() as patched:
                    patched.setattr(forcer_module, limit, size)
                    with pytest.raises(RepresentationError, match=f"the number of {what} of {name} .*does not fit"):
                        solve(Material.parse(name), children)
        with monkeypatch.context() as patched:
            for module in (forcer_module, one_block):
                patched.setattr(module, "new_interner", lambda _: new_interner(8))
            with pytest.raises(RepresentationError, match=f"the number of patterns of {name} does not fit"):
                solve(Material.parse(name), children)


@pytest.mark.parametrize("accrued", [Score(2, Color.WHITE), Score(16, Color.BLACK)])
def test_no_hold_of_bare_kings_breaks(accrued: Score) -> None:
    table = solved("KvK")
    assert len(table.patterns) == 1
    assert value_of_pattern(table.patterns, 0, accrued) == (accrued, 0)


class Backwards:
    """A pool of one that does its jobs last first."""

    def __init__(self, threads: int) -> None:
        self.threads = threads

    def __enter__(self) -> Backwards:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def map(self, job: Callable[..., Any], *arguments: Iterable[Any]) -> Iterator[Any]:
        results = [job(*each) for each in reversed(list(zip(*arguments, strict=True)))]
        return reversed(results)


@pytest.mark.parametrize("name", ["KBvK", "KPvK"])
def test_a_table_does_not_depend_on_the_order_of_independent_work(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    forwards = solve_from_values(name, threads=1)
    monkeypatch.setattr("tbgen.retro.drive.solver.ThreadPoolExecutor", Backwards)
    assert_same(forwards, solve_from_values(name, threads=1))
