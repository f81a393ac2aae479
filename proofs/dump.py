#!/usr/bin/env python3
"""Write tables as plain dumps, which the proved checker reads.

    dump.py TABLES FOLDER KRvK KQvK ...

A dump has every placement of the men on 64 squares, without symmetry or compression. It begins with
three lines of text, and ends with columns of numbers, little-endian, one after the other:

    tbgen pairs 1
    KRvK                     the material
    ROWS RIGHTS              how many cells of the third and the fourth kind follow

    own     1 byte           the own code, 255 for a placement that is not legal
    entry   1 signed byte    the entry value: code + 1 if White holds it, -(code + 1) if Black does
    plies   2 bytes

    held    1 signed byte    the values of other scores; 0 where a bare king would hold an even code
    plies   2 bytes

    place   8 bytes          positions with a right to take en passant
    passed  1 byte           the square that the pawn has passed
    own, entry, plies        as above

The first three columns have White to move, then Black; the squares of the men (a1 = 0 to h8 = 63)
count up in the order of the name, the last man's fastest. The held values of a position are those
of the codes from 2 to the own code or that of the entry value, whichever is less; White holds the
first of two. Higher scores have the entry value.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

import chess
import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tbgen import BulkProbe, Fault, Material, Score, Tablebase, own_score
from tbgen.men import AnyMan, Role, number_of
from tbgen.probe.bulk import own_codes
from tbgen.score import Color

NO_POSITION = 255
PLACEMENTS_AT_ONCE = 1 << 19
"""Few calls for many placements are faster than many for few."""
FIRST_CODE = 2
"""Mate and stalemate have the codes 0 and 1, and end the game."""


FIFTH_RANK = {Color.WHITE: chess.BB_RANK_5, Color.BLACK: chess.BB_RANK_4}
"""Where a pawn stands that can take en passant."""

Slots: TypeAlias = Sequence[tuple[Color, AnyMan]]
"""The men in the order of the material's name."""


class Columns(NamedTuple):
    own: npt.NDArray[np.uint8]
    entry: npt.NDArray[np.int8]
    plies: npt.NDArray[np.uint16]
    held: npt.NDArray[np.int8]
    held_plies: npt.NDArray[np.uint16]


class Rights(NamedTuple):
    place: list[int]
    passed: list[int]
    own: list[int]
    boards: list[chess.Board]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tables", type=Path, help="a folder of tables with distances")
    parser.add_argument("folder", type=Path, help="where dumps go")
    parser.add_argument("materials", nargs="+", metavar="MATERIAL")
    parser.add_argument(
        "--children", action="store_true", help="write those of captures and promotions, too"
    )
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    materials = [Material.parse(name) for name in arguments.materials]
    if arguments.children:
        materials += [child for material in materials for child in material.children()]
    with Tablebase(arguments.tables) as tables:
        for material in dict.fromkeys(materials):
            write_dump(tables, material, arguments.folder / f"{material}.pairs")


def write_dump(tables: Tablebase, material: Material, path: Path) -> None:
    parts = list[Columns]()
    for white_to_move in (True, False):
        parts += parts_of(tables, material, white_to_move)
    columns = Columns(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    rights = rights_of(material)
    answers = tables.probe_many(rights.boards)
    with path.open("wb") as file:
        header = f"tbgen pairs 1\n{material}\n{len(columns.held)} {len(rights.place)}\n"
        file.write(header.encode())
        for column in columns:
            file.write(column.astype(column.dtype.newbyteorder("<")).tobytes())
        file.write(np.array(rights.place, "<i8").tobytes())
        file.write(np.array(rights.passed, "u1").tobytes())
        file.write(np.array(rights.own, "u1").tobytes())
        file.write(answers.outcome.tobytes())
        file.write(plies_of(answers).astype("<u2").tobytes())


def parts_of(tables: Tablebase, material: Material, white_to_move: bool) -> Iterator[Columns]:
    """The columns of all placements, one part for each square of the first man, the white king.

    Mirror images have equal values, so tables are asked for a few squares of the king alone.
    """
    size = 64 ** (material.men - 1)
    symmetries = symmetries_of(material)
    images = [min(symmetries, key=lambda image: image[king]) for king in range(64)]
    kings = sorted({int(image[king]) for king, image in enumerate(images)})
    asked = dict[int, Columns]()
    step = max(1, PLACEMENTS_AT_ONCE // size)
    others = np.indices([64] * (material.men - 1)).reshape(material.men - 1, -1).T
    for start in range(0, len(kings), step):
        some = kings[start : start + step]
        placements = np.hstack([np.repeat(some, size)[:, None], np.tile(others, (len(some), 1))])
        columns = columns_of(tables, material, white_to_move, placements)
        for number, king in enumerate(some):
            asked[king] = taken_from(columns, np.arange(number * size, (number + 1) * size))
    for king, image in enumerate(images):
        places = np.zeros(1, np.int64)
        for _ in range(material.men - 1):
            places = np.add.outer(64 * places, image).ravel()
        yield taken_from(asked[int(image[king])], places)


def symmetries_of(material: Material) -> list[npt.NDArray[np.int64]]:
    """[square] -> its image, for each symmetry of the board that keeps pawns moving ahead."""
    board = np.arange(64).reshape(8, 8)
    boards = [board, board[:, ::-1]]
    if not material.pawns:
        boards += [image[::-1] for image in boards]
        boards += [image.T for image in boards]
    return [image.ravel() for image in boards]


def taken_from(columns: Columns, places: npt.NDArray[np.int64]) -> Columns:
    """The columns of some placements, in the order of `places`."""
    counts = held_counts(columns.own, columns.entry)
    starts = np.cumsum(counts) - counts
    chosen = counts[places]
    rows = np.repeat(starts[places] - (np.cumsum(chosen) - chosen), chosen) + np.arange(
        chosen.sum()
    )
    own, entry, plies, held, held_plies = columns
    return Columns(own[places], entry[places], plies[places], held[rows], held_plies[rows])


def held_counts(own: npt.NDArray[np.uint8], entry: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
    """How many held values each placement has."""
    codes = np.minimum(own, abs(entry.astype(np.int64)) - 1)
    return np.where(own == NO_POSITION, 0, 2 * np.maximum(codes - FIRST_CODE + 1, 0))


def columns_of(
    tables: Tablebase,
    material: Material,
    white_to_move: bool,
    placements: npt.NDArray[np.int64],
) -> Columns:
    """The columns of some placements: [placement, man] -> square."""
    answers = tables.probe_arrays(material, white_to_move, placements)
    is_legal = answers.fault != Fault.ILLEGAL
    squares = placements[is_legal]
    answers = answers[is_legal]
    columns = Columns(
        np.full(len(placements), NO_POSITION, np.uint8),
        np.zeros(len(placements), np.int8),
        np.zeros(len(placements), np.uint16),
        np.zeros(0, np.int8),
        np.zeros(0, np.uint16),
    )
    columns.own[is_legal] = own_codes(
        slots_of(material), np.full(len(squares), not white_to_move, np.int64), squares
    )
    columns.entry[is_legal] = answers.outcome
    columns.plies[is_legal] = plies_of(answers)
    counts = held_counts(columns.own, columns.entry)[is_legal]
    held, held_plies = held_columns(tables, material, white_to_move, squares, counts)
    return columns._replace(held=held, held_plies=held_plies)


def held_columns(
    tables: Tablebase,
    material: Material,
    white_to_move: bool,
    squares: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.uint16]]:
    """The values of each position with other scores accrued, `counts` of them."""
    starts = np.cumsum(counts) - counts
    held = np.zeros(counts.sum(), np.int8)
    plies = np.zeros(counts.sum(), np.uint16)
    for code in range(FIRST_CODE, FIRST_CODE + counts.max(initial=0) // 2):
        asked = counts > 2 * (code - FIRST_CODE)
        for holder in Color:
            accrued = Score(code, holder)
            answers = tables.probe_arrays(material, white_to_move, squares[asked], accrued=accrued)
            places = starts[asked] + 2 * (code - FIRST_CODE) + int(holder)
            held[places] = answers.outcome
            plies[places] = plies_of(answers)
    return held, plies


def plies_of(answers: BulkProbe) -> npt.NDArray[np.uint16]:
    return np.nan_to_num(answers.dtg).astype(np.uint16)


def slots_of(material: Material) -> Slots:
    return [(color, kind) for color in Color for kind in material.side(color)]


def rights_of(material: Material) -> Rights:
    """All positions in which a pawn can take en passant."""
    rights = Rights([], [], [], [])
    slots = slots_of(material)
    kinds = [kind for _, kind in slots]
    pawns = [number for number, kind in enumerate(kinds) if kind == Role.PAWN]
    for taker, taken in itertools.product(pawns, repeat=2):
        mover = slots[taker][0]
        if mover == slots[taken][0]:
            continue
        for square, neighbour in pairs_on(chess.SquareSet(FIFTH_RANK[mover])):
            others = [number for number in range(len(slots)) if number not in (taker, taken)]
            for places in itertools.product(range(64), repeat=len(others)):
                squares = dict(zip(others, places, strict=True)) | {taker: square, taken: neighbour}
                add_right(
                    rights,
                    slots,
                    [squares[number] for number in range(len(slots))],
                    mover,
                    neighbour,
                )
    return rights


def pairs_on(rank: chess.SquareSet) -> Iterator[tuple[int, int]]:
    """Each two neighbours on a rank, both ways round."""
    for left, right in itertools.pairwise(rank):
        yield left, right
        yield right, left


def add_right(rights: Rights, slots: Slots, squares: list[int], mover: Color, taken: int) -> None:
    """Add a position if the pawn that has just come to `taken` can be taken en passant.

    One that no game can reach is added, too. Tables refuse it, so it has no value.
    """
    if len(set(squares)) < len(squares):
        return
    board = chess.Board(None)
    for (color, kind), square in zip(slots, squares, strict=True):
        board.set_piece_at(square, chess.Piece(number_of(kind), color.chess))
    board.turn = mover.chess
    passed = taken + 8 if board.turn else taken - 8
    start = passed + 8 if board.turn else passed - 8
    board.ep_square = passed
    is_way_free = board.piece_at(passed) is None and board.piece_at(start) is None
    has_pawns_well = not board.pawns & chess.BB_BACKRANKS
    if (
        is_way_free
        and has_pawns_well
        and not board.was_into_check()
        and board.has_legal_en_passant()
    ):
        place = int(mover)
        for square in squares:
            place = 64 * place + square
        rights.place.append(place)
        rights.passed.append(passed)
        rights.own.append(own_score(board).code)
        rights.boards.append(board)


if __name__ == "__main__":
    main()
