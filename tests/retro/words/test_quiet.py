"""Quiet moves of 64 positions at a time, against moves of one position after another."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from tbgen.compiled.arrays import Int, Ints, Word, Words
from tbgen.compiled.jit import borrowing
from tbgen.retro.words.block import Block
from tbgen.retro.words.quiet import (
    Neighbours,
    find_escapes,
    list_neighbours,
    mark_predecessors,
    new_neighbours,
)
from tbgen.retro.words.worklist import Markable, Worklist, new_word_set, new_worklist
from tests.retro.words.plain import Cell, PlainBlock, cells_in, holds, squares_in

BLOCKS = [("KvK", 0), ("KNvK", 0), ("KBvKN", 0), ("KNNvK", 0), ("KPvK", 7), ("KNvKP", 11)]


@cache
def plain_block(name: str, number: int) -> PlainBlock:
    return PlainBlock(name, number)


@borrowing
def escapes(block: Block, men: Ints, mover: Int, word: Int, bits: Word, left: Words) -> Word:
    return find_escapes(block, men, mover, word, bits, left)


@borrowing
def listed(block: Block, men: Ints, mover: Int, word: Int, bits: Word, near: Neighbours) -> int:
    return list_neighbours(block, men, mover, word, bits, near, None)


@borrowing
def mark(
    block: Block,
    men: Ints,
    mover: Int,
    word: Int,
    bits: Word,
    marks: Worklist,
    allowed: Words,
    live: Words,
    near: Neighbours,
) -> None:
    mark_predecessors(block, men, mover, word, bits, Markable(marks, allowed, live), near)


def sampled_words(plain: PlainBlock, side: int, wanted: int) -> list[int]:
    """Words that have legal positions."""
    words = np.flatnonzero(plain.block.legal[side])
    draw = np.random.default_rng(len(words))
    return draw.choice(words, min(wanted, len(words)), replace=False).tolist()


def some_bits(draw: np.random.Generator, words: np.ndarray, share: float) -> np.ndarray:
    """A part of a set."""
    flags = draw.random((len(words), 64)) < share
    return np.packbits(flags, axis=1, bitorder="little").view(np.uint64).ravel() & words


@pytest.mark.parametrize("share", [0.02, 0.6])
@pytest.mark.parametrize(("name", "number"), BLOCKS)
@pytest.mark.parametrize("side", [0, 1])
def test_an_escape_is_a_quiet_move_into_a_set(
    name: str, number: int, side: int, share: float
) -> None:
    plain = plain_block(name, number)
    draw = np.random.default_rng(1)
    left = some_bits(draw, plain.block.legal[1 - side], share)
    for word in sampled_words(plain, side, 6):
        bits = some_bits(draw, plain.block.legal[side, word : word + 1], 0.7)[0]
        escaping = escapes(plain.block, plain.men, side, word, bits, left)
        expected = {
            king
            for king in squares_in(bits)
            if any(holds(left, cell) for cell in plain.cells_after(side, (word, king)))
        }
        assert squares_in(escaping) == expected


@pytest.mark.parametrize(("name", "number"), BLOCKS)
@pytest.mark.parametrize("side", [0, 1])
def test_neighbours_are_all_legal_cells_a_quiet_move_away(
    name: str, number: int, side: int
) -> None:
    plain = plain_block(name, number)
    draw = np.random.default_rng(2)
    near = new_neighbours()
    legal = plain.block.legal[1 - side]
    for word in sampled_words(plain, side, 6):
        bits = some_bits(draw, plain.block.legal[side, word : word + 1], 0.5)[0]
        size = listed(plain.block, plain.men, side, word, bits, near)
        cells = set[Cell]()
        for n in range(size):
            there = int(near.word[n])
            cells |= {(there, king) for king in squares_in(near.bits[n] & legal[there])}
        after = set[Cell]()
        for king in squares_in(bits):
            after |= {cell for cell in plain.cells_after(side, (word, king)) if holds(legal, cell)}
        assert cells == after


@pytest.mark.parametrize(("name", "number"), [("KvK", 0), ("KNvK", 0), ("KPvK", 7)])
@pytest.mark.parametrize("side", [0, 1])
def test_marked_cells_are_those_from_which_a_quiet_move_leads_there(
    name: str, number: int, side: int
) -> None:
    plain = plain_block(name, number)
    draw = np.random.default_rng(3)
    words = len(plain.block.occupied)
    allowed = some_bits(draw, plain.block.legal[side], 0.1 if words > 64 else 0.5)
    live = new_word_set(words)
    for word in np.flatnonzero(allowed).tolist():
        live[word >> 6] |= np.uint64(1 << (word & 63))
    moves = {cell: set(plain.cells_after(side, cell)) for cell in cells_in(allowed)}
    for word in sampled_words(plain, 1 - side, 6):
        bits = some_bits(draw, plain.block.legal[1 - side, word : word + 1], 0.5)[0]
        marks = new_worklist(words)
        near = new_neighbours()
        mark(plain.block, plain.men, side, word, bits, marks, allowed, live, near)
        targets = {(word, king) for king in squares_in(bits)}
        expected = {cell for cell, after in moves.items() if not targets.isdisjoint(after)}
        assert cells_in(marks.bits) == expected
