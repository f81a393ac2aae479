"""Digests of tables' values, independent of the bytes of files, and lists of them; docs/digests.md defines them."""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain, pairwise
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Bytes, Int, Ints, Shorts, SignedBytes, WideInts
from tbgen.compiled.jit import borrowing, by_address, inner, small
from tbgen.errors import MaterialError, UsageError
from tbgen.material import Material
from tbgen.rules.position import why_not_accrued
from tbgen.score import Color, Score
from tbgen.storage.files import every_material, read_bounded, write_whole
from tbgen.storage.order import Order
from tbgen.storage.reader import TableFile
from tbgen.verify.cells import Men, men_of, side_of
from tbgen.verify.moves import Buffers, is_position, new_scratch, own_code_in
from tbgen.verify.values import Rows, code_of, is_worse, rows_in_outcomes, rows_of

KNOWN: Final = Path(__file__).with_name("digests.csv")
"""The list that comes with the program."""

_COLUMNS: Final = "material,outcomes,distances"
_DIGEST: Final = re.compile("[0-9a-f]{64}")
_HEAD: Final = "# Digests of the values of tables, whatever bytes their files have; docs/digests.md defines them."

LEAF_ROWS: Final = {False: 1 << 12, True: 1 << 10}
"""[whether there are pawns] -> rows of a leaf, which has at most 65,536 places."""

_LEAVES_OF_A_TASK: Final = 16
_LAYERS: Final = ("outcomes", "distances")
_CODES: Final = 256
_NEVER: Final = 255
"""Instead of a code: no code from here on can have accrued for that holder."""
_NO_POSITION: Final = -1
_OWN_SHIFT: Final = 40
"""The bits of a state in a key: tables of six men may have more than 2^32 states."""
_STATE_MASK: Final = (1 << _OWN_SHIFT) - 1


@dataclass(frozen=True, slots=True)
class Digests:
    """The digests of a table, 64 hexadecimal digits for each layer."""

    outcomes: str
    distances: str | None = None
    """Of outcomes and distances together; None for outcomes alone."""

    def difference(self, known: Digests) -> str | None:
        """The difference from the known table, in words; None if there is none."""
        for layer in _LAYERS:
            found, theirs = getattr(self, layer), getattr(known, layer)
            if found not in (None, theirs):
                return f"its {layer} have the digest {found}, those of the known table {theirs}"
        return None


@by_address
class StoredValues(NamedTuple):
    """The meanings of states in a file."""

    entry: SignedBytes
    dtg: Shorts
    pattern: WideInts
    rows: Rows
    possible: npt.NDArray[np.uint8]
    """[holder, code] -> the least code of at least this one that can have accrued, or _NEVER."""


# highest[state] -> the highest code of a row that is at most the code of the entry value; 0 without such a row
@borrowing
def find_highest_codes(values: StoredValues, highest: Bytes) -> None:
    """Own codes up to these may make rows of a state irrelevant."""
    for state in range(highest.size):
        pattern, limit = values.pattern[state], code_of(int(values.entry[state]))
        for row in range(values.rows.first[pattern], values.rows.end[pattern]):
            code = values.possible[values.rows.holder[row], values.rows.code[row]]
            if code <= limit:
                highest[state] = max(highest[state], code)


# keys[n] -> identifies the value in cells[n]: its state, and above it the own code if that makes rows irrelevant
@borrowing
def find_keys(
    men: Men, highest: Bytes, scratch: Buffers, cells: Ints, states: WideInts, keys: Ints
) -> None:
    """Keys of values; _NO_POSITION where there is no position."""
    for n in range(cells.size):
        keys[n] = _NO_POSITION
        if is_position(men, cells[n], scratch):
            keys[n] = states[n]
            if highest[states[n]]:
                own = own_code_in(men, scratch, side_of(men, cells[n]))
                keys[n] |= own << _OWN_SHIFT if own <= highest[states[n]] else 0


@small
def put_short(room: Bytes, at: Int, number: Int) -> None:
    """Write two bytes, the lower one first."""
    room[at] = number & 255
    room[at + 1] = number >> 8


@inner
def put_value(room: Bytes, at: Int, outcome: Int, dtg: Int, distances: bool) -> Int:
    """Write an outcome, with its distance in the layer of distances; return the end."""
    room[at] = outcome & 255
    if distances:
        put_short(room, at + 1, dtg)
    return at + (3 if distances else 1)


@inner
def put_changes(
    values: StoredValues, key: Int, side: Int, distances: bool, room: Bytes, at: Int
) -> tuple[int, int]:
    """Write the changes of a value from one accrued code to the next; return their end and number."""
    state, own, rows = key & _STATE_MASK, key >> _OWN_SHIFT, values.rows
    pattern, most = values.pattern[state], code_of(int(values.entry[state]))
    count, last, current, plies = 0, -1, 0, 0
    end = int(values.rows.end[pattern])
    for row in range(values.rows.first[pattern], end):
        holder = int(rows.holder[row])
        if holder != last:
            last, current, plies = holder, 0, 0
        code = int(values.possible[holder, rows.code[row]])
        # The own score has the entry value; the side that has just moved holds it.
        limit = most if own == 0 else min(most, own - (holder != side))
        is_passed = row + 1 < end and rows.holder[row + 1] == holder and rows.code[row + 1] <= code
        if code > limit or is_passed:
            continue
        outcome, far = int(rows.outcome[row]), int(rows.dtg[row])
        if not is_worse(outcome, holder, code):
            outcome, far = 0, 0
        if not is_worse(current, holder, code):
            current, plies = 0, 0
        if outcome != current or (distances and far != plies):
            room[at], room[at + 1] = holder, code
            at = put_value(room, at + 2, outcome, far, distances)
            count += 1
            current, plies = outcome, far
    return int(at), count


# offsets[n] -> the beginning of the bytes of keys[n] in `room`, and after the last key their end
@borrowing
def write_values(
    values: StoredValues, keys: Ints, side: Int, distances: bool, room: Bytes, offsets: Ints
) -> None:
    """Write the values of keys."""
    at = 0
    for n in range(keys.size):
        offsets[n] = at
        state = keys[n] & _STATE_MASK
        start = put_value(room, at, int(values.entry[state]), int(values.dtg[state]), distances)
        at, count = put_changes(values, keys[n], side, distances, room, start + 2)
        put_short(room, start, count)
    offsets[keys.size] = at


def digests_of(file: TableFile, threads: int | None = None) -> Digests:
    """The digests of a table, on some threads or one for each processor."""
    order, values, size = file.order, _values_of(file), leaf_places_of(file.order)
    men, highest = men_of(order.layout), np.zeros(len(values.entry), np.uint8)
    find_highest_codes(values, highest)
    read, layers = (file.ids, _LAYERS) if file.has_distances else (file.symbols, _LAYERS[:1])

    def leaves_from(first: int) -> list[list[bytes]]:
        """The digests of some leaves from a place on, layer by layer."""
        last = min(first + _LEAVES_OF_A_TASK * size, order.layout.cells)
        keys, cells = np.empty(last - first, np.int64), order.cells_of(np.arange(first, last))
        find_keys(
            men, highest, new_scratch(), cells, read(first, last).astype(values.pattern.dtype), keys
        )
        sides = ((place, place // order.plane_places % 2) for place in range(first, last, size))
        return [
            _leaf(values, keys[place - first :][:size], side, len(layers)) for place, side in sides
        ]

    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        starts = range(0, order.layout.cells, _LEAVES_OF_A_TASK * size)
        leaves = zip(*chain.from_iterable(pool.map(leaves_from, starts)), strict=True)
    heads = (
        f"tbgen digest 1: {layer} of {file.material} under r-mobility 1\n".encode()
        for layer in layers
    )
    return Digests(
        *(
            sha256(head + b"".join(each)).hexdigest()
            for head, each in zip(heads, leaves, strict=True)
        )
    )


def leaf_places_of(order: Order) -> int:
    """The number of places of a leaf, all with the same block and side to move."""
    return min(order.plane_places, LEAF_ROWS[order.layout.pawns > 0] * order.layout.shape[2])


def _leaf(values: StoredValues, keys: Ints, side: int, layers: int) -> list[bytes]:
    """The digests of the values of some keys: of outcomes, and with a second layer also with distances."""
    different, first, which = np.unique(keys[keys >= 0], return_index=True, return_inverse=True)
    by_appearance, digests = np.argsort(first), list[bytes]()
    different, which = different[by_appearance], np.argsort(by_appearance)[which]
    pattern = values.pattern[different & _STATE_MASK]
    counts = values.rows.end[pattern] - values.rows.first[pattern]
    room, offsets = (
        np.empty(int((5 + 5 * counts).sum()), np.uint8),
        np.empty(len(different) + 1, np.int64),
    )
    for layer in range(layers):
        write_values(values, different, side, layer > 0, room, offsets)
        written, contents = room.tobytes(), dict[bytes, int]()
        numbers = [
            contents.setdefault(written[start:end], len(contents))
            for start, end in pairwise(offsets.tolist())
        ]
        head = struct.pack("<II", len(which), len(contents))
        digests.append(
            sha256(b"".join([head, np.array(numbers, "<u2")[which].tobytes(), *contents])).digest()
        )
    return digests


def _values_of(file: TableFile) -> StoredValues:
    codes = np.where(possible_scores(file.material), np.arange(_CODES), _NEVER).astype(np.uint8)
    possible = np.ascontiguousarray(np.minimum.accumulate(codes[:, ::-1], axis=1)[:, ::-1])
    if file.has_distances:
        return StoredValues(*file.states, rows_of(file.patterns), possible)
    entry = np.ascontiguousarray(file.column("symbols")["entry"])
    numbers, no_dtg = np.arange(len(entry), dtype=np.uint32), np.zeros(len(entry), np.uint16)
    return StoredValues(entry, no_dtg, numbers, rows_in_outcomes(file), possible)


def possible_scores(material: Material) -> npt.NDArray[np.bool_]:
    """[holder, code] -> whether the score can have accrued with these men. The solver and the proof do not use it."""
    bare = [len(material.side(color)) == 1 for color in Color]
    scores = ([Score(code, holder) for code in range(_CODES)] for holder in Color)
    return np.array([[why_not_accrued(score, bare) is None for score in row] for row in scores])


def read_digests(path: Path = KNOWN) -> dict[Material, Digests]:
    """The digests of a list by material; UsageError with the line if it is no list of digests."""
    lines = read_bounded(path).decode(errors="replace").splitlines()
    rows = [
        (number, line) for number, line in enumerate(lines, 1) if line and not line.startswith("#")
    ]
    if not rows or rows[0][1] != _COLUMNS:
        raise UsageError(f"{path} is no list of digests: it has no head {_COLUMNS}")
    found: dict[Material, Digests] = {}
    for number, line in rows[1:]:
        name, *digests = line.split(",")
        try:
            material = Material.parse(name)
            if (
                not material.is_canonical
                or len(digests) != 2
                or not all(map(_DIGEST.fullmatch, digests))
            ):
                raise UsageError("not a table and two digests of 64 hexadecimal digits")
            if material in found:
                raise UsageError(f"{material} is there twice")
        except (MaterialError, UsageError) as error:
            raise UsageError(f"{path}, line {number}: {error}") from None
        found[material] = Digests(*digests)
    return found


def write_digests(path: Path, digests: Mapping[Material, Digests]) -> None:
    """Write those with distances into a list, in build order."""
    found = ((material, digests[material]) for material in every_material() if material in digests)
    lines = [
        f"{material},{each.outcomes},{each.distances}"
        for material, each in found
        if each.distances is not None
    ]
    write_whole(path, ["\n".join([_HEAD, _COLUMNS, *lines, ""]).encode()])
