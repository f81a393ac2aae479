"""Lines: best play as PGN."""

from __future__ import annotations

from collections.abc import Sequence

import chess

from tbgen.apps.games.tags import Source, write_tags
from tbgen.apps.games.writer import format_game, numbered
from tbgen.probe.answers import LineStep, Probe
from tbgen.rules.fen import with_score
from tbgen.rules.points import Scoring
from tbgen.rules.stage import FiftyMoveSetting
from tbgen.text import in_plies


def pgn_of(
    board: chess.Board, answer: Probe, steps: Sequence[LineStep], scoring: Scoring, *, clock: str | None = None
) -> str:
    """A line as a PGN game that begins on the board; comments say own score, accrued score and plies to go.

    `clock` says what the fifty-move rule makes of it, where that matters.
    """
    last = steps[-1].accrued if steps else answer.accrued
    is_whole = last == answer.outcome
    first, carried = board, {}
    if answer.accrued != answer.own:
        first, accrued = with_score(board, answer.accrued)
        carried = {"RMobilityAccrued": str(accrued)}
    tags = {
        "Event": "Best play",
        "Round": "-",
        "White": "tbgen",
        "Black": "tbgen",
        "Result": "*",
        "SetUp": "1",
        "FEN": first.fen(),
        **carried,
        **(_tags_of_result(answer, scoring) if is_whole else {}),
        **({} if clock is None else {"RMobilityClock": clock}),
    }
    moves = [(step.san, f"{step.own}, accrued {step.accrued}, {_to_go(step)}") for step in steps]
    return format_game(tags, numbered(first.fullmove_number, first.turn == chess.WHITE, moves))


def _tags_of_result(answer: Probe, scoring: Scoring) -> dict[str, str]:
    tags = write_tags(answer.outcome, scoring, fifty_moves=FiftyMoveSetting.NONE)
    return {**tags, "RMobilitySource": Source.TABLEBASE.value}


def _to_go(step: LineStep) -> str:
    if step.accrued == step.outcome:
        return "reached"
    return str(step.outcome) if step.dtg is None else f"{step.outcome} in {in_plies(step.dtg)}"
