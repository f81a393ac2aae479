"""Successors: the legal moves of a position, found by python-chess, or by a kernel with what the moves lead to."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import chess
import numpy as np

from tbgen.rules.position import is_reset

if TYPE_CHECKING:  # a kernel is loaded where it is asked for
    from tbgen.probe.opened import Answering
    from tbgen.probe.successor_kernels import Placing
    from tbgen.storage.order import Order


class Successor(NamedTuple):
    """A legal move, and what is known of the position after it."""

    move: chess.Move
    reset: bool
    code: int | None = None
    """The code of the position after it."""
    place: int | None = None
    """Where the table that answers before the move keeps the position after it; None too if that has other men, or a
    pawn may then take en passant."""


def successors_of(board: chess.Board) -> list[Successor]:
    """The legal moves by python-chess: nothing is known of what they lead to."""
    return [Successor(move, is_reset(board, move)) for move in board.legal_moves]


def compiled_successors_of(board: chess.Board, table: Answering) -> list[Successor]:
    """The legal moves of a position that a table answers for, and what they lead to, by a kernel."""
    from tbgen.board.board import BOARD_WORDS
    from tbgen.board.convert import words_of
    from tbgen.board.moves import MOST_MOVES
    from tbgen.probe.successor_kernels import ELSEWHERE, FACTS, find_successors

    moves, facts = np.empty(MOST_MOVES, np.int64), np.empty((MOST_MOVES, FACTS), np.int64)
    placing, after = table.shelf.placing, np.empty(BOARD_WORDS, np.uint64)
    rows = np.empty((2, len(placing.men)), np.int64)
    count = find_successors(words_of(board), placing, int(table.flipped), moves, facts, after, rows)
    return [
        Successor(_move_of(move), bool(reset), code, None if place == ELSEWHERE else place)
        for move, (code, reset, place) in zip(moves[:count].tolist(), facts[:count].tolist(), strict=True)
    ]


def compiled_code_of(board: chess.Board) -> int:
    """The code of a position, by a kernel."""
    from tbgen.board.convert import words_of
    from tbgen.board.mobility import code_on

    return int(code_on(words_of(board)))


@cache
def _move_of(packed: int) -> chess.Move:
    """python-chess's move for that of a kernel, which does not castle."""
    from tbgen.board.board import PROMOTION_SHIFT, TARGET_SHIFT

    return chess.Move(packed & 63, packed >> TARGET_SHIFT & 63, packed >> PROMOTION_SHIFT or None)


def placing_of(order: Order) -> Placing:
    """Where a table keeps its positions, for kernels."""
    from tbgen.probe.successor_kernels import Placing

    layout = order.layout
    men = [(int(color), int(role)) for color, role in layout.slots]
    steps, step = np.empty(len(order.axes), np.int64), 1
    for axis, size in zip(reversed(order.axes), reversed(order.shape), strict=True):
        steps[axis] = step
        step *= size
    return Placing(
        np.array(men, np.int64), np.array([men.index(man) for man in men], np.int64), layout.addresses, steps
    )
