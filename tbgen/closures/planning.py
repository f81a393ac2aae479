"""Planning: which closures a budget allows for a position, and what they take.

A budget counts CPU seconds by the plan, not by the clock. So the answer depends on the tables and
the budget, and on no other load of the machine.
"""

import math
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import chess

from tbgen.closures import DEFAULT_BUDGET
from tbgen.closures.bracket import ANYTHING, SolvePlan
from tbgen.closures.closure import Budget, Closure
from tbgen.closures.costs import MOST_GROUP_BYTES, PLANNED_BYTES, PROGRAM_BYTES
from tbgen.closures.cuts import CutQuestion
from tbgen.closures.folder import BlockFolder
from tbgen.closures.moves import PlacementMoves
from tbgen.closures.nodes import Node, RootNode, root_of
from tbgen.closures.planned import PlannedBlock
from tbgen.closures.policy import CutSearch, nothing_tried
from tbgen.closures.ways import MOST_FREE, Way, ways_of
from tbgen.errors import (
    BuildError,
    CastlingError,
    ClosureTooLargeError,
    InputError,
    MissingTableError,
    NotEnoughDiskError,
    NotEnoughMemoryError,
)
from tbgen.material import MOST_TABLE_MEN, Material
from tbgen.probe.opened import OpenTables
from tbgen.probe.values import Position, TableValues
from tbgen.rules.notation import refuse_illegal
from tbgen.rules.position import accrued_in, bare_sides, material_on, own_of
from tbgen.score import Mobility, Score
from tbgen.system.process import available_memory, free_disk

LARGER_BUDGET: Final = 2
"""A refused plan is made again with so many times the budget, to say what it takes.

A hundred thousand blocks of kings and pawns take minutes to list.
"""

MOST_PLANNED_AGAIN: Final = 7
"""The men of a position of an archive whose plan is made again. With more it takes too long."""

QUESTIONS_A_WAY: Final = 3
"""A way takes about so many times what its first question takes; answers lead to more questions."""

Problem = tuple[chess.Board, Score]
"""A position to be solved, and what has accrued in it."""


@dataclass(frozen=True)
class Affordable:
    """The closures that budget and machine allow together, the quickest first."""

    closures: Sequence[Closure]
    lacks_room: bool
    """Whether the machine has no room for others that the budget allows."""


@dataclass(frozen=True)
class PositionOutlook:
    """What solving a position takes, or why it is refused."""

    problem: Problem
    plan: SolvePlan | None = None
    lacks_room: bool = False
    """Whether a machine with more memory or disk may find closer bounds."""
    refusal: str | None = None
    needed_budget: int | None = None
    """The least budget that would do, if the refusal is for want of it."""

    @property
    def expected_seconds(self) -> float:
        """The CPU seconds that it is expected to take; none if it is refused."""
        return 0.0 if self.plan is None else self.plan.expected_seconds


@dataclass(frozen=True)
class Outlook:
    """What solving some positions takes."""

    positions: Sequence[PositionOutlook]
    plan: SolvePlan
    """That of all positions together, with each block once."""

    @property
    def planned(self) -> list[PositionOutlook]:
        """The positions that can be solved."""
        return [position for position in self.positions if position.plan is not None]


@dataclass
class Planner:
    """Plans positions with some tables and a folder of solved blocks."""

    tables: OpenTables
    folder: BlockFolder
    moves: PlacementMoves = field(init=False)
    """The moves from the placements of the position that was planned last."""
    _shared_queries: dict[Node, set[tuple[Score, int]]] = field(default_factory=dict)
    """What all positions ask of a node without pawns."""

    def __post_init__(self) -> None:
        self.moves = PlacementMoves(self.tables)

    def read(self, position: Position, accrued: Score | str | None) -> Problem:
        """A legal position, and what has accrued in it; an error if no game can lead there."""
        board, carried = TableValues(self.tables, Mobility.RESET).read(position, accrued)
        refuse_illegal(board)
        if board.castling_rights:
            raise CastlingError(board.fen())
        if carried is None:
            return board, own_of(board)
        return board, accrued_in(carried, own_of(board), bare_sides(board))

    def share_queries(self, problems: Iterable[Problem]) -> None:
        """Ask a block without pawns, which takes long, once for all positions."""
        for position, accrued in problems:
            try:
                board, carried = self.read(position, accrued)
            except InputError:
                continue
            node, queries, _ = root_of(board, carried)
            if not node.pawns:
                self._shared_queries.setdefault(node, set()).update(queries)

    def shared_root(self, board: chess.Board, accrued: Score) -> RootNode:
        """The root of a position, with the queries of all positions that share it."""
        root = root_of(board, accrued)
        shared = self._shared_queries.get(root.node, set())
        return root._replace(queries=sorted(shared.union(root.queries)))

    def closure(
        self,
        root: RootNode,
        way: Way,
        question: CutQuestion,
        budget: Budget,
        solved_keys: Collection[str] = (),
    ) -> Closure:
        """The closure of a root in a way; ClosureTooLargeError if it exceeds the budget."""
        closure = Closure(self.tables, way, question, solved_keys, budget, self.moves)
        closure.add_root(root)
        return closure

    def outlook(self, problems: Sequence[Problem], budget: Budget) -> Outlook:
        """What solving some positions takes."""
        self.share_queries(problems)
        positions = list[PositionOutlook]()
        total = PlanSum()
        for problem in problems:
            # One position after another, as all closures together take much memory.
            position, closures = self._outlook_of(problem, budget)
            positions.append(position)
            for closure in closures:
                total.add(closure)
        plan = total.plan()
        one_by_one = sum(position.expected_seconds for position in positions)
        expected_seconds = min(plan.expected_seconds, one_by_one)
        return Outlook(positions, replace(plan, expected_seconds=expected_seconds))

    def _outlook_of(
        self, problem: Problem, budget: Budget
    ) -> tuple[PositionOutlook, Sequence[Closure]]:
        """What solving a position takes, and its closures."""
        try:
            board, accrued = self.read(*problem)
            plans_again = chess.popcount(board.occupied) <= MOST_PLANNED_AGAIN
            affordable = self.affordable(board, accrued, budget, plans_again=plans_again)
            plan = plan_of(affordable.closures, most_seconds=budget.seconds)
            self.check(plan)
        except ClosureTooLargeError as error:
            refused = PositionOutlook(
                problem, refusal=error.reason, needed_budget=error.needed_budget
            )
            return refused, ()
        except (InputError, MissingTableError, BuildError) as error:
            return PositionOutlook(problem, refusal=str(error)), ()
        return PositionOutlook(problem, plan, affordable.lacks_room), affordable.closures

    def affordable(
        self, board: chess.Board, accrued: Score, budget: Budget, *, plans_again: bool = True
    ) -> Affordable:
        """The closures that budget and machine allow together.

        If the machine has room for none, the quickest is returned, so that `check` says what lacks.
        A refusal says what the position takes, if it `plans_again`.
        """
        material = str(material_on(board))
        root = self._root_without_table(board, accrued)
        closures = self._closures(root, budget)
        if not closures:
            most = max(LARGER_BUDGET * budget.seconds, DEFAULT_BUDGET)
            raise self._refusal(material, root, budget, most if plans_again else 0)
        fitting = [closure for closure in closures if self._fits(closure)]
        if not fitting:
            return Affordable(closures[:1], lacks_room=True)
        # Beside the last pawn the last way solves no queens. It is only for machines on which the
        # ways before it do not fit.
        most_queens = fitting[0].way.queen
        chosen = [closure for closure in fitting if closure.way.queen >= most_queens]
        return Affordable(chosen, lacks_room=len(fitting) < len(closures))

    def quickest(self, board: chess.Board, accrued: Score, budget: Budget) -> Closure | None:
        """The closure of the first way, if that finds all outcomes; None if it takes too much."""
        root = self._root_without_table(board, accrued)
        question = self._first_question(root.node)
        way = ways_of(root.node.free)[0]
        try:
            closure = self.closure(root, way, question, budget, self.folder.keys())
        except ClosureTooLargeError:
            return None
        if closure.missing or closure.asks_again or not self._fits(closure):
            return None
        return closure

    def _root_without_table(self, board: chess.Board, accrued: Score) -> RootNode:
        """The root of a position that is planned now; ClosureTooLargeError if a table has it."""
        self.moves = PlacementMoves(self.tables)  # those of earlier positions take memory
        if self.tables.digest_on(board):
            reason = "its table is there; ask it with: tbgen probe"
            raise ClosureTooLargeError(str(material_on(board)), reason)
        return self.shared_root(board, accrued)

    def _refusal(
        self, material: str, root: RootNode, budget: Budget, most: float
    ) -> ClosureTooLargeError:
        """The refusal of a position that takes more than the budget.

        It names the budget that the position needs, if `most` CPU seconds are enough.
        """
        needed = math.inf
        if most > budget.seconds:
            needed = self._needed_seconds(root, most)
        if needed == math.inf:
            tried = max(most, budget.seconds)
            reason = f"more than {tried:,.0f} CPU seconds by the plan; try a larger --budget"
            return ClosureTooLargeError(material, reason)
        needed_budget = math.ceil(needed)
        reason = (
            f"more than {budget.seconds:,.0f} CPU seconds by the plan; "
            f"--budget {needed_budget} allows it"
        )
        return ClosureTooLargeError(material, reason, needed_budget)

    def _needed_seconds(self, root: RootNode, most: float) -> float:
        """What the quickest way takes that lacks no table; infinite if that is more than `most`."""
        needed = math.inf
        question = self._first_question(root.node)
        for way in ways_of(root.node.free):
            try:
                closure = self.closure(root, way, question, Budget(min(needed, most)))
            except ClosureTooLargeError:
                continue
            if not closure.missing:
                needed = min(needed, closure.charged_seconds)
        return needed

    def _first_question(self, node: Node) -> CutQuestion:
        """The first question about a position, of which nothing is known."""
        shares = self.tables.shares(node.material)
        search = CutSearch(ANYTHING, nothing_tried(), node.side_with_pawn, shares)
        question = search.next_question(asks_singly=False, asks_both=False)
        assert question is not None, "nothing is known, so there is something to ask"
        return question

    def _closures(self, root: RootNode, budget: Budget) -> list[Closure]:
        """The closures of a root that the budget allows together, one for each way that helps.

        MissingTableError if all of them lack a table.
        """
        closures = dict[frozenset[Hashable], Closure]()
        """[the nodes that are solved, and how] -> the first such closure."""
        lacking = list[Closure]()
        solved_keys = self.folder.keys()
        question = self._first_question(root.node)
        for way in ways_of(root.node.free):
            try:
                closure = self.closure(root, way, question, budget, solved_keys)
            except ClosureTooLargeError:
                continue
            if closure.missing:
                lacking.append(closure)
                continue
            # Ways that differ in cuts alone are one.
            solved = frozenset(
                (block.node, block.cuts in ((), question.cuts), len(block.bounds))
                for block in closure.blocks.values()
            )
            # Solving all rooks and bishops hardly ever matters where bounds are left.
            is_worth_it = way.others != MOST_FREE or plan_of([closure]).exact
            if solved not in closures and is_worth_it:
                closures[solved] = closure
                budget = budget._replace(seconds=budget.seconds - closure.charged_seconds)
                question = question._replace(cuts=question.cuts[:1])  # later ways ask one cut
            root_block = closure.blocks[root.node]
            if root_block.is_exact and not root_block.cuts:
                break  # no way tells more
        if lacking and not closures:
            lacking[0].refuse_missing()
        return list(closures.values())

    def _fits(self, closure: Closure) -> bool:
        """Whether memory and disk suffice."""
        try:
            self.check(plan_of([closure]))
        except BuildError:
            return False
        return True

    def check(self, plan: SolvePlan) -> None:
        """Refuse what does not fit into memory or onto the disk."""
        memory = available_memory()
        if memory is not None and plan.memory_bytes > memory:
            raise NotEnoughMemoryError("the blocks of a position", plan.memory_bytes, memory)
        disk = free_disk(self.folder.folder)
        disk_bytes = plan.disk_bytes + plan.scratch_bytes
        if disk is not None and disk_bytes > disk:
            raise NotEnoughDiskError("the blocks of a position", disk_bytes, disk)


class PlanSum:
    """What some closures take together, each block once."""

    def __init__(self) -> None:
        self._lacking = dict[str, PlannedBlock]()
        """[key] -> the block that is not solved yet."""
        self._first_seconds: float | None = None
        self._expected_seconds = 0.0
        self._last: Closure | None = None
        """The last closure tells most, so it says what is left to bounds."""

    def add(self, closure: Closure) -> None:
        """Add a closure after those that tell less."""
        questions = QUESTIONS_A_WAY if closure.asks_again else 1
        for block in closure.lacking:
            if block.key_of_shades not in self._lacking:
                self._expected_seconds += questions * block.cost.cpu_seconds
            self._lacking[block.key_of_shades] = block
        if self._first_seconds is None:
            self._first_seconds = closure.cpu_seconds
        self._last = closure

    def plan(self, most_seconds: float = math.inf) -> SolvePlan:
        """The plan of all closures.

        With later questions the whole is not expected to take more than `most_seconds`, the budget.
        """
        blocks = list(self._lacking.values())
        costs = [block.cost for block in blocks]
        values = sum(len(block.bounds) * block.node.cells for block in blocks if not block.cuts)
        memory_bytes = PROGRAM_BYTES + max((cost.memory_bytes for cost in costs), default=0)
        memory_bytes += len(blocks) * PLANNED_BYTES + min(values, MOST_GROUP_BYTES)
        bounded = self._bounded()
        missing = sorted(str(material) for material in bounded if material.men <= MOST_TABLE_MEN)
        return SolvePlan(
            nodes=len(blocks),
            cells=sum(cost.cells for cost in costs),
            cpu_seconds=round(sum(cost.cpu_seconds for cost in costs), 1),
            memory_bytes=memory_bytes,
            disk_bytes=sum(cost.disk_bytes for cost in costs),
            exact=not bounded,
            missing=tuple(missing),
            scratch_bytes=max((cost.scratch_bytes for cost in costs), default=0),
            first_seconds=round(self._first_seconds or 0.0, 1),
            expected_seconds=round(min(self._expected_seconds, most_seconds), 1),
        )

    def _bounded(self) -> set[Material]:
        """The materials that are left to bounds."""
        bounded = set[Material]()
        if self._last is not None:
            for block in self._last.blocks.values():
                for edge in block.edges:
                    if edge.is_bounded:
                        bounded.add(edge.child.material.canonical())
        return bounded


def plan_of(closures: Iterable[Closure], *, most_seconds: float = math.inf) -> SolvePlan:
    """What some closures take together, the one that tells most last."""
    total = PlanSum()
    for closure in closures:
        total.add(closure)
    return total.plan(most_seconds)
