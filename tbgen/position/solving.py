"""Solving: plan a position's closures, refuse what is too much, solve them, answer."""

import contextlib
import itertools
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
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
from tbgen.index.layout import layout_of
from tbgen.material import Material, Role, with_man
from tbgen.position import DEFAULT_BUDGET, SOLVED
from tbgen.position.blocks import ClosureBlocks, answer, question_of, shared_node, solve_closure
from tbgen.position.bounds import Bound, Cuts, next_cuts
from tbgen.position.bracket import ANYTHING, Bracket, Solution, SolvePlan
from tbgen.position.closure import (
    MOST_COARSE_FREE,
    MOST_FREE,
    MOST_MEN,
    Closure,
    Node,
    Way,
    node_of,
    plan_of,
    ways_of,
)
from tbgen.position.known import BlockFolder
from tbgen.probe.stored import OpenTables
from tbgen.probe.syzygy import open_syzygy
from tbgen.probe.tablebase import folders_of
from tbgen.probe.values import Position, TableValues
from tbgen.retro.drive.single import Queries
from tbgen.rules.notation import refuse_illegal
from tbgen.rules.position import accrued_in, bare_sides, material_on, own_of
from tbgen.score import Color, Mobility, Score
from tbgen.storage.files import Folders
from tbgen.system.outputs import folder_to_write
from tbgen.system.process import available_memory, free_disk
from tbgen.system.watching import Watch, progress_of, unwatched

Root = tuple[chess.Board, Score]  # a position to be solved, and what has accrued in it


class PositionSolver(contextlib.ExitStack):
    """Solves positions with more men than tables have, from the tables of some folders; for use in a `with` statement.

    Blocks that are solved stay, in the folder `solved` of the first folder that can be written to, for other positions
    and for another time. So an interrupted solve goes on from where it was. Arguments are as for `solve`.
    """

    def __init__(
        self, folders: Folders | None = None, *, budget: int = DEFAULT_BUDGET, threads: int = 2,
        syzygy: Folders | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        paths = folders_of(folders, Mobility.RESET)
        self._threads = expect_number(threads, "threads", 1)
        self.budget = expect_number(budget, "budget", 0)
        self.cache_bytes = (
            1 << 35
        )  # the most disk for solved blocks; those of the last position stay anyway
        self._known = OpenTables(paths, 1 << 26, outcomes_only=False)
        self.callback(self._known.close)
        self._folder = BlockFolder(
            Path(self.enter_context(folder_to_write(paths, SOLVED))) / SOLVED
        )
        self._winner = self.enter_context(open_syzygy(syzygy))
        self._brackets = dict[tuple[str, Score], Bracket]()
        self._asked = dict[
            Node, set[tuple[Score, int]]
        ]()  # what all positions ask of a node without pawns

    def plan(self, position: Position, accrued: Score | str | None = None) -> SolvePlan:
        """The cost of solving a position; ClosureTooLargeError if it exceeds the budget."""
        return plan_of(self._affordable(*self._read(position, accrued)))

    def _affordable(self, board: chess.Board, accrued: Score) -> list[Closure]:
        """Those that budget and machine allow together, the quickest first; one that does not fit where none does."""
        material, most, (node, asked) = (
            material_on(board),
            MOST_FREE,
            self._question(board, accrued),
        )
        if self._known.digest(material):
            reason = "its table is there; ask it with: tbgen probe"
        elif not node.is_solvable:
            reason = f"more than {MOST_MEN} men, or {most} beside pawns ({most + 1} beside one, {most + 2} with none)"
        else:
            closures, fitting = self._closures(node, asked), list[Closure]()
            for closure in closures:
                with contextlib.suppress(BuildError):
                    self.check(plan_of([closure]))
                    fitting.append(closure)
            if closures:  # a way that tells less is there for where the first one does not fit
                return [
                    each for each in fitting if each.way.queen >= fitting[0].way.queen
                ] or closures[:1]
            reason = f"more than {self.budget} CPU seconds by the plan; allow more with --budget"
        raise ClosureTooLargeError(str(material), reason)

    def _question(self, board: chess.Board, accrued: Score) -> tuple[Node, Queries]:
        """The node of a position, and what is asked of it, by all that are solved together."""
        node, asked = question_of(board, accrued)
        return node, sorted(asked | self._asked.get(node, set()))

    def _closures(self, node: Node, asked: Queries) -> list[Closure]:
        """Those that the budget allows together and that lack no table; MissingTableError if all lack one."""
        found, lacking, there, left = (
            dict[object, Closure](),
            list[Closure](),
            self._folder.keys(),
            float(self.budget),
        )
        bound, cuts = next_cuts(
            [(), ()], ANYTHING, node.promoter, self._known.shares(node.material), False, False
        )
        for way in ways_of(node.free):
            closure = Closure(self._known, way._replace(cuts=cuts, bound=bound), there, left)
            with contextlib.suppress(ClosureTooLargeError):
                closure.add(node, asked)
                solved = frozenset(
                    (each.node, each.cuts in ((), cuts)) for each in closure.blocks.values()
                )
                # Ways that differ in cuts alone are one. Rooks and bishops hardly ever matter where bounds are left.
                if closure.missing:
                    lacking.append(closure)
                elif solved not in found and (way.others != MOST_FREE or plan_of([closure]).exact):
                    found[solved], left, cuts = (
                        closure,
                        left - closure.cpu_seconds,
                        cuts[:1],
                    )  # later ways ask one cut
        if lacking and not found:
            lacking[0].refuse_missing()
        return [*found.values()]

    def _answer(
        self, board: chess.Board, accrued: Score, closures: list[Closure], watch: Watch | None
    ) -> Solution:
        """An answer made closer in one way after another until it is exact, by as many closures as a way has use for.

        Each asks for cuts between the bounds that are known by then, while the budget lasts. Without `watch` nothing
        is solved, and a closure that lacks a block is left out.
        """
        (node, asked), (_, turned) = self._question(board, accrued), shared_node(board)
        found = Solution(board.fen(), accrued, ANYTHING, [], plan_of(closures), 0.0)
        left, bracket, solved = float(self.budget if watch else 0), found.bracket, list[Closure]()
        whole = min(
            3 * found.plan.cpu_seconds, self.budget
        )  # a way takes about three times its first closure
        tell, self._folder = (
            progress_of(whole, watch or unwatched),
            BlockFolder(self._folder.folder),
        )
        shares = self._known.shares(node.material)
        for n, planned in enumerate(closures):
            tried: list[Cuts] = [(), ()]
            later = (
                closures[n + 1 :] if planned.way.queen <= MOST_FREE else []
            )  # else its queens take the time
            costs = [each.cpu_seconds for each in later] or [left + 1]
            while (
                asks := next_cuts(
                    tried, bracket, node.promoter, shares, planned.way.climbs, min(costs) > left
                )
            )[1]:
                way = planned.way._replace(bound=asks[0], cuts=asks[1])
                closure = Closure(self._known, way, self._folder.keys(), left)
                try:
                    closure.add(node, asked)
                except ClosureTooLargeError:
                    break
                blocks = ClosureBlocks(closure, self._folder, self._winner, solves=bool(watch))
                if watch:
                    solve_closure(blocks, self._threads, tell)
                solved.append(closure)
                found, left = answer(blocks, found), left - closure.cpu_seconds
                bracket = found.bracket.flipped() if turned else found.bracket
                tried[way.bound] += way.cuts
                if not any(block.cuts for block in closure.blocks.values()):
                    break  # other cuts would find the same
        return replace(found, plan=plan_of(solved))

    def solve(
        self, position: Position, accrued: Score | str | None = None, watch: Watch = unwatched
    ) -> Solution:
        """The value of a position and of its moves, or bounds of it, as `tbgen.solve` gives them."""
        board, carried = self._read(position, accrued)
        closures, began = self._affordable(board, carried), time.process_time()
        self.check(plan_of(closures))
        found = self._answer(board, carried, closures, watch)
        watch(1.0)
        self._folder.shrink(self.cache_bytes)
        return replace(found, cpu_seconds=time.process_time() - began)

    def solved(self, position: Position, accrued: Score | str | None = None) -> Solution | None:
        """The answer of `solve` from blocks that are solved already; None without them, or if a table has it."""
        board, carried = self._read(position, accrued)
        with contextlib.suppress(LookupError, OSError, ClosureTooLargeError):
            if any(self._folder.folder.glob(f"{shared_node(board)[0]}-*")):
                found = self._answer(board, carried, self._affordable(board, carried), None)
                return found if found.moves else None
        return None

    def bracket(
        self, board: chess.Board, accrued: Score, watch: Watch = unwatched
    ) -> Bracket | None:
        """The bracket of a position, unless it takes too much. Asked again, it is not solved again."""
        key = board.epd(), accrued
        if key not in self._brackets:
            with contextlib.suppress(ClosureTooLargeError, BuildError):
                self._brackets[key] = self.solve(board, accrued, watch).bracket
        return self._brackets.get(key)

    def _read(self, position: Position, accrued: Score | str | None) -> Root:
        """A legal position, and what has accrued in it; an error if no game can carry that into it."""
        board, carried = TableValues(self._known, Mobility.RESET).read(position, accrued)
        refuse_illegal(board)
        if board.castling_rights:
            raise CastlingError(board.fen())
        return board, own_of(board) if carried is None else accrued_in(
            carried, own_of(board), bare_sides(board)
        )

    def outlook(self, positions: Iterable[Root]) -> tuple[list[Root], Counter[str], SolvePlan]:
        """The positions that can be solved, why others cannot, and the cost of all blocks, each once."""
        kept, refused, every = list[Root](), Counter[str](), [*positions]
        for root in every:  # a block without pawns takes long, so it is solved once for all of them
            with contextlib.suppress(InputError):
                node, asked = question_of(*self._read(*root))
                self._asked[node] = set() if node.pawns else asked | self._asked.get(node, set())

        def closures() -> Iterator[Closure]:
            for board, accrued in every:
                try:
                    found = self._affordable(*self._read(board, accrued))
                    self.check(plan_of(found))
                except ClosureTooLargeError as error:
                    refused[error.reason] += 1
                except (InputError, MissingTableError, BuildError) as error:
                    refused[str(error)] += 1
                else:
                    kept.append((board, accrued))
                    yield from found

        return kept, refused, plan_of(closures())

    def prepare(self, material: Material, watch: Watch | None = None) -> SolvePlan:
        """Plan who mates after promotions to a queen that leave six men; with `watch`, solve it."""
        men, closures = MOST_COARSE_FREE + 1, list[Closure]()
        if material.men != men or material.pawns not in (1, 2):
            raise ClosureTooLargeError(
                str(material), f"no promotion leads to {men} men with one pawn or none"
            )
        for color, bound in itertools.product(
            [each for each in Color if Role.PAWN in material.side(each)], Bound
        ):
            closures.append(
                Closure(
                    self._known, Way(0, 0, 0, MOST_COARSE_FREE, bound=bound), self._folder.keys()
                )
            )
            promoted = with_man(material, color, Role.PAWN, Role.QUEEN)
            for pawns in layout_of(
                promoted.canonical()
            ).blocks:  # one pawn stands where it may in either colours
                closures[-1].add(node_of(promoted, pawns), promoter=color)
            closures[-1].refuse_missing()
        plan = plan_of(closures)
        if watch:
            self.check(plan)
            tell = progress_of(plan.cpu_seconds, watch)
            for closure in closures:
                solve_closure(ClosureBlocks(closure, self._folder), self._threads, tell)
            watch(1.0)
            self._folder.shrink(self.cache_bytes)
        return plan

    def check(self, plan: SolvePlan) -> None:
        """Refuse what does not fit into memory or onto the disk."""
        memory, disk = available_memory(), free_disk(self._folder.folder)
        if memory is not None and plan.memory_bytes > memory:
            raise NotEnoughMemoryError("the blocks of a position", plan.memory_bytes, memory)
        if disk is not None and plan.disk_bytes + plan.scratch_bytes > disk:
            raise NotEnoughDiskError(
                "the blocks of a position", plan.disk_bytes + plan.scratch_bytes, disk
            )


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
        NotEnoughMemoryError, NotEnoughDiskError: The position needs more than is free.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     solve("8/1K6/6p1/6P1/2k5/7p/7P/8 w - - 0 51", folders=folder)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tbgen.errors.MissingTableError: ...
    """
    with PositionSolver(folders, budget=budget, threads=threads, syzygy=syzygy) as solver:
        return solver.solve(position, accrued, watch)
