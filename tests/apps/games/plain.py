"""Games as a slow witness finds them: cut by regular expressions, played move by move by python-chess."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tbgen.apps.games.game import GameSettings, PgnGame, contradictions, root_of
from tbgen.apps.games.tags import read_tags
from tbgen.errors import MoveError, PgnError, TbgenError, UsageError
from tbgen.rules.game import Game
from tests.reference.pgn import BinaryFileError, Movetext, movetexts


def games_in(lines: Iterable[str], name: str, settings: GameSettings | None = None) -> Iterator[PgnGame | PgnError]:
    """Every game of some lines, or the error that is in its place; no game at all is raised."""
    number = 0
    try:
        for number, movetext in enumerate(movetexts(lines), start=1):
            try:
                yield _played(movetext, number, settings or GameSettings())
            except MoveError as error:
                yield PgnError(name, error.said, game=number, ply=error.ply)
            except TbgenError as error:
                yield PgnError(name, str(error), game=number)
    except BinaryFileError:
        raise PgnError(name, "this is a binary file, not PGN") from None
    if number == 0:
        raise PgnError(name, "it holds no games")


def _played(movetext: Movetext, number: int, settings: GameSettings) -> PgnGame:
    tags = movetext.tags
    known = read_tags(tags)
    board, accrued = root_of(tags, known)
    game = Game(board, accrued=accrued, fifty_moves=settings.fifty_moves_of(known))
    for move in movetext.moves:
        game.push_text(move)
    if movetext.problem is not None:
        raise UsageError(movetext.problem)
    result = tags.get("Result", movetext.result or "*")
    last, ended = game.stage, game.ended_stage
    warnings = tuple(contradictions(tags, movetext.result, last, ended, GameSettings().scoring(known)))
    scoring, men = settings.scoring(known), game.board.occupied.bit_count()
    return PgnGame(
        number, tags, result, last, ended, scoring, game.fifty_moves, warnings, men, game.position, lambda: game
    )
