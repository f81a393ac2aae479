"""One stored table: the value of a position by its place in the file, and of many at once.

The value law stands here twice, in `StoredPosition.value` for one position, and for many in
`StoredTable.all_held` with `tbgen.probe.bulk`, whose tests compare the two.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Ints
from tbgen.index.outcomes import are_white, codes_of, ranks_of
from tbgen.probe.many import Value
from tbgen.score import MOST_STORED_CODE, Color, Score
from tbgen.storage.layerfile import LayerFile, rows_by_chunk
from tbgen.storage.reader import TableFile
from tbgen.storage.schema import DETAIL, DTG, SYMBOL

_OUTCOMES: Final = {
    signed: Score.from_signed(signed)
    for signed in range(-MOST_STORED_CODE - 1, MOST_STORED_CODE + 2)
    if signed
}

_OTHER_BREAKS: Final = "its breaks are not those of the outcomes"
_CODE_BITS: Final = 11

Plies = npt.NDArray[np.float32]
"""Distances; NaN if they are unknown."""

Unpack = Callable[[LayerFile, str, int], npt.NDArray[Any]]
"""Gives a chunk of a dataset, from memory or from the disk."""


class Column:
    """A column of a table. Only the requested chunks are read."""

    def __init__(self, file: LayerFile, name: str, unpack: Unpack) -> None:
        self._chunk = functools.partial(unpack, file, name)
        self._dataset = file.dataset(name)

    def __getitem__(self, place: int) -> Any:
        """One item; a tuple if it has several fields."""
        number, offset = divmod(place, self._dataset.chunk_items)
        return self._chunk(number).item(offset)

    def items(self, places: Ints) -> npt.NDArray[Any]:
        """Many items, chunk by chunk."""
        items = np.empty(len(places), self._dataset.kind)
        for number, rows, offsets in rows_by_chunk(places, self._dataset.chunk_items):
            items[rows] = self._chunk(number)[offsets]
        return items


class StoredPosition:
    """The place of a position's value in a table.

    `flipped` means that the table has the colours reversed.
    """

    __slots__ = ("_entry", "_first", "_flipped", "_place", "_rows", "_symbol", "_table")

    def __init__(self, table: StoredTable, place: int, *, flipped: bool) -> None:
        self._table = table
        self._place = place
        self._flipped = flipped
        self._symbol = table.symbols[place]
        self._entry, self._first, self._rows = table.meanings[self._symbol]

    @property
    def outcome(self) -> Score:
        return _OUTCOMES[-self._entry if self._flipped else self._entry]

    def value(self, carried: Score | None, own: Callable[[], Score]) -> Value:
        """The value of the position with an accrued score.

        It is the entry value if the position's own score counts, or if the code of the entry value
        is lower than the accrued one. Else it is the value of holding the accrued score. `own`
        counts the position's own score, which takes half of the time and is rarely needed.
        """
        if carried is None or self.outcome.code < carried.code or own().counts_beside(carried):
            return self.outcome, self._dtg() if self._table.knows_distances else None
        return self.held(carried)

    def held(self, accrued: Score) -> Value:
        """The value if nobody can improve the accrued score for its holder."""
        held = accrued.flipped() if self._flipped else accrued
        row = _row_for(self._table.outcome_rows, self._first, self._rows, held)
        if row is None or not _is_worse(_OUTCOMES[row[2]], held):
            return accrued, 0 if self._table.knows_distances else None
        outcome = _OUTCOMES[row[2]]
        dtg = self._dtg_of_break(held) if self._table.knows_distances else None
        return outcome.flipped() if self._flipped else outcome, dtg

    def _dtg(self) -> int:
        return int(self._table.dtg(self._table.column(DTG)[self._place], self._entry, self._place))

    def _dtg_of_break(self, accrued: Score) -> int:
        """The distance of the outcome to which the hold of an accrued score breaks."""
        column = self._table.column
        group = column("symbol_groups")[self._symbol] + self._dtg()
        state = column("group_states")[group] + column(DETAIL)[self._place]
        first, rows = column("states")[state]
        row = _row_for(column("rows"), first, rows, accrued)
        if row is None:
            raise self._table.file.distances.damaged(_OTHER_BREAKS)
        return row[3]


def _is_worse(outcome: Score, held: Score) -> bool:
    """Whether an outcome is worse for the holder of a score than that score."""
    if held.holder is Color.WHITE:
        return outcome < held
    return outcome > held


def _row_for(column: Column, first: int, rows: int, accrued: Score) -> tuple[int, ...] | None:
    """The last of some rows that applies to an accrued score."""
    holder = int(accrued.holder)
    for number in range(first + rows - 1, first - 1, -1):
        row: tuple[int, ...] = column[number]
        if row[0] == holder and row[1] <= accrued.code:
            return row
    return None


class StoredTable:
    """An open table with the data for finding positions in it."""

    def __init__(self, file: TableFile, unpack: Unpack, *, outcomes_only: bool = False) -> None:
        self.file = file
        self.layout = file.order.layout
        self.knows_distances = file.has_distances and not outcomes_only
        self.column = functools.cache(lambda name: Column(file.layer(name), name, unpack))
        """A column by its name; a TableError if it belongs to missing or damaged distances."""
        self.symbols = self.column(SYMBOL)
        self.meanings = self.column("symbols")
        self.outcome_rows = self.column("outcome_rows")
        self._plane = file.order.plane_places

    def dtg(self, stored: Any, entry: Any, place: Any) -> Any:
        """The distance of an entry value from the number in the file at a place.

        For one place or many.
        """
        is_white_to_move = place // self._plane % 2 == 0
        return stored ^ ((entry > 0) == is_white_to_move)

    def all_entries(self, places: Ints) -> tuple[Ints, Plies]:
        """The signed entry values of many positions, and their distances."""
        symbols = self.symbols.items(places).astype(np.int64)
        entry = self.meanings.items(symbols)["entry"].astype(np.int64)
        if not self.knows_distances:
            return entry, np.full(len(places), np.nan, np.float32)
        stored = self.column(DTG).items(places)
        return entry, self.dtg(stored, entry, places).astype(np.float32)

    def all_held(self, places: Ints, accrued: Ints) -> tuple[Ints, Plies]:
        """`StoredPosition.held` for many positions: signed outcomes and distances."""
        symbols = self.symbols.items(places).astype(np.int64)
        meanings = self.meanings.items(symbols)
        outcome = accrued.copy()
        broken, rows = _breaks(meanings, self.outcome_rows, accrued)
        outcome[broken] = rows["outcome"]
        if not self.knows_distances:
            return outcome, np.full(len(places), np.nan, np.float32)
        dtg = np.zeros(len(places), np.float32)
        if len(broken):
            entry = meanings["entry"][broken]
            dtg[broken] = self._all_dtg_of_breaks(
                places[broken], symbols[broken], entry, accrued[broken]
            )
        return outcome, dtg

    def _all_dtg_of_breaks(self, places: Ints, symbols: Ints, entry: Ints, accrued: Ints) -> Plies:
        """`StoredPosition._dtg_of_break` for many positions."""
        column = self.column
        groups = column("symbol_groups").items(symbols).astype(np.int64)
        groups += self.dtg(column(DTG).items(places), entry, places)
        states = column("group_states").items(groups).astype(np.int64)
        states += column(DETAIL).items(places)
        broken, rows = _breaks(column("states").items(states), column("rows"), accrued)
        self.file.distances.expect(len(broken) == len(places), _OTHER_BREAKS)
        dtg: Plies = rows["dtg"]
        return dtg


def _breaks(
    patterns: npt.NDArray[Any], column: Column, accrued: Ints
) -> tuple[Ints, npt.NDArray[Any]]:
    """Which of many accrued scores the rows of their patterns break, and the row that breaks each.

    `patterns` say where the rows of each begin in the column, and how many there are.
    """
    places = (patterns["first"].astype(np.int64) << 8) | patterns["rows"]
    different, which = np.unique(places, return_inverse=True)
    first = different >> 8
    counts = different & 0xFF
    numbers = np.repeat(np.arange(len(different)), counts)
    ends = np.cumsum(counts)
    rows = column.items(np.arange(len(numbers)) + np.repeat(first - ends + counts, counts))

    # The rows of a pattern are sorted by holder and code: the last with a key up to ours applies,
    # if ours is its pattern and its holder. Without any, its number is -1.
    is_white = are_white(accrued)
    sides = (numbers << 1) | rows["holder"]
    wanted = (which << 1) | ~is_white
    keys = (sides << _CODE_BITS) | rows["code"]
    wanted_keys = (wanted << _CODE_BITS) | codes_of(accrued)
    row = np.searchsorted(keys, wanted_keys, side="right") - 1
    applies = np.flatnonzero(np.append(sides, -1)[row] == wanted)

    rows = rows[row[applies]]
    loss = ranks_of(accrued[applies]) - ranks_of(rows["outcome"].astype(np.int64))
    is_broken = np.where(is_white[applies], loss, -loss) > 0
    return applies[is_broken], rows[is_broken]
