"""What may be wrong with the games of an event, in sentences: it is counted as it is written."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from pathlib import Path

from tbgen.apps.events.players import PlayerRow
from tbgen.apps.events.standings import Standings, names_of_events
from tbgen.apps.games.event_game import EventGame
from tbgen.apps.games.results import UNFINISHED
from tbgen.text import counted


def doubts_of(standings: Standings, entered: Collection[str] = ()) -> Iterator[str]:
    """What may be wrong: several events, games that stand twice, or names that do not stand for one
    player.

    The names of `entered` stand for players, even if they have made no move.
    """
    yield from _mixtures(standings.finished)
    yield from _repeats(standings.listed)
    yield from _names_alike(standings.indices)
    have_moves = any(game.plies for game in standings.finished)
    nameless = 0
    for game in standings.finished:
        names = [name.strip() for name in game.players]
        if "" in names or "?" in names:
            nameless += 1
    if nameless:
        yield f"{counted(nameless, 'game names', 'games name')} no player as White or Black"
    for row in standings.rows:
        if row.name.strip() in ("", "?"):
            continue
        if row.name in row.met:
            games = counted(len(row.met[row.name]) // 2, "game", "games")
            yield f'{games} of "{row.name}" against the same player'
        if have_moves and row.name not in entered and _may_be_nobody(row, standings.indices):
            yield (
                f'"{row.name}" has no game with moves; if it stands for no opponent, write "bye"'
            )


def _may_be_nobody(row: PlayerRow, indices: Mapping[str, int]) -> bool:
    """Whether a name may stand for no opponent: it got points from players without a move."""
    return bool(row.opponents(indices)) and row.classical > 0 and not row.has_moved


def _mixtures(games: Iterable[EventGame]) -> Iterator[str]:
    """Several events or matches that are ranked as one."""
    events = {game.event for game in games}
    matches = {game.tags["MatchId"] for game in games if "MatchId" in game.tags}
    if len(events) > 1:
        names = names_of_events(games)
        yield f"{len(events)} events are ranked as one: {names}; choose one with --event NAME"
    elif len(matches) > 1:
        yield f"the games of {len(matches)} matches are ranked as one event"


def _names_alike(names: Iterable[str]) -> Iterator[str]:
    """Names that only spaces, case or composed letters tell apart."""
    alike: dict[str, list[str]] = {}
    for name in sorted(names):
        plain = " ".join(unicodedata.normalize("NFKC", name).casefold().split())
        alike.setdefault(plain, []).append(name)
    for same in alike.values():
        if len(same) > 1:
            quoted = " and ".join(f'"{name}"' for name in same)
            yield (
                f"{quoted} are {len(same)} players here; "
                "only spaces, case or composed letters tell them apart"
            )


def _repeats(games: Iterable[EventGame]) -> Iterator[str]:
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
    tags = tuple(sorted(game.tags.items()))
    last = game.accrued, game.end, game.men
    return game.players, game.result, game.final, game.plies, tags, last


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
    if not first.file or not again.file:
        return ""
    if first.file == again.file:
        return f", games {first.number} and {again.number}"
    files = (Path(first.file).name, Path(again.file).name)
    return f", game {first.number} of {files[0]} and game {again.number} of {files[1]}"
