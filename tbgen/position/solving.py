"""Solving: plan a position's closure, refuse what is too much, solve it with both bounds, answer."""

from __future__ import annotations

import contextlib
import math
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import chess

from tbgen.errors import (
    BuildError,
    CastlingError,
    ClosureTooLargeError,
    InputError,
    MissingTableError,
    NotEnoughDiskError,
    NotEnoughMemoryError,
    expect_number,
)
from tbgen.material import Material
from tbgen.position import CLASSES, DEFAULT_BUDGET, SOLVED
from tbgen.position.asking import answer, both, question_of, shared_node
from tbgen.position.blocks import (
    BlockQuestion,
    ClosureBlocks,
    UnsolvedError,
    Watch,
    solve_closures,
    unwatched,
    work_off,
)
from tbgen.position.bounds import Classes
from tbgen.position.bracket import Bracket, Solution, SolvePlan
from tbgen.position.closure import MOST_COARSE_FREE, MOST_FREE, MOST_NODES, Closure, Cuts, Level, levels_of
from tbgen.position.coarse import first_cuts, next_cuts
from tbgen.position.known import BlockFolder, KnownTables, folder_to_write
from tbgen.position.preparing import Preparation
from tbgen.probe.syzygy import open_syzygy
from tbgen.probe.tablebase import folders_of
from tbgen.probe.values import Position, TableValues
from tbgen.retro.words.moves import MOST_SLOTS
from tbgen.rules.notation import refuse_illegal
from tbgen.rules.position import accrued_in, bare_sides, expect_board, material_of, own_score
from tbgen.score import Mobility, Score
from tbgen.storage.files import Folders
from tbgen.system.process import available_memory, free_disk

Root = tuple[chess.Board, Score]
"""A position that is to be solved, and what has accrued in it."""


class PositionSolver(contextlib.ExitStack):
    """Solves positions with more men than tables have, from the tables of some folders; for use in a `with` statement.

    Blocks that are solved stay, in the folder `solved` of the first folder that can be written to, for other positions
    and for another time. So an interrupted solve goes on from where it was.

    Arguments:
        cache_bytes: The most disk for solved blocks; those of the last position stay anyway. The rest is as in `solve`.
    """

    def __init__(
        self,
        folders: Folders | None = None,
        *,
        budget: int = DEFAULT_BUDGET,
        threads: int = 2,
        cache_bytes: int = 1 << 34,
        syzygy: Folders | None = None,
    ) -> None:
        super().__init__()
        places = folders_of(folders, Mobility.RESET)
        self._threads = expect_number(threads, "threads", 1)
        self.budget = expect_number(budget, "budget", 0)
        self._cache_bytes = expect_number(cache_bytes, "cache_bytes", 0)
        self._known = KnownTables(places, 1 << 26, outcomes_only=False)
        self.callback(self._known.close)
        target = Path(self.enter_context(folder_to_write(places, (SOLVED, CLASSES))))
        self._folder, kept = BlockFolder(target / SOLVED), [place / CLASSES for place in (target, *places)]
        self.classes = Classes(kept, self._known, self.enter_context(open_syzygy(syzygy)))
        self._pool = self.enter_context(ThreadPoolExecutor(self._threads))
        self._brackets = dict[tuple[str, Score], Bracket]()
        self._blocks = partial(ClosureBlocks, folder=self._folder, classes=self.classes)

    def plan(self, board: chess.Board) -> SolvePlan:
        """The cost of solving a position; ClosureTooLargeError if it exceeds the budget."""
        return self._affordable(*self._read(board, None))[0].plan()

    def _affordable(self, board: chess.Board, accrued: Score) -> list[Closure]:
        """The closures of a position that the budget allows together, those first that solve most promotions."""
        material, men = material_of(board), board.occupied.bit_count()
        free = men - board.pawns.bit_count()
        if not board.pawns and free <= MOST_FREE:
            self._known.table(material)  # a block without pawns is a whole table: the error says how to build it
        if self._known.has(material):
            reason = "its table is there; ask it with: tbgen probe"
        elif men >= MOST_SLOTS:
            reason = f"more than {MOST_SLOTS - 1} men"
        elif not shared_node(board)[0].is_solvable:
            reason = f"more than {MOST_FREE} men that are not pawns, or {MOST_COARSE_FREE} beside a pawn"
        else:
            found, left = dict[int, Closure](), float(self.budget)
            for closure in self._closures(board, accrued, self.budget):
                plan = closure.plan()
                if plan.nodes not in found and plan.cpu_seconds <= left:  # levels that solve the same nodes are one
                    found[plan.nodes] = closure
                    left -= plan.cpu_seconds
            if found:
                return [*found.values()]
            reason = f"more than {self.budget} CPU seconds by the plan; allow more with --budget"
        raise ClosureTooLargeError(str(material), reason)

    def _closures(
        self, board: chess.Board, accrued: Score, budget: float, most_nodes: int = MOST_NODES
    ) -> Iterator[Closure]:
        """The closures of a position that are not too large, those first that solve most promotions."""
        node, turned = shared_node(board)
        levels, cuts = levels_of(node.free), first_cuts(accrued.flipped() if turned else accrued)
        for level in reversed(levels if node.is_solvable else ()):
            closure = Closure(self._known, level, budget, cuts, is_turned=turned, most_nodes=most_nodes)
            is_small = True
            try:
                closure.add(node)
            except ClosureTooLargeError:
                is_small = False
            if level == levels[0]:
                closure.refuse_missing()
            if is_small and not closure.missing and (level.others == node.free or node not in closure.inexact):
                yield closure  # else rooks and bishops would cost as much again, and hardly ever matter

    def solve(self, position: Position, accrued: Score | str | None = None, watch: Watch = unwatched) -> Solution:
        """The value of a position and of its moves, or bounds of it, as `tbgen.solve` gives them."""
        board, carried = self._read(position, accrued)
        closures, began, found = self._affordable(board, carried), time.process_time(), list[Solution]()
        question = self._question_of(board, carried)
        self._folder.forget()
        self.check(closures[0].plan())

        def is_exact(blocks: ClosureBlocks) -> bool:
            found.append(self._answer(blocks, board, carried))
            return found[-1].bracket.is_exact

        blocks = [self._blocks(closure, question=question) for closure in reversed(closures)]
        solve_closures(blocks, self._pool, self._threads, watch, is_exact)
        if closures[0].is_coarse(question.node):
            found.append(self._refined(found[-1], closures[0], question, board, carried))
        self._folder.shrink(self._cache_bytes)
        return replace(found[-1], cpu_seconds=time.process_time() - began)

    @staticmethod
    def _answer(blocks: ClosureBlocks, board: chess.Board, accrued: Score) -> Solution:
        """The answer from blocks that have been solved; those that another process has removed are solved again."""
        while True:
            try:
                return answer(blocks, board, accrued)
            except UnsolvedError as error:
                blocks.solve(error.node)

    def _refined(
        self, found: Solution, closure: Closure, question: BlockQuestion, board: chess.Board, accrued: Score
    ) -> Solution:
        """An answer by cuts that closer cuts make closer, until it is exact or the budget ends."""
        tried, left = closure.cuts, self.budget - closure.plan().cpu_seconds
        while cuts := next_cuts(tried, found.bracket.flipped() if closure.is_turned else found.bracket):
            closure = replace(closure, cuts=cuts)
            left -= closure.plan().cpu_seconds
            if left < 0:
                break
            blocks = self._blocks(closure, question=question)
            solve_closures([blocks], self._pool, self._threads)
            found, tried = both(found, self._answer(blocks, board, accrued)), (*tried, *cuts)
        return found

    def solved(self, position: Position, accrued: Score | str | None = None) -> Solution | None:
        """The answer of `solve` from blocks that are solved already; None without them, or if a table has it."""
        board, carried = self._read(position, accrued)
        is_there = any(self._folder.folder.glob(f"{shared_node(board)[0]}-*"))
        self._folder.forget()
        with contextlib.suppress(MissingTableError):
            for closure in self._closures(board, carried, math.inf, most_nodes=1500) if is_there else ():
                with contextlib.suppress(LookupError, OSError):
                    return answer(self._blocks(closure, question=self._question_of(board, carried)), board, carried)
        return None

    def _question_of(self, board: chess.Board, accrued: Score) -> BlockQuestion:
        node, turned = shared_node(board)
        return question_of(board, accrued, node, turned=turned)

    def bracket(self, board: chess.Board, accrued: Score, watch: Watch = unwatched) -> Bracket | None:
        """The bracket of a position, unless it takes too much. Asked again, it is not solved again."""
        key = board.epd(), accrued
        if key not in self._brackets:
            with contextlib.suppress(ClosureTooLargeError, BuildError):
                self._brackets[key] = self.solve(board, accrued, watch).bracket
        return self._brackets.get(key)

    def _read(self, position: Position, accrued: Score | str | None) -> tuple[chess.Board, Score]:
        """A legal position, and what has accrued in it; an error if no game can carry that into it."""
        board, carried = TableValues(self._known, Mobility.RESET).read(position, accrued)
        refuse_illegal(expect_board(board))
        if board.castling_rights:
            raise CastlingError(board.fen())
        own = own_score(board)
        return board, own if carried is None else accrued_in(carried, own, bare_sides(board))

    def outlook(self, positions: Iterable[Root]) -> tuple[list[Root], Counter[str], list[SolvePlan]]:
        """The positions that can be solved, why others cannot, and the cost of all blocks, each once."""
        joined, kept, refused = dict[tuple[Level, Cuts], Closure](), list[Root](), Counter[str]()
        for board, accrued in positions:
            try:
                closure = self._affordable(*self._read(board, accrued))[0]
                self.check(closure.plan())
            except ClosureTooLargeError as error:
                refused[error.reason] += 1
            except (InputError, MissingTableError, BuildError) as error:
                refused[str(error)] += 1
            else:
                node, _ = shared_node(board)
                cuts = closure.cuts if closure.is_coarse(node) else ()
                empty = Closure(self._known, closure.level, math.inf, cuts, most_nodes=math.inf)
                joined.setdefault((closure.level, cuts), empty).add(node)
                kept.append((board, accrued))
        return kept, refused, [closure.plan() for closure in joined.values()]

    def prepare(self, preparation: Preparation, watch: Watch = unwatched) -> None:
        """Make the missing classes that promotions of a material lead to."""
        plan = preparation.plan()
        self.check(plan)
        work_off(preparation.make(), plan.nodes, watch)
        self._folder.shrink(self._cache_bytes)

    def preparation(self, material: Material) -> Preparation:
        """What promotions of a material lack."""
        return Preparation(self.classes, self._folder, material)

    def check(self, plan: SolvePlan) -> None:
        """Refuse what does not fit into memory or onto the disk."""
        memory, disk = available_memory(), free_disk(self._folder.folder)
        if memory is not None and plan.memory_bytes > memory:
            raise NotEnoughMemoryError("the closure", plan.memory_bytes, memory)
        if disk is not None and plan.disk_bytes > disk:
            raise NotEnoughDiskError("the closure", plan.disk_bytes, disk)


def solve(
    position: Position,
    accrued: Score | str | None = None,
    *,
    folders: Folders | None = None,
    budget: int = DEFAULT_BUDGET,
    threads: int = 2,
    watch: Watch = unwatched,
    syzygy: Folders | None = None,
) -> Solution:
    """The value of a position with more men than tables have, or bounds of the value.

    Arguments:
        position: A board without castling rights, or a FEN.
        accrued: As for `Tablebase.probe`.
        folders: As for `Tablebase`. Tables of outcomes alone suffice.
        budget: The most CPU seconds, by the plan.
        threads: The number of threads. Each solves a block, where there is memory for that.
        watch: The solver calls it with the part that is done.
        syzygy: Folders of ordinary Syzygy tables, as for `folders`; they bound the position and its moves.

    Returns:
        Bounds of the value, and of each move. Equal bounds prove a value.

    Raises:
        ClosureTooLargeError: The position leads to more than the budget allows, or has a table of its own.
        UsageError: A folder of `syzygy` has no tables.
        MissingTableError: A table that a capture leads to is missing.
        NotEnoughMemoryError: The position needs more memory than is free.
        NotEnoughDiskError: The position needs more disk than is free.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     try:
    ...         solve("8/1K6/6p1/6P1/2k5/7p/7P/8 w - - 0 51", folders=folder)
    ...     except MissingTableError as error:
    ...         error.material
    'KvK'
    """
    with PositionSolver(folders, budget=budget, threads=threads, syzygy=syzygy) as solver:
        return solver.solve(position, accrued, watch)
