"""Asking: what solved blocks, tables and bounds say of a position and of its moves, from one bound or the other.

Moves are weighed as those of tables are (probe/values.py). That takes the same bound of every position: the better of
two lower bounds is a lower bound of the better value.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import Final, NamedTuple

import chess

from tbgen.errors import NO_TABLE, MissingDistancesError, UnprovedError
from tbgen.material import Role
from tbgen.position.blocks import Passes
from tbgen.position.bounds import Bound
from tbgen.position.bracket import Bracket, MoveBracket, Solution
from tbgen.position.closure import Node, node_of
from tbgen.probe.answers import LineStep, MoveProbe, Moves
from tbgen.probe.many import Value
from tbgen.probe.stored import kinds_of, squares_on
from tbgen.probe.values import Located, Query, TableValues, Values, line_of
from tbgen.rules.position import board_after, material_of, own_score
from tbgen.score import Color, Mobility, Score

MOST_LINE_PLIES: Final = 1000
ANYTHING: Final = Bracket(*(Score.from_signed(bound.value) for bound in Bound))
"""The bracket of a position that nothing is known of."""


class FoundPosition(NamedTuple):
    """A position and the source of its value; without a distance it has the least one: its holder may be to move.

    Distances in solved blocks count plies to the next reset, or to the goal if that comes first: after a reset they
    begin anew. That is enough to play by, since resets are few.
    """

    board: chess.Board
    asking: Asking

    def value(self, carried: Score | None, own: Callable[[], Score]) -> Value:
        """The value with an accrued score, as `StoredPosition.value` has it."""
        outcome, dtg = self.asking.known_value(self.board, carried, own)
        return outcome, int(outcome.holder is Color.of(self.board.turn)) if dtg is None else dtg


class Asking:
    """One bound of the value of every position in a closure, of its moves and of what they lead to."""

    def __init__(self, passes: Passes, bound: Bound) -> None:
        self._passes, self._bound, self._closure = passes, bound, passes[bound].closure
        self.classes = passes[bound].classes
        self.known, self._values = self._closure.known, Values(lambda _: self, Mobility.RESET)

    def find(self, board: chess.Board) -> Located:
        """Where the value of a position lies."""
        return FoundPosition(board, self)

    def known_value(self, board: chess.Board, carried: Score | None, own: Callable[[], Score]) -> Value:
        """The value of a position by the tables, by its block, or by the bound of a promotion."""
        if self.known.has(material_of(board)):
            return self.known.answering(board).find(board).value(carried, own)[0], None
        turned = self._closure.is_turned
        here = board.mirror() if turned else board
        node = node_on(here)
        if node not in self._closure.edges:
            return self._of_promotion(board), None
        cell = node.layout.cell_of(int(not here.turn), squares_on(here, kinds_of(node.material)))
        block = self._passes[Bound(-self._bound.value) if turned else self._bound].block(node)
        outcome, dtg = block.value(cell)
        if carried is not None and outcome.code >= carried.code and own().code >= carried.code and own() != carried:
            outcome, dtg = block.value(cell, carried.flipped() if turned else carried)
        return outcome.flipped() if turned else outcome, None if carried is None else dtg

    def _of_promotion(self, board: chess.Board) -> Score:
        """The bound of a position that a promotion has led to, as position/bounds.py finds it."""
        moves = list(board.legal_moves)
        if not moves:
            return own_score(board, 0)
        new_man, found = board.peek().to_square, list[Score]()
        for move in moves:
            if move.to_square == new_man:
                board.push(move)
                found.append(self.known_value(board, None, lambda: own_score(board))[0])
                board.pop()
        if len(found) < len(moves):
            found.append(Score.from_signed(self._bound.value))
        value = max(found, key=lambda outcome: outcome.worth_to(Color.of(board.turn)))
        limit = self._limit(board, new_man) if board.peek().promotion else value
        return (max if self._bound is Bound.LOWER else min)(value, limit)

    def _limit(self, board: chess.Board, new_man: int) -> Score:
        """The bound that classes of mates, or else Syzygy tables, give a position right after a promotion."""
        pawns = *board.pieces(chess.PAWN, chess.WHITE), *board.pieces(chess.PAWN, chess.BLACK)
        node, cell = Node(material_of(board), pawns), 0
        man = Color.of(not board.turn), Role(board.piece_type_at(new_man) or 0)
        limits = self.classes.limits(self._bound, node, man, new_man % 8)
        for square in squares_on(board, kinds_of(node.material))[len(node.pawns) :]:
            cell = cell if square == new_man else cell * 64 + square
        return Score.from_byte(int(limits[cell])) if len(limits) else self.classes.limit(self._bound, board)

    def closer(self, bracket: Bracket, board: chess.Board) -> Bracket:
        """The bracket of a legal position, within the bounds that Syzygy tables give it."""
        return narrowed(bracket, *(self.classes.limit(bound, board) for bound in Bound))

    def value(self, board: chess.Board, accrued: Score) -> Score:
        """The bound of a position with an accrued score that its own score has gone into."""
        return self._values.value(Query(board, self, accrued))[0]

    def moves(self, board: chess.Board, accrued: Score) -> Moves:
        """Every legal move with its bound, best first."""
        return self._values.moves(Query(board, self, accrued))


def node_on(board: chess.Board) -> Node:
    """The node of a position."""
    return node_of(material_of(board), [*board.pieces(chess.PAWN, True), *board.pieces(chess.PAWN, False)])


def shared_node(board: chess.Board) -> tuple[Node, bool]:
    """The node that a position shares with its reversal in colours, and whether that is the one of the reversal."""
    here, there = node_on(board), node_on(board.mirror())
    return min([(here, False), (there, True)], key=lambda each: (not each[0].material.is_canonical, each[0].pawns))


def answer(passes: Passes, board: chess.Board, accrued: Score) -> Solution:
    """The answer from blocks that are solved; LookupError if one of them is not."""
    lower, upper = (Asking(passes, bound) for bound in Bound)
    bracket = narrowed(ANYTHING, lower.value(board, accrued), upper.value(board, accrued))
    line = best_line(lower, upper, board, accrued) if bracket.is_exact else []
    plan, moves = passes[Bound.LOWER].closure.plan(), move_brackets(lower, upper, board, accrued, bracket)
    bracket, best = lower.closer(bracket, board), max if board.turn else min
    if moves:  # Syzygy tables may know more of them than of the position
        least, most = (best(ends) for ends in zip(*((e.bracket.lower, e.bracket.upper) for e in moves), strict=True))
        bracket = narrowed(bracket, least, most)
    return Solution(board.fen(), accrued, bracket, moves, line, plan, 0.0)


def narrowed(bracket: Bracket, least: Score, most: Score) -> Bracket:
    """The part of a bracket between two more bounds; UnprovedError if there is none."""
    low, high = max(bracket.lower, least), min(bracket.upper, most)
    if low > high:
        raise UnprovedError(
            f"classes of mates or Syzygy tables are wrong: they prove at least {low} and at most {high} for White; "
            "check the classes with: tbgen verify --classes --sample 1000"
        )
    return Bracket(low, high)


def move_brackets(
    lower: Asking, upper: Asking, board: chess.Board, accrued: Score, whole: Bracket
) -> list[MoveBracket]:
    """The brackets of all moves of a position with a bracket, those of the best guarantee first."""
    mover, above = Color.of(board.turn), {each.move: each.outcome for each in upper.moves(board, accrued)}

    def worths(bracket: Bracket) -> list[int]:
        """The least and the greatest rank."""
        return sorted((bracket.lower.worth_to(mover), bracket.upper.worth_to(mover)))

    found = list[tuple[MoveProbe, Bracket]]()
    most_here = (ANYTHING.lower, whole.upper) if board.turn else (whole.lower, ANYTHING.upper)  # no move is worth more
    for each in lower.moves(board, accrued):
        bracket = narrowed(ANYTHING, each.outcome, above[each.move])
        found.append((each, narrowed(lower.closer(bracket, board_after(board, each.move)), *most_here)))
    most = max((worths(bracket)[1] for _, bracket in found), default=0)
    found.sort(key=lambda each: (*(-worth for worth in worths(each[1])), each[0].move.uci()))
    return [MoveBracket(move.move, move.san, each, worths(each)[0] >= most) for move, each in found]


def best_line(lower: Asking, upper: Asking, board: chess.Board, accrued: Score) -> list[LineStep]:
    """Best play from a position whose value is proved.

    Each side plays by the bound that it can guarantee, so that no step leaves what is proved. The line ends after a
    promotion if no move is proved there. Tables go on from where it leads to them, if they have distances.
    """
    value = lower.value(board, accrued)

    def moves_of(walker: chess.Board, carried: Score) -> Moves:
        is_known = lower.known.has(material_of(walker))
        moves = Moves() if is_known else (lower if walker.turn else upper).moves(walker, carried)
        return moves if moves and moves[0].outcome == value else Moves()

    steps = [replace(step, dtg=None) for step in line_of(board, accrued, MOST_LINE_PLIES, moves_of)]
    walker = board.copy(stack=False)
    for step in steps:
        walker.push(step.move)
    with contextlib.suppress(MissingDistancesError, *NO_TABLE):
        tables = TableValues(lower.known, Mobility.RESET)
        accrued = steps[-1].accrued if steps else accrued
        steps += tables.line(Query(walker, tables.answering(walker), accrued), MOST_LINE_PLIES - len(steps))
    return steps
