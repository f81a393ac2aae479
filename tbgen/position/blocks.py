"""Blocks: each is solved from what it leads to, and tells what positions and their moves are worth.

A block that leads to bounds is solved with the least that its unsolved promotions can be worth to White, or the most,
or with both. Values are monotone in those, so the true ones lie between.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from functools import partial
from graphlib import TopologicalSorter
from typing import Any, Final

import chess
import numpy as np
import numpy.typing as npt

from tbgen.errors import UnprovedError
from tbgen.index.handover import Entries
from tbgen.index.layout import HOW_BITS, HOW_MASK, TURNS, Squares, partial_layout, slots_of
from tbgen.material import Material, Role
from tbgen.position.bounds import (
    PART,
    UNKNOWN,
    Bound,
    fold_promotions,
    joined,
    threshold_of,
    unpacked,
)
from tbgen.position.bracket import ANYTHING, Bracket, MoveBracket, Solution
from tbgen.position.closure import Closure, Node, PlannedBlock, node_of
from tbgen.position.known import BlockFolder
from tbgen.probe.stored import kinds_of, squares_on
from tbgen.probe.syzygy import Winner, no_tables
from tbgen.retro.drive.many_blocks import en_passant_of
from tbgen.retro.drive.single import ALL_CELLS, BlockOutcomes, PlaneNumber, SingleBlock, SomeCells
from tbgen.retro.resets.destinations import AtHand, ChildLayouts, ChildTables, en_passant_starts
from tbgen.retro.words.geometry import NO_SLOT
from tbgen.rules.position import board_after, material_on, own_of
from tbgen.score import Color, Score
from tbgen.system.process import free_memory, threads_for

PARTS = ENTRY, RIGHTS, ANSWERS = BlockOutcomes._fields
"""The values of a block: all cells, those with a right to take en passant, and what is asked."""

_MATES: Final = [Bracket(mate, mate) for mate in ANYTHING.ends]
_BY_WINNER: Final = (Bracket(Score("-G0.5"), Score("G0.5")), _MATES[1], ANYTHING, _MATES[0])
"""[0, 1, UNKNOWN, -1]: the outcomes that are possible if nobody, White, anybody or Black forces mate."""


class ClosureBlocks:
    """The values of a closure's blocks, with both bounds of what it does not solve, and the brackets of positions.

    With `solves`, a block that is missing is solved, since another process may have removed it; else LookupError.
    """

    def __init__(
        self,
        closure: Closure,
        folder: BlockFolder,
        winner: Winner = no_tables,
        *,
        solves: bool = True,
    ) -> None:
        self.closure, self.folder, self._winner, self._solves = closure, folder, winner, solves

    def solve(self, block: PlannedBlock) -> None:
        """Solve a block with each of its bounds, unless somebody else has by now."""
        if self.folder.get(block.key) is None:
            self.folder.put(block.key, BlockSolver(block, self).solve())

    def read(
        self, block: PlannedBlock, part: str, bound: Bound, first: int = 0, end: int | None = None,
        asked: SomeCells = ALL_CELLS, room: Entries | None = None,
    ) -> Entries:  # fmt: skip
        """Some values in a part of a block, with a bound of what it leads to; perhaps in `room`, an array of zeros."""
        while (file := self.folder.get(block.key)) is None:
            if not self._solves:
                raise LookupError(block.key)
            self.solve(block)
        if not block.cuts:
            return file.items(
                f"{(Bound.LOWER if block.is_exact else bound).name} {part}", first, end, room
            )
        size = (block.node.cells if end is None else end) - first
        if bound not in block.bounds and not block.is_exact:
            return np.full(size, UNKNOWN[bound], np.int8)
        cuts, names = block.cuts, [f"{cut} {part}" for cut in block.cuts]
        if part != ENTRY:
            return joined([file.items(name) for name in names], cuts, bound)[first:end]
        found: Entries = np.zeros(size, np.int8) if room is None else room
        (stride, squares), step = asked, min(PART, asked[0])
        for start in range(0, len(found), PART):
            here, at = found[start : start + PART], first + start
            bits = [file.items(name, at >> 3, (at + len(here) + 7) >> 3) for name in names]
            for n in range(0, len(here), step):
                if (at + n) // stride % 64 in squares:
                    some, many = (
                        [each[n >> 3 : (n + step >> 3) + 1] for each in bits],
                        len(here[n : n + step]),
                    )
                    here[n : n + step] = unpacked(some, cuts, bound, at & 7, many)
        return found

    def plane(
        self,
        node: Node,
        side: int,
        bound: Bound,
        asked: SomeCells = ALL_CELLS,
        room: Entries | None = None,
    ) -> Entries:
        """The entry values of a node that the closure leads to, with one side to move; as `read` gives them."""
        half, block = node.cells // 2, self.closure.blocks.get(node)
        if block is not None:
            return self.read(block, ENTRY, bound, side * half, (side + 1) * half, asked, room)
        if self.closure.known.digest(node.material):
            return self.closure.known.plane(*node, side, room)
        return np.full(half, UNKNOWN[bound], np.int8)

    def bracket(self, board: chess.Board, accrued: Score | None) -> Bracket:
        """The bracket of a position with what has accrued in it, or without that where its own score counts."""
        if self.closure.known.digest(material_on(board)):
            outcome = self.closure.known.answering(board).find(board).outcome
            return Bracket(outcome, outcome)
        here, there = node_on(board), node_on(board.mirror())
        turned = here not in self.closure.blocks and there in self.closure.blocks
        node, placed = (there, board.mirror()) if turned else (here, board)
        if node not in self.closure.blocks:
            return self._of_promotion(board)
        block, part, at = self.closure.blocks[node], ENTRY, cell_on(node, placed)
        if board.has_legal_en_passant():
            if (
                accrued is not None
            ):  # only the position itself has one: blocks answer right after a double step
                return best_of(self.moves(board, accrued).values(), board)
            part, at = RIGHTS, index_of_right(node, placed)
        elif accrued is not None and (own := own_of(board)).code >= accrued.code and own != accrued:
            part, at = ANSWERS, block.asked.index((accrued.flipped() if turned else accrued, at))
        signed = [int(self.read(block, part, bound, at, at + 1)[0]) for bound in Bound]
        found = narrowed(ANYTHING, *map(Score.from_signed, signed))
        known = (
            self._of_promotion(board) if board.move_stack and board.peek().promotion else ANYTHING
        )
        return narrowed(found.flipped() if turned else found, *known.ends)

    def moves(self, board: chess.Board, accrued: Score) -> dict[chess.Move, Bracket]:
        """Every legal move with its bracket."""
        moves = ((move, None if board.is_zeroing(move) else accrued) for move in board.legal_moves)
        return {move: self.bracket(board_after(board, move), carried) for move, carried in moves}

    def _of_promotion(self, board: chess.Board) -> Bracket:
        """The bracket of a position that a promotion has just led to, as position/bounds.py finds it."""
        new, moves = board.peek().to_square, list(board.legal_moves)
        if not moves:
            return Bracket(own_of(board, 0), own_of(board, 0))
        found = [
            self.bracket(board_after(board, move), None) if move.to_square == new else ANYTHING
            for move in moves
        ]
        return self.closer(best_of(found, board), board)

    def closer(self, bracket: Bracket, board: chess.Board) -> Bracket:
        """The bracket of a legal position within that which Syzygy tables give."""
        return narrowed(bracket, *_BY_WINNER[self._winner(board)].ends)


def solve_closure(blocks: ClosureBlocks, threads: int, tell: Callable[[float], None]) -> None:
    """Solve all blocks that are not solved yet, each after those that it leads to; tell the planned seconds of each."""
    lacking = {
        block.key: block
        for block in blocks.closure.blocks.values()
        if blocks.folder.get(block.key) is None
    }
    before = {
        key: lacking.keys() & {edge.digest for edge in block.edges}
        for key, block in lacking.items()
    }
    order = TopologicalSorter(before)
    order.prepare()
    running, most = (
        dict[Future[None], str](),
        max((block.cost.memory_bytes for block in lacking.values()), default=1),
    )
    pool = ThreadPoolExecutor(threads_for(most, threads))
    try:
        while order.is_active():
            running |= {pool.submit(blocks.solve, lacking[key]): key for key in order.get_ready()}
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                future.result()
                order.done(key := running.pop(future))
                tell(lacking[key].cost.cpu_seconds)
    finally:
        pool.shutdown(cancel_futures=True)


class BlockSolver:
    """Solves a block of a closure from the values of those that it leads to."""

    def __init__(self, block: PlannedBlock, blocks: ClosureBlocks) -> None:
        self.block, self.node, self.blocks = block, block.node, blocks
        self._bounded = [
            each.reset for each in block.edges if not each.digest and each.reset.gone == NO_SLOT
        ]
        edges = [each for each in block.edges if each.reset not in self._bounded]
        placements: dict[Material, list[Squares]] = {self.node.material: [self.node.pawns]}
        slots, ranks = slots_of(self.node.material), sum(square // 8 for square in self.node.pawns)
        self._planes = list[
            tuple[Color, int, Node, int]
        ]()  # who moves, who is gone, what it leads to, who moves there
        for reset, child, _ in edges:
            placements.setdefault(child.material, []).append(child.pawns)
            if reset.gone != NO_SLOT or reset.promoted == NO_SLOT:
                steps_up = sum(square // 8 for square in child.pawns) > ranks  # as White's pawns do
                mover = Color.of(steps_up) if reset.gone == NO_SLOT else slots[reset.gone][0].other
                self._planes.append((mover, reset.gone, child, int(mover.other) ^ reset.flip))
        layouts = [partial_layout(*some) for some in placements.items()]
        self._layout, self._layouts = (
            layouts[0],
            ChildLayouts(layouts, [*dict.fromkeys(each.reset for each in edges)]),
        )
        self._single = SingleBlock(self._layouts, self._plane(self.node, 0)[1], blocks.folder.zeros)

    def _plane(self, child: Node, side: int) -> PlaneNumber:
        """The plane of a child with one side to move."""
        table = self._layouts.number_of(child.material)
        return table, self._layouts.layouts[table].address_of(child.pawns) >> HOW_BITS, side

    def solve(self) -> dict[str, npt.NDArray[Any]]:
        """The values of the block with each bound, or at each cut."""
        free_memory()
        cuts, named, asked = self.block.cuts, dict[str, Iterable[Any]](), self.block.asked
        for bound in self.block.bounds:
            source = partial(self._children, bound)
            if cuts:
                bits = self._single.solve_thresholds(
                    source, [threshold_of(cut)[0] for cut in cuts], asked
                )
                named |= zip(map(str, cuts), bits, strict=True)
            else:
                named[bound.name] = self._single.solve(source([*Color]), asked)
        return {
            f"{name} {part}": each
            for name, some in named.items()
            for part, each in zip(PARTS, some, strict=True)
        }

    def _children(self, bound: Bound, sides: Sequence[Color]) -> ChildTables:
        """All that moves of some sides lead to, with a bound."""

        def entries(plane: PlaneNumber, *where: Any) -> Entries:
            layout = self._layouts.layouts[plane[0]]
            return self.blocks.plane(
                node_of(layout.material, layout.blocks[plane[1]]), plane[2], bound, *where
            )

        def tables(planes: Iterable[tuple[Node, int]]) -> ChildTables:
            return self._single.children(
                [self._plane(*each) for each in dict.fromkeys(planes)], entries
            )

        promotions = self._single.promotions(sides, entries)
        for pawn in sorted({reset.promoted for reset in self._bounded}):
            if self._layout.slots[pawn][0] in sides:
                taking = ((child, side) for _, gone, child, side in self._planes if gone == pawn)
                promotions = self._bounded_promotions(tables(taking), promotions, bound, pawn)
        children = tables((child, side) for mover, _, child, side in self._planes if mover in sides)
        for number, pawns in enumerate(self._layout.blocks):
            if number != self._single.number:
                here, _ = en_passant_of(
                    children.en_passant, (number, number + 1), self._layout.block_words * 128
                )
                block = self.blocks.closure.blocks[node_of(self.node.material, pawns)]
                here[:] = self.blocks.read(block, RIGHTS, bound)
        return children._replace(promotions=promotions)

    def _bounded_promotions(
        self, children: ChildTables, promotions: AtHand, bound: Bound, pawn: int
    ) -> AtHand:
        """Promotions with bounds of the best of a pawn's; `children` have what taking it leads to."""
        roles, half = (
            {reset.role for reset in self._bounded if reset.promoted == pawn},
            self.node.cells // 2,
        )
        start, entry = promotions.start[self._single.number, pawn], promotions.entry
        if Role.QUEEN in roles:
            start[Role.QUEEN] = len(entry)
            entry = np.append(entry, self.blocks.folder.zeros(half, np.int8))
        start[[*roles]] = start[Role.QUEEN]
        for main, unsolved in [(Role.QUEEN, roles)] + [(Role.KNIGHT, set[Role]())] * (
            Role.KNIGHT not in roles
        ):
            best = entry[start[main] :][:half]
            fold_promotions(
                self._layout, self.node.pawns, pawn, main, unsolved, children, bound, best
            )
        return promotions._replace(entry=entry)


def node_on(board: chess.Board) -> Node:
    """The node of a position."""
    return node_of(
        material_on(board), [*board.pieces(chess.PAWN, True), *board.pieces(chess.PAWN, False)]
    )


def shared_node(board: chess.Board) -> tuple[Node, bool]:
    """The node that a position shares with its reversal in colours, and whether that is the one of the reversal."""
    here, there = node_on(board), node_on(board.mirror())
    return min(
        [(here, False), (there, True)],
        key=lambda each: (not each[0].material.is_canonical, each[0].pawns),
    )


def question_of(board: chess.Board, accrued: Score) -> tuple[Node, set[tuple[Score, int]]]:
    """The node of a position, and what is asked of it: the accrued score, there and after quiet moves."""
    boards = [
        board,
        *(board_after(board, move) for move in board.legal_moves if not board.is_zeroing(move)),
    ]
    node, turned = shared_node(board)
    carried = accrued.flipped() if turned else accrued
    return node, {
        (carried, cell_on(node, each.mirror() if turned else each))
        for each in boards
        if node.is_solvable
    }


def cell_on(node: Node, board: chess.Board) -> int:
    """The cell of a position in its block."""
    return node.layout.cell_of(int(not board.turn), squares_on(board, kinds_of(node.material)))


def index_of_right(node: Node, board: chess.Board) -> int:
    """The index of a position in which a pawn has just made a double step, among those with a right to take it."""
    cell, half, layout = cell_on(node, board), node.cells // 2, node.layout
    is_mirrored = TURNS[layout.address_of(node.pawns) & HOW_MASK, board.king(chess.WHITE)] != 0
    file = chess.square_file(board.ep_square or 0) ^ 7 * bool(is_mirrored)
    return int(en_passant_starts(layout)[0][0, cell // half, file]) + cell % half


def answer(blocks: ClosureBlocks, before: Solution) -> Solution:
    """An answer made closer by blocks that are solved; LookupError if one of them is not."""
    board, known = chess.Board(before.fen), {each.move: each.bracket for each in before.moves}
    whole, moves = (
        narrowed(before.bracket, *blocks.bracket(board, before.accrued).ends),
        dict[chess.Move, Bracket](),
    )
    most_here = (
        (ANYTHING.lower, whole.upper) if board.turn else (whole.lower, ANYTHING.upper)
    )  # no move is worth more
    for move, bracket in blocks.moves(board, before.accrued).items():
        found = narrowed(known.get(move, ANYTHING), *bracket.ends)
        moves[move] = narrowed(blocks.closer(found, board_after(board, move)), *most_here)
    whole = blocks.closer(whole, board)  # Syzygy tables may know more of the moves
    whole = narrowed(whole, *best_of([*moves.values()] or [whole], board).ends)
    return replace(before, bracket=whole, moves=in_order(board, moves))


def best_of(brackets: Iterable[Bracket], board: chess.Board) -> Bracket:
    """The bracket of a position by those of its moves: the better of two lower bounds bounds the better value."""
    return Bracket(
        *map(max if board.turn else min, zip(*(each.ends for each in brackets), strict=True))
    )


def narrowed(bracket: Bracket, least: Score, most: Score) -> Bracket:
    """The part of a bracket between two more bounds; UnprovedError if there is none."""
    low, high = max(bracket.lower, least), min(bracket.upper, most)
    if low > high:
        wrong = f"at least {low} and at most {high} for White are proved, so solved blocks or Syzygy tables are wrong"
        raise UnprovedError(f"{wrong}; remove the folder 'solved' beside the tables, and try again")
    return Bracket(low, high)


def in_order(board: chess.Board, moves: Mapping[chess.Move, Bracket]) -> list[MoveBracket]:
    """Moves by what they guarantee; those are best of which no other can be better."""
    mover = Color.of(board.turn)
    worths = {
        move: sorted(end.worth_to(mover) for end in bracket.ends) for move, bracket in moves.items()
    }
    most = max((greatest for _, greatest in worths.values()), default=0)
    order = sorted(moves, key=lambda move: (-worths[move][0], -worths[move][1], move.uci()))
    return [
        MoveBracket(move, board.san(move), moves[move], best=worths[move][0] >= most)
        for move in order
    ]
