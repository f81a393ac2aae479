"""Making a record: a table counted, its longest lines played, and the lines proved by playing them once more.

With its own score accrued a position has certain best moves, those that keep its outcome. The accrued score changes
the best move if there is a score, brought along from before, with which every one of these gives something away.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from tbgen.apps.records.census import Spread, TableCount, census_of
from tbgen.apps.records.counting import REFLECTED, stands_on_diagonal
from tbgen.apps.records.quiet import longest_stretch
from tbgen.apps.records.record import (
    FOLDER,
    FORMAT,
    NOBODY,
    Changes,
    Longest,
    OutcomeRecord,
    Quiet,
    Record,
    SideRecord,
    Value,
    Waiting,
    Zugzwangs,
    replay,
    write_record,
)
from tbgen.compiled.arrays import Bools, Int, Ints
from tbgen.compiled.jit import borrowing, inner
from tbgen.errors import VerificationError
from tbgen.index.layout import layout_of
from tbgen.material import Material
from tbgen.probe import Tablebase, open_tablebase
from tbgen.rules.notation import parse_fen
from tbgen.score import Color, Score
from tbgen.storage.files import Folders, folders_in, game_of_folder, path_in, remove_partials
from tbgen.storage.reader import TableFile
from tbgen.text import in_plies
from tbgen.verify.cells import Men, images_of
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


@inner
def classes_of(men: Men, scratch: Scratch, orders: Int) -> Int:
    """How many positions up to symmetry a cell stands for, its men being set up, equal ones told apart."""
    is_image = images_of(men, scratch.squares, scratch.rest) == 4
    is_reflected = is_image and stands_on_diagonal(scratch.squares[: men.color.size]) == REFLECTED
    return orders // 2 if is_reflected else orders


# possible[holder, code] -> whether the men can leave that score accrued
# found -> positions with moves, and those of them where the accrued score changes the best move
@borrowing
def count_changing(subject: Subject, possible: Bools, scratch: Scratch, values: Ints, orders: Int, found: Ints) -> None:
    """Count what is asked for: up to symmetry with equal men in `orders` orders told apart, or plainly if that is 0."""
    for place in range(subject.cells.size):
        if not is_asked(subject, place, PAIRS_TASK):
            continue
        changing = is_changing(subject, possible, scratch, place, values[0], values[1])  # which sets the men up
        weight = classes_of(subject.men, scratch, orders) if orders else 1
        found[0] += weight
        found[1] += weight if changing else 0


class _WithoutPairs(Check):
    """A check that gathers what positions and their resets are worth, and leaves out the pairs."""

    def _wrong_pair(self) -> Violation | None:
        return None


def changes_in(file: TableFile, child_of: ChildOf, sample: int | None) -> Changes:
    """Where the accrued score changes the best move.

    All positions up to symmetry, equal men told apart; with `sample`, so many random ones, equal men not told apart.
    """
    layout = layout_of(file.material)
    if sample is None:
        cells = positions_among(layout, np.arange(layout.cells))
        return Changes(*count_in(file, child_of, cells, layout.orders), None)
    return Changes(*count_in(file, child_of, drawn_cells(layout, sample, _SEED), 0), _SEED)


def count_in(file: TableFile, child_of: ChildOf, cells: Cells, orders: int) -> tuple[int, int]:
    """How many of some cells, in ascending order, have moves, and in how many the accrued score changes the best one.

    VerificationError if the table proves to be wrong there.
    """
    with ThreadPoolExecutor(1) as pool:
        check = _WithoutPairs(file, child_of, pool, cells=cells)
        violation = check.first_violation()
    if violation is not None:
        raise VerificationError(str(file.material), str(violation))
    found, values = np.zeros(2, np.int64), np.zeros((2, MOST_MOVES), np.int64)
    count_changing(check.subject, possible_scores(file.material), new_scratch(), values, orders, found)
    return int(found[0]), int(found[1])


MOST_MEN_STRETCHED_WHOLE: Final = 4
_MOST_MEN_CHANGED_WHOLE: Final = 3
_SAMPLE: Final = 20_000
_SHARE_DIGITS: Final = 6

Lines = dict[tuple[Color, Score], Longest]


def record_of(folders: Folders, material: Material, *, lines: bool = True, threads: int | None = None) -> Record:
    """The record of a table in one of the folders; without `lines` the longest distances have a position, no moves.

    The lines need the tables that the table leads to. Every line is played and found to keep its promise.
    """
    where = folders_in(folders)
    game = game_of_folder(where[0])
    with contextlib.ExitStack() as opened:

        def table_of(material: Material) -> TableFile:
            return opened.enter_context(TableFile(path_in(where, material)))

        file, tables = table_of(material), opened.enter_context(open_tablebase(where, game=game))
        census, played = census_of(file, threads), _lines_of(file, tables) if lines else {}
        sample = None if material.men <= _MOST_MEN_CHANGED_WHOLE else _SAMPLE
        by_resets = lines and game.forgets  # a quiet stretch, and a score that counts for less after a move, are theirs
        sides = {side: _side_of(file, side, spreads, played) for side, spreads in census.spreads.items()}
        forced = [outcome for side in sides.values() for outcome, each in side.outcomes.items() if each.longest.dtg]
        return Record(
            FORMAT,
            material,
            material.men,
            file.size,
            positions=sum((each.positions for each in sides.values()), NOBODY),
            sides=sides,
            zugzwangs=_zugzwangs(census, tables),
            one_colored=census.one_colored,
            quiet=_quiet_of(file, played, tables) if by_resets else None,
            widest=max(forced, key=lambda outcome: (outcome.code, outcome.holder is Color.WHITE), default=None),
            changes=changes_in(file, table_of, sample) if by_resets else None,
        )


def keep_records(folder: Path, wanted: Sequence[Material], threads: int, tell: Callable[[Material], None]) -> None:
    """Count tables of a folder, without their lines, and keep the records within it; `tell` hears of each one first."""
    remove_partials(folder / FOLDER)
    for material in wanted:
        tell(material)
        write_record(folder / FOLDER, record_of(folder, material, lines=False, threads=threads))


def _side_of(file: TableFile, side: Color, spreads: Mapping[Score, Spread], played: Lines) -> SideRecord:
    total = sum(spreads.values(), NOBODY)
    outcomes = {
        outcome: OutcomeRecord(
            spread.placements,
            spread.classes,
            share=round(spread.placements / total.placements, _SHARE_DIGITS),
            distances=spread.distances,
            longest=_longest(file, side, outcome, spread, played),
        )
        for outcome, spread in spreads.items()
    }
    return SideRecord(total, outcomes)


def _longest(file: TableFile, side: Color, outcome: Score, spread: Spread, played: Lines) -> Longest:
    """The longest line to an outcome, or only where it begins."""
    count, (dtg, fen) = file.counts[side].get(outcome), file.longest.get((side, outcome), (None, ""))
    if (count, dtg) != (spread.placements, len(spread.distances) - 1):
        raise VerificationError(
            str(file.material), f"its tally of {outcome} with {side} to move is not what its cells hold"
        )
    return played[side, outcome] if played else Longest(len(spread.distances) - 1, fen, None)


def _lines_of(file: TableFile, tables: Tablebase) -> Lines:
    """Best play from where each outcome is furthest away, proved by replay."""
    lines: Lines = {}
    for (side, outcome), (dtg, fen) in file.longest.items():
        moves = [step.san for step in tables.line(parse_fen(fen)[0], max_plies=dtg)]
        if not replay(fen, moves, tables.game).proves(outcome, dtg):
            raise VerificationError(
                str(file.material), f"best play from {fen} does not reach {outcome} in {in_plies(dtg)}"
            )
        lines[side, outcome] = Longest(dtg, fen, " ".join(moves))
    return lines


def _zugzwangs(census: TableCount, tables: Tablebase) -> Zugzwangs:
    """The counts, and what the longest zugzwang is worth."""
    fen = census.longest_zugzwang
    if fen is None:
        return census.zugzwangs
    found = (tables.probe(parse_fen(each)[0]) for each in (fen, fen.replace(" w ", " b ")))
    white, black = (Value(each.outcome, each.dtg or 0) for each in found)  # distances are there: they were counted
    return replace(census.zugzwangs, longest=Waiting(fen, white, black))


def _quiet_of(file: TableFile, played: Lines, tables: Tablebase) -> Quiet | None:
    """The longest quiet stretch: of all positions, or of the longest lines of a large table."""
    if file.material.men > MOST_MEN_STRETCHED_WHOLE:
        return _stretch_of_lines(played)
    found = longest_stretch(file, tables)
    if found is not None:
        proof = replay(found.fen, found.longest.moves)
        if not proof.proves(found.outcome, found.dtg) or proof.phases[0] != found.plies:
            raise VerificationError(
                str(file.material), f"best play from {found.fen} is not quiet for {found.plies} plies"
            )
    return found


def _stretch_of_lines(lines: Lines) -> Quiet | None:
    """The longest stretch that one of the longest lines begins with: a proven case."""
    found = [
        Quiet(side, outcome, replay(line.fen, line.moves).phases[0], False, line.dtg, line.fen, line.line)
        for (side, outcome), line in lines.items()
        if line.dtg
    ]
    return max(found, key=lambda quiet: quiet.plies, default=None)
