"""A single block at thresholds: one bit a cell, from values of all that it leads to.

`tbgen.closures` solves large blocks by it, without a table.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from tbgen.compiled.arrays import Bytes, NewArray, Word, Words
from tbgen.index.words import EVERYTHING
from tbgen.retro.cells.worker import Worker
from tbgen.retro.drive.results import en_passant_of
from tbgen.retro.drive.task import check_status
from tbgen.retro.outcomes.en_passant import Inquiry
from tbgen.retro.outcomes.grower import Grower
from tbgen.retro.outcomes.threshold import (
    Questions,
    find_goods,
    new_sides,
    questions_of,
    solve_threshold,
)
from tbgen.retro.patterns.histories import new_interner
from tbgen.retro.resets.destinations import ChildLayouts, ChildTables, empty_child_tables
from tbgen.retro.words.block import Block, BlockValues, enter_block, find_legal, new_block
from tbgen.retro.words.geometry import geometry_of
from tbgen.retro.words.moves import new_scratch
from tbgen.score import STALEMATE_CODE, Color, Score
from tbgen.table import Entries, Queries

ChildSource = Callable[[Sequence[Color]], ChildTables]
"""What moves of some sides lead to."""

NO_DISTANCES = np.zeros(0, np.uint16)

CHUNK = 1 << 16
"""A thread finds the moves of so many words at a time."""

QUESTIONS_OF_A_BLOCK = 2
"""So many threads solve a block, each at a threshold of its own."""


class BlockBits(NamedTuple):
    """The values of a block at one threshold."""

    met: Bytes
    """[cell >> 3] whether the holder gets at least that score, a bit a cell, the lowest first."""
    en_passant: Entries
    """Values with a right to take en passant, in the order of `ChildTables`, if it has any.

    Each value is only right in whether the holder gets the score.
    """
    answers: Entries
    """The value for each query, right in the same."""


@dataclass(frozen=True)
class SingleBlock:
    """A block, and all that it leads to."""

    layouts: ChildLayouts
    """The layout of its material with all blocks of that, then those of other materials."""
    number: int
    """The number of the block in the first layout."""
    shades: Word = EVERYTHING
    """A bit for each shade of its bishops that is solved."""
    new: NewArray = np.zeros
    """Makes all large arrays but the sets that grow."""
    asking: AbstractContextManager[Any] = field(default_factory=nullcontext)
    """Entered for each threshold, whose sets take the most memory."""

    def solve_thresholds(
        self, source: ChildSource, thresholds: Sequence[Score], asked: Queries
    ) -> list[BlockBits]:
        """Where the holder of each threshold gets that score, by two threads.

        Values of the source need to be right only in which thresholds they reach. To save memory
        it is asked for one side after the other, unless rights to take en passant need both.
        """
        layout = self.layouts.layouts[0]
        words = layout.block_words
        seeking = np.array([[int(score.holder), score.code] for score in thresholds], np.int64)
        most_code = int(seeking[:, 1].max())
        nothing = empty_child_tables(self.layouts)
        has_rights = len(self._rights(nothing)) > 0
        counts_moves = has_rights or most_code > STALEMATE_CODE
        planes = (most_code // 2 + 1).bit_length() if counts_moves else 0
        block = self._block(codes=has_rights, planes=planes)
        goods = self.new(len(thresholds) * 2 * words, np.uint64).reshape(-1, 2, words)

        def find(children: ChildTables, sides: Sequence[Color], first: int) -> None:
            mine = own_pawns(block)
            scratch = new_scratch(len(block.geometry.color))
            end = min(first + CHUNK, words)
            for side in sides:
                status = find_goods(mine, children, scratch, seeking, goods, int(side), first, end)
                check_status(layout.material, status)

        with ThreadPoolExecutor(QUESTIONS_OF_A_BLOCK) as pool:
            list(pool.map(partial(self._find_legal, block), self._chunks()))
            children = nothing
            sides_at_once = [tuple(Color)] if has_rights else [(Color.WHITE,), (Color.BLACK,)]
            for sides in sides_at_once:
                children = source(sides)
                list(pool.map(partial(find, children, sides), self._chunks()))
                if not has_rights:
                    children = nothing  # so that the other side's take their place
            ask = partial(self._ask, block, children, questions_of(asked))
            return list(pool.map(ask, thresholds, goods))

    def _ask(
        self, block: Block, children: ChildTables, asked: Questions, threshold: Score, good: Words
    ) -> BlockBits:
        """The block at one threshold, as soon as memory has room for its sets."""
        with self.asking:
            return self._bits(block, children, asked, threshold, good)

    def _bits(
        self, block: Block, children: ChildTables, asked: Questions, threshold: Score, good: Words
    ) -> BlockBits:
        """The block at one threshold; `good` is overwritten.

        Answers are this threshold's own, as threads share the rest.
        """
        if len(self._rights(children)):
            rights = children.en_passant
            children = children._replace(en_passant=rights._replace(entry=rights.entry.copy()))
        with_rights = self._rights(children)
        mine = own_pawns(block)._replace(next_code=np.zeros_like(block.next_code))
        questions = asked._replace(answers=asked.answers.copy())
        cells = 2 * block.geometry.words * 64 if len(with_rights) else 0
        inquiry = _inquiry(mine, new_sides(block.geometry, good), children, cells)
        solve_threshold(inquiry, questions, int(threshold.holder), threshold.code, good)
        check_status(self.layouts.layouts[0].material, int(inquiry.worker.scratch.status[0]))
        return BlockBits(good.ravel().view(np.uint8), with_rights, questions.answers)

    def _rights(self, children: ChildTables) -> Entries:
        """The values with a right to take en passant; of an empty array if the block has none."""
        cells = self.layouts.layouts[0].block_words * 128
        entry, _ = en_passant_of(children.en_passant, range(self.number, self.number + 1), cells)
        return entry

    def _block(self, *, codes: bool, planes: int) -> Block:
        """The block with its pawns, and room for codes and resets."""
        layout = self.layouts.layouts[0]
        geometry = geometry_of(layout)
        block = new_block(
            geometry, plies=False, numbers=False, codes=codes, planes=planes, new=self.new
        )
        enter_block(block, self.number, np.array(layout.blocks[self.number], np.int64))
        block.shades[0] = self.shades
        return block

    def _chunks(self) -> range:
        """The first word of each chunk."""
        return range(0, self.layouts.layouts[0].block_words, CHUNK)

    def _find_legal(self, block: Block, first: int) -> None:
        """Find the legal positions of a chunk of words."""
        layout = self.layouts.layouts[0]
        end = min(first + CHUNK, layout.block_words)
        find_legal(block, np.zeros(layout.others, np.int64), first, end)


def _inquiry(
    block: Block, sides: tuple[Grower, Grower], children: ChildTables, cells: int
) -> Inquiry:
    """The inquiry about a block, with values for so many cells of both sides to move."""
    worker = Worker(block, new_scratch(len(block.geometry.color)), *sides, new_interner(1))
    values = BlockValues(np.zeros(cells, np.int8), NO_DISTANCES)
    return Inquiry(worker, values, children, np.zeros(0, np.uint8))


def own_pawns(block: Block) -> Block:
    """The block for a thread of its own: finding moves puts pawns on other squares for a moment."""
    return block._replace(pawns=block.pawns.copy())
