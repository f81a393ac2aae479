"""Games that stand more than once in the files of an event, in sentences."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from pathlib import Path

from tbgen.apps.games.event_game import EventGame
from tbgen.apps.games.results import UNFINISHED
from tbgen.text import counted


def repeats(games: Iterable[EventGame]) -> Iterator[str]:
    """What stands twice: games that count twice, and pairings that have been played since."""
    first_of: dict[Hashable, EventGame] = {}
    repeated = list[tuple[EventGame, EventGame]]()
    pairings: dict[Hashable, EventGame] = {}
    played = set[Hashable]()
    for game in games:
        if _is_pairing(game):
            pairings[_pairing_of(game)] = game
            continue
        played.add(_pairing_of(game))
        # A bye of two games has two games that look alike.
        if game.is_bye or not _is_known(game):
            continue
        first = first_of.setdefault(_identity_of(game), game)
        if first is not game:
            repeated.append((first, game))
    if repeated:
        yield _twice(repeated)
    left_over = [pairings[pairing] for pairing in pairings if pairing in played]
    if left_over:
        yield _left_over(left_over)


def _is_pairing(game: EventGame) -> bool:
    """Whether this is a game of a round, still to be filled in."""
    return game.result == UNFINISHED and not game.plies and bool(game.round_name)


def _pairing_of(game: EventGame) -> Hashable:
    return game.tags.get("Round"), game.players


def _is_known(game: EventGame) -> bool:
    """Whether the file tells the game from others: by its moves, or by its round."""
    return game.fault is None and (game.plies > 0 or bool(game.round_name))


def _identity_of(game: EventGame) -> Hashable:
    """Everything that standings know of a game but its place in the files."""
    course = None
    if game.course is not None:
        course = game.course._replace(file="", number=0)
    tags = tuple(sorted(game.tags.items()))
    return game.players, game.result, game.final, game.plies, tags, course


def _twice(repeated: list[tuple[EventGame, EventGame]]) -> str:
    first, again = repeated[0]
    example = f"{_name_of(first)}{_places_of(first, again)}"
    if len(repeated) == 1:
        return f"{example}, stands twice and counts twice"
    return (
        f"{counted(len(repeated), 'game', 'games')} stand twice and count twice, such as {example}"
    )


def _left_over(pairings: list[EventGame]) -> str:
    example = _name_of(pairings[0])
    if len(pairings) == 1:
        return f"{example}, has a result, and stands without one, too"
    games = counted(len(pairings), "game", "games")
    return f"{games} have results, and stand without one, too, such as {example}"


def _name_of(game: EventGame) -> str:
    white, black = game.players
    number = game.tags.get("Round", "?")
    return f'"{white}" - "{black}"' + (f", round {number}" if game.round_name else "")


def _places_of(first: EventGame, again: EventGame) -> str:
    """Where two games stand; empty without files."""
    if first.course is None or again.course is None:
        return ""
    places = (first.course.number, again.course.number)
    if first.course.file == again.course.file:
        return f", games {places[0]} and {places[1]}"
    files = (Path(first.course.file).name, Path(again.course.file).name)
    return f", game {places[0]} of {files[0]} and game {places[1]} of {files[1]}"
