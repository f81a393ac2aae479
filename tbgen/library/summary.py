"""Info: what the tables of a folder hold, in figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tbgen.errors import MissingTableError, TableError
from tbgen.library.manifest import FileRecord, read_manifest
from tbgen.material import Material
from tbgen.score import Color, Outcome
from tbgen.storage.files import path_of, tables_of
from tbgen.storage.reader import TableFile


@dataclass(frozen=True)
class Summary:
    """A table in figures; counts are over all placements of labelled men on 64 squares."""

    material: Material
    folder: Path
    version: str
    """Of the program that made the table."""
    bytes: int
    counts: Mapping[Color, Mapping[Outcome, int]]
    """By side to move, best outcome for White first."""
    longest: Mapping[tuple[Color, Outcome], tuple[int, str]]
    """The longest distance to an outcome and the FEN of a position that has it; empty if the table has no distances."""
    build: FileRecord
    """Its times are None if the table was not built in this folder."""

    @property
    def men(self) -> int:
        return self.material.men

    @property
    def positions(self) -> int:
        return sum(self.side_positions(side) for side in Color)

    def side_positions(self, side: Color) -> int:
        """Legal positions with this side to move."""
        return sum(self.counts[side].values())

    def facts(self) -> dict[str, Any]:
        """The summary as JSON has it."""
        return {
            "material": str(self.material),
            "men": self.men,
            "positions": self.positions,
            "version": self.version,
            "bytes": self.bytes,
            "seconds": self.build.wall_seconds,
            "cpu_seconds": self.build.cpu_seconds,
            "peak_bytes": self.build.peak_bytes,
            "threads": self.build.threads,
            "phases": dict(self.build.phase_seconds),
            "symmetry_left_out": False,
            "sides": {str(side).lower(): self._side_facts(side) for side in Color},
        }

    def _side_facts(self, side: Color) -> dict[str, Any]:
        outcomes = {
            str(outcome): {"count": count, "max_dtg": dtg, "fen": fen}
            for outcome, count in self.counts[side].items()
            for dtg, fen in [self.longest.get((side, outcome), (None, None))]
        }
        return {"positions": self.side_positions(side), "outcomes": outcomes}


def summary_of(folder: Path, material: Material) -> Summary:
    """The figures of one table."""
    with TableFile(path_of(folder, material)) as file:
        made = read_manifest(folder).get(str(material))
        if made is None or made.bytes != file.size:
            made = FileRecord(file.size, "")
        longest = (
            {}
            if not file.has_distances
            else {
                (side, outcome): (tally.max_dtg, file.examples[side, outcome])
                for side, tallies in file.tallies.items()
                for outcome, tally in tallies.items()
            }
        )
        return Summary(material, folder, file.attributes["generator"], file.size, file.counts, longest, made)


def summaries(folders: Sequence[Path]) -> Iterator[Summary | TableError]:
    """Every table that a probe of the folders would use, in build order, or what is wrong with it."""
    for material, folder in tables_of(folders):
        try:
            yield summary_of(folder, material)
        except MissingTableError:
            continue
        except TableError as error:
            yield error
