"""Making a record: a table counted, its longest lines played, and the lines proved by playing them once more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from tbgen.apps.records.census import census_of
from tbgen.apps.records.record import FOLDER, Longest, Record, SideRecord, replay, write_record
from tbgen.errors import VerificationError
from tbgen.material import Material
from tbgen.probe import Tablebase, open_tablebase
from tbgen.rules.notation import parse_fen
from tbgen.storage.files import Folders, folders_in, game_of_folder, path_in, path_of, remove_partials
from tbgen.storage.reader import TableFile
from tbgen.text import in_plies


def record_of(folders: Folders, material: Material) -> Record:
    """The record of a table in one of the folders, with its lines; they need the tables that it leads to.

    Every line is played and found to keep its promise.
    """
    where = folders_in(folders)
    with (
        TableFile(path_in(where, material)) as file,
        open_tablebase(where, game=game_of_folder(where[0])) as tables,
    ):
        made = census_of(file)
        return replace(made, sides={side: _with_lines(file, part, tables) for side, part in made.sides.items()})


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
