"""A folder of solved blocks that several processes use at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tbgen.position.known import BlockFolder
from tbgen.retro.drive.many_blocks import SolvedRun
from tbgen.table import Cells, Dictionary, Run

SIZE = 1000


def solved() -> SolvedRun:
    """A block that somebody has made up."""
    nothing = np.zeros(0, np.int8), np.zeros(0, np.uint16)
    cells = Cells(np.ones(SIZE, np.int8), np.zeros(SIZE, np.uint16), np.zeros(SIZE, np.uint32))
    dictionary = Dictionary(np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64))
    return SolvedRun(Run(0, SIZE, 0, np.zeros((2, 256, 3), np.int64), nothing), dictionary, cells)


def test_blocks_that_others_may_still_read_are_not_removed(tmp_path: Path) -> None:
    """Locks are those of open files, so two objects stand for two processes."""
    ours, theirs = BlockFolder(tmp_path), BlockFolder(tmp_path)
    ours.put("read", solved())
    theirs.put("other", solved())
    theirs.used.clear()
    theirs.shrink(0)
    block = ours.get("read")
    assert block is not None
    assert block.plane(0).tolist() == [1] * (SIZE // 2)
    assert len(list(tmp_path.iterdir())) == 2, "somebody else was at work"
    ours.shrink(0)
    assert [path.name for path in tmp_path.iterdir()] == ["read.blocks"], "and now nobody is; ours are in use"


def test_a_block_that_has_vanished_is_not_solved(tmp_path: Path) -> None:
    folder = BlockFolder(tmp_path)
    folder.put("gone", solved())
    folder.used.clear()
    for path in sorted(tmp_path.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    assert folder.get("gone") is None
