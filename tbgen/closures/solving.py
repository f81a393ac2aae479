"""Solving: plan a position's closures, refuse what is too much, solve them, answer.

A plan needs no compiler, so what solves is imported only where something is solved.
"""

import contextlib
import math
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import chess

from tbgen.closures import DEFAULT_BUDGET, SOLVED
from tbgen.closures.bracket import ANYTHING, Bracket, Solution, SolvePlan
from tbgen.closures.closure import Closure, plan_of
from tbgen.closures.cuts import Bound, CutQuestion, Cuts
from tbgen.closures.folder import BlockFolder
from tbgen.closures.nodes import Node, node_of, queries_of, shared_node
from tbgen.closures.policy import CutSearch
from tbgen.closures.ways import MOST_COARSE_FREE, MOST_FREE, Way, ways_of
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
from tbgen.index.layout import layout_of
from tbgen.material import Material, with_man
from tbgen.men import Role
from tbgen.probe.opened import OpenTables
from tbgen.probe.syzygy import open_syzygy
from tbgen.probe.tablebase import folders_of
from tbgen.probe.values import Position, TableValues
from tbgen.rules.notation import refuse_illegal
from tbgen.rules.position import accrued_in, bare_sides, material_on, own_of
from tbgen.score import Color, Mobility, Score
from tbgen.storage.files import Folders
from tbgen.system.outputs import folder_to_write
from tbgen.system.process import available_memory, free_disk
from tbgen.system.watching import Watch, progress_of, unwatched
from tbgen.table import Queries

Problem = tuple[chess.Board, Score]
"""A position to be solved, and what has accrued in it."""

CACHE_BYTES = 1 << 35
"""The most disk for solved blocks; those of the last position stay anyway."""

LARGER_BUDGET = 10
"""A refused plan is made again with so many times the budget, to say what it takes."""

CLOSURES_A_WAY = 3
"""A way takes about so many times what its first closure takes; progress is told by that."""


@dataclass
class OpenProblem:
    """A problem that is being solved, and how close its answer is."""

    node: Node
    is_reversed: bool
    """Whether the node is that of the position with reversed colours."""
    queries: Queries
    shares: Mapping[Score, float]
    """How common values are, as for `CutSearch`."""
    solution: Solution
    """The closest answer so far."""
    seconds_left: float
    """What is left of the budget."""
    closures: list[Closure] = field(default_factory=list)
    """The closures that the answer rests on."""

    @property
    def bracket(self) -> Bracket:
        """The bracket so far, in the colours of the node."""
        bracket = self.solution.bracket
        return bracket.flipped() if self.is_reversed else bracket


class PositionSolver(contextlib.ExitStack):
    """Solves positions with more men than tables have; for use in a `with` statement.

    Solved blocks stay for other positions and for another time. They are in the folder `solved` of
    the first folder that can be written to. So an interrupted solve goes on from where it was.
    Arguments are as for `solve`.
    """

    def __init__(
        self,
        folders: Folders | None = None,
        *,
        budget: int = DEFAULT_BUDGET,
        threads: int = 2,
        syzygy: Folders | None = None,
    ) -> None:
        super().__init__()
        paths = folders_of(folders, Mobility.RESET)
        self._threads = expect_number(threads, "threads", 1)
        self.budget = expect_number(budget, "budget", 0)
        self.cache_bytes = CACHE_BYTES
        self._known = OpenTables(paths, 1 << 26, outcomes_only=False)
        self.callback(self._known.close)
        writable = self.enter_context(folder_to_write(paths, SOLVED))
        self._folder = BlockFolder(Path(writable) / SOLVED)
        self._winner = self.enter_context(open_syzygy(syzygy))
        self._brackets = dict[tuple[str, Score], Bracket]()
        self._shared_queries = dict[Node, set[tuple[Score, int]]]()
        """What all positions ask of a node without pawns."""

    def plan(self, position: Position, accrued: Score | str | None = None) -> SolvePlan:
        """The cost of solving a position; ClosureTooLargeError if it exceeds the budget."""
        board, carried = self._read(position, accrued)
        return plan_of(self._affordable(board, carried))

    def solve(
        self, position: Position, accrued: Score | str | None = None, watch: Watch = unwatched
    ) -> Solution:
        """The value of a position and of its moves, or bounds, as `tbgen.solve` gives them."""
        board, carried = self._read(position, accrued)
        began = time.process_time()
        closures = self._affordable(board, carried)
        self.check(plan_of(closures))
        solution = self._answer(board, carried, closures, watch)
        watch(1.0)
        self._folder.shrink(self.cache_bytes)
        return replace(solution, cpu_seconds=time.process_time() - began)

    def solved(self, position: Position, accrued: Score | str | None = None) -> Solution | None:
        """The answer of `solve` from blocks that are solved already.

        It is None without them, or if a table has the position.
        """
        board, carried = self._read(position, accrued)
        with contextlib.suppress(LookupError, OSError, ClosureTooLargeError):
            node, _ = shared_node(board)
            if any(self._folder.folder.glob(f"{node}-*")):
                closures = self._affordable(board, carried)
                solution = self._answer(board, carried, closures, None)
                return solution if solution.moves else None
        return None

    def bracket(
        self, board: chess.Board, accrued: Score, watch: Watch = unwatched
    ) -> Bracket | None:
        """The bracket of a position, unless it takes too much; it is solved once."""
        key = board.epd(), accrued
        if key not in self._brackets:
            with contextlib.suppress(ClosureTooLargeError, BuildError):
                self._brackets[key] = self.solve(board, accrued, watch).bracket
        return self._brackets.get(key)

    def outlook(
        self, positions: Iterable[Problem]
    ) -> tuple[list[Problem], Counter[str], SolvePlan]:
        """The positions that can be solved, how often and why others cannot, and the cost.

        The cost has each block once.
        """
        roots = list(positions)
        self._share_queries(roots)
        kept = list[Problem]()
        refused = Counter[str]()
        plan = plan_of(self._closures_to_solve(roots, kept, refused))
        return kept, refused, plan

    def _share_queries(self, roots: Iterable[Problem]) -> None:
        """Ask a block without pawns, which takes long, once for all positions."""
        for position, accrued in roots:
            with contextlib.suppress(InputError):
                board, carried = self._read(position, accrued)
                node, queries = queries_of(board, carried)
                if node.pawns:
                    self._shared_queries[node] = set()
                else:
                    self._shared_queries.setdefault(node, set()).update(queries)

    def _closures_to_solve(
        self, roots: Iterable[Problem], kept: list[Problem], refused: Counter[str]
    ) -> Iterator[Closure]:
        """The closures of some positions, one after another, as together they take much memory."""
        for position, accrued in roots:
            try:
                board, carried = self._read(position, accrued)
                closures = self._affordable(board, carried)
                self.check(plan_of(closures))
            except ClosureTooLargeError as error:
                refused[error.reason] += 1
            except (InputError, MissingTableError, BuildError) as error:
                refused[str(error)] += 1
            else:
                kept.append((position, accrued))
                yield from closures

    def prepare(self, material: Material, watch: Watch | None = None) -> SolvePlan:
        """Plan who mates after promotions to a queen that leave six men; with `watch`, solve it."""
        men = MOST_COARSE_FREE + 1
        if material.men != men or material.pawns not in (1, 2):
            reason = f"no promotion leads to {men} men with one pawn or none"
            raise ClosureTooLargeError(str(material), reason)
        closures = list[Closure]()
        for promoter in Color:
            if Role.PAWN in material.side(promoter):
                for bound in Bound:
                    closures.append(self._mates_after_queen(material, promoter, bound))
        plan = plan_of(closures)
        if watch:
            from tbgen.closures.blocks import SolvedBlocks, solve_closure

            self.check(plan)
            tell = progress_of(plan.cpu_seconds, watch)
            for closure in closures:
                solve_closure(SolvedBlocks(closure, self._folder), self._threads, tell)
            watch(1.0)
            self._folder.shrink(self.cache_bytes)
        return plan

    def _mates_after_queen(self, material: Material, promoter: Color, bound: Bound) -> Closure:
        """The closure that tells who mates after a pawn of `promoter` has become a queen."""
        way = Way(queen=0, knight=0, others=0, mates_free=MOST_COARSE_FREE)
        closure = Closure(self._known, way, CutQuestion(bound, ()), self._folder.keys())
        promoted = with_man(material, promoter, Role.PAWN, Role.QUEEN)
        # One pawn is left, which may stand on the same squares in either colours.
        for pawns in layout_of(promoted.canonical()).blocks:
            closure.add(node_of(promoted, pawns), promoter=promoter)
        closure.refuse_missing()
        return closure

    def check(self, plan: SolvePlan) -> None:
        """Refuse what does not fit into memory or onto the disk."""
        memory = available_memory()
        if memory is not None and plan.memory_bytes > memory:
            raise NotEnoughMemoryError("the blocks of a position", plan.memory_bytes, memory)
        disk = free_disk(self._folder.folder)
        disk_bytes = plan.disk_bytes + plan.scratch_bytes
        if disk is not None and disk_bytes > disk:
            raise NotEnoughDiskError("the blocks of a position", disk_bytes, disk)

    def _read(self, position: Position, accrued: Score | str | None) -> Problem:
        """A legal position, and what has accrued in it; an error if no game can lead there."""
        board, carried = TableValues(self._known, Mobility.RESET).read(position, accrued)
        refuse_illegal(board)
        if board.castling_rights:
            raise CastlingError(board.fen())
        if carried is None:
            return board, own_of(board)
        return board, accrued_in(carried, own_of(board), bare_sides(board))

    def _queried(self, board: chess.Board, accrued: Score) -> tuple[Node, Queries]:
        """The node of a position, and what is asked of it, by all that are solved together."""
        node, queries = queries_of(board, accrued)
        return node, sorted(queries | self._shared_queries.get(node, set()))

    def _affordable(self, board: chess.Board, accrued: Score) -> list[Closure]:
        """The closures that budget and machine allow together, the quickest first.

        If the machine has room for none, the quickest is returned, so that `check` says what lacks.
        """
        node, queries = self._queried(board, accrued)
        material = material_on(board)
        self._refuse_what_a_table_has(board)
        closures = self._closures(node, queries, self.budget)
        if not closures:
            raise ClosureTooLargeError(str(material), self._over_budget(node, queries))
        fitting = [closure for closure in closures if self._fits(closure)]
        if not fitting:
            return closures[:1]
        # Beside the last pawn the last way solves no queens: it replaces a first one that does not
        # fit.
        most_queens = fitting[0].way.queen
        return [closure for closure in fitting if closure.way.queen >= most_queens]

    def _refuse_what_a_table_has(self, board: chess.Board) -> None:
        """ClosureTooLargeError if the position has a table."""
        if self._known.digest_on(board):
            reason = "its table is there; ask it with: tbgen probe"
            raise ClosureTooLargeError(str(material_on(board)), reason)

    def _over_budget(self, node: Node, queries: Queries) -> str:
        """Why a node is refused, with the least that it takes if that can be said."""
        larger = max(LARGER_BUDGET * self.budget, DEFAULT_BUDGET)
        closures = self._closures(node, queries, larger)
        if not closures:
            return f"it takes more than {larger:,} CPU seconds by the plan"
        seconds = math.ceil(closures[0].cpu_seconds)
        return f"it takes at least {seconds:,} CPU seconds by the plan; allow more with --budget"

    def _fits(self, closure: Closure) -> bool:
        """Whether memory and disk suffice."""
        try:
            self.check(plan_of([closure]))
        except BuildError:
            return False
        return True

    def _closures(self, node: Node, queries: Queries, budget: float) -> list[Closure]:
        """The closures of a node that a budget allows together, one for each way that helps.

        MissingTableError if all of them lack a table.
        """
        closures = dict[frozenset[tuple[Node, bool]], Closure]()
        """[the nodes that are solved, and whether at just these cuts] -> the first such closure."""
        lacking = list[Closure]()
        solved_keys = self._folder.keys()
        seconds_left = float(budget)
        shares = self._known.shares(node.material)
        search = CutSearch(ANYTHING, _nothing_tried(), node.promoter, shares)
        question = search.next_question(asks_singly=False, asks_both=False)
        assert question is not None, "nothing is known, so there is something to ask"
        for way in ways_of(node.free):
            closure = Closure(self._known, way, question, solved_keys, seconds_left)
            try:
                closure.add(node, queries)
            except ClosureTooLargeError:
                continue
            if closure.missing:
                lacking.append(closure)
                continue
            # Ways that differ in cuts alone are one.
            solved = frozenset(
                (block.node, block.cuts in ((), question.cuts)) for block in closure.blocks.values()
            )
            # Solving all rooks and bishops hardly ever matters where bounds are left.
            is_worth_it = way.others != MOST_FREE or plan_of([closure]).exact
            if solved not in closures and is_worth_it:
                closures[solved] = closure
                seconds_left -= closure.cpu_seconds
                question = question._replace(cuts=question.cuts[:1])  # later ways ask one cut
        if lacking and not closures:
            lacking[0].refuse_missing()
        return list(closures.values())

    def _answer(
        self,
        board: chess.Board,
        accrued: Score,
        closures: Sequence[Closure],
        watch: Watch | None,
    ) -> Solution:
        """The answer, made closer in one way after another while the budget lasts.

        Without `watch` nothing is solved: a closure that lacks a block is left out.
        """
        node, queries = self._queried(board, accrued)
        _, is_reversed = shared_node(board)
        plan = plan_of(closures)
        problem = OpenProblem(
            node=node,
            is_reversed=is_reversed,
            queries=queries,
            shares=self._known.shares(node.material),
            solution=Solution(board.fen(), accrued, ANYTHING, [], plan, 0.0),
            seconds_left=float(self.budget) if watch else 0.0,
        )
        expected = min(CLOSURES_A_WAY * plan.cpu_seconds, self.budget)
        tell = progress_of(expected, watch) if watch else None
        # A new folder has used no block yet, so `shrink` may remove those of earlier positions.
        self._folder = BlockFolder(self._folder.folder)
        for number, closure in enumerate(closures):
            later = closures[number + 1 :]
            if closure.way.queen > MOST_FREE:
                later = []  # its queens take the time, so it finds both bounds itself
            self._ask_in_way(problem, closure.way, later, tell)
        return replace(problem.solution, plan=plan_of(problem.closures))

    def _ask_in_way(
        self, problem: OpenProblem, way: Way, later: Sequence[Closure], tell: Watch | None
    ) -> None:
        """Ask one question after another, until a way has nothing left to ask or the time is up.

        Each question is about cuts within the bracket so far. `later` are the closures planned for
        later ways. Without `tell` nothing is solved.
        """
        from tbgen.closures.answers import Brackets
        from tbgen.closures.blocks import SolvedBlocks, solve_closure

        tried = _nothing_tried()
        while True:
            search = CutSearch(problem.bracket, tried, problem.node.promoter, problem.shares)
            question = search.next_question(
                asks_singly=way.asks_singly,
                asks_both=all(closure.cpu_seconds > problem.seconds_left for closure in later),
            )
            if question is None:
                return
            solved_keys = self._folder.keys()
            closure = Closure(self._known, way, question, solved_keys, problem.seconds_left)
            try:
                closure.add(problem.node, problem.queries)
            except ClosureTooLargeError:
                return
            blocks = SolvedBlocks(closure, self._folder, solves=tell is not None)
            if tell:
                solve_closure(blocks, self._threads, tell)
            problem.closures.append(closure)
            problem.solution = Brackets(blocks, self._winner).improve(problem.solution)
            problem.seconds_left -= closure.cpu_seconds
            tried[question.bound] += question.cuts
            if not any(block.cuts for block in closure.blocks.values()):
                return  # other cuts would find the same


def _nothing_tried() -> dict[Bound, Cuts]:
    """No cuts, with either bound."""
    return dict.fromkeys(Bound, ())


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
        syzygy: Folders of ordinary Syzygy tables, as for `folders`. They bound the position and its
            moves.

    Returns:
        Bounds of the value, and of each move. Equal bounds prove a value.

    Raises:
        ClosureTooLargeError: The position leads to more than the budget allows, or has a table of
            its own.
        UsageError: A folder of `syzygy` has no tables.
        MissingTableError: A table that a capture leads to is missing.
        NotEnoughMemoryError, NotEnoughDiskError: The position needs more than is free.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     solve("8/1K6/6p1/6P1/2k5/7p/7P/8 w - - 0 51", folders=folder)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tbgen.errors.MissingTableError: ...
    """
    with PositionSolver(folders, budget=budget, threads=threads, syzygy=syzygy) as solver:
        return solver.solve(position, accrued, watch)
