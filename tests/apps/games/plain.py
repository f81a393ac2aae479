"""Games as a slow witness finds them, and as tbgen reads them.

The witness uses regular expressions and python-chess.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator

import chess.pgn

from tbgen.apps.games import read
from tbgen.apps.games.contradictions import contradictions
from tbgen.apps.games.read import PgnGame, game_of
from tbgen.apps.games.results import result_of
from tbgen.apps.games.rules import Rules
from tbgen.apps.games.tags import read_tags, root_of
from tbgen.apps.games.text import chunks_of
from tbgen.errors import MoveError, PgnError, TbgenError, UsageError
from tbgen.rules.game import Game
from tests.reference.pgn import Movetext, movetexts


def games_in(
    lines: Iterable[str], name: str, settings: Rules | None = None
) -> Iterator[PgnGame | PgnError]:
    """Every game of some lines, or the error that is in its place; no game at all is raised."""
    number = 0
    for number, movetext in enumerate(movetexts(lines), start=1):
        try:
            yield _played(movetext, name, number, settings or Rules())
        except MoveError as error:
            yield PgnError(name, error.said, number=number, ply=error.ply)
        except TbgenError as error:
            yield PgnError(name, str(error), number=number)
    if number == 0:
        raise PgnError(name, "it holds no games")


def _played(movetext: Movetext, name: str, number: int, settings: Rules) -> PgnGame:
    tags = movetext.tags
    known = read_tags(tags)
    result = result_of(tags, movetext.result)
    board, accrued = root_of(tags.get("FEN"), tags.get("Variant"), known.accrued)
    game = Game(board, accrued=accrued, fifty_moves=settings.fifty(known))
    for move in movetext.moves:
        game.push_text(move)
    if movetext.problem is not None:
        raise UsageError(movetext.problem)
    last, ended = game.last, game.ended
    warnings = tuple(contradictions(tags, known, movetext.result, last, ended))
    scoring = settings.scoring(known)
    last = last._replace(move=None, san="")
    return PgnGame(
        name,
        number,
        tags,
        result,
        last,
        scoring,
        game.fifty_moves,
        warnings,
        game.position,
        lambda: game,
    )


def only_game(text: str, settings: Rules | None = None) -> PgnGame:
    """The only game of a text, as tbgen reads it."""
    (game,) = read.games_in(text.splitlines(keepends=True), "test.pgn", settings)
    assert isinstance(game, PgnGame), game
    return game


def their_game(text: str) -> chess.pgn.Game:
    """The first game of a text, as python-chess reads it without complaint."""
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert game.errors == []
    return game


def plain(text: bytes, settings: Rules | None = None) -> list[PgnGame | PgnError]:
    """The games that the witness finds, and the error that the text as a whole ends with."""
    file = io.StringIO(text.decode("utf-8", "tbgen-latin-1"), newline=None)
    return _to_the_end(games_in(file, "test.pgn", settings))


def pieces_of(text: bytes, size: int) -> list[bytes]:
    return [text[start : start + size] for start in range(0, len(text), size)]


def compiled(
    text: bytes, settings: Rules | None = None, chunk_bytes: int = 1 << 20
) -> list[PgnGame | PgnError]:
    """The games that tbgen finds, and the error that the text as a whole ends with."""
    chunks = chunks_of(pieces_of(text, chunk_bytes), "test.pgn")
    return _to_the_end(
        game_of(game, "test.pgn", settings or Rules()) for chunk in chunks for game in chunk.games
    )


def _to_the_end(games: Iterable[PgnGame | PgnError]) -> list[PgnGame | PgnError]:
    found: list[PgnGame | PgnError] = []
    try:
        found.extend(games)
    except PgnError as error:
        found.append(error)
    return found


def assert_same(
    slow: list[PgnGame | PgnError], fast: list[PgnGame | PgnError], text: object
) -> None:
    """Every game and every error alike, down to the plies."""
    assert len(slow) == len(fast), text
    for theirs, ours in zip(slow, fast, strict=True):
        assert type(theirs) is type(ours), (text, theirs, ours)
        if isinstance(theirs, PgnError) or isinstance(ours, PgnError):
            assert str(theirs) == str(ours), text
            assert vars(theirs) == vars(ours), text
        else:
            assert theirs == ours, text
            assert theirs.facts() == ours.facts(), text
