"""Where the accrued score changes the best move: all moves of a position, with every score that can have accrued.

With its own score accrued a position has certain best moves, those that keep its outcome. The accrued score changes
the best move if there is a score, brought along from before, with which every one of these gives something away.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Bools, Int, Ints
from tbgen.compiled.jit import borrowing, inner
from tbgen.errors import VerificationError
from tbgen.index.layout import Layout, layout_of
from tbgen.material import Material
from tbgen.rules.position import why_not_accrued
from tbgen.score import Color, Score
from tbgen.storage.reader import TableFile
from tbgen.verify.cells import Numbering, images_of, men_of, numbering_of, set_up
from tbgen.verify.check import Check
from tbgen.verify.moves import NO_POSITION, QUIETS, Scratch, list_moves, new_scratch
from tbgen.verify.pairs import list_successors
from tbgen.verify.resets import PAIRS_TASK, Cells, drawn_cells, find_positions
from tbgen.verify.subject import Violation
from tbgen.verify.values import Facts, Subject, cell_at, facts_of, rank_of, stored_value

_FIRST_CODE = 2
_MOST_MOVES = 256
_MOST_CODES = 256
_DIAGONAL = 9


# known[move] -> what the table says of the position after a quiet move: a row of Facts
@inner
def look_up(subject: Subject, scratch: Scratch, count: Int, known: Ints) -> None:
    """Look the positions after the listed moves up once."""
    for move in range(count):
        facts = facts_of(subject, scratch.cell[move])
        known[move, 0], known[move, 1], known[move, 2] = facts.entry, facts.own, facts.own_holder
        known[move, 3], known[move, 4] = facts.first_row, facts.last_row


@inner
def values_after(subject: Subject, known: Ints, count: Int, holder: Int, code: Int, values: Ints) -> None:
    """The outcome after each quiet move with a score accrued."""
    for move in range(count):
        facts = Facts(known[move, 0], 0, known[move, 1], known[move, 2], known[move, 3], known[move, 4])
        values[move] = stored_value(subject.rows, facts, holder, code)[0]


@inner
def best_of(subject: Subject, place: Int, side: Int, count: Int, values: Ints) -> int:
    """The mover's best outcome over quiet moves and resets."""
    best = int(subject.reset[place])
    for move in range(count):
        gain = 0 if best == 0 else rank_of(values[move]) - rank_of(best)
        if best == 0 or (gain < 0 if side else gain > 0):
            best = values[move]
    return best


@inner
def shares_a_best_move(
    subject: Subject, place: Int, count: Int, first: Ints, first_best: Int, second: Ints, second_best: Int
) -> bool:
    """Whether some move is best with the one accrued score and with the other."""
    reset = int(subject.reset[place])
    if reset != 0 and reset == first_best and reset == second_best:
        return True
    shares = False
    for move in range(count):
        shares |= first[move] == first_best and second[move] == second_best
    return shares


@inner
def is_changing(
    subject: Subject, possible: Bools, scratch: Scratch, place: Int, known: Ints, first: Ints, second: Ints
) -> bool:
    """Whether some accrued score needs another move than the position's own."""
    own = int(subject.own[place])
    side = set_up(subject.numbering, cell_at(subject.cells, place), scratch.squares)
    count = list_moves(subject.men, scratch, side, QUIETS)
    top = list_successors(subject, scratch, place, side, count)
    look_up(subject, scratch, count, known)
    values_after(subject, known, count, 1 - side, own, first)
    first_best = best_of(subject, place, side, count, first)
    for code in range(_FIRST_CODE, min(top + 1, own) + 1):
        for holder in range(2):
            if not possible[holder, code]:
                continue
            values_after(subject, known, count, holder, code, second)
            second_best = best_of(subject, place, side, count, second)
            if not shares_a_best_move(subject, place, count, first, first_best, second, second_best):
                return True
    return False


@inner
def classes_of(numbering: Numbering, scratch: Scratch, orders: Int) -> Int:
    """How many positions up to symmetry a cell stands for, its men being set up, equal ones told apart."""
    if images_of(numbering, scratch.squares, scratch.rest) != 4:
        return orders
    for slot in range(numbering.men):
        if scratch.squares[slot] % _DIAGONAL:
            return orders // 2
    return orders


# possible[holder, code] -> whether the men can leave that score accrued
# found -> positions with moves, and those of them where the accrued score changes the best move
@borrowing
def count_changing(
    subject: Subject, possible: Bools, scratch: Scratch, known: Ints, values: Ints, orders: Int, found: Ints
) -> int:
    """Count what is asked for: up to symmetry with equal men in `orders` orders told apart, or plainly if that is 0."""
    for place in range(subject.cells.size):
        own = subject.own[place]
        if not subject.task[place] & PAIRS_TASK or own < _FIRST_CODE or own == NO_POSITION:
            continue
        changing = is_changing(subject, possible, scratch, place, known, values[0], values[1])
        set_up(subject.numbering, cell_at(subject.cells, place), scratch.squares)
        weight = classes_of(subject.numbering, scratch, orders) if orders else 1
        found[0] += weight
        found[1] += weight if changing else 0
    return found[0]


def possible_scores(material: Material) -> npt.NDArray[np.bool_]:
    """[holder, code] -> whether the score can have accrued with these men; the solver and its proof do not ask this."""
    bare = [len(material.side(color)) == 1 for color in Color]
    scores = ([Score(code, holder) for code in range(_MOST_CODES)] for holder in Color)
    return np.array([[why_not_accrued(score, bare) is None for score in row] for row in scores])


class _Count(Check):
    """A look at some positions that counts instead of checking pairs."""

    orders = 0
    found = (0, 0)

    def _wrong_pair(self) -> Violation | None:
        found = np.zeros(2, np.int64)
        known, values = np.zeros((_MOST_MOVES, 5), np.int64), np.zeros((2, _MOST_MOVES), np.int64)
        possible = possible_scores(self.layout.material)
        count_changing(self.subject, possible, new_scratch(), known, values, self.orders, found)
        self.found = int(found[0]), int(found[1])
        return None

    def _wrong_tallies(self) -> Violation | None:
        return None


def changing_in(
    file: TableFile, child_of: Callable[[Material], TableFile], *, sample: int | None = None, seed: int = 0
) -> tuple[int, int]:
    """How many positions have moves, and in how many the accrued score changes the best one.

    All positions up to symmetry, equal men told apart; with `sample`, so many random ones, equal men not told apart.
    """
    layout = layout_of(file.material)
    if sample is None:
        return count_in(file, child_of, every_cell(layout), layout.orders)
    return count_in(file, child_of, drawn_cells(layout, sample, seed), 0)


def count_in(file: TableFile, child_of: Callable[[Material], TableFile], cells: Cells, orders: int) -> tuple[int, int]:
    """The same for some cells in ascending order; VerificationError if the table proves to be wrong there."""
    with ThreadPoolExecutor(1) as pool:
        count = _Count(file, child_of, pool, cells=cells)
        count.orders = orders
        violation = count.first_violation()
    if violation is not None:
        raise VerificationError(str(file.material), str(violation))
    return count.found


def every_cell(layout: Layout) -> Cells:
    """The cells that hold positions."""
    is_position = np.zeros(layout.cells, np.bool_)
    find_positions(men_of(layout), numbering_of(layout), new_scratch(), np.arange(layout.cells), is_position)
    return np.flatnonzero(is_position)
