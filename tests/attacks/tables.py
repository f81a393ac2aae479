"""Files of tables with damaged bytes, and forged ones: damaged in what they say, with all checksums
right.

Nothing here knows more of a file than its outermost form: a seal of lines, the index at its end, a
line of JSON and then sixteen bytes for each chunk.
"""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import struct
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from zlib import crc32

import chess
import zstandard

from tbgen.errors import AccruedError, TableError
from tbgen.probe import Tablebase, open_tablebase
from tbgen.score import Score
from tests.attacks.attack import Attempt, assert_civil, assert_one_line, cut_up
from tests.cli.calls import tbgen
from tests.positions import random_root
from tests.test_tampered import tampered

NAMES = ("KBvK", "KNvK", "KPvK")
SEAL_BYTES = 512
CHUNK = struct.Struct("<QII")
"""Where a chunk begins, its length, its CRC-32."""

Value = tuple[str, int | None]


def begin_flips(folder: Path, tables: Path, closing: ExitStack) -> Attempt:
    """A table with damaged bytes gives an error or the right value, and the check of its bytes
    finds the damage.
    """
    copies = _Copies(folder, tables, closing)

    def attempt(draw: random.Random) -> None:
        path, whole = copies.change_one(draw, damaged)
        if path.read_bytes() == whole:
            return
        copies.assert_no_wrong_value(draw)
        done = tbgen("verify", copies.name, folder=copies.folder)
        assert_civil(done)
        assert done.returncode == 4, done

    return attempt


def begin_forged(folder: Path, tables: Path, closing: ExitStack) -> Attempt:
    """A forged table gives errors of one line.

    Where it gives a wrong value, `tbgen verify` says so.
    """
    copies = _Copies(folder, tables, closing)

    def attempt(draw: random.Random) -> None:
        path, whole = copies.change_one(draw, forged)
        copies.make_others_name_it(path, whole)
        name = copies.name
        board = copies.board(draw)
        for words in (
            ("list",),
            ("list", name),
            ("probe", board.fen()),
            ("probe", "--line", board.fen()),
            ("study", "record", name, "-o", str(folder / "records")),
        ):
            assert_civil(tbgen(*words, folder=copies.folder))
        proof = tbgen("verify", name, folder=copies.folder)
        assert_civil(proof)
        if proof.returncode == 0:
            copies.assert_no_wrong_value(draw)

    return attempt


class _Copies:
    """A folder of tables of which one is to be damaged, and what its positions are worth."""

    def __init__(self, folder: Path, tables: Path, closing: ExitStack) -> None:
        self.folder = folder / "tables"
        self._sound = tables
        self._genuine = closing.enter_context(open_tablebase(tables))
        self.name = ""

    def change_one(
        self, draw: random.Random, changed: Callable[[bytes, random.Random], bytes]
    ) -> tuple[Path, bytes]:
        """Change a file of a table in a folder of sound ones.

        The file, and the bytes that it had.
        """
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        for path in self._sound.iterdir():
            if path.is_file():
                shutil.copyfile(path, self.folder / path.name)
        self.name = draw.choice(NAMES)
        path = draw.choice(sorted(self.folder.glob(f"{self.name}.*")))
        whole = path.read_bytes()
        path.write_bytes(changed(whole, draw))
        return path, whole

    def make_others_name_it(self, forged: Path, before: bytes) -> None:
        """Let the table's other files, which name a file by its digest, name the forged one."""
        was, now = (_facts_of(whole)["sha256"].encode() for whole in (before, forged.read_bytes()))
        for path in set(self.folder.glob(f"{self.name}.*")) - {forged}:
            whole = path.read_bytes()
            if was in whole and len(was) == len(now):
                facts, body, index = _parts_of(whole.replace(was, now))
                path.write_bytes(_sealed(facts, body, index))

    def board(self, draw: random.Random) -> chess.Board:
        """A legal position of the table, either colour ahead."""
        board = random_root(draw, f"K{self.name[1]}k")
        return draw.choice((board, board.mirror()))

    def assert_no_wrong_value(self, draw: random.Random) -> None:
        with open_tablebase(self.folder) as tables:
            for _ in range(20):
                board = self.board(draw)
                accrued = draw.choice(
                    [None, Score.from_signed(draw.choice([-1, 1]) * draw.randint(3, 16))]
                )
                assert _answer(tables, board, accrued) in (
                    None,
                    _answer(self._genuine, board, accrued),
                ), board.fen()


def _answer(tables: Tablebase, board: chess.Board, accrued: Score | None) -> Value | None:
    """What a position is worth, if the table does not complain.

    Nothing where the accrued score is impossible.
    """
    try:
        found = tables.probe(board, accrued)
    except AccruedError:
        return None
    except TableError as error:
        assert_one_line(error)
        return None
    return str(found.outcome), found.dtg


def damaged(whole: bytes, draw: random.Random) -> bytes:
    """A bit turned over mostly; else bytes cut out, put in, or cut off."""
    if draw.random() < 0.7:
        place = draw.choice(
            [
                draw.randrange(len(whole)),
                draw.randrange(SEAL_BYTES),
                len(whole) - 1 - draw.randrange(500),
            ]
        )
        damaged = bytearray(whole)
        damaged[place] ^= 1 << draw.randrange(8)
        return bytes(damaged)
    ways: list[Callable[[], bytes]] = [
        lambda: cut_up(whole, draw),
        lambda: whole[: draw.randrange(len(whole))],
        lambda: whole + b"\0",
    ]
    return draw.choice(ways)()


def forged(whole: bytes, draw: random.Random) -> bytes:
    """A file that says something else than was written, with all checksums right."""
    facts, body, index = _parts_of(whole)
    head, _, rows = index.partition(b"\n")
    body, told, rows = draw.choice(_FORGERIES)(body, json.loads(head), rows, draw)
    index = json.dumps(told).encode() + b"\n" + rows
    junk = {draw.choice(list(facts)): draw.choice(["0", "-1", "99", "KvK", "x", str(1 << 70)])}
    if draw.random() < 0.05:
        return _sealed(facts, body, index, **junk)
    return _sealed(facts, body, index)


def _facts_of(whole: bytes) -> dict[str, str]:
    """The lines of a seal."""
    lines = (
        line.partition(" ") for line in whole[:SEAL_BYTES].decode().splitlines() if line.strip()
    )
    return {name: text.strip() for name, _, text in lines}


def _parts_of(whole: bytes) -> tuple[dict[str, str], bytes, bytes]:
    """The lines of the seal, what comes before the index, and the index."""
    facts = _facts_of(whole)
    start = int(facts["index"])
    return facts, whole[SEAL_BYTES:start], whole[start:]


def _sealed(facts: Mapping[str, str], body: bytes, index: bytes, /, **others: str) -> bytes:
    """A file with right checksums."""
    start = SEAL_BYTES + len(body)
    facts = {
        **facts,
        "length": str(start + len(index)),
        "index": str(start),
        "sha256-of-index": hashlib.sha256(index).hexdigest(),
        "sha256": hashlib.sha256(body + index).hexdigest(),
        **others,
    }
    seal = "\n".join(f"{name} {text}" for name, text in facts.items()).encode()
    return seal[: SEAL_BYTES - 1].ljust(SEAL_BYTES - 1) + b"\n" + body + index


Parts = tuple[bytes, Any, bytes]


def _other_facts(body: bytes, told: Any, rows: bytes, draw: random.Random) -> Parts:
    for _ in range(draw.randint(1, 2)):
        told = tampered(told, draw)
    return body, told, rows


def _other_form(body: bytes, told: Any, rows: bytes, draw: random.Random) -> Parts:
    """Another type, size or number of chunks of a dataset."""
    dataset = told["datasets"][draw.choice(list(told["datasets"]))]
    place = draw.randrange(len(dataset))
    value = dataset[place]
    if isinstance(value, bool):
        dataset[place] = not value
    elif isinstance(value, int):
        dataset[place] = draw.choice(
            [0, 1, -1, value + 1, value - 1, 2 * value, value << 20, 1 << 62, 1 << 80]
        )
    else:
        dataset[place] = draw.choice(
            [
                "|O",
                "<f8",
                "|u1",
                "<u2",
                "<u4",
                "<i8",
                "|i1",
                "|S96",
                "<U9",
                "|V7",
                "<M8[s]",
                [],
                [["a", "<u2"]],
                "x",
            ]
        )
    return body, told, rows


def _other_chunks(body: bytes, told: Any, rows: bytes, draw: random.Random) -> Parts:
    """Chunks that lie elsewhere, or change places."""
    changed = bytearray(rows)
    for _ in range(draw.randint(1, 3)):
        one, other = (CHUNK.size * draw.randrange(len(rows) // CHUNK.size) for _ in range(2))
        row = list(CHUNK.unpack_from(changed, one))
        if draw.random() < 0.4:
            changed[one : one + CHUNK.size], changed[other : other + CHUNK.size] = (
                changed[other : other + CHUNK.size],
                changed[one : one + CHUNK.size],
            )
            continue
        field = draw.randrange(3)
        row[field] = draw.choice([0, 1, row[field] + 1, row[field] // 2, (1 << 32) - 1])
        CHUNK.pack_into(changed, one, *row)
    return body, told, bytes(changed) if draw.random() < 0.8 else rows[: draw.randrange(len(rows))]


def _other_content(body: bytes, told: Any, rows: bytes, draw: random.Random) -> Parts:
    """A chunk that holds something else; its size is right, mostly."""
    changed = bytearray(rows)
    for _ in range(draw.choice([1, 1, 2, 5])):
        place = CHUNK.size * draw.randrange(len(rows) // CHUNK.size)
        offset, size, _ = CHUNK.unpack_from(changed, place)
        packed = (body if offset < SEAL_BYTES + len(body) else b"")[
            offset - SEAL_BYTES : offset - SEAL_BYTES + size
        ]
        items = zstandard.ZstdDecompressor().decompressobj().decompress(packed)
        packed = zstandard.ZstdCompressor().compress(_other_items(items, draw))
        CHUNK.pack_into(changed, place, SEAL_BYTES + len(body), len(packed), crc32(packed))
        body += packed
    return body, told, bytes(changed)


def _other_items(items: bytes, draw: random.Random) -> bytes:
    how = draw.random()
    if how < 0.1:
        return cut_up(items, draw)
    changed = bytearray(items)
    if how < 0.3:
        return bytes([draw.choice([0, 1, 127, 128, 255])]) * len(items)
    for _ in range(draw.choice([1, 10, 1000])):
        if changed:
            changed[draw.randrange(len(changed))] = draw.choice(
                [0, 1, 127, 128, 255, draw.randrange(256)]
            )
    return bytes(changed)


_FORGERIES: tuple[Callable[[bytes, object, bytes, random.Random], Parts], ...] = (
    _other_facts,
    _other_form,
    _other_chunks,
    _other_content,
    _other_content,
    _other_content,
)
