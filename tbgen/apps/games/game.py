"""A game of a PGN file, and the settings by which it is scored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import chess

from tbgen.apps.games.tags import GameTags, winner_of
from tbgen.arguments import expect_number
from tbgen.errors import UsageError
from tbgen.rules.fen import carried_into, parse_fen
from tbgen.rules.game import FiftyMoves, FiftyMoveSetting, Game, final_outcome
from tbgen.rules.points import Komi, Scheme, Scoring, expect_komi, expect_scheme, points_facts
from tbgen.rules.stage import Stage, expect_setting
from tbgen.score import MOST_CODE, Accrued, Mobility, Outcome

_T = TypeVar("_T")

_CHESS960 = {"chess960", "chess 960", "fischerandom", "fischerrandom", "fischer random"}
_ORDINARY = {"", "?", "standard", "chess", "classical", "normal", "from position"}


@dataclass(frozen=True)
class PgnGame:
    """A game that was read and played through; `number` counts from 1 in its file."""

    number: int
    tags: dict[str, str]
    result: str
    last: Stage
    """Where its rules stand after the last ply."""
    ended: Stage | None
    """The first ply at which the game was over."""
    scoring: Scoring
    fifty_moves: FiftyMoves
    warnings: tuple[str, ...]
    """What its tags say against its moves, and moves after its end."""
    men: int
    """On the board after the last ply."""
    _board: Callable[[], chess.Board] = field(repr=False, compare=False)
    _game: Callable[[], Game] = field(repr=False, compare=False)

    @cached_property
    def game(self) -> Game:
        """The game ply by ply; played again by python-chess when it is asked for."""
        return self._game()

    @cached_property
    def board(self) -> chess.Board:
        """The last position, without the moves before it; its clock is that of the game's fifty-move rule."""
        board = self._board()
        board.halfmove_clock = self.last.counter
        return board

    @property
    def final(self) -> Outcome:
        """The final score of the game; a decisive result counts as mate."""
        return final_outcome(self.last.accrued, winner_of(self.result))

    @property
    def end(self) -> str:
        """Why the game ended: by the rules at its last ply, or else what its Termination tag says."""
        if self.last.end is not None:
            return self.last.end.value
        if "Termination" in self.tags:
            return self.tags["Termination"]
        return "unterminated" if self.result == "*" else "normal"

    def facts(self, *, moves: bool = True) -> dict[str, Any]:
        """The game as JSON has it, with the points for its final score under its own scheme."""
        facts = {
            "number": self.number,
            **{name.lower(): self.tags.get(name, "?") for name in ("Event", "Round", "White", "Black")},
            "result": self.result,
            "plies": self.last.number,
            "fen": self.board.fen(),
            "accrued": str(self.last.accrued),
            "reached_at_ply": self.last.since,
            "final": str(self.final),
            "end": self.end,
            "points": points_facts(self.scoring.points(self.final)),
            "scoring": self.scoring.scheme.value,
            "warnings": list(self.warnings),
        }
        return {**facts, "moves": [ply.facts() for ply in self.game.plies]} if moves else facts


@dataclass(frozen=True, slots=True)
class GameSettings:
    """How to score games; a value of None comes from a game's tags, or else from the defaults.

    A scheme and the fifty-move rule may be given by their names, and a komi as it is written.
    """

    scheme: Scheme | None = None
    cutoff_code: int | None = None
    komi: Komi | None = None
    fifty_moves: FiftyMoveSetting | None = None
    game: Mobility = Mobility.RESET
    """Which positions of a game count; no tag says so."""

    def __post_init__(self) -> None:
        for name, expected in (("scheme", expect_scheme), ("komi", expect_komi), ("fifty_moves", expect_setting)):
            if (value := getattr(self, name)) is not None:
                object.__setattr__(self, name, expected(value, name))
        if self.cutoff_code is not None:
            expect_number(self.cutoff_code, "cutoff_code", 0, MOST_CODE)

    def scoring(self, tags: GameTags) -> Scoring:
        plain = Scoring()
        return Scoring(
            _first(self.scheme, tags.scheme, plain.scheme),
            _first(self.cutoff_code, tags.cutoff_code, plain.cutoff_code),
            _first(self.komi, tags.komi, plain.komi),
        )

    def fifty_moves_of(self, tags: GameTags) -> FiftyMoves:
        setting = _first(self.fifty_moves, tags.fifty_moves, FiftyMoveSetting.RESET)
        return FiftyMoves(setting, self.scoring(tags).cutoff_code)


def _first(given: _T | None, tagged: _T | None, default: _T) -> _T:
    if given is not None:
        return given
    return default if tagged is None else tagged


def root_of(
    tags: Mapping[str, str], known: GameTags, game: Mobility = Mobility.RESET
) -> tuple[chess.Board, Accrued | None]:
    """The first position of a game, and the accrued score there if its tags give one."""
    variant = tags.get("Variant", "").lower()
    if variant not in _CHESS960 | _ORDINARY:
        raise UsageError(f"no rules for the variant {tags['Variant']!r}")
    board, accrued = parse_fen(tags.get("FEN", chess.STARTING_FEN), chess960=variant in _CHESS960, game=game)
    if accrued is None and known.accrued is not None:
        accrued = carried_into(board, known.accrued, game)
    return board, accrued
