"""The digests of a material's values, as docs/digests.md defines them.

They are made from answers to single questions alone.
"""

import struct
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from itertools import groupby, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .code import outcome as signed
from .material import Material
from .moves import (
    BLACK,
    KING,
    MOST_MOVES,
    NO_SQUARE,
    PAWN,
    WHITE,
    is_legal_position,
    legal_moves,
    own_code,
)
from .solver import LOWEST_CODE

Longs = NDArray[np.int64]
Answers = Callable[[Longs, Longs, Longs], tuple[Longs, Longs]]
"""Sides to move, squares [position, man], accrued scores -> outcomes and distances.

Scores and outcomes are signed numbers. The score 0 stands for the position's own one.
"""

ROWS_OF_LEAF = 4096
ROWS_OF_LEAF_WITH_PAWNS = 1024
MOST_CODE_OF_BARE_KING = 17
"""Eight moves without a check."""
HOLDS = (0, 0)
"""The outcome and the distance that stand for: the score holds."""

TRIANGLE = [square for square in range(64) if square // 8 <= square % 8 < 4]
LEFT = [square for square in range(64) if square % 8 < 4]
MOVES = np.zeros((MOST_MOVES, 4), np.int64)


class Leaf(NamedTuple):
    """Some rows of positions, with one placement of the pawns and one side to move."""

    block: int
    side: int
    number: int


class Position(NamedTuple):
    leaf: Leaf
    squares: tuple[int, ...]


class Change(NamedTuple):
    """The outcome and its distance from an accrued score of the holder on."""

    holder: int
    code: int
    outcome: int
    distance: int


class Value(NamedTuple):
    entry: int
    distance: int
    changes: list[Change]


class Digests(NamedTuple):
    outcomes: bytes
    distances: bytes


def digests(name: str, answers: Answers) -> tuple[str, str]:
    """The digest of the outcomes, and that of outcomes with distances."""
    material = Material(name)
    digests_of = dict[Leaf, Digests]()
    for leaf, positions in groupby(positions_of(material), lambda position: position.leaf):
        digests_of[leaf] = digests_of_values(values_of(material, list(positions), answers))
    outcomes = sha256(f"tbgen digest 1: outcomes of {name} under r-mobility 1\n".encode())
    distances = sha256(f"tbgen digest 1: distances of {name} under r-mobility 1\n".encode())
    of_empty_leaf = digests_of_values([])
    for leaf in all_leaves(material):
        of_leaf = digests_of.get(leaf, of_empty_leaf)
        outcomes.update(of_leaf.outcomes)
        distances.update(of_leaf.distances)
    return outcomes.hexdigest(), distances.hexdigest()


# Bytes.


def digests_of_values(values: Sequence[Value]) -> Digests:
    """The digests of a leaf's values."""
    return Digests(
        outcomes=digest_of([outcome_bytes(value) for value in values]),
        distances=digest_of([distance_bytes(value) for value in values]),
    )


def digest_of(values: list[bytes]) -> bytes:
    """The digest of values, which are numbered in the order in which they first appear."""
    numbers = dict[bytes, int]()
    numbered = list[int]()
    for value in values:
        numbered.append(numbers.setdefault(value, len(numbers)))
    digest = sha256(struct.pack("<II", len(numbered), len(numbers)))
    digest.update(struct.pack(f"<{len(numbered)}H", *numbered))
    for value in numbers:
        digest.update(value)
    return digest.digest()


def distance_bytes(value: Value) -> bytes:
    """A value in the layer of distances."""
    head = struct.pack("<bHH", value.entry, value.distance, len(value.changes))
    return head + b"".join(struct.pack("<BBbH", *change) for change in value.changes)


def outcome_bytes(value: Value) -> bytes:
    """A value in the layer of outcomes, without changes of the distance alone."""
    written = list[bytes]()
    for holder, changes in groupby(value.changes, lambda change: change.holder):
        outcome = 0
        for change in changes:
            predicted = outcome if is_worse(outcome, holder, change.code) else 0
            if change.outcome != predicted:
                written.append(struct.pack("<BBb", holder, change.code, change.outcome))
            outcome = change.outcome
    return struct.pack("<bH", value.entry, len(written)) + b"".join(written)


# Values.


def values_of(material: Material, positions: list[Position], answers: Answers) -> list[Value]:
    """The entry values of positions, their distances and their changes."""
    sides = np.array([position.leaf.side for position in positions])
    squares = np.array([position.squares for position in positions])
    own_scores = np.zeros_like(sides)
    entries, distances = answers(sides, squares, own_scores)
    values = list[Value]()
    for entry, distance in zip(entries.tolist(), distances.tolist(), strict=True):
        values.append(Value(entry, distance, changes=[]))
    add_changes(material, positions, values, answers)
    return values


def add_changes(
    material: Material, positions: list[Position], values: list[Value], answers: Answers
) -> None:
    """Ask positions with all scores that can have accrued, and add the changes to the values."""
    asked = list[tuple[int, int, int]]()
    for number, (position, value) in enumerate(zip(positions, values, strict=True)):
        for holder, code in accruable(material, position, abs(value.entry) - 1):
            asked.append((number, holder, code))
    sides = np.array([positions[number].leaf.side for number, _, _ in asked])
    squares = np.array([positions[number].squares for number, _, _ in asked])
    scores = np.array([signed(holder, code) for _, holder, code in asked])
    outcomes, distances = answers(sides, squares.reshape(-1, material.men), scores)
    answered = zip(asked, outcomes.tolist(), distances.tolist(), strict=True)
    last_number = -1
    last_holder = -1
    current = HOLDS
    for (number, holder, code), outcome, distance in answered:
        if (number, holder) != (last_number, last_holder):
            current = HOLDS
        last_number = number
        last_holder = holder
        reached = HOLDS if outcome == signed(holder, code) else (outcome, distance)
        predicted = current if is_worse(current[0], holder, code) else HOLDS
        if reached != predicted:
            values[number].changes.append(Change(holder, code, *reached))
            current = reached


def is_worse(outcome: int, holder: int, code: int) -> bool:
    """Whether an outcome is worse for the holder than the code that it holds; 0 is no outcome."""
    for_opponent = -outcome if holder == WHITE else outcome
    if for_opponent > 0:
        return True
    own_code_of_outcome = -for_opponent - 1
    return own_code_of_outcome > code


def accruable(material: Material, position: Position, entry_code: int) -> Iterator[tuple[int, int]]:
    """The accrued scores, holder and code, that a position is asked with."""
    side = position.leaf.side
    squares = np.array(position.squares)
    moves = legal_moves(material.roles, material.colors, squares, side, NO_SQUARE, MOVES)
    own = own_code(material.roles, material.colors, squares, side, moves)
    is_bare = [np.count_nonzero(material.colors == color) == 1 for color in (WHITE, BLACK)]
    for holder in (WHITE, BLACK):
        most = own if holder == side else own - 1
        for code in range(LOWEST_CODE, min(most, entry_code) + 1):
            is_check_by_bare_king = is_bare[holder] and code % 2 == 0
            is_too_much = is_bare[1 - holder] and code > MOST_CODE_OF_BARE_KING
            if not is_check_by_bare_king and not is_too_much:
                yield holder, code


# Positions.


def pieces_of(material: Material) -> list[int]:
    """The men that are neither kings nor pawns."""
    return [man for man in range(material.men) if material.roles[man] not in (KING, PAWN)]


def rows_of_leaf(material: Material) -> int:
    return ROWS_OF_LEAF_WITH_PAWNS if material.pawns else ROWS_OF_LEAF


def blocks_of(material: Material) -> list[tuple[int, ...]]:
    """Placements of the pawns, one of each and its mirror image.

    The pawns that have made the most steps come first. Squares are compared file by file.
    """
    colors = [int(material.colors[pawn]) for pawn in material.pawns]
    placements = set[tuple[int, ...]]()
    for squares in product(range(8, 56), repeat=len(colors)):
        stand_apart = len(set(squares)) == len(squares)
        if stand_apart:
            by_files = [turned(square) for square in squares]
            image_by_files = [turned(square ^ 7) for square in squares]
            first = min(
                in_order_of_kind(colors, by_files), in_order_of_kind(colors, image_by_files)
            )
            placements.add(tuple(first))
    blocks = list[tuple[int, ...]]()
    for placement in sorted(placements):
        blocks.append(tuple(turned(square) for square in placement))
    return sorted(blocks, key=material.steps_left)


def turned(square: int) -> int:
    """The image of a square in the long diagonal: its number, file by file."""
    return square % 8 * 8 + square // 8


def all_leaves(material: Material) -> Iterator[Leaf]:
    rows = 64 ** (len(pieces_of(material)) + 1)
    leaves = max(1, rows // rows_of_leaf(material))
    for block in range(len(blocks_of(material))):
        for side in (WHITE, BLACK):
            for number in range(leaves):
                yield Leaf(block, side, number)


def positions_of(material: Material) -> Iterator[Position]:
    """The positions in their order."""
    pieces = pieces_of(material)
    for block, pawns in enumerate(blocks_of(material)):
        for side in (WHITE, BLACK):
            # The black king is the slowest, then come the pieces from the last one to the first.
            rows = product(range(64), repeat=len(pieces) + 1)
            for number, (black_king, *last_piece_first) in enumerate(rows):
                leaf = Leaf(block, side, number // rows_of_leaf(material))
                row = last_piece_first[::-1]
                for squares in positions_in_row(material, pawns, side, row, black_king):
                    yield Position(leaf, squares)


def positions_in_row(
    material: Material, pawns: tuple[int, ...], side: int, row: list[int], black_king: int
) -> Iterator[tuple[int, ...]]:
    """The squares of the men in all positions that have these pieces and this black king."""
    pieces = pieces_of(material)
    kings = np.flatnonzero(material.roles == KING)
    white_king_squares: Sequence[int] = range(64)
    if not material.pawns:
        white_king_squares = TRIANGLE
    elif is_own_mirror(material, pawns):
        white_king_squares = LEFT
    squares = np.zeros(material.men, np.int64)
    squares[material.pawns] = pawns
    squares[pieces] = row
    for white_king in white_king_squares:
        squares[kings] = (white_king, black_king)
        is_first = is_first_image(material, white_king, row, black_king)
        if is_first and is_legal_position(material.roles, material.colors, squares, side):
            yield tuple(squares.tolist())


def is_own_mirror(material: Material, pawns: tuple[int, ...]) -> bool:
    """Whether pawns equal their own mirror image."""
    colors = [int(material.colors[pawn]) for pawn in material.pawns]
    image = [square ^ 7 for square in pawns]
    return in_order_of_kind(colors, list(pawns)) == in_order_of_kind(colors, image)


def in_order_of_kind(kinds: list[int], squares: list[int]) -> list[int]:
    """The squares of men with those of equal men, which stand side by side, in ascending order."""
    ordered = list[int]()
    men = zip(kinds, squares, strict=True)
    for _, equal_men in groupby(men, lambda man: man[0]):
        ordered += sorted(square for _, square in equal_men)
    return ordered


def is_first_image(material: Material, white_king: int, row: list[int], black_king: int) -> bool:
    """Whether equal men stand in ascending order, and no image in the long diagonal comes first.

    Such an image has a cell if the white king stands on that diagonal.
    """
    kinds = list[int]()
    for man in pieces_of(material):
        kinds.append(int(material.roles[man]) * 2 + int(material.colors[man]))
    if in_order_of_kind(kinds, row) != row:
        return False
    is_on_diagonal = white_king == turned(white_king)
    if material.pawns or not is_on_diagonal:
        return True
    image = in_order_of_kind(kinds, [turned(square) for square in row])
    return [*row, black_king] <= [*image, turned(black_king)]
