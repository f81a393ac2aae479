"""The law of labels, cell by cell at every level: a label is what the moves of its position say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tbgen.compiled.jit import borrowing, inner
from tbgen.index.outcome_kernels import rank_of_byte
from tbgen.index.squares import KING_TO, MOVES, RAY_COUNT, SYMMETRY
from tbgen.index.words import square_bit
from tbgen.material import Material
from tbgen.retro.drive import one_block, shared_layers
from tbgen.retro.levels.forcer import BEGUN, reset_label
from tbgen.retro.levels.labels import label_of_cell
from tbgen.retro.levels.packing import label_from, limit_of
from tbgen.retro.levels.stages import advance_middle, spread_class
from tbgen.retro.words.block import BlockValues
from tbgen.retro.words.geometry import BLACK, unpack_men, word_after, word_after_king
from tests.retro.tables import solve_from_values, values

MEMBER, NEVER = np.int64(0), np.int64(1) << 32
"""Labels of those from which the forcer brings about better than what is in question, and of those that have none."""


@inner
def value_of(block, forcer, found, side, word, square, level):
    """The label of any position, decided ones too, as the levels so far have it."""
    byte = np.int64(found.entry[side * block.code.shape[1] + word * 64 + square])
    label = NEVER
    if byte:
        rank = rank_of_byte(byte, forcer.side)
        if rank < level:
            return MEMBER
        label = label_from(rank, np.int64(found.dtg[side * block.code.shape[1] + word * 64 + square]))
    elif forcer.middle.labelled[side, word] & square_bit(square):
        label = label_of_cell(block, forcer, side, word, square)
    return label if label < limit_of(level) else NEVER


@inner
def fold(block, legal, forcer, found, side, best, word, square, level):
    """The best label for the side to move, once a quiet move is taken into account."""
    if legal[1 - side, word] & square_bit(square):
        label = value_of(block, forcer, found, 1 - side, word, square, level)
        label = NEVER if label == NEVER else label + 1
        return min(best, label) if side == forcer.side else max(best, label)
    return best


@borrowing
def breaches(block, legal, forcer, found, men, level, words):
    """How many open positions of these words have a label, and how many one that their moves do not say."""
    geometry, labelled, wrong = block.geometry, 0, 0
    for side in range(2):
        for word in words:
            for square in range(64):
                if not forcer.forced.free[side, word] & square_bit(square):
                    continue
                best = NEVER if side == forcer.side else MEMBER
                if block.resets[side, word] & square_bit(square):
                    best = np.int64(reset_label(block, forcer, side, word, square))
                occupied = block.occupied[word] | square_bit(square)
                unpack_men(geometry, word, men)
                if side == BLACK:
                    for to in KING_TO[square]:
                        if to >= 0:
                            best = fold(block, legal, forcer, found, side, best, word, to, level)
                else:
                    king = word >> geometry.king_shift
                    for step in range(geometry.king_count[king]):
                        there = word_after_king(geometry, word, men, step)
                        image = SYMMETRY[geometry.king_image[king, step], square]
                        best = fold(block, legal, forcer, found, side, best, there, image, level)
                for man in range(len(men)):
                    if geometry.color[man] == side:
                        for ray in range(RAY_COUNT[geometry.role[man]]):
                            for to in MOVES[geometry.role[man], men[man], ray]:
                                if to < 0 or occupied & square_bit(to):
                                    break
                                there = word_after(geometry, word, men, man, to)
                                best = fold(block, legal, forcer, found, side, best, there, square, level)
                here = value_of(block, forcer, found, side, word, square, level)
                labelled += here < NEVER
                wrong += here != (best if best < limit_of(level) else NEVER)
    return labelled, wrong


forget_legal = one_block.OneBlock._forget_legal


class Checker:
    """Stands in for the parts of a stage, and holds the labels of a share of the words against the law after each."""

    def __init__(self, share: float) -> None:
        self.share = share
        self.draw = np.random.default_rng(81)
        self.found: dict[int, BlockValues] = {}
        """[forcer] the values when its class was done, and the other's perhaps not yet."""
        self.legal = np.zeros((2, 0), np.uint64)
        """Legal positions, which a block forgets before its levels."""
        self.levels = self.labelled = self.wrong = 0

    def forget_legal(self, block: one_block.OneBlock) -> None:
        self.legal = block.worker.block.legal
        forget_legal(block)

    def spread_class(self, block: Any, forcer: Any, found: Any, k: int) -> bool:
        done: bool = spread_class(block, forcer, found, k)
        self.found[forcer.side] = BlockValues(found.entry.copy(), found.dtg.copy())
        return done

    def advance_middle(self, block: Any, forcer: Any, k: int) -> bool:
        done: bool = advance_middle(block, forcer, k)
        if done and forcer.state[BEGUN]:
            geometry = block.geometry
            words = np.flatnonzero(self.draw.random(geometry.words) < self.share)
            men = np.zeros(len(geometry.role), np.int64)
            labelled, wrong = breaches(block, self.legal, forcer, self.found[forcer.side], men, k + 1, words)
            self.levels += 1
            self.labelled += labelled
            self.wrong += wrong
        return done


def assert_law(name: str, monkeypatch: pytest.MonkeyPatch, share: float = 1.0) -> Checker:
    for child in Material.parse(name).children():
        values(str(child))
    checker = Checker(share)
    monkeypatch.setattr(one_block.OneBlock, "_forget_legal", lambda block: checker.forget_legal(block))
    monkeypatch.setattr(shared_layers, "spread_class", checker.spread_class)
    monkeypatch.setattr(shared_layers, "advance_middle", checker.advance_middle)
    solve_from_values(name, threads=1)
    assert checker.wrong == 0
    return checker


@pytest.mark.parametrize("name", ["KNvK", "KBvK"])
def test_every_label_of_three_men_is_what_its_moves_say(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    checker = assert_law(name, monkeypatch)
    assert checker.levels > 20
    assert checker.labelled > 1000


@pytest.mark.slow
@pytest.mark.parametrize("name", ["KQvKQ", "KBvKN"])
def test_labels_of_four_men_are_what_their_moves_say(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sixteenth of all words, drawn anew at every level."""
    checker = assert_law(name, monkeypatch, share=1 / 16)
    assert checker.levels > 20
    assert checker.labelled > 1000
