"""The solved blocks that an interrupted build leaves, damaged before the next one goes on from
them.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from tbgen import retro
from tbgen.errors import TbgenError
from tbgen.index.layout import layout_of
from tbgen.material import table_named
from tbgen.storage.files import path_of
from tbgen.storage.reader import TableFile
from tbgen.storage.scratch import ScratchStore, scratch_path
from tbgen.storage.writer import write_table
from tests.attacks.attack import Attempt, assert_one_line, cut_up

MATERIAL = table_named("KPvK")
IDENTITY = {"material": str(MATERIAL)}
PLANE = layout_of(MATERIAL).block_words * 64


def begin(folder: Path, tables: Path, closing: ExitStack) -> Attempt:
    """The table is as if nothing had been left, or an error says in one line what is wrong."""
    sound = folder / "sound"
    again = folder / "again"
    sound.mkdir()
    expected = _built(sound, tables)
    assert len(list(scratch_path(sound, MATERIAL).iterdir())) > 3

    def attempt(draw: random.Random) -> None:
        shutil.rmtree(again, ignore_errors=True)
        again.mkdir()
        left = Path(shutil.copytree(scratch_path(sound, MATERIAL), scratch_path(again, MATERIAL)))
        files = sorted(left.iterdir())
        for path in draw.sample(files, draw.randint(1, len(files))):
            path.write_bytes(cut_up(path.read_bytes(), draw))
        if draw.random() < 0.3:
            draw.choice(files).rename(draw.choice(files))
        try:
            found = _built(again, tables)
        except TbgenError as error:
            assert_one_line(error)
        else:
            assert found == expected

    return attempt


def _built(folder: Path, tables: Path) -> Mapping[str, bytes]:
    """Build the table upon the blocks that are there, which stay there, too.

    The files of the table.
    """
    with ExitStack() as opened:
        children = {
            each: opened.enter_context(TableFile(path_of(tables, each)))
            for each in MATERIAL.children()
        }
        store = opened.enter_context(ScratchStore(scratch_path(folder, MATERIAL), IDENTITY, PLANE))
        solved = retro.solve_into(store, MATERIAL, children, threads=1)
        write_table(folder, solved, generator="attack", source="attack")
    return {path.name: path.read_bytes() for path in folder.glob(f"{MATERIAL}.*h5")}
