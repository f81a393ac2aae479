"""Many positions as arrays, sorted by the tables that answer them. Each value is that of a single probe."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final, TypeAlias

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
from tbgen.index.bulk import are_legal, cells_of
from tbgen.index.layout import Layout, Slot
from tbgen.index.outcomes import are_white, codes_of, signed_of
from tbgen.material import Material
from tbgen.men import number_of
from tbgen.probe.many import BulkProbe, Fault
from tbgen.probe.stored import RANK_FLIP, StoredTable, squares_on
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
    return BulkProbe(
        np.zeros(count, np.int8), np.full(count, np.nan, np.float32), np.zeros(count, np.uint8)
    )


def _put(answers: BulkProbe, indices: Any, outcome: Any, dtg: Any, fault: Any = Fault.NONE) -> None:
    """Enter outcomes, distances and faults at some indices."""
    answers.outcome[indices], answers.dtg[indices], answers.fault[indices] = outcome, dtg, fault


def answer_arrays(
    values: TableValues,
    material: Material,
    white_to_move: npt.ArrayLike,
    squares: npt.ArrayLike,
    accrued: ManyAccrued,
) -> BulkProbe:
    """The values of positions of one material, given as arrays."""
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
    numbers, table = accrued_numbers(accrued, len(men)), values.tables.table(material)
    flipped = not material.is_canonical
    men = men[:, columns_of(material, table.layout, flipped=flipped)]
    return _answer(values, table, flipped, sides, men, numbers)


def answer_positions(
    values: TableValues, positions: Sequence[Position], accrued: ManyAccrued
) -> BulkProbe:
    """The values of boards and FENs, whatever their materials."""
    answers, given = _no_answers(len(positions)), accrued_numbers(accrued, len(positions))
    groups: dict[tuple[StoredTable, bool], list[tuple[Any, ...]]] = {}
    for n, position in enumerate(positions):
        try:
            board, carried = values.read(position, None)
            _, table, flipped, pieces = values.answering(board)
            number = int(given[n]) if accrued is not None or carried is None else carried.signed
            if board.ep_square is not None:
                score = Score.from_signed(number) if number else None
                outcome, dtg = values.value(values.asked(board.copy(stack=False), score))
                _put(answers, n, outcome.signed, np.nan if dtg is None else dtg)
                continue
        except tuple(_FAULTS) as error:
            answers.fault[n] = _FAULTS[type(error)]
            continue
        row = n, int(not board.turn), squares_on(board, pieces), number
        groups.setdefault((table, flipped), []).append(row)
    for (table, flipped), rows in groups.items():
        indices, *asked = (np.array(column, np.int64) for column in zip(*rows, strict=True))
        found = _answer(values, table, flipped, *asked)
        _put(answers, indices, found.outcome, found.dtg, found.fault)
    return answers


def accrued_numbers(accrued: ManyAccrued, count: int) -> Ints:
    """The accrued score of each position as a signed number, from one score for all or one for each."""
    given: Any = [accrued] if accrued is None or isinstance(accrued, (Score, str)) else accrued
    if isinstance(given, Iterable) and np.asarray(given).dtype.kind not in "iu":
        given = [
            0 if each is None or each != each else expect_score(each, "accrued").signed
            for each in given
        ]
    meaning = f"accrued must be +(code + 1) or -(code + 1) with codes up to {MOST_CODE}, or 0"
    return _for_each(
        _whole_numbers(given, "accrued", -MOST_CODE - 1, MOST_CODE + 1, meaning), count, "accrued"
    )


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
    """One value for each position."""
    try:
        return np.broadcast_to(values, count).astype(np.int64)
    except ValueError:
        raise UsageError(
            f"{name} must be one value or {count}, arrays of one length with squares"
        ) from None


def columns_of(material: Material, layout: Layout, *, flipped: bool) -> list[int]:
    """[slot] -> the column of its man, where columns follow the material's name."""
    men = [
        (color.other if flipped else color, role)
        for color in Color
        for role in material.side(color)
    ]
    return sorted(range(len(men)), key=lambda column: layout.slots.index(men[column]))


# squares[n, slot of the layout]; accrued[n] is signed, or 0 for the own score
def _answer(
    values: TableValues,
    table: StoredTable,
    flipped: bool,
    sides: Ints,
    squares: Ints,
    accrued: Ints,
) -> BulkProbe:
    """The values of positions of a table, without a right to take en passant."""
    if table.layout.material.own:
        raise UsageError(
            "many probes know the men of chess alone; probe positions with men of your own one by one"
        )
    if flipped:
        sides, squares, accrued = 1 - sides, squares ^ RANK_FLIP, -accrued
    answers, legal = _no_answers(len(sides)), are_legal(table.layout, sides, squares)
    answers.fault[~legal] = Fault.ILLEGAL
    rows = np.flatnonzero(legal)
    places = table.file.order.place_of(cells_of(table.layout, sides[rows], squares[rows]))
    _put(answers, rows, *table.all_entries(places))
    given = accrued[rows] != 0
    _let_accrue(values, table, answers, rows[given], places[given], sides, squares, accrued)
    return replace(answers, outcome=-answers.outcome) if flipped else answers


def _let_accrue(
    values: TableValues,
    table: StoredTable,
    answers: BulkProbe,
    rows: Ints,
    places: Ints,
    *asked: Ints,
) -> None:
    """Replace the entry values that the accrued score changes, as `StoredPosition.value` does."""
    layout, entry, (sides, squares, accrued) = (
        table.layout,
        answers.outcome[rows],
        (each[rows] for each in asked),
    )
    bare = tuple(
        values.mobility.forgets and sum(color is side for color, _ in layout.slots) == 1
        for side in Color
    )
    is_possible = _possible_scores(bare)[np.where(are_white(accrued), 0, 1), codes_of(accrued)]
    unsure = np.flatnonzero((abs(entry) >= abs(accrued)) | ~is_possible)
    rows, places, accrued, entry = rows[unsure], places[unsure], accrued[unsure], entry[unsure]
    sides, squares, is_possible = sides[unsure], squares[unsure], is_possible[unsure]
    own = signed_of(sides != int(Color.WHITE), own_codes(layout.slots, sides, squares))
    wrong = rows[~is_possible & (own != accrued)]
    _put(answers, wrong, 0, np.nan, Fault.ACCRUED)
    held = (
        is_possible & (abs(own) >= abs(accrued)) & (own != accrued) & (abs(entry) >= abs(accrued))
    )
    _put(answers, rows[held], *table.all_held(places[held], accrued[held]))


@cache
def _possible_scores(bare: tuple[bool, ...]) -> Bools:
    """[holder, code] -> whether the score can have accrued."""
    scores = ([Score(code, holder) for code in range(MOST_CODE + 1)] for holder in Color)
    return np.array([[why_not_accrued(score, bare) is None for score in row] for row in scores])


def board_of(slots: Sequence[Slot], side: int, squares: Sequence[int]) -> chess.Board:
    """The board with the men of the slots on their squares; halfmove clock 0."""
    board = chess.Board(None)
    men = zip(squares, slots, strict=True)
    board.set_piece_map(
        {square: chess.Piece(number_of(kind), color.chess) for square, (color, kind) in men}
    )
    board.turn = side == int(Color.WHITE)
    return board


def own_codes(slots: Sequence[Slot], sides: Ints, squares: Ints) -> Ints:
    """The own code of each legal position without en passant rights; squares by slots, side 0 = White to move."""
    if len(squares) <= _FEW:
        positions = zip(sides.tolist(), squares.tolist(), strict=True)
        return np.array(
            [own_score(board_of(slots, side, men)).code for side, men in positions], np.int64
        )
    from tbgen.board.board import BOARD_WORDS, KIND, TURN
    from tbgen.board.moves import codes_on

    boards, codes = (
        np.zeros((len(squares), BOARD_WORDS), np.uint64),
        np.zeros(len(squares), np.int64),
    )
    for slot, (color, kind) in enumerate(slots):
        bits = np.left_shift(np.uint64(1), squares[:, slot].astype(np.uint64))
        boards[:, int(color)] |= bits
        boards[:, KIND + number_of(kind)] |= bits
    boards[:, TURN] = sides
    codes_on(boards, codes)
    return codes
