"""Solving: plan a position's closures, refuse what is too much, solve them, answer.

`PositionSolver` has the loop from questions to a bracket. A plan needs no compiler, so what solves
is imported only where something is solved.
"""

import contextlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import chess

from tbgen.closures import DEFAULT_BUDGET, SOLVED
from tbgen.closures.bracket import ANYTHING, Bracket, Solution, SolvePlan
from tbgen.closures.closure import Closure
from tbgen.closures.costs import Budget
from tbgen.closures.cuts import Bound, CutQuestion, Cuts
from tbgen.closures.kept import AskedWith, KeptAnswer, KeptAnswers
from tbgen.closures.nodes import RootNode, shared_node
from tbgen.closures.pace import SolvePace
from tbgen.closures.planning import (
    Outlook,
    PlannedWays,
    Planner,
    PlanSum,
    PositionOutlook,
    Problem,
    plan_of,
)
from tbgen.closures.policy import CutSearch, nothing_tried
from tbgen.closures.store import BlockStore
from tbgen.closures.ways import MOST_FREE, Way
from tbgen.errors import (
    BuildError,
    ClosureTooLargeError,
    InputError,
    MissingTableError,
    NotEnoughDiskError,
    NotEnoughMemoryError,
    expect_number,
)
from tbgen.probe.answers import LineStep
from tbgen.probe.opened import OpenTables
from tbgen.probe.syzygy import open_syzygy
from tbgen.probe.tablebase import folders_of
from tbgen.probe.values import Position
from tbgen.rules.position import material_on
from tbgen.score import Mobility, Score
from tbgen.storage.files import Folders
from tbgen.system.outputs import folder_to_write
from tbgen.system.watching import Watch, unwatched

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
    closures: list[Closure] = field(default_factory=list)
    """The closures that the answer rests on."""

    @property
    def bracket(self) -> Bracket:
        """The bracket so far, in the colours of the node."""
        bracket = self.solution.bracket
        return bracket.flipped() if self.is_reversed else bracket

    def search(self, tried: Mapping[Bound, Cuts]) -> CutSearch:
        """The search for the next cuts of a way that has tried some."""
        return CutSearch(self.bracket, tried, self.root.node.side_with_pawn, self.shares)


class PositionSolver(contextlib.ExitStack):
    """Solves positions with more men than tables have; for use in a `with` statement.

    Solved blocks and answers stay for other positions and for another time. They are in the folder
    `solved` of the first folder that can be written to. So an interrupted solve goes on from where
    it was.

    Arguments:
        folders, budget, threads, syzygy: As for `solve`.
        counts_solved: Whether blocks that are solved already count in the budget like others. Then
            an answer does not depend on what was solved before.
    """

    def __init__(
        self,
        folders: Folders | None = None,
        *,
        budget: int = DEFAULT_BUDGET,
        threads: int = 2,
        syzygy: Folders | None = None,
        counts_solved: bool = False,
    ) -> None:
        super().__init__()
        paths = folders_of(folders, Mobility.RESET)
        self._threads = expect_number(threads, "threads", 1)
        self.budget = expect_number(budget, "budget", 0)
        self.cache_bytes = CACHE_BYTES
        self._counts_solved = counts_solved
        self._tables = OpenTables(paths, 1 << 26, outcomes_only=False)
        self.callback(self._tables.close)
        writable = self.enter_context(folder_to_write(paths, SOLVED))
        self._store = BlockStore(Path(writable) / SOLVED)
        self.callback(self._store.close)
        self._kept = KeptAnswers(self._store, self._tables)
        self._planner = Planner(self._tables, self._store)
        self._syzygy = syzygy
        self._winner = self.enter_context(open_syzygy(syzygy))
        self._brackets = dict[tuple[str, Score], Bracket | None]()

    def _new_budget(self) -> Budget:
        """The budget when a solve begins."""
        return Budget(self.budget, counts_solved=self._counts_solved)

    def _settings(self) -> AskedWith:
        """What an answer depends on, besides the tables that it rests on."""
        files = sorted(
            {path.name for folder in self._tables.folders for path in folder.glob("*.h5")}
        )
        return AskedWith(str(self._syzygy), repr([self.budget, self._counts_solved, files]))

    def plan(self, position: Position, accrued: Score | str | None = None) -> SolvePlan:
        """The cost of solving a position; ClosureTooLargeError if it exceeds the budget."""
        board, carried = self._planner.read(position, accrued)
        return self._plan(board, carried).plan(most_seconds=self.budget)

    def _plan(self, board: chess.Board, accrued: Score) -> PlannedWays:
        """All ways that budget and machine allow together; the reason if there are none."""
        ways = self._planner.ways(board, accrued, self._new_budget())
        if not ways.taken and not ways.unfit:
            ways.refuse()
        return ways

    def solve(
        self,
        position: Position,
        accrued: Score | str | None = None,
        watch: Watch = unwatched,
        *,
        line: bool = False,
    ) -> Solution:
        """The value of a position and of its moves, or bounds, as `tbgen.solve` gives them."""
        began = time.process_time()
        board, carried = self._planner.read(position, accrued)
        kept = self._kept.find(board, carried)
        if kept is None or not self._is_final(kept, line=line):
            solution = self._solve(board, carried, SolvePace(watch), line=line)
        else:
            solution = kept.solution
        watch(1.0)
        return replace(solution, cpu_seconds=time.process_time() - began)

    def _is_final(self, kept: KeptAnswer, *, line: bool) -> bool:
        """Whether a solve would find nothing but what was found before."""
        is_exact = kept.solution.bracket.is_exact
        if line and is_exact and not kept.asked_line:
            return False
        settings = self._settings()
        if is_exact and not self._counts_solved:
            return kept.settings.syzygy == settings.syzygy
        return kept.settings == settings

    def _solve(
        self, board: chess.Board, accrued: Score, pace: SolvePace, *, line: bool
    ) -> Solution:
        """Solve a position in one way after another, and keep the answer."""
        budget = self._new_budget()
        problem = self._opened(board, accrued)

        def question_of(way: Way) -> CutQuestion:
            """The question that a way begins with."""
            return _first_question(problem, way)

        ways = PlannedWays(self._planner, material_on(board), problem.root, budget, question_of)
        for closure in ways:
            self._ask_in_way(problem, closure, ways, pace)
            if problem.solution.bracket.is_exact:
                break
        if not problem.closures:
            ways.refuse()
        solution = replace(problem.solution, plan=plan_of(problem.closures))
        if line:
            solution = self._with_line(solution, problem.closures)
        if solution.bracket.is_exact or not ways.unfit:
            rests_on = dict[str, str]()
            for closure in problem.closures:
                rests_on |= closure.rests_on
            self._kept.keep(solution, self._settings(), rests_on, asked_line=line)
        self._store.shrink(self.cache_bytes)
        return solution

    def solved(
        self, position: Position, accrued: Score | str | None = None, *, line: bool = False
    ) -> Solution | None:
        """The answer that `solve` has left; None without one, or if a table has changed.

        Nothing is planned or solved. With `line`, moves are there if the solve has found some.
        """
        board, carried = self._planner.read(position, accrued)
        kept = self._kept.find(board, carried)
        if kept is None:
            return None
        return kept.solution if line else replace(kept.solution, line=None)

    def bracket(
        self, board: chess.Board, accrued: Score, watch: Watch = unwatched
    ) -> Bracket | None:
        """The bracket of a position, unless it takes too much; it is solved once."""
        key = board.epd(), accrued
        if key not in self._brackets:
            self._brackets[key] = None
            with contextlib.suppress(
                ClosureTooLargeError, NotEnoughMemoryError, NotEnoughDiskError
            ):
                self._brackets[key] = self.solve(board, accrued, watch).bracket
        return self._brackets[key]

    def line(self, board: chess.Board, accrued: Score) -> Sequence[LineStep] | None:
        """Moves that keep the value of a position whose `bracket` is exact."""
        return self.solve(board, accrued, line=True).line

    def outlook(self, problems: Sequence[Problem], watch: Watch = unwatched) -> Outlook:
        """What solving some positions takes, each of them and all together."""
        self._planner.share_queries(problems)
        positions = list[PositionOutlook]()
        total = PlanSum()
        for problem in problems:
            # One position after another, as all closures together take much memory.
            positions.append(self._outlook_of(problem, total))
            watch(len(positions) / len(problems))
        plan = total.plan()
        one_by_one = sum(position.expected_seconds for position in positions)
        expected_seconds = min(plan.expected_seconds, one_by_one)
        return Outlook(positions, replace(plan, expected_seconds=expected_seconds))

    def _outlook_of(self, problem: Problem, total: PlanSum) -> PositionOutlook:
        """What solving a position takes, which is added to what all take."""
        try:
            board, accrued = self._planner.read(*problem)
            kept = self._kept.find(board, accrued)
            if kept is not None and self._is_final(kept, line=False):
                return PositionOutlook(problem, plan_of(()))
            ways = self._plan(board, accrued)
            plan = ways.plan(most_seconds=self.budget)
            self.check(plan)
        except ClosureTooLargeError as error:
            return PositionOutlook(problem, refusal=error.reason)
        except (InputError, MissingTableError, BuildError) as error:
            return PositionOutlook(problem, refusal=str(error))
        for closure in ways.taken:
            total.add(closure)
        return PositionOutlook(problem, plan, lacks_room=bool(ways.unfit))

    def check(self, plan: SolvePlan) -> None:
        """Refuse what does not fit into memory or onto the disk."""
        self._planner.check(plan)

    def _opened(self, board: chess.Board, accrued: Score) -> OpenProblem:
        """A problem of which nothing is known yet."""
        root = self._planner.root(board, accrued)
        _, is_reversed = shared_node(board)
        return OpenProblem(
            root=root,
            is_reversed=is_reversed,
            shares=self._tables.shares(root.node.material),
            solution=Solution(board.fen(), accrued, ANYTHING, [], plan_of(()), 0.0),
        )

    def _ask_in_way(
        self, problem: OpenProblem, planned: Closure, ways: PlannedWays, pace: SolvePace
    ) -> None:
        """Ask one question after another, until a way has nothing left to ask or the time is up.

        The closure of the first question may be `planned`.
        """
        from tbgen.closures.answers import Brackets
        from tbgen.closures.blocks import SolvedBlocks
        from tbgen.closures.schedule import solve_closure

        way = planned.way

        def asks_both() -> bool:
            """Whether no later way finds the other bound; its queens may take the time."""
            return way.queen > MOST_FREE or not ways.has_next()

        closure = planned
        tried = nothing_tried()
        while True:
            question = problem.search(tried).next_question(
                asks_singly=way.asks_singly, asks_both=asks_both
            )
            if question is None:
                return
            if closure.question != question:
                try:
                    closure = ways.closure(way, question)
                except ClosureTooLargeError:
                    return
            blocks = SolvedBlocks(closure, self._store)
            pace.begin(closure.cpu_seconds)
            solve_closure(blocks, self._threads, pace)
            problem.solution = Brackets(blocks, self._winner).improve(problem.solution)
            problem.closures.append(closure)
            closure.pay()
            tried[question.bound] += question.cuts
            if not closure.asks_again:
                return  # other cuts would find the same

    def _with_line(self, solution: Solution, closures: Sequence[Closure]) -> Solution:
        """A solution with moves that keep its value, if that is exact.

        They are by the last closure that proves it.
        """
        from tbgen.closures.blocks import SolvedBlocks
        from tbgen.closures.line import LineFinder

        if not solution.bracket.is_exact:
            return solution
        board = chess.Board(solution.fen)
        for closure in reversed(closures):
            steps = LineFinder(SolvedBlocks(closure, self._store)).line(board, solution.accrued)
            if steps is not None:
                return replace(solution, line=steps)
        return solution


def _first_question(problem: OpenProblem, way: Way) -> CutQuestion:
    """The question that a way begins with."""
    question = problem.search(nothing_tried()).next_question(
        asks_singly=way.asks_singly, asks_both=lambda: True
    )
    assert question is not None, "no way is planned for a value that is proved"
    return question


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
