"""The same counts from the reference solver's whole tables: no cells, no symmetry, no weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import chess
import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Ints
from tbgen.index.bulk import are_legal, cells_of
from tbgen.storage.reader import TableFile
from tests import reference


def positions_of(table: reference.ReferenceTable, side: int) -> tuple[Ints, Ints, Ints]:
    """Signed outcome, plies, and the squares of the men, a row a position."""
    where = np.argwhere(table.entry[side] != 0)
    index = (side, *where.T)
    return table.entry[index].astype(np.int64), table.dtg[index].astype(np.int64), where


def image(squares: Ints, symmetry: int) -> Ints:
    squares = squares ^ (7 if symmetry & 1 else 0) ^ (56 if symmetry & 2 else 0)
    return squares % 8 * 8 + squares // 8 if symmetry & 4 else squares


def first_of_classes(squares: Ints, *, with_pawns: bool) -> npt.NDArray[np.bool_]:
    """Whether each placement is the one with the lowest squares among its images."""
    powers = 64 ** np.arange(squares.shape[1])
    keys = [image(squares, symmetry) @ powers for symmetry in range(2 if with_pawns else 8)]
    return keys[0] == np.min(keys, axis=0)


def spread_of(name: str, side: int) -> dict[int, tuple[int, int, list[int]]]:
    """By signed outcome: placements, classes, and classes by distance."""
    outcome, plies, squares = positions_of(reference.solve(name), side)
    first = first_of_classes(squares, with_pawns="P" in name)
    found = {}
    for value in np.unique(outcome).tolist():
        chosen = outcome == value
        distances = np.bincount(plies[chosen & first], minlength=int(plies[chosen].max()) + 1)
        found[value] = (int(chosen.sum()), int((chosen & first).sum()), distances.tolist())
    return found


def goodness(signed: int) -> int:
    """The greater, the better for White."""
    return 1000 - signed if signed > 0 else -1000 - signed


def zugzwangs_of(name: str) -> dict[str, Any]:
    """Placements and classes by kind, and the longest distances of one that is played for."""
    table = reference.solve(name)
    where = np.argwhere((table.entry[0] != 0) & (table.entry[1] != 0))
    first = first_of_classes(where, with_pawns="P" in name)
    counts: Counter[str] = Counter()
    longest = (0, 0)
    for squares, is_first in zip(where.tolist(), first.tolist(), strict=True):
        white, black = (table.entry[side, *squares].item() for side in (0, 1))
        plies = [table.dtg[side, *squares].item() for side in (0, 1)]
        if goodness(white) >= goodness(black):
            continue
        played = min(plies) > 0
        kinds = {"all": True, "played": played, "mates": white == -1 or black == 1}
        kinds["holders"] = played and white < 0 < black
        for kind, holds in kinds.items():
            counts[f"{kind} placements"] += holds
            counts[f"{kind} classes"] += holds and is_first
        if played:
            longest = max(longest, (max(plies), min(plies)))
    return {**counts, "longest": longest}


def one_colored_in(file: TableFile, side: int) -> dict[int, tuple[int, int]]:
    """KBBvK with both bishops on squares of one colour, placement by placement.

    Outcome -> placements and classes.
    """
    layout = file.order.layout
    every = np.indices((64, 64, 64, 64), np.int8).reshape(4, -1)
    counts: Counter[tuple[int, bool]] = Counter()
    for king in range(64):  # the white one; the others stand anywhere
        squares = every[:, every[0] == king].astype(np.int64).T
        colors = (squares + squares // 8) % 2
        squares = squares[colors[:, 1] == colors[:, 2]]
        squares = squares[are_legal(layout, np.full(len(squares), side), squares)]
        entry = file.look_up(cells_of(layout, np.full(len(squares), side), squares))[0]
        first = first_of_classes(squares, with_pawns=False)
        for value, is_first in zip(entry.tolist(), first.tolist(), strict=True):
            counts[value, is_first] += 1
    outcomes = {value for value, _ in counts}
    return {
        value: (counts[value, True] + counts[value, False], counts[value, True])
        for value in outcomes
    }


def scores_of(fen: str, line: str) -> Iterator[tuple[str, str, str, int]]:
    """The moves of a line, each with two accrued scores and a ply; the first is no move.

    The first score is that of r-mobility, which was reached at the ply. The second is that of the
    whole game. Only python-chess is used.
    """
    board = chess.Board(fen)
    since = 0
    kept = list[tuple[int, int, str]]()
    for ply, san in enumerate(["", *line.split()]):
        if san:
            move = board.parse_san(san)
            since = ply if board.is_zeroing(move) else since
            board.push(move)
        code = 2 * board.legal_moves.count() + (not board.is_check())
        kept.append((code, ply, f"{'-' if board.turn == chess.WHITE else ''}G{code / 2}"))
        one = min(kept[since:])
        other = min(kept)
        yield san, one[2], other[2], one[1]
