"""The solver as a whole: the same result on every run, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pytest

from tbgen.errors import BuildError, RepresentationError
from tbgen.index.layout import layout_of
from tbgen.material import materials, table_named
from tbgen.retro import DISTANCES, OUTCOMES, Method
from tbgen.retro.cells import worker as worker_module
from tbgen.retro.cells.freezing import TOP_CODE
from tbgen.retro.cells.members import open_words
from tbgen.retro.cells.worker import STATUS, Room
from tbgen.retro.cells.worker import AnyWorker as Worker
from tbgen.retro.distances import forcer as forcer_module
from tbgen.retro.distances.forcer import start_forcer, start_middles
from tbgen.retro.distances.one_code import freeze
from tbgen.retro.drive import many_blocks, methods, one_block
from tbgen.retro.drive.methods import new_worker
from tbgen.retro.drive.task import check_status
from tbgen.retro.patterns.histories import new_interner
from tbgen.retro.patterns.packing import NO_LABEL, label_from
from tbgen.retro.status import TOO_HIGH
from tbgen.retro.words.block import NO_CODE, BlockValues, enter_block, find_legal, number_cells
from tbgen.retro.words.geometry import Geometry, geometry_of
from tbgen.score import STALEMATE_CODE, Color, Mobility, Score
from tbgen.table import EntryValues, Table
from tests.retro.tables import solve, solve_from_values, solved, values

SMALL = [str(material) for men in (2, 3) for material in materials(men)]


def assert_same(left: Table, right: Table) -> None:
    for name in ("entry", "dtg", "pattern"):
        np.testing.assert_array_equal(getattr(left, name), getattr(right, name), strict=True)
    for name in ("start", "holder", "code", "outcome", "dtg"):
        np.testing.assert_array_equal(
            getattr(left.patterns, name), getattr(right.patterns, name), strict=True
        )
    assert left.tallies == right.tallies


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(
    "name", [*SMALL, *(pytest.param(name, marks=pytest.mark.slow) for name in ("KBvKN", "KPvKP"))]
)
def test_a_table_is_the_same_for_any_number_of_threads(name: str, threads: int) -> None:
    assert_same(solve_from_values(name, threads), solved(name))


def bare_kings() -> tuple[Worker, BlockValues]:
    """A worker with all positions of bare kings before their first code; room for their values."""
    layout = layout_of(table_named("KvK"))
    geometry = geometry_of(layout)
    worker = new_worker(DISTANCES, geometry, Mobility.RESET, Room(geometry.words))
    enter_block(worker.block, 0, np.zeros(0, np.int64))
    find_legal(worker.block, worker.scratch.men, 0, geometry.words)
    worker.block.next_code[:] = NO_CODE
    open_words(worker.block, worker.white.forced, worker.black.forced, 0, geometry.words)
    start_forcer(worker.block, worker.white)
    start_forcer(worker.block, worker.black)
    cells = number_cells(worker.block, 0, geometry.words, 0)
    start_middles(worker.block, worker.white, STALEMATE_CODE, cells)
    start_middles(worker.block, worker.black, STALEMATE_CODE, cells)
    return worker, BlockValues(np.zeros(layout.cells, np.int8), np.zeros(layout.cells, np.uint16))


def freeze_one(code: int, broken: int | None) -> tuple[Worker, np.ndarray]:
    """Freeze one cell, White to move, with this own code.

    `broken` is what White makes of Black's hold, if anything.
    """
    worker, values = bare_kings()
    square = int(worker.block.legal[0, 0]).bit_length() - 1
    worker.block.code[0, :64] = NO_CODE
    worker.block.code[0, square] = code
    worker.block.next_code[0, 0] = code
    number = int(np.bitwise_count(worker.block.legal[0, 0])) - 1
    worker.white.label[number] = NO_LABEL if broken is None else label_from(broken, 5)
    freeze(worker.block, worker.white, worker.black, values, code, 0, 10)
    return worker, values.entry[square : square + 1]


def refusal(worker: Worker) -> RepresentationError | None:
    """What the solver makes of a worker's status."""
    try:
        check_status(
            table_named("KvK"), int(worker.white.state[STATUS] or worker.black.state[STATUS])
        )
    except RepresentationError as error:
        return error
    return None


@pytest.mark.parametrize(
    ("code", "broken", "outcome"),
    [(TOP_CODE, None, Score(TOP_CODE, Color.BLACK)), (TOP_CODE + 60, 4, Score(4, Color.WHITE))],
    ids=[
        "the highest code that fits a byte",
        "a code above it is no outcome where its hold breaks",
    ],
)
def test_an_outcome_that_fits_a_byte_is_stored(
    code: int, broken: int | None, outcome: Score
) -> None:
    worker, entry = freeze_one(code, broken)
    assert refusal(worker) is None
    assert entry.tolist() == [outcome.signed]


def test_an_outcome_above_the_byte_is_refused() -> None:
    worker, _ = freeze_one(TOP_CODE + 1, None)
    assert worker.white.state[STATUS] == TOO_HIGH
    assert (
        str(refusal(worker)) == "an outcome of KvK does not fit the signed byte of a stored table"
    )


def test_a_distance_too_far_is_refused() -> None:
    kings = values("KvK")
    child = EntryValues(kings.material, kings.entry, np.full_like(kings.dtg, 5000))
    with pytest.raises(RepresentationError, match="a distance of KNvK does not fit"):
        solve(table_named("KNvK"), {kings.material: child})


@pytest.mark.parametrize("name", ["KNvK", "KPvK"])
def test_a_child_without_values_is_refused(name: str) -> None:
    material = table_named(name)
    children = {child: values(str(child)) for child in material.children()}
    kings = children[table_named("KvK")]
    children[kings.material] = EntryValues(kings.material, np.zeros_like(kings.entry), kings.dtg)
    with pytest.raises(BuildError, match="a child table has no value"):
        solve(material, children)


def test_what_there_is_no_room_for_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Histories, pairs of these, and cells to be asked again; by one kernel, and step by step."""
    small = {
        "MOST_NODES": (2, 5, 100),
        "MOST_ENTRIES": (0,),
    }
    for name in ("KNvK", "KPvK"):
        children = {child: values(str(child)) for child in table_named(name).children()}
        for limit, sizes in small.items():
            what = "patterns" if limit == "MOST_NODES" else "positions"
            for size in sizes:
                with monkeypatch.context() as patched:
                    patched.setattr(worker_module, limit, size)
                    with pytest.raises(
                        RepresentationError, match=f"the number of {what} of {name} .*does not fit"
                    ):
                        solve(table_named(name), children)
        with monkeypatch.context() as patched:
            for module in (forcer_module, methods, one_block):
                patched.setattr(module, "new_interner", lambda _: new_interner(8))
            with pytest.raises(
                RepresentationError, match=f"the number of patterns of {name} does not fit"
            ):
                solve(table_named(name), children)


@pytest.mark.parametrize("name", ["KNvK", "KPvK"])
@pytest.mark.parametrize("method", [DISTANCES, OUTCOMES], ids=["distances", "outcomes"])
def test_a_table_is_the_same_however_often_its_room_is_doubled(
    name: str,
    method: Method[Any],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    children = {child: values(str(child)) for child in table_named(name).children()}
    whole = solve(table_named(name), children, method=method)
    for limit in ("FIRST_ROOM", "NODES", "ENTRIES"):
        monkeypatch.setattr(worker_module, limit, int(limit == "FIRST_ROOM"))
    assert_same(whole, solve(table_named(name), children, method=method))
    assert caplog.text.count(f"of {name}") > 4
    assert caplog.text.count("exceeds the room for it; solving again with twice as much") > 4


def test_threads_that_fill_their_rooms_at_once_double_them_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rooms = set[Room]()
    made = methods.new_worker

    def noted(method: Method[Any], geometry: Geometry, mobility: Mobility, room: Room) -> Worker:
        rooms.add(room)
        return made(method, geometry, mobility, room)

    for limit, size in (("FIRST_ROOM", 64), ("NODES", 0), ("ENTRIES", 0)):
        monkeypatch.setattr(worker_module, limit, size)
    monkeypatch.setattr(many_blocks, "new_worker", noted)
    children = {child: values(str(child)) for child in table_named("KPvK").children()}
    solve(table_named("KPvK"), children, threads=1)
    needed = max(rooms)
    solve(table_named("KPvK"), children, threads=8)
    assert max(rooms) == needed
    assert needed.doublings


class Backwards:
    """A pool of one that does its jobs last first."""

    def __init__(self, threads: int) -> None:
        self.threads = threads

    def __enter__(self) -> Backwards:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def map(self, job: Callable[..., Any], *arguments: Iterable[Any]) -> Iterator[Any]:
        return reversed([job(*each) for each in reversed(list(zip(*arguments, strict=True)))])


@pytest.mark.parametrize("name", ["KBvK", "KPvK"])
def test_a_table_does_not_depend_on_the_order_of_independent_work(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    forwards = solve_from_values(name, threads=1)
    monkeypatch.setattr("tbgen.retro.drive.solver.ThreadPoolExecutor", Backwards)
    assert_same(forwards, solve_from_values(name, threads=1))
