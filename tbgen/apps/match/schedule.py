"""The schedule of a match: pairings in order, with colours and openings.

>>> for pairing in schedule(Tournament(players=3, games=2)):
...     print(pairing.number, pairing.round, pairing.white, pairing.black, pairing.opening)
1 1 1 2 0
2 1 2 1 0
3 1 2 0 1
4 1 0 2 1
5 1 0 1 2
6 1 1 0 2
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from tbgen.errors import UsageError

MOST_GAMES = 1_000_000
"""The longest schedule: about half a gigabyte, and years of play."""


class Format(enum.Enum):
    """The kind of tournament."""

    ROUND_ROBIN = "round-robin"
    """Everyone plays everyone."""
    GAUNTLET = "gauntlet"
    """The seeds, by default the first engine, play all others."""
    PYRAMID = "pyramid"
    """Every engine plays all engines before it."""
    KNOCKOUT = "knockout"
    """The winners of a round meet in the next."""


class Policy(enum.Enum):
    """When the next opening is taken."""

    DEFAULT = "default"
    """When an opening has been repeated often enough."""
    ENCOUNTER = "encounter"
    """When other players meet."""
    ROUND = "round"
    """When a new round begins."""


@dataclass(frozen=True, slots=True)
class Tournament:
    """The shape of a schedule; `games` counts those of an encounter in a round."""

    players: int
    games: int = 2
    rounds: int = 1
    repeat: int = 2
    format: Format = Format.ROUND_ROBIN
    seeds: int = 1
    swap: bool = True
    policy: Policy = Policy.DEFAULT


@dataclass(frozen=True, slots=True)
class Pairing:
    """A game to be played; players and openings are numbers from 0, games and rounds from 1.

    The two games of a `pair` are between the same players, one after the other.
    """

    number: int
    round: int
    white: int
    black: int
    opening: int
    pair: int


def schedule(plan: Tournament) -> list[Pairing]:
    """Every game of a match; of a knockout none, for its games follow from each other."""
    if plan.players < 2:
        raise UsageError("a match needs two engines; give -engine twice")
    pairings: list[Pairing] = []
    if plan.format is Format.KNOCKOUT:
        return pairings
    pairs: dict[tuple[int, int], int] = {}
    openings: dict[tuple[int, int], int] = {}
    encounters = _encounters(plan)
    total = len(encounters) * plan.rounds * plan.games
    if total > MOST_GAMES:
        raise UsageError(f"a match of {total:,} games is too long; {MOST_GAMES:,} is the most")
    for number in range(1, plan.rounds + 1):
        for meeting, (first, second) in enumerate(encounters):
            for game in range((number - 1) * plan.games, number * plan.games):
                white, black = (second, first) if plan.swap and game % 2 else (first, second)
                pair = pairs.setdefault((meeting, game // 2), len(pairs))
                opening = openings.setdefault(_opening_key(plan, number, meeting, game), len(openings))
                pairings.append(Pairing(len(pairings) + 1, number, white, black, opening, pair))
    return pairings


def _opening_key(plan: Tournament, number: int, meeting: int, game: int) -> tuple[int, int]:
    """Games with equal keys have the same opening."""
    match plan.policy:
        case Policy.ROUND:
            return number, 0
        case Policy.ENCOUNTER:
            return number, meeting
        case Policy.DEFAULT:
            return meeting, game // plan.repeat


def openings_needed(pairings: Sequence[Pairing]) -> int:
    """How many openings a schedule goes through."""
    return max((pairing.opening for pairing in pairings), default=-1) + 1


def _encounters(plan: Tournament) -> list[tuple[int, int]]:
    """Pairs of players, in an order that lets each of them rest."""
    if plan.format is Format.GAUNTLET:
        if not 1 <= plan.seeds < plan.players:
            raise UsageError(f"-seeds {plan.seeds} leaves no gauntlet with {plan.players} engines")
        return [(seed, other) for other in range(plan.seeds, plan.players) for seed in range(plan.seeds)]
    if plan.format is Format.PYRAMID:
        return [(player, other) for player in range(1, plan.players) for other in range(player)]
    return _round_robin(plan.players)


def _round_robin(players: int) -> list[tuple[int, int]]:
    """The circle method: the first player keeps its seat and the others move on by one."""
    seats: list[int | None] = [*range(players), *([None] if players % 2 else [])]
    encounters = []
    for turn in range(len(seats) - 1):
        for place in range(len(seats) // 2):
            first, second = seats[place], seats[-1 - place]
            if first is None or second is None:
                continue
            encounters.append((second, first) if place == 0 and turn % 2 else (first, second))
        seats = [seats[0], seats[-1], *seats[1:-1]]
    return encounters
