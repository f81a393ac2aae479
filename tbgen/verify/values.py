"""The table that is checked as kernels take it; what it says of positions and accrued scores, and which move is best.

Outcomes are signed: +(code + 1) for White, -(code + 1) for Black. Accrued scores are written alike.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Bytes, Int, Ints, Ints32, Shorts, SignedBytes, WideInts
from tbgen.compiled.jit import by_address, inner, small
from tbgen.index.layout import layout_of
from tbgen.storage.reader import TableFile
from tbgen.table import EntryValues, Patterns, Table
from tbgen.verify.cells import Links, Men, Numbering, links_of, men_of, numbering_of, side_of
from tbgen.verify.moves import NO_POSITION

_LIMIT = 512
_FAR = 1 << 16
_KEY_BITS = 17
WORST = -(1 << 40)
"""A key below that of any move."""


@inner
def cell_at(cells: Ints, place: Int) -> Int:
    """The cell whose values lie at a place of the arrays."""
    return cells[place] if cells.size else place


@inner
def index_of_cell(cells: Ints, cell: Int) -> Int:
    """Where the arrays have a cell; their last place, where nothing is known, if they do not have it."""
    if cells.size == 0:
        return cell
    place = np.searchsorted(cells, cell)
    return place if place < cells.size and cells[place] == cell else cells.size


@by_address
class Rows(NamedTuple):
    """The rows of patterns, as a table has them: [row]. There may be a hundred million, so they are not copied."""

    holder: Bytes
    code: Bytes
    outcome: SignedBytes
    dtg: Shorts


@by_address
class RowsOfPatterns(NamedTuple):
    """Which rows patterns have in one of a table's files."""

    first: Ints32
    """[pattern] -> its first row, and the one behind its last."""
    end: Ints32
    rows: Rows


@by_address
class Subject(NamedTuple):
    """The table that is checked, and what the checks have found so far, cell by cell."""

    forgets: bool
    """Whether resets wipe out what has accrued; under whole-game mobility they do not."""
    men: Men
    numbering: Numbering
    links: Links
    cells: npt.NDArray[np.int64]
    """The cells that the arrays have, in ascending order; none where they have them all."""
    entry: npt.NDArray[np.int8]
    dtg: npt.NDArray[np.uint16]
    pattern: npt.NDArray[np.uint32]
    row_start: WideInts
    rows: Rows
    task: npt.NDArray[np.uint8]
    """What is to be found out."""
    own: npt.NDArray[np.uint8]
    """Own codes."""
    reset: npt.NDArray[np.int8]
    """The mover's best outcome by a reset, 0 where there is none, and its shortest and longest way."""
    shortest: npt.NDArray[np.uint16]
    longest: npt.NDArray[np.uint16]


@inner
def rank_of(outcome: Int) -> Int:
    """A number that is the higher the better for White; the rank of a rank is the outcome again."""
    return _LIMIT - outcome if outcome > 0 else -_LIMIT - outcome


@inner
def signed(holder: Int, code: Int) -> Int:
    """The signed outcome of a holder and a code."""
    return code + 1 if holder == 0 else -(code + 1)


@inner
def code_of(signed: Int) -> Int:
    """The code of a signed outcome or accrued score."""
    return (signed if signed > 0 else -signed) - 1


class Facts(NamedTuple):
    """What the table says of one position."""

    entry: Int
    dtg: Int
    own: Int
    own_holder: Int
    first_row: Int
    last_row: Int


@inner
def facts_of(subject: Subject, place: Int) -> Facts:
    """Look a position up."""
    pattern = subject.pattern[place]
    return Facts(
        int(subject.entry[place]),
        int(subject.dtg[place]),
        int(subject.own[place]),
        1 - side_of(subject.numbering, cell_at(subject.cells, place)),
        int(subject.row_start[pattern]),
        int(subject.row_start[pattern + 1]) - 1,
    )


@inner
def breaking_row(rows: Rows, first: Int, last: Int, holder: Int, code: Int) -> Int:
    """Which of some rows breaks an accrued score: the last that stands for it, if it is worse for the holder; or -1."""
    for row in range(last, first - 1, -1):
        if rows.holder[row] == holder and rows.code[row] <= code:
            gain = rank_of(int(rows.outcome[row])) - rank_of(signed(holder, code))
            return row if (gain < 0 if holder == 0 else gain > 0) else -1
    return -1


@inner
def stored_value(rows: Rows, facts: Facts, holder: Int, code: Int) -> tuple[Int, Int]:
    """Outcome and distance that the table gives a position whose accrued score is this one."""
    entry_code = code_of(facts.entry)
    if code > facts.own or (code == facts.own and holder == facts.own_holder):
        return facts.entry, facts.dtg
    if entry_code < facts.own and entry_code < code:
        return facts.entry, facts.dtg
    row = breaking_row(rows, facts.first_row, facts.last_row, holder, code)
    return (signed(holder, code), 0) if row < 0 else (int(rows.outcome[row]), int(rows.dtg[row]))


@inner
def key_of(side: Int, accrued: Int, outcome: Int, dtg: Int) -> Int:
    """How much the mover likes a move: first its outcome, then the way, short where it makes progress."""
    return key_of_rank(side, rank_of(accrued), rank_of(outcome), dtg)


@inner
def key_of_rank(side: Int, bar: Int, rank: Int, dtg: Int) -> Int:
    """The same by the ranks of the accrued score and of the outcome."""
    if side:
        rank, bar = -rank, -bar
    if rank == bar:
        return rank << _KEY_BITS
    return rank << _KEY_BITS | (_FAR - dtg if rank > bar else dtg)


@small
def value_of_key(side: Int, accrued: Int, key: Int) -> tuple[Int, Int]:
    """Outcome and distance of a position whose best move has this key."""
    rank = key >> _KEY_BITS
    outcome = rank_of(-rank if side else rank)
    if outcome == accrued:
        return outcome, 0
    way = key & ((1 << _KEY_BITS) - 1)
    gain = rank_of(outcome) - rank_of(accrued)
    is_progress = gain < 0 if side else gain > 0
    return outcome, 1 + (_FAR - way if is_progress else way)


# Under whole-game mobility the accrued score goes along, unless the position that is reached leads to a lower code: to
# its own, or to one that is forced from there. Both are in its entry value.
@inner
def key_after_reset(subject: Subject, side: Int, accrued: Int, outcome: Int, dtg: Int) -> Int:
    """The key of a reset to a position with this entry value and distance."""
    if subject.forgets or code_of(outcome) < code_of(accrued):
        return key_of(side, accrued, outcome, dtg)
    return key_of(side, accrued, accrued, 0)


@inner
def key_of_reset(subject: Subject, place: Int, side: Int, accrued: Int) -> Int:
    """The key of the best reset."""
    outcome = int(subject.reset[place])
    if outcome == 0:
        return WORST
    short = key_after_reset(subject, side, accrued, outcome, int(subject.shortest[place]))
    return max(short, key_after_reset(subject, side, accrued, outcome, int(subject.longest[place])))


@inner
def note_reset(subject: Subject, place: Int, side: Int, outcome: Int, dtg: Int) -> None:
    """A reset is worth this; only the best outcome stays, with both its ways."""
    best = int(subject.reset[place])
    gain = rank_of(outcome) - rank_of(best)
    if best == 0 or (gain < 0 if side else gain > 0):
        subject.reset[place] = outcome
        subject.shortest[place] = subject.longest[place] = dtg
    elif gain == 0:
        subject.shortest[place] = min(subject.shortest[place], dtg)
        subject.longest[place] = max(subject.longest[place], dtg)


Source = Table | EntryValues | TableFile
"""Where values come from: memory, or a file that is asked for what is needed."""


Tell = Callable[[int, int], None]
"""Told how many chunks of how many have been read."""


def look_up(source: Source, cells: Ints | None, tell: Tell | None = None) -> list[npt.NDArray[Any]]:
    """Entry values and distances in some cells or in all, and patterns where there are any; files tell of chunks."""
    if isinstance(source, TableFile) and cells is not None:
        return source.look_up(cells, tell)
    values = source.values()
    columns: list[npt.NDArray[Any]] = [values.entry, values.dtg]
    if isinstance(values, Table):
        columns.append(values.pattern)
    return columns if cells is None else [column[cells] for column in columns]


def known_in(source: Source, cells: Ints | None, tell: Tell | None = None) -> list[npt.NDArray[Any]]:
    """As look_up, in the types of kernels. After those of some cells comes an item of zeros: what is not known."""
    columns = look_up(source, cells, tell)
    if cells is not None:
        columns = [np.append(column, 0) for column in columns]
    return [_array(column, kind) for column, kind in zip(columns, ("i1", "u2", "u4"), strict=False)]


def subject_of(source: Table | TableFile, cells: Ints | None = None, tell: Tell | None = None) -> Subject:
    """A table in memory, or some cells of a table in ascending order, to be checked; nothing is asked for yet."""
    entry, dtg, pattern = known_in(source, cells, tell)
    layout, size = layout_of(source.material), len(entry)
    return Subject(
        forgets=source.game.forgets,
        men=men_of(layout),
        numbering=numbering_of(layout),
        links=links_of(layout),
        cells=np.zeros(0, np.int64) if cells is None else cells,
        entry=entry,
        dtg=dtg,
        pattern=pattern,
        row_start=_array(source.patterns.start, "u4"),
        rows=rows_of(source.patterns),
        task=np.zeros(size, np.uint8),
        own=np.full(size, NO_POSITION, np.uint8),
        reset=np.zeros(size, np.int8),
        shortest=np.zeros(size, np.uint16),
        longest=np.zeros(size, np.uint16),
    )


def rows_of(patterns: Patterns) -> Rows:
    """The rows of all patterns, one after another."""
    holder, code = _array(patterns.holder, "u1"), _array(patterns.code, "u1")
    return Rows(holder, code, _array(patterns.outcome, "i1"), _array(patterns.dtg, "u2"))


def rows_in_distances(file: TableFile) -> RowsOfPatterns:
    """The rows of a table's patterns."""
    start = _array(file.patterns.start, "u4")
    return RowsOfPatterns(start[:-1], start[1:], rows_of(file.patterns))


def rows_in_outcomes(file: TableFile) -> RowsOfPatterns:
    """The rows of a table's symbols, which have no distances; an error of TableError if they are not there."""
    symbols, rows = file.column("symbols"), file.column("outcome_rows")
    first = np.ascontiguousarray(symbols["first"])
    if len(rows) < (first + symbols["rows"].astype(np.int64)).max(initial=0):
        raise file.outcomes.damaged("a symbol has rows that are not there")
    holder, code, outcome = (np.ascontiguousarray(rows[name]) for name in ("holder", "code", "outcome"))
    return RowsOfPatterns(first, first + symbols["rows"], Rows(holder, code, outcome, np.zeros(len(rows), np.uint16)))


def _array(values: npt.NDArray[Any], kind: str) -> npt.NDArray[Any]:
    """The array in the one form that the kernels are compiled for."""
    return np.require(values, kind, ["C", "W"])
