"""Tablebase: what a user asks."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar, overload

import chess
import numpy.typing as npt

from tbgen.errors import (
    NO_TABLE,
    MaterialError,
    MissingFolderError,
    MissingTableError,
    UsageError,
    expect_number,
)
from tbgen.material import Material, build_order
from tbgen.probe.answers import LineStep, MoveProbe, Moves, Probe
from tbgen.probe.many import BulkProbe
from tbgen.probe.stored import OpenTables
from tbgen.probe.values import Asked, Position, Values, bare_sides
from tbgen.rules.position import accruable, material_of, why_not_accrued
from tbgen.score import Mobility, Score
from tbgen.storage.files import folder_with, tables_of
from tbgen.storage.folders import Folders, folder_of_game, folders_in
from tbgen.text import counted

if TYPE_CHECKING:  # what bulk probes need is not loaded for a single one
    from tbgen.probe.bulk import ManyAccrued

D = TypeVar("D")

_CACHE_BYTES: Final = 1 << 26
_MOST_PLIES: Final = 2000


def default_folders() -> str:
    """The folders of tables where none are named: those of $TBGEN_DATA, else `data`."""
    return os.environ.get("TBGEN_DATA") or "data"


class Tablebase:
    """The tables of one folder or several, opened when they are first needed; for use in a `with` statement.

    You may use it from several threads, and send it to other processes: a pickled one opens the same tables again.
    A table that is replaced while it is open goes on to answer as it was.

    Arguments:
        folders: One path, a sequence of paths, or one text with `os.pathsep` between paths; without it, $TBGEN_DATA,
            else `data`. The first folder that has a table counts.
        game: "r-mobility" or "whole-game". Tables of whole-game mobility lie in a folder `whole-game` of each folder.
        cache_bytes: How much unpacked table may stay in memory.
        outcomes_only: Ignore distances. Every answer is faster, and its `dtg` is None.
        compiled: Find moves by kernels. Loading them takes half a second and 110 MB; lists of moves then take a third
            of the time.
        missing_ok: Accept folders that do not exist; they may appear later.

    Raises:
        MissingFolderError: A folder does not exist.

    >>> with Tablebase([".", ".."]) as tables:
    ...     "KRPvKR" in tables, tables.get("8/5k2/8/4RKPr/8/8/8/8 b - - 0 1", default="no table")
    (False, 'no table')
    """

    def __init__(
        self,
        folders: Folders | None = None,
        *,
        game: Mobility | str = Mobility.RESET,
        cache_bytes: int = _CACHE_BYTES,
        outcomes_only: bool = False,
        compiled: bool = False,
        missing_ok: bool = False,
    ) -> None:
        self.game = Mobility.named(game)
        named = folders_in(default_folders() if folders is None else folders)
        self.folders = tuple(folder_of_game(folder, self.game) for folder in named)
        for folder in () if missing_ok else self.folders:
            if not folder.is_dir():
                raise MissingFolderError(str(folder))
        most_bytes = expect_number(cache_bytes, "cache_bytes", 0)
        self._tables = OpenTables(self.folders, most_bytes, outcomes_only=outcomes_only)
        self._values = Values(self._tables, self.game, compiled=compiled)
        self._longest: dict[Material, int] = {}
        settings: dict[str, Any] = {"cache_bytes": most_bytes, "outcomes_only": outcomes_only, "compiled": compiled}
        self._again = partial(type(self), self.folders, game=self.game, missing_ok=True, **settings)

    def __reduce__(self) -> tuple[partial[Tablebase], tuple[()]]:
        return self._again, ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all files; whoever still asks, in whatever thread, gets an answer or a UsageError."""
        self._tables.close()

    def __repr__(self) -> str:
        men = [material.men for material in self]
        held = f"{counted(len(men), 'table', 'tables')} of {men[0]} to {men[-1]} men" if men else "no tables"
        where = ", ".join(map(str, self.folders))
        return f"<{type(self).__name__}: {held} in {where}{', closed' if self._tables.closed else ''}>"

    def __bool__(self) -> bool:
        """A tablebase is one even where its folders are empty."""
        return True

    def __len__(self) -> int:
        """How many tables there are."""
        return len(self.available())

    def __iter__(self) -> Iterator[Material]:
        return iter(self.available())

    def __contains__(self, what: object) -> bool:
        """Whether there is the table that answers for a material or its name, or for a board."""
        try:
            material = Material.parse(what) if isinstance(what, str) else what
            material = material_of(material) if isinstance(material, chess.Board) else material
            return isinstance(material, Material) and bool(folder_with(self._tables.folders, material.canonical()))
        except (MaterialError, MissingTableError):
            return False

    def available(self) -> list[Material]:
        """The materials whose tables there are, those with the fewest men first."""
        return [material for material, _ in tables_of(self._tables.folders)]

    @property
    def max_men(self) -> int:
        """The men of the largest table there is, kings included; 0 if there are no tables."""
        return max((material.men for material in self), default=0)

    def longest_distance(self, material: Material | str) -> int:
        """The longest DTG of any entry value of a table and of all that it leads to; MissingTableError without one."""
        named = Material.parse(material) if isinstance(material, str) else material
        canonical = named.canonical()
        if canonical not in self._longest:
            files = (self._tables.table(each).file for each in build_order([canonical]))
            tallies = (tally for file in files for side in file.tallies.values() for tally in side.values())
            self._longest[canonical] = max(tally.max_dtg for tally in tallies)
        return self._longest[canonical]

    def __getitem__(self, position: Position) -> Probe:
        """The value of a position, as `probe` finds it."""
        return self.probe(position)

    def probe(self, position: Position, accrued: Score | str | None = None) -> Probe:
        """The value of a position.

        Arguments:
            position: A board or a FEN of a legal position without castling rights.
            accrued: The accrued score. Without it, the FEN's seventh field counts, or the moves on the board since its
                last reset; the first position of the stack counts with its own score.

        Returns:
            The outcome with best play and the plies to it.

        Raises:
            MissingTableError: The table of the position, or one that a capture en passant leads to, is missing.
            TooManyMenError: The position has more men than tables have.
            CastlingError: The position has castling rights.
            IllegalPositionError: The position breaks a rule of chess.
            AccruedError: No game can carry this accrued score into the position.

        >>> with Tablebase("nowhere", missing_ok=True) as tables:
        ...     tables["8/8/8/4KBk1/8/8/8/8 b - - 0 1"]
        Traceback (most recent call last):
        tbgen.errors.MissingTableError: no table KBvK in nowhere; build it with: tbgen build KBvK --data nowhere
        """
        asked = self._values.asked(position, accrued)
        return self._probe_of(asked, asked.board.copy(stack=False))

    def _probe_of(self, asked: Asked, snapshot: chess.Board) -> Probe:
        value = self._values.value(asked)
        return Probe(asked.table.material, *value, snapshot, asked.carried, asked.counted, self.probe_moves)

    def get(self, position: Position, accrued: Score | str | None = None, default: D | None = None) -> Probe | D | None:
        """As `probe`, but `default` where there is no table for the position."""
        try:
            return self.probe(position, accrued)
        except NO_TABLE:
            return default

    def probe_every_accrued(self, position: Position) -> list[Probe]:
        """The value of a position with each score that can have accrued in it, the best score for White first.

        A score above the position's own is none of them: the own one would have taken its place.
        """
        asked = self._values.asked(position, None)
        own, snapshot, bare = asked.own(), asked.board.copy(stack=False), bare_sides(asked.board, self.game)
        return [
            self._probe_of(asked._replace(carried=accrued, counted=own), snapshot)
            for accrued in accruable(own)
            if accrued == own or why_not_accrued(accrued, bare) is None
        ]

    def probe_moves(self, position: Position, accrued: Score | str | None = None) -> Moves:
        """The value of each legal move, best first.

        Among moves with the same outcome the shorter way comes first if the outcome is better for the side to
        move than the accrued score, the longer way if it is worse. Arguments and errors are those of `probe`; a table
        that a capture or a promotion leads to may be missing too.
        """
        return self._values.moves(self._values.asked(position, accrued))

    def best_moves(self, position: Position, accrued: Score | str | None = None) -> list[MoveProbe]:
        """The moves of best play: those with the best outcome and, among them, the right distance.

        None where distances are not known: moves that keep the outcome may be played for ever without progress.
        """
        return [each for each in self.probe_moves(position, accrued) if each.best]

    def line(
        self, position: Position, accrued: Score | str | None = None, *, max_plies: int = _MOST_PLIES
    ) -> list[LineStep]:
        """Best play by both sides until the goal is reached and the position repeats, or the game ends.

        Arguments:
            position: As for `probe`.
            accrued: As for `probe`.
            max_plies: The most moves to return.

        Raises:
            MissingDistancesError: A table on the way has outcomes alone.
        """
        expect_number(max_plies, "max_plies", 0)
        return self._values.line(self._values.asked(position, accrued), max_plies)

    @overload
    def probe_many(
        self,
        what: Material | str,
        white_to_move: npt.ArrayLike,
        squares: npt.ArrayLike,
        *,
        accrued: ManyAccrued = None,
        en_passant: npt.ArrayLike | None = None,
    ) -> BulkProbe: ...

    @overload
    def probe_many(self, what: Iterable[Position], *, accrued: ManyAccrued = None) -> BulkProbe: ...

    def probe_many(
        self,
        what: Material | str | Iterable[Position],
        white_to_move: npt.ArrayLike | None = None,
        squares: npt.ArrayLike | None = None,
        *,
        accrued: ManyAccrued = None,
        en_passant: npt.ArrayLike | None = None,
    ) -> BulkProbe:
        """The values of many positions at once, each the same as `probe` gives: of one material, or of any.

        Positions of any material are boards or FENs, in whatever iterable, such as a column of a frame.

        Of one material: `squares[n]` are the squares (a1 = 0 to h8 = 63) of the n-th position's men in the order
        of the material's name, for "KBvK" the white king, the bishop, the black king. `white_to_move` is a truth
        value a position, or one for all. `en_passant` are files (0 to 7) or squares, -1 where there is no right.

        `accrued` is one score for all, or one a position: scores (None: its own), or numbers as in `BulkProbe.outcome`,
        +(code + 1) for White, -(code + 1) for Black, 0 for the position's own. Without it the position's own score
        counts, and on a board with moves or in a FEN what these say.

        A position without an answer does not spoil the others: `BulkProbe.fault` says what is wrong with it.

        >>> with Tablebase(".") as tables:
        ...     many = tables.probe_many([chess.Board(), "8/5k2/8/4RKPr/8/8/8/8 b - - 0 1", "nonsense"])
        >>> [str(many.fault_of(number)) for number in range(len(many))]
        ['too many men', 'missing table', 'unreadable']
        """
        from tbgen.probe.bulk import answer_arrays, answer_positions

        named = Material.parse(what) if isinstance(what, str) and "/" not in what else what
        if isinstance(named, Material):
            if white_to_move is None or squares is None:
                raise UsageError(f"white_to_move and squares must be given for positions of {named}")
            return answer_arrays(self._values, named, white_to_move, squares, accrued, en_passant)
        if isinstance(named, (str, chess.Board)) or not isinstance(named, Iterable):
            raise UsageError(f"what must be a material such as 'KBvK', or many boards or FENs, not {what!r}")
        if not (white_to_move is None and squares is None and en_passant is None):
            raise UsageError("with boards, omit white_to_move, squares and en_passant")
        return answer_positions(self._values, list(named), accrued)


open_tablebase = Tablebase
"""The name that python-chess has for opening tables."""
