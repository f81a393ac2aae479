"""The record of a table: counts its file block by block in little memory, and plays the longest lines."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tbgen.apps.records.counting import (
    CLASSES,
    Counts,
    Meanings,
    count_places,
    men_of,
    no_counts,
    total_of,
)
from tbgen.apps.records.record import (
    FOLDER,
    FORMAT,
    Count,
    Longest,
    OutcomeAt,
    OutcomeRecord,
    Record,
    SideRecord,
    Waiting,
    Zugzwangs,
    replay,
    write_record,
)
from tbgen.compiled.arrays import Ints, Ints32
from tbgen.errors import VerificationError
from tbgen.index.layout import fen_of_cell
from tbgen.index.outcomes import NO_OUTCOME_ROW, row_of_byte, worth_to_white
from tbgen.material import Material
from tbgen.probe import Tablebase, open_tablebase
from tbgen.rules.notation import parse_fen
from tbgen.score import MATE_CODE, Color, Score
from tbgen.storage.files import Folders, folders_in, mobility_of, path_in, path_of, remove_partials
from tbgen.storage.order import Order
from tbgen.storage.reader import TableFile
from tbgen.text import in_plies

_CHUNKS = 8
"""The approximate places of a run."""
_MOST_DISTANCES = 1 << 16


def census_of(file: TableFile, threads: int | None = None) -> Record:
    """The record of a table without lines of play, counted on some threads, or on one for each processor."""
    entries, distances, kinds_of = _kinds_in(file)
    entry, dtg = np.repeat(entries, distances), np.tile(np.arange(distances), len(entries))
    meanings = Meanings(
        worth_to_white(entry).astype(np.int16), entry.astype(np.int8), dtg.astype(np.uint16)
    )
    counts = count_table(file.order, meanings, kinds_of, threads=threads)
    kinds = counts.kinds.reshape(-1, 2, len(entries), distances, 2)
    sides = {side: _side_of(file, side, entries, kinds[:, side].sum(axis=0)) for side in Color}
    forced = [
        outcome
        for side in sides.values()
        for outcome, each in side.outcomes.items()
        if each.longest.dtg
    ]
    return Record(
        FORMAT,
        file.material,
        file.material.men,
        file.size,
        positions=count_of(kinds.sum(axis=(0, 1, 2, 3))),
        sides=sides,
        zugzwangs=_zugzwangs(file, counts),
        one_colored={side: _by_outcome(entries, kinds[1, side]) for side in Color}
        if len(kinds) > 1
        else None,
        widest=max(
            forced, key=lambda outcome: (outcome.code, outcome.holder is Color.WHITE), default=None
        ),
    )


def census_in(folder: Path, material: Material, threads: int | None = None) -> Record:
    """The same of a table in a folder."""
    with TableFile(path_of(folder, material)) as file:
        return census_of(file, threads)


def _kinds_in(file: TableFile) -> tuple[Ints, int, Callable[[int, int], Ints32]]:
    """The entry values, the number of distances of each, and the kinds of places: all distances of a value in turn."""
    groups = np.append(
        file.column("symbol_groups").astype(np.int64), file.distances.dataset("group_states").items
    )
    distances = int(np.diff(groups).max())
    file.distances.expect(0 < distances <= _MOST_DISTANCES, "its groups do not follow each other")
    entries, numbers = np.unique(file.column("symbols")["entry"], return_inverse=True)
    first_kind = (numbers * distances).astype(np.uint32)

    def kinds_of(first: int, end: int) -> Ints32:
        symbols, dtg = file.symbols_and_dtg(first, end)
        is_known = int(dtg.max()) < distances
        file.distances.expect(
            is_known, f"a place from {first} on has a distance that the table does not have"
        )
        return first_kind.take(symbols) + dtg

    return entries.astype(np.int64), distances, kinds_of


def count_table(
    order: Order,
    meanings: Meanings,
    kinds_of: Callable[[int, int], Ints32],
    *,
    threads: int | None = None,
) -> Counts:
    """Count the kinds of all positions; `kinds_of` gives those of the places from one number up to another."""
    layout, plane, workers = order.layout, order.plane_places, threads or os.cpu_count() or 1

    def count(runs: Iterator[range]) -> Counts:
        counts, rows = (
            no_counts(len(meanings.entry), layout),
            np.zeros((2, len(layout.slots)), np.int64),
        )
        for run in runs:
            block, first = divmod(run.start, 2 * plane)
            if len(run) < plane:  # a part of White's plane, and that of Black's
                white, black = (
                    kinds_of(run.start, run.stop)[None],
                    kinds_of(run.start + plane, run.stop + plane)[None],
                )
            else:  # some blocks
                white, black = (
                    kinds_of(run.start, run.stop).reshape(-1, 2, plane).swapaxes(0, 1).copy()
                )
            for number, kinds in enumerate(zip(white, black, strict=True), block):
                count_places(men_of(layout, number), number, first, *kinds, meanings, counts, rows)
        return counts

    with ThreadPoolExecutor(
        workers
    ) as pool:  # the threads share one iterator of a list, which gives each run once
        return total_of(list(pool.map(count, [iter(list(_runs(order)))] * workers)))


def _runs(order: Order) -> Iterator[range]:
    """Runs of places that together have all planes of White: whole blocks, or parts of planes that are large.

    They are whole chunks if chunks are smaller than a plane, so that no chunk is unpacked twice.
    """
    plane, cells, most = order.plane_places, order.layout.cells, _CHUNKS * order.chunk_cells
    if plane > most:
        for begin in range(0, cells, 2 * plane):
            yield from (
                range(start, min(start + most, begin + plane))
                for start in range(begin, begin + plane, most)
            )
    else:
        step = 2 * plane * max(1, most // (2 * plane))
        yield from (range(start, min(start + step, cells)) for start in range(0, cells, step))


# counts[number of the entry value, plies, placements or classes]
def _by_outcome(entries: Ints, counts: Ints) -> dict[Score, Count]:
    """The number of positions with each outcome that occurs, best for White first."""
    every = zip(entries.tolist(), map(count_of, counts.sum(axis=1)), strict=True)
    found = {Score.from_signed(byte): count for byte, count in every if count.placements}
    return dict(sorted(found.items(), reverse=True))


def _side_of(file: TableFile, side: Color, entries: Ints, counts: Ints) -> SideRecord:
    """The counts of a side to move, and for each outcome a position with its longest distance.

    VerificationError if the tallies of the file differ from its cells.
    """
    total, tallies, longest = count_of(counts.sum(axis=(0, 1))), file.counts[side], file.longest
    outcomes = dict[Score, OutcomeRecord]()
    for outcome, count in _by_outcome(entries, counts).items():
        (by_plies,) = counts[entries == outcome.signed]
        distances = tuple(np.trim_zeros(by_plies[:, CLASSES], "b").tolist())
        dtg, fen, _ = longest.get((side, outcome), (None, "", None))
        if (tallies.get(outcome), dtg) != (count.placements, len(distances) - 1):
            raise VerificationError(
                str(file.material),
                f"its tally of {outcome} with {side} to move is not what its cells hold",
            )
        share = round(count.placements / total.placements, 6)
        outcomes[outcome] = OutcomeRecord(
            count.placements,
            count.classes,
            share,
            distances,
            Longest(len(distances) - 1, fen, None),
        )
    return SideRecord(total, outcomes)


def count_of(pair: npt.ArrayLike) -> Count:
    """Placements and classes in an array."""
    return Count(*np.asarray(pair).tolist())


# pairs[row of the outcome with White to move, the same with Black to move, played for, placements or classes]
def _zugzwangs(file: TableFile, counts: Counts) -> Zugzwangs:
    """The mutual zugzwangs by kind, and the longest."""
    played, every = counts.pairs[:, :, 1], counts.pairs.sum(axis=2)
    white_mates, black_mates = (row_of_byte(Score(MATE_CODE, side).signed) for side in Color)
    mates = (
        every[:, white_mates].sum(axis=0)
        + every[black_mates].sum(axis=0)
        - every[black_mates, white_mates]
    )
    return Zugzwangs(
        all=count_of(every.sum(axis=(0, 1))),
        played=count_of(played.sum(axis=(0, 1))),
        mates=count_of(mates),
        holders=count_of(played[:NO_OUTCOME_ROW, NO_OUTCOME_ROW:].sum(axis=(0, 1))),
        longest=_longest_zugzwang(file, counts.longest),
    )


def _longest_zugzwang(file: TableFile, longest: Ints) -> Waiting | None:
    """The mutual zugzwang at the place in `Counts.longest`; None without one."""
    _, near, block, place = longest.tolist()
    if near < 0:
        return None
    order = file.order
    white = -block * 2 * order.plane_places - place
    (cell,) = order.cells_of(np.array([white])).tolist()
    values = [_value_at(file, place) for place in (white, white + order.plane_places)]
    return Waiting(fen_of_cell(order.layout, cell), *values)


def _value_at(file: TableFile, place: int) -> OutcomeAt:
    """The entry value of a place."""
    entries, (_, distances) = file.entries(place, place + 1), file.symbols_and_dtg(place, place + 1)
    return OutcomeAt(Score.from_signed(int(entries[0])), int(distances[0]))


def record_of(folders: Folders, material: Material) -> Record:
    """The record of a table in one of the folders, with its lines, which need the tables that it leads to.

    A replay proves every line.
    """
    where = folders_in(folders)
    with (
        TableFile(path_in(where, material)) as file,
        open_tablebase(where, mobility=mobility_of(where[0])) as tables,
    ):
        made = census_of(file)
        return replace(
            made, sides={side: _with_lines(file, part, tables) for side, part in made.sides.items()}
        )


def keep_records(
    folder: Path, wanted: Sequence[Material], threads: int, tell: Callable[[Material], None]
) -> None:
    """Count tables of a folder without lines, and write their records into it; `tell` receives each table first."""
    remove_partials(folder / FOLDER)
    for material in wanted:
        tell(material)
        write_record(folder / FOLDER, census_in(folder, material, threads))


def _with_lines(file: TableFile, side: SideRecord, tables: Tablebase) -> SideRecord:
    """A side with best play from the position with the longest distance of each outcome, proved by replay."""
    outcomes = dict(side.outcomes)
    for outcome, each in outcomes.items():
        fen, dtg = each.longest.fen, each.longest.dtg
        moves = [step.san for step in tables.line(parse_fen(fen)[0], max_plies=dtg)]
        if not replay(fen, moves, tables.mobility).proves(outcome, dtg):
            raise VerificationError(
                str(file.material),
                f"best play from {fen} does not reach {outcome} in {in_plies(dtg)}",
            )
        outcomes[outcome] = replace(each, longest=Longest(dtg, fen, " ".join(moves)))
    return SideRecord(side.positions, outcomes)
