"""Plan: which closures a budget allows for a position, one way after another.

A way is planned when its turn comes. Planning is paid like solving, by the number of placements
and blocks. The budget counts CPU seconds by the plan, not by the clock. So an answer depends on the
tables, the budget, and the memory and disk that are free, and on no other load of the machine.
"""

import itertools
import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NoReturn

import chess

from tbgen.closures.bounds import CutQuestion
from tbgen.closures.closure import Closure
from tbgen.closures.costs import (
    MOST_GROUP_BYTES,
    PLANNED_BYTES,
    PROGRAM_BYTES,
    BlockCost,
    Budget,
)
from tbgen.closures.placements import PlacementMoves, RootNode
from tbgen.closures.policy import Way, ways_of
from tbgen.closures.store import BlockStore
from tbgen.errors import (
    BuildError,
    ClosureTooLargeError,
    MissingTableError,
    NotEnoughDiskError,
    NotEnoughMemoryError,
)
from tbgen.material import MOST_TABLE_MEN
from tbgen.probe.opened import OpenTables
from tbgen.score import Score
from tbgen.system.process import available_memory, free_disk

QUESTIONS_A_WAY: Final = 3
"""A way takes about so many times what its first question takes; answers lead to more questions."""

Problem = tuple[chess.Board, Score]
"""A position to be solved, and what has accrued in it."""


@dataclass(frozen=True)
class SolvePlan:
    """The cost of solving a position, or one block."""

    nodes: int
    """Blocks to be solved."""
    cells: int
    """Their cells that are solved, of both sides to move.

    Those that are solved twice count twice.
    """
    cpu_seconds: float
    """CPU seconds of the first question of each way."""
    memory_bytes: int
    disk_bytes: int
    exact: bool
    """Whether nothing is left to bounds."""
    missing: tuple[str, ...] = ()
    """Tables of promoted men that are not there, and would make the answer closer."""
    scratch_bytes: int = 0
    """Disk for large arrays of one block at a time, while it is solved."""
    first_seconds: float = 0.0
    """CPU seconds until there is a first answer."""
    expected_seconds: float = 0.0
    """CPU seconds of all ways with their later questions, within the budget.

    A solve ends before if its answer is exact.
    """


@dataclass(frozen=True)
class PositionOutlook:
    """What solving a position takes, or why it is refused."""

    plan: SolvePlan | None = None
    lacks_room: bool = False
    """Whether a machine with more memory or disk may find closer bounds."""
    refusal: str | None = None

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


class PlannedWays(Iterator[Closure]):
    """The closures of a position, one for each way that helps, the quickest first.

    Each is planned when it is asked for, as far as the budget allows it and the machine has room.
    Whoever takes it lets the budget pay for it.

    Arguments:
        tables: What has a table is not solved.
        store: Says which blocks are solved.
        root: The root of the position.
        budget: The CPU seconds that are granted. It pays for planning.
        question_of: The question that a way begins with.
    """

    def __init__(
        self,
        tables: OpenTables,
        store: BlockStore,
        root: RootNode,
        budget: float,
        question_of: Callable[[Way], CutQuestion],
    ) -> None:
        self.taken = list[Closure]()
        """Those that have been asked for."""
        self.unfit = list[Closure]()
        """Those that the budget allows, and for which the machine has no room.

        What is found without them is not kept as final.
        """
        self._tables = tables
        self._store = store
        self._root = root
        self._budget = Budget(budget)
        self._moves = PlacementMoves(tables, self._budget)
        self._question_of = question_of
        self._fitting = self._find()
        self._peeked = list[Closure]()
        self._refused = list[Way]()
        """Those that the budget does not allow."""
        # The first error of each kind says why there is no closure, in this order.
        self._lack_of_room: BuildError | None = None
        self._lack_of_tables: MissingTableError | None = None
        self._too_large: ClosureTooLargeError | None = None

    def __next__(self) -> Closure:
        closure = self._peeked.pop() if self._peeked else next(self._fitting)
        self.taken.append(closure)
        return closure

    def has_next(self) -> bool:
        """Whether there is another one, which is planned to find out."""
        if not self._peeked:
            self._peeked.extend(itertools.islice(self._fitting, 1))
        return bool(self._peeked)

    def closure(self, way: Way, question: CutQuestion) -> Closure:
        """The closure of a question in a way; ClosureTooLargeError if it exceeds the budget."""
        closure = Closure(self._tables, way, question, self._store, self._budget, self._moves)
        closure.add(self._root)
        return closure

    def plan(self) -> SolvePlan:
        """What the ways take that were asked for, or the quickest if the machine has no room."""
        return plan_of(self.taken or self.unfit[:1], most_seconds=self._budget.seconds)

    def refuse(self) -> NoReturn:
        """Raise why there is no closure at all.

        ClosureTooLargeError, MissingTableError, NotEnoughMemoryError or NotEnoughDiskError.
        """
        errors = (self._lack_of_room, self._lack_of_tables, self._too_large)
        raise next(error for error in errors if error is not None)

    def _find(self) -> Iterator[Closure]:
        known = set[frozenset[Hashable]]()
        """The nodes that a closure solves, and how."""
        some_fit = False
        for way in ways_of(self._root.node.free):
            if way.is_last_resort and some_fit:
                continue
            closure = self._planned(way)
            if closure is None:
                continue
            solved = closure.solved_nodes()
            is_worth_it = not way.only_if_exact or not closure.bounded()
            if solved not in known and is_worth_it:
                known.add(solved)
                if self.has_room_for(closure):
                    some_fit = True
                    yield closure
                else:
                    self.unfit.append(closure)
            if closure.tells_all(self._root.node):
                return

    def has_room_for(self, closure: Closure) -> bool:
        """Whether memory and disk suffice."""
        try:
            refuse_lack_of_room(plan_of([closure]), self._store.folder)
        except BuildError as error:
            self._lack_of_room = self._lack_of_room or error
            return False
        return True

    def _planned(self, way: Way) -> Closure | None:
        """The closure of a way's first question; None if it is refused or lacks a table."""
        if any(refused.is_within(way) for refused in self._refused):
            return None
        try:
            closure = self.closure(way, self._question_of(way))
        except ClosureTooLargeError as error:
            self._refused.append(way)
            refusal = ClosureTooLargeError(str(self._root.material), error.reason)
            self._too_large = self._too_large or refusal
            self._moves.forget()
            return None
        if closure.missing:
            first, *others = sorted(closure.missing)
            lack = MissingTableError(first, self._tables.named, tuple(others))
            self._lack_of_tables = self._lack_of_tables or lack
            return None
        return closure


def refuse_lack_of_room(plan: SolvePlan, folder: Path) -> None:
    """NotEnoughMemoryError or NotEnoughDiskError if a plan does not fit into memory or a folder."""
    memory = available_memory()
    if memory is not None and plan.memory_bytes > memory:
        raise NotEnoughMemoryError("the blocks of a position", plan.memory_bytes, memory)
    disk = free_disk(folder)
    disk_bytes = plan.disk_bytes + plan.scratch_bytes
    if disk is not None and disk_bytes > disk:
        raise NotEnoughDiskError("the blocks of a position", disk_bytes, disk)


Costs = dict[str, tuple[BlockCost, int]]
"""[key of a block that is not solved] -> what it takes, and how many questions it is asked."""


def add_costs(costs: Costs, closures: Iterable[Closure]) -> None:
    """Add the blocks that some closures lack. Closures themselves take much memory."""
    for closure in closures:
        questions = QUESTIONS_A_WAY if closure.asks_again else 1
        for block in closure.lacking:
            costs.setdefault(block.key, (block.cost, questions))


def plan_of_blocks(costs: Costs, *, most_seconds: float = math.inf) -> SolvePlan:
    """What some blocks take together.

    With later questions they are not expected to take more than `most_seconds`, the budget.
    """
    blocks = [cost for cost, _ in costs.values()]
    expected_seconds = sum(questions * cost.cpu_seconds for cost, questions in costs.values())
    value_bytes = sum(cost.value_bytes for cost in blocks)
    memory_bytes = PROGRAM_BYTES + max((cost.memory_bytes for cost in blocks), default=0)
    memory_bytes += len(blocks) * PLANNED_BYTES + min(value_bytes, MOST_GROUP_BYTES)
    return SolvePlan(
        nodes=len(blocks),
        cells=sum(cost.cells for cost in blocks),
        cpu_seconds=round(sum(cost.cpu_seconds for cost in blocks), 1),
        memory_bytes=memory_bytes,
        disk_bytes=sum(cost.disk_bytes for cost in blocks),
        exact=True,
        scratch_bytes=max((cost.scratch_bytes for cost in blocks), default=0),
        expected_seconds=round(min(expected_seconds, most_seconds), 1),
    )


def plan_of(closures: Sequence[Closure], *, most_seconds: float = math.inf) -> SolvePlan:
    """What the closures of a position take together, each block once.

    The last closure tells most, so it says what is left to bounds.
    """
    costs = Costs()
    add_costs(costs, closures)
    plan = plan_of_blocks(costs, most_seconds=most_seconds)
    if not closures:
        return plan
    bounded = closures[-1].bounded()
    missing = sorted(str(material) for material in bounded if material.men <= MOST_TABLE_MEN)
    return replace(
        plan,
        exact=not bounded,
        missing=tuple(missing),
        first_seconds=round(closures[0].cpu_seconds, 1),
    )
