"""The file of solved blocks that a build which was interrupted leaves, damaged before the next one goes on from it."""

from __future__ import annotations

import json
import random
import shutil
import struct
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from zlib import crc32

from tbgen import retro
from tbgen.errors import TbgenError
from tbgen.index.layout import layout_of
from tbgen.material import Material
from tbgen.retro.drive.counts import nothing_found
from tbgen.storage.files import path_of
from tbgen.storage.reader import TableFile
from tbgen.storage.scratch import Form, ScratchStore, scratch_path
from tbgen.storage.writer import write_table
from tests.attacks.attack import Attempt, assert_one_line, cut_up
from tests.test_tampered import tampered

MATERIAL = Material.parse("KPvK")
IDENTITY = {"material": str(MATERIAL)}
LAYOUT = layout_of(MATERIAL)
FORM = Form(2 * LAYOUT.block_words * 64, LAYOUT.cells, nothing_found().shape)


def begin(folder: Path, tables: Path, closing: ExitStack) -> Attempt:
    """The table comes out as if nothing had been left, or an error says in one line what is wrong."""
    sound, again = folder / "sound", folder / "again"
    sound.mkdir()
    expected = _built(sound, tables, scratch_path(folder, MATERIAL))
    left = scratch_path(folder, MATERIAL).read_bytes()
    assert left.count(b"tbgenrun") > 3

    def attempt(draw: random.Random) -> None:
        shutil.rmtree(again, ignore_errors=True)
        again.mkdir()
        path = scratch_path(again, MATERIAL)
        part = left[: draw.randrange(len(left))] if draw.random() < 0.3 else left
        path.write_bytes(_forged(part, draw) if draw.random() < 0.5 else cut_up(part, draw))
        try:
            found = _built(again, tables, path)
        except TbgenError as error:
            assert_one_line(error)
        else:
            assert found == expected

    return attempt


def _built(folder: Path, tables: Path, blocks: Path) -> Mapping[str, bytes]:
    """Build the table upon the blocks that are there, which stay there, too; the files of the table."""
    with ExitStack() as opened:
        children = {each: opened.enter_context(TableFile(path_of(tables, each))) for each in MATERIAL.children()}
        store = opened.enter_context(ScratchStore(blocks, IDENTITY, FORM))
        solved = retro.solve_into(store, MATERIAL, children, threads=1)
        write_table(folder, solved, generator="attack", source="attack")
    return {path.name: path.read_bytes() for path in folder.glob(f"{MATERIAL}.*") if path != blocks}


def _forged(left: bytes, draw: random.Random) -> bytes:
    """Facts of some runs that are others, with checksums that are right."""
    head, *runs = left.split(b"tbgenrun")
    for number in draw.sample(range(len(runs)), min(len(runs), draw.randint(1, 3))):
        if len(runs[number]) < 8:
            continue
        size, _ = struct.unpack_from("<II", runs[number])
        try:
            facts = json.loads(runs[number][8 : 8 + size])
        except ValueError:
            continue
        told = json.dumps(tampered(facts, draw)).encode()
        runs[number] = struct.pack("<II", len(told), crc32(told)) + told + runs[number][8 + size :]
    if draw.random() < 0.2:
        draw.shuffle(runs)
    if draw.random() < 0.2:
        runs += runs[:2]
    return b"tbgenrun".join([head, *runs])
