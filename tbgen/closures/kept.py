"""Kept solves: what a solve leaves for a later one, for a player and for a server.

A solve keeps where the values of its root's block are, and those of the blocks that two moves from
there lead to. So any position of that block is answered without a plan, as long as the tables are
the same. Beside that it keeps with which settings a position was solved, and its line.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import chess

from tbgen.closures.answers import Brackets, Solution, line_of
from tbgen.closures.bounds import ANYTHING, Bound
from tbgen.closures.closure import Closure, PlannedBlock
from tbgen.closures.placements import Node, RootNode, cell_on, root_of
from tbgen.closures.plan import plan_of
from tbgen.closures.reach import ANYWHERE, Kings, Shade, Shades
from tbgen.closures.reading import LostBlockError, SolvedBlocks
from tbgen.closures.store import BlockStore, key_of
from tbgen.material import Material
from tbgen.probe.opened import OpenTables
from tbgen.probe.syzygy import Winner
from tbgen.score import Score

MOST_CLOSURES: Final = 32
"""The last closures of a root's block are asked, so many of them. Each question of a way has one.
"""

_NOT_ASKED: Final[Mapping[str, Any]] = {
    "closures": (),
    "settings": None,
    "line": None,
    "with_line": False,
    "missing": (),
}
"""What is kept of a position that was not solved itself."""


class KeptAnswer(NamedTuple):
    """The answer of an earlier solve."""

    solution: Solution
    settings: str | None
    """With which settings the position was solved; None if another one of its block was."""
    asked_line: bool
    """Whether a line was looked for."""


class KeptSolves:
    """What solves have kept in a store.

    Arguments:
        store: Has it.
        tables: What rests on others is not found.
        winner: Tells who wins in Syzygy tables.
    """

    def __init__(self, store: BlockStore, tables: OpenTables, winner: Winner) -> None:
        self._store = store
        self._tables = tables
        self._winner = winner

    def keep(
        self, solution: Solution, closures: Sequence[Closure], settings: str, *, asked_line: bool
    ) -> None:
        """Keep what some closures have found of a position."""
        board = chess.Board(solution.fen)
        root = root_of(board, solution.accrued).node
        line = None
        if solution.line is not None:
            line = [step.move.uci() for step in solution.line]
        asked = {
            "closures": [closure.blocks[root].key for closure in closures],
            "settings": settings,
            "line": line,
            "with_line": asked_line,
            "missing": solution.plan.missing,
        }
        for closure in closures:
            name = _name_of(closure.blocks[root])
            self._store.put_answer(_key_of_root(root), name, _facts_of(closure, root))
        last = _name_of(closures[-1].blocks[root])
        self._store.put_answer(_key_of(board, solution.accrued), last, asked)

    def find(self, board: chess.Board, accrued: Score) -> KeptAnswer | None:
        """The answer for a position, if it was solved, or if the solve of another one tells it."""
        root = root_of(board, accrued)
        closures = self._closures(root.node)
        asked = _NOT_ASKED
        for answer in self._store.answers(_key_of(board, accrued), 1):
            if closures.keys() >= set(answer["closures"]):
                asked = answer
        plan = replace(plan_of(()), missing=tuple(asked["missing"]))
        solution = Solution(board.fen(), accrued, ANYTHING, [], plan, 0.0)
        is_known = bool(asked["closures"])
        for key, facts in closures.items():
            if key not in asked["closures"] and not _is_within_reach(board, root, facts["kings"]):
                continue
            blocks = dict(_block_from(name, block) for name, block in facts["blocks"].items())
            brackets = Brackets(SolvedBlocks(self._tables, blocks, self._store), self._winner)
            block, _ = brackets.block_of(board)
            if block is None:  # it has other bishops
                continue
            try:
                solution = brackets.improve(solution)
            except LostBlockError:
                if key in asked["closures"]:
                    return None
                continue
            # At cuts, other accrued scores than those of the position that was solved are unknown.
            is_known |= not block.cuts or solution.bracket.is_exact
        if not is_known:
            return None
        solution = replace(solution, plan=replace(plan, exact=solution.bracket.is_exact))
        if asked["line"] is not None and solution.bracket.is_exact:
            moves = map(chess.Move.from_uci, asked["line"])
            line = line_of(board, accrued, solution.bracket.lower, moves)
            solution = replace(solution, line=line)
        return KeptAnswer(solution, asked["settings"], asked["with_line"])

    def _closures(self, root: Node) -> dict[str, Any]:
        """[key of the root's block] the closures that are kept, as far as tables are the same."""
        valid = dict[str, Any]()
        for facts in self._store.answers(_key_of_root(root), MOST_CLOSURES):
            tables = facts["tables"].items()
            if all(self._tables.digest(Material.parse(name)) == digest for name, digest in tables):
                valid[facts["blocks"][str(root)]["key"]] = facts
        return valid


def _name_of(block: PlannedBlock) -> str:
    """The name of a block in the store beside which answers are kept."""
    return block.name_with(block.bounds[0])


def _key_of(board: chess.Board, accrued: Score) -> str:
    return key_of([board.epd(), str(accrued)])


def _key_of_root(root: Node) -> str:
    return key_of([str(root)])


def _is_within_reach(board: chess.Board, root: RootNode, kings: Sequence[int]) -> bool:
    """Whether a closure holds for a position of its root's block: its kings may be shut in.

    Then the closure has captures en passant for the position that was solved alone.
    """
    reach = Kings(*kings)
    if reach == ANYWHERE:
        return True
    node = root.node
    _, squares = node.layout.squares_of(
        cell_on(node, board.mirror() if root.is_reversed else board)
    )
    white = reach.white >> squares[len(node.pawns)] & 1
    black = reach.black >> squares[-1] & 1
    return bool(white and black) and not root.has_right


def _near(closure: Closure, root: Node) -> dict[Node, PlannedBlock]:
    """The blocks of a root and of what two resets lead to: all that the root's moves ask for.

    The second reset may take a man that has just promoted.
    """
    near = {root: closure.blocks[root]}
    for _ in range(2):
        for block in list(near.values()):
            for edge in block.edges:
                if edge.block is not None:
                    near[edge.child] = edge.block
    return near


def _facts_of(closure: Closure, root: Node) -> dict[str, Any]:
    """What is kept of a closure."""
    blocks = dict[str, Any]()
    for node, block in _near(closure, root).items():
        blocks[str(node)] = {
            "key": block.key,
            "bounds": block.bounds,
            "is_exact": block.is_exact,
            "cuts": [str(cut) for cut in block.cuts],
            "queries": [(str(score), cell) for score, cell in block.queries],
            "shades": list(block.shades),
        }
    return {"tables": closure.tables_read(), "kings": closure.reached[root].kings, "blocks": blocks}


def _block_from(name: str, facts: Mapping[str, Any]) -> tuple[Node, PlannedBlock]:
    """A block that was kept, and its node. It can be read, and not be solved again."""
    material, squares = name.split("-")
    pawns = [chess.parse_square(squares[at : at + 2]) for at in range(0, len(squares), 2)]
    node = Node(Material.parse(material), tuple(pawns))
    block = PlannedBlock(
        node=node,
        shades=Shades(Shade(*shade) for shade in facts["shades"]),
        edges=(),
        bounds=[Bound(bound) for bound in facts["bounds"]],
        is_exact=facts["is_exact"],
        cuts=tuple(map(Score, facts["cuts"])),
        queries=[(Score(score), cell) for score, cell in facts["queries"]],
        key=facts["key"],
    )
    return node, block
