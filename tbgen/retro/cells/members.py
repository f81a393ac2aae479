"""Members: which cells have joined a class, or a middle of outcomes alone, and which still can."""

from typing import NamedTuple

import numpy as np

from tbgen.compiled.arrays import Int, Word, Words
from tbgen.compiled.jit import borrowing, by_address, inlined
from tbgen.index.words import NOTHING, count, square_bit
from tbgen.retro.words.block import Block
from tbgen.retro.words.geometry import WHITE
from tbgen.retro.words.worklist import drop_word, new_word_set


@by_address
class Members(NamedTuple):
    """The cells that have joined a class of the forcer, or a middle too, by their complements.

    Cells that the other side forces at this code leave `free` and `live` when the next one begins.
    """

    free: Words
    """[side, word] cells that can join.

    They are not frozen, no members yet, nor forced by the other side at the last freezing.
    """
    live: Words
    """[side, word >> 6] at least the words that have any."""
    left: Words
    """[word] the forcer's cells that have not joined, to which a defender escapes.

    Frozen cells and those forced by the other side are among them.
    """
    blocked: Words
    """[word] the defender's cells with a reset whose step has not come: a way out for now.

    Decided cells are among them.
    """


def new_members(words: int) -> Members:
    """Nobody has joined, and nobody can."""
    return Members(
        free=np.zeros((2, words), np.uint64),
        live=np.stack([new_word_set(words), new_word_set(words)]),
        left=np.zeros(words, np.uint64),
        blocked=np.zeros(words, np.uint64),
    )


@inlined
def leave_free(members: Members, side: Int, word: Int, bits: Word) -> None:
    """Some cells of a word are free no longer."""
    at = np.uint64(word)
    rest = members.free[side, at] & ~bits
    members.free[side, at] = rest
    if rest == NOTHING:
        drop_word(members.live[side], word)


@inlined
def open_word(members: Members, side: Int, word: Int, legal: Word) -> None:
    """All legal cells of a word are free. Words of a side are opened in ascending order."""
    members.free[side, word] = legal
    if word & 63 == 0:
        members.live[side, word >> 6] = NOTHING
    if legal:
        members.live[side, word >> 6] |= square_bit(word & 63)


@borrowing
def open_words(block: Block, white: Members, black: Members, first: int, end: int) -> int:
    """Begin a range of words: every legal cell is open, and nobody forces anything yet.

    Returns how many cells that are. The range begins with a group of 64 words.
    """
    cells = 0
    for side in range(2):
        ours = white if side == WHITE else black
        theirs = black if side == WHITE else white
        for word in range(first, end):
            legal = block.legal[side, word]
            block.undecided[side, word] = legal
            open_word(ours, side, word, legal)
            open_word(theirs, side, word, legal)
            ours.left[word] = legal
            theirs.blocked[word] = block.resets[side, word]
            cells += count(legal)
    return cells
