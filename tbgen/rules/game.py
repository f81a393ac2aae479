"""The variant: what a game has accrued at every ply, and when and why it ends.

>>> game = Game()
>>> for move in ("e4", "e5", "Qh5", "Nc6"):
...     ply = game.push_text(move)
>>> str(ply.own), str(ply.accrued), ply.since
('-G39.5', 'G26.5', 3)
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import chess

from tbgen.errors import MoveError, UsageError
from tbgen.rules.accrual import first_accrued, play
from tbgen.rules.fen import format_fen
from tbgen.rules.notation import moves_in, parse_move
from tbgen.rules.points import Scoring, points_facts
from tbgen.rules.position import is_bare_kings, own_score
from tbgen.score import DEFAULT_CUTOFF_CODE, MATE_CODE, Accrued, Color, Outcome, code_of

_FIFTY_MOVES_PLIES = 100
_REPETITIONS = 3
_BARE_KINGS_CODE = code_of(8, in_check=False)


class End(enum.Enum):
    """Why a game has ended, in the order in which the reasons are tested."""

    CHECKMATE = "checkmate"
    STALEMATE = "stalemate"
    BARE_KINGS = "bare kings"
    FIFTY_MOVES = "fifty moves"
    THREEFOLD_REPETITION = "threefold repetition"


class FiftyMoveSetting(enum.Enum):
    """What the fifty-move rule means."""

    NONE = "none"
    FIDE = "fide"
    RESET = "reset"
    LEGACY = "legacy"


@dataclass(frozen=True, slots=True)
class FiftyMoves:
    """The fifty-move rule of a game; `cutoff_code` matters under `reset` only."""

    setting: FiftyMoveSetting = FiftyMoveSetting.RESET
    cutoff_code: int = DEFAULT_CUTOFF_CODE

    def is_reached(self, counter: int) -> bool:
        return self.setting is not FiftyMoveSetting.NONE and counter >= _FIFTY_MOVES_PLIES

    def counts(self, own: Accrued, counter: int) -> bool:
        """Whether a position's own score can still accrue after `counter` plies without a reset."""
        if self.setting is FiftyMoveSetting.RESET or not self.is_reached(counter):
            return True
        return own.is_mate or own.is_stalemate

    def restarts(self, improved: Accrued) -> bool:
        """Whether an improvement of the accrued score sets the counter to zero."""
        return self.setting is FiftyMoveSetting.RESET and improved.code < self.cutoff_code


@dataclass(frozen=True, slots=True)
class Ply:
    """A game after `number` plies.

    `since` and `lowest_since` are the plies at which the score beside them was reached; 0 is the first
    position, also for a score that its FEN carries. `counter` is what the fifty-move rule looks at.
    `lowest` is the score under whole-game mobility, where nothing is ever wiped out.
    """

    number: int
    move: chess.Move | None
    san: str
    own: Accrued
    accrued: Accrued
    since: int
    counter: int
    end: End | None
    lowest: Accrued
    lowest_since: int

    def facts(self) -> dict[str, Any]:
        """The ply as JSON has it."""
        return {
            "ply": self.number,
            "san": self.san or None,
            "uci": None if self.move is None else self.move.uci(),
            "own": str(self.own),
            "accrued": str(self.accrued),
            "reached_at_ply": self.since,
            "end": None if self.end is None else self.end.value,
        }


class Game:
    """A game, tracked move by move; moves already on the board's stack are played first.

    Moves may go on after an end: `ended` then still names the first ply at which the game was over.
    """

    def __init__(
        self,
        board: chess.Board | None = None,
        *,
        accrued: Accrued | None = None,
        fifty_moves: FiftyMoves | None = None,
    ) -> None:
        given = chess.Board() if board is None else board
        self.board = given.root()
        self.fifty_moves = FiftyMoves() if fifty_moves is None else fifty_moves
        self._seen: Counter[Hashable] = Counter()
        self._plies: list[Ply] = [self._first_ply(accrued)]
        for move in given.move_stack:
            self.push(move)

    @property
    def plies(self) -> Sequence[Ply]:
        """Every ply so far; number 0 is the first position."""
        return tuple(self._plies)

    @property
    def last(self) -> Ply:
        return self._plies[-1]

    @property
    def accrued(self) -> Accrued:
        return self.last.accrued

    @property
    def ended(self) -> Ply | None:
        """The first ply at which the game was over."""
        return next((ply for ply in self._plies if ply.end is not None), None)

    def position(self) -> chess.Board:
        """The position, without its moves, with the counter of this game's fifty-move rule."""
        position = self.board.copy(stack=False)
        position.halfmove_clock = self.last.counter
        return position

    def fen(self) -> str:
        """The position with its accrued score and the counter of this game's fifty-move rule."""
        return format_fen(self.position(), self.accrued)

    def push(self, move: chess.Move) -> Ply:
        """Play a legal move."""
        if not self.board.is_legal(move):
            raise MoveError(move.uci(), self.last.number + 1)
        return self._push(move)

    def push_text(self, text: str) -> Ply:
        """Play a move written in SAN or as in UCI, with or without its number.

        >>> Game().push_text("1. e4").move.uci()
        'e2e4'
        """
        moves = moves_in(text)
        if len(moves) != 1:
            raise MoveError(text, self.last.number + 1, "not one move:")
        return self._push(parse_move(self.board, moves[0], self.last.number + 1))

    def push_line(self, moves: str | Iterable[str]) -> Sequence[Ply]:
        """Play moves written as one text or as many; all of them, or none if one of them cannot be played.

        >>> [ply.san for ply in Game().push_line("1. e4 e5 2. Nf3")]
        ['e4', 'e5', 'Nf3']
        """
        before = len(self._plies)
        try:
            return [self.push_text(move) for move in moves_in(moves)]
        except BaseException:
            while len(self._plies) > before:
                self.pop()
            raise

    def pop(self) -> Ply:
        """Take the last move back, and return the ply that it was.

        >>> game = Game()
        >>> ply = game.push_text("e4")
        >>> game.pop().san, str(game.accrued)
        ('e4', '-G20.5')
        """
        if len(self._plies) == 1:
            raise UsageError("there is no move to take back")
        self._seen[_repetition_key(self.board)] -= 1
        self.board.pop()
        return self._plies.pop()

    def facts(self, scoring: Scoring | None = None) -> dict[str, Any]:
        """The game as JSON has it, with the points for what has accrued."""
        last, ended, rule = self.last, self.ended, Scoring() if scoring is None else scoring
        return {
            "fen": self.position().fen(),
            "own": str(last.own),
            "accrued": str(last.accrued),
            "reached_at_ply": last.since,
            "end": None if ended is None or ended.end is None else ended.end.value,
            "ended_at_ply": None if ended is None else ended.number,
            "points": points_facts(rule.points(last.accrued.outcome)),
            "scoring": rule.scheme.value,
            "whole_game": {"accrued": str(last.lowest), "reached_at_ply": last.lowest_since},
            "plies": [ply.facts() for ply in self._plies],
        }

    def _push(self, move: chess.Move) -> Ply:
        self._plies.append(self._next_ply(move))
        return self.last

    def _first_ply(self, carried: Accrued | None) -> Ply:
        own, counter = own_score(self.board), self.board.halfmove_clock
        accrued = first_accrued(self.board, own, carried)
        end = self._end(own, counter, None)
        return Ply(0, None, "", own, accrued, 0, counter, end, accrued, 0)

    def _next_ply(self, move: chess.Move) -> Ply:
        before, san = self.last, self.board.san(move)
        own, reached, reset = play(self.board, move, before.accrued)
        number, counter = before.number + 1, 0 if reset else before.counter + 1
        accrued, since = before.accrued, before.since
        if reached is own and self.fifty_moves.counts(own, counter):
            accrued, since = own, number
            counter = 0 if self.fifty_moves.restarts(own) else counter
        lowest, lowest_since = before.lowest, before.lowest_since
        if own.code < lowest.code:
            lowest, lowest_since = own, number
        end = self._end(own, counter, before)
        return Ply(number, move, san, own, accrued, since, counter, end, lowest, lowest_since)

    def _end(self, own: Accrued, counter: int, before: Ply | None) -> End | None:
        key = _repetition_key(self.board)
        self._seen[key] += 1
        if own.is_mate:
            return End.CHECKMATE
        if own.is_stalemate:
            return End.STALEMATE
        if before is not None and self._is_settled_by_bare_kings(own, before):
            return End.BARE_KINGS
        if self.fifty_moves.is_reached(counter):
            return End.FIFTY_MOVES
        return End.THREEFOLD_REPETITION if self._seen[key] >= _REPETITIONS else None

    def _is_settled_by_bare_kings(self, own: Accrued, before: Ply) -> bool:
        """Two plies in a row left eight moves; the first position of a game is no ply."""
        if not is_bare_kings(self.board) or own.code != _BARE_KINGS_CODE or before.move is None:
            return False
        captured = self.board.copy(stack=1)
        captured.pop()
        return is_bare_kings(captured) and before.own.code == _BARE_KINGS_CODE


def _repetition_key(board: chess.Board) -> Hashable:
    """What makes two positions the same: men, side to move, castling, and a possible en passant capture."""
    men = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
    en_passant = board.ep_square if board.has_legal_en_passant() else None
    return men, board.occupied_co[chess.WHITE], board.turn, board.clean_castling_rights(), en_passant


def final_outcome(accrued: Accrued, winner: Color | None = None) -> Outcome:
    """What a finished game is scored with; `winner` is named if the other side lost on time or resigned."""
    return accrued.outcome if winner is None else Outcome(winner, MATE_CODE)
