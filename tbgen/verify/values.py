"""The table that is checked as kernels take it; what it says of positions and accrued scores, and which move is best.

Outcomes are signed: +(code + 1) for White, -(code + 1) for Black. Accrued scores are written alike.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Bytes, Int, Ints, Ints32, Shorts, SignedBytes
from tbgen.compiled.jit import by_address, inner, small
from tbgen.index.layout import layout_of
from tbgen.storage.reader import TableFile
from tbgen.table import EntryValues, Patterns, Table
from tbgen.verify.cells import Links, Men, links_of, men_of, side_of
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
    """The rows of patterns in one of a table's files. There may be a hundred million, so they are not copied."""

    first: Ints32
    """[pattern] -> its first row, and the one behind its last."""
    end: Ints32
    holder: Bytes
    code: Bytes
    outcome: SignedBytes
    dtg: Shorts


@by_address
class Subject(NamedTuple):
    """The table that is checked, and what the checks have found so far, cell by cell."""

    forgets: bool
    """Whether resets wipe out what has accrued; under whole-game mobility they do not."""
    men: Men
    links: Links
    cells: npt.NDArray[np.int64]
    """The cells that the arrays have, in ascending order; none where they have them all."""
    entry: npt.NDArray[np.int8]
    dtg: npt.NDArray[np.uint16]
    pattern: npt.NDArray[np.uint32]
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
def worth_to(side: Int, outcome: Int) -> Int:
    """A number that is the higher the better for a side."""
    return -rank_of(outcome) if side else rank_of(outcome)


@inner
def signed(holder: Int, code: Int) -> Int:
    """The signed outcome of a holder and a code."""
    return code + 1 if holder == 0 else -(code + 1)


@inner
def code_of(signed: Int) -> Int:
    """The code of a signed outcome or accrued score."""
    return (signed if signed > 0 else -signed) - 1


@inner
def is_worse(outcome: Int, holder: Int, code: Int) -> bool:
    """Whether an outcome is worse for a holder than the code that it holds; 0 is no outcome."""
    return bool(outcome != 0 and worth_to(holder, outcome) < worth_to(holder, signed(holder, code)))


@inner
def held_value(rows: Rows, pattern: Int, holder: Int, code: Int) -> tuple[Int, Int]:
    """Outcome and distance where nobody can better an accrued score for its holder; its last row may break it."""
    held = signed(holder, code)
    for row in range(int(rows.end[pattern]) - 1, int(rows.first[pattern]) - 1, -1):
        if rows.holder[row] == holder and rows.code[row] <= code:
            outcome = int(rows.outcome[row])
            return (outcome, int(rows.dtg[row])) if is_worse(outcome, holder, code) else (held, 0)
    return held, 0


@inner
def stored_value(subject: Subject, place: Int, holder: Int, code: Int) -> tuple[Int, Int]:
    """Outcome and distance that the table gives a position whose accrued score is this one."""
    entry, own = int(subject.entry[place]), int(subject.own[place])
    is_own = code == own and holder != side_of(subject.men, cell_at(subject.cells, place))
    if code > own or is_own or code > code_of(entry):
        return entry, int(subject.dtg[place])
    return held_value(subject.rows, int(subject.pattern[place]), holder, code)


@inner
def key_of(side: Int, accrued: Int, outcome: Int, dtg: Int) -> Int:
    """How much the mover likes a move: first its outcome, then the way, short where it makes progress."""
    worth, bar = worth_to(side, outcome), worth_to(side, accrued)
    if worth == bar:
        return worth << _KEY_BITS
    return worth << _KEY_BITS | (_FAR - dtg if worth > bar else dtg)


@small
def value_of_key(side: Int, accrued: Int, key: Int) -> tuple[Int, Int]:
    """Outcome and distance of a position whose best move has this key."""
    worth, bar, way = key >> _KEY_BITS, worth_to(side, accrued), key & ((1 << _KEY_BITS) - 1)
    outcome = rank_of(-worth if side else worth)
    if worth == bar:
        return outcome, 0
    return outcome, 1 + (_FAR - way if worth > bar else way)


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
    gain = worth_to(side, outcome) - worth_to(side, best)
    if best == 0 or gain > 0:
        subject.reset[place] = outcome
        subject.shortest[place] = subject.longest[place] = dtg
    elif gain == 0:
        subject.shortest[place] = min(subject.shortest[place], dtg)
        subject.longest[place] = max(subject.longest[place], dtg)


TableSource = Table | EntryValues | TableFile
"""Where values come from: memory, or a file that is asked for what is needed."""


TellCells = Callable[[int, int], None]
"""Told how many chunks of how many have been read."""


def known_in(source: TableSource, cells: Ints | None, tell: TellCells = lambda *_: None) -> list[npt.NDArray[Any]]:
    """Entry values and distances in some cells or in all, and patterns where there are any; files tell of chunks.

    They have the types of kernels. After those of some cells comes an item of zeros: what is not known.
    """
    if isinstance(source, TableFile) and cells is not None:
        columns = source.look_up(cells, tell)
    else:
        values = source.values()
        patterns = [values.pattern] if isinstance(values, Table) else []
        every: list[npt.NDArray[Any]] = [values.entry, values.dtg, *patterns]
        columns = every if cells is None else [column[cells] for column in every]
    if cells is not None:
        columns = [np.append(column, 0) for column in columns]
    return [_array(column, kind) for column, kind in zip(columns, ("i1", "u2", "u4"), strict=False)]


def subject_of(source: Table | TableFile, cells: Ints | None = None, tell: TellCells = lambda *_: None) -> Subject:
    """A table in memory, or some cells of a table in ascending order, to be checked; nothing is asked for yet."""
    entry, dtg, pattern = known_in(source, cells, tell)
    layout, size = layout_of(source.material), len(entry)
    return Subject(
        forgets=source.game.forgets,
        men=men_of(layout),
        links=links_of(layout),
        cells=np.zeros(0, np.int64) if cells is None else cells,
        entry=entry,
        dtg=dtg,
        pattern=pattern,
        rows=rows_of(source.patterns),
        task=np.zeros(size, np.uint8),
        own=np.full(size, NO_POSITION, np.uint8),
        reset=np.zeros(size, np.int8),
        shortest=np.zeros(size, np.uint16),
        longest=np.zeros(size, np.uint16),
    )


def rows_of(patterns: Patterns) -> Rows:
    """The rows of all patterns, one after another, as the distances file has them."""
    start, holder, code = _array(patterns.start, "u4"), _array(patterns.holder, "u1"), _array(patterns.code, "u1")
    return Rows(start[:-1], start[1:], holder, code, _array(patterns.outcome, "i1"), _array(patterns.dtg, "u2"))


def rows_in_outcomes(file: TableFile) -> Rows:
    """The rows of a table's symbols, which have no distances; an error of TableError if they are not there."""
    symbols, rows = file.column("symbols"), file.column("outcome_rows")
    first = np.ascontiguousarray(symbols["first"])
    are_there = first + symbols["rows"].astype(np.int64) <= len(rows)
    file.outcomes.expect(are_there.all(), "a symbol has rows that are not there")
    holder, code, outcome = (np.ascontiguousarray(rows[name]) for name in ("holder", "code", "outcome"))
    return Rows(first, first + symbols["rows"], holder, code, outcome, np.zeros(len(rows), np.uint16))


def _array(values: npt.NDArray[Any], kind: str) -> npt.NDArray[Any]:
    """The array in the one form that the kernels are compiled for."""
    return np.require(values, kind, ["C", "W"])
