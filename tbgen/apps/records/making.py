"""Making a record: a table counted, its longest lines played, and the lines proved by playing them once more."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from tbgen.apps.records.census import Spread, TableCount, census_of
from tbgen.apps.records.changing import changing_in
from tbgen.apps.records.folder import FOLDER, write_record
from tbgen.apps.records.quiet import longest_stretch
from tbgen.apps.records.record import (
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
)
from tbgen.apps.records.replay import replay
from tbgen.errors import MissingDistancesError, VerificationError
from tbgen.material import Material
from tbgen.probe import Tablebase, open_tablebase
from tbgen.rules.fen import parse_fen
from tbgen.score import Color, Score
from tbgen.storage.files import path_in, remove_partials
from tbgen.storage.folders import Folders, folders_in, game_of_folder
from tbgen.storage.reader import TableFile
from tbgen.text import in_plies

MOST_MEN_STRETCHED_WHOLE: Final = 4
_MOST_MEN_CHANGED_WHOLE: Final = 3
_SAMPLE: Final = 20_000
_SEED: Final = 1

Lines = dict[tuple[Color, Score], Longest]


def record_of(folders: Folders, material: Material, *, lines: bool = True, threads: int | None = None) -> Record:
    """The record of a table in one of the folders; without `lines` the longest distances have a position, no moves.

    The lines need the tables that the table leads to. Every line is played and found to keep its promise.
    """
    where = folders_in(folders)
    game = game_of_folder(where[0])
    with TableFile(path_in(where, material)) as file, open_tablebase(where, game=game) as tables:
        census, played = census_of(file, threads), _lines_of(file, tables) if lines else {}
        by_resets = lines and game.forgets  # a quiet stretch, and a score that counts for less after a move, are theirs
        return Record.of(
            material,
            file.size,
            {side: _side_of(file, side, spreads, played) for side, spreads in census.spreads.items()},
            zugzwangs=_zugzwangs(census, tables),
            one_colored=census.one_colored,
            quiet=_quiet_of(file, census, played, tables) if by_resets else None,
            changes=_changes_in(where, file) if by_resets else None,
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
        outcome: OutcomeRecord.of(spread, total, spread.distances, _longest(file, side, outcome, spread, played))
        for outcome, spread in spreads.items()
    }
    return SideRecord(total, outcomes)


def _longest(file: TableFile, side: Color, outcome: Score, spread: Spread, played: Lines) -> Longest:
    """The longest line to an outcome, or only where it begins."""
    tally, fen = file.tallies[side].get(outcome), file.examples.get((side, outcome), "")
    if tally is None or (tally.count, tally.max_dtg) != (spread.placements, len(spread.distances) - 1):
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
        moves = [step.san for step in tables.line(board, max_plies=dtg)] if dtg else []
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
    white, black = (tables.probe(parse_fen(each)[0]) for each in (fen, fen.replace(" w ", " b ")))
    if white.dtg is None or black.dtg is None:
        raise MissingDistancesError(str(white.material), ", ".join(map(str, tables.folders)))
    return replace(
        census.zugzwangs, longest=Waiting(fen, Value(white.outcome, white.dtg), Value(black.outcome, black.dtg))
    )


def _quiet_of(file: TableFile, census: TableCount, played: Lines, tables: Tablebase) -> Quiet | None:
    """The longest quiet stretch: of all positions, or of the longest lines of a large table."""
    if file.material.men > MOST_MEN_STRETCHED_WHOLE:
        return _stretch_of_lines(played)
    stretch = longest_stretch(file, [spread for side in Color for spread in census.spreads[side].values()], tables)
    if stretch is None:
        return None
    plies, longest = stretch
    board = parse_fen(longest.fen)[0]
    outcome = tables.probe(board).outcome
    proof = replay(longest.fen, longest.moves)
    if not proof.proves(outcome, longest.dtg) or proof.phases[0] != plies:
        reason = f"best play from {longest.fen} is not quiet for {plies} plies"
        raise VerificationError(str(file.material), reason)
    return Quiet.of(Color.of(board.turn), outcome, plies, longest, exact=True)


def _stretch_of_lines(lines: Lines) -> Quiet | None:
    """The longest stretch that one of the longest lines begins with: a proven case."""
    found = [
        Quiet.of(side, outcome, replay(line.fen, line.moves).phases[0], line, exact=False)
        for (side, outcome), line in lines.items()
        if line.dtg
    ]
    return max(found, key=lambda quiet: quiet.plies, default=None)


def _changes_in(folders: Sequence[Path], file: TableFile) -> Changes:
    """Where the accrued score changes the best move: everywhere, or in a sample of a large table."""
    sample = None if file.material.men <= _MOST_MEN_CHANGED_WHOLE else _SAMPLE
    with contextlib.ExitStack() as files:

        def child_of(material: Material) -> TableFile:
            return files.enter_context(TableFile(path_in(folders, material)))

        positions, changing = changing_in(file, child_of, sample=sample, seed=_SEED)
    return Changes(positions, changing, None if sample is None else _SEED)
