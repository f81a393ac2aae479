"""Contradictions between the tags of a game and its moves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tbgen.apps.games.tags import GAME_TAG, classical_result, read_tags, winner_of
from tbgen.errors import TbgenError
from tbgen.rules.fen import parse_fen
from tbgen.rules.game import final_outcome
from tbgen.rules.points import Scoring, format_points, parse_points
from tbgen.rules.stage import Stage
from tbgen.score import Outcome

_UNKNOWN = "*"
_TABLEBASE = "tablebase"
"""The RMobilitySource of a result that no move need have reached."""


def contradictions(
    tags: Mapping[str, str], written: str | None, last: Stage, ended: Stage | None, scoring: Scoring
) -> Iterator[str]:
    """Describe every contradiction in one line.

    `written` is the result that stands after the moves, `ended` the first ply at which the game was over, `scoring`
    what the tags ask for.
    """
    result = tags.get("Result", written or _UNKNOWN)
    if "Result" in tags and written is not None and result != written:
        yield f'the tag Result says "{result}", the end of the moves "{written}"'
    yield from moves_after_the_end(last, ended)
    yield from _of_end(last, ended, result)
    yield from _of_scores(tags, final_outcome(last.accrued, winner_of(result)), scoring)
    if "FEN" in tags and "RMobilityAccrued" in tags:
        yield from _of_fen(tags)


def moves_after_the_end(last: Stage, ended: Stage | None) -> Iterator[str]:
    """Describe moves after the end of the game, if there are any."""
    if ended is not None and ended.end is not None and ended.number < last.number:
        more = last.number - ended.number
        moves = "1 more move" if more == 1 else f"{more} more moves"
        yield f"the game was over at ply {ended.number} ({ended.end.value}); {moves} counted"


def _of_end(last: Stage, ended: Stage | None, result: str) -> Iterator[str]:
    """Describe a result that contradicts the end of the game."""
    if last.end is None or ended is None or ended.number < last.number:
        return
    expected = classical_result(last.accrued.outcome)
    if result not in (expected, _UNKNOWN):
        yield f'Result says "{result}", but the moves end in {last.end.value}: {expected}'


def _of_scores(tags: Mapping[str, str], final: Outcome, scoring: Scoring) -> Iterator[str]:
    """Describe a score that contradicts the moves, and points that contradict the score."""
    if GAME_TAG in tags:  # decided under a game that the moves alone do not tell
        return
    known = read_tags(tags)
    if known.outcome is not None and tags.get("RMobilitySource") == _TABLEBASE:
        final = known.outcome
    if known.outcome not in (final, None):
        yield f'RMobilityResult says "{known.outcome}", but the game is worth {final}'
    if known.points is None:
        return
    points = scoring.points(final)
    written = format_points(points, scoring.scheme)
    if known.points not in (points, parse_points(written)):
        yield f'Points say "{tags["Points"]}", but {final} is {written} ({scoring.scheme.value})'


def _of_fen(tags: Mapping[str, str]) -> Iterator[str]:
    """Describe two accrued scores that differ, in the FEN and in the tag."""
    try:
        _, in_fen = parse_fen(tags["FEN"])
    except TbgenError:
        return
    accrued = read_tags(tags).accrued
    if in_fen not in (accrued, None):
        yield f'FEN says that {in_fen} has accrued, RMobilityAccrued says "{accrued}"'
