"""Asked: many positions as a caller hands them over, brought into arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import chess
import numpy as np
import numpy.typing as npt

from tbgen.errors import UsageError
from tbgen.material import Material
from tbgen.probe.answers import Fault
from tbgen.probe.checks import has_too_many_men
from tbgen.rules.accrual import accrued_of
from tbgen.rules.fen import broken_rule
from tbgen.rules.position import expect_board, material_of
from tbgen.score import MOST_CODE, Accrued, Mobility, Outcome, expect_score

Int64s = npt.NDArray[np.int64]

ManyAccrued: TypeAlias = Accrued | Outcome | str | Sequence[Accrued | Outcome | str | None] | npt.ArrayLike | None
"""What has accrued: one score for all positions, or one for each, also as signed numbers."""

_RANK_SIX, _RANK_THREE = 40, 16


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
    if isinstance(accrued, (Accrued, Outcome, str)):
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
        faults[n] = _fault_of(board)
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


def _fault_of(board: chess.Board) -> Fault:
    """What keeps a board from being asked for; that the side to move gives check is found out later."""
    is_large = has_too_many_men(board)
    kings = (board.kings & side for side in board.occupied_co)
    if (is_large or board.castling_rights or any(men.bit_count() != 1 for men in kings)) and broken_rule(board):
        return Fault.ILLEGAL
    if is_large:
        return Fault.TOO_MANY_MEN
    return Fault.CASTLING if board.castling_rights else Fault.NONE
