"""The checker for large proofs: the walk of `check`, in compiled loops of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import chess
import numpy as np

from tbgen.apps.hold import check_kernels as kernels
from tbgen.apps.hold.check import Checked, expect_beginning, expect_of_tables
from tbgen.apps.hold.check_kernels import Goal, Table, Walk
from tbgen.apps.hold.mailbox import BLACK_MAN, EN_PASSANT, MOST_MOVES, SIZE, TURN
from tbgen.compiled.arrays import Ints, SignedBytes
from tbgen.errors import ProofError
from tbgen.score import Accrued, Color

if TYPE_CHECKING:
    from tbgen.apps.hold.strategy import Strategy
    from tbgen.probe import Tablebase

_REASONS = {
    kernels.NO_MOVE: "it has no move for",
    kernels.ILLEGAL: "its move is illegal in",
    kernels.TOO_BAD: "the goal is missed after a move in",
}
_MEN = {
    letter: role + (0 if letter.isupper() else BLACK_MAN)
    for role, name in enumerate("pnbrqk", start=1)
    for letter in (name, name.upper())
}


def check_large(strategy: Strategy, tables: Tablebase | None = None, name: str = "the proof") -> Checked:
    """As `check`, for a strategy of any size; no position may have castling rights."""
    expect_beginning(strategy, name)
    places, leaves = sorted(strategy.moves), sorted(strategy.leaves)
    room = 4 * len(places) + 64
    while True:
        walk = _walk(strategy, places, leaves, room)
        goal = strategy.goal
        buffers, moves, others = np.zeros((3, SIZE), np.int8), *np.zeros((2, MOST_MOVES), np.int64)
        key, wanted = np.zeros(kernels.KEY_WORDS, np.uint64), goal.outcome
        found = kernels.check_all(
            walk, Goal(int(goal.side), wanted.code, int(wanted.holder)), key, buffers, moves, others
        )
        if found != kernels.FULL:
            break
        room *= 4
    if found != kernels.RIGHT:
        at = walk.counts[kernels.AT]
        raise ProofError(name, f"{_REASONS[int(found)]} {_fen_of(walk.positions[at])} {_score_of(walk.accrued[at])}")
    for number in np.flatnonzero(walk.is_probed):
        expect_of_tables(strategy, leaves[number], tables, name)
    return _checked(strategy, walk)


def _checked(strategy: Strategy, walk: Walk) -> Checked:
    pairs = int(walk.counts[kernels.SEEN])
    thresholds = np.minimum(walk.accrued[:pairs] // 2, strategy.goal.outcome.code)
    closed = np.unique(np.column_stack([walk.positions[:pairs], thresholds]), axis=0)
    return Checked(len(closed), pairs, int(walk.counts[kernels.MOVES]), int(walk.counts[kernels.PROBED]))


def _walk(strategy: Strategy, places: Sequence[tuple[str, int]], leaves: Sequence[str], room: int) -> Walk:
    """A walk at its beginning."""
    moves = [strategy.moves[place] for place in places]
    numbers = [move.from_square + 64 * move.to_square + 4096 * (move.promotion or 0) for move in moves]
    first = 2 * strategy.accrued.code + strategy.accrued.holder
    walk = Walk(
        known=_table([place for place, _ in places], [threshold for _, threshold in places]),
        moves=np.array(numbers, np.int64),
        leaves=_table(leaves, [0] * len(leaves)),
        is_probed=np.zeros(len(leaves), np.int64),
        seen=_empty(room),
        positions=np.zeros((room, SIZE), np.int8),
        accrued=np.zeros(room, np.int64),
        counts=np.zeros(kernels.COUNTS, np.int64),
    )
    root = _position(strategy.board.epd(en_passant="legal"))
    kernels.fill(walk.seen, root[None], np.array([first]))
    walk.positions[0], walk.accrued[0], walk.counts[kernels.SEEN] = root, first, 1
    return walk


def _empty(room: int) -> Table:
    return Table(np.full(2 * room + 1, kernels.NONE, np.int64), np.zeros((room, kernels.KEY_WORDS), np.uint64))


def _table(places: Sequence[str], numbers: Sequence[int]) -> Table:
    """A table of positions with numbers."""
    table = _empty(len(places))
    positions = np.array([_position(place) for place in places], np.int8).reshape(-1, SIZE)
    kernels.fill(table, positions, np.array(numbers, np.int64))
    return table


def _position(place: str) -> SignedBytes:
    """The position of four fields of a FEN."""
    men, turn, _, en_passant = place.split()
    position = np.zeros(SIZE, np.int8)
    for rank, row in enumerate(men.split("/")):
        file = 0
        for letter in row:
            if letter.isdigit():
                file += int(letter)
            else:
                position[8 * (7 - rank) + file] = _MEN[letter]
                file += 1
    position[TURN] = turn == "b"
    position[EN_PASSANT] = -1 if en_passant == "-" else chess.parse_square(en_passant)
    return position


def _fen_of(position: SignedBytes) -> str:
    """A position for an error's line."""
    board = chess.Board(None)
    for square in np.flatnonzero(position[:64]).tolist():
        man = int(position[square])
        board.set_piece_at(square, chess.Piece(man % BLACK_MAN, man < BLACK_MAN))
    board.turn = position[TURN] == 0
    return board.fen()


def _score_of(accrued: Ints) -> Accrued:
    return Accrued(int(accrued) // 2, Color(int(accrued) % 2))
