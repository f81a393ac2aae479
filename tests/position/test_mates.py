"""Classes of mates, against tables and against whole solves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tbgen.errors import ClosureTooLargeError, MissingTableError
from tbgen.index.layout import partial_layout
from tbgen.material import Material
from tbgen.position.bracket import Solution
from tbgen.position.closure import node_of
from tbgen.position.known import KnownTables
from tbgen.position.solving import PositionSolver
from tbgen.retro.levels.mates import MatesSolver
from tbgen.retro.words.block import enter_block, find_legal, new_block
from tbgen.retro.words.geometry import geometry_of
from tbgen.rules.points import Scoring
from tests.position.test_solving import PIECES, Folder, folder_of

__all__ = ["folder_of"]

FENS = (
    ("8/1P6/8/4k3/8/8/4p3/2K5 w - - 0 1", "-G9.5"),
    ("8/6P1/8/1k6/8/8/p7/4K3 w - - 0 1", "-G7.5"),
    ("7k/P7/8/8/8/1K6/7p/8 b - - 0 1", "G5.0"),
)


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
            entry = known.plane(material, node_of(material, [square]).pawns, side).reshape(-1, 64)
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
    canonical = str(Material.parse(name).canonical())
    mates, certain, possible = sum(mates_of(canonical, four_men_folder, file) for file in range(4)).tolist()
    assert 0 < certain <= mates <= possible
    if name == "KQvKP":
        assert certain > 0.95 * mates


def test_classes_make_bounds_closer_and_never_wrong(folder_of: Folder) -> None:
    folder, answers = folder_of(*PIECES, "KPvK"), list[list[Solution]]()
    for budget, prepares in ((1, False), (100, False), (1, True)):
        with PositionSolver(folder, budget=budget) as solver:
            if prepares:
                solver.prepare(Material.parse("KPvKP"))
                assert solver.preparation(Material.parse("KPvKP")).nodes == 0
            answers.append([solver.solve(*each) for each in FENS])
    widths = [0.0, 0.0]
    for wide, exact, close in zip(*answers, strict=True):
        assert exact.bracket.lower <= exact.bracket.upper
        for near, far in ((close, wide), (exact, close), (exact, wide)):
            assert far.bracket.lower <= near.bracket.lower <= near.bracket.upper <= far.bracket.upper, near.fen
            for move in near.moves:
                (other,) = (each.bracket for each in far.moves if each.move == move.move)
                assert other.lower <= move.bracket.lower <= move.bracket.upper <= other.upper, (near.fen, move.san)
        for n, each in enumerate((wide, close)):
            least, most = (float(Scoring().points(end)[0]) for end in (each.bracket.lower, each.bracket.upper))
            widths[n] += most - least
    assert widths[1] < widths[0]


def test_classes_that_cannot_be_made_are_refused(folder_of: Folder) -> None:
    with PositionSolver(folder_of("KvK")) as solver:
        with pytest.raises(ClosureTooLargeError, match="no promotion"):
            solver.preparation(Material.parse("KPvK"))
        with pytest.raises(MissingTableError, match="tbgen build"):
            solver.preparation(Material.parse("KRPvKRP"))
