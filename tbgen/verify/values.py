"""The checked table, for kernels: its values with accrued scores, and the order of moves.

Outcomes are signed: +(code + 1) for White, -(code + 1) for Black. Accrued scores are written alike.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Bytes, Int, Ints32, Shorts, SignedBytes
from tbgen.compiled.jit import by_address, inner, small
from tbgen.verify.cells import Links, Men, side_of
from tbgen.verify.kept import KeptCells, cell_at

_LIMIT = 512
"""Above every signed outcome."""
_FAR = 1 << 16
"""Above every distance."""
_WAY_BITS = 17
"""The low bits of a key: a distance, or how far it is below `_FAR`."""
_WAY_MASK = (1 << _WAY_BITS) - 1
WORST = -(1 << 40)
"""A key below that of any move."""


@by_address
class Rows(NamedTuple):
    """The rows of patterns in one of a table's files.

    There may be a hundred million, so they are not copied.
    """

    first: Ints32
    """[pattern] -> its first row, and the row after its last."""
    end: Ints32
    holder: Bytes
    code: Bytes
    outcome: SignedBytes
    dtg: Shorts


@by_address
class Subject(NamedTuple):
    """The checked part of a table, and the results so far, cell by cell."""

    forgets: bool
    """Whether resets replace the accrued score; under whole-game mobility they do not."""
    plies: bool
    """Whether distances are checked, too; without them all of them are 0."""
    men: Men
    links: Links
    kept: KeptCells
    """The cells in the arrays."""
    entry: npt.NDArray[np.int8]
    dtg: npt.NDArray[np.uint16]
    pattern: npt.NDArray[np.uint32]
    rows: Rows
    task: npt.NDArray[np.uint8]
    """The questions about each cell."""
    own: npt.NDArray[np.uint8]
    """Own codes."""
    reset: npt.NDArray[np.int8]
    """The mover's best outcome by a reset, 0 without one, and its shortest and longest way."""
    shortest: npt.NDArray[np.uint16]
    longest: npt.NDArray[np.uint16]


@inner
def worth_to_white(outcome: Int) -> Int:
    """A number that is higher if the outcome is better for White.

    From that number, the function finds the outcome.
    """
    return _LIMIT - outcome if outcome > 0 else -_LIMIT - outcome


@inner
def worth_to(side: Int, outcome: Int) -> Int:
    """A number that is higher if the outcome is better for a side."""
    return -worth_to_white(outcome) if side else worth_to_white(outcome)


@inner
def signed(holder: Int, code: Int) -> Int:
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
    """Outcome and distance if nobody can improve an accrued score for its holder.

    Its last row may break it.
    """
    held = signed(holder, code)
    for row in range(int(rows.end[pattern]) - 1, int(rows.first[pattern]) - 1, -1):
        if rows.holder[row] == holder and rows.code[row] <= code:
            outcome = int(rows.outcome[row])
            if is_worse(outcome, holder, code):
                return outcome, int(rows.dtg[row])
            return held, 0
    return held, 0


@inner
def stored_value(subject: Subject, index: Int, holder: Int, code: Int) -> tuple[Int, Int]:
    """The table's outcome and distance of a position with an accrued score."""
    entry = int(subject.entry[index])
    own = int(subject.own[index])
    is_own = code == own and holder != side_of(subject.men, cell_at(subject.kept, index))
    if code > own or is_own or code > code_of(entry):
        return entry, int(subject.dtg[index])
    return held_value(subject.rows, int(subject.pattern[index]), holder, code)


@inner
def key_of_move(side: Int, accrued: Int, outcome: Int, dtg: Int) -> Int:
    """A move's worth to the mover: its outcome, then the way.

    A short way is better if the mover makes progress, else a long one.
    """
    worth = worth_to(side, outcome)
    bar = worth_to(side, accrued)
    if worth == bar:
        return worth << _WAY_BITS
    way = _FAR - dtg if worth > bar else dtg
    return (worth << _WAY_BITS) | way


@small
def value_of_key(side: Int, accrued: Int, key: Int) -> tuple[Int, Int]:
    """Outcome and distance of a position with this key of its best move."""
    worth = key >> _WAY_BITS
    way = key & _WAY_MASK
    outcome = worth_to_white(-worth if side else worth)
    bar = worth_to(side, accrued)
    if worth == bar:
        return outcome, 0
    dtg = _FAR - way if worth > bar else way
    return outcome, 1 + dtg


# Under whole-game mobility the accrued score stays, unless the new position leads to a lower code:
# its own, or one that a side forces from there. The entry value has both.
@inner
def key_after_reset(subject: Subject, side: Int, accrued: Int, outcome: Int, dtg: Int) -> Int:
    """The key of a reset to a position with this entry value and distance."""
    if subject.forgets or code_of(outcome) < code_of(accrued):
        return key_of_move(side, accrued, outcome, dtg)
    return key_of_move(side, accrued, accrued, 0)


@inner
def key_of_reset(subject: Subject, index: Int, side: Int, accrued: Int) -> Int:
    outcome = int(subject.reset[index])
    if outcome == 0:
        return WORST
    short = key_after_reset(subject, side, accrued, outcome, int(subject.shortest[index]))
    return max(short, key_after_reset(subject, side, accrued, outcome, int(subject.longest[index])))


# Without distances the ways stay zeros that nobody has written, which take no memory.
@inner
def note_reset(subject: Subject, index: Int, side: Int, outcome: Int, dtg: Int) -> None:
    """Note the value of a reset; only the best outcome stays, with both its ways."""
    best = int(subject.reset[index])
    gain = worth_to(side, outcome) - worth_to(side, best)
    if best == 0 or gain > 0:
        subject.reset[index] = outcome
        if subject.plies:
            subject.shortest[index] = dtg
            subject.longest[index] = dtg
    elif gain == 0 and subject.plies:
        subject.shortest[index] = min(subject.shortest[index], dtg)
        subject.longest[index] = max(subject.longest[index], dtg)
