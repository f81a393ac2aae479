"""Solving: plan a position's closures, refuse what is too much, solve them with both bounds, answer."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import accumulate, chain
from pathlib import Path
from typing import Final

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
from tbgen.material import Material, Role
from tbgen.position import DEFAULT_BUDGET, SOLVED
from tbgen.position.asking import answer, both, question_of, shared_node
from tbgen.position.blocks import ClosureBlocks, UnsolvedError, solve_closure
from tbgen.position.bracket import Bracket, Solution, SolvePlan
from tbgen.position.closure import (
    MOST_COARSE_FREE,
    MOST_FREE,
    MOST_NODES,
    Closure,
    Node,
    Way,
    node_of,
    plan_of,
    ways_of,
)
from tbgen.position.cuts import MATES, Cuts, first_cuts, next_cuts
from tbgen.position.known import BlockFolder, KnownTables, folder_to_write
from tbgen.probe.syzygy import open_syzygy
from tbgen.probe.tablebase import folders_of
from tbgen.probe.values import Position, TableValues
from tbgen.retro.resets.destinations import resets_of
from tbgen.retro.words.geometry import NO_SLOT
from tbgen.retro.words.moves import MOST_SLOTS
from tbgen.rules.notation import refuse_illegal
from tbgen.rules.position import accrued_in, bare_sides, expect_board, material_of, own_score
from tbgen.score import Mobility, Score
from tbgen.storage.files import Folders
from tbgen.system.process import available_memory, free_disk

Root = tuple[chess.Board, Score]
"""A position that is to be solved, and what has accrued in it."""
Watch = Callable[[float], None]
"""Is told the part of the work that is done."""
_QUESTIONS: Final = 6
"""How often closer cuts may be tried: half of what is left each time."""
_PREPARED: Final = (Role.QUEEN, Role.KNIGHT)
"""A queen bounds a rook and a bishop."""


def unwatched(done: float) -> None:
    """No progress."""


def work_off(works: Iterable[float], total: float, watch: Watch) -> None:
    """Do pieces of work. Each says its share, in the unit of the total, which may turn out to be less."""
    for done in accumulate(works):
        watch(done / max(done, total))
    watch(1.0)


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
        cache_bytes: int = 1 << 35,
        syzygy: Folders | None = None,
    ) -> None:
        super().__init__()
        places = folders_of(folders, Mobility.RESET)
        self._threads = expect_number(threads, "threads", 1)
        self.budget = expect_number(budget, "budget", 0)
        self._cache_bytes = expect_number(cache_bytes, "cache_bytes", 0)
        self._known = KnownTables(places, 1 << 26, outcomes_only=False)
        self.callback(self._known.close)
        self._folder = BlockFolder(Path(self.enter_context(folder_to_write(places, SOLVED))) / SOLVED)
        self._winner = self.enter_context(open_syzygy(syzygy))
        self._pool = self.enter_context(ThreadPoolExecutor(self._threads))
        self._brackets = dict[tuple[str, Score], Bracket]()

    def plan(self, position: Position, accrued: Score | str | None = None) -> SolvePlan:
        """The cost of solving a position; ClosureTooLargeError if it exceeds the budget."""
        read = self._read(position, accrued)
        with contextlib.suppress(BuildError):
            return plan_of(self._affordable(*read))
        return plan_of(self._affordable(*read, must_fit=False))

    def _affordable(self, board: chess.Board, accrued: Score, *, must_fit: bool = True) -> list[Closure]:
        """The closures of a position that the budget and the machine allow together, the quickest ones first."""
        material, men = material_of(board), board.occupied.bit_count()
        if not board.pawns and men <= MOST_FREE:
            self._known.table(material)  # a block without pawns is a whole table: the error says how to build it
        if self._known.has(material):
            reason = "its table is there; ask it with: tbgen probe"
        elif men >= MOST_SLOTS:
            reason = f"more than {MOST_SLOTS - 1} men"
        elif not shared_node(board)[0].is_solvable:
            reason = f"more than {MOST_FREE} men that are not pawns, or {MOST_COARSE_FREE} beside a pawn"
        else:
            found, left, too_large = dict[str, Closure](), float(self.budget), list[BuildError]()
            for root, closure in self._closures(board, accrued, self.budget):
                if root not in found and closure.cpu_seconds <= left:  # ways that solve the same nodes are one
                    try:
                        if must_fit:
                            self.check(plan_of([closure]))
                    except BuildError as error:
                        too_large.append(error)
                    else:
                        found[root] = closure
                        left -= closure.cpu_seconds
            if found:
                return sorted(found.values(), key=lambda each: -each.cpu_seconds)[::-1]
            if too_large:
                raise too_large[-1]
            reason = f"more than {self.budget} CPU seconds by the plan; allow more with --budget"
        raise ClosureTooLargeError(str(material), reason)

    def _closures(
        self, board: chess.Board, accrued: Score, budget: float, most_nodes: int = MOST_NODES
    ) -> Iterator[tuple[str, Closure]]:
        """The closures of a position that are not too large, with the keys of its block; those that tell most first.

        Those that need a missing table are left out; MissingTableError if that leaves none.
        """
        node, turned = shared_node(board)
        there, yielded = self._folder.keys(), list[Closure]()
        for way in ways_of(node.free, first_cuts(accrued.flipped() if turned else accrued)) if node.is_solvable else ():
            if way.cuts and any(node not in each.inexact for each in yielded):
                return
            closure = Closure(self._known, way, there, budget, most_nodes)
            with contextlib.suppress(ClosureTooLargeError):
                closure.add(node)
                is_prepared = way.cuts != MATES or not any(map(closure.is_coarse, closure.lacking.values()))
                # Where nothing is exact, rooks and bishops would cost as much again, and hardly ever matter.
                if is_prepared and not closure.missing and (way.others == node.free or node not in closure.inexact):
                    yielded.append(closure)
                    yield closure.key(node), closure
        if node.is_solvable and not yielded:
            closure.refuse_missing()

    def _rounds(self, board: chess.Board, closures: Iterable[Closure], found: list[Solution]) -> Iterator[Closure]:
        """Some closures one after another, then the last one at closer cuts, until what is `found` meanwhile is exact.

        The budget ends it, too.
        """
        (node, turned), left, tried = shared_node(board), float(self.budget), Cuts()
        for closure in closures:
            left, tried = left - closure.cpu_seconds, closure.way.cuts
            yield closure
            if found and found[-1].bracket.is_exact:
                return
        while found and closure.is_coarse(node):
            ends = found[-1].bracket.ends
            if not (cuts := next_cuts(tried, *([end.flipped() for end in ends[::-1]] if turned else ends))):
                return
            closure, tried = closure.at(cuts, self._folder.keys()), (*tried, *cuts)
            left -= closure.cpu_seconds
            if left < 0:
                return
            yield closure

    def solve(self, position: Position, accrued: Score | str | None = None, watch: Watch = unwatched) -> Solution:
        """The value of a position and of its moves, or bounds of it, as `tbgen.solve` gives them."""
        board, carried = self._read(position, accrued)
        closures, began, found = self._affordable(board, carried), time.process_time(), list[Solution]()
        question, plan = question_of(board, carried), plan_of(closures)
        self._folder.forget()
        self.check(plan)

        def works() -> Iterator[float]:
            for closure in self._rounds(board, closures, found):
                blocks = ClosureBlocks(closure, self._folder, question)
                yield from solve_closure(blocks, self._pool, self._threads)
                found.append(both(found[-1:], self._answer(blocks, board, carried)))

        rounds = 1 + _QUESTIONS * closures[-1].is_coarse(question.node)
        work_off(works(), min(plan.cpu_seconds * rounds, self.budget), watch)
        self._folder.shrink(self._cache_bytes)
        return replace(found[-1], plan=plan, cpu_seconds=time.process_time() - began)

    def _answer(self, blocks: ClosureBlocks, board: chess.Board, accrued: Score) -> Solution:
        """The answer from blocks that have been solved; those that another process has removed are solved again."""
        while True:
            try:
                return answer(blocks, board, accrued, self._winner)
            except UnsolvedError as error:
                blocks.solve(error.node)

    def solved(self, position: Position, accrued: Score | str | None = None) -> Solution | None:
        """The answer of `solve` from blocks that are solved already; None without them, or if a table has it."""
        board, carried = self._read(position, accrued)
        is_there, found = any(self._folder.folder.glob(f"{shared_node(board)[0]}-*")), list[Solution]()
        self._folder.forget()
        with contextlib.suppress(MissingTableError):
            closures = (closure for _, closure in self._closures(board, carried, 0.0))
            for closure in self._rounds(board, closures, found) if is_there else ():
                blocks = ClosureBlocks(closure, self._folder, question_of(board, carried))
                with contextlib.suppress(LookupError, OSError):
                    found.append(both(found[-1:], answer(blocks, board, carried, self._winner)))
        return found[-1] if found else None

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

    def outlook(self, positions: Iterable[Root]) -> tuple[list[Root], Counter[str], SolvePlan]:
        """The positions that can be solved, why others cannot, and the cost of all blocks, each once."""
        kept, refused = list[Root](), Counter[str]()

        def closures() -> Iterator[Closure]:
            for board, accrued in positions:
                try:
                    yield from self._affordable(*self._read(board, accrued))
                    kept.append((board, accrued))
                except ClosureTooLargeError as error:
                    refused[error.reason] += 1
                except (InputError, MissingTableError, BuildError) as error:
                    refused[str(error)] += 1

        return kept, refused, plan_of(closures())

    def preparation(self, material: Material, scores: Sequence[Score] = ()) -> list[Closure]:
        """What promotions to a queen or a knight lead to beside one pawn: who mates there, or who gets some scores."""
        resets = resets_of(Node(material, tuple(range(8, 8 + material.pawns))).layout, lambda each: each)
        promoted = {each.material: None for each in resets if each.gone == NO_SLOT and each.role in _PREPARED}
        nodes = [node_of(each, [square]) for each in promoted if each.pawns == 1 for square in range(8, 56)]
        nodes = [node for node in nodes if node.free == MOST_COARSE_FREE]
        if not nodes:
            raise ClosureTooLargeError(str(material), f"no promotion leads to a pawn and {MOST_COARSE_FREE} other men")
        closures = list[Closure]()
        for cuts in dict.fromkeys(map(first_cuts, scores)) or [MATES]:
            closures.append(Closure(self._known, Way(0, 0, 0, cuts, MOST_COARSE_FREE), self._folder.keys()))
            for node in nodes:
                if not self._known.has(node.material):
                    closures[-1].add(node)
        closures[0].refuse_missing()
        return closures

    def prepare(self, closures: Sequence[Closure], watch: Watch = unwatched) -> None:
        """Solve what promotions of a material lead to."""
        self.check(plan := plan_of(closures))
        works = (solve_closure(ClosureBlocks(each, self._folder), self._pool, self._threads) for each in closures)
        work_off(chain.from_iterable(works), plan.cpu_seconds, watch)
        self._folder.shrink(self._cache_bytes)

    def check(self, plan: SolvePlan) -> None:
        """Refuse what does not fit into memory or onto the disk."""
        memory, disk = available_memory(), free_disk(self._folder.folder)
        if memory is not None and plan.memory_bytes > memory:
            raise NotEnoughMemoryError("the blocks of a position", plan.memory_bytes, memory)
        if disk is not None and plan.disk_bytes > disk:
            raise NotEnoughDiskError("the blocks of a position", plan.disk_bytes, disk)


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
