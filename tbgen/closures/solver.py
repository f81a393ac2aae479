"""Solver: asks one question after another about a position, until its bracket is exact.

`PositionSolver` is what users call. A plan needs no compiler, so what solves is imported only where
something is solved.
"""

import contextlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import chess

from tbgen.closures import DEFAULT_BUDGET, SOLVED, folders_with_blocks
from tbgen.closures.answers import Brackets, LineFinder, Solution
from tbgen.closures.bounds import ANYTHING, Bound, Bracket, CutQuestion, Cuts
from tbgen.closures.closure import Closure
from tbgen.closures.costs import SolvePace
from tbgen.closures.kept import KeptAnswer, KeptSolves
from tbgen.closures.placements import Node, RootNode, root_of
from tbgen.closures.plan import (
    Costs,
    Outlook,
    PlannedWays,
    PositionOutlook,
    Problem,
    SolvePlan,
    add_costs,
    plan_of,
    plan_of_blocks,
    refuse_lack_of_room,
)
from tbgen.closures.policy import CutSearch, Way, nothing_tried
from tbgen.closures.store import BlockStore
from tbgen.errors import (
    CastlingError,
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
from tbgen.probe.values import Position, TableValues
from tbgen.rules.notation import refuse_illegal
from tbgen.rules.position import accrued_in, bare_sides, material_on, own_of
from tbgen.score import Mobility, Score
from tbgen.storage.files import Folders, folders_in
from tbgen.system.outputs import folder_to_write
from tbgen.system.watching import Watch, unwatched

CACHE_BYTES = 1 << 35
"""The most disk for solved blocks; those of the last position stay anyway."""

TOO_MUCH = (ClosureTooLargeError, NotEnoughMemoryError, NotEnoughDiskError)
"""Errors of a position that budget or machine do not allow."""


@dataclass
class OpenProblem:
    """A position that is being solved, and how close its answer is."""

    root: RootNode
    shares: Mapping[Score, float]
    """How common values are, as for `CutSearch`."""
    solution: Solution
    """The closest answer so far."""
    closures: list[Closure] = field(default_factory=list)
    """The closures that the answer rests on."""

    def next_question(
        self, tried: Mapping[Bound, Cuts], way: Way, asks_both: Callable[[], bool]
    ) -> CutQuestion | None:
        """The next question of a way that has tried some cuts; None if nothing is left to ask."""
        bracket = self.solution.bracket
        if self.root.is_reversed:
            bracket = bracket.flipped()
        search = CutSearch(bracket, tried, self.root.node.side_with_pawn, self.shares)
        return search.next_question(asks_singly=way.asks_singly, asks_both=asks_both)

    def first_question(self, way: Way) -> CutQuestion:
        """The question that a way begins with."""
        question = self.next_question(nothing_tried(), way, lambda: True)
        assert question is not None, "no way is planned for a value that is proved"
        return question


class PositionSolver(contextlib.ExitStack):
    """Solves positions with more men than tables have; for use in a `with` statement.

    Solved blocks stay for other positions and for another time. They are in the folder `solved` of
    the first folder that has it and can be written to, else of the first that can be written to. So
    an interrupted solve goes on from where it was.

    Arguments:
        folders, budget, threads, syzygy: As for `solve`.
        reads_only: Only `solved` will be asked. The blocks are those of the first folder that has
            some, which nobody needs to be able to write to.
    """

    def __init__(
        self,
        folders: Folders | None = None,
        *,
        budget: int = DEFAULT_BUDGET,
        threads: int = 2,
        syzygy: Folders | None = None,
        reads_only: bool = False,
    ) -> None:
        super().__init__()
        paths = folders_of(folders, Mobility.RESET)
        self._threads = expect_number(threads, "threads", 1)
        self.budget = expect_number(budget, "budget", 0)
        self.cache_bytes = CACHE_BYTES
        self._tables = OpenTables(paths, 1 << 26, outcomes_only=False)
        self.callback(self._tables.close)
        with_blocks = folders_with_blocks(paths)
        if reads_only and with_blocks:
            folder = with_blocks[0]
        else:
            folder = Path(self.enter_context(folder_to_write([*with_blocks, *paths], SOLVED)))
        self._store = BlockStore(folder / SOLVED)
        self.callback(self._store.close)
        self._syzygy = syzygy
        self._winner = self.enter_context(open_syzygy(syzygy))
        self._kept = KeptSolves(self._store, self._tables, self._winner)
        self._shared_queries = dict[Node, set[tuple[Score, int]]]()
        """What all positions ask of a node without pawns."""

    def plan(self, position: Position, accrued: Score | str | None = None) -> SolvePlan:
        """The cost of solving a position; ClosureTooLargeError if it exceeds the budget."""
        return self._plan(*self._read(position, accrued)).plan()

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
        board, carried = self._read(position, accrued)
        kept = self._kept.find(board, carried)
        if kept is None or not self._is_final(kept, line=line):
            solution = self._solve(board, carried, SolvePace(watch), line=line)
        else:
            solution = kept.solution
        watch(1.0)
        return replace(solution, cpu_seconds=time.process_time() - began)

    def solved(
        self, position: Position, accrued: Score | str | None = None, *, line: bool = False
    ) -> Solution | None:
        """What earlier solves tell of a position; None if that is nothing, or a table has changed.

        A solve tells of all positions with the same pawns and men. Nothing is planned or solved.
        With `line`, moves are there if the solve of this position has found some.
        """
        board, carried = self._read(position, accrued)
        kept = self._kept.find(board, carried)
        if kept is None:
            return None
        return kept.solution if line else replace(kept.solution, line=None)

    def bracket(
        self, board: chess.Board, accrued: Score, watch: Watch = unwatched
    ) -> Bracket | None:
        """The bracket of a position, unless it takes too much."""
        with contextlib.suppress(*TOO_MUCH):
            return self.solve(board, accrued, watch).bracket
        return None

    def outlook(self, problems: Sequence[Problem], watch: Watch = unwatched) -> Outlook:
        """What solving some positions takes, each of them and all together."""
        self._share_queries(problems)
        positions = list[PositionOutlook]()
        costs = Costs()
        for problem in problems:
            position, closures = self._outlook_of(problem)
            positions.append(position)
            add_costs(costs, closures)
            watch(len(positions) / len(problems))
        plans = [position.plan for position in positions if position.plan is not None]
        missing = set[str]()
        for plan in plans:
            missing.update(plan.missing)
        together = replace(
            plan_of_blocks(costs, most_seconds=sum(plan.expected_seconds for plan in plans)),
            exact=all(plan.exact for plan in plans),
            missing=tuple(sorted(missing)),
            first_seconds=plans[0].first_seconds if plans else 0.0,
        )
        return Outlook(positions, together)

    def _outlook_of(self, problem: Problem) -> tuple[PositionOutlook, Sequence[Closure]]:
        """What solving a position takes, and the closures that are solved."""
        try:
            board, accrued = self._read(*problem)
            kept = self._kept.find(board, accrued)
            if kept is not None and self._is_final(kept, line=False):
                return PositionOutlook(replace(plan_of(()), exact=kept.solution.plan.exact)), ()
            ways = self._plan(board, accrued)
            plan = ways.plan()
            self.check(plan)
        except ClosureTooLargeError as error:
            return PositionOutlook(refusal=error.reason), ()
        except (InputError, MissingTableError, *TOO_MUCH) as error:
            return PositionOutlook(refusal=str(error)), ()
        return PositionOutlook(plan, lacks_room=bool(ways.unfit)), ways.taken

    def check(self, plan: SolvePlan) -> None:
        """Refuse what does not fit into memory or onto the disk."""
        refuse_lack_of_room(plan, self._store.folder)

    def _read(self, position: Position, accrued: Score | str | None) -> Problem:
        """A legal position, and what has accrued in it; an error if no game can lead there."""
        board, carried = TableValues(self._tables, Mobility.RESET).read(position, accrued)
        refuse_illegal(board)
        if board.castling_rights:
            raise CastlingError(board.fen())
        if carried is None:
            return board, own_of(board)
        return board, accrued_in(carried, own_of(board), bare_sides(board))

    def _share_queries(self, problems: Iterable[Problem]) -> None:
        """Ask a block without pawns, which takes long, once for all positions."""
        for position, accrued in problems:
            try:
                root = root_of(*self._read(position, accrued))
            except InputError:
                continue
            if not root.node.pawns:
                self._shared_queries.setdefault(root.node, set()).update(root.queries)

    def _settings(self) -> str:
        """What bounds depend on, besides the tables that they rest on."""
        tables = sorted(
            {path.name for folder in self._tables.folders for path in folder.glob("*.h5")}
        )
        folders = () if self._syzygy is None else folders_in(self._syzygy)
        winners = [
            [str(folder.resolve()), *sorted(path.name for path in folder.glob("*.rtbw"))]
            for folder in folders
        ]
        return repr([winners, self.budget, tables])

    def _is_final(self, kept: KeptAnswer, *, line: bool) -> bool:
        """Whether a solve would find nothing but what was found before."""
        is_exact = kept.solution.bracket.is_exact
        if line and is_exact and not kept.asked_line:
            return False
        return is_exact or kept.settings == self._settings()

    def _opened(self, board: chess.Board, accrued: Score) -> OpenProblem:
        """A problem of which nothing is known yet; ClosureTooLargeError if a table has it."""
        if self._tables.digest_on(board):
            reason = "its table is there; ask it with: tbgen probe"
            raise ClosureTooLargeError(str(material_on(board)), reason)
        root = root_of(board, accrued)
        shared = self._shared_queries.get(root.node, set())
        return OpenProblem(
            root=root._replace(queries=sorted(shared.union(root.queries))),
            shares=self._tables.shares(root.node.material),
            solution=Solution(board.fen(), accrued, ANYTHING, [], plan_of(()), 0.0),
        )

    def _plan(self, board: chess.Board, accrued: Score) -> PlannedWays:
        """All ways that budget and machine allow together; the reason if there are none.

        They are planned by their first questions about a position of which nothing is known. Later
        ways ask one cut.
        """
        problem = self._opened(board, accrued)

        def question_of(way: Way) -> CutQuestion:
            first = problem.first_question(replace(way, asks_singly=False))
            return first._replace(cuts=first.cuts[:1]) if ways.taken else first

        ways = PlannedWays(self._tables, self._store, problem.root, self.budget, question_of)
        for closure in ways:
            closure.pay()
        if not ways.taken and not ways.unfit:
            ways.refuse()
        return ways

    def _solve(
        self, board: chess.Board, accrued: Score, pace: SolvePace, *, line: bool
    ) -> Solution:
        """Solve a position in one way after another, and keep the answer."""
        problem = self._opened(board, accrued)
        question_of = problem.first_question
        ways = PlannedWays(self._tables, self._store, problem.root, self.budget, question_of)
        for closure in ways:
            self._ask_in_way(problem, closure, ways, pace)
            if problem.solution.bracket.is_exact:
                break
        if not problem.closures:
            ways.refuse()
        solution = replace(problem.solution, plan=plan_of(problem.closures))
        if line and solution.bracket.is_exact:
            solution = replace(solution, line=self._line_of(solution, problem.closures))
        if solution.bracket.is_exact or not ways.unfit:
            self._kept.keep(solution, problem.closures, self._settings(), asked_line=line)
        self._store.shrink(self.cache_bytes)
        return solution

    def _ask_in_way(
        self, problem: OpenProblem, closure: Closure, ways: PlannedWays, pace: SolvePace
    ) -> None:
        """Ask one question after another, until a way has nothing left to ask or the time is up.

        `closure` is that of the first question.
        """
        from tbgen.closures.closure_solver import ClosureSolver

        way = closure.way

        def asks_both() -> bool:
            """Whether no later way is left to find the other bound."""
            return way.asks_both or not ways.has_next()

        tried = nothing_tried()
        while True:
            question = problem.next_question(tried, way, asks_both)
            if question is None:
                return
            if closure.question != question:
                try:
                    closure = ways.closure(way, question)
                except TOO_MUCH:
                    return
                if not ways.has_room_for(closure):
                    ways.unfit.append(closure)
                    return
            blocks = ClosureSolver(closure, self._store)
            pace.begin(closure.cpu_seconds)
            blocks.solve_all(self._threads, pace)
            problem.solution = Brackets(blocks, self._winner).improve(problem.solution)
            problem.closures.append(closure)
            closure.pay()
            tried[question.bound] += question.cuts
            if not closure.asks_again:
                return  # other cuts would find the same

    def _line_of(
        self, solution: Solution, closures: Sequence[Closure]
    ) -> Sequence[LineStep] | None:
        """Moves that keep an exact value, by the last closure that proves it."""
        from tbgen.closures.closure_solver import ClosureSolver

        board = chess.Board(solution.fen)
        for closure in reversed(closures):
            steps = LineFinder(ClosureSolver(closure, self._store)).line(board, solution.accrued)
            if steps is not None:
                return steps
        return None


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
