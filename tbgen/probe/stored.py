"""Stored tables: opened at their first use, for single positions of python-chess and for many."""

from __future__ import annotations

import contextlib
import functools
import itertools
import threading
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import chess
import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Ints
from tbgen.errors import NO_TABLE, MissingTableError, TooManyMenError, UsageError
from tbgen.index.handover import Entries
from tbgen.index.layout import HOW_BITS, Squares, slots_of
from tbgen.index.outcomes import are_white, codes_of, worth_to_white
from tbgen.material import MOST_TABLE_MEN, Material, with_man
from tbgen.men import Kind, Man, Role
from tbgen.probe.many import Value
from tbgen.rules.own_board import OwnBoard, kinds_on
from tbgen.rules.position import material_on
from tbgen.score import MOST_STORED_CODE, Color, Score
from tbgen.storage.files import men_of_folder, path_in
from tbgen.storage.layerfile import LayerFile
from tbgen.storage.reader import TableFile
from tbgen.storage.schema import DETAIL, DTG, SYMBOL

RANK_FLIP: Final = 56
"""Turns a square upside down by an exclusive or."""

_OUTCOMES: Final = {
    n: Score.from_signed(n) for n in range(-MOST_STORED_CODE - 1, MOST_STORED_CODE + 2) if n
}

_OTHER_BREAKS: Final = "its breaks are not those of the outcomes"
_CODE_BITS: Final = 11
PLACES_AT_ONCE: Final = 1 << 16
"""Of a plane whose outcomes are looked up, which takes eight bytes a place."""

Plies = npt.NDArray[np.float32]
"""Distances; NaN if they are unknown."""

_CHUNK_BYTES = 1 << 16
"""The most bytes of nearly every unpacked chunk."""
Unpack = Callable[[LayerFile, str, int], npt.NDArray[Any]]
"""Gives a chunk of a dataset, from memory or from the disk."""


class Column:
    """A column of a table. Only the requested chunks are read."""

    def __init__(self, file: LayerFile, name: str, unpack: Unpack) -> None:
        self._chunk, self._dataset = functools.partial(unpack, file, name), file.dataset(name)

    def __getitem__(self, place: int) -> Any:
        """One item; a tuple if it has several fields."""
        number, offset = divmod(place, self._dataset.chunk_items)
        return self._chunk(number).item(offset)

    def items(self, places: Ints) -> npt.NDArray[Any]:
        """Many items, chunk by chunk."""
        numbers, offsets = np.divmod(places, self._dataset.chunk_items)
        by_chunk, result = (
            np.argsort(numbers, kind="stable"),
            np.empty(len(places), self._dataset.kind),
        )
        starts = np.flatnonzero(np.diff(numbers[by_chunk], prepend=-1))
        for some in np.split(by_chunk, starts[1:]) if len(places) else ():
            result[some] = self._chunk(int(numbers[some[0]]))[offsets[some]]
        return result


class StoredPosition:
    """The place of a position's value in a table; `flipped` means that the table has the colours reversed."""

    __slots__ = ("_entry", "_first", "_flipped", "_place", "_rows", "_symbol", "_table")

    def __init__(self, table: StoredTable, place: int, *, flipped: bool) -> None:
        self._table, self._place, self._flipped = table, place, flipped
        self._symbol = table.symbols[place]
        self._entry, self._first, self._rows = table.meanings[self._symbol]

    @property
    def outcome(self) -> Score:
        """The outcome of the entry value."""
        return _OUTCOMES[-self._entry if self._flipped else self._entry]

    def value(self, carried: Score | None, own: Callable[[], Score]) -> Value:
        """The value of the position with an accrued score.

        It is the entry value if the position's own score counts, or if the code of the entry value is lower than the
        accrued one. Else it is the value of holding the accrued score. `own` counts the position's own score, which
        takes half of the time and is rarely needed.
        """
        if (
            carried is None
            or self.outcome.code < carried.code
            or own().code < carried.code
            or own() == carried
        ):
            return self.outcome, self._dtg() if self._table.knows_distances else None
        return self.held(carried)

    def held(self, accrued: Score) -> Value:
        """The value if nobody can improve the accrued score for its holder."""
        held = accrued.flipped() if self._flipped else accrued
        row = _row_for(self._table.outcome_rows, self._first, self._rows, held)
        outcome = held if row is None else _OUTCOMES[row[2]]
        if not (
            outcome < held if held.holder is Color.WHITE else outcome > held
        ):  # no worse for the holder
            return accrued, 0 if self._table.knows_distances else None
        dtg = self._dtg_of_break(held) if self._table.knows_distances else None
        return outcome.flipped() if self._flipped else outcome, dtg

    def _dtg(self) -> int:
        return int(self._table.dtg(self._table.column(DTG)[self._place], self._entry, self._place))

    def _dtg_of_break(self, accrued: Score) -> int:
        """The distance of the outcome to which the hold of an accrued score breaks."""
        column = self._table.column
        group = column("symbol_groups")[self._symbol] + self._dtg()
        first, rows = column("states")[column("group_states")[group] + column(DETAIL)[self._place]]
        row = _row_for(column("rows"), first, rows, accrued)
        if row is None:
            raise self._table.file.distances.damaged(_OTHER_BREAKS)
        return row[3]


class Successor(NamedTuple):
    """A legal move, and facts about the position after it; python-chess alone knows none."""

    move: chess.Move
    reset: bool
    code: int | None = None
    """The code of the position after it."""
    found: StoredPosition | None = None
    """The place of the position after it in the table that answers before the move.

    None if nothing is known, if that has other men, or if a pawn may then take en passant.
    """


def _row_for(column: Column, first: int, rows: int, accrued: Score) -> tuple[int, ...] | None:
    """The last of some rows that applies to an accrued score."""
    backwards = (column[number] for number in range(first + rows - 1, first - 1, -1))
    return next(
        (row for row in backwards if row[0] == int(accrued.holder) and row[1] <= accrued.code), None
    )


Pieces = list[tuple[chess.Color, chess.PieceType]]
"""The men of a table as python-chess has them, in the order of the slots, equal men once."""


def pieces_of(
    material: Material, kinds: Sequence[Kind] = tuple(Role), *, flipped: bool = False
) -> Pieces:
    """The men of a canonical material on a board; `kinds` are those of the board, as `kinds_on` has them.

    With `flipped` the board has the colours reversed.
    """
    pieces = Pieces()
    for (color, kind), _ in itertools.groupby(slots_of(material)):
        pieces.append((color.chess is not flipped, kinds.index(kind) + 1))
    return pieces


def squares_on(board: chess.Board, pieces: Pieces) -> list[int]:
    """The squares of some men."""
    men = (0, board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
    squares = list[int]()
    for color, piece_type in pieces:
        squares += chess.scan_forward(men[piece_type] & board.occupied_co[color])
    return squares


class StoredTable:
    """An open table with the data for finding positions in it."""

    def __init__(self, file: TableFile, unpack: Unpack, *, outcomes_only: bool = False) -> None:
        self.file = file
        self.column = functools.cache(lambda name: Column(file.layer(name), name, unpack))
        """A column by its name; an error of TableError if it belongs to distances that are missing or damaged."""
        self.knows_distances = file.has_distances and not outcomes_only
        self.layout, self._plane = file.order.layout, file.order.plane_places
        self.symbols, self.meanings, self.outcome_rows = map(
            self.column, (SYMBOL, "symbols", "outcome_rows")
        )

    def dtg(self, stored: Any, entry: Any, place: Any) -> Any:
        """The distance of an entry value from the number in the file at a place; for one place or many."""
        return stored ^ (
            (entry > 0) == (place // self._plane % 2 == 0)
        )  # White is to move in even planes

    def all_entries(self, places: Ints) -> tuple[Ints, Plies]:
        """The signed entry values of many positions, and their distances."""
        symbols = self.symbols.items(places)
        entry = self.meanings.items(symbols.astype(np.int64))["entry"].astype(np.int64)
        dtg = (
            self.dtg(self.column(DTG).items(places), entry, places)
            if self.knows_distances
            else np.nan
        )
        return entry, np.full(len(places), dtg, np.float32)

    def all_held(self, places: Ints, accrued: Ints) -> tuple[Ints, Plies]:
        """`StoredPosition.held` for many positions: signed outcomes and distances."""
        symbols = self.symbols.items(places).astype(np.int64)
        records = self.meanings.items(symbols)
        outcome, dtg = (
            accrued.copy(),
            np.full(len(places), 0 if self.knows_distances else np.nan, np.float32),
        )
        broken, rows = _breaks(records, self.outcome_rows, accrued)
        outcome[broken] = rows["outcome"]
        if self.knows_distances and len(broken):
            some, column = places[broken], self.column
            groups = column("symbol_groups").items(symbols[broken]).astype(np.int64)
            groups += self.dtg(column(DTG).items(some), records["entry"][broken], some)
            states = column("group_states").items(groups).astype(np.int64) + column(DETAIL).items(
                some
            )
            again, rows = _breaks(column("states").items(states), column("rows"), accrued[broken])
            self.file.distances.expect(len(again) == len(broken), _OTHER_BREAKS)
            dtg[broken] = rows["dtg"]
        return outcome, dtg


def _breaks(
    records: npt.NDArray[Any], column: Column, accrued: Ints
) -> tuple[Ints, npt.NDArray[Any]]:
    """Which of many accrued scores the rows of their patterns break, and the row that breaks each."""
    patterns, which = np.unique(
        records["first"].astype(np.int64) << 8 | records["rows"], return_inverse=True
    )
    first, counts = patterns >> 8, patterns & 0xFF
    numbers = np.repeat(np.arange(len(patterns)), counts)
    rows = column.items(
        np.arange(len(numbers)) + np.repeat(first - np.cumsum(counts) + counts, counts)
    )
    is_white, sides = are_white(accrued), numbers << 1 | rows["holder"]
    wanted = which << 1 | ~is_white
    # The rows of a pattern are sorted by holder and code.
    keys, asked = sides << _CODE_BITS | rows["code"], wanted << _CODE_BITS | codes_of(accrued)
    row = np.searchsorted(keys, asked, side="right") - 1
    found = np.flatnonzero(
        np.append(sides, -1)[row] == wanted
    )  # row is -1 where no row has a lower key
    rows, accrued = rows[row[found]], accrued[found]
    loss = worth_to_white(accrued) - worth_to_white(rows["outcome"].astype(np.int64))
    is_broken = np.where(is_white[found], loss, -loss) > 0
    return found[is_broken], rows[is_broken]


class Answering(NamedTuple):
    """A material as it stands on a board, and the table that answers for it."""

    material: Material
    table: StoredTable
    flipped: bool
    """Whether colours are reversed in the table."""
    pieces: Pieces
    """The men on the board, in the order of the table's slots."""

    def find(self, board: chess.Board) -> StoredPosition:
        """The place of a legal position of the material."""
        table = self.table
        squares = squares_on(board, self.pieces)
        if self.flipped:
            squares = [square ^ RANK_FLIP for square in squares]
        cell = table.layout.cell_of(int(board.turn is self.flipped), squares)
        return StoredPosition(table, table.file.order.place_of(cell), flipped=self.flipped)


def _men_of(folders: Sequence[Path]) -> tuple[Man, ...]:
    """The men of your own in some folders; UsageError if two of them define a letter differently."""
    men = dict[str, Man]()
    folder_of = dict[str, Path]()
    for folder in folders:
        for man in men_of_folder(folder):
            known = men.setdefault(man.letter, man)
            first = folder_of.setdefault(man.letter, folder)
            if known != man:
                raise UsageError(
                    f"{man.letter} moves as {known.moves} in {first}, "
                    f"and as {man.moves} in {folder}; open the folders one by one"
                )
    return tuple(men.values())


def _refuse_other_men(file: TableFile, material: Material) -> None:
    """Raise UsageError if the men of a file move otherwise than those of the material that has its name."""
    for here, asked in zip(file.material.own, material.own, strict=True):
        if here != asked:
            file.close()
            raise UsageError(
                f"{here.letter} moves as {here.moves} in {file.path}, not as {asked.moves}"
            )


class OpenTables:
    """Tables, opened at their first use, from several threads.

    The first of `folders` that has a table counts; an error of a missing one names them all.
    """

    def __init__(self, folders: Sequence[Path], cache_bytes: int, *, outcomes_only: bool) -> None:
        self.folders, self.named = folders, ", ".join(map(str, folders))
        self.own = _men_of(folders)
        """Men of your own that the tables know."""
        self._outcomes_only = outcomes_only
        self._unpack = functools.lru_cache(max(1, cache_bytes // _CHUNK_BYTES))(LayerFile.part)
        self._tables: dict[Material, StoredTable] = {}
        self._known: dict[Hashable, Answering] = {}
        self._lock = threading.Lock()
        self.closed = False

    def close(self) -> None:
        """Close all files."""
        with self._lock:
            self.closed = True
            for table in self._tables.values():
                table.file.close()
            self._tables.clear()
            self._known.clear()
            self._unpack.cache_clear()

    def table(self, material: Material) -> StoredTable:
        """The open table that answers for a material."""
        canonical = material.canonical()
        with self._lock:
            if self.closed:
                raise UsageError("the tablebase is closed")
            if canonical not in self._tables:
                try:
                    file = TableFile(path_in(self.folders, canonical))
                except MissingTableError:
                    if material.men > MOST_TABLE_MEN:  # hardly anybody could build it
                        raise TooManyMenError(str(material), material.men, MOST_TABLE_MEN) from None
                    raise
                _refuse_other_men(file, canonical)
                self._tables[canonical] = StoredTable(
                    file, self._unpack, outcomes_only=self._outcomes_only
                )
            return self._tables[canonical]

    def digest(self, material: Material) -> str:
        """The digest of a table's outcomes; empty if there is no table."""
        with contextlib.suppress(*NO_TABLE):
            return self.table(material).file.digest
        return ""

    def plane(
        self, material: Material, pawns: Squares, side: int, room: Entries | None = None
    ) -> Entries:
        """The entry values of the block of some pawns with one side to move, in the order of the layout's cells.

        They are written into `room`, or a new array.
        """
        file = self.table(material).file
        places, block = file.order.plane_places, file.order.layout.address_of(pawns) >> HOW_BITS
        first, found = (2 * block + side) * places, np.empty(places, np.int8)
        for start in range(0, places, PLACES_AT_ONCE):
            part = found[start : start + PLACES_AT_ONCE]
            part[:] = file.entries(first + start, first + start + len(part))
        return file.order.from_file(found, room)

    def shares(self, material: Material) -> dict[Score, float]:
        """How common the outcomes but mates are in tables of the same pieces with fewer pawns, 1 in all for each."""
        found, fewer = dict[Score, float](), {material: None}
        while fewer:
            pawns = [
                (each, color) for each in fewer for color in Color if Role.PAWN in each.side(color)
            ]
            fewer = dict.fromkeys(
                with_man(each, color, Role.PAWN) for each, color in pawns
            )  # each once, in order
            for each in filter(self.digest, fewer):
                counts = self.table(each).file.counts.values()
                rows = [row for some in counts for row in some.items() if row[0].code]
                whole = sum(n for _, n in rows)
                for score, n in rows:
                    mine = score if each.is_canonical else score.flipped()
                    found[mine] = found.get(mine, 0.0) + n / whole
        return found

    def known(self, board: chess.Board) -> Answering | None:
        """The table for a board, if it has already answered for the same men."""
        return self._known.get(_key_of(board))

    def answering(self, board: chess.Board) -> Answering:
        """The table that answers for a board."""
        known = self.known(board)
        if known is None:
            material = material_on(board)
            table = self.table(material)
            flipped = not material.is_canonical
            pieces = pieces_of(table.layout.material, kinds_on(board), flipped=flipped)
            known = Answering(material, table, flipped, pieces)
            self._known[_key_of(board)] = known
        return known


def _key_of(board: chess.Board) -> Hashable:
    """The number of men of each kind and side, as one number; beside it, the kinds that are not of chess."""
    white, black = board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK]
    key = 0
    for men in (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings):
        key = key << 8 | (men & white).bit_count() << 4 | (men & black).bit_count()
    if isinstance(board, OwnBoard):
        return key, board.kinds
    return key
