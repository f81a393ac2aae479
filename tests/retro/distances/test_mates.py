"""Classes of mates, against tables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tbgen.index.layout import partial_layout
from tbgen.material import Material
from tbgen.position.known import KnownTables
from tbgen.retro.distances.mates import MatesSolver
from tbgen.retro.words.block import enter_block, find_legal, new_block
from tbgen.retro.words.geometry import geometry_of


def mates_of(name: str, folder: Path, file: int) -> np.ndarray:
    """How many positions of a file's blocks are mates by the table, surely by the classes, and possibly by these."""
    material, found = Material.parse(name), np.zeros(3, np.int64)
    known = KnownTables([folder], 1 << 20, outcomes_only=True)
    for square, sets in MatesSolver(material, known.plane).file(file):
        layout = partial_layout(material, [(square,)])
        block = new_block(geometry_of(layout))
        enter_block(block, 0, np.array([square], np.int64))
        find_legal(block, np.zeros(layout.others, np.int64), 0, layout.block_words)
        for side in range(2):
            entry = known.plane(material, (square,), side).reshape(-1, 64)
            for forcer, mate in enumerate((1, -1)):
                words = np.packbits(entry == mate, axis=1, bitorder="little").view("<u8").ravel() & block.legal[side]
                certain, possible = sets[:, forcer, side]
                assert not (certain & ~words).any(), (square, side, forcer)
                assert not (words & ~possible).any(), (square, side, forcer)
                found += [int(np.bitwise_count(each).sum()) for each in (words, certain, possible)]
    known.close()
    return found


def test_classes_of_a_pawn_hold_the_mates_of_its_table(table_folder: Path) -> None:
    mates, certain, possible = (sum(mates_of("KPvK", table_folder, file) for file in range(4))).tolist()
    assert certain == 0 < mates == possible  # nobody mates without a promotion, and nobody is saved after one


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KQvKP", "KRvKP", "KPvKB", "KPvKQ", "KBPvK"])
def test_classes_of_four_men_hold_the_mates_of_their_tables(four_men_folder: Path, name: str) -> None:
    files = (mates_of(str(Material.parse(name).canonical()), four_men_folder, file) for file in range(4))
    mates, certain, possible = sum(files).tolist()
    assert 0 < certain <= mates <= possible
    assert certain > 0.95 * mates or name != "KQvKP"
