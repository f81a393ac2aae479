"""A game of r-mobility: the accrued score at every ply, and when and why the game ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import chess

from tbgen.errors import MoveError, UsageError, expect
from tbgen.facts import facts_of, plain
from tbgen.rules.notation import format_fen, line_in, parse_one, refuse_illegal
from tbgen.rules.points import Scoring, points_facts
from tbgen.rules.position import (
    expect_any_board,
    first_accrued,
    is_bare_kings,
    is_standard,
    key_of,
    own_score,
    play_move,
)
from tbgen.rules.stage import (
    End,
    FiftyMoves,
    FiftyMoveSetting,
    Ply,
    first_ply,
    next_ply,
)
from tbgen.rules.variants import by_variant
from tbgen.score import (
    MATE_CODE,
    Color,
    Mobility,
    Score,
    expect_color,
    expect_mobility,
    expect_score,
)
from tbgen.text import in_plies

__all__ = ["End", "FiftyMoveSetting", "FiftyMoves", "Game", "Ply", "final_outcome"]


class Game:
    """A game, tracked move by move.

    You may play on after the end; `ended` stays the first ply at which the game was over.

    Arguments:
        board: The first position, with moves to play on its stack. Without it, the standard start.
        accrued: The accrued score of the first position. Without it, or at a halfmove clock of 0,
            its own score.
        fifty_moves: The fifty-move rule, `FiftyMoves()` without it.
        mobility: "whole-game" for the game in which resets wipe out nothing.

    Raises:
        IllegalPositionError: The first position breaks a rule of chess.
        ScoreFormatError: The text of `accrued` is no score.
        AccruedError: No game can carry that score into the first position.

    >>> game = Game(chess.Board("8/8/4K3/5Bk1/8/8/8/8 w - - 33 30"), accrued="G4.0")
    >>> ply = game.push_text("Ke5")
    >>> str(ply.own), str(ply.accrued), game.fen()
    ('G3.5', 'G3.5', '8/8/8/4KBk1/8/8/8/8 b - - 0 30 G3.5')
    >>> game.position().halfmove_clock, game.facts()["whole_game"]["accrued"]
    (0, 'G3.5')
    """

    plies: list[Ply]
    """Every ply so far; number 0 is the first position."""

    def __init__(
        self,
        board: chess.Board | None = None,
        *,
        accrued: Score | str | None = None,
        fifty_moves: FiftyMoves | None = None,
        mobility: Mobility | str = Mobility.RESET,
    ) -> None:
        self.mobility = expect_mobility(mobility)
        given = chess.Board() if board is None else expect_any_board(board)
        rule = FiftyMoves() if fifty_moves is None else fifty_moves
        self.board = given.root()
        refuse_illegal(self.board)
        self.fifty_moves = expect(
            rule, FiftyMoves, "fifty_moves", "a FiftyMoves such as FiftyMoves()"
        )
        own = own_score(self.board)
        carried = None if accrued is None else expect_score(accrued, "accrued")
        reached = first_accrued(self.board, own, carried, self.mobility, self.fifty_moves)
        bare = is_bare_kings(self.board)
        self.plies = [first_ply(own, reached, self.board.halfmove_clock, bare, self.fifty_moves)]
        self._times_seen = Counter([key_of(self.board)])
        for move in given.move_stack:
            self.push(move)

    def __repr__(self) -> str:
        return f"<Game after {in_plies(self.last.number)}: {self.fen()}>"

    @property
    def last(self) -> Ply:
        """The last ply."""
        return self.plies[-1]

    @property
    def accrued(self) -> Score:
        """The accrued score after the last ply."""
        return self.last.accrued

    @property
    def ended(self) -> Ply | None:
        """The first ply at which the game was over."""
        return next((ply for ply in self.plies if ply.end is not None), None)

    @property
    def lowest(self) -> tuple[Score, int]:
        """The accrued score under whole-game mobility, and the ply at which it was reached."""
        first = self.plies[0]
        lowest = first.accrued
        since = first.since
        for ply in self.plies[1:]:
            # After the end of a variant, the position's own score does not count.
            reached = ply.accrued if ply.end is End.VARIANT else ply.own
            if reached.code < lowest.code:
                lowest = reached
                since = ply.since if ply.end is End.VARIANT else ply.number
        return lowest, since

    def position(self) -> chess.Board:
        """The position after the last ply.

        Returns:
            A new board without moves. Its clock is the counter of this game's fifty-move rule.
        """
        position = self.board.copy(stack=False)
        position.halfmove_clock = self.last.counter
        return position

    def fen(self) -> str:
        """The position after the last ply, as text.

        Returns:
            A FEN with seven fields. Its clock is the counter of this game's fifty-move rule.
        """
        return format_fen(self.position(), self.accrued)

    def push(self, move: chess.Move) -> Ply:
        """Play a move.

        Arguments:
            move: A legal move.

        Returns:
            The ply that the move makes.

        Raises:
            MoveError: The move is illegal.

        >>> Game().push(chess.Move.from_uci("e2e4")).san
        'e4'
        """
        expect(move, chess.Move, "move", "a chess.Move; push_text plays a text")
        if not self.board.is_legal(move):
            raise MoveError(move.uci(), self.last.number + 1)
        return self._push(move)

    def push_text(self, text: str) -> Ply:
        """Play a move that is written as text.

        Arguments:
            text: SAN or UCI, with or without a number.

        Returns:
            The ply that the move makes.

        Raises:
            MoveError: The text is no legal move.

        >>> Game().push_text("1. e4").move.uci()
        'e2e4'
        """
        return self._push(parse_one(self.board, text, self.last.number + 1))

    def push_line(self, moves: str | Iterable[str]) -> Sequence[Ply]:
        """Play all of some moves, or none if one of them is illegal.

        Arguments:
            moves: A text with all moves, or a text for each. A result among them is an error.

        Returns:
            The plies that the moves make.

        Raises:
            MoveError: A text is no legal move.

        >>> [ply.san for ply in Game().push_line("1. e4 e5 2. Nf3")]
        ['e4', 'e5', 'Nf3']
        """
        before = len(self.plies)
        try:
            return [self.push_text(move) for move in line_in(moves)]
        except BaseException:
            while len(self.plies) > before:
                self.pop()
            raise

    def pop(self) -> Ply:
        """Take the last move back.

        Returns:
            The ply that the move had made.

        Raises:
            UsageError: The game has no moves.

        >>> game = Game()
        >>> ply = game.push_text("e4")
        >>> game.pop().san, str(game.accrued)
        ('e4', '-G20.5')
        """
        if len(self.plies) == 1:
            raise UsageError("there is no move to take back")
        self._times_seen[key_of(self.board)] -= 1
        self.board.pop()
        return self.plies.pop()

    def facts(self, scoring: Scoring | None = None) -> dict[str, Any]:
        """The game as JSON has it.

        Arguments:
            scoring: The scheme of the points, `Scoring()` without it.

        Returns:
            The keys and values that `tbgen score --json` prints.
        """
        last = self.last
        ended = self.ended
        rule = Scoring() if scoring is None else scoring
        lowest, since = self.lowest
        return {
            "fen": self.position().fen(),
            **facts_of(last, "own", "accrued", reached_at_ply=last.since),
            "end": None if ended is None else plain(ended.end),
            "ended_at_ply": None if ended is None else ended.number,
            "points": points_facts(rule.points(last.accrued)),
            "scoring": rule.scheme.value,
            "whole_game": {"accrued": str(lowest), "reached_at_ply": since},
            "plies": plain(self.plies),
        }

    def _push(self, move: chess.Move) -> Ply:
        before = self.last
        san = self.board.san(move)
        own, _, reset = play_move(self.board, move, before.accrued)
        bare = is_bare_kings(self.board)
        key = key_of(self.board)
        self._times_seen[key] += 1
        seen = self._times_seen[key]
        ply = next_ply(before, own.code, reset, bare, seen, self.fifty_moves, self.mobility)
        if not is_standard(self.board):
            ply = by_variant(self.board, before, ply)
        self.plies.append(ply._replace(move=move, san=san))
        return self.last


def final_outcome(accrued: Score | str, winner: Color | None = None) -> Score:
    """The final score of a finished game.

    `winner` is given if the other side lost on time or resigned.

    >>> accrued = Score("G3.5")
    >>> str(final_outcome(accrued)), str(final_outcome(accrued, winner=Color.BLACK))
    ('G3.5', '-G0.0')
    """
    if winner is None:
        return expect_score(accrued, "accrued")
    return Score(MATE_CODE, expect_color(winner, "winner"))
