"""A single block: its entry values alone, from values of all that it leads to; the door for whoever has one block."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

import numpy as np

from tbgen.compiled.arrays import Bytes, NewArray, Words
from tbgen.errors import FullError
from tbgen.index.handover import Box, Entries
from tbgen.retro.drive.many_blocks import en_passant_of
from tbgen.retro.drive.methods import solve_outcomes
from tbgen.retro.drive.task import check_status
from tbgen.retro.outcomes.codes import Questions
from tbgen.retro.outcomes.grower import Grower, new_grower
from tbgen.retro.outcomes.threshold import find_goods, new_sides, solve_threshold
from tbgen.retro.patterns.en_passant import NEVER, Inquiry
from tbgen.retro.patterns.histories import new_interner
from tbgen.retro.patterns.worker import Room, Worker
from tbgen.retro.resets.children import PromotionReader, copy_box
from tbgen.retro.resets.destinations import (
    NOT_HERE,
    AtHand,
    ChildLayouts,
    ChildTables,
    empty_child_tables,
)
from tbgen.retro.resets.folding import find_moves
from tbgen.retro.words.block import Block, BlockValues, enter_block, find_legal, new_block
from tbgen.retro.words.geometry import BLACK, WHITE, geometry_of
from tbgen.retro.words.moves import new_scratch
from tbgen.score import STALEMATE_CODE, Color, Score

PlaneNumber = tuple[int, int, int]
"""A table of some child layouts, one of its blocks, and the side to move."""
SomeCells = tuple[int, frozenset[int]]
"""Cells of a plane: those with a man on one of some squares, each of which adds so much to a cell's number."""
ALL_CELLS: Final[SomeCells] = 1 << 62, frozenset([0])
PlaneSource = Callable[[PlaneNumber, SomeCells, Entries], Entries]
"""Entry values of a plane, right at least for the cells that are asked for: in the zeros given, or another array."""
ChildSource = Callable[[Sequence[Color]], ChildTables]  # what moves of some sides lead to
NO_DISTANCES = np.zeros(0, np.uint16)
Queries = Sequence[tuple[Score, int]]
"""Accrued scores, each with a cell in which it is asked; those with Black to move are behind those with White."""
CHUNK, RUN = 1 << 16, 1 << 12
"""Words that a thread finds the moves of at a time; cells in a row that are worth being asked for alone."""


class BlockOutcomes(NamedTuple):
    """What a block came to."""

    entry: Entries
    """Those with Black to move behind those with White to move."""
    en_passant: Entries
    """Values with a right to take en passant, in the order of `ChildTables`; of an empty array if it has none."""
    answers: Entries
    """The outcomes of what was asked."""


class BlockBits(NamedTuple):
    """What a block came to at one threshold."""

    met: Bytes
    """[cell >> 3] whether its holder gets at least that score from there, a bit a cell, the lowest one first."""
    en_passant: Entries
    """As in `BlockOutcomes`, with any values in place of all that are as good."""
    answers: Entries


@dataclass(frozen=True)
class SingleBlock:
    """A block, the first table's only one that is not solved yet, and all that it leads to."""

    layouts: ChildLayouts
    number: int
    new: NewArray = np.zeros
    """Makes all large arrays but the sets that grow."""

    def children(self, planes: Sequence[PlaneNumber], source: PlaneSource) -> ChildTables:
        """What it leads to, but for promotions: `planes` after captures and pawn steps."""
        empty, first = empty_child_tables(self.layouts), 0
        cells = [self.layouts.layouts[table].block_words * 64 for table, _, _ in planes]
        start, entry = empty.planes.start, self.new(sum(cells), np.int8)
        for (table, number, side), half in zip(planes, cells, strict=True):
            entry[first : first + half] = source(
                (table, number, side), ALL_CELLS, entry[first : first + half]
            )
            start[empty.shapes.plane_start[table] + 2 * number + side] = first
            first += half
        rights = empty.en_passant._replace(dtg=NO_DISTANCES)
        return empty._replace(planes=AtHand(start, entry, NO_DISTANCES), en_passant=rights)

    def promotions(self, sides: Sequence[Color], source: PlaneSource) -> AtHand:
        """What promotions of some sides lead to."""
        layout = self.layouts.layouts[0]
        theirs = [each for each in self.layouts.resets if layout.slots[each.promoted][0] in sides]
        reader = PromotionReader(self.layouts._replace(resets=theirs))
        start = np.full((len(layout.blocks), max(layout.pawns, 1), 8), NOT_HERE, np.int64)
        requests, cells = reader.requests([self.number], start)
        found = AtHand(start, np.zeros(cells, np.int8), NO_DISTANCES)
        for request, targets in requests.items():
            layout, routes = self.layouts.layouts[request.table], reader.routes[request.table]
            axes = {int(routes.axis[route]) for route, _, _ in targets}
            new = (
                64 ** (layout.others + 1 - min(axes)),
                frozenset(square for _, square, _ in targets),
            )
            asked = new if len(axes) == 1 and new[0] >= RUN else ALL_CELLS
            room = self.new(layout.block_words * 64, np.int8)
            entry = source((request.table, request.block, int(request.side)), asked, room)
            box = Box.whole(layout, partial(lambda entry: (entry, NO_DISTANCES), entry))
            copy_box(box, routes, request.how, np.array(targets, np.int64), found)
        return found

    def solve(
        self, children: ChildTables, asked: Queries, room: Room | None = None
    ) -> BlockOutcomes:
        """The block, solved from some child tables."""
        block, material = self._block(), self.layouts.layouts[0].material
        geometry, room = block.geometry, room or Room(self.layouts.layouts[0].block_words)
        white, black = (
            new_grower(side, geometry, room, middles=True, histories=False)
            for side in (WHITE, BLACK)
        )
        inquiry, questions = (
            _inquiry(block, (white, black), children, geometry.words * 64),
            _questions(asked),
        )
        check_status(
            material, find_moves(block, children, inquiry.worker.scratch, 0, geometry.words)
        )
        try:
            check_status(material, solve_outcomes(inquiry, questions))
        except FullError as full:
            return self.solve(children, asked, room.doubled(full))
        return BlockOutcomes(inquiry.values.entry, self._rights(children), questions.answers)

    def solve_thresholds(
        self, source: ChildSource, thresholds: Sequence[Score], asked: Queries
    ) -> list[BlockBits]:
        """For each of some thresholds: where its holder gets that score, by two threads.

        The source may give any values in place of all that are as good for each of them. To save memory it is asked for
        one side after the other, unless rights to take en passant need both in the end.
        """
        seeking = np.array([[int(each.holder), each.code] for each in thresholds], np.int64)
        words, most = self.layouts.layouts[0].block_words, int(seeking[:, 1].max())
        children = nothing = empty_child_tables(self.layouts)
        has_rights = len(self._rights(nothing)) > 0
        planes = (most // 2 + 1).bit_length() if has_rights or most > STALEMATE_CODE else 0
        with ThreadPoolExecutor(2) as pool:
            block = self._block(pool.map, codes=has_rights, planes=planes)
            goods = self.new(len(thresholds) * 2 * words, np.uint64).reshape(-1, 2, words)

            def find(children: ChildTables, sides: Sequence[Color], first: int) -> None:
                end, mine, scratch = (
                    min(first + CHUNK, words),
                    own_pawns(block),
                    new_scratch(len(block.geometry.color)),
                )
                for side in sides:
                    status = find_goods(
                        mine, children, scratch, seeking, goods, int(side), first, end
                    )
                    check_status(self.layouts.layouts[0].material, status)

            for sides in [(*Color,)] if has_rights else [(Color.WHITE,), (Color.BLACK,)]:
                children = source(sides)
                list(pool.map(partial(find, children, sides), range(0, words, CHUNK)))
                children = (
                    children if has_rights else nothing
                )  # so that the other side's take their place
            return list(
                pool.map(partial(self._bits, block, children, _questions(asked)), thresholds, goods)
            )

    def _bits(
        self, block: Block, children: ChildTables, asked: Questions, threshold: Score, good: Words
    ) -> BlockBits:
        """The block at one threshold, with answers of its own, as threads share the rest; `good` is overwritten."""
        rights = children.en_passant
        children = children._replace(en_passant=rights._replace(entry=rights.entry.copy()))
        here = self._rights(children)
        mine = own_pawns(block)._replace(next_code=np.zeros_like(block.next_code))
        half, questions = (
            block.geometry.words * 64 if len(here) else 0,
            asked._replace(answers=asked.answers.copy()),
        )
        inquiry = _inquiry(mine, new_sides(block.geometry, good), children, half)
        solve_threshold(inquiry, questions, int(threshold.holder), threshold.code, good)
        return BlockBits(good.ravel().view(np.uint8), here, questions.answers)

    def _rights(self, children: ChildTables) -> Entries:
        """The values with a right to take en passant; of an empty array if the block has none."""
        cells = self.layouts.layouts[0].block_words * 128
        return en_passant_of(children.en_passant, (self.number, self.number + 1), cells)[0]

    def _block(
        self, mapped: Callable[..., Iterable[None]] = map, *, codes: bool = True, planes: int = 0
    ) -> Block:
        """The block with its legal positions, found by `map` or by that of a pool, and room for codes and resets."""
        layout = self.layouts.layouts[0]
        block = new_block(
            geometry_of(layout), plies=False, codes=codes, planes=planes, new=self.new
        )
        enter_block(block, self.number, np.array(layout.blocks[self.number], np.int64))

        def find(first: int) -> None:
            find_legal(
                block,
                np.zeros(layout.others, np.int64),
                first,
                min(first + CHUNK, layout.block_words),
            )

        list(mapped(find, range(0, layout.block_words, CHUNK)))
        return block


def _inquiry(
    block: Block, sides: tuple[Grower, Grower], children: ChildTables, half: int
) -> Inquiry:
    """All that answers take, with values for so many cells of each side to move."""
    worker = Worker(block, new_scratch(len(block.geometry.color)), *sides, new_interner(1))
    values = BlockValues(np.zeros(2 * half, np.int8), NO_DISTANCES)
    return Inquiry(worker, values, children, np.full(2 * half, NEVER, np.uint8))


def _questions(asked: Queries) -> Questions:
    """The same for kernels, without answers yet."""
    rows = np.array([(score.holder, score.code, cell) for score, cell in asked], np.int64).reshape(
        -1, 3
    )
    holders, codes, cells = rows.T.copy()
    return Questions(holders, codes, cells, np.zeros(len(asked), np.int8))


def own_pawns(block: Block) -> Block:
    """The block for a thread of its own: finding moves puts pawns on other squares for a moment."""
    return block._replace(pawns=block.pawns.copy())
