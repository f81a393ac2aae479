"""Answers: brackets of positions and of their moves from solved blocks, and lines.

A *line* is moves that keep an exact value and make progress. The outcomes of blocks do not tell
which of the moves that keep a value get anywhere. So in each block on the way, the solver of tables
finds how many plies it takes to the next capture or pawn move, or to the final score. What such a
move leads to counts as reached, so each block is solved from outcomes alone. A line need not be the
shortest.

Where bounds replace promotions, White's moves go by the lower bounds and Black's by the upper ones.
Where both are equal, as at the beginning, a side that gets its bound leaves them equal.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import chess

from tbgen.closures.bounds import ANYTHING, Bound, Bracket
from tbgen.closures.closure import PlannedBlock
from tbgen.closures.placements import Node, cell_on, node_on
from tbgen.closures.plan import SolvePlan
from tbgen.closures.reach import shade_in
from tbgen.closures.reading import ENTRY, PATTERN, PATTERNS, PLIES, SolvedBlocks
from tbgen.closures.store import BlockArrays
from tbgen.errors import UnprovedError
from tbgen.facts import facts_of
from tbgen.index.layout import TURNS
from tbgen.index.placements import HOW_MASK, MIRROR
from tbgen.probe.answers import At, LineStep, Shown
from tbgen.probe.opened import pieces_of, squares_on
from tbgen.probe.syzygy import UNKNOWN, Winner, no_tables
from tbgen.rules.points import Scoring
from tbgen.rules.position import board_after, own_of
from tbgen.score import Color, Score
from tbgen.table import Patterns

if TYPE_CHECKING:  # a compiler is loaded where something is solved
    from tbgen.closures.closure_solver import ClosureSolver

MOST_PLIES: Final = 500
"""Longer lines end here."""

MATE_OF_WHITE: Final = Bracket(ANYTHING.upper, ANYTHING.upper)
MATE_OF_BLACK: Final = Bracket(ANYTHING.lower, ANYTHING.lower)
NO_MATE: Final = Bracket(Score("-G0.5"), Score("G0.5"))

BY_WINNER: Final = {1: MATE_OF_WHITE, 0: NO_MATE, -1: MATE_OF_BLACK, UNKNOWN: ANYTHING}
"""[winner] -> the possible outcomes, by who forces mate (see `Winner`)."""


@dataclass(frozen=True, slots=True)
class MoveBracket:
    """The bounds of a move, and whether they prove that no move is better."""

    move: chess.Move
    san: str
    bracket: Bracket
    best: bool

    def facts(self, scoring: Scoring | None = None) -> dict[str, Any]:
        """The move as JSON has it."""
        return {
            "uci": self.move.uci(),
            "san": self.san,
            **self.bracket.facts(scoring),
            "best": self.best,
        }


@dataclass(frozen=True)
class Solution(Shown):
    """A solved position."""

    fen: str
    accrued: Score
    bracket: Bracket
    moves: Sequence[MoveBracket] = field(repr=False)
    """Every legal move, those of the best guarantee first."""
    plan: SolvePlan
    cpu_seconds: float
    line: Sequence[LineStep] | None = field(default=None, repr=False)
    """Moves that keep the value and make progress; None if nobody has asked, or no value is proved.
    """

    def facts(self, scoring: Scoring | None = None) -> dict[str, Any]:
        """The answer as JSON has it."""
        facts = facts_of(
            self,
            "fen",
            "accrued",
            **self.bracket.facts(scoring),
            moves=[move.facts(scoring) for move in self.moves],
            nodes=self.plan.nodes,
            cells=self.plan.cells,
            cpu_seconds=round(self.cpu_seconds, 3),
        )
        if self.line is not None:
            facts["line"] = [step.facts() for step in self.line]
        return facts


class Brackets:
    """The brackets of positions, by solved blocks and by Syzygy tables."""

    def __init__(self, blocks: SolvedBlocks, winner: Winner = no_tables) -> None:
        self.blocks = blocks
        self._winner = winner

    def improve(self, solution: Solution) -> Solution:
        """An answer made closer by these blocks."""
        board = chess.Board(solution.fen)
        so_far = {move.move: move.bracket for move in solution.moves}
        bracket = narrowed(solution.bracket, self.bracket(board, solution.accrued))
        if board.turn == chess.WHITE:
            no_move_is_worth_more = Bracket(ANYTHING.lower, bracket.upper)
        else:
            no_move_is_worth_more = Bracket(bracket.lower, ANYTHING.upper)
        moves = dict[chess.Move, Bracket]()
        for move, by_blocks in self.moves(board, solution.accrued).items():
            closer = narrowed(so_far.get(move, ANYTHING), by_blocks)
            after = board_after(board, move)
            if not closer.is_exact:
                # Replies into tables may tell more than bounds of all promotions.
                closer = narrowed(closer, self.by_replies(after))
            closer = self.closer(closer, after)
            moves[move] = narrowed(closer, no_move_is_worth_more)
        bracket = self.closer(bracket, board)
        if moves:
            # Syzygy tables may know more of the moves than of the position.
            bracket = narrowed(bracket, best_of(moves.values(), board))
        return replace(solution, bracket=bracket, moves=in_order(board, moves))

    def bracket(self, board: chess.Board, accrued: Score | None) -> Bracket:
        """The bracket of a position with an accrued score.

        `accrued` is None where the position's own score counts.
        """
        tables = self.blocks.tables
        if tables.digest_on(board):
            outcome = tables.answering(board).find(board).outcome
            return Bracket(outcome, outcome)
        block, is_reversed = self.block_of(board)
        if block is None:
            return self.by_replies(board)
        bracket = self._in_block(block, is_reversed, board, accrued)
        if board.move_stack and board.peek().promotion:
            return narrowed(bracket, self.by_replies(board))
        return bracket

    def block_of(self, board: chess.Board) -> tuple[PlannedBlock | None, bool]:
        """The block of a position, and whether it is that of the position with reversed colours."""
        own = self._block_with(board)
        if own is not None:
            return own, False
        return self._block_with(board.mirror()), True

    def _block_with(self, board: chess.Board) -> PlannedBlock | None:
        """The block in these colours that is solved for a position, if there is one."""
        node = node_on(board)
        block = self.blocks.blocks.get(node)
        if block is None or shade_in(node, cell_on(node, board)) not in block.shades:
            return None
        return block

    def _in_block(
        self, block: PlannedBlock, is_reversed: bool, board: chess.Board, accrued: Score | None
    ) -> Bracket:
        """The bracket that a block has of a position."""
        if board.has_legal_en_passant() and accrued is not None:
            # Only the position that was asked about has one: blocks answer right after a double
            # step.
            return best_of(self.moves(board, accrued).values(), board)
        placed = board
        score = accrued
        if is_reversed:
            placed = board.mirror()
            score = None if accrued is None else accrued.flipped()
        lower, upper = (self._value(block, placed, score, bound) for bound in Bound)
        bracket = narrowed(Bracket(lower, ANYTHING.upper), Bracket(ANYTHING.lower, upper))
        return bracket.flipped() if is_reversed else bracket

    def _value(
        self, block: PlannedBlock, board: chess.Board, accrued: Score | None, bound: Bound
    ) -> Score:
        """A bound of a position in the colours of its block."""
        if board.has_legal_en_passant():
            rights = self.blocks.rights(block, bound)
            return Score.from_signed(int(rights[_right_on(block.node, board)]))
        cell = cell_on(block.node, board)
        if accrued is None or own_of(board).counts_beside(accrued):
            return self.blocks.entry(block, bound, cell)
        return self.blocks.held(block, bound, cell, accrued)

    def moves(self, board: chess.Board, accrued: Score) -> dict[chess.Move, Bracket]:
        """Every legal move with its bracket."""
        brackets = dict[chess.Move, Bracket]()
        for move in board.legal_moves:
            carried = None if board.is_zeroing(move) else accrued
            brackets[move] = self.bracket(board_after(board, move), carried)
        return brackets

    def by_replies(self, board: chess.Board) -> Bracket:
        """The bracket of a position by the replies to the move that led there.

        They lead to tables, or take the man that has just moved: see `promotions`.
        """
        replies = list(board.legal_moves)
        if not replies:
            end = own_of(board, 0)
            return Bracket(end, end)
        brackets = list[Bracket]()
        for reply in replies:
            after = board_after(board, reply)
            is_to_table = board.is_zeroing(reply) and self.blocks.tables.digest_on(after)
            if is_to_table or reply.to_square == board.peek().to_square:
                brackets.append(self.bracket(after, None))
            else:
                brackets.append(ANYTHING)
        return self.closer(best_of(brackets, board), board)

    def closer(self, bracket: Bracket, board: chess.Board) -> Bracket:
        """The bracket of a legal position, narrowed by who mates in Syzygy tables."""
        return narrowed(bracket, BY_WINNER[self._winner(board)])


def _right_on(node: Node, board: chess.Board) -> int:
    """The index of a position among those with a right to take en passant.

    A pawn has just made a double step.
    """
    cell = cell_on(node, board)
    half = node.cells // 2
    square = (board.ep_square or 0) + (-8 if board.turn == chess.WHITE else 8)
    pawns = squares_on(board, pieces_of(node.material))[: len(node.pawns)]
    if TURNS[node.layout.address_of(pawns) & HOW_MASK, board.king(chess.WHITE)] != 0:
        square ^= MIRROR
    return node.double_steps.index(square) * half + cell % half


def best_of(brackets: Iterable[Bracket], board: chess.Board) -> Bracket:
    """The bracket of a position by those of its moves.

    The better of the lower bounds bounds the best move, and so does the better of the upper ones.
    """
    better = max if board.turn == chess.WHITE else min
    ends = [bracket.ends for bracket in brackets]
    lower = better(lower for lower, _ in ends)
    upper = better(upper for _, upper in ends)
    return Bracket(lower, upper)


def narrowed(bracket: Bracket, other: Bracket) -> Bracket:
    """What two brackets of one value have in common; UnprovedError if that is nothing."""
    lower = max(bracket.lower, other.lower)
    upper = min(bracket.upper, other.upper)
    if lower > upper:
        raise UnprovedError(
            f"at least {lower} and at most {upper} for White are proved, "
            "so solved blocks or Syzygy tables are wrong; "
            "remove the folder 'solved' beside the tables, and try again"
        )
    return Bracket(lower, upper)


def in_order(board: chess.Board, moves: Mapping[chess.Move, Bracket]) -> list[MoveBracket]:
    """Moves by what they guarantee; those are best of which no other can be better."""
    mover = Color.of(board.turn)
    least = dict[chess.Move, int]()
    most = dict[chess.Move, int]()
    for move, bracket in moves.items():
        worths = [end.worth_to(mover) for end in bracket.ends]
        least[move] = min(worths)
        most[move] = max(worths)
    order = sorted(moves, key=lambda move: (-least[move], -most[move], move.uci()))
    ordered = list[MoveBracket]()
    for move in order:
        is_best = all(least[move] >= most[other] for other in moves if other != move)
        ordered.append(MoveBracket(move, board.san(move), moves[move], best=is_best))
    return ordered


class ValuedMove(NamedTuple):
    """A legal move, with its value as the mover's bounds have it."""

    move: chess.Move
    after: chess.Board
    own: Score
    outcome: Score
    plies: int
    """Plies from the position after it to the next capture or pawn move, or to the final score."""


class LineFinder:
    """Finds lines by the blocks of a closure."""

    def __init__(self, blocks: "ClosureSolver") -> None:
        self._blocks = blocks
        self._brackets = Brackets(blocks)
        self._solved = dict[tuple[Node, Bound], BlockArrays]()

    def line(self, board: chess.Board, accrued: Score) -> list[LineStep] | None:
        """Moves that keep the value of a position, as far as the blocks know all outcomes.

        None if the blocks do not prove the value.
        """
        if self._place_of(board) is None:
            return None
        value = self._brackets.bracket(board, accrued).exact
        if value is None:
            return None
        return line_of(board, accrued, value, self._moves_of_line(board, accrued, value))

    def _moves_of_line(
        self, board: chess.Board, accrued: Score, value: Score
    ) -> Iterator[chess.Move]:
        """The moves of a line, until the value has accrued and the position repeats."""
        seen = set[str]()
        for _ in range(MOST_PLIES):
            place = self._place_of(board)
            if place is None:
                return
            if value == accrued:
                if board.epd() in seen:
                    return
                seen.add(board.epd())
            keeping = []
            for move in self._moves(board, accrued, place):
                if move.outcome == value:
                    keeping.append(move)
            if not keeping:
                return  # the game is over
            chosen = _chosen(keeping, Color.of(board.turn), accrued, seen)
            yield chosen.move
            is_reset = board.is_zeroing(chosen.move)
            accrued = chosen.own if is_reset else accrued.after(chosen.own, reset=False)
            board = chosen.after

    def _place_of(self, board: chess.Board) -> tuple[PlannedBlock, bool] | None:
        """The block of a position, if all its outcomes are found; None if a table has it."""
        if self._blocks.tables.digest_on(board):
            return None
        block, is_reversed = self._brackets.block_of(board)
        if block is None or block.cuts:
            return None
        return block, is_reversed

    def _moves(
        self, board: chess.Board, accrued: Score, place: tuple[PlannedBlock, bool]
    ) -> Iterator[ValuedMove]:
        """The legal moves by the bounds of the mover."""
        bound = Bound.LOWER if board.turn == chess.WHITE else Bound.UPPER
        block, is_reversed = place
        arrays = self._with_distances(block, bound.other if is_reversed else bound)
        for move in board.legal_moves:
            after = board_after(board, move)
            own = own_of(after)
            if board.is_zeroing(move):
                outcome = self._brackets.bracket(after, None).ends[bound]
                yield ValuedMove(move, after, own, outcome, 0)
                continue
            carried = accrued.after(own, reset=False)
            if is_reversed:
                cell = cell_on(block.node, after.mirror())
                outcome, plies = _value_in(arrays, cell, carried.flipped(), own.flipped())
                outcome = outcome.flipped()
            else:
                cell = cell_on(block.node, after)
                outcome, plies = _value_in(arrays, cell, carried, own)
            yield ValuedMove(move, after, own, outcome, plies)

    def _with_distances(self, block: PlannedBlock, bound: Bound) -> BlockArrays:
        """A block solved once more, for distances to the next capture or pawn move.

        Where the final score comes before that, distances are those to it.
        """
        from tbgen.closures.closure_solver import solve_with_patterns
        from tbgen.retro.drive.methods import DISTANCES

        key = (block.node, bound)
        if key not in self._solved:
            self._solved[key] = solve_with_patterns(block, self._blocks, bound, DISTANCES)
        return self._solved[key]


def _value_in(arrays: BlockArrays, cell: int, accrued: Score, own: Score) -> tuple[Score, int]:
    """The outcome and distance of a cell with an accrued score, in which `own` is counted."""
    entry = Score.from_signed(int(arrays[ENTRY][cell]))
    if own.counts_beside(accrued) or entry.code < accrued.code:
        return entry, int(arrays[PLIES][cell])
    patterns = Patterns(*(arrays[part] for part in PATTERNS))
    return patterns.held(int(arrays[PATTERN][cell]), accrued)


def _chosen(keeping: list[ValuedMove], mover: Color, accrued: Score, seen: set[str]) -> ValuedMove:
    """The move to play of those that keep the value.

    A side that gains by the value hurries, the other one delays. Once the value has accrued, a move
    returns to an earlier position, if one does.
    """
    value = keeping[0].outcome
    if value == accrued:
        return min(keeping, key=lambda move: (move.after.epd() not in seen, move.move.uci()))
    hurries = value.worth_to(mover) > accrued.worth_to(mover)
    if hurries:
        return min(keeping, key=lambda move: (move.plies, move.move.uci()))
    return min(keeping, key=lambda move: (-move.plies, move.move.uci()))


def line_of(
    board: chess.Board, accrued: Score, value: Score, moves: Iterable[chess.Move]
) -> list[LineStep]:
    """The steps of a line of moves, all of which keep the value of a position."""
    steps = list[LineStep]()
    for move in moves:
        after = board_after(board, move)
        own = own_of(after)
        is_reset = board.is_zeroing(move)
        at = At(board, None if is_reset else accrued, own)
        steps.append(LineStep(value, None, move.uci(), is_reset, best=False, keeps=True, at=at))
        accrued = own if is_reset else accrued.after(own, reset=False)
        board = after
    return steps
