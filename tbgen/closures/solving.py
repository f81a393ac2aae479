"""Solving: plan a position's closures, refuse what is too much, solve them, answer.

`PositionSolver` has the loop from questions to a bracket. A plan needs no compiler, so what solves
is imported only where something is solved.
"""

import contextlib
import math
import time
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import chess

from tbgen.closures import DEFAULT_BUDGET, SOLVED
from tbgen.closures.bracket import ANYTHING, Bracket, Solution, SolvePlan
from tbgen.closures.closure import Budget, Closure
from tbgen.closures.cuts import Bound, CutQuestion, Cuts
from tbgen.closures.folder import BlockFolder
from tbgen.closures.nodes import RootNode, node_of, shared_node
from tbgen.closures.pace import SolvePace
from tbgen.closures.planning import Outlook, Planner, Problem, plan_of
from tbgen.closures.policy import CutSearch, nothing_tried
from tbgen.closures.ways import MOST_COARSE_FREE, MOST_FREE, Way
from tbgen.errors import (
    BuildError,
    ClosureTooLargeError,
    SolveOverrunError,
    expect_number,
)
from tbgen.index.layout import layout_of
from tbgen.material import Material, with_man
from tbgen.men import Role
from tbgen.probe.answers import LineStep
from tbgen.probe.opened import OpenTables
from tbgen.probe.syzygy import open_syzygy
from tbgen.probe.tablebase import folders_of
from tbgen.probe.values import Position
from tbgen.score import Color, Mobility, Score
from tbgen.storage.files import Folders
from tbgen.system.outputs import folder_to_write
from tbgen.system.watching import Watch, unwatched

QUICK_SECONDS = 10.0
"""A first way of at most so many CPU seconds is tried before others are planned."""

CACHE_BYTES = 1 << 35
"""The most disk for solved blocks; those of the last position stay anyway."""


@dataclass
class OpenProblem:
    """A problem that is being solved, and how close its answer is."""

    root: RootNode
    is_reversed: bool
    """Whether the root's node is that of the position with reversed colours."""
    shares: Mapping[Score, float]
    """How common values are, as for `CutSearch`."""
    solution: Solution
    """The closest answer so far."""
    budget: Budget
    """What is left of the budget. Blocks that are paid cost nothing of it any more."""
    closures: list[Closure] = field(default_factory=list)
    """The closures that the answer rests on."""

    @property
    def bracket(self) -> Bracket:
        """The bracket so far, in the colours of the node."""
        bracket = self.solution.bracket
        return bracket.flipped() if self.is_reversed else bracket

    def pay(self, closure: Closure) -> None:
        """Note that the answer rests on a closure, and take its cost off the budget."""
        self.closures.append(closure)
        seconds = self.budget.seconds - closure.charged_seconds
        self.budget = Budget(seconds, self.budget.free_keys | closure.keys)


class ProblemState(NamedTuple):
    """What the plan of a problem depends on."""

    fen: str
    accrued: Score
    budget: Budget
    solved_keys: AbstractSet[str]


class PlannedClosures(NamedTuple):
    """The closures that are planned for a problem."""

    state: ProblemState
    closures: Sequence[Closure]


class PositionSolver(contextlib.ExitStack):
    """Solves positions with more men than tables have; for use in a `with` statement.

    Solved blocks stay for other positions and for another time. They are in the folder `solved` of
    the first folder that can be written to. So an interrupted solve goes on from where it was.

    Arguments:
        folders, budget, threads, syzygy: As for `solve`.
        counts_solved: Whether blocks that are solved already count in the budget like others. Then
            an answer does not depend on what was solved before.
        overrun: A solve stops when it has taken so many times the CPU seconds that are expected.
    """

    def __init__(
        self,
        folders: Folders | None = None,
        *,
        budget: int = DEFAULT_BUDGET,
        threads: int = 2,
        syzygy: Folders | None = None,
        counts_solved: bool = False,
        overrun: float = math.inf,
    ) -> None:
        super().__init__()
        paths = folders_of(folders, Mobility.RESET)
        self._threads = expect_number(threads, "threads", 1)
        self.budget = expect_number(budget, "budget", 0)
        self.cache_bytes = CACHE_BYTES
        self.stopped = list[SolveOverrunError]()
        """The solves of `bracket` that have taken too long."""
        self._counts_solved = counts_solved
        self._overrun = overrun
        self._tables = OpenTables(paths, 1 << 26, outcomes_only=False)
        self.callback(self._tables.close)
        writable = self.enter_context(folder_to_write(paths, SOLVED))
        self._folder = BlockFolder(Path(writable) / SOLVED)
        self._planner = Planner(self._tables, self._folder)
        self._winner = self.enter_context(open_syzygy(syzygy))
        self._brackets = dict[tuple[str, Score], Bracket | None]()
        self._planned: PlannedClosures | None = None
        """What was planned last, for a solve that follows: planning takes up to twelve seconds."""

    @property
    def _whole_budget(self) -> Budget:
        """The budget when a solve begins."""
        if self._counts_solved:
            return Budget(self.budget)
        return Budget(self.budget, self._folder.keys())

    def plan(self, position: Position, accrued: Score | str | None = None) -> SolvePlan:
        """The cost of solving a position; ClosureTooLargeError if it exceeds the budget."""
        board, carried = self._planner.read(position, accrued)
        state = self._state(board, carried)
        self._planned = self._plan_closures(board, state)
        return plan_of(self._planned.closures, most_seconds=self.budget)

    def _state(self, board: chess.Board, accrued: Score) -> ProblemState:
        """The state of the folder as it is, and the position that is asked."""
        return ProblemState(board.fen(), accrued, self._whole_budget, self._folder.keys())

    def _plan_closures(self, board: chess.Board, state: ProblemState) -> PlannedClosures:
        """The closures that the budget allows."""
        affordable = self._planner.affordable(board, state.accrued, state.budget)
        return PlannedClosures(state, affordable.closures)

    def solve(
        self,
        position: Position,
        accrued: Score | str | None = None,
        watch: Watch = unwatched,
        *,
        line: bool = False,
    ) -> Solution:
        """The value of a position and of its moves, or bounds, as `tbgen.solve` gives them."""
        board, carried = self._planner.read(position, accrued)
        began = time.process_time()
        state = self._state(board, carried)
        problem = self._opened(board, carried, state.budget)
        planned = self._take_plan(state)
        if planned is None:
            self._try_quick_way(problem, board, state, watch)
        if not problem.solution.bracket.is_exact:
            planned = planned or self._plan_closures(board, state)
            self._solve_planned(problem, planned.closures, watch)
        solution = replace(problem.solution, plan=plan_of(problem.closures))
        if line:
            solution = self._with_line(solution, problem.closures)
        watch(1.0)
        self._folder.shrink(self.cache_bytes)
        return replace(solution, cpu_seconds=time.process_time() - began)

    def _take_plan(self, state: ProblemState) -> PlannedClosures | None:
        """What was planned last, if nothing has changed since. It is given away once."""
        planned = self._planned
        self._planned = None
        return planned if planned is not None and planned.state == state else None

    def _try_quick_way(
        self, problem: OpenProblem, board: chess.Board, state: ProblemState, watch: Watch
    ) -> None:
        """Solve a position in its first way, if that is quick.

        This often proves the value, and planning all ways would take as long.
        """
        most = min(QUICK_SECONDS, state.budget.seconds)
        budget = state.budget._replace(seconds=most)
        closure = self._planner.quickest(board, state.accrued, budget)
        if closure is None:
            return

        def watch_quietly(_: float) -> None:
            """Nobody knows yet what part of the whole is done."""
            watch(0.0)

        material = str(problem.root.node.material)
        pace = SolvePace(material, closure.cpu_seconds, watch_quietly, self._overrun)
        self._answer(problem, [closure], pace)

    def _solve_planned(
        self, problem: OpenProblem, closures: Sequence[Closure], watch: Watch
    ) -> None:
        """Solve a position in the planned ways that have not been tried."""
        plan = plan_of(closures, most_seconds=self.budget)
        self._planner.check(plan)
        material = str(problem.root.node.material)
        pace = SolvePace(material, plan.expected_seconds, watch, self._overrun)
        tried = [closure.way for closure in problem.closures]
        untried = [closure for closure in closures if closure.way not in tried]
        self._answer(problem, untried, pace)

    def solved(
        self, position: Position, accrued: Score | str | None = None, *, line: bool = False
    ) -> Solution | None:
        """The answer of `solve` from blocks that are solved already.

        It is None without them, or if a table has the position.
        """
        board, carried = self._planner.read(position, accrued)
        with contextlib.suppress(LookupError, OSError, ClosureTooLargeError):
            node, _ = shared_node(board)
            if any(self._folder.folder.glob(f"{node}-*")):
                return self._answer_at_hand(board, carried, line=line)
        return None

    def _answer_at_hand(self, board: chess.Board, accrued: Score, *, line: bool) -> Solution | None:
        """The answer from closures whose blocks are all solved; None if there are no such ones."""
        solved_keys = self._folder.keys()
        budget = Budget(self.budget, solved_keys)
        closures = self._planner.affordable(board, accrued, budget).closures
        nothing_more = Budget(0, solved_keys)
        problem = self._opened(board, accrued, nothing_more)
        self._answer(problem, closures, None)
        solution = replace(problem.solution, plan=plan_of(problem.closures))
        if line:
            solution = self._with_line(solution, problem.closures, solves=False)
        return solution if solution.moves else None

    def bracket(
        self, board: chess.Board, accrued: Score, watch: Watch = unwatched
    ) -> Bracket | None:
        """The bracket of a position, unless it takes too much; it is solved once."""
        key = board.epd(), accrued
        if key not in self._brackets:
            self._brackets[key] = None
            try:
                self._brackets[key] = self.solve(board, accrued, watch).bracket
            except SolveOverrunError as error:
                self.stopped.append(error)
            except (ClosureTooLargeError, BuildError):
                pass
        return self._brackets[key]

    def line(self, board: chess.Board, accrued: Score) -> Sequence[LineStep] | None:
        """Moves that keep the value of a position whose `bracket` is exact."""
        return self.solve(board, accrued, line=True).line

    def outlook(self, positions: Sequence[Problem]) -> Outlook:
        """What solving some positions takes, each of them and all together."""
        return self._planner.outlook(positions, self._whole_budget)

    def check(self, plan: SolvePlan) -> None:
        """Refuse what does not fit into memory or onto the disk."""
        self._planner.check(plan)

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
            from tbgen.closures.blocks import SolvedBlocks
            from tbgen.closures.schedule import solve_closure

            self.check(plan)
            pace = SolvePace(str(material), plan.expected_seconds, watch, self._overrun)
            for closure in closures:
                solve_closure(SolvedBlocks(closure, self._folder), self._threads, pace)
            watch(1.0)
            self._folder.shrink(self.cache_bytes)
        return plan

    def _mates_after_queen(self, material: Material, promoter: Color, bound: Bound) -> Closure:
        """The closure that tells who mates after a pawn of `promoter` has become a queen."""
        way = Way(queen=0, knight=0, others=0, mates_free=MOST_COARSE_FREE)
        closure = Closure(self._tables, way, CutQuestion(bound, ()), self._folder.keys())
        promoted = with_man(material, promoter, Role.PAWN, Role.QUEEN)
        # One pawn is left, which may stand on the same squares in either colours.
        for pawns in layout_of(promoted.canonical()).blocks:
            closure.add(node_of(promoted, pawns), promoted_by=promoter)
        closure.refuse_missing()
        return closure

    def _opened(self, board: chess.Board, accrued: Score, budget: Budget) -> OpenProblem:
        """A problem of which nothing is known yet."""
        # A new folder has used no block yet, so `shrink` may remove those of earlier positions.
        self._folder = BlockFolder(self._folder.folder)
        root = self._planner.shared_root(board, accrued)
        _, is_reversed = shared_node(board)
        return OpenProblem(
            root=root,
            is_reversed=is_reversed,
            shares=self._tables.shares(root.node.material),
            solution=Solution(board.fen(), accrued, ANYTHING, [], plan_of(()), 0.0),
            budget=budget,
        )

    def _answer(
        self, problem: OpenProblem, closures: Sequence[Closure], pace: SolvePace | None
    ) -> None:
        """Make the answer closer in one way after another while the budget lasts.

        Without a pace nothing is solved: LookupError if a block is missing.
        """
        for number, closure in enumerate(closures):
            later = closures[number + 1 :]
            if closure.way.queen > MOST_FREE:
                later = []  # its queens take the time, so it finds both bounds itself
            self._ask_in_way(problem, closure, later, pace)

    def _ask_in_way(
        self,
        problem: OpenProblem,
        planned: Closure,
        later: Sequence[Closure],
        pace: SolvePace | None,
    ) -> None:
        """Ask one question after another, until a way has nothing left to ask or the time is up.

        The closure of the first question may be `planned`. `later` are those of later ways.
        """
        from tbgen.closures.answers import Brackets
        from tbgen.closures.blocks import SolvedBlocks
        from tbgen.closures.schedule import solve_closure

        tried = nothing_tried()
        while True:
            question = _next_question(problem, planned.way, tried, later)
            if question is None:
                return
            try:
                closure = self._closure_of(problem, planned, question)
            except ClosureTooLargeError:
                return
            blocks = SolvedBlocks(closure, self._folder, solves=pace is not None)
            if pace is not None:
                solve_closure(blocks, self._threads, pace)
            problem.solution = Brackets(blocks, self._winner).improve(problem.solution)
            problem.pay(closure)
            tried[question.bound] += question.cuts
            if not closure.asks_again:
                return  # other cuts would find the same

    def _closure_of(self, problem: OpenProblem, planned: Closure, question: CutQuestion) -> Closure:
        """The closure of a question: the one planned for its way, if nothing is solved since."""
        fits = planned.charged_seconds <= problem.budget.seconds
        if fits and planned.question == question and not problem.closures:
            return planned
        solved_keys = self._folder.keys()
        return self._planner.closure(
            problem.root, planned.way, question, problem.budget, solved_keys
        )

    def _with_line(
        self, solution: Solution, closures: Sequence[Closure], *, solves: bool = True
    ) -> Solution:
        """A solution with moves that keep its value, if that is exact.

        They are by the last closure that proves it. LookupError if a block is gone, unless `solves`
        lets it be solved again.
        """
        from tbgen.closures.blocks import SolvedBlocks
        from tbgen.closures.line import LineFinder

        if not solution.bracket.is_exact:
            return solution
        board = chess.Board(solution.fen)
        for closure in reversed(closures):
            blocks = SolvedBlocks(closure, self._folder, solves=solves)
            steps = LineFinder(blocks).line(board, solution.accrued)
            if steps is not None:
                return replace(solution, line=steps)
        return solution


def _next_question(
    problem: OpenProblem, way: Way, tried: Mapping[Bound, Cuts], later: Sequence[Closure]
) -> CutQuestion | None:
    """The next question of a way, about cuts within the bracket so far; None if none is left."""
    search = CutSearch(problem.bracket, tried, problem.root.node.side_with_pawn, problem.shares)
    no_later_way = all(closure.charged_seconds > problem.budget.seconds for closure in later)
    return search.next_question(asks_singly=way.asks_singly, asks_both=no_later_way)


def solve(
    position: Position,
    accrued: Score | str | None = None,
    *,
    folders: Folders | None = None,
    budget: int = DEFAULT_BUDGET,
    threads: int = 2,
    watch: Watch = unwatched,
    syzygy: Folders | None = None,
    line: bool = False,
) -> Solution:
    """The value of a position with more men than tables have, or bounds of the value.

    Arguments:
        position: A board without castling rights, or a FEN.
        accrued: As for `Tablebase.probe`.
        folders: As for `Tablebase`. Tables of outcomes alone suffice.
        budget: The most CPU seconds, by the plan. Blocks that are solved already cost nothing of
            it.
        threads: The number of threads. Each solves a block, where there is memory for that.
        watch: The solver calls it with the part that is done.
        syzygy: Folders of ordinary Syzygy tables, as for `folders`. They bound the position and its
            moves.
        line: Whether to find moves that keep a proved value and make progress, as far as tables do
            not have the position.

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
    ...     solve("8/8/8/8/3k1r2/8/4P3/R3K3 w - - 0 1", folders=folder)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tbgen.errors.MissingTableError: ...
    """
    with PositionSolver(folders, budget=budget, threads=threads, syzygy=syzygy) as solver:
        return solver.solve(position, accrued, watch, line=line)
