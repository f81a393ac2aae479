"""Values: what positions and moves are worth with an accrued score.

How a value is found (docs/tables.md): the entry value, where the accrued score is the position's own; the
entry value again, where its code is lower than both; else the hold of the accrued score, or its break.
Positions with a legal en passant capture are not in the tables: one ply of search finds their value.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import chess

from tbgen.errors import AccruedError, CastlingError, IllegalPositionError, TooManyMenError
from tbgen.material import MOST_BUILT_MEN, MOST_TABLE_MEN
from tbgen.probe.answers import MoveProbe
from tbgen.probe.stored import Answering, OpenTables, StoredPosition, Value
from tbgen.rules.fen import broken_rule
from tbgen.rules.position import accrued_of, color_of, expect_board, is_reset, material_of, own_score, why_not_accrued
from tbgen.score import Color, Mobility, Score, expect_score


class Successor(NamedTuple):
    """A legal move, and what is known of the position after it; python-chess alone says nothing of that."""

    move: chess.Move
    reset: bool
    code: int | None = None
    """The code of the position after it."""
    place: int | None = None
    """Where the table that answers before the move keeps the position after it.

    None if nothing is known, if that has other men, or if a pawn may then take en passant.
    """


class _Weighed(NamedTuple):
    """A move, whether it resets, the own score after it if that was needed, and its value from before it."""

    move: chess.Move
    reset: bool
    own: Score | None
    outcome: Score
    dtg: int | None


class Values:
    """The values of one game's positions, from its tables."""

    def __init__(self, tables: OpenTables, game: Mobility, *, compiled: bool = False) -> None:
        self.tables, self._game, self._compiled = tables, game, compiled

    def answering(self, board: chess.Board) -> Answering:
        """The table that answers for a board; an error if the position is not legal or none that tables know."""
        met = self.tables.met(expect_board(board))
        check_position(board, met is not None)
        return self.tables.answering(board) if met is None else met

    def accrued_on(self, board: chess.Board, own: Score, given: Score | str | None) -> Score:
        """The score that counts as accrued: the one that is given, or what the board's moves have accrued."""
        if given is None:
            has_past = board.move_stack and (board.halfmove_clock or not self._game.forgets)
            return accrued_of(board, game=self._game) if has_past else own
        carried = expect_score(given, "accrued")
        if carried != own:
            check_accrued(board, carried, self._game)
        return carried.after(own, reset=False)

    def entry(self, board: chess.Board, place: StoredPosition) -> Value:
        """The value of a position with its own score accrued."""
        if _may_take_en_passant(board):
            return self._searched(board, own_score(board))
        return place.entry()

    def value(self, board: chess.Board, place: StoredPosition, own: Score, accrued: Score) -> Value:
        """The value of a position with an accrued score that its own score has gone into."""
        return self._searched(board, accrued) if _may_take_en_passant(board) else place.value(own, accrued)

    def quick_own(self, board: chess.Board) -> Score | None:
        """The score of the position itself, where finding it takes no time: by a kernel."""
        if not self._compiled:
            return None
        from tbgen.probe.successors import own_code_of

        return _score(own_code_of(board), color_of(not board.turn))

    def successors(self, board: chess.Board, table: Answering) -> list[Successor]:
        """The legal moves of a position that a table answers for."""
        if not self._compiled:
            return [Successor(move, is_reset(board, move)) for move in board.legal_moves]
        from tbgen.probe.successors import successors_of

        found = successors_of(board, table.table.placing, flipped=table.flipped)
        return [Successor(*each) for each in found]

    def moves(
        self, board: chess.Board, table: Answering, successors: Sequence[Successor], accrued: Score
    ) -> list[MoveProbe]:
        """All moves with their values, best first; `successors` are those of the board."""
        if not successors:
            return []
        walker, mover = board.copy(stack=False), color_of(board.turn)
        values = [self._weighed(walker, table, successor, accrued) for successor in successors]
        held = accrued.worth_to(mover)

        def merit(value: _Weighed) -> tuple[int, int, str]:
            good = value.outcome.worth_to(mover)
            plies = value.dtg or 0
            return -good, plies if good >= held else -plies, value.move.uci()

        values.sort(key=merit)
        best, plies = values[0].outcome, values[0].dtg
        keeping = sum(1 for _ in itertools.takewhile(lambda value: value.outcome == best, values))
        is_known = all(value.dtg is not None for value in values[:keeping])
        return [
            MoveProbe(
                move,
                outcome,
                dtg,
                reset,
                best=number < keeping and dtg == plies and is_known,
                keeps=number < keeping,
                _board=walker,
                _accrued=accrued,
                _own=own,
                _forgets=self._game.forgets,
            )
            for number, (move, reset, own, outcome, dtg) in enumerate(values)
        ]

    def _weighed(self, board: chess.Board, table: Answering, successor: Successor, accrued: Score) -> _Weighed:
        """A move with its value; `table` answers for the board before it, and after it unless it takes or promotes.

        The own score after the move is counted only where the value needs it: counting takes half of the time.
        """
        move, reset, code, place = successor
        own = None if code is None else _score(code, color_of(board.turn))
        keeps, starts_anew = False, reset and self._game.forgets
        if place is None:
            board.push(move)
            stored = (self.tables.answering(board) if reset else table).find(board)
        else:
            stored = StoredPosition(table.table, place, flipped=table.flipped)
        takes = place is None and _may_take_en_passant(board)
        if not takes and (starts_anew or stored.outcome.code < accrued.code):
            # Where the own score is the lower one, it accrues, and else the entry value betters what has accrued:
            # the value is that of the entry either way.
            outcome, dtg = stored.entry()
        else:
            own = own_score(board) if own is None else own
            reached = accrued.after(own, reset=starts_anew)
            outcome, dtg = self._searched(board, reached) if takes else stored.value(own, reached)
            keeps = reached is accrued and outcome == accrued
        if place is None:
            board.pop()
        return _Weighed(move, reset, own, outcome, None if dtg is None else 0 if keeps else dtg + 1)

    def _searched(self, board: chess.Board, accrued: Score) -> Value:
        """The value of a position with a legal en passant capture."""
        table = self.tables.answering(board)
        best = self.moves(board, table, self.successors(board, table), accrued)[0]
        outcome, dtg = best.outcome, best.dtg
        return outcome, 0 if outcome == accrued and dtg is not None else dtg


def _may_take_en_passant(board: chess.Board) -> bool:
    return board.ep_square is not None and board.has_legal_en_passant()


@cache
def _score(code: int, holder: Color) -> Score:
    return Score(code, holder)


def check_position(board: chess.Board, is_known: bool) -> None:
    """Refuse what no table knows; of a material seen before, only what its men do not already say."""
    suspicious = board.ep_square is not None or board.pawns & chess.BB_BACKRANKS or not is_known
    if suspicious or board.was_into_check():
        rule = broken_rule(board)
        if rule is not None:
            raise IllegalPositionError(board.fen(), rule)
    if has_too_many_men(board):
        raise TooManyMenError(str(material_of(board)), board.occupied.bit_count(), MOST_TABLE_MEN)
    if board.castling_rights:
        raise CastlingError(board.fen())


def has_too_many_men(board: chess.Board) -> bool:
    """Whether no table can answer, whatever lies in the folders.

    A table of six men may be there; with castling rights it would not answer, so six men are too many then.
    """
    return board.occupied.bit_count() > (MOST_TABLE_MEN if board.castling_rights else MOST_BUILT_MEN)


def check_accrued(board: chess.Board, accrued: Score, game: Mobility = Mobility.RESET) -> None:
    """Refuse a score that nothing in this phase of a game can have left; a whole game has had other men."""
    reason = why_not_accrued(accrued, bare_sides(board, game))
    if reason is not None:
        raise AccruedError(str(accrued), reason)


def bare_sides(board: chess.Board, game: Mobility) -> list[bool]:
    """By colour, whether a side has had its king alone for as long as the accrued score goes back."""
    return [game.forgets and board.occupied_co[color].bit_count() == 1 for color in (chess.WHITE, chess.BLACK)]
