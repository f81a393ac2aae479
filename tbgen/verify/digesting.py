"""Digests of tables' values, independent of the bytes of files, and lists of them.

Docs/digests.md defines them.
"""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tbgen.compiled.arrays import Bytes, Int, Ints, Shorts, SignedBytes, WideInts
from tbgen.compiled.jit import borrowing, by_address, inner, small
from tbgen.errors import MaterialError, UsageError
from tbgen.material import TableMaterial, table_named
from tbgen.rules.position import why_not_accrued
from tbgen.score import Color, Score
from tbgen.storage.files import every_material, read_bounded, write_whole
from tbgen.storage.order import Order
from tbgen.storage.reader import TableFile
from tbgen.verify.cells import Men, men_of, side_of
from tbgen.verify.moves import Buffers, is_position, new_scratch, own_code_in
from tbgen.verify.reading import rows_in_outcomes, rows_of
from tbgen.verify.values import Rows, code_of, is_worse

KNOWN: Final = Path(__file__).with_name("digests.csv")
"""The list that comes with the program."""

_COLUMNS: Final = "material,outcomes,distances"
_DIGEST: Final = re.compile("[0-9a-f]{64}")
_HEAD: Final = (
    "# Digests of the values of tables, whatever bytes their files have;"
    " docs/digests.md defines them."
)

LEAF_ROWS_WITHOUT_PAWNS: Final = 1 << 12
LEAF_ROWS_WITH_PAWNS: Final = 1 << 10
"""The rows of a leaf, which has at most 65,536 places."""

_LEAVES_OF_A_TASK: Final = 16
_LAYERS: Final = ("outcomes", "distances")
_CODES: Final = 256
_VALUE_BYTES: Final = 5
"""The most bytes of a value: its outcome, its distance, and the number of its changes."""
_CHANGE_BYTES: Final = 5
"""The most bytes of a change: holder, code, outcome and distance."""
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
            digest = getattr(self, layer)
            known_digest = getattr(known, layer)
            if None not in (digest, known_digest) and digest != known_digest:
                known_table = f"those of the known table {known_digest}"
                return f"its {layer} have the digest {digest}, {known_table}"
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


# highest[state] -> the highest code of a row that is at most the code of the entry value; 0 without
# such a row
@borrowing
def find_highest_codes(values: StoredValues, highest: Bytes) -> None:
    """Own codes up to these may make rows of a state irrelevant."""
    for state in range(highest.size):
        pattern = values.pattern[state]
        limit = code_of(int(values.entry[state]))
        for row in range(values.rows.first[pattern], values.rows.end[pattern]):
            code = values.possible[values.rows.holder[row], values.rows.code[row]]
            if code <= limit:
                highest[state] = max(highest[state], code)


# keys[n] -> identifies the value in cells[n]: its state, and above it the own code if that makes
# rows irrelevant
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
                if own <= highest[states[n]]:
                    keys[n] |= own << _OWN_SHIFT


@small
def put_short(room: Bytes, at: Int, number: Int) -> None:
    """Write two bytes, the lower one first."""
    room[at] = number & 255
    room[at + 1] = number >> 8


@inner
def put_value(room: Bytes, at: Int, outcome: Int, dtg: Int, distances: bool) -> Int:
    """Write an outcome, with its distance in the layer of distances; return the end."""
    room[at] = outcome & 255
    if not distances:
        return at + 1
    put_short(room, at + 1, dtg)
    return at + 3


@inner
def put_changes(
    values: StoredValues, key: Int, side: Int, distances: bool, room: Bytes, at: Int
) -> tuple[int, int]:
    """Write the changes of a value from one accrued code to the next.

    Return their end and number.
    """
    state = key & _STATE_MASK
    own = key >> _OWN_SHIFT
    rows = values.rows
    pattern = values.pattern[state]
    end = int(rows.end[pattern])
    last_holder = -1
    last_outcome = 0
    last_dtg = 0
    count = 0
    for row in range(rows.first[pattern], end):
        holder = int(rows.holder[row])
        if holder != last_holder:
            last_holder = holder
            last_outcome = 0
            last_dtg = 0
        code = int(values.possible[holder, rows.code[row]])
        limit = code_of(int(values.entry[state]))
        if own != 0:
            # The own score has the entry value; the side that has just moved holds it.
            limit = min(limit, own if holder == side else own - 1)
        has_next = row + 1 < end and rows.holder[row + 1] == holder
        is_passed = has_next and rows.code[row + 1] <= code
        if code > limit or is_passed:
            continue
        outcome = int(rows.outcome[row])
        dtg = int(rows.dtg[row])
        if not is_worse(outcome, holder, code):
            outcome = 0
            dtg = 0
        if not is_worse(last_outcome, holder, code):
            last_outcome = 0
            last_dtg = 0
        if outcome != last_outcome or (distances and dtg != last_dtg):
            room[at] = holder
            room[at + 1] = code
            at = put_value(room, at + 2, outcome, dtg, distances)
            count += 1
            last_outcome = outcome
            last_dtg = dtg
    return int(at), count


# offsets[n] -> the beginning of the bytes of keys[n] in `room`, and after the last key their end
@borrowing
def write_values(
    values: StoredValues, keys: Ints, side: Int, distances: bool, room: Bytes, offsets: Ints
) -> None:
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
    order = file.order
    men = men_of(order.layout)
    values = _values_of(file)
    highest = np.zeros(len(values.entry), np.uint8)
    find_highest_codes(values, highest)
    read = file.ids if file.has_distances else file.symbols
    layers = _LAYERS if file.has_distances else _LAYERS[:1]
    size = leaf_places_of(order)
    places_of_task = _LEAVES_OF_A_TASK * size

    def leaves_from(first: int) -> list[list[bytes]]:
        """The digests of some leaves from a place on, layer by layer."""
        end = min(first + places_of_task, order.layout.cells)
        states = read(first, end).astype(values.pattern.dtype)
        cells = order.cells_of(np.arange(first, end))
        keys = np.empty(end - first, np.int64)
        find_keys(men, highest, new_scratch(), cells, states, keys)
        leaves = list[list[bytes]]()
        for place in range(first, end, size):
            side = place // order.plane_places % 2
            keys_of_leaf = keys[place - first : place - first + size]
            leaves.append(_leaf(values, keys_of_leaf, side, len(layers)))
        return leaves

    hashes = []
    for layer in layers:
        head = f"tbgen digest 1: {layer} of {file.material} under r-mobility 1\n"
        hashes.append(sha256(head.encode()))
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        for leaves in pool.map(leaves_from, range(0, order.layout.cells, places_of_task)):
            for leaf in leaves:
                for hash_of_layer, digest in zip(hashes, leaf, strict=True):
                    hash_of_layer.update(digest)
    return Digests(*(hash_of_layer.hexdigest() for hash_of_layer in hashes))


def leaf_places_of(order: Order) -> int:
    """The number of places of a leaf, all with the same block and side to move."""
    rows = LEAF_ROWS_WITH_PAWNS if order.layout.pawns else LEAF_ROWS_WITHOUT_PAWNS
    return min(order.plane_places, rows * order.layout.shape[2])


def _leaf(values: StoredValues, keys: Ints, side: int, layers: int) -> list[bytes]:
    """The digests of the values of some keys: of outcomes, and of distances with a second layer."""
    positions = keys[keys >= 0]
    unique, first, which = np.unique(positions, return_index=True, return_inverse=True)
    by_appearance = np.argsort(first)
    unique = unique[by_appearance]
    which = np.argsort(by_appearance)[which]
    pattern = values.pattern[unique & _STATE_MASK]
    rows = values.rows.end[pattern] - values.rows.first[pattern]
    room = np.empty(int((_VALUE_BYTES + _CHANGE_BYTES * rows).sum()), np.uint8)
    offsets = np.empty(len(unique) + 1, np.int64)
    digests = list[bytes]()
    for layer in range(layers):
        write_values(values, unique, side, layer > 0, room, offsets)
        written = room.tobytes()
        number_of = dict[bytes, int]()
        numbers = list[int]()
        for start, end in pairwise(offsets.tolist()):
            value = written[start:end]
            numbers.append(number_of.setdefault(value, len(number_of)))
        head = struct.pack("<II", len(positions), len(number_of))
        stream = np.array(numbers, "<u2")[which].tobytes()
        digests.append(sha256(b"".join([head, stream, *number_of])).digest())
    return digests


def _values_of(file: TableFile) -> StoredValues:
    codes = np.where(possible_scores(file.material), np.arange(_CODES), _NEVER).astype(np.uint8)
    possible = np.ascontiguousarray(np.minimum.accumulate(codes[:, ::-1], axis=1)[:, ::-1])
    if file.has_distances:
        states = file.states
        rows = rows_of(file.patterns)
        return StoredValues(states.entry, states.dtg, states.pattern, rows, possible)
    entry = np.ascontiguousarray(file.column("symbols")["entry"])
    return StoredValues(
        entry,
        dtg=np.zeros(len(entry), np.uint16),
        pattern=np.arange(len(entry), dtype=np.uint32),
        rows=rows_in_outcomes(file),
        possible=possible,
    )


def possible_scores(material: TableMaterial) -> npt.NDArray[np.bool_]:
    """[holder, code] -> whether the score can have accrued with these men.

    The solver and the proof do not use it.
    """
    bare = [len(material.side(color)) == 1 for color in Color]
    possible = np.zeros((len(Color), _CODES), np.bool_)
    for holder in Color:
        for code in range(_CODES):
            possible[int(holder), code] = why_not_accrued(Score(code, holder), bare) is None
    return possible


def read_digests(path: Path = KNOWN) -> dict[TableMaterial, Digests]:
    """The digests of a list by material; UsageError with the line if it is no list of digests."""
    lines = read_bounded(path).decode(errors="replace").splitlines()
    rows = [
        (number, line) for number, line in enumerate(lines, 1) if line and not line.startswith("#")
    ]
    if not rows or rows[0][1] != _COLUMNS:
        raise UsageError(f"{path} is no list of digests: it has no head {_COLUMNS}")
    digests_by_material = dict[TableMaterial, Digests]()
    for number, line in rows[1:]:
        try:
            material, digests = _row_of(line)
            if material in digests_by_material:
                raise UsageError(f"{material} is there twice")
        except (MaterialError, UsageError) as error:
            raise UsageError(f"{path}, line {number}: {error}") from None
        digests_by_material[material] = digests
    return digests_by_material


def _row_of(line: str) -> tuple[TableMaterial, Digests]:
    name, *digests = line.split(",")
    material = table_named(name)
    if digests[1:] == [""]:  # outcomes alone
        del digests[1]
    are_digests = len(digests) in (1, 2) and all(map(_DIGEST.fullmatch, digests))
    if not are_digests or line.count(",") != 2:
        raise UsageError("not a table and two digests of 64 hexadecimal digits")
    return material, Digests(*digests)


def write_digests(path: Path, digests: Mapping[TableMaterial, Digests]) -> None:
    """Write a list of digests, in build order; outcomes alone have none of distances."""
    lines = [_HEAD, _COLUMNS]
    for material in every_material():
        if material in digests:
            row = digests[material]
            lines.append(f"{material},{row.outcomes},{row.distances or ''}")
    write_whole(path, ["\n".join([*lines, ""]).encode()])
