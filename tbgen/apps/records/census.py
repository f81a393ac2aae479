"""The record of a table: its file is counted block by block, and its longest lines are played."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

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
from tbgen.apps.records.sharpness import sample_of, sharpness_in
from tbgen.compiled.arrays import Ints, Ints32
from tbgen.errors import VerificationError
from tbgen.index.layout import fen_of_cell
from tbgen.index.outcomes import NO_OUTCOME_ROW, ranks_of, row_of_byte
from tbgen.material import TableMaterial
from tbgen.probe import Tablebase
from tbgen.rules.notation import parse_fen
from tbgen.score import MATE_CODE, Color, Score
from tbgen.storage.files import Folders, folders_in, mobility_of, path_in, path_of, remove_partials
from tbgen.storage.order import Order
from tbgen.storage.reader import TableFile
from tbgen.text import in_plies

_CHUNKS = 8
"""The approximate number of chunks of a run."""
_MOST_DISTANCES = 1 << 16
"""A distance has 16 bits."""

KindsAt = Callable[[int, int], Ints32]
"""The kinds of the places from one number up to another."""


def census_of(file: TableFile, threads: int | None = None) -> Record:
    """The record of a table without lines of play, counted on some threads, or on one for each
    processor.
    """
    kinds = _kinds_in(file)
    entry = np.repeat(kinds.entries, kinds.distances)
    dtg = np.tile(np.arange(kinds.distances), len(kinds.entries))
    meanings = Meanings(
        ranks_of(entry).astype(np.int16), entry.astype(np.int8), dtg.astype(np.uint16)
    )
    counts = count_table(file.order, meanings, kinds.at, threads=threads)
    # [with the pair of bishops on one colour, side, entry value, distance, placements or classes]
    table = counts.kinds.reshape(-1, 2, len(kinds.entries), kinds.distances, 2)
    sides = {}
    for side in Color:
        sides[side] = _side_of(file, side, kinds.entries, table[:, side].sum(axis=0))
    one_colored = None
    has_pair = len(table) > 1
    if has_pair:
        one_colored = {side: _by_outcome(kinds.entries, table[1, side]) for side in Color}
    return Record(
        FORMAT,
        file.material,
        file.material.men,
        file.size,
        positions=count_of(table.sum(axis=(0, 1, 2, 3))),
        sides=sides,
        zugzwangs=_zugzwangs(file, counts),
        one_colored=one_colored,
        widest=_widest_of(sides),
    )


def _widest_of(sides: Mapping[Color, SideRecord]) -> Score | None:
    """The score with the most legal moves that play forces.

    White's of two, None if there is none.
    """
    forced = list[Score]()
    for side in sides.values():
        for outcome, record in side.outcomes.items():
            if record.longest is not None and record.longest.dtg:
                forced.append(outcome)
    return max(forced, key=_width_of, default=None)


def _width_of(outcome: Score) -> tuple[int, bool]:
    return outcome.code, outcome.holder is Color.WHITE


def census_in(folder: Path, material: TableMaterial, threads: int | None = None) -> Record:
    """The record, without lines, of a table in a folder."""
    with opened(path_of(folder, material)) as file:
        return census_of(file, threads)


def opened(path: Path) -> TableFile:
    """A table with its distances, or without if it has none."""
    file = TableFile(path)
    if file.has_distances:
        return file
    file.close()
    return TableFile(path, outcomes_only=True)


class _Kinds(NamedTuple):
    """The kinds of the places of a file: every entry value with every distance in turn."""

    entries: Ints
    """The entry values."""
    distances: int
    """The number of distances of each value."""
    at: KindsAt
    """The kinds of the places from one number up to another."""


def _kinds_in(file: TableFile) -> _Kinds:
    distances = 1 if file.outcomes_only else _distances_in(file)
    entries, numbers = np.unique(file.column("symbols")["entry"], return_inverse=True)
    first_kind = (numbers * distances).astype(np.uint32)

    def kinds_at(first: int, end: int) -> Ints32:
        symbols, dtg = file.symbols_and_dtg(first, end)
        if int(dtg.max()) >= distances:
            file.distances.expect(
                False, f"a place from {first} on has a distance that the table does not have"
            )
        return first_kind.take(symbols) + dtg

    return _Kinds(entries.astype(np.int64), distances, kinds_at)


def _distances_in(file: TableFile) -> int:
    """The number of distances that an entry value may have, from 0 on."""
    group_starts = file.column("symbol_groups").astype(np.int64)
    groups = np.append(group_starts, file.distances.dataset("group_states").items)
    distances = int(np.diff(groups).max())
    file.distances.expect(0 < distances <= _MOST_DISTANCES, "its groups do not follow each other")
    return distances


def count_table(
    order: Order, meanings: Meanings, kinds_at: KindsAt, *, threads: int | None = None
) -> Counts:
    """Count the kinds of all positions; `kinds_at` gives those of the places of a run."""
    workers = threads or os.cpu_count() or 1
    # The threads share one iterator of a list, which gives each run once.
    runs = iter(list(_runs(order)))

    def count(_: int) -> Counts:
        return _counted(order, meanings, kinds_at, runs)

    with ThreadPoolExecutor(workers) as pool:
        return total_of(list(pool.map(count, range(workers))))


def _counted(order: Order, meanings: Meanings, kinds_at: KindsAt, runs: Iterator[range]) -> Counts:
    """The counts of some runs: of whole blocks, or of a part of White's plane and Black's."""
    layout = order.layout
    plane = order.plane_places
    counts = no_counts(len(meanings.entry), layout)
    rows = np.zeros((2, len(layout.slots)), np.int64)
    for run in runs:
        first_block, first = divmod(run.start, 2 * plane)
        if len(run) < plane:
            white = kinds_at(run.start, run.stop)
            black = kinds_at(run.start + plane, run.stop + plane)
            men = men_of(layout, first_block)
            count_places(men, first_block, first, white, black, meanings, counts, rows)
        else:
            # [block of the run, side, place of its plane]
            planes = kinds_at(run.start, run.stop).reshape(-1, 2, plane)
            for block, (white, black) in enumerate(planes, first_block):
                men = men_of(layout, block)
                count_places(men, block, first, white, black, meanings, counts, rows)
    return counts


def _runs(order: Order) -> Iterator[range]:
    """Runs of places that have all planes of White: whole blocks, or parts of large planes.

    They are whole chunks if chunks are smaller than a plane, so that no chunk is unpacked twice.
    """
    plane = order.plane_places
    cells = order.layout.cells
    most = _CHUNKS * order.chunk_cells
    if plane > most:
        for begin in range(0, cells, 2 * plane):
            end = begin + plane
            for start in range(begin, end, most):
                yield range(start, min(start + most, end))
    else:
        blocks = max(1, most // (2 * plane))
        step = blocks * 2 * plane
        for start in range(0, cells, step):
            yield range(start, min(start + step, cells))


# counts[number of the entry value, plies, placements or classes]
def _by_outcome(entries: Ints, counts: Ints) -> dict[Score, Count]:
    """The number of positions with each outcome that occurs, best for White first."""
    by_outcome = {}
    for byte, pair in zip(entries.tolist(), counts.sum(axis=1), strict=True):
        count = count_of(pair)
        if count.placements:
            by_outcome[Score.from_signed(byte)] = count
    return dict(sorted(by_outcome.items(), reverse=True))


def _side_of(file: TableFile, side: Color, entries: Ints, counts: Ints) -> SideRecord:
    """The counts of a side to move, and for each outcome a position with its longest distance.

    VerificationError if the tallies of the file differ from its cells.
    """
    total = count_of(counts.sum(axis=(0, 1)))
    tallies = file.counts[side]
    longest_in_file = {} if file.outcomes_only else file.longest
    outcomes = dict[Score, OutcomeRecord]()
    for outcome, count in _by_outcome(entries, counts).items():
        (by_plies,) = counts[entries == outcome.signed]
        distances = tuple(np.trim_zeros(by_plies[:, CLASSES], "b").tolist())
        most_plies = len(distances) - 1
        longest = None
        is_as_said = tallies.get(outcome) == count.placements
        if file.outcomes_only:
            distances = ()
        else:
            dtg, fen, _ = longest_in_file.get((side, outcome), (None, "", None))
            longest = Longest(most_plies, fen, None)
            is_as_said &= dtg == most_plies
        if not is_as_said:
            raise VerificationError(
                str(file.material),
                f"its tally of {outcome} with {side} to move is not what its cells hold",
            )
        outcomes[outcome] = OutcomeRecord(
            count.placements,
            count.classes,
            share=round(count.placements / total.placements, 6),
            distances=distances,
            longest=longest,
        )
    return SideRecord(total, outcomes)


def count_of(pair: npt.ArrayLike) -> Count:
    """Placements and classes in an array."""
    return Count(*np.asarray(pair).tolist())


# pairs[row of the outcome with White to move, the same with Black to move, played for, placements
# or classes]
def _zugzwangs(file: TableFile, counts: Counts) -> Zugzwangs:
    """The mutual zugzwangs by kind, and the longest."""
    played = counts.pairs[:, :, 1]
    every = counts.pairs.sum(axis=2)
    white_mates = row_of_byte(Score(MATE_CODE, Color.WHITE).signed)
    black_mates = row_of_byte(Score(MATE_CODE, Color.BLACK).signed)
    # White mates if Black has to move, or Black if White has to; both are counted twice.
    mates = (
        every[:, white_mates].sum(axis=0)
        + every[black_mates].sum(axis=0)
        - every[black_mates, white_mates]
    )
    played_for = None
    holders = None
    if not file.outcomes_only:
        played_for = count_of(played.sum(axis=(0, 1)))
        holders = count_of(played[:NO_OUTCOME_ROW, NO_OUTCOME_ROW:].sum(axis=(0, 1)))
    return Zugzwangs(
        all=count_of(every.sum(axis=(0, 1))),
        played=played_for,
        mates=count_of(mates),
        holders=holders,
        longest=_longest_zugzwang(file, counts.longest),
    )


def _longest_zugzwang(file: TableFile, longest: Ints) -> Waiting | None:
    """The mutual zugzwang at the place in `Counts.longest`; None without one."""
    _, shorter_distance, minus_block, minus_place = longest.tolist()
    if shorter_distance < 0:
        return None
    order = file.order
    plane = order.plane_places
    block = -minus_block
    white_place = block * 2 * plane - minus_place
    black_place = white_place + plane
    (cell,) = order.cells_of(np.array([white_place])).tolist()
    return Waiting(
        fen_of_cell(order.layout, cell),
        white=_value_at(file, white_place),
        black=_value_at(file, black_place),
    )


def _value_at(file: TableFile, place: int) -> OutcomeAt:
    """The entry value of a place, and its distance."""
    entries = file.entries(place, place + 1)
    _, distances = file.symbols_and_dtg(place, place + 1)
    return OutcomeAt(Score.from_signed(int(entries[0])), int(distances[0]))


def record_of(folders: Folders, material: TableMaterial) -> Record:
    """The record of a table in one of the folders, with its lines and its sharpness, which need the
    tables that it leads to.

    A replay proves every line.
    """
    where = folders_in(folders)
    with (
        opened(path_in(where, material)) as file,
        Tablebase(where, mobility=mobility_of(where[0]), missing_ok=True) as tables,
    ):
        record = census_of(file)
        sides = {}
        for side, side_record in record.sides.items():
            sides[side] = _with_lines(file, side_record, tables)
    sharpness = None
    if mobility_of(where[0]).forgets:
        sharpness = sharpness_in(where, material, sampled=sample_of(material))
    return replace(record, sides=sides, sharpness=sharpness)


def keep_records(
    folder: Path,
    wanted: Sequence[TableMaterial],
    threads: int,
    tell: Callable[[TableMaterial], None],
) -> None:
    """Count tables of a folder without lines, and write their records into it.

    `tell` receives each table first.
    """
    remove_partials(folder / FOLDER)
    for material in wanted:
        tell(material)
        write_record(folder / FOLDER, census_in(folder, material, threads))


def _with_lines(file: TableFile, side: SideRecord, tables: Tablebase) -> SideRecord:
    """A side with best play from the position with the longest distance of each outcome, proved by
    replay.
    """
    outcomes = dict(side.outcomes)
    for outcome, record in side.outcomes.items():
        if record.longest is None:
            continue
        fen = record.longest.fen
        dtg = record.longest.dtg
        moves = [step.san for step in tables.line(parse_fen(fen)[0], max_plies=dtg)]
        if not replay(fen, moves, tables.mobility).proves(outcome, dtg):
            raise VerificationError(
                str(file.material),
                f"best play from {fen} does not reach {outcome} in {in_plies(dtg)}",
            )
        outcomes[outcome] = replace(record, longest=Longest(dtg, fen, " ".join(moves)))
    return SideRecord(side.positions, outcomes)
