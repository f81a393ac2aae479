"""Who plays whom: the games of a tournament, and the schedules that are known at once.

>>> plan = Tournament(players=3, games=2)
>>> for pairing in whole_schedule(plan, {}, everyone_with_everyone(plan.players)).values():
...     print(pairing.number, pairing.round, pairing.white, pairing.black, pairing.opening)
1 1 0 1 0
2 1 1 0 0
3 1 2 0 1
4 1 0 2 1
5 1 1 2 2
6 1 2 1 2
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from tbgen.apps.games.event_game import EventGame
from tbgen.apps.match.settings import Tournament
from tbgen.errors import UsageError

MOST_GAMES = 1_000_000
"""The longest match: years of play."""


class Pairing(NamedTuple):
    """A game to be played; players and openings are numbers from 0, games and rounds from 1.

    The two games of a `pair` are between the same players, one after the other. Without Black it is
    a bye.
    """

    number: int
    round: int
    white: int
    black: int | None
    opening: int
    pair: int


Results = Mapping[int, EventGame]
"""Number -> the game. Formats that make the whole schedule at once look at the count alone."""


MatchStage = dict[int, Pairing]
"""Number -> the game, of games that are known at once; empty when the tournament is over."""


def everyone_with_everyone(players: int) -> Iterator[tuple[int, int]]:
    """The pairs of a round robin, by the circle method.

    Players sit at two sides of a table, opposite of those they meet. The first seat is fixed, and
    after each turn the others move on by one. With an odd number nobody sits on the fixed seat.
    """
    table: list[int | None] = list(range(players))
    if players % 2:
        table.insert(0, None)
    half = len(table) // 2
    for turn in range(len(table) - 1):
        opposite = reversed(table[half:])
        for seat, (first, second) in enumerate(zip(table[:half], opposite, strict=True)):
            if first is None or second is None:
                continue
            # The player on the fixed seat has White in every other turn.
            if seat == 0 and turn % 2:
                yield second, first
            else:
                yield first, second
        table = [table[0], table[-1], *table[1:-1]]


def seeds_with_others(players: int, seeds: int) -> Iterator[tuple[int, int]]:
    """The pairs of a gauntlet."""
    for other in range(seeds, players):
        for seed in range(seeds):
            yield seed, other


def everyone_with_those_before(players: int) -> Iterator[tuple[int, int]]:
    """The pairs of a pyramid."""
    for player in range(players):
        for other in range(player):
            yield player, other


def whole_schedule(
    plan: Tournament, results: Results, pairs: Iterable[tuple[int, int]]
) -> MatchStage:
    """The only stage of a tournament whose encounters repeat in every round."""
    encounters = list(islice(pairs, MOST_GAMES + 1))
    total = len(encounters) * plan.rounds * plan.games
    if total > MOST_GAMES:
        raise UsageError(f"{total:,} games are too long a match; {MOST_GAMES:,} is the most")
    stage = MatchStage()
    openings = [0] * len(encounters)
    """The opening that the players of each encounter have at the moment."""
    fresh = 0
    for round_ in range(plan.rounds):
        for encounter, players in enumerate(encounters):
            for game in range(plan.games):
                played = round_ * plan.games + game  # between these players
                if played % plan.repeat == 0:
                    openings[encounter] = fresh
                    fresh += 1
                number = len(stage) + 1
                white, black = in_colours(plan, players, played)
                pair = played // 2 * len(encounters) + encounter
                stage[number] = Pairing(number, round_ + 1, white, black, openings[encounter], pair)
    return {} if len(results) >= len(stage) else stage


def in_colours(plan: Tournament, pair: tuple[int, int], game: int) -> tuple[int, int]:
    """White and Black of a game, numbered from 0 within those of a pair."""
    first, second = pair
    return (second, first) if plan.swap and game % 2 else (first, second)


def deal(
    plan: Tournament,
    before: Sequence[Pairing],
    round_: int,
    pairs: Sequence[tuple[int, int | None]],
    games: range,
) -> list[list[Pairing]]:
    """The games of a round's pairs, which follow those before; each pair has openings of its own.

    `games` are numbered within their encounter.
    """
    number = len(before)
    opening = max((pairing.opening for pairing in before if pairing.black is not None), default=-1)
    encounters = list[list[Pairing]]()
    for first, second in pairs:
        first_opening = opening + 1
        encounter = list[Pairing]()
        for place, game in enumerate(games):
            number += 1
            white = first
            black = second
            if second is not None:
                white, black = in_colours(plan, (first, second), game)
            taken = first_opening + place // plan.repeat
            if second is not None:
                opening = taken
            pair = number - place % 2
            encounter.append(Pairing(number, round_, white, black, taken, pair))
        encounters.append(encounter)
    return encounters


def unplayed(encounters: Iterable[Iterable[Pairing]], results: Results) -> MatchStage:
    """The games of a round as a stage, unless all of them have been played."""
    stage = MatchStage()
    for encounter in encounters:
        for pairing in encounter:
            stage[pairing.number] = pairing
    return {} if results.keys() >= stage.keys() else stage
