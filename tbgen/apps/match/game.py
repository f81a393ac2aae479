"""One game: the rules decide here when and why it ends; `engine` tells the faults of engines."""

from __future__ import annotations

from collections.abc import Callable

from tbgen.apps.games.tags import Source
from tbgen.apps.match.engine import EngineProcess, ForfeitError
from tbgen.apps.match.sheet import ADJUDICATION, NORMAL, Ending, Sheet
from tbgen.apps.match.tables import Tables
from tbgen.score import MATE_CODE, Color, Score

_MATE_CENTIPAWNS = 1_000_000
"""The evaluation of a mate, beyond all others."""


async def play(
    sheet: Sheet,
    players: tuple[EngineProcess, EngineProcess],
    tables: Tables,
    on_move: Callable[[Sheet], None],
) -> Ending:
    """Play a game to its end, calling `on_move` after each move.

    An engine that forfeits loses with G0.0.
    """
    while True:
        ending = await _ending_of(sheet, tables)
        if ending is not None:
            return ending
        side = Color.of(sheet.game.board.turn)
        clock = sheet.clocks[side]
        other_clock = sheet.clocks[side.other]
        try:
            answer = await players[side].think(sheet.game.board, clock, other_clock)
        except ForfeitError as error:
            return forfeited(side, error)
        ply = sheet.game.push(answer.move)
        sheet.answers[ply.number] = answer
        on_move(sheet)


async def _ending_of(sheet: Sheet, tables: Tables) -> Ending | None:
    """The ending of a game in play, if it is over.

    It ends by its rules, by resignation, by tables or at the limit of moves.
    """
    game = sheet.game
    if game.last.end is not None:
        return Ending(game.accrued, Source.GAME, NORMAL, game.last.end.value)
    ending = _by_resignation(sheet)
    if ending is None and sheet.answers:  # once an engine has moved
        ending = await tables.ask(game)
    if ending is not None:
        return ending
    most_moves = sheet.rules.most_moves
    if most_moves is not None and game.last.number >= 2 * most_moves:
        return Ending(game.accrued, Source.GAME, ADJUDICATION, f"move limit of {most_moves}")
    return None


def _by_resignation(sheet: Sheet) -> Ending | None:
    """The ending if the side that has moved evaluated its last moves as lost."""
    rule = sheet.rules.resign
    if rule is None:
        return None
    own = list(sheet.answers.values())[::-2][: rule.moves]
    for answer in own:
        score = answer.evaluation.score
        if score is None or score.score(mate_score=_MATE_CENTIPAWNS) > -rule.centipawns:
            return None
    if len(own) < rule.moves:
        return None
    return _resignation_of(Color.of(sheet.game.board.turn).other)


def _resignation_of(loser: Color) -> Ending:
    outcome = Score(MATE_CODE, loser.other)
    return Ending(outcome, Source.RESULT, ADJUDICATION, f"{loser} resigns")


def forfeited(side: Color, error: ForfeitError) -> Ending:
    """The ending of a game that `side` forfeits: the other side wins with G0.0."""
    outcome = Score(MATE_CODE, side.other)
    return Ending(outcome, Source.RESULT, error.fault.value, f"{side} {error.details}")
