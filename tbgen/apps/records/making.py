"""Making a record: a table counted, its longest lines played, and the lines proved by replay."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from tbgen.apps.records.census import Census, Spread, Zugzwangs, census_of
from tbgen.apps.records.changing import changing_in
from tbgen.apps.records.folder import write_index, write_record
from tbgen.apps.records.lines import replay
from tbgen.apps.records.places import FOLDER, is_index_behind
from tbgen.apps.records.record import Changes, Longest, OutcomeRecord, Quiet, Record, Waiting, ZugzwangRecord
from tbgen.apps.records.stretch import MOST_MEN_STRETCHED_WHOLE, longest_stretch, stretch_of_lines
from tbgen.errors import MissingDistancesError, VerificationError
from tbgen.material import Material
from tbgen.probe import Tablebase, open_tablebase
from tbgen.rules.fen import parse_fen
from tbgen.score import Color, Outcome
from tbgen.storage.files import path_in, remove_partials
from tbgen.storage.folders import Folders, folders_in, game_of_folder
from tbgen.storage.reader import TableFile
from tbgen.text import in_plies

_MOST_MEN_CHANGED_WHOLE: Final = 3
_SAMPLE: Final = 20_000
_SEED: Final = 1

Lines = dict[tuple[Color, Outcome], Longest]


def record_of(folders: Folders, material: Material, *, lines: bool = True, threads: int | None = None) -> Record:
    """The record of a table in one of the folders; without `lines` the longest distances have a position, no moves.

    The lines need the tables that the table leads to. Every line is played and found to keep its promise.
    """
    where = folders_in(folders)
    game = game_of_folder(where[0])
    with TableFile(path_in(where, material)) as file, open_tablebase(where, game=game) as tables:
        census, played = census_of(file, threads), _lines_of(file, tables) if lines else {}
        sides = {
            side: {
                outcome: _outcome_record(spread, _longest(file, side, outcome, spread, played))
                for outcome, spread in census.spreads[side].items()
            }
            for side in Color
        }
        zugzwangs = _zugzwang_record(census.zugzwangs, tables)
        by_resets = lines and game.forgets  # a quiet stretch, and a score that counts for less after a move, are theirs
        quiet = _quiet_of(file, census, played, tables) if by_resets else None
        changes = _changes_in(where, file) if by_resets else None
        return Record(material, file.size, sides, zugzwangs, census.one_colored, quiet, changes)


def keep_records(folder: Path, wanted: Sequence[Material], threads: int, tell: Callable[[Material], None]) -> None:
    """Count tables of a folder, without their lines, and keep the records within it; `tell` hears of each one first."""
    remove_partials(folder / FOLDER)
    try:
        for material in wanted:
            tell(material)
            write_record(folder / FOLDER, record_of(folder, material, lines=False, threads=threads))
    finally:
        if is_index_behind(folder / FOLDER):
            write_index(folder / FOLDER)


def _outcome_record(spread: Spread, longest: Longest) -> OutcomeRecord:
    return OutcomeRecord(spread.count, spread.distances, longest)


def _longest(file: TableFile, side: Color, outcome: Outcome, spread: Spread, played: Lines) -> Longest:
    """The longest line to an outcome, or only where it begins."""
    tally, fen = file.tallies[side].get(outcome), file.examples.get((side, outcome), "")
    if tally is None or (tally.count, tally.max_dtg) != (spread.count.placements, len(spread.distances) - 1):
        raise VerificationError(
            str(file.material), f"its tally of {outcome} with {side} to move is not what its cells hold"
        )
    return played[side, outcome] if played else Longest(tally.max_dtg, fen, None)


def _lines_of(file: TableFile, tables: Tablebase) -> Lines:
    """Best play from where each outcome is furthest away, proved by replay."""
    lines: Lines = {}
    tallies = file.tallies
    for (side, outcome), fen in file.examples.items():
        dtg, board = tallies[side][outcome].max_dtg, parse_fen(fen)[0]
        moves = tuple(step.san for step in tables.line(board, max_plies=dtg)) if dtg else ()
        if not replay(fen, moves, tables.game).proves(outcome, dtg):
            raise VerificationError(
                str(file.material), f"best play from {fen} does not reach {outcome} in {in_plies(dtg)}"
            )
        lines[side, outcome] = Longest(dtg, fen, moves)
    return lines


def _zugzwang_record(found: Zugzwangs, tables: Tablebase) -> ZugzwangRecord:
    if found.longest is None:
        return ZugzwangRecord(found.all, found.played, found.mates, found.holders, None)
    white = tables.probe(parse_fen(found.longest)[0])
    black = tables.probe(parse_fen(found.longest.replace(" w ", " b "))[0])
    if white.dtg is None or black.dtg is None:
        raise MissingDistancesError(str(white.material), ", ".join(map(str, tables.folders)))
    waiting = Waiting(found.longest, (white.outcome, white.dtg), (black.outcome, black.dtg))
    return ZugzwangRecord(found.all, found.played, found.mates, found.holders, waiting)


def _quiet_of(file: TableFile, census: Census, played: Lines, tables: Tablebase) -> Quiet | None:
    """The longest quiet stretch: of all positions, or of the longest lines of a large table."""
    if file.material.men > MOST_MEN_STRETCHED_WHOLE:
        return stretch_of_lines(played)
    return longest_stretch(file, [spread for side in Color for spread in census.spreads[side].values()], tables)


def _changes_in(folders: Sequence[Path], file: TableFile) -> Changes:
    """Where the accrued score changes the best move: everywhere, or in a sample of a large table."""
    sample = None if file.material.men <= _MOST_MEN_CHANGED_WHOLE else _SAMPLE
    with contextlib.ExitStack() as files:

        def child_of(material: Material) -> TableFile:
            return files.enter_context(TableFile(path_in(folders, material)))

        positions, changing = changing_in(file, child_of, sample=sample, seed=_SEED)
    return Changes(positions, changing, None if sample is None else _SEED)
