"""The same counts once more, from the reference solver's whole tables: no cells, no symmetry, no weights."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import chess
import numpy as np
import numpy.typing as npt

from tbgen.index.bulk import are_legal, cells_of
from tbgen.storage.reader import TableFile
from tests import reference

Ints = npt.NDArray[np.int64]


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
    for squares, is_first in zip(map(tuple, where.tolist()), first.tolist(), strict=True):
        (white, black), plies = table.entry[(slice(None), *squares)].tolist(), table.dtg[(slice(None), *squares)]
        if goodness(white) >= goodness(black):
            continue
        played = bool(plies.min() > 0)
        kinds = {"all": True, "played": played, "mates": white == -1 or black == 1}
        kinds["holders"] = played and white < 0 < black
        for kind, holds in kinds.items():
            counts[f"{kind} placements"] += holds
            counts[f"{kind} classes"] += holds and is_first
        if played:
            longest = max(longest, (int(plies.max()), int(plies.min())))
    return {**counts, "longest": longest}


def waits_of_level(block: reference.Block, code: int, level: tuple[Ints, Ints], entry_waits: Ints) -> Ints:
    """The quiet plies of best play from each position of a block with a score accrued, by taking plies in order."""
    graph, (value, plies) = block.graph, level
    target = np.repeat(np.arange(len(graph.own)), np.diff(graph.start))
    source = graph.sources
    quiet = (target < graph.positions) & (graph.own[source] >= code)
    best = quiet & (value[source] == value[target]) & (plies[source] == plies[target] + 1)
    source, target = source[best], target[best]
    waits = np.where(graph.own < code, entry_waits, 0)
    for ply in np.unique(plies[source]).tolist():
        now = plies[source] == ply
        np.maximum.at(waits, source[now], 1 + waits[target[now]])
    return waits


def waits_of(name: str) -> Counter[tuple[int, int, int]]:
    """How often best play can stay quiet for how long: (side to move, signed outcome, quiet plies), up to symmetry."""
    table, counts = reference.solve(name, reduced=True), Counter[tuple[int, int, int]]()
    for placement in table.placements:
        block = table.block(placement)
        waits, own, side = np.zeros(len(block.graph.own), np.int64), block.graph.own, block.nodes.side
        for code in block.codes:
            arrived = np.flatnonzero(own[: len(side)] == code)
            for holder, level in block.levels(code) if len(arrived) else ():
                found = waits_of_level(block, code, level, waits)
                chosen = arrived[side[arrived] != holder]
                waits[chosen] = found[chosen]
        counts.update(zip(side.tolist(), block.entry[: len(side)].tolist(), waits[: len(side)].tolist(), strict=True))
    return counts


def one_colored_in(file: TableFile, side: int) -> dict[int, tuple[int, int]]:
    """KBBvK with both bishops on squares of one colour, placement by placement: by outcome, placements and classes."""
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
    return {value: (counts[value, True] + counts[value, False], counts[value, True]) for value in outcomes}


def in_words(signed: int) -> str:
    """A score as it is written."""
    return f"{'-' if signed < 0 else ''}G{(abs(signed) - 1) / 2}"


def white_points(signed: int) -> Fraction:
    """White's points by the exponential formula."""
    gain = Fraction(1, 2 ** abs(signed))
    return Fraction(1, 2) + (gain if signed > 0 else -gain)


Entries = npt.NDArray[np.int16]
"""[side to move, the square of each man] -> a signed outcome, 0 for no position."""


def comparison_of(one: Entries, other: Entries, *, with_pawns: bool) -> dict[str, Any]:
    """What two games say of every position, pair of outcomes by pair, as `tbgen study compare` has it."""
    pairs: dict[str, list[dict[str, Any]]] = {}
    sums = defaultdict[str, Any](int)
    for side, color in enumerate(("white", "black")):
        where = np.argwhere(one[side] != 0)
        assert ((one[side] != 0) == (other[side] != 0)).all()
        first = first_of_classes(where, with_pawns=with_pawns)
        both = np.stack([one[(side, *where.T)], other[(side, *where.T)]])
        pairs[color] = []
        found, which, counts = np.unique(both, axis=1, return_inverse=True, return_counts=True)
        classes = np.bincount(which.ravel()[first], minlength=len(counts))
        for (a, b), placements, of_classes in zip(found.T.tolist(), counts.tolist(), classes.tolist(), strict=True):
            sums["positions"] += placements
            if a == b:
                continue
            words = {"r_mobility": in_words(a), "whole_game": in_words(b)}
            pairs[color].append({"placements": placements, "classes": of_classes, **words})
            gain = white_points(a) - white_points(b)
            sums["differing"] += placements
            sums["better_for_white" if goodness(a) > goodness(b) else "better_for_black"] += placements
            sums["other_holder"] += placements if (a > 0) != (b > 0) else 0
            sums["gain"] += gain * placements
            sums["apart"] += abs(gain) * placements
    shares = ("differing", "better_for_white", "better_for_black", "other_holder")
    order = "r_mobility", "whole_game"
    return {
        "positions": sums["positions"],
        "shares": {name: round(sums[name] / sums["positions"], 6) for name in shares},
        "points_to_white": round(float(Fraction(sums["gain"], sums["positions"])), 6),
        "points_where_differing": round(float(Fraction(sums["apart"], max(sums["differing"], 1))), 6),
        "pairs": {
            color: sorted(each, key=lambda pair: (-pair["placements"], *(pair[name] for name in order)))
            for color, each in pairs.items()
        },
    }


def scores_of(fen: str, line: str) -> Iterator[tuple[str, str, str, int]]:
    """The moves of a line, the score after each when resets forget and when nothing does, and the first one's ply.

    The first is no move. It is worked out with nothing of ours.
    """
    board, since, kept = chess.Board(fen), 0, list[tuple[int, int, str]]()
    for ply, san in enumerate(["", *line.split()]):
        if san:
            move = board.parse_san(san)
            since = ply if board.is_zeroing(move) else since
            board.push(move)
        code = 2 * board.legal_moves.count() + (not board.is_check())
        kept.append((code, ply, f"{'-' if board.turn == chess.WHITE else ''}G{code / 2}"))
        one, other = min(kept[since:]), min(kept)
        yield san, one[2], other[2], one[1]
