"""Asking: what solved blocks, tables and bounds say of a position and of its moves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

import chess

from tbgen.errors import UnprovedError
from tbgen.index.layout import HOW_MASK, TURNS
from tbgen.position.blocks import ANSWERS, ENTRY, RIGHTS, ClosureBlocks
from tbgen.position.bounds import Bound
from tbgen.position.bracket import ANYTHING, Bracket, MoveBracket, Solution
from tbgen.position.closure import Node, node_of
from tbgen.probe.stored import kinds_of, squares_on
from tbgen.probe.syzygy import Winner, no_tables
from tbgen.retro.drive.single import Accrued
from tbgen.retro.resets.destinations import en_passant_places
from tbgen.rules.position import board_after, is_reset, material_of, own_score
from tbgen.score import Color, Score

_WHITE_MATES, _BLACK_MATES = (Bracket(mate, mate) for mate in (ANYTHING.upper, ANYTHING.lower))
_BY_WINNER: Final = (Bracket(Score("-G0.5"), Score("G0.5")), _WHITE_MATES, ANYTHING, _BLACK_MATES)
"""[0, 1, UNKNOWN, -1]: the outcomes that are possible if nobody, White, anybody or Black forces mate."""


class Asking:
    """The brackets of every position in a closure, of its moves and of what they lead to."""

    def __init__(self, blocks: ClosureBlocks, winner: Winner = no_tables) -> None:
        self._blocks, self._closure, self._winner = blocks, blocks.closure, winner

    def bracket(self, board: chess.Board, accrued: Score | None) -> Bracket:
        """The bracket of a position with what has accrued in it, or without that where its own score counts."""
        if self._closure.known.has(material_of(board)):
            outcome = self._closure.known.answering(board).find(board).outcome
            return Bracket(outcome, outcome)
        here, there = node_on(board), node_on(board.mirror())
        turned = here not in self._closure.blocks and there in self._closure.blocks
        node, placed = (there, board.mirror()) if turned else (here, board)
        if node not in self._closure.blocks:
            return self._of_promotion(board)
        block, part, at = self._closure.blocks[node], ENTRY, cell_on(node, placed)
        if board.has_legal_en_passant():
            if accrued is not None:  # only the position itself has one: blocks answer right after a double step
                return best_of(self.moves(board, accrued).values(), board)
            part, at = RIGHTS, place_of_right(node, placed)
        elif accrued is not None and (own := own_score(board)).code >= accrued.code and own != accrued:
            part, at = ANSWERS, block.asked.cells.index(at)
        signed = [int(self._blocks.read(block, part, bound, at, at + 1)[0]) for bound in Bound]
        found = narrowed(ANYTHING, *map(Score.from_signed, signed))
        return found.flipped() if turned else found

    def moves(self, board: chess.Board, accrued: Score) -> dict[chess.Move, Bracket]:
        """Every legal move with its bracket."""
        return {
            move: self.bracket(board_after(board, move), None if is_reset(board, move) else accrued)
            for move in board.legal_moves
        }

    def _of_promotion(self, board: chess.Board) -> Bracket:
        """The bracket of a position that a promotion has just led to, as position/bounds.py finds it."""
        new_man, moves = board.peek().to_square, list(board.legal_moves)
        if not moves:
            return Bracket(own_score(board, 0), own_score(board, 0))
        found = [
            self.bracket(board_after(board, move), None) if move.to_square == new_man else ANYTHING for move in moves
        ]
        return self.closer(best_of(found, board), board)

    def closer(self, bracket: Bracket, board: chess.Board) -> Bracket:
        """The bracket of a legal position within that which Syzygy tables give."""
        return narrowed(bracket, *_BY_WINNER[self._winner(board)].ends)


def node_on(board: chess.Board) -> Node:
    """The node of a position."""
    return node_of(material_of(board), [*board.pieces(chess.PAWN, True), *board.pieces(chess.PAWN, False)])


def shared_node(board: chess.Board) -> tuple[Node, bool]:
    """The node that a position shares with its reversal in colours, and whether that is the one of the reversal."""
    here, there = node_on(board), node_on(board.mirror())
    return min([(here, False), (there, True)], key=lambda each: (not each[0].material.is_canonical, each[0].pawns))


def question_of(board: chess.Board, accrued: Score) -> tuple[Node, Accrued]:
    """The node of a position, and what is asked of it: the accrued score, there and after quiet moves."""
    boards = [board, *(board_after(board, move) for move in board.legal_moves if not is_reset(board, move))]
    node, turned = shared_node(board)
    cells = {cell_on(node, each.mirror() if turned else each) for each in boards}
    return node, Accrued(accrued.flipped() if turned else accrued, tuple(sorted(cells)))


def cell_on(node: Node, board: chess.Board) -> int:
    """The cell of a position in its block."""
    return node.layout.cell_of(int(not board.turn), squares_on(board, kinds_of(node.material)))


def place_of_right(node: Node, board: chess.Board) -> int:
    """The place of a position in which a pawn has just made a double step, among those with a right to take it."""
    cell, half, layout = cell_on(node, board), node.cells // 2, node.layout
    is_mirrored = TURNS[layout.address_of(node.pawns) & HOW_MASK, board.king(chess.WHITE)] != 0
    file = chess.square_file(board.ep_square or 0) ^ 7 * bool(is_mirrored)
    start, _ = en_passant_places(layout)
    return int(start[0, cell // half, file]) + cell % half


def answer(blocks: ClosureBlocks, before: Solution, winner: Winner) -> Solution:
    """An answer made closer by blocks that are solved; LookupError if one of them is not."""
    board, asking = chess.Board(before.fen), Asking(blocks, winner)
    known = {each.move: each.bracket for each in before.moves}
    whole, moves = narrowed(before.bracket, *asking.bracket(board, before.accrued).ends), dict[chess.Move, Bracket]()
    most_here = (ANYTHING.lower, whole.upper) if board.turn else (whole.lower, ANYTHING.upper)  # no move is worth more
    for move, bracket in asking.moves(board, before.accrued).items():
        found = narrowed(known.get(move, ANYTHING), *bracket.ends)
        moves[move] = narrowed(asking.closer(found, board_after(board, move)), *most_here)
    whole = asking.closer(whole, board)  # Syzygy tables may know more of the moves
    whole = narrowed(whole, *best_of([*moves.values()] or [whole], board).ends)
    return replace(before, bracket=whole, moves=in_order(board, moves))


def best_of(brackets: Iterable[Bracket], board: chess.Board) -> Bracket:
    """The bracket of a position by those of its moves: the better of two lower bounds bounds the better value."""
    best = max if board.turn else min
    return Bracket(*(best(ends) for ends in zip(*(each.ends for each in brackets), strict=True)))


def narrowed(bracket: Bracket, least: Score, most: Score) -> Bracket:
    """The part of a bracket between two more bounds; UnprovedError if there is none."""
    low, high = max(bracket.lower, least), min(bracket.upper, most)
    if low > high:
        raise UnprovedError(
            f"at least {low} and at most {high} for White are proved, so solved blocks or Syzygy tables are wrong; "
            "remove the folder 'solved' beside the tables, and try again"
        )
    return Bracket(low, high)


def in_order(board: chess.Board, moves: Mapping[chess.Move, Bracket]) -> list[MoveBracket]:
    """Moves by what they guarantee; those are best of which no other can be better."""
    mover = Color.of(board.turn)
    worths = {move: sorted(end.worth_to(mover) for end in bracket.ends) for move, bracket in moves.items()}
    most = max((greatest for _, greatest in worths.values()), default=0)
    order = sorted(moves, key=lambda move: (-worths[move][0], -worths[move][1], move.uci()))
    return [MoveBracket(move, board.san(move), moves[move], best=worths[move][0] >= most) for move in order]
