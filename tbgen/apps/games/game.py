"""A game of a PGN file, the settings by which it is scored, and where its tags contradict its moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import chess

from tbgen.apps.games.tags import GAME_TAG, UNFINISHED, GameTags, Source, classical_result, winner_of
from tbgen.errors import TbgenError, expect_number
from tbgen.rules.game import FiftyMoves, FiftyMoveSetting, Game, final_outcome
from tbgen.rules.notation import carried_into, parse_fen
from tbgen.rules.points import (
    Komi,
    Scheme,
    Scoring,
    expect_komi,
    expect_scheme,
    format_points,
    parse_points,
    points_facts,
)
from tbgen.rules.stage import End, Stage, expect_setting
from tbgen.score import MOST_CODE, Mobility, Score
from tbgen.text import counted, plain

_CHESS960 = {"chess960", "chess 960", "fischerandom", "fischerrandom", "fischer random"}
ORDINARY = {"", "?", "standard", "chess", "classical", "normal", "from position"}

ON_THE_BOARD = (End.CHECKMATE, End.STALEMATE, End.VARIANT)
"""The ends that decide a game whatever its tags say."""


@dataclass(frozen=True)
class PgnGame:
    """A game that was read and played through; `number` counts from 1 in its file."""

    file: str
    number: int
    tags: dict[str, str]
    result: str
    last: Stage
    """Where its rules stand after the last ply."""
    scoring: Scoring
    fifty_moves: FiftyMoves
    warnings: tuple[str, ...]
    """Contradictions between its tags and its moves, and moves after its end."""
    position: Callable[[], chess.Board] = field(repr=False, compare=False)
    """Makes a board of the last position, without moves; its clock is that of the game's fifty-move rule."""
    _game: Callable[[], Game] = field(repr=False, compare=False)

    @cached_property
    def game(self) -> Game:
        """The game ply by ply; played again by python-chess when it is asked for."""
        return self._game()

    @property
    def final(self) -> Score:
        """The final score of the game; unless the board decides, a decisive result counts as mate."""
        return final_of(self.last, self.result)

    @property
    def end(self) -> str:
        """Why the game ended, by the rules at its last ply, or else what its Termination tag says."""
        said = self.tags.get("Termination", "unterminated" if self.result == UNFINISHED else "normal")
        return said if self.last.end is None else self.last.end.value

    @property
    def heading(self) -> dict[str, Any]:
        """The keys that name the game in JSON, which are its place, and tags by their names in lower case."""
        tags = {name.lower(): self.tags.get(name, "?") for name in ("Event", "Round", "White", "Black")}
        return {"file": self.file, "number": self.number, **tags, "result": self.result}

    def facts(self, *, plies: bool = True) -> dict[str, Any]:
        """The game as JSON has it, with the points for its final score under its own scheme."""
        last = self.last
        facts: dict[str, Any] = plain(
            {
                **self.heading,
                "ply_count": last.number,
                "fen": self.position().fen(),
                "accrued": last.accrued,
                "reached_at_ply": last.since,
                "final": self.final,
                "end": self.end,
                "points": points_facts(self.scoring.points(self.final)),
                "scoring": self.scoring.scheme,
                "warnings": self.warnings,
            }
        )
        return {**facts, "plies": [ply.facts() for ply in self.game.plies]} if plies else facts


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
        cutoffs = (self.cutoff_code, tags.cutoff_code, plain.cutoff_code)
        return Scoring(
            self.scheme or tags.scheme or plain.scheme,
            next(code for code in cutoffs if code is not None),  # 0 is one, too
            self.komi or tags.komi or plain.komi,
        )

    def fifty_moves_of(self, tags: GameTags) -> FiftyMoves:
        setting = self.fifty_moves or tags.fifty_moves or FiftyMoveSetting.RESET
        return FiftyMoves(setting, self.scoring(tags).cutoff_code)


def root_of(
    fen: str | None, variant: str | None, accrued: Score | None, game: Mobility = Mobility.RESET
) -> tuple[chess.Board, Score | None]:
    """The first position of a game, and the accrued score there, as its tags give them."""
    kind = (variant or "").lower()
    if variant is not None and kind not in _CHESS960 | ORDINARY:
        from tbgen.rules.variants import variant_board

        board = variant_board(variant, fen)
        return board, None if accrued is None else carried_into(board, accrued, game)
    board, carried = parse_fen(chess.STARTING_FEN if fen is None else fen, chess960=kind in _CHESS960, game=game)
    if carried is None and accrued is not None:
        carried = carried_into(board, accrued, game)
    return board, carried


def final_of(last: Stage, result: str) -> Score:
    """The final score of a game that has a result: mate and stalemate on the board go before it."""
    return final_outcome(last.accrued, None if last.end in ON_THE_BOARD else winner_of(result))


def contradictions(
    tags: Mapping[str, str], known: GameTags, written: str | None, last: Stage, ended: Stage | None
) -> Iterator[str]:
    """Describe every contradiction in one line.

    `known` are the tags of r-mobility among all, `written` is the result that stands after the moves, `ended` the
    first ply at which the game was over.
    """
    result = tags.get("Result", written or UNFINISHED)
    if "Result" in tags and written is not None and result != written:
        yield f'the tag Result says "{result}", the end of the moves "{written}"'
    yield from moves_after_the_end(last, ended)
    if last.end is not None and last == ended:
        expected = classical_result(last.accrued)
        if result not in (expected, UNFINISHED):
            yield f'Result says "{result}", but the moves end in {last.end.value}: {expected}'
    if GAME_TAG not in tags:  # else it was decided under a game that the moves alone do not tell
        yield from _of_scores(tags, known, final_of(last, result), last.end)
    if known.accrued is not None and "FEN" in tags:
        with suppress(TbgenError):  # a FEN of Chess960 says nothing of this
            _, in_fen = parse_fen(tags["FEN"])
            if in_fen not in (known.accrued, None):
                yield f'FEN says that {in_fen} has accrued, RMobilityAccrued says "{known.accrued}"'


def moves_after_the_end(last: Stage, ended: Stage | None) -> Iterator[str]:
    """Describe moves after the end of the game, if there are any."""
    if ended is not None and ended.end is not None and ended.number < last.number:
        moves = counted(last.number - ended.number, "more move", "more moves")
        yield f"the game was over at ply {ended.number} ({ended.end.value}); {moves} counted"


def _of_scores(tags: Mapping[str, str], known: GameTags, final: Score, end: End | None) -> Iterator[str]:
    """Describe a score that contradicts the moves, and points that contradict the score under its own scheme."""
    scoring = GameSettings().scoring(known)
    if known.outcome is not None and end not in ON_THE_BOARD and tags.get("RMobilitySource") == Source.TABLEBASE.value:
        final = known.outcome  # no move need have reached it
    if known.outcome not in (final, None):
        yield f'RMobilityResult says "{known.outcome}", but the game is worth {final}'
    if known.points is not None:
        points = scoring.points(final)
        written = format_points(points, scoring.scheme)
        if known.points not in (points, parse_points(written)):
            yield f'Points say "{tags["Points"]}", but {final} is {written} ({scoring.scheme.value})'
