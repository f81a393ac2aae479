"""Planning: which closures a budget allows for a position, and what the games of an archive take.

A budget counts CPU seconds by the plan, not by the clock. So the answer depends on the tables and
the budget, and on no other load of the machine.
"""

import math
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import chess

from tbgen.closures import DEFAULT_BUDGET
from tbgen.closures.bracket import ANYTHING, SolvePlan
from tbgen.closures.closure import Closure, plan_of
from tbgen.closures.cuts import Bound, CutQuestion, Cuts
from tbgen.closures.folder import BlockFolder
from tbgen.closures.moves import PlacementMoves
from tbgen.closures.nodes import Node, Queried, queries_of
from tbgen.closures.policy import CutSearch
from tbgen.closures.ways import MOST_FREE, ways_of
from tbgen.errors import (
    BuildError,
    CastlingError,
    ClosureTooLargeError,
    InputError,
    MissingTableError,
    NotEnoughDiskError,
    NotEnoughMemoryError,
)
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

    known: OpenTables
    folder: BlockFolder
    moves: PlacementMoves = field(init=False)
    """The moves from the placements of the position that was planned last."""
    _shared_queries: dict[Node, set[tuple[Score, int]]] = field(default_factory=dict)
    """What all positions ask of a node without pawns."""

    def __post_init__(self) -> None:
        self.moves = PlacementMoves(self.known)

    def read(self, position: Position, accrued: Score | str | None) -> Problem:
        """A legal position, and what has accrued in it; an error if no game can lead there."""
        board, carried = TableValues(self.known, Mobility.RESET).read(position, accrued)
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
            node, queries, _ = queries_of(board, carried)
            if node.pawns:
                self._shared_queries[node] = set()
            else:
                self._shared_queries.setdefault(node, set()).update(queries)

    def queried(self, board: chess.Board, accrued: Score) -> Queried:
        """The node of a position, and what is asked of it, by all that are solved together."""
        asked = queries_of(board, accrued)
        shared = self._shared_queries.get(asked.node, set())
        return asked._replace(queries=sorted(shared.union(asked.queries)))

    def outlook(
        self, problems: Sequence[Problem], budget: int, free_keys: Collection[str]
    ) -> Outlook:
        """What solving some positions takes; the blocks of `free_keys` cost none of the budget."""
        self.share_queries(problems)
        positions = list[PositionOutlook]()

        def closures() -> Iterator[Closure]:
            # One position after another, as all closures together take much memory.
            for problem in problems:
                position, its_closures = self._outlook_of(problem, budget, free_keys)
                positions.append(position)
                yield from its_closures

        plan = plan_of(closures())
        one_by_one = sum(position.expected_seconds for position in positions)
        expected_seconds = min(plan.expected_seconds, one_by_one)
        return Outlook(positions, replace(plan, expected_seconds=expected_seconds))

    def _outlook_of(
        self, problem: Problem, budget: int, free_keys: Collection[str]
    ) -> tuple[PositionOutlook, Sequence[Closure]]:
        """What solving a position takes, and its closures."""
        try:
            board, accrued = self.read(*problem)
            plans_again = chess.popcount(board.occupied) <= MOST_PLANNED_AGAIN
            affordable = self.affordable(board, accrued, budget, free_keys, plans_again=plans_again)
            plan = plan_of(affordable.closures, most_seconds=budget)
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
        self,
        board: chess.Board,
        accrued: Score,
        budget: int,
        free_keys: Collection[str],
        *,
        plans_again: bool = True,
    ) -> Affordable:
        """The closures that budget and machine allow together.

        If the machine has room for none, the quickest is returned, so that `check` says what lacks.
        A refusal says what the position takes, if it `plans_again`.
        """
        asked = self.queried(board, accrued)
        self.moves = PlacementMoves(self.known)  # those of earlier positions take memory
        material = material_on(board)
        if self.known.digest_on(board):
            reason = "its table is there; ask it with: tbgen probe"
            raise ClosureTooLargeError(str(material), reason)
        closures = self._closures(asked, budget, free_keys)
        if not closures:
            most_seconds = budget
            if plans_again:
                most_seconds = max(LARGER_BUDGET * budget, DEFAULT_BUDGET)
            raise self._over_budget(str(material), asked, budget, most_seconds)
        fitting = [closure for closure in closures if self._fits(closure)]
        if not fitting:
            return Affordable(closures[:1], lacks_room=True)
        # Beside the last pawn the last way solves no queens: it replaces a first one that does not
        # fit.
        most_queens = fitting[0].way.queen
        chosen = [closure for closure in fitting if closure.way.queen >= most_queens]
        return Affordable(chosen, lacks_room=len(fitting) < len(closures))

    def _over_budget(
        self, material: str, asked: Queried, budget: int, most: int
    ) -> ClosureTooLargeError:
        """The refusal of a position that takes too much.

        It has the budget that the position needs, if that is more than `budget` and not more than
        `most`.
        """
        needed = math.inf
        question = self._first_question(asked.node)
        for way in ways_of(asked.node.free) if most > budget else []:
            closure = Closure(self.known, way, question, budget=min(needed, most), moves=self.moves)
            try:
                closure.add(asked.node, asked.queries, has_right=asked.has_right)
            except ClosureTooLargeError:
                continue
            if not closure.missing:
                needed = min(needed, closure.charged_seconds)
        if needed == math.inf:
            reason = f"more than {most:,} CPU seconds by the plan; try a larger --budget"
            return ClosureTooLargeError(material, reason)
        needed_budget = math.ceil(needed)
        reason = f"more than {budget:,} CPU seconds by the plan; --budget {needed_budget} allows it"
        return ClosureTooLargeError(material, reason, needed_budget)

    def _first_question(self, node: Node) -> CutQuestion:
        """The first question about a position, of which nothing is known."""
        search = CutSearch(
            ANYTHING, nothing_tried(), node.promoter, self.known.shares(node.material)
        )
        question = search.next_question(asks_singly=False, asks_both=False)
        assert question is not None, "nothing is known, so there is something to ask"
        return question

    def _closures(self, asked: Queried, budget: int, free_keys: Collection[str]) -> list[Closure]:
        """The closures of a node that the budget allows together, one for each way that helps.

        MissingTableError if all of them lack a table.
        """
        closures = dict[frozenset[Hashable], Closure]()
        """[the nodes that are solved, and how] -> the first such closure."""
        lacking = list[Closure]()
        solved_keys = self.folder.keys()
        seconds_left = float(budget)
        question = self._first_question(asked.node)
        for way in ways_of(asked.node.free):
            closure = Closure(
                self.known, way, question, solved_keys, free_keys, seconds_left, self.moves
            )
            try:
                root = closure.add(asked.node, asked.queries, has_right=asked.has_right)
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
                seconds_left -= closure.charged_seconds
                question = question._replace(cuts=question.cuts[:1])  # later ways ask one cut
            if root.is_exact and not root.cuts:
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


def nothing_tried() -> dict[Bound, Cuts]:
    """No cuts, with either bound."""
    return dict.fromkeys(Bound, ())
