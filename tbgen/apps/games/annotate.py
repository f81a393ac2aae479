"""A game ply by ply: its scores, its value where tables know it, and the mistakes; and best play as PGN."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import chess

from tbgen.apps.games.tags import Source, write_tags
from tbgen.apps.games.writing import format_game, last_move, numbered
from tbgen.errors import NO_TABLE, MissingTableError
from tbgen.facts import facts_of
from tbgen.material import MOST_BUILT_MEN, Material
from tbgen.probe.answers import Grade, LineStep, MoveProbe, Probe, Valued
from tbgen.rules.notation import with_score
from tbgen.rules.points import Scoring
from tbgen.rules.position import is_standard
from tbgen.rules.stage import FiftyMoveSetting
from tbgen.score import Color, Score
from tbgen.text import in_plies

if TYPE_CHECKING:
    from tbgen.apps.games.read import PgnGame
    from tbgen.probe import Tablebase
    from tbgen.rules.game import Ply

_MOST_NAMED = 3
_LEAST_SHOWN = Fraction(1, 20_000)


@dataclass(frozen=True)
class AnnotatedPly:
    """A ply with its scores, and with its value if a table has the position."""

    ply: Ply
    board: chess.Board
    """The position after it."""
    stood: chess.Board | None
    """The position before it; None for the first position."""
    value: Probe | None
    """None if no table has the position after it."""
    before: Score | None
    """The outcome of best play before it; None for the first position, and if no table has it."""
    better: tuple[MoveProbe, ...]
    """The best moves instead, if the move gave something away."""
    lost: Fraction
    """The points of the mover that the move gave away."""

    @property
    def mover(self) -> Color:
        return self.ply.own.holder

    @property
    def grade(self) -> Grade | None:
        """The effect of the move on the value; None if a value is unknown."""
        return (
            None
            if self.before is None or self.value is None
            else Grade.of(self.before, self.value.outcome)
        )

    @property
    def gives_away(self) -> bool:
        return self.grade in (Grade.COSTS, Grade.LOSES)

    @property
    def move(self) -> str:
        """The move with its number, such as `30... Kd6`; empty for the first position."""
        return last_move(self.board, self.ply.san)

    @property
    def worth(self) -> str:
        """The value after the ply, such as `G1.5 in 5 plies`; empty if it is not known."""
        if self.value is None:
            return ""
        return f"{self.value.outcome}, reached" if self.value.is_reached else str(self.value)

    @property
    def remark(self) -> str:
        """The value that the move gave away, and the moves that keep it; empty if it gave nothing away."""
        if not self.gives_away or self.before is None:
            return ""
        said = f"gives {self.before} away" + (
            f" to {self.mover.other}" if self.grade is Grade.LOSES else ""
        )
        if self.before.holder is not self.mover:
            said = f"gives {self.mover.other} more than {self.before}"
        others = ["others"] if len(self.better) > _MOST_NAMED else []
        kept = " or ".join([*(each.san for each in self.better[:_MOST_NAMED]), *others])
        return f"{said}; {kept} kept it" if kept else said

    @property
    def lost_in_words(self) -> str:
        """The points that the move gave away, with four decimals; empty if it gave nothing away."""
        if not self.gives_away:
            return ""
        return f"{float(self.lost):.4f}" if not 0 < self.lost < _LEAST_SHOWN else "<0.0001"

    @property
    def comment(self) -> str:
        """Value and remark in one line."""
        return "; ".join(filter(None, (self.worth, self.remark)))

    def facts(self) -> dict[str, Any]:
        """The ply as JSON has it, with its value and its grade."""
        return {
            **self.ply.facts(),
            "material": None if self.value is None else str(self.value.material.canonical()),
            "outcome": None if self.value is None else str(self.value.outcome),
            "dtg": None if self.value is None else self.value.dtg,
            **facts_of(
                self,
                "before",
                "grade",
                better=[each.san for each in self.better],
                points_lost=self.lost,
            ),
        }


@dataclass(frozen=True)
class Annotation:
    """A game with all its plies, the first position among them."""

    game: PgnGame
    plies: tuple[AnnotatedPly, ...]
    missing: Counter[Material]
    """Missing table -> the number of positions of the game in it."""

    @cached_property
    def lost(self) -> dict[Color, Fraction]:
        """The points that each side gave away in all, under the scoring of the game."""
        return {
            side: sum((each.lost for each in self.plies if each.mover is side), Fraction(0))
            for side in Color
        }

    @property
    def first(self) -> AnnotatedPly | None:
        """The first ply with a value from tables."""
        return next((each for each in self.plies if each.value is not None), None)

    @property
    def known_from(self) -> str:
        """The plies with values from tables, in words without a full stop."""
        first = self.first
        if first is None:
            return "no table knows a position of this game"
        known = in_plies(
            sum(each.value is not None and each.ply.move is not None for each in self.plies)
        )
        return (
            f"tables know {known}, from {first.move} on"
            if first.move
            else f"tables know {known}, all of the game"
        )

    @property
    def lost_in_words(self) -> str:
        """The points that each side gave away, in words without a full stop."""
        white, black = (f"{float(self.lost[side]):.4f}" for side in Color)
        return (
            f"White gave away {white} and Black {black} points ({self.game.scoring.scheme.value})"
        )

    def facts(self) -> dict[str, Any]:
        """The annotation as JSON has it."""
        game = self.game
        return facts_of(
            self,
            "missing",
            **game.heading,
            scoring=game.scoring.scheme,
            points_lost={str(side).lower(): lost for side, lost in self.lost.items()},
            missing={str(material): number for material, number in self.missing.most_common()},
            plies=[each.facts() for each in self.plies],
        )


def annotate(tables: Tablebase, game: PgnGame) -> Annotation:
    """A game with the values of its positions, each with its accrued score."""
    board, points = game.replayed.board.root(), game.scoring.points
    plies, missing = list[AnnotatedPly](), Counter[Material]()
    stood: chess.Board | None = None
    last: Probe | None = None
    for ply in game.replayed.plies:
        if ply.move is not None:
            board.push(ply.move)
        here = board.copy(stack=False)
        value = _value(tables, here, ply, missing)
        lost, better = Fraction(0), tuple[MoveProbe, ...]()
        if last is not None and value is not None and last.outcome != value.outcome:
            lost = points(last.outcome)[ply.own.holder] - points(value.outcome)[ply.own.holder]
            better = _better(last)
        plies.append(
            AnnotatedPly(
                ply, here, stood, value, None if last is None else last.outcome, better, lost
            )
        )
        stood, last = here, value
    return Annotation(game, tuple(plies), missing)


def _value(
    tables: Tablebase, board: chess.Board, ply: Ply, missing: Counter[Material]
) -> Probe | None:
    """The value of a position with its accrued score; None if no table has it."""
    if chess.popcount(board.occupied) > MOST_BUILT_MEN or not is_standard(board):
        return None
    try:
        return tables.probe(board, ply.accrued)
    except NO_TABLE as error:
        if isinstance(error, MissingTableError):
            missing[Material.parse(error.material)] += 1
        return None


def _better(found: Probe) -> tuple[MoveProbe, ...]:
    """The best moves in a position; without distances all moves that keep its value; none if a table is missing."""
    try:
        return tuple(found.best) or tuple(each for each in found.moves if each.keeps)
    except NO_TABLE:
        return ()


def pgn_of(
    board: chess.Board,
    answer: Probe,
    steps: Sequence[LineStep],
    scoring: Scoring,
    *,
    clock: str | None = None,
) -> str:
    """A line as a PGN game that begins on the board; comments say own score, accrued score and plies to go.

    `clock` says what the fifty-move rule makes of it, where that matters.
    """
    first, accrued = (
        with_score(board, answer.accrued) if answer.accrued != answer.own else (board, None)
    )
    is_whole = (steps[-1].accrued if steps else answer.accrued) == answer.outcome
    result = write_tags(answer.outcome, scoring, fifty_moves=FiftyMoveSetting.NONE)
    tags = {
        "Event": "Best play",
        "Round": "-",
        "White": "tbgen",
        "Black": "tbgen",
        "SetUp": "1",
        "FEN": first.fen(),
        **({} if accrued is None else {"RMobilityAccrued": str(accrued)}),
        **({**result, "RMobilitySource": Source.TABLEBASE.value} if is_whole else {}),
        **({} if clock is None else {"RMobilityClock": clock}),
    }
    to_go = ("reached" if step.accrued == step.outcome else Valued.__str__(step) for step in steps)
    moves = [
        (step.san, f"{step.own}, accrued {step.accrued}, {end}")
        for step, end in zip(steps, to_go, strict=True)
    ]
    return format_game(tags, numbered(first.fullmove_number, first.turn == chess.WHITE, moves))
