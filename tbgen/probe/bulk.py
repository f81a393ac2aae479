"""Many positions as arrays, sorted by the tables that answer them.

Each value is that of a single probe.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias

import chess
import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Bools, Ints
from tbgen.errors import (
    AccruedError,
    CastlingError,
    FenError,
    IllegalPositionError,
    MissingTableError,
    ScoreFormatError,
    TbgenError,
    TooManyMenError,
    UsageError,
)
from tbgen.index.bulk import are_in_scope, are_legal, cells_of
from tbgen.index.layout import Layout
from tbgen.index.outcomes import are_white, codes_of, signed_of
from tbgen.index.placements import Slot
from tbgen.material import Material
from tbgen.men import number_of
from tbgen.probe.many import BulkProbe, Fault
from tbgen.probe.opened import RANK_FLIP, squares_on
from tbgen.probe.stored import StoredTable
from tbgen.probe.values import Position, TableValues
from tbgen.rules.position import own_score, why_not_accrued
from tbgen.score import MOST_CODE, Color, Score, expect_score

ManyAccrued: TypeAlias = Score | str | Iterable[Score | str | None] | npt.ArrayLike | None
"""Accrued scores: one for all positions or one for each, perhaps as signed numbers."""

_FAULTS: Final[dict[type[TbgenError], Fault]] = {
    IllegalPositionError: Fault.ILLEGAL,
    CastlingError: Fault.CASTLING,
    TooManyMenError: Fault.TOO_MANY_MEN,
    MissingTableError: Fault.MISSING_TABLE,
    AccruedError: Fault.ACCRUED,
    FenError: Fault.UNREADABLE,
    ScoreFormatError: Fault.UNREADABLE,
}

_FEW = 3000
"""Below this number, counting one by one is faster than loading the compiler."""


def _no_answers(count: int) -> BulkProbe:
    outcome = np.zeros(count, np.int8)
    dtg = np.full(count, np.nan, np.float32)
    return BulkProbe(outcome, dtg, np.zeros(count, np.uint8))


def answer_arrays(
    values: TableValues,
    material: Material,
    white_to_move: npt.ArrayLike,
    squares: npt.ArrayLike,
    accrued: ManyAccrued,
) -> BulkProbe:
    men = _whole_numbers(squares, "squares", 0, 63, "squares are numbers from 0 (a1) to 63 (h8)")
    men = men.reshape(-1, material.men) if men.size == 0 else np.atleast_2d(men)
    if men.ndim != 2 or men.shape[1] != material.men:
        raise UsageError(
            f"{material} needs {material.men} squares a position, not an array of shape {men.shape}"
        )
    turns = np.asarray(white_to_move)
    if turns.size and turns.dtype != np.bool_:
        raise UsageError(
            f"white_to_move must be truth values, such as board.turn, not {turns.dtype}"
        )
    sides = np.where(_for_each(turns, len(men), "white_to_move"), 0, 1)
    numbers = accrued_numbers(accrued, len(men))
    table = values.tables.table_for(material, has_pair=material.may_have_pairs)
    flipped = not material.is_canonical
    men = men[:, columns_of_slots(material, table.layout, flipped=flipped)]
    return _answer(values, table, flipped, Positions(sides, men, numbers))


def answer_positions(
    values: TableValues, positions: Sequence[Position], accrued: ManyAccrued
) -> BulkProbe:
    """The values of boards and FENs, whatever their materials."""
    answers = _no_answers(len(positions))
    given = accrued_numbers(accrued, len(positions))
    groups = defaultdict[tuple[StoredTable, bool], _Group](_Group)
    for number, position in enumerate(positions):
        try:
            board, carried = values.read(position, None)
            answering = values.answering(board)
            signed = int(given[number])
            if accrued is None and carried is not None:
                signed = carried.signed
            if board.ep_square is not None:
                score = Score.from_signed(signed) if signed else None
                outcome, dtg = values.value(values.query(board.copy(stack=False), score))
                answers.outcome[number] = outcome.signed
                answers.dtg[number] = np.nan if dtg is None else dtg
                continue
        except tuple(_FAULTS) as error:
            answers.fault[number] = _FAULTS[type(error)]
            continue
        group = groups[answering.table, answering.flipped]
        group.numbers.append(number)
        group.sides.append(0 if board.turn else 1)
        group.squares.append(squares_on(board, answering.pieces))
        group.accrued.append(signed)
    for (table, flipped), group in groups.items():
        part = _answer(values, table, flipped, group.positions())
        answers.outcome[group.numbers] = part.outcome
        answers.dtg[group.numbers] = part.dtg
        answers.fault[group.numbers] = part.fault
    return answers


class Positions(NamedTuple):
    """Positions of one table without a right to take en passant, as arrays."""

    sides: Ints
    """0 if White is to move, else 1."""
    squares: Ints
    """[position, slot of the layout]"""
    accrued: Ints
    """The accrued score as a signed number; 0 for the own score."""

    def turned(self) -> Positions:
        """The same positions with the colours reversed."""
        return Positions(1 - self.sides, self.squares ^ RANK_FLIP, -self.accrued)

    def part(self, rows: Ints | Bools) -> Positions:
        return Positions(self.sides[rows], self.squares[rows], self.accrued[rows])


@dataclass(slots=True)
class _Group:
    """The positions that one table answers, as they are on the boards; lists as in `Positions`."""

    numbers: list[int] = field(default_factory=list)
    sides: list[int] = field(default_factory=list)
    squares: list[list[int]] = field(default_factory=list)
    accrued: list[int] = field(default_factory=list)

    def positions(self) -> Positions:
        sides = np.array(self.sides, np.int64)
        squares = np.array(self.squares, np.int64)
        return Positions(sides, squares, np.array(self.accrued, np.int64))


def accrued_numbers(accrued: ManyAccrued, count: int) -> Ints:
    """The accrued score of each position as a signed number; one score may stand for all."""
    given: Any = accrued
    if accrued is None or isinstance(accrued, (Score, str)):
        given = [accrued]
    if isinstance(given, Iterable) and np.asarray(given).dtype.kind not in "iu":
        given = [_signed_of_one(score) for score in given]
    meaning = f"accrued must be +(code + 1) or -(code + 1) with codes up to {MOST_CODE}, or 0"
    numbers = _whole_numbers(given, "accrued", -MOST_CODE - 1, MOST_CODE + 1, meaning)
    return _for_each(numbers, count, "accrued")


def _signed_of_one(score: Any) -> int:
    """An accrued score as a signed number; 0 for None, and for NaN in its place in a frame."""
    if score is None or score != score:
        return 0
    return expect_score(score, "accrued").signed


def _whole_numbers(values: object, name: str, least: int, most: int, meaning: str) -> Ints:
    """Numbers between two bounds, both included; `meaning` describes them in the error."""
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise UsageError(f"{name} must be arrays of one length: {error}") from None
    if array.size and array.dtype.kind not in "iu":
        raise UsageError(f"{name} must be whole numbers, not {array.dtype}")
    if array.size and ((array < least) | (array > most)).any():
        raise UsageError(meaning)
    return array.astype(np.int64)


def _for_each(values: npt.NDArray[np.generic], count: int, name: str) -> Ints:
    try:
        return np.broadcast_to(values, count).astype(np.int64)
    except ValueError:
        raise UsageError(
            f"{name} must be one value or {count}, arrays of one length with squares"
        ) from None


def columns_of_slots(material: Material, layout: Layout, *, flipped: bool) -> list[int]:
    """[slot] -> the column of its man, where columns follow the material's name."""
    slots = list[int]()
    for color in Color:
        there = color.other if flipped else color
        slots += [layout.slots.index((there, kind)) for kind in material.side(color)]
    columns: list[int] = np.argsort(slots, kind="stable").tolist()
    return columns


def _answer(
    values: TableValues, table: StoredTable, flipped: bool, positions: Positions
) -> BulkProbe:
    """The values of positions of a table.

    `flipped` means that the table has the colours reversed.
    """
    if table.layout.material.own:
        raise UsageError(
            "many probes know the men of chess alone; "
            "probe positions with men of your own one by one"
        )
    if flipped:
        positions = positions.turned()
    legal = are_legal(table.layout, positions.sides, positions.squares)
    answers = _no_answers(len(legal))
    answers.fault[~legal] = Fault.ILLEGAL
    has_place = legal & are_in_scope(table.layout, positions.squares)
    answers.fault[legal & ~has_place] = Fault.MISSING_TABLE
    rows = np.flatnonzero(has_place)
    positions = positions.part(rows)
    cells = cells_of(table.layout, positions.sides, positions.squares)
    places = table.file.order.place_of(cells)
    entry, dtg = table.all_entries(places)
    answers.outcome[rows] = entry
    answers.dtg[rows] = dtg
    given = positions.accrued != 0
    _let_accrue(values, table, answers, rows[given], places[given], positions.part(given))
    if flipped:
        return replace(answers, outcome=-answers.outcome)
    return answers


def _let_accrue(
    values: TableValues,
    table: StoredTable,
    answers: BulkProbe,
    rows: Ints,
    places: Ints,
    positions: Positions,
) -> None:
    """Replace the entry values that the accrued score changes, as `StoredPosition.value` does.

    `rows` are the positions in the answers, and `places` those in the table.
    """
    slots = table.layout.slots
    bare = tuple(
        values.mobility.forgets and sum(color is side for color, _ in slots) == 1 for side in Color
    )
    accrued = positions.accrued
    holders = np.where(are_white(accrued), int(Color.WHITE), int(Color.BLACK))
    is_possible = _possible_scores(bare)[holders, codes_of(accrued)]
    is_lower = abs(answers.outcome[rows].astype(np.int64)) < abs(accrued)

    # The own score counts only here.
    unsure = np.flatnonzero(~is_lower | ~is_possible)
    rows = rows[unsure]
    places = places[unsure]
    positions = positions.part(unsure)
    accrued = positions.accrued
    is_possible = is_possible[unsure]
    codes = own_codes(slots, positions.sides, positions.squares)
    own = signed_of(positions.sides != int(Color.WHITE), codes)

    wrong = rows[~is_possible & (own != accrued)]
    answers.outcome[wrong] = 0
    answers.dtg[wrong] = np.nan
    answers.fault[wrong] = Fault.ACCRUED

    own_counts = (abs(own) < abs(accrued)) | (own == accrued)
    held = is_possible & ~own_counts & ~is_lower[unsure]
    outcome, dtg = table.all_held(places[held], accrued[held])
    answers.outcome[rows[held]] = outcome
    answers.dtg[rows[held]] = dtg


@cache
def _possible_scores(bare: tuple[bool, ...]) -> Bools:
    """[holder, code] -> whether the score can have accrued."""
    possible = np.zeros((len(Color), MOST_CODE + 1), np.bool_)
    for holder in Color:
        for code in range(MOST_CODE + 1):
            possible[int(holder), code] = why_not_accrued(Score(code, holder), bare) is None
    return possible


def board_with(slots: Sequence[Slot], side: int, squares: Sequence[int]) -> chess.Board:
    """The board with the men of the slots on their squares; halfmove clock 0."""
    pieces = dict[chess.Square, chess.Piece]()
    for square, (color, kind) in zip(squares, slots, strict=True):
        pieces[square] = chess.Piece(number_of(kind), color.chess)
    board = chess.Board(None)
    board.set_piece_map(pieces)
    board.turn = side == int(Color.WHITE)
    return board


def own_codes(slots: Sequence[Slot], sides: Ints, squares: Ints) -> Ints:
    """The own code of each legal position without en passant rights.

    Squares by slots, side 0 = White to move.
    """
    codes = np.zeros(len(squares), np.int64)
    if len(squares) <= _FEW:
        for n, (side, men) in enumerate(zip(sides.tolist(), squares.tolist(), strict=True)):
            codes[n] = own_score(board_with(slots, side, men)).code
        return codes
    from tbgen.board.board import BOARD_WORDS, KIND, TURN
    from tbgen.board.moves import codes_on

    boards = np.zeros((len(squares), BOARD_WORDS), np.uint64)
    for slot, (color, kind) in enumerate(slots):
        bits = np.left_shift(np.uint64(1), squares[:, slot].astype(np.uint64))
        boards[:, int(color)] |= bits
        boards[:, KIND + number_of(kind)] |= bits
    boards[:, TURN] = sides
    codes_on(boards, codes)
    return codes
