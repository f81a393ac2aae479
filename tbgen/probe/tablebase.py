"""The tablebase that users open."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import chess
import numpy.typing as npt

from tbgen.errors import (
    NO_TABLE,
    MaterialError,
    MissingTableError,
    UsageError,
    expect_number,
)
from tbgen.material import Material
from tbgen.probe.answers import At, LineStep, Moves, Probe
from tbgen.probe.by_moves import ProvedByMoves, proved_by_moves
from tbgen.probe.many import BulkProbe
from tbgen.probe.opened import OpenTables
from tbgen.probe.values import Position, Query, TableValues
from tbgen.rules.notation import refuse_illegal
from tbgen.rules.position import accruable, bare_sides
from tbgen.score import Mobility, Score, expect_mobility
from tbgen.storage.files import (
    Folders,
    check_folders,
    folder_for,
    folder_with,
    folders_in,
    tables_of,
)
from tbgen.text import counted

if TYPE_CHECKING:  # single probes do not load the code for many
    from tbgen.probe.bulk import ManyAccrued
    from tbgen.probe.whole import TablePart

D = TypeVar("D")


def is_named(folders: Folders | None) -> bool:
    """Whether a program or its user chose the folders; nobody needs to make the default one."""
    return folders is not None or bool(os.environ.get("TBGEN_DATA"))


def folders_of(named: Folders | None, mobility: Mobility) -> tuple[Path, ...]:
    """The folders of a mobility's tables: those given, else those of $TBGEN_DATA, else `data`."""
    if named is None:
        named = os.environ.get("TBGEN_DATA") or "data"
    return tuple(folder_for(folder, mobility) for folder in folders_in(named))


class Tablebase(AbstractContextManager["Tablebase"]):
    """The tables of one or more folders, opened when you first need them.

    For use in a `with` statement.

    Many threads may use it. You may pickle it for other processes, which open the same tables.
    It keeps an open table even if the file is replaced; of more tables than the process may have
    open files, it opens files again, and refuses those that were replaced. `tables[position]` is
    `tables.probe(position)`.

    Arguments:
        folders: A path, a sequence of paths, or a text with `os.pathsep` between paths. Without it,
            $TBGEN_DATA, else `data`. The first folder that has a table counts. Tables of two and
            three men come with tbgen, after all of these.
        mobility: "r-mobility" or "whole-game". Tables of whole-game mobility are in a subfolder
            `whole-game`.
        cache_bytes: The most memory for unpacked parts of tables.
        outcomes_only: Ignore distances. Every answer is faster, and its `dtg` is None.
        compiled: Load kernels at once, as `load_kernels` does.
        missing_ok: Accept missing folders; they may appear later.

    Raises:
        MissingFolderError: A folder that is named does not exist.

    >>> with Tablebase([".", ".."]) as tables:
    ...     "KRPvKR" in tables, tables.get("8/5k2/8/4RKPr/8/8/8/8 b - - 0 1", default="no table")
    (False, 'no table')

    With tables:

    >>> import tempfile
    >>> from tbgen.library.build import build_tables
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = build_tables(["KBvK"], folder)
    ...     with Tablebase(folder) as tables:
    ...         fen = "8/8/4K3/5Bk1/8/8/8/8 w - - 33 30 G4.0"
    ...         corner = "8/8/8/8/8/1K6/8/kB6 b - - 0 1"
    ...         tables.probe(fen)
    ...         tables.probe_moves(fen)[1], tables.probe_moves(fen).best
    ...         [step.san for step in tables.line(fen, max_plies=3)]
    ...         [str(probe) for probe in tables.probe_every_accrued(corner)]
    ...         len(tables.available()), tables.max_men
    ...         tables.probe_arrays("KBvK", True, [[44, 37, 38]], accrued="G4.0").outcome.tolist()
    <Probe KBvK: G1.5 in 5 plies>
    (<MoveProbe Be4 G1.5 in 27 plies>, [<MoveProbe Ke5 G1.5 in 5 plies>])
    ['Ke5', 'Kh5', 'Kf4']
    ['G3.5 in 2 plies', 'G3.5 in 2 plies', 'G3.5 in 2 plies']
    (6, 3)
    [4]
    >>> tables.close()  # again: `with` has closed it
    """

    def __init__(
        self,
        folders: Folders | None = None,
        *,
        mobility: Mobility | str = Mobility.RESET,
        cache_bytes: int = 1 << 26,
        outcomes_only: bool = False,
        compiled: bool = False,
        missing_ok: bool = False,
    ) -> None:
        self.mobility = expect_mobility(mobility)
        self.folders = folders_of(folders, self.mobility)
        if is_named(folders) and not missing_ok:
            check_folders(self.folders)
        most_bytes = expect_number(cache_bytes, "cache_bytes", 0)
        self._tables = OpenTables(self.folders, most_bytes, outcomes_only=outcomes_only)
        self._values = TableValues(self._tables, self.mobility)
        if compiled:
            self.load_kernels()
        self._again = partial(
            type(self),
            self.folders,
            mobility=self.mobility,
            cache_bytes=most_bytes,
            outcomes_only=outcomes_only,
            compiled=compiled,
            missing_ok=True,
        )

    def __reduce__(self) -> tuple[partial[Tablebase], tuple[()]]:
        return self._again, ()

    def __exit__(self, *error: object) -> None:
        self.close()

    def load_kernels(self) -> None:
        """Find moves by compiled code from now on; without it, everything is plain Python.

        Lists of moves then take about half of the time. Loading takes half a second and
        110 MB, and some seconds more if nothing is compiled yet. Other threads may ask meanwhile.

        >>> with Tablebase("nowhere", missing_ok=True) as tables:
        ...     tables.load_kernels()
        """
        self._values.load_kernels()

    def close(self) -> None:
        """Close all files.

        A running call in another thread returns an answer or raises a UsageError.
        """
        self._tables.close()

    def __repr__(self) -> str:
        men = [material.men for material in self.available()]
        tables = "no tables"
        if men:
            tables = f"{counted(len(men), 'table', 'tables')} of {men[0]} to {men[-1]} men"
        closed = ", closed" if self._tables.closed else ""
        return f"<{type(self).__name__} of {self._tables.named}: {tables}{closed}>"

    def __contains__(self, what: object) -> bool:
        """Whether there is a table that answers for a material, its name or a board."""
        try:
            if isinstance(what, chess.Board):
                return self._tables.has_table_for(what)
            if isinstance(what, str):
                material = Material.parse(what, self._tables.own)
            elif isinstance(what, Material):
                material = what
            else:
                return False
            folder_with(self._tables.folders, material.canonical())
        except (MaterialError, MissingTableError):  # boards need one king a side to have a material
            return False
        return set(material.own) <= set(self._tables.own)

    def available(self) -> list[Material]:
        """The materials of the tables in the folders.

        Returns:
            Materials in canonical form, those with the fewest men first.
        """
        return [material for material, _ in tables_of(self._tables.folders)]

    @property
    def max_men(self) -> int:
        """The number of men of the largest table, kings included; 0 without tables."""
        return max((material.men for material in self.available()), default=0)

    def __getitem__(self, position: Position) -> Probe:
        """The value of a position, as `probe` finds it."""
        return self.probe(position)

    def probe(self, position: Position, accrued: Score | str | None = None) -> Probe:
        """The value of a position.

        Arguments:
            position: A board or a FEN of a legal position without castling rights.
            accrued: The accrued score. Without it, the FEN's seventh field counts, or the moves on
                the board since its last reset, or else the position's own score.

        Returns:
            The outcome of best play and the plies to it.

        Raises:
            MissingTableError: The table of the position, or one that a capture en passant leads to,
                is missing.
            TooManyMenError: The position has more men than tables have.
            CastlingError: The position has castling rights.
            FenError: The text is not a FEN.
            IllegalPositionError: The position breaks a rule of chess.
            AccruedError: No game can carry this accrued score into the position.

        >>> with Tablebase("nowhere", missing_ok=True) as tables:  # doctest: +ELLIPSIS
        ...     tables["8/8/8/4KBk1/8/7n/8/8 b - - 0 1"]
        Traceback (most recent call last):
        tbgen.errors.MissingTableError: no table KBvKN in nowhere; build it with: ...
        """
        query = self._values.query(position, accrued)
        return self._probe_of(query, query.board.copy(stack=False))

    def _probe_of(self, query: Query, snapshot: chess.Board) -> Probe:
        outcome, dtg = self._values.value(query)
        at = At(snapshot, query.carried, query.counted, query.count_own, self.probe_moves)
        return Probe(outcome, dtg, query.table.material, at=at)

    def get(
        self, position: Position, accrued: Score | str | None = None, default: D | None = None
    ) -> Probe | D | None:
        """The value of a position, or a default if tables cannot answer.

        Arguments:
            position: As for `probe`.
            accrued: As for `probe`.
            default: The answer for a missing table, too many men or castling rights.

        Returns:
            The answer of `probe`, or `default`.

        Raises:
            FenError: The text is not a FEN.
            IllegalPositionError: The position breaks a rule of chess.
            AccruedError: No game can carry this accrued score into the position.
        """
        try:
            return self.probe(position, accrued)
        except NO_TABLE:
            return default

    def prove(self, position: Position, accrued: Score | str | None = None) -> ProvedByMoves:
        """What moves and replies prove of a position that no table has.

        Captures and promotions lead to tables, which bound the value, or prove it.

        Arguments:
            position: As for `probe`, of chess's own men. It may have more men and castling rights.
            accrued: As for `probe`.

        Returns:
            Bounds of the value and of each move; equal bounds prove a value.

        Raises:
            FenError: The text is not a FEN.
            IllegalPositionError: The position breaks a rule of chess.
            AccruedError: No game can carry this accrued score into the position.

        >>> with Tablebase("nowhere", missing_ok=True) as tables:
        ...     proof = tables.prove("8/8/4k3/8/3Rr3/8/2K5/8 w - - 4 60")
        >>> proof.is_exact, str(proof.bounds.least), proof.moves[0].san
        (True, 'G0.0', 'Rxe4+')
        """
        board, carried = self._values.read(position, accrued)
        refuse_illegal(board)
        return proved_by_moves(self, board, carried)

    def probe_every_accrued(self, position: Position) -> list[Probe]:
        """The value of a position with each possible accrued score.

        Arguments:
            position: As for `probe`.

        Returns:
            Answers, the best accrued score for White first. No accrued score is above the
            position's own.

        Raises:
            MissingTableError: As for `probe`, which may raise its other errors too.
        """
        query = self._values.query(position, None)
        snapshot = query.board.copy(stack=False)
        scores = accruable(query.own(), bare_sides(query.board, self.mobility))
        return [self._probe_of(replace(query, carried=score), snapshot) for score in scores]

    def probe_moves(self, position: Position, accrued: Score | str | None = None) -> Moves:
        """The value of each legal move.

        Arguments:
            position: As for `probe`.
            accrued: As for `probe`.

        Returns:
            Moves, best first. Among moves with the same outcome, the shortest comes first for the
            side that makes progress, and the longest for the other side. `best` of them are best
            play: the best outcome at the right distance. Without distances, a move that keeps the
            outcome may make no progress, so only a move that alone keeps it is best play.

        Raises:
            MissingTableError: As for `probe`; also a table that a capture or a promotion leads to.
        """
        return self._values.moves(self._values.query(position, accrued))

    def line(
        self, position: Position, accrued: Score | str | None = None, *, max_plies: int = 2000
    ) -> list[LineStep]:
        """Best play until the goal is reached and the position repeats, or the game ends.

        Arguments:
            position: As for `probe`.
            accrued: As for `probe`.
            max_plies: The most moves to return.

        Returns:
            The moves of the line, each with the scores and the value after it.

        Raises:
            MissingTableError: As for `probe_moves`.
            MissingDistancesError: A table on the way has outcomes alone.
        """
        expect_number(max_plies, "max_plies", 0)
        return self._values.line(self._values.query(position, accrued), max_plies)

    def probe_many(
        self, positions: Iterable[Position], *, accrued: ManyAccrued = None
    ) -> BulkProbe:
        """The values of many positions at once, each the same as `probe` gives.

        Arguments:
            positions: Boards and FENs.
            accrued: A score for all positions, or one for each. None stands for the score that
                `probe` would take. Numbers as in `BulkProbe.outcome` work too, with 0 for the
                position's own score.

        Returns:
            The values. `BulkProbe.fault` gives the reason for each position without an answer.

        Raises:
            UsageError: The arguments or their lengths do not fit each other.

        >>> positions = [chess.Board(), "8/5k2/8/4RKPr/8/8/8/8 b - - 0 1", "nonsense"]
        >>> with Tablebase(".") as tables:
        ...     many = tables.probe_many(positions)
        >>> [str(many.fault_of(number)) for number in range(len(many))]
        ['too many men', 'missing table', 'unreadable']
        """
        from tbgen.probe.bulk import answer_positions

        if isinstance(positions, (str, chess.Board)) or not isinstance(positions, Iterable):
            raise UsageError(f"positions must be many boards or FENs, not {positions!r}")
        return answer_positions(self._values, list(positions), accrued)

    def probe_arrays(
        self,
        material: Material | str,
        white_to_move: npt.ArrayLike,
        squares: npt.ArrayLike,
        *,
        accrued: ManyAccrued = None,
    ) -> BulkProbe:
        """The values of many positions of one material, where no pawn may take en passant.

        Arguments:
            material: The material or its name.
            white_to_move: A truth value for all positions, or a list with a value for each.
            squares: For each position the squares of its men (a1 = 0 to h8 = 63), in the order of
                the name: for "KBvK" the white king, the bishop, the black king.
            accrued: As for `probe_many`.

        Returns:
            The values, as `probe_many` gives them.

        Raises:
            MissingTableError: The table of the material is missing.
            MaterialError: The text names no material.
            UsageError: The arguments or their lengths do not fit each other.
        """
        from tbgen.probe.bulk import answer_arrays

        if isinstance(material, str):
            material = Material.parse(material, self._tables.own)
        return answer_arrays(self._values, material, white_to_move, squares, accrued)

    def positions(self, material: Material | str, *, cells: int = 1 << 20) -> Iterator[TablePart]:
        """All positions of a table as arrays, part by part, for statistics of your own.

        Positions that are the same by symmetry come once. Their `weight` says how many placements
        of labelled men they stand for. No pawn may take en passant in them.

        Arguments:
            material: The material or its name, with the weaker side first as well: colours,
                squares and outcomes are those of the name, as in `probe_arrays`.
            cells: How many cells of the table to read at once. About a half to two thirds of
                them are positions.

        Returns:
            An iterator of parts, each with arrays of equal length.

        Raises:
            MissingTableError: The table of the material is missing.
            MaterialError: The text names no material.
            UsageError: `cells` is less than 1.

        >>> with Tablebase("nowhere", missing_ok=True) as tables:  # doctest: +ELLIPSIS
        ...     sum(part.weight.sum() for part in tables.positions("KBvKN"))
        Traceback (most recent call last):
        tbgen.errors.MissingTableError: no table KBvKN in nowhere; build it with: ...
        """
        from tbgen.probe.whole import parts_of

        if isinstance(material, str):
            material = Material.parse(material, self._tables.own)
        expect_number(cells, "cells", 1)
        table = self._tables.table(material)
        return parts_of(table.file, material, cells, with_distances=table.knows_distances)


open_tablebase = Tablebase
"""The name under which python-chess opens tables."""
