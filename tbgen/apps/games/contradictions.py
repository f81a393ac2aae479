"""Contradictions between the tags of a game and its moves, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from tbgen.apps.games.results import UNFINISHED, classical_result, final_of, result_of, winner_of
from tbgen.apps.games.rules import Rules
from tbgen.apps.games.tags import GAME_TAG, GameTags, Source, read_tags
from tbgen.errors import TbgenError
from tbgen.rules.notation import parse_fen
from tbgen.rules.points import format_points, parse_points
from tbgen.rules.position import material_of
from tbgen.rules.stage import ON_THE_BOARD, End, Ply
from tbgen.score import Score
from tbgen.text import counted

if TYPE_CHECKING:
    from tbgen.apps.games.read import PgnGame


def contradictions(
    tags: Mapping[str, str], known: GameTags, written: str | None, last: Ply, ended: Ply | None
) -> Iterator[str]:
    """Describe every contradiction in one line.

    `known` are the r-mobility tags, `written` is the result after the moves, `ended` the first ply
    at which the game was over.
    """
    result = result_of(tags, written)
    if written not in (result, None):
        yield f'the tag Result says "{result}", the end of the moves "{written}"'
    yield from moves_after_the_end(last, ended)
    if last.end is not None and last == ended:
        expected = classical_result(last.accrued)
        if result not in (expected, UNFINISHED):
            yield f'Result says "{result}", but the moves end in {last.end.value}: {expected}'
    overruled = overruled_decision(tags, known, result, last)
    if overruled is not None:
        yield overruled
    elif GAME_TAG not in tags:
        yield from _of_scores(tags, known, final_of(last, result), last.end)
    if known.accrued is not None and "FEN" in tags:
        # A FEN of Chess960 says nothing of this.
        with suppress(TbgenError):
            _, in_fen = parse_fen(tags["FEN"])
            if in_fen not in (known.accrued, None):
                yield f'FEN says that {in_fen} has accrued, RMobilityAccrued says "{known.accrued}"'


def overruled_decision(
    tags: Mapping[str, str], known: GameTags, result: str, last: Ply
) -> str | None:
    """Describe the decision in the tags of a game whose result allows no such decision.

    Somebody has corrected the result since, so the decision no longer counts. None without one.
    """
    if known.outcome is None or last.end in ON_THE_BOARD:
        return None
    final = final_of(last, result)
    if winner_of(result) is None:
        is_overruled = tags.get("RMobilitySource") == Source.RESULT.value
    else:
        is_overruled = known.outcome != final
    return _of_outcome(known.outcome, final) if is_overruled else None


def _of_outcome(outcome: Score, final: Score) -> str:
    return f'RMobilityResult says "{outcome}", but the game is worth {final}'


def moves_after_the_end(last: Ply, ended: Ply | None) -> Iterator[str]:
    """Describe moves after the end of the game, if there are any."""
    if ended is not None and ended.end is not None and ended.number < last.number:
        plies = counted(last.number - ended.number, "more ply follows", "more plies follow")
        yield f"the game was over at ply {ended.number} ({ended.end.value}); {plies}"


def _of_scores(
    tags: Mapping[str, str], known: GameTags, final: Score, end: End | None
) -> Iterator[str]:
    """Describe a score that contradicts the moves, and points that contradict the score under its
    own scheme.
    """
    is_continued = tags.get("RMobilitySource") in (Source.TABLEBASE.value, Source.SOLVED.value)
    if known.outcome is not None and is_continued and end not in ON_THE_BOARD:
        final = known.outcome  # best play reaches it, and the game need not
    if known.outcome is not None and known.outcome != final:
        yield _of_outcome(known.outcome, final)
    yield from _of_points(tags, known, final)


def _of_points(tags: Mapping[str, str], known: GameTags, final: Score) -> Iterator[str]:
    """Describe points that are not those of a score under the scheme in the tags."""
    if known.points is None:
        return
    scoring = Rules().scoring(known)
    points = scoring.points(final)
    written = format_points(points, scoring.scheme)
    if known.points not in (points, parse_points(written)):
        scheme = scoring.scheme.value
        yield f'Points say "{tags["Points"]}", but {final} is {written} ({scheme})'


def contradiction_in(game: PgnGame, written: str | None) -> str | None:
    """What a file says of the result in two ways; `written` is the result behind the moves."""
    said = list[str]()
    has_two_results = written not in (game.result, None)
    if game.warnings and (has_two_results or game.last.end in ON_THE_BOARD):
        said.append(game.warnings[0])
    known = read_tags(game.tags)
    overruled = overruled_decision(game.tags, known, game.result, game.last)
    if overruled is not None:
        said.append(overruled)
    elif game.last.end not in ON_THE_BOARD:
        said.extend(_of_other_moves(game, known))
    return "; ".join(said) or None


def _of_other_moves(game: PgnGame, known: GameTags) -> Iterator[str]:
    """Describe a decision in the tags that is not of these moves: somebody has corrected them."""
    source = game.tags.get("RMobilitySource")
    if source == Source.GAME.value and known.outcome not in (game.last.accrued, None):
        yield f"{_of_outcome(known.outcome, game.last.accrued)}; adjudicate it again"
    if source == Source.TABLEBASE.value:
        table = game.tags.get("RMobilityTablebase", "").partition(" ")[0]
        men_of_table = table.partition(".")[0]  # a table of pairs has more behind them
        with suppress(TbgenError):  # boards of variants have no material
            men = str(material_of(game.position()).canonical())
            if men_of_table not in (men, ""):
                yield f"{table} decided it, but the moves end with {men}; adjudicate it again"
    if known.outcome is not None:
        for told in _of_points(game.tags, known, known.outcome):
            yield f"{told}; adjudicate it again"
