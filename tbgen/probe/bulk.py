"""Bulk: many positions, checked and brought into arrays, and their values, each what `Tablebase.probe` says of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple, TypeAlias

import chess
import numpy as np
import numpy.typing as npt

from tbgen.errors import AccruedError, MissingTableError, TooManyMenError, UsageError
from tbgen.index.bulk import are_legal, cells_of
from tbgen.index.layout import Layout, Slot
from tbgen.index.outcomes import are_white, codes_of, signed_of
from tbgen.material import Material, Role
from tbgen.probe.answers import BulkProbe, Fault
from tbgen.probe.stored import RANK_FLIP, UNKNOWN_DTG, StoredTable, Value
from tbgen.probe.values import has_too_many_men
from tbgen.rules.fen import broken_rule
from tbgen.rules.position import MOST_KING_CODE, accrued_of, expect_board, material_of, own_score, why_not_accrued
from tbgen.score import MOST_CODE, STALEMATE_CODE, Color, Mobility, Score, expect_score

Int64s = npt.NDArray[np.int64]
Truths = npt.NDArray[np.bool_]
Search = Callable[[chess.Board, Score | None], Value]

ManyAccrued: TypeAlias = Score | str | Sequence[Score | str | None] | npt.ArrayLike | None
"""What has accrued: one score for all positions, or one for each, also as signed numbers."""

_RANK_SIX, _RANK_THREE = 40, 16

_LARGE = MOST_KING_CODE + 1
"""From this even code on, only whether there is a check makes a difference."""

_FEW = 3000
"""So many positions are counted one by one in less time than it takes to load a compiler."""


class Asked(NamedTuple):
    """Positions of one material."""

    sides: Int64s
    """0 where White is to move, 1 where Black is."""
    squares: Int64s
    """[position, man] in the order of the material's name."""
    accrued: Int64s
    """+(code + 1) where White holds it, -(code + 1) where Black does, 0 where the position's own score counts."""
    en_passant: Int64s
    """The square behind a pawn that has just made a double step, -1 where there is none."""


def asked_of(
    material: Material,
    white_to_move: npt.ArrayLike,
    squares: npt.ArrayLike,
    accrued: ManyAccrued,
    en_passant: npt.ArrayLike | None,
) -> Asked:
    """The positions of one material that arrays describe."""
    men = _whole_numbers(squares, "squares")
    men = men.reshape(-1, material.men) if men.size == 0 else np.atleast_2d(men)
    if men.ndim != 2 or men.shape[1] != material.men:
        raise UsageError(f"{material} needs {material.men} squares a position, not an array of shape {men.shape}")
    if ((men < 0) | (men > 63)).any():
        raise UsageError("squares are numbers from 0 (a1) to 63 (h8)")
    turns = np.asarray(white_to_move)
    if turns.size and turns.dtype != np.bool_:
        raise UsageError(f"white_to_move must be truth values, such as board.turn, not {turns.dtype}")
    sides = np.where(_for_each(turns, len(men), "white_to_move"), 0, 1)
    targets = np.full(len(men), -1) if en_passant is None else _targets(en_passant, sides)
    return Asked(sides, men, accrued_numbers(accrued, len(men)), targets)


def accrued_numbers(accrued: ManyAccrued, count: int) -> Int64s:
    """One signed number a position for what has accrued in it: one score for all, or one for each."""
    if accrued is None:
        return np.zeros(count, np.int64)
    if isinstance(accrued, (Score, Score, str)):
        return np.full(count, expect_score(accrued, "accrued").signed)
    if isinstance(accrued, Sequence) and not all(isinstance(each, (int, np.integer)) for each in accrued):
        accrued = [0 if each is None else expect_score(each, "accrued").signed for each in accrued]
    numbers = _for_each(_whole_numbers(accrued, "accrued"), count, "accrued")
    if (abs(numbers) > MOST_CODE + 1).any():
        raise UsageError(f"accrued must be +(code + 1) or -(code + 1) with codes up to {MOST_CODE}, or 0")
    return numbers


def _targets(en_passant: npt.ArrayLike, sides: Int64s) -> Int64s:
    """Squares, from squares or files (0 to 7, which no en passant square is); -1 stands for none."""
    given = _for_each(_whole_numbers(en_passant, "en_passant"), len(sides), "en_passant")
    if ((given < -1) | (given > 63)).any():
        raise UsageError("en_passant must be files from 0 (a) to 7 (h), squares, or -1 for none")
    return np.where((given >= 0) & (given < 8), given + np.where(sides == 0, _RANK_SIX, _RANK_THREE), given)


def _whole_numbers(values: object, name: str) -> Int64s:
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise UsageError(f"{name} must be arrays of one length: {error}") from None
    if array.size and array.dtype.kind not in "iu":
        raise UsageError(f"{name} must be whole numbers, not {array.dtype}")
    return array.astype(np.int64)


def _for_each(values: npt.NDArray[np.generic], count: int, name: str) -> Int64s:
    """One value for each position."""
    try:
        return np.broadcast_to(values, count).astype(np.int64)
    except ValueError:
        raise UsageError(f"{name} must be one value or {count}, arrays of one length with squares") from None


class AskedBoards(NamedTuple):
    """Boards by material, and what is wrong with the others."""

    groups: dict[Material, tuple[list[int], Asked]]
    """By material as it stands: the numbers of its boards, and their positions."""
    faults: npt.NDArray[np.uint8]


def asked_boards(boards: Sequence[chess.Board], accrued: ManyAccrued, game: Mobility = Mobility.RESET) -> AskedBoards:
    """The positions of boards; without `accrued`, what the moves on each board have accrued."""
    faults = np.zeros(len(boards), np.uint8)
    numbers = accrued_numbers(accrued, len(boards))
    by_material: dict[Material, list[int]] = {}
    known: dict[tuple[int, ...], Material] = {}
    for n, each in enumerate(boards):
        board = expect_board(each, f"boards[{n}]")
        faults[n] = _fault_on(board)
        if faults[n] == Fault.NONE:
            key = tuple((men & side).bit_count() for side in board.occupied_co for men in _men(board))
            if key not in known:
                known[key] = material_of(board)
            by_material.setdefault(known[key], []).append(n)
            if accrued is None and board.move_stack and (board.halfmove_clock or not game.forgets):
                numbers[n] = accrued_of(board, game=game).signed
    groups = {
        material: (places, _asked_of_boards([boards[n] for n in places], numbers[places]))
        for material, places in by_material.items()
    }
    return AskedBoards(groups, faults)


def are_legal_boards(boards: Sequence[chess.Board], places: Sequence[int]) -> list[bool]:
    """Whether boards break no rule of chess."""
    return [broken_rule(boards[place]) is None for place in places]


def _asked_of_boards(boards: Sequence[chess.Board], accrued: Int64s) -> Asked:
    sides = np.array([not board.turn for board in boards], np.int64)
    en_passant = [-1 if board.ep_square is None else board.ep_square for board in boards]
    squares = np.array([_squares(board) for board in boards], np.int64)
    return Asked(sides, squares, accrued, np.array(en_passant, np.int64))


def _men(board: chess.Board) -> tuple[int, ...]:
    return board.kings, board.queens, board.rooks, board.bishops, board.knights, board.pawns


def _squares(board: chess.Board) -> list[int]:
    """Where the men stand, in the order of the material's name."""
    sides = (board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK])
    return [square for side in sides for men in _men(board) for square in chess.scan_forward(men & side)]


def _fault_on(board: chess.Board) -> Fault:
    """What keeps a board from being asked for; that the side to move gives check is found out later."""
    is_large = has_too_many_men(board)
    kings = (board.kings & side for side in board.occupied_co)
    if (is_large or board.castling_rights or any(men.bit_count() != 1 for men in kings)) and broken_rule(board):
        return Fault.ILLEGAL
    if is_large:
        return Fault.TOO_MANY_MEN
    return Fault.CASTLING if board.castling_rights else Fault.NONE


def answer(
    table: StoredTable, material: Material, asked: Asked, search: Search, game: Mobility = Mobility.RESET
) -> BulkProbe:
    """The values of positions; `search` finds those with a right to take en passant."""
    slots = [(color, role) for color in Color for role in material.side(color)]
    flipped = not material.is_canonical
    turned = _flipped(asked) if flipped else asked
    layout = table.layout
    men = turned.squares[:, columns_of(material, layout, flipped=flipped)]
    legal = are_legal(layout, turned.sides, men)
    takes = np.zeros(len(men), np.bool_)
    if (asked.en_passant >= 0).any():
        valid, takes = _en_passant(slots, asked)
        legal &= valid
    rows = np.flatnonzero(legal & ~takes)
    outcome, dtg = np.zeros(len(men), np.int64), np.zeros(len(men), np.int64)
    fault = np.where(legal, Fault.NONE, Fault.ILLEGAL).astype(np.uint8)
    stored = table.places_of(cells_of(layout, turned.sides[rows], men[rows]))
    outcome[rows], dtg[rows] = table.all_entries(stored)
    asking = np.flatnonzero(turned.accrued[rows])
    if len(asking):
        places = rows[asking]
        some = Asked(turned.sides[places], men[places], turned.accrued[places], turned.en_passant[places])
        outcome[places], dtg[places], fault[places] = _with_accrued(
            table, some, outcome[places], dtg[places], stored[asking], game
        )
    if flipped:
        outcome = -outcome
    for place in np.flatnonzero(legal & takes):
        outcome[place], dtg[place], fault[place] = _searched(slots, asked, int(place), search)
    return BulkProbe(outcome.astype(np.int8), dtg.astype(np.uint16), fault)


def answer_boards(
    table_of: Callable[[Material], StoredTable],
    boards: Sequence[chess.Board],
    accrued: ManyAccrued,
    search: Search,
    game: Mobility,
) -> BulkProbe:
    """The same of boards, whatever their materials."""
    asked, count = asked_boards(boards, accrued, game), len(boards)
    many = BulkProbe(np.zeros(count, np.int8), np.zeros(count, np.uint16), asked.faults)
    for material, (places, positions) in asked.groups.items():
        try:
            found = answer(table_of(material), material, positions, search, game)
        except (MissingTableError, TooManyMenError) as error:
            many.fault[places] = np.where(are_legal_boards(boards, places), _fault_of(error), Fault.ILLEGAL)
        else:
            many.outcome[places], many.dtg[places], many.fault[places] = found.outcome, found.dtg, found.fault
    return many


def _fault_of(error: MissingTableError | TooManyMenError) -> Fault:
    return Fault.MISSING_TABLE if isinstance(error, MissingTableError) else Fault.TOO_MANY_MEN


def _flipped(asked: Asked) -> Asked:
    """The same positions with the colours exchanged."""
    targets = np.where(asked.en_passant < 0, -1, asked.en_passant ^ RANK_FLIP)
    return Asked(1 - asked.sides, asked.squares ^ RANK_FLIP, -asked.accrued, targets)


def columns_of(material: Material, layout: Layout, *, flipped: bool) -> list[int]:
    """[slot] -> the column of its man when the men come in the order of the material's name."""
    men: list[Slot] = [(color, role) for color in Color for role in material.side(color)]
    columns: list[int] = []
    for color, role in layout.slots:
        wanted = (color.other if flipped else color, role)
        columns.append(next(n for n, man in enumerate(men) if man == wanted and n not in columns))
    return columns


def _with_accrued(
    table: StoredTable, asked: Asked, entry: Int64s, entry_dtg: Int64s, stored: Int64s, game: Mobility
) -> tuple[Int64s, Int64s, npt.NDArray[np.uint8]]:
    """Values where a score has accrued: the entry value, or where that is not better, what the hold is worth."""
    is_possible = _is_possible(table.layout, asked, entry, entry_dtg, game)
    fault = np.where(is_possible, Fault.NONE, Fault.ACCRUED).astype(np.uint8)
    outcome, dtg = np.where(fault == Fault.NONE, entry, 0), np.where(fault == Fault.NONE, entry_dtg, 0)
    rows = np.flatnonzero((fault == Fault.NONE) & (abs(entry) >= abs(asked.accrued)))
    codes = own_codes(table.layout.slots, asked.sides[rows], asked.squares[rows])
    own = signed_of(asked.sides[rows] != int(Color.WHITE), codes)
    accrued = asked.accrued[rows]
    held = rows[(abs(own) >= abs(accrued)) & (own != accrued)]
    outcome[held], dtg[held] = table.all_held(stored[held], asked.accrued[held])
    return outcome, dtg, fault


def _is_possible(layout: Layout, asked: Asked, entry: Int64s, entry_dtg: Int64s, game: Mobility) -> Truths:
    """Whether a phase of a game can have left these scores, or the position itself ends the game with its own."""
    bare = tuple(game.forgets and sum(color is side for color, _ in layout.slots) == 1 for side in Color)
    code, white_holds = codes_of(asked.accrued), are_white(asked.accrued)
    is_end = (code <= STALEMATE_CODE) & (entry == asked.accrued) & ((entry_dtg == 0) | (entry_dtg == UNKNOWN_DTG))
    unsure = np.flatnonzero(is_end & (entry_dtg == UNKNOWN_DTG))
    own = own_codes(layout.slots, asked.sides[unsure], asked.squares[unsure])
    is_end[unsure] = signed_of(asked.sides[unsure] != int(Color.WHITE), own) == asked.accrued[unsure]
    known = _possible_scores(bare)
    possible: Truths = is_end | known[np.where(white_holds, 0, 1), np.minimum(code, _LARGE + code % 2)]
    return possible


@cache
def _possible_scores(bare: tuple[bool, ...]) -> Truths:
    """[holder, code] -> whether the score can have accrued; larger codes are as possible as _LARGE or the next."""
    return np.array(
        [[why_not_accrued(Score(code, holder), bare) is None for code in range(_LARGE + 2)] for holder in Color]
    )


def _en_passant(slots: list[Slot], asked: Asked) -> tuple[Truths, Truths]:
    """Whether each position's right follows a double step, and whether a pawn stands beside the one that made it."""
    target, white = asked.en_passant, asked.sides == 0
    given = target >= 0
    forward = np.where(white, 8, -8)
    stepped, origin = target - forward, target + forward
    pawns = [n for n, (_, role) in enumerate(slots) if role is Role.PAWN]
    is_prey, beside = np.zeros(len(target), np.bool_), np.zeros(len(target), np.bool_)
    for n in pawns:
        square, own = asked.squares[:, n], (slots[n][0] is Color.WHITE) == white
        is_prey |= ~own & (square == stepped)
        beside |= own & (abs(square - stepped) == 1) & (square // 8 == stepped // 8)
    free = np.all((asked.squares != target[:, None]) & (asked.squares != origin[:, None]), axis=1)
    rank = np.where(white, 5, 2)
    valid = ~given | ((target // 8 == rank) & is_prey & free)
    return valid, given & beside


def _searched(slots: list[Slot], asked: Asked, place: int, search: Search) -> tuple[int, int, int]:
    """The value of one position in which a pawn may take en passant."""
    side, squares, accrued, target = (each[place].tolist() for each in asked)
    board = board_of(slots, side, squares, target)
    try:
        outcome, dtg = search(board, Score.from_signed(accrued) if accrued else None)
    except AccruedError:
        return 0, 0, int(Fault.ACCRUED)
    except (MissingTableError, TooManyMenError) as error:
        return 0, 0, int(_fault_of(error))
    return outcome.signed, UNKNOWN_DTG if dtg is None else dtg, int(Fault.NONE)


def board_of(slots: Sequence[Slot], side: int, squares: Sequence[int], en_passant: int = -1) -> chess.Board:
    """The board with the men of the slots on their squares; halfmove clock 0."""
    board = chess.Board(None)
    for (color, role), square in zip(slots, squares, strict=True):
        board.set_piece_at(int(square), chess.Piece(int(role), color is Color.WHITE))
    board.turn = side == int(Color.WHITE)
    board.ep_square = None if en_passant < 0 else int(en_passant)
    return board


def own_codes(slots: Sequence[Slot], sides: Int64s, squares: Int64s, few: int = _FEW) -> Int64s:
    """The own code of each legal position without en passant rights; squares by slots, side 0 = White to move."""
    if len(squares) > few:
        return _by_kernel(slots, sides, squares)
    positions = zip(sides.tolist(), squares.tolist(), strict=True)
    return np.array([own_score(board_of(slots, side, men)).code for side, men in positions], np.int64)


def _by_kernel(slots: Sequence[Slot], sides: Int64s, squares: Int64s) -> Int64s:
    from tbgen.board.board import BOARD_WORDS, KIND, TURN
    from tbgen.board.moves import codes_on

    boards, codes = np.zeros((len(squares), BOARD_WORDS), np.uint64), np.zeros(len(squares), np.int64)
    for slot, (color, role) in enumerate(slots):
        bits = np.left_shift(np.uint64(1), squares[:, slot].astype(np.uint64))
        boards[:, int(color)] |= bits
        boards[:, KIND + int(role)] |= bits
    boards[:, TURN] = sides
    codes_on(boards, codes)
    return codes
