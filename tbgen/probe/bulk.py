"""Bulk: the values of many positions of one material, found together; each is what `Tablebase.probe` says of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import chess
import numpy as np
import numpy.typing as npt

from tbgen.errors import AccruedError, MissingTableError, TooManyMenError
from tbgen.index.bulk import are_legal, cells_of
from tbgen.index.layout import Layout, Slot
from tbgen.index.outcomes import are_white, codes_of, signed_of
from tbgen.material import Material, Role
from tbgen.probe.answers import BulkProbe, Fault
from tbgen.probe.asked import Asked, ManyAccrued, are_legal_boards, asked_boards
from tbgen.probe.own import board_of, own_codes
from tbgen.probe.shelf import UNKNOWN_DTG, Shelf, Value
from tbgen.rules.accrual import MOST_KING_CODE, why_not_accrued
from tbgen.score import STALEMATE_CODE, Accrued, Color, Mobility

Int64s = npt.NDArray[np.int64]
Truths = npt.NDArray[np.bool_]
Search = Callable[[chess.Board, Accrued | None], Value]

_RANK_FLIP = 56
_LARGE = MOST_KING_CODE + 1
"""From this even code on, only whether there is a check makes a difference."""


def answer(
    shelf: Shelf, material: Material, asked: Asked, search: Search, game: Mobility = Mobility.RESET
) -> BulkProbe:
    """The values of positions; `search` finds those with a right to take en passant."""
    slots = [(color, role) for color in Color for role in material.side(color)]
    flipped = not material.is_canonical
    turned = _flipped(asked) if flipped else asked
    layout = shelf.layout
    men = turned.squares[:, columns_of(material, layout, flipped=flipped)]
    legal = are_legal(layout, turned.sides, men)
    takes = np.zeros(len(men), np.bool_)
    if (asked.en_passant >= 0).any():
        valid, takes = _en_passant(slots, asked)
        legal &= valid
    rows = np.flatnonzero(legal & ~takes)
    outcome, dtg = np.zeros(len(men), np.int64), np.zeros(len(men), np.int64)
    fault = np.where(legal, Fault.NONE, Fault.ILLEGAL).astype(np.uint8)
    stored = shelf.places_of(cells_of(layout, turned.sides[rows], men[rows]))
    outcome[rows], dtg[rows] = shelf.all_entries(stored)
    asking = np.flatnonzero(turned.accrued[rows])
    if len(asking):
        places = rows[asking]
        some = Asked(turned.sides[places], men[places], turned.accrued[places], turned.en_passant[places])
        outcome[places], dtg[places], fault[places] = _with_accrued(
            shelf, some, outcome[places], dtg[places], stored[asking], game
        )
    if flipped:
        outcome = -outcome
    for place in np.flatnonzero(legal & takes):
        outcome[place], dtg[place], fault[place] = _searched(slots, asked, int(place), search)
    return BulkProbe(outcome.astype(np.int8), dtg.astype(np.uint16), fault)


def answer_boards(
    shelf_of: Callable[[Material], Shelf],
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
            found = answer(shelf_of(material), material, positions, search, game)
        except (MissingTableError, TooManyMenError) as error:
            many.fault[places] = np.where(are_legal_boards(boards, places), _fault_of(error), Fault.ILLEGAL)
        else:
            many.outcome[places], many.dtg[places], many.fault[places] = found.outcome, found.dtg, found.fault
    return many


def _fault_of(error: MissingTableError | TooManyMenError) -> Fault:
    return Fault.MISSING_TABLE if isinstance(error, MissingTableError) else Fault.TOO_MANY_MEN


def _flipped(asked: Asked) -> Asked:
    """The same positions with the colours exchanged."""
    targets = np.where(asked.en_passant < 0, -1, asked.en_passant ^ _RANK_FLIP)
    return Asked(1 - asked.sides, asked.squares ^ _RANK_FLIP, -asked.accrued, targets)


def columns_of(material: Material, layout: Layout, *, flipped: bool) -> list[int]:
    """[slot] -> the column of its man when the men come in the order of the material's name."""
    men: list[Slot] = [(color, role) for color in Color for role in material.side(color)]
    columns: list[int] = []
    for color, role in layout.slots:
        wanted = (color.other if flipped else color, role)
        columns.append(next(n for n, man in enumerate(men) if man == wanted and n not in columns))
    return columns


def _with_accrued(
    shelf: Shelf, asked: Asked, entry: Int64s, entry_dtg: Int64s, stored: Int64s, game: Mobility
) -> tuple[Int64s, Int64s, npt.NDArray[np.uint8]]:
    """Values where a score has accrued: the entry value, or where that is not better, what the hold is worth."""
    is_possible = _is_possible(shelf.layout, asked, entry, entry_dtg, game)
    fault = np.where(is_possible, Fault.NONE, Fault.ACCRUED).astype(np.uint8)
    outcome, dtg = np.where(fault == Fault.NONE, entry, 0), np.where(fault == Fault.NONE, entry_dtg, 0)
    rows = np.flatnonzero((fault == Fault.NONE) & (abs(entry) >= abs(asked.accrued)))
    codes = own_codes(shelf.layout.slots, asked.sides[rows], asked.squares[rows])
    own = signed_of(asked.sides[rows] != Color.WHITE, codes)
    accrued = asked.accrued[rows]
    held = rows[(abs(own) >= abs(accrued)) & (own != accrued)]
    outcome[held], dtg[held] = shelf.all_held(stored[held], asked.accrued[held])
    return outcome, dtg, fault


def _is_possible(layout: Layout, asked: Asked, entry: Int64s, entry_dtg: Int64s, game: Mobility) -> Truths:
    """Whether a phase of a game can have left these scores, or the position itself ends the game with its own."""
    bare = tuple(game.forgets and sum(color is side for color, _ in layout.slots) == 1 for side in Color)
    code, white_holds = codes_of(asked.accrued), are_white(asked.accrued)
    is_end = (code <= STALEMATE_CODE) & (entry == asked.accrued) & ((entry_dtg == 0) | (entry_dtg == UNKNOWN_DTG))
    unsure = np.flatnonzero(is_end & (entry_dtg == UNKNOWN_DTG))
    own = own_codes(layout.slots, asked.sides[unsure], asked.squares[unsure])
    is_end[unsure] = signed_of(asked.sides[unsure] != Color.WHITE, own) == asked.accrued[unsure]
    table = _possible_scores(bare)
    possible: Truths = (
        is_end | table[np.where(white_holds, Color.WHITE, Color.BLACK), np.minimum(code, _LARGE + code % 2)]
    )
    return possible


@cache
def _possible_scores(bare: tuple[bool, ...]) -> Truths:
    """[holder, code] -> whether the score can have accrued; larger codes are as possible as _LARGE or the next."""
    return np.array(
        [[why_not_accrued(Accrued(code, holder), bare) is None for code in range(_LARGE + 2)] for holder in Color]
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
        outcome, dtg = search(board, Accrued.from_signed(accrued) if accrued else None)
    except AccruedError:
        return 0, 0, int(Fault.ACCRUED)
    except (MissingTableError, TooManyMenError) as error:
        return 0, 0, int(_fault_of(error))
    return outcome.signed, UNKNOWN_DTG if dtg is None else dtg, int(Fault.NONE)
