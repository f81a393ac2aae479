"""Making a record: a table counted, its longest lines played, and the lines proved by playing them once more.

With its own score accrued a position has certain best moves, those that keep its outcome. The accrued score changes
the best move if there is a score, brought along from before, with which every one of these gives something away.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from tbgen.apps.records.census import census_of
from tbgen.apps.records.quiet import longest_stretch
from tbgen.apps.records.record import FOLDER, Changes, Longest, Quiet, Record, SideRecord, replay, write_record
from tbgen.compiled.arrays import Bools, Int, Ints
from tbgen.compiled.jit import borrowing, inner
from tbgen.errors import VerificationError
from tbgen.index.layout import layout_of
from tbgen.material import Material
from tbgen.probe import Tablebase, open_tablebase
from tbgen.rules.notation import parse_fen
from tbgen.storage.files import Folders, folders_in, game_of_folder, path_in, path_of, remove_partials
from tbgen.storage.reader import TableFile
from tbgen.text import in_plies
from tbgen.verify.check import Check, Violation
from tbgen.verify.digesting import possible_scores
from tbgen.verify.moves import MOST_MOVES, Scratch, new_scratch
from tbgen.verify.pairs import list_successors
from tbgen.verify.resets import FIRST_CODE, PAIRS_TASK, Cells, drawn_cells, is_asked, positions_among
from tbgen.verify.values import Subject, stored_value, worth_to

_SEED: Final = 1

ChildOf = Callable[[Material], TableFile]


# values[move] -> its outcome, with that of the best reset after the quiet moves; 0 if there is none
@inner
def value_moves(
    subject: Subject, scratch: Scratch, place: Int, side: Int, count: Int, holder: Int, code: Int, values: Ints
) -> Int:
    """Note the outcome after each of the listed moves with a score accrued; returns the mover's best."""
    best: Int = int(subject.reset[place])
    values[count] = best
    for move in range(count):
        value = stored_value(subject, scratch.cell[move], holder, code)[0]
        if best == 0 or worth_to(side, value) > worth_to(side, best):
            best = value
        values[move] = value
    return best


@inner
def is_changing(subject: Subject, possible: Bools, scratch: Scratch, place: Int, first: Ints, second: Ints) -> bool:
    """Whether some accrued score needs another move than the position's own."""
    own = int(subject.own[place])
    side, count, top = list_successors(subject, scratch, place)
    first_best = value_moves(subject, scratch, place, side, count, 1 - side, own, first)
    for code in range(FIRST_CODE, min(top + 1, own) + 1):
        for holder in range(2):
            if not possible[holder, code]:
                continue
            second_best = value_moves(subject, scratch, place, side, count, holder, code, second)
            shares = False
            for move in range(count + 1):
                shares |= first[move] == first_best and second[move] == second_best
            if not shares:
                return True
    return False


# possible[holder, code] -> whether the men can leave that score accrued
# found -> positions with moves, and those of them where the accrued score changes the best move
@borrowing
def count_changing(subject: Subject, possible: Bools, scratch: Scratch, values: Ints, found: Ints) -> None:
    """Count what is asked for."""
    for place in range(subject.cells.size):
        if is_asked(subject, place, PAIRS_TASK):
            found[0] += 1
            found[1] += is_changing(subject, possible, scratch, place, values[0], values[1])


class _WithoutPairs(Check):
    """A check that gathers what positions and their resets are worth, and leaves out the pairs."""

    def _wrong_pairs(self) -> Iterator[Violation]:
        return iter(())


def changes_in(file: TableFile, child_of: ChildOf, sample: int | None) -> Changes:
    """Where the accrued score changes the best move: in all positions up to symmetry, or in so many random ones.

    A position counts once, so a table that is counted whole must not have equal men.
    """
    layout = layout_of(file.material)
    if sample is None:
        assert layout.orders == 1
        return Changes(*count_in(file, child_of, positions_among(layout, np.arange(layout.cells))), None)
    return Changes(*count_in(file, child_of, drawn_cells(layout, sample, _SEED)), _SEED)


def count_in(file: TableFile, child_of: ChildOf, cells: Cells) -> tuple[int, int]:
    """How many of some cells, in ascending order, have moves, and in how many the accrued score changes the best one.

    VerificationError if the table proves to be wrong there.
    """
    with ThreadPoolExecutor(1) as pool:
        check = _WithoutPairs(file, child_of, pool, cells=cells)
        violation = next(check.violations(), None)
    if violation is not None:
        raise VerificationError(str(file.material), str(violation))
    found, values = np.zeros(2, np.int64), np.zeros((2, MOST_MOVES), np.int64)
    count_changing(check.subject, possible_scores(file.material), new_scratch(), values, found)
    return int(found[0]), int(found[1])


MOST_MEN_STRETCHED_WHOLE: Final = 4
_MOST_MEN_CHANGED_WHOLE: Final = 3
"""With four men two can be equal."""
_SAMPLE: Final = 20_000


def record_of(folders: Folders, material: Material) -> Record:
    """The record of a table in one of the folders, with its lines; they need the tables that it leads to.

    Every line is played and found to keep its promise.
    """
    where = folders_in(folders)
    with contextlib.ExitStack() as opened:

        def table_of(material: Material) -> TableFile:
            return opened.enter_context(TableFile(path_in(where, material)))

        file = table_of(material)
        tables = opened.enter_context(open_tablebase(where, game=game_of_folder(where[0])))
        counted = census_of(file)
        made = replace(counted, sides={side: _with_lines(file, part, tables) for side, part in counted.sides.items()})
        if not tables.game.forgets:  # a quiet stretch needs resets, and so does a score that they wipe out
            return made
        sample = None if material.men <= _MOST_MEN_CHANGED_WHOLE else _SAMPLE
        return replace(made, quiet=_quiet_of(file, made, tables), changes=changes_in(file, table_of, sample))


def keep_records(folder: Path, wanted: Sequence[Material], threads: int, tell: Callable[[Material], None]) -> None:
    """Count tables of a folder, without their lines, and keep the records within it; `tell` hears of each one first."""
    remove_partials(folder / FOLDER)
    for material in wanted:
        tell(material)
        with TableFile(path_of(folder, material)) as file:
            write_record(folder / FOLDER, census_of(file, threads))


def _with_lines(file: TableFile, side: SideRecord, tables: Tablebase) -> SideRecord:
    """A side with best play from where each outcome is furthest away, proved by replay."""
    outcomes = dict(side.outcomes)
    for outcome, each in outcomes.items():
        fen, dtg = each.longest.fen, each.longest.dtg
        moves = [step.san for step in tables.line(parse_fen(fen)[0], max_plies=dtg)]
        if not replay(fen, moves, tables.game).proves(outcome, dtg):
            raise VerificationError(
                str(file.material), f"best play from {fen} does not reach {outcome} in {in_plies(dtg)}"
            )
        outcomes[outcome] = replace(each, longest=Longest(dtg, fen, " ".join(moves)))
    return SideRecord(side.positions, outcomes)


def _quiet_of(file: TableFile, record: Record, tables: Tablebase) -> Quiet | None:
    """The longest quiet stretch: of all positions, or of the longest lines of a large table."""
    if record.men > MOST_MEN_STRETCHED_WHOLE:
        return _stretch_of_lines(record)
    found = longest_stretch(file, tables)
    if found is not None:
        proof = replay(found.fen, found.longest.moves)
        if not proof.proves(found.outcome, found.dtg) or proof.quiet_plies != found.plies:
            raise VerificationError(
                str(file.material), f"best play from {found.fen} is not quiet for {found.plies} plies"
            )
    return found


def _stretch_of_lines(record: Record) -> Quiet | None:
    """The longest stretch that one of the longest lines begins with: a proven case."""
    found = [
        Quiet(side, outcome, replay(line.fen, line.moves).quiet_plies, False, line.dtg, line.fen, line.line)
        for side, outcome, line in record.lines()
        if line.dtg
    ]
    return max(found, key=lambda quiet: quiet.plies, default=None)
