"""The digests of a material's values, as docs/digests.md defines them.

They are made from answers to single questions alone.
"""

import struct
from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import groupby, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .material import Material
from .moves import (
    KING,
    MOST_MOVES,
    NO_SQUARE,
    PAWN,
    WHITE,
    is_legal_position,
    legal_moves,
    own_code,
)

Longs = NDArray[np.int64]
Answers = Callable[[Longs, Longs, Longs], tuple[Longs, Longs]]
"""Sides to move, squares [position, man], accrued scores (signed, 0: the own one) -> signed outcomes
and distances.
"""
Row = tuple[int, int, int, int]
"""Holder, code, signed outcome (0: the score holds), plies."""
Place = tuple[int, int, int, tuple[int, ...]]
"""Its block, side to move and leaf, and the squares of the men."""

TRIANGLE = [square for square in range(64) if square // 8 <= square % 8 < 4]
LEFT = [square for square in range(64) if square % 8 < 4]
MOVES = np.zeros((MOST_MOVES, 4), np.int64)


def digests(name: str, answers: Answers) -> tuple[str, str]:
    """The digest of the outcomes, and that of outcomes with distances."""
    material = Material(name)
    leaves = {
        leaf: digests_of_leaf(material, list(places), answers)
        for leaf, places in groupby(places_of(material), lambda place: place[:3])
    }
    found = []
    for number, layer in enumerate(("outcomes", "distances")):
        whole = sha256(f"tbgen digest 1: {layer} of {name} under r-mobility 1\n".encode())
        for leaf in all_leaves(material):
            whole.update(leaves[leaf][number] if leaf in leaves else digest_of_values([]))
        found.append(whole.hexdigest())
    return found[0], found[1]


def digests_of_leaf(
    material: Material, places: list[Place], answers: Answers
) -> tuple[bytes, bytes]:
    """The same of a leaf's positions."""
    sides = np.array([side for _, side, _, _ in places])
    squares = np.array([men for *_, men in places])
    values = list(zip(*(each.tolist() for each in answers(sides, squares, 0 * sides)), strict=True))
    both = list(zip(values, rows_of(material, places, values, answers), strict=True))
    outcomes, distances = (
        digest_of_values([value_bytes(entry, dtg, row, layer) for (entry, dtg), row in both])
        for layer in (False, True)
    )
    return outcomes, distances


def digest_of_values(values: list[bytes]) -> bytes:
    """Of numbers given in the order of first appearance, and of what they stand for."""
    numbers: dict[bytes, int] = {}
    stream = [numbers.setdefault(value, len(numbers)) for value in values]
    head = struct.pack("<II", len(stream), len(numbers))
    return sha256(head + struct.pack(f"<{len(stream)}H", *stream) + b"".join(numbers)).digest()


def value_bytes(outcome: int, dtg: int, rows: list[Row], distances: bool) -> bytes:
    """An entry value and its changes; without distances, rows that differ in these alone are one."""
    written = []
    last_holder = -1
    last_outcome = 0
    for holder, code, worse, plies in rows:
        before = last_outcome if last_holder == holder else 0
        holds_by_now = not is_worse(before, holder, code)
        if distances:
            written.append(struct.pack("<BBbH", holder, code, worse, plies))
        elif worse != (0 if holds_by_now else before):
            written.append(struct.pack("<BBb", holder, code, worse))
        last_holder = holder
        last_outcome = worse
    head = struct.pack("<bH", outcome, dtg) if distances else struct.pack("<b", outcome)
    return head + struct.pack("<H", len(written)) + b"".join(written)


def is_worse(outcome: int, holder: int, code: int) -> bool:
    """Whether a signed outcome is worse for the holder than the code that it holds; 0 is none."""
    theirs = outcome if holder else -outcome
    return theirs > 0 or -theirs - 1 > code


def rows_of(
    material: Material, places: list[Place], values: list[tuple[int, int]], answers: Answers
) -> list[list[Row]]:
    """The changes of each position's value.

    They are those from one accrued score to the next higher one of the same holder.
    """
    asked = []
    for number, (place, (entry, _)) in enumerate(zip(places, values, strict=True)):
        for holder, code in accruable(material, place, abs(entry) - 1):
            asked.append((number, holder, code))
    numbers, holders, codes = np.array(asked, np.int64).reshape(-1, 3).T
    sides = np.array([side for _, side, _, _ in places])[numbers]
    squares = np.array([men for *_, men in places])[numbers]
    found = answers(sides, squares, np.where(holders == WHITE, codes + 1, -codes - 1))
    rows: list[list[Row]] = [[] for _ in places]
    told = zip(asked, found[0].tolist(), found[1].tolist(), strict=True)
    for (number, holder), group in groupby(told, key=lambda each: each[0][:2]):
        current = (0, 0)
        for (_, _, code), outcome, plies in group:
            score = code + 1 if holder == WHITE else -code - 1
            value = (0, 0) if outcome == score else (outcome, plies)
            expected = current if is_worse(current[0], holder, code) else (0, 0)
            if value != expected:
                rows[number].append((holder, code, *value))
                current = value
    return rows


def accruable(material: Material, place: Place, entry_code: int) -> Iterator[tuple[int, int]]:
    """The accrued scores, holder and code, that a position is asked with."""
    _, side, _, men = place
    squares = np.array(men)
    men_and_side = material.roles, material.colors, squares, side
    own = own_code(*men_and_side, legal_moves(*men_and_side, NO_SQUARE, MOVES))
    bare = [int((material.colors == color).sum()) == 1 for color in (0, 1)]
    for holder in (0, 1):
        most = min(own - (holder != side), entry_code)
        for code in range(2, most + 1):
            if not (bare[holder] and code % 2 == 0) and not (bare[1 - holder] and code > 17):
                yield holder, code


def blocks_of(material: Material) -> list[tuple[int, ...]]:
    """Placements of the pawns, one of each and its mirror image.

    Those furthest on come first, then file by file.
    """
    kinds = [material.colors[pawn] for pawn in material.pawns]

    def by_files(squares: tuple[int, ...]) -> tuple[int, ...]:
        keys = [square % 8 * 8 + square // 8 for square in squares]
        return tuple(in_order_of_kind(kinds, keys))

    found = set()
    for squares in product(range(8, 56), repeat=len(kinds)):
        if len(set(squares)) == len(squares):
            found.add(min(by_files(squares), by_files(tuple(square ^ 7 for square in squares))))
    placements = [tuple(key % 8 * 8 + key // 8 for key in keys) for keys in sorted(found)]
    return sorted(placements, key=material.steps_left)


def all_leaves(material: Material) -> Iterator[tuple[int, int, int]]:
    others = material.men - len(material.pawns) - 1
    rows = 1024 if material.pawns else 4096
    return product(range(len(blocks_of(material))), (0, 1), range(max(1, 64**others // rows)))


def places_of(material: Material) -> Iterator[Place]:
    """The positions in their order."""
    others = [man for man in range(material.men) if material.roles[man] not in (KING, PAWN)]
    rows_of_leaf = 1024 if material.pawns else 4096
    for block, pawns in enumerate(blocks_of(material)):
        for side in (0, 1):
            # The black king is the slowest, then come the other men from the last one to the first.
            for row, (black, *reverse) in enumerate(product(range(64), repeat=len(others) + 1)):
                for squares in places_in_row(material, pawns, side, (*reverse[::-1], black)):
                    yield block, side, row // rows_of_leaf, squares


def places_in_row(
    material: Material, pawns: tuple[int, ...], side: int, rest: tuple[int, ...]
) -> Iterator[tuple[int, ...]]:
    """The positions with the pawns, the other men and the black king on these squares."""
    kings = [man for man in range(material.men) if material.roles[man] == KING]
    others = [man for man in range(material.men) if material.roles[man] not in (KING, PAWN)]
    own_mirror = is_own_mirror(material, pawns)
    *men, black = rest
    for white in range(64) if material.pawns else TRIANGLE:
        squares = np.zeros(material.men, np.int64)
        squares[material.pawns] = pawns
        squares[kings] = (white, black)
        squares[others] = men
        if own_mirror and white not in LEFT:
            continue
        if not is_first_image(material, others, white, men, black):
            continue
        if is_legal_position(material.roles, material.colors, squares, side):
            yield tuple(squares.tolist())


def is_own_mirror(material: Material, pawns: tuple[int, ...]) -> bool:
    kinds = [int(material.colors[pawn]) for pawn in material.pawns]
    there = sorted(zip(kinds, pawns, strict=True))
    back = sorted(zip(kinds, [square ^ 7 for square in pawns], strict=True))
    return bool(pawns) and there == back


def in_order_of_kind(kinds: list[Any], squares: list[int]) -> list[int]:
    """Squares of men, with those of equal men that stand beside each other in ascending order."""
    ordered = list[int]()
    for _, group in groupby(zip(kinds, squares, strict=True), lambda each: each[0]):
        ordered += sorted(square for _, square in group)
    return ordered


def is_first_image(
    material: Material, others: list[int], white: int, rest: list[int], black: int
) -> bool:
    """Whether equal men stand in ascending order, and no image in the long diagonal comes first.

    Such an image has a cell if the white king stands on this diagonal.
    """
    kinds = [(int(material.colors[man]), int(material.roles[man])) for man in others]
    if in_order_of_kind(kinds, rest) != rest:
        return False
    if material.pawns or white % 9:
        return True
    image = [square % 8 * 8 + square // 8 for square in (*rest, black)]
    return [*rest, black] <= [*in_order_of_kind(kinds, image[:-1]), image[-1]]
