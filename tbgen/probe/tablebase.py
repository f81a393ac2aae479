"""Tablebase: what a user asks.

How a value is found (docs/tables.md): the entry value, where the accrued score is the position's own; the
entry value again, where its code is lower than both; else the hold of the accrued score, or its break.
Positions with a legal en passant capture are not in the tables: one ply of search finds their value.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Self, TypeVar, overload

import chess
import numpy as np
import numpy.typing as npt

from tbgen._folders import shipped_tables
from tbgen.arguments import expect_number
from tbgen.errors import (
    CastlingError,
    MaterialError,
    MissingDistancesError,
    MissingFolderError,
    MissingTableError,
    TooManyMenError,
    UsageError,
)
from tbgen.material import MOST_TABLE_MEN, Material, build_order
from tbgen.probe.answers import BulkProbe, Fault, LineStep, MoveProbe, Probe
from tbgen.probe.checks import check_accrued, check_position
from tbgen.probe.shelf import ChunkCache, Shelf, StoredPosition, Value
from tbgen.rules.accrual import accrued_of
from tbgen.rules.position import color_of, expect_board, is_reset, material_of, own_score
from tbgen.score import Accrued, Mobility, Outcome, expect_score
from tbgen.storage.files import folder_with, path_of, tables_of
from tbgen.storage.folders import Folders, folder_of_game, folders_in, with_shipped
from tbgen.storage.reader import TableFile
from tbgen.words import counted

if TYPE_CHECKING:  # what bulk probes need is not loaded for a single one
    from tbgen.probe.asked import ManyAccrued

D = TypeVar("D")

_CACHE_BYTES: Final = 1 << 26
_MOST_PLIES: Final = 2000
_DEFAULT_FOLDER: Final = "data"


class Tablebase:
    """The tables of one folder or several, opened when they are first needed.

    Tables that came with the program answer where these folders have none.
    Safe to use from several threads and processes. A table that is replaced while it is open goes on to answer
    as it was.

    >>> with Tablebase("a folder without tables") as tables:
    ...     "KRPvKR" in tables, tables.get(chess.Board("8/5k2/8/4RKPr/8/8/8/8 b - - 0 1"))
    (False, None)
    """

    def __init__(
        self,
        folders: Folders = _DEFAULT_FOLDER,
        *,
        game: Mobility | str = Mobility.RESET,
        cache_bytes: int = _CACHE_BYTES,
        outcomes_only: bool = False,
    ) -> None:
        self.game = Mobility.named(game)
        self.folders = tuple(folder_of_game(folder, self.game) for folder in folders_in(folders))
        self._outcomes_only = outcomes_only
        self._places = with_shipped(self.folders) if self.game.forgets else self.folders
        self._cache = ChunkCache(expect_number(cache_bytes, "cache_bytes", 0))
        self._shelves: dict[Material, Shelf] = {}
        self._known: dict[int, tuple[Material, Shelf]] = {}
        self._longest: dict[Material, int] = {}
        self._lock = threading.Lock()
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all files; whoever still asks, in whatever thread, gets an answer or a UsageError."""
        with self._lock:
            self._closed = True
            for shelf in self._shelves.values():
                shelf.file.close()
            self._shelves.clear()
            self._known.clear()
        self._cache.clear()

    def __repr__(self) -> str:
        men = [material.men for material in self]
        held = f"{counted(len(men), 'table', 'tables')} of {men[0]} to {men[-1]} men" if men else "no tables"
        where = ", ".join(map(str, self.folders))
        return f"<{type(self).__name__}: {held} in {where}{', closed' if self._closed else ''}>"

    def __bool__(self) -> bool:
        """A tablebase is one even where its folders are empty."""
        return True

    def __len__(self) -> int:
        """How many tables there are."""
        return len(self.available())

    def __iter__(self) -> Iterator[Material]:
        return iter(self.available())

    def __contains__(self, what: object) -> bool:
        """Whether there is the table that answers for a material, or for its name."""
        try:
            material = Material.parse(what) if isinstance(what, str) else what
            return isinstance(material, Material) and bool(folder_with(self._places, material.canonical()))
        except (MaterialError, MissingTableError):
            return False

    def available(self) -> list[Material]:
        """The materials whose tables there are, those with the fewest men first."""
        return [material for material, _ in tables_of(self._places)]

    def longest_distance(self, material: Material | str) -> int:
        """The longest DTG of any entry value of a table and of all that it leads to; MissingTableError without one."""
        named = Material.parse(material) if isinstance(material, str) else material
        canonical = named.canonical()
        if canonical not in self._longest:
            files = (self._shelf(each).file for each in build_order([canonical]))
            tallies = (tally for file in files for side in file.tallies.values() for tally in side.values())
            self._longest[canonical] = max(tally.max_dtg for tally in tallies)
        return self._longest[canonical]

    def probe(self, board: chess.Board, accrued: Accrued | Outcome | str | None = None) -> Probe:
        """The value of a position.

        Without `accrued`, the score is taken from the board's move stack since its last reset; the first position
        of the stack counts with its own score.
        """
        material, place = self._find(board)
        snapshot = board.copy(stack=False)
        if accrued is None and (not board.move_stack or (self.game.forgets and board.halfmove_clock == 0)):
            return Probe(material, *self._entry(board, place), snapshot, None)
        own = own_score(board)
        used = self._used(board, own, accrued)
        return Probe(material, *self._value(board, place, own, used), snapshot, used)

    def get(
        self, board: chess.Board, accrued: Accrued | Outcome | str | None = None, default: D | None = None
    ) -> Probe | D | None:
        """As `probe`, but `default` where there is no table for the position."""
        try:
            return self.probe(board, accrued)
        except (MissingTableError, TooManyMenError, CastlingError):
            return default

    def probe_moves(self, board: chess.Board, accrued: Accrued | Outcome | str | None = None) -> list[MoveProbe]:
        """What each legal move is worth, best first.

        Among moves with the same outcome the shorter way comes first if the outcome is better for the side to
        move than the accrued score, the longer way if it is worse.
        """
        self._find(board)
        moves = list(board.legal_moves)
        return self._moves(board, moves, self._used(board, own_score(board, len(moves)), accrued))

    def best_moves(self, board: chess.Board, accrued: Accrued | Outcome | str | None = None) -> list[MoveProbe]:
        """The moves of best play: those with the best outcome and, among them, the right distance.

        None where distances are not known: moves that keep the outcome may be played for ever without progress.
        """
        return [each for each in self.probe_moves(board, accrued) if each.best]

    def line(
        self, board: chess.Board, accrued: Accrued | Outcome | str | None = None, *, max_plies: int = _MOST_PLIES
    ) -> list[LineStep]:
        """Best play by both sides until the goal is reached and the position repeats, or the game ends.

        MissingDistancesError where a table on the way has none.
        """
        expect_number(max_plies, "max_plies", 0)
        self._find(board)
        score = self._used(board, own_score(board), accrued)
        walker, steps, seen = board.copy(stack=False), list[LineStep](), set[str]()
        while len(steps) < max_plies:
            moves = self._moves(walker, list(walker.legal_moves), score)
            if not moves:
                break
            if moves[0].outcome == score.outcome:
                if walker.epd() in seen:
                    break
                seen.add(walker.epd())
            if not any(each.best for each in moves):
                raise MissingDistancesError(str(material_of(walker)), ", ".join(map(str, self.folders)))
            step = _step(walker, moves, seen)
            walker.push(step.move)
            score = step.accrued
            steps.append(step)
        return steps

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
    def probe_many(self, what: Sequence[chess.Board], *, accrued: ManyAccrued = None) -> BulkProbe: ...

    def probe_many(
        self,
        what: Material | str | Sequence[chess.Board],
        white_to_move: npt.ArrayLike | None = None,
        squares: npt.ArrayLike | None = None,
        *,
        accrued: ManyAccrued = None,
        en_passant: npt.ArrayLike | None = None,
    ) -> BulkProbe:
        """The values of many positions at once, each the same as `probe` gives: of one material, or of boards.

        Of one material: `squares[n]` are the squares (a1 = 0 to h8 = 63) of the n-th position's men in the order
        of the material's name, for "KBvK" the white king, the bishop, the black king. `white_to_move` is a truth
        value a position, or one for all. `en_passant` are files (0 to 7) or squares, -1 where there is no right.

        `accrued` is one score for all, or one a position: scores (None: its own), or numbers as in `BulkProbe.outcome`,
        +(code + 1) for White, -(code + 1) for Black, 0 for the position's own. Without it the position's own score
        counts, and on a board with moves what these have accrued.

        A position without an answer does not spoil the others: `BulkProbe.fault` says what is wrong with it.

        >>> with Tablebase("a folder without tables") as tables:
        ...     many = tables.probe_many([chess.Board(), chess.Board("8/5k2/8/4RKPr/8/8/8/8 b - - 0 1")])
        >>> [str(many.fault_of(number)) for number in range(len(many))]
        ['too many men', 'missing table']
        """
        from tbgen.probe.asked import asked_of
        from tbgen.probe.bulk import answer

        named = Material.parse(what) if isinstance(what, str) else what
        if isinstance(named, Material):
            if white_to_move is None or squares is None:
                raise UsageError(f"white_to_move and squares must be given for positions of {named}")
            asked = asked_of(named, white_to_move, squares, accrued, en_passant)
            return answer(self._shelf(named), named, asked, self._value_of, self.game)
        if not isinstance(named, Sequence):
            raise UsageError(f"what must be a material such as 'KBvK', or a sequence of boards, not {what!r}")
        if not (white_to_move is None and squares is None and en_passant is None):
            raise UsageError("boards have their own squares, sides to move and rights")
        return self._many_boards(named, accrued)

    def _many_boards(self, boards: Sequence[chess.Board], accrued: ManyAccrued) -> BulkProbe:
        from tbgen.probe.asked import are_legal_boards, asked_boards
        from tbgen.probe.bulk import answer

        asked = asked_boards(boards, accrued, self.game)
        count = len(boards)
        many = BulkProbe(np.zeros(count, np.int8), np.zeros(count, np.uint16), asked.faults)
        for material, (places, positions) in asked.groups.items():
            try:
                found = answer(self._shelf(material), material, positions, self._value_of, self.game)
            except MissingTableError:
                many.fault[places] = np.where(are_legal_boards(boards, places), Fault.MISSING_TABLE, Fault.ILLEGAL)
            else:
                many.outcome[places], many.dtg[places], many.fault[places] = found.outcome, found.dtg, found.fault
        return many

    def _value_of(self, board: chess.Board, accrued: Accrued | None) -> Value:
        found = self.probe(board, accrued)
        return found.outcome, found.dtg

    def _moves(self, board: chess.Board, moves: Sequence[chess.Move], accrued: Accrued) -> list[MoveProbe]:
        """All moves, given the legal ones, with their values, best first."""
        walker, mover = board.copy(stack=False), color_of(board.turn)
        values = [_Weighed(move, *self._after(walker, move, accrued)) for move in moves]
        if not values:
            return []
        held = accrued.worth_to(mover)

        def merit(value: _Weighed) -> tuple[int, int, str]:
            good = value.outcome.worth_to(mover)
            plies = value.dtg or 0
            return -good, plies if good >= held else -plies, value.move.uci()

        values.sort(key=merit)
        best, plies = values[0].outcome, values[0].dtg
        is_known = all(value.dtg is not None for value in values if value.outcome == best)
        return [
            MoveProbe(
                move,
                outcome,
                dtg,
                reset,
                best=outcome == best and dtg == plies and is_known,
                keeps=outcome == best,
                _board=walker,
                _accrued=accrued,
                _own=own,
                _forgets=self.game.forgets,
            )
            for move, reset, own, outcome, dtg in values
        ]

    def _after(
        self, board: chess.Board, move: chess.Move, accrued: Accrued
    ) -> tuple[bool, Accrued | None, Outcome, int | None]:
        """Whether a move resets, the own score after it if that was needed, and its value from the position before."""
        reset, own = is_reset(board, move), None
        board.push(move)
        place = self._place(board)[1]
        if reset and self.game.forgets:
            outcome, dtg = self._entry(board, place)
            keeps = False
        else:
            own = own_score(board)
            reached = accrued.after(own, reset=False)
            outcome, dtg = self._value(board, place, own, reached)
            keeps = reached is accrued and outcome == accrued.outcome
        board.pop()
        return reset, own, outcome, None if dtg is None else 0 if keeps else dtg + 1

    def _entry(self, board: chess.Board, place: StoredPosition) -> Value:
        """The value of a position with its own score accrued."""
        if board.ep_square is not None and board.has_legal_en_passant():
            return self._searched(board, own_score(board))
        return place.entry()

    def _value(self, board: chess.Board, place: StoredPosition, own: Accrued, accrued: Accrued) -> Value:
        """The value of a position with an accrued score that its own score has gone into."""
        if accrued == own:
            return self._entry(board, place)
        if board.ep_square is not None and board.has_legal_en_passant():
            return self._searched(board, accrued)
        entry = place.entry()
        if entry[0].code < own.code and entry[0].code < accrued.code:
            return entry
        return place.held(accrued)

    def _searched(self, board: chess.Board, accrued: Accrued) -> Value:
        """The value of a position with a legal en passant capture."""
        outcome, dtg = (best := self._moves(board, list(board.legal_moves), accrued)[0]).outcome, best.dtg
        return outcome, 0 if outcome == accrued.outcome and dtg is not None else dtg

    def _used(self, board: chess.Board, own: Accrued, accrued: Accrued | Outcome | str | None) -> Accrued:
        """The accrued score to use."""
        if accrued is None:
            has_past = board.move_stack and (board.halfmove_clock or not self.game.forgets)
            return accrued_of(board, game=self.game) if has_past else own
        given = expect_score(accrued, "accrued")
        if given != own:
            check_accrued(board, given, self.game)
        return given.after(own, reset=False)

    def _find(self, board: chess.Board) -> tuple[Material, StoredPosition]:
        """The material of a position, and where its value lies, if it is legal and one that tables know."""
        known = self._known.get(_key_of(expect_board(board)))
        check_position(board, known is not None)
        return self._place(board)

    def _place(self, board: chess.Board) -> tuple[Material, StoredPosition]:
        """The material of a legal position, and where its value lies."""
        key = _key_of(board)
        known = self._known.get(key)
        material, shelf = known if known is not None else self._learn(key, material_of(board))
        return material, shelf.find(board, flipped=not material.is_canonical)

    def _learn(self, key: int, material: Material) -> tuple[Material, Shelf]:
        """Open a material's table, and know it by its key from now on."""
        shelf = self._shelf(material)
        with self._lock:
            if not self._closed:
                self._known[key] = material, shelf
        return material, shelf

    def _shelf(self, material: Material) -> Shelf:
        """The open table of a material."""
        canonical = material.canonical()
        if canonical.men > MOST_TABLE_MEN:
            raise TooManyMenError(str(material), material.men, MOST_TABLE_MEN)
        with self._lock:
            if self._closed:
                raise UsageError("the tablebase is closed")
            if canonical not in self._shelves:
                path = self._path_of(canonical)
                self._shelves[canonical] = Shelf(TableFile(path), self._cache, outcomes_only=self._outcomes_only)
            return self._shelves[canonical]

    def _path_of(self, material: Material) -> Path:
        """The file of a canonical material; MissingTableError names the folders that the user has named."""
        try:
            return path_of(folder_with(self._places, material), material)
        except MissingTableError:
            raise MissingTableError(str(material), ", ".join(map(str, self.folders))) from None


class _Weighed(NamedTuple):
    """A move, whether it resets, the own score after it if that was needed, and its value."""

    move: chess.Move
    reset: bool
    own: Accrued | None
    outcome: Outcome
    dtg: int | None


def _key_of(board: chess.Board) -> int:
    """How many men of each kind either side has, as one number."""
    white, black = board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK]
    key = 0
    for men in (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings):
        key = key << 8 | (men & white).bit_count() << 4 | (men & black).bit_count()
    return key


def _step(board: chess.Board, moves: Sequence[MoveProbe], seen: set[str]) -> LineStep:
    """The move to play: once the goal is reached, one that goes back to where the game has been."""
    best = [each for each in moves if each.best]
    chosen = next((each for each in best if seen and _epd_after(board, each.move) in seen), best[0])
    return LineStep(chosen.move, chosen.san, chosen.reset, chosen.own, chosen.accrued, chosen.outcome, chosen.dtg_after)


def _epd_after(board: chess.Board, move: chess.Move) -> str:
    board.push(move)
    epd = board.epd()
    board.pop()
    return epd


def open_tablebase(
    folders: Folders = _DEFAULT_FOLDER,
    *,
    game: Mobility | str = Mobility.RESET,
    cache_bytes: int = _CACHE_BYTES,
    outcomes_only: bool = False,
) -> Tablebase:
    """The tables of one folder or several, for use in a `with` statement.

    Several folders are a sequence of paths, or one text with `os.pathsep` between them, as the option SyzygyPath
    of engines has it; the first one that has a table counts. `game` is "r-mobility" or "whole-game": tables of
    whole-game mobility lie in a folder `whole-game` of each. `cache_bytes` is how much unpacked table may stay
    in memory. With `outcomes_only` distances are not read even where they are there: every answer is faster, and
    its `dtg` is None. MissingFolderError if a folder that is named is not there.

    >>> with open_tablebase([".", ".."]) as tables:
    ...     len(tables.folders), tables.get(chess.Board(), default="no table")
    (2, 'no table')
    """
    tables = Tablebase(folders, game=game, cache_bytes=cache_bytes, outcomes_only=outcomes_only)
    if folders != _DEFAULT_FOLDER or shipped_tables() is None:
        for folder in tables.folders:
            if not folder.is_dir():
                raise MissingFolderError(str(folder))
    return tables
