"""The tables of some folders, opened at their first use, and the table that answers for a board."""

from __future__ import annotations

import contextlib
import functools
import itertools
import threading
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import chess
import numpy as np

from tbgen.errors import NO_TABLE, MissingTableError, TooManyMenError, UsageError
from tbgen.index.layout import layout_of, slots_of
from tbgen.index.placements import HOW_BITS, Squares, have_pairs
from tbgen.index.reversal import reversed_pawns, reversed_plane
from tbgen.material import MOST_TABLE_MEN, Material, Scope, with_man
from tbgen.men import AnyMan, Man, Role
from tbgen.probe.stored import StoredPosition, StoredTable
from tbgen.rules.own_board import OwnBoard, kinds_on
from tbgen.rules.position import material_of, material_on
from tbgen.score import Color, Score
from tbgen.storage.files import has_file, men_of_folder, path_in
from tbgen.storage.layerfile import LayerFile
from tbgen.storage.reader import TableFile
from tbgen.table import Entries

RANK_FLIP: Final = 56
"""Turns a square upside down by an exclusive or."""

_CHUNK_BYTES = 1 << 16
"""The most bytes of nearly every unpacked chunk."""

_PIECE_TYPES = (chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN, chess.KING)

Pieces = list[tuple[chess.Color, chess.PieceType]]
"""The men of a table as python-chess has them, in the order of the slots, equal men once."""


def pieces_of(
    material: Material, kinds: Sequence[AnyMan] = tuple(Role), *, flipped: bool = False
) -> Pieces:
    """The men of a canonical material on a board.

    `kinds` are those of the board, as `kinds_on` has them. With `flipped` the board has the colours
    reversed.
    """
    pieces = Pieces()
    for (color, kind), _ in itertools.groupby(slots_of(material)):
        pieces.append((color.chess is not flipped, _PIECE_TYPES[kinds.index(kind)]))
    return pieces


def squares_on(board: chess.Board, pieces: Pieces) -> list[int]:
    men = (0, board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
    squares = list[int]()
    for color, piece_type in pieces:
        squares += chess.scan_forward(men[piece_type] & board.occupied_co[color])
    return squares


class Answering(NamedTuple):
    """A material as it stands on a board, and the table that answers for it."""

    material: Material
    table: StoredTable
    flipped: bool
    """Whether colours are reversed in the table."""
    pieces: Pieces
    """The men on the board, in the order of the table's slots."""

    def find(self, board: chess.Board) -> StoredPosition:
        """The place of a legal position of the material."""
        squares = squares_on(board, self.pieces)
        if self.flipped:
            squares = [square ^ RANK_FLIP for square in squares]
        cell = self.table.layout.cell_of(int(board.turn is self.flipped), squares)
        place = self.table.file.order.place_of(cell)
        return StoredPosition(self.table, place, flipped=self.flipped)


class Successor(NamedTuple):
    """A legal move, and facts about the position after it; python-chess alone knows none."""

    move: chess.Move
    reset: bool
    code: int | None = None
    """The code of the position after it."""
    stored: StoredPosition | None = None
    """The place of the position after it in the table that answers before the move.

    None if nothing is known, if that has other men, or if a pawn may then take en passant.
    """


class OpenTables:
    """Tables, opened at their first use, from several threads.

    The first of `folders` that has a table counts; an error of a missing one names them all.
    """

    def __init__(self, folders: Sequence[Path], cache_bytes: int, *, outcomes_only: bool) -> None:
        self.folders = folders
        self.named = ", ".join(map(str, folders))
        self.own = _men_of(folders)
        """Men of your own that the tables know."""
        self.closed = False
        self._outcomes_only = outcomes_only
        self._unpack = functools.lru_cache(max(1, cache_bytes // _CHUNK_BYTES))(LayerFile.part)
        self._tables: dict[Material, StoredTable] = {}
        self._known: dict[Hashable, Answering] = {}
        self._lock = threading.Lock()

    def close(self) -> None:
        with self._lock:
            self.closed = True
            for table in self._tables.values():
                table.file.close()
            self._tables.clear()
            self._known.clear()
            self._unpack.cache_clear()

    def table(self, material: Material) -> StoredTable:
        canonical = material.canonical()
        with self._lock:
            if self.closed:
                raise UsageError("the tablebase is closed")
            table = self._tables.get(canonical)
            if table is None:
                file = self._open(material)
                table = StoredTable(file, self._unpack, outcomes_only=self._outcomes_only)
                self._tables[canonical] = table
            return table

    def _open(self, material: Material) -> TableFile:
        canonical = material.canonical()
        try:
            file = TableFile(path_in(self.folders, canonical))
        except MissingTableError:
            # Such a table takes more memory than nearly any machine has, so none is to be built.
            if material.men > MOST_TABLE_MEN and material.scope is Scope.ALL:
                raise _too_many_men(material, has_pair=False) from None
            raise
        for stored, wanted in zip(file.material.own, canonical.own, strict=True):
            if stored != wanted:
                file.close()
                raise UsageError(
                    f"{stored.letter} moves as {stored.moves} in {file.path}, not as {wanted.moves}"
                )
        return file

    def table_for(self, material: Material, *, has_pair: bool) -> StoredTable:
        """The open table that answers for some men: the whole one, or that of their pairs.

        `has_pair` says whether the pawns have an opposed pair.
        """
        try:
            return self.table(material)
        except NO_TABLE:
            if not has_pair:
                raise
        try:
            return self.table(material.within(Scope.PAIRS))
        except MissingTableError:
            if material.men > MOST_TABLE_MEN:
                raise _too_many_men(material, has_pair=True) from None
            raise MissingTableError(str(material), self.named) from None

    def has_table_for(self, board: chess.Board) -> bool:
        """Whether there is a table that answers for the men on a board."""
        material = material_of(board)
        if not set(material.own) <= set(self.own):
            return False
        wanted = [material]
        if has_pair_on(board):
            wanted.append(material.within(Scope.PAIRS))
        return any(has_file(self.folders, scoped.canonical()) for scoped in wanted)

    def digest(self, material: Material) -> str:
        """The digest of a table's outcomes; empty if there is no table."""
        with contextlib.suppress(*NO_TABLE):
            return self.table(material).file.digest
        return ""

    def plane(
        self, material: Material, pawns: Squares, side: int, room: Entries | None = None
    ) -> Entries:
        """The entry values of a block with one side to move, in the order of the layout's cells.

        They are written into `room`, or a new array.
        """
        from tbgen.storage.planes import entries_of_plane

        file = self.table(material).file
        block = file.order.layout.address_of(pawns) >> HOW_BITS
        return entries_of_plane(file, block, side, room)

    def digest_on(self, board: chess.Board) -> str:
        """The digest of the table that answers for a position; empty if there is none."""
        material = material_on(board)
        digest = self.digest(material)
        if not digest and has_pair_on(board):
            digest = self.digest(material.within(Scope.PAIRS))
        return digest

    def digest_of_pairs(self, material: Material, pawns: Squares) -> str:
        """The digest of the table of pairs that has these pawns; empty if there is none."""
        placement = np.array([pawns], np.int64).reshape(1, len(pawns))
        if not have_pairs(slots_of(material), placement).all():
            return ""
        return self.digest(material.within(Scope.PAIRS))

    def plane_of_pairs(
        self, material: Material, pawns: Squares, side: int, room: Entries | None = None
    ) -> Entries:
        """The same from a table of pairs, whose colours may be those of the reversed position."""
        pairs = material.within(Scope.PAIRS)
        if pairs.is_canonical:
            return self.plane(pairs, pawns, side, room)
        layout = layout_of(pairs.canonical())
        pawns_there = reversed_pawns(layout, pawns)
        entries = self.plane(layout.material, pawns_there, 1 - side)
        turned = reversed_plane(layout, layout.address_of(pawns_there), entries)
        if room is None:
            return turned
        room[:] = turned
        return room

    def shares(self, material: Material) -> dict[Score, float]:
        """How common each outcome is in tables of the same pieces with fewer pawns.

        The shares of each table add up to 1. Mates are left out.
        """
        shares = dict[Score, float]()
        fewer = [material]
        while fewer:
            fewer = _with_a_pawn_less(fewer)
            for smaller in fewer:
                if not self.digest(smaller):
                    continue
                counts = list[tuple[Score, int]]()
                for side in self.table(smaller).file.counts.values():
                    counts += [(score, count) for score, count in side.items() if score.code]
                total = sum(count for _, count in counts)
                for stored, count in counts:
                    score = stored if smaller.is_canonical else stored.flipped()
                    shares[score] = shares.get(score, 0.0) + count / total
        return shares

    def known(self, board: chess.Board) -> Answering | None:
        """The table for a board, if it has already answered for the same men."""
        return self._known.get(_men_on(board))

    def answering(self, board: chess.Board) -> Answering:
        """The table that answers for a board."""
        known = self.known(board)
        if known is None:
            material = material_on(board)
            table = self.table_for(material, has_pair=has_pair_on(board))
            material = material.within(table.layout.material.scope)
            flipped = not material.is_canonical
            pieces = pieces_of(table.layout.material, kinds_on(board), flipped=flipped)
            known = Answering(material, table, flipped, pieces)
            self._known[_men_on(board)] = known
        return known


def _men_of(folders: Sequence[Path]) -> tuple[Man, ...]:
    """The men of your own in some folders.

    UsageError if two of them define a letter differently.
    """
    men = dict[str, Man]()
    folder_of = dict[str, Path]()
    for folder in folders:
        for man in men_of_folder(folder):
            known = men.setdefault(man.letter, man)
            first = folder_of.setdefault(man.letter, folder)
            if known != man:
                raise UsageError(
                    f"{man.letter} moves as {known.moves} in {first}, "
                    f"and as {man.moves} in {folder}; open the folders one by one"
                )
    return tuple(men.values())


def _too_many_men(material: Material, *, has_pair: bool) -> TooManyMenError:
    return TooManyMenError(
        str(material), material.men, MOST_TABLE_MEN, is_position=True, has_pair=has_pair
    )


def _with_a_pawn_less(materials: Sequence[Material]) -> list[Material]:
    """The materials that are left when either side loses a pawn, each once, in order."""
    fewer = dict[Material, None]()
    for material in materials:
        for color in Color:
            if Role.PAWN in material.side(color):
                fewer[with_man(material, color, Role.PAWN)] = None
    return list(fewer)


def has_pair_on(board: chess.Board) -> bool:
    """Whether a white pawn stands below a black one on the same file.

    >>> has_pair_on(chess.Board("4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1"))
    True
    >>> has_pair_on(chess.Board("4k3/4P3/8/8/8/8/4p3/4K3 w - - 0 1"))
    False
    """
    if not board.pawns:
        return False
    above_white = board.pawns & board.occupied_co[chess.WHITE]
    for ranks in (8, 16, 32):
        above_white |= above_white << ranks
    return bool(above_white & board.pawns & board.occupied_co[chess.BLACK])


def _men_on(board: chess.Board) -> Hashable:
    """The number of men of each kind and side, as one number.

    Beside it, the kinds that are not of chess. With an opposed pair of pawns the number is
    negative, as a table may hold those positions alone.
    """
    white = board.occupied_co[chess.WHITE]
    black = board.occupied_co[chess.BLACK]
    numbers = 0
    for men in (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings):
        numbers = (numbers << 8) | ((men & white).bit_count() << 4) | (men & black).bit_count()
    if isinstance(board, OwnBoard):
        return numbers, board.kinds
    if has_pair_on(board):
        return -numbers
    return numbers
