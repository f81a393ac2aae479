from __future__ import annotations

import contextlib
import dataclasses
import errno
import time
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbgen.compiled import arrays
from tbgen.compiled.arrays import Ints, Words, as_starts, kind_of_numbers
from tbgen.errors import RepresentationError
from tbgen.handover import Cells, Piece, often_first
from tbgen.material import Material
from tbgen.retro.drive.memory import NUMBER_BYTES, NUMBERED_STATE_BYTES, STATE_BYTES
from tbgen.storage import counting
from tbgen.storage import numbering as numbering_module
from tbgen.storage import order as order_module
from tbgen.storage import symbols as symbols_module
from tbgen.storage.counting import Numbering, states_of
from tbgen.storage.numbering import (
    MOST_SLOTS,
    FullError,
    Places,
    Share,
    Slabs,
    added,
    met,
    new_census,
    new_tile,
)
from tbgen.storage.numbering import numbered as cells_numbered
from tbgen.storage.order import Order, order_of
from tbgen.storage.schema import kind_of_column
from tbgen.storage.states import Ids, States, in_32_bits, smallest
from tbgen.storage.symbols import symbols_of
from tbgen.table import Patterns, Table

NONE = np.zeros(0, np.uint8)
PATTERNS = Patterns(np.zeros(4, np.uint32), NONE, NONE, NONE.astype(np.int8), NONE.astype(np.uint16))


def table_of(seed: int, name: str = "KBvK") -> Table:
    """A table of made-up values, four in ten of its cells without a position."""
    draw, order = np.random.default_rng(seed), order_of(Material.parse(name))
    cells = order.layout.cells
    entry = draw.choice([-127, -8, 4, 127], cells).astype(np.int8) * (draw.random(cells) < 0.6)
    dtg = np.minimum(draw.geometric(0.3, cells), 60_000).astype(np.uint16)
    dtg[draw.integers(0, cells, 5)] = 65_535
    return Table(order.layout.material, entry, dtg, draw.integers(0, 3, cells).astype(np.uint32), PATTERNS, {})


def numbered(table: Table, order: Order) -> tuple[Ids, States]:
    return states_of(table, order, threads=2)


@pytest.mark.parametrize(("name", "small"), [("KBvK", False), ("KBvK", True), ("KvK", True), ("KPvK", True)])
def test_every_position_keeps_its_values(name: str, small: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if small:
        monkeypatch.setattr(order_module, "_PART_CELLS", 10_000)
        monkeypatch.setattr(counting, "_TURNS", 3)
        monkeypatch.setattr(counting, "FIRST_SLOTS", 16)
    table, order = table_of(1, name), order_of(Material.parse(name))
    ids, states = numbered(table, order)
    live = table.entry != 0
    for name in ("entry", "dtg", "pattern"):
        assert (order.from_file(getattr(states, name)[ids])[live] == getattr(table, name)[live]).all()
    counts = np.bincount(ids[order.to_file(table.entry) != 0], minlength=len(states))
    assert (np.diff(counts) <= 0).all()


def test_very_many_states_are_numbered() -> None:
    table, order = table_of(4, "KPvK"), order_of(Material.parse("KPvK"))
    dtg = np.random.default_rng(4).integers(0, 60_000, order.layout.cells).astype(np.uint16)
    ids, states = numbered(dataclasses.replace(table, dtg=dtg), order)
    assert len(states) > 1 << 16
    live = table.entry != 0
    for found, expected in ((states.entry, table.entry), (states.dtg, dtg), (states.pattern, table.pattern)):
        assert (order.from_file(found[ids])[live] == expected[live]).all()
    empty = np.flatnonzero(order.to_file(table.entry) == 0)
    assert (ids[empty[empty > 0]] == ids[empty[empty > 0] - 1]).all()


@pytest.mark.parametrize("digits", [0, 1, 2])
def test_slabs_lie_where_their_men_say(digits: int) -> None:
    draw, kings, squares, planes = np.random.default_rng(digits), 2, 3, 2
    shape = (planes, kings, squares, *[64] * digits, 64)
    size = int(np.prod(shape))
    entry = (draw.integers(1, 4, size) * (draw.random(size) < 0.7)).astype(np.int8)
    cells = Cells(entry, draw.integers(0, 50, size).astype(np.uint16), np.zeros(size, np.uint32))
    rows = size // (kings * squares)
    places = Places(8, 3, np.zeros(size, np.uint32), new_tile())
    census, slabs, patterns = new_census(16), planes * 64**digits, np.zeros(1, np.uint32)
    for first, end in ((0, slabs // 2), (slabs // 2, slabs)):
        slabs_here = Slabs(kings, squares, digits, first, end)
        census = cells_numbered(census, cells, patterns, slabs_here, places, Share(), MOST_SLOTS)
    keys, often = met(census)
    own, rest = np.divmod(places.numbers.reshape(rows, -1).astype(np.int64) - 8, 3)
    axes = (0, len(shape) - 1, *range(len(shape) - 2, 1, -1), 1)
    there, found = (
        np.ascontiguousarray(each.reshape(shape).transpose(axes)).reshape(rows, -1)
        for each in (
            entry,
            (entry.astype(np.uint64) + np.uint64(128)) << np.uint64(56) | cells.dtg.astype(np.uint64) << np.uint64(40),
        )
    )
    assert (places.numbers.reshape(rows, -1)[there == 0] == 0).all()
    assert (rest[there != 0] == 0).all()
    assert (keys[own[there != 0]] == found[there != 0]).all()
    assert (often == np.bincount(own[there != 0], minlength=len(keys))).all()


def test_cells_without_a_position_follow_the_one_before() -> None:
    table, order = table_of(2), order_of(Material.parse("KBvK"))
    ids, _ = numbered(table, order)
    empty = np.flatnonzero(order.to_file(table.entry) == 0)
    assert (ids[empty[empty > 0]] == ids[empty[empty > 0] - 1]).all()


def test_what_empty_cells_hold_makes_no_difference() -> None:
    table, order = table_of(3), order_of(Material.parse("KBvK"))
    other = dataclasses.replace(table, dtg=np.where(table.entry == 0, 7, table.dtg).astype(np.uint16))
    assert (numbered(table, order)[0] == numbered(other, order)[0]).all()


@pytest.mark.parametrize("name", ["KvK", "KPvK", "KPPvK", "KRBvKN"])
def test_parts_are_runs_of_cells_and_of_places(name: str) -> None:
    order = order_of(Material.parse(name))
    parts = order.parts()
    assert parts[0].start == 0
    assert parts[-1].stop == order.layout.cells
    for part, following in zip(parts, [*parts[1:], None], strict=True):
        assert following is None or following.start == part.stop
        assert order.place_of(part.start) == part.start
        assert order.place_of(part.stop - 1) == part.stop - 1


def test_what_finds_states_has_room_for_little_more() -> None:
    keys = np.arange(1, 100_000, dtype=np.uint64) * np.uint64(1 << 20)
    census, numbers = added(new_census(16), keys[::2], keys[::2])
    census, more = added(census, keys, keys)
    assert (more[::2] == numbers).all()
    assert len(keys) <= len(census.often) == 0.75 * len(census.slots) < 2 * len(keys)
    found, often = met(census)
    assert (found[more] == keys).all()
    assert (np.sort(more) == np.arange(len(keys))).all()
    assert (often[more] == keys * np.where(np.arange(len(keys)) % 2, 1, 2).astype(np.uint64)).all()


@given(st.lists(st.integers(0, 3) | st.integers(0, 2**32 - 1) | st.integers(2**32 - 2, 2**40), max_size=50))
def test_what_occurs_most_often_comes_first_and_equal_things_as_they_are(often: list[int]) -> None:
    expected = sorted(range(len(often)), key=lambda n: -often[n])
    assert often_first(np.array(often, np.int64)).tolist() == expected


def test_numbers_that_a_file_has_no_bits_for_are_refused() -> None:
    assert in_32_bits(np.array([0, (1 << 32) - 1]), "states").tolist() == [0, (1 << 32) - 1]
    with pytest.raises(RepresentationError, match="the number of states does not fit the 32 bits"):
        in_32_bits(np.array([1 << 32, 0]), "states")
    assert [smallest(1 << bits) for bits in (8, 16, 32)] == [np.uint8, np.uint16, np.uint32]
    with pytest.raises(RepresentationError, match="4294967297 kinds of places"):
        smallest((1 << 32) + 1)


@pytest.mark.parametrize("threads", [1, 2])
def test_places_have_64_bits_where_32_do_not_suffice(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    table, order = table_of(7), order_of(Material.parse("KBvK"))
    expected = states_of(table, order, threads)
    found = len(expected.states)
    made = list[np.dtype[Any]]()

    def new(size: int, kind: npt.DTypeLike) -> npt.NDArray[Any]:
        if size == order.layout.cells:
            made.append(np.dtype(kind))
        return np.zeros(size, kind)

    for most, kinds in ((threads * found, [np.uint32]), (found - 1, [np.uint32, np.int64])):
        made.clear()
        monkeypatch.setattr(counting, "MOST_NUMBERS", most)
        numbering = states_of(table, order, threads, new)
        assert made == kinds
        assert numbering.numbers.dtype == kinds[-1]
        assert (numbering.numbers == expected.numbers).all()
        for name in ("entry", "dtg", "pattern"):
            assert (getattr(numbering.states, name) == getattr(expected.states, name)).all()


class Slow:
    """A table that takes its time, so that all threads have something to do."""

    def __init__(self, table: Table) -> None:
        self.material, self.game, self.tallies, self.patterns = (
            table.material,
            table.game,
            table.tallies,
            table.patterns,
        )
        self._table = table

    def pieces(self, first: int, end: int, room: Cells | None = None) -> Iterator[Piece]:
        time.sleep(0.0005)
        return self._table.pieces(first, end, room)


class Watched:
    """What states are numbered with, watched."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.shares, self.workers, self.failed = list[int](), list[int](), 0
        self._rank, self._together = counting.rank, counting._together
        monkeypatch.setattr(counting, "rank", self.rank)
        monkeypatch.setattr(counting, "_together", self.together)

    def rank(self, keys: Words, often: Words, heads: Ints, *rest: Any) -> None:
        self.shares.append(len(heads))
        self._rank(keys, often, heads, *rest)

    def together(self, workers: list[Any], most_slots: int) -> Any:
        self.workers.append(len(workers))
        try:
            return self._together(workers, most_slots)
        except FullError:
            self.failed += 1
            raise


def many_states(monkeypatch: pytest.MonkeyPatch) -> tuple[Table, Order]:
    """KPvK with 100,000 states, in parts of two planes; a row may have 4,096 states, so that many slots have to be
    free."""
    monkeypatch.setattr(order_module, "_PART_CELLS", 8_192)
    table, order = table_of(9, "KPvK"), order_of(Material.parse("KPvK"))
    dtg = np.random.default_rng(9).integers(0, 60_000, order.layout.cells).astype(np.uint16)
    return dataclasses.replace(table, dtg=dtg), order


def assert_same(found: Numbering, expected: Numbering) -> None:
    assert (found.numbers == expected.numbers).all()
    for name in ("entry", "dtg", "pattern"):
        assert (getattr(found.states, name) == getattr(expected.states, name)).all()


@pytest.mark.parametrize("threads", [1, 2, 3, 5])
def test_with_few_slots_states_are_the_same(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer threads first, then share by share."""
    table, order = many_states(monkeypatch)
    expected, watched = states_of(table, order, 1), Watched(monkeypatch)
    for bits in range(20, 12, -1):
        assert_same(states_of(Slow(table), order, threads, slots=1 << bits), expected)
    assert watched.shares == sorted(watched.shares)
    assert watched.shares[0] == 1
    fewest = len(expected.states) / (0.75 * (1 << 13) - 4096)
    assert fewest / 3 <= watched.shares[-1] <= 4 * fewest  # as even as hashes are
    assert watched.workers[0] == threads
    assert watched.workers[-1] == 1
    assert threads == 1 or watched.failed  # each thread had room for what it met, but not for all that they met


@pytest.mark.parametrize("threads", [1, 2])
def test_numbers_become_wide_in_the_middle_of_all_shares(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    table, order = many_states(monkeypatch)
    expected, watched = states_of(table, order, threads), Watched(monkeypatch)
    monkeypatch.setattr(counting, "MOST_NUMBERS", len(expected.states) // 2)
    monkeypatch.setattr(arrays, "MOST_NARROW", len(expected.states) // 2)
    found = states_of(Slow(table), order, threads, slots=1 << 14)
    assert_same(found, expected)
    assert found.numbers.dtype == np.int64
    assert len(watched.workers) > watched.shares[0] > 4  # some shares were numbered twice


@pytest.mark.parametrize("threads", [1, 2, 8])
@pytest.mark.parametrize("slots", [1 << 18, 1 << 14])
def test_states_take_no_more_of_files_than_is_planned(
    threads: int, slots: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, order = many_states(monkeypatch)
    there, most = [0], [0]

    def gone(size: int) -> None:
        there[0] -= size

    def new(size: int, kind: npt.DTypeLike) -> npt.NDArray[Any]:
        made = np.zeros(size, kind)
        there[0] += made.nbytes
        most[0] = max(most[0], there[0])
        weakref.finalize(made, gone, made.nbytes)
        return made

    states = len(states_of(Slow(table), order, threads, new, slots).states)
    assert most[0] <= NUMBER_BYTES * order.layout.cells + (STATE_BYTES + threads * NUMBERED_STATE_BYTES) * states + 1000


def test_a_full_disk_is_an_error_wherever_it_is_met(monkeypatch: pytest.MonkeyPatch) -> None:
    table, order = many_states(monkeypatch)
    left = [0]

    def new(size: int, kind: npt.DTypeLike) -> npt.NDArray[Any]:
        if not left[0]:
            raise OSError(errno.ENOSPC, "no space left")
        left[0] -= 1
        return np.zeros(size, kind)

    made = 0
    while not left[0]:
        made, left[0] = made + 1, made
        with contextlib.suppress(OSError):
            states_of(table, order, 2, new, 1 << 16)
            break
    assert made > 10


def test_a_share_for_which_there_is_no_room_is_an_error() -> None:
    table, order = table_of(9, "KPvK"), order_of(Material.parse("KPvK"))
    with pytest.raises(RepresentationError, match="the number of states does not fit the memory granted: grant more"):
        states_of(table, order, threads=2, slots=1 << 12)


def test_halves_of_a_share_have_numbers_of_their_own() -> None:
    shares = [Share()]
    for bits in range(1, 4):
        shares = [half for share in shares for half in share.halves()]
        assert {share.bits for share in shares} == {bits}
    assert sorted(share.number for share in shares) == [*range(8)]


class Renumbered:
    """A table whose patterns have other numbers."""

    def __init__(self, table: Table, numbers: Ints, patterns: int) -> None:
        self.material, self.game, self.tallies = table.material, table.game, table.tallies
        self.patterns: Any = range(patterns)
        self._table, self._numbers = table, numbers

    def pieces(self, first: int, end: int, room: Cells | None = None) -> Iterator[Piece]:
        for piece in self._table.pieces(first, end, room):
            yield piece._replace(numbers=self._numbers)


def test_patterns_may_have_40_bits() -> None:
    table, order = table_of(10), order_of(Material.parse("KBvK"))
    numbers = np.array([0, (1 << 32) + 1, (1 << 40) - 1])
    expected = states_of(table, order, threads=2)
    found = states_of(Renumbered(table, numbers, 1 << 40), order, threads=2)
    assert found.states.pattern.dtype == np.int64
    assert (found.states.pattern == numbers[expected.states.pattern]).all()
    assert (found.numbers == expected.numbers).all()
    assert (found.states.entry == expected.states.entry).all()
    assert (found.states.dtg == expected.states.dtg).all()


def test_a_census_has_no_more_slots_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = np.arange(1, 100, dtype=np.uint64)
    census, _ = added(new_census(64), keys[:48], keys[:48], 64)
    assert len(census.slots) == 64
    with pytest.raises(FullError):
        added(census, keys[48:49], keys[:1], 64)
    monkeypatch.setattr(numbering_module, "MOST_SLOTS", 64)
    with pytest.raises(FullError):
        added(census, keys[48:49], keys[:1], 1 << 40)  # more than there can be is granted


def test_more_symbols_than_can_have_numbers_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    states = states_of(table_of(7), order_of(Material.parse("KBvK")), 1).states
    monkeypatch.setattr(symbols_module, "_FIRST_SLOTS", 16)
    assert len(symbols_of(states, PATTERNS).records) == 4
    monkeypatch.setattr(numbering_module, "MOST_SLOTS", 16)
    with pytest.raises(RepresentationError, match="the number of symbols does not fit the 32 bits"):
        symbols_of(states, PATTERNS)


def test_numbers_of_states_have_64_bits_where_32_do_not_suffice(monkeypatch: pytest.MonkeyPatch) -> None:
    table, order = table_of(8), order_of(Material.parse("KBvK"))
    expected = states_of(table, order, threads=2)
    for most in (0, len(expected.states) - 1, len(expected.states)):
        monkeypatch.setattr(arrays, "MOST_NARROW", most)
        found = states_of(table, order, threads=2)
        assert (found.numbers == expected.numbers).all()


@pytest.mark.parametrize(("things", "kind"), [(0, np.uint32), (1 << 32, np.uint32), ((1 << 32) + 1, np.int64)])
def test_so_many_things_have_numbers_of_a_type(things: int, kind: type) -> None:
    """The last of 2^32 things has the number 2^32 - 1."""
    assert kind_of_numbers(things) is kind
    if things:
        assert as_starts(np.array([0, things - 1])).tolist() == [0, things - 1]
        assert as_starts(np.array([0, things - 1])).dtype == kind
        assert kind_of_column("states", things)["first"].itemsize == np.dtype(kind).itemsize
