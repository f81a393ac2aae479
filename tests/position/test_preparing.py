"""Classes of mates, against tables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tbgen.material import Material
from tbgen.position.bounds import Bound, Classes
from tbgen.position.closure import node_of
from tbgen.position.known import KnownTables
from tbgen.position.preparing import PawnFile
from tbgen.retro.words.block import bare_block, enter_block, find_legal
from tbgen.retro.words.geometry import geometry_of


class Fewer(KnownTables):
    """The tables of fewer men: promotions are hidden."""

    men = 0

    def has(self, material: Material) -> bool:
        return material.men < self.men and super().has(material)


def mates_of(name: str, folder: Path, file: int) -> np.ndarray:
    """How many positions of a file's blocks are mates by the table, surely by the classes, and possibly by these."""
    material, found = Material.parse(name), np.zeros(3, np.int64)
    known = Fewer([folder], 1 << 20, outcomes_only=True)
    known.men = material.men
    nodes = [node_of(material, [rank * 8 + file]) for rank in range(1, 7)]
    for node, mates in PawnFile(Classes([folder], known), nodes).solve(2):
        block = bare_block(geometry_of(node.layout), node.layout.block_words)
        enter_block(block, 0, np.array(node.pawns, np.int64))
        find_legal(block, np.zeros(node.layout.others, np.int64), 0, node.layout.block_words)
        for side in range(2):
            entry = known.plane(material, node.pawns, side).reshape(-1, 64)
            for forcer, mate in enumerate((1, -1)):
                words = np.packbits(entry == mate, axis=1, bitorder="little").view("<u8").ravel() & block.legal[side]
                bounds = [Bound.LOWER, Bound.UPPER] if forcer == 0 else [Bound.UPPER, Bound.LOWER]
                certain, possible = (mates[bound][forcer][side] for bound in bounds)
                assert not (certain & ~words).any(), (node, side, forcer)
                assert not (words & ~possible).any(), (node, side, forcer)
                found += [int(np.bitwise_count(each).sum()) for each in (words, certain, possible)]
    known.close()
    return found


def test_classes_of_a_pawn_hold_the_mates_of_its_table(table_folder: Path) -> None:
    mates, certain, possible = (sum(mates_of("KPvK", table_folder, file) for file in range(4))).tolist()
    assert 0 < certain < mates == possible  # a promotion mates at once, or else later; nobody is saved after one


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KQvKP", "KRvKP", "KPvKB", "KPvKQ", "KBPvK"])
def test_classes_of_four_men_hold_the_mates_of_their_tables(four_men_folder: Path, name: str) -> None:
    files = (mates_of(str(Material.parse(name).canonical()), four_men_folder, file) for file in range(4))
    mates, certain, possible = sum(files).tolist()
    assert 0 < certain <= mates <= possible
    assert certain > 0.95 * mates or name != "KQvKP"
