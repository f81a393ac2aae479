"""The cross table of an event in the shape of `crosstable.json`, which the site of TCEC reads."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import Any

from tbgen.apps.events.endings import has_crashed
from tbgen.apps.events.players import PlayerRow, cross_table, ratings_of
from tbgen.apps.events.standings import Standings
from tbgen.apps.events.tiebreaks import sonneborn_berger
from tbgen.apps.games.event_game import EventGame
from tbgen.apps.games.results import winner_of
from tbgen.rules.points import DRAW, LOSS, WIN
from tbgen.score import Color

_ELO_FACTOR = 32
"""The change of Elo for a point above expectation, as in TCEC's referee."""
_SIGNS = {WIN: "1", DRAW: "=", LOSS: "0"}


def tcec_json(standings: Standings) -> dict[str, Any]:
    """The cross table as TCEC's site reads it."""
    neustadtl = sonneborn_berger(cross_table(standings.finished, EventGame.classical))
    ratings = ratings_of(standings.finished)
    numbers = {id(game): number for number, game in enumerate(standings.finished, 1)}
    abbreviations = list[str]()
    table: dict[str, dict[str, Any]] = {}
    for row in standings.rows:
        abbreviation = _abbreviation(row.name, abbreviations)
        abbreviations.append(abbreviation)
        results = {}
        for opponent in standings.indices:
            if opponent != row.name:
                results[opponent] = _meetings(row, opponent, numbers)
        table[row.name] = {
            "Abbreviation": abbreviation,
            "Neustadtl": float(neustadtl[row.name]),
            "Performance": float(100 * row.classical / (row.games + row.byes)),
            "RMobilityScore": float(row.points),
            "Rank": row.rank,
            "Rating": ratings[row.name],
            "Results": results,
            "Score": float(row.classical),
            **_counts_of(row, standings, ratings),
        }
    return {"Event": standings.event, "Order": list(standings.indices), "Table": table}


def _counts_of(
    row: PlayerRow, standings: Standings, ratings: Mapping[str, int]
) -> dict[str, float | int]:
    """What is counted in the games of a player."""
    games = list[tuple[EventGame, Color]]()
    for opponent in row.opponents(standings.indices):
        games += row.met[opponent]
    games_as = Counter[Color]()
    counts = Counter[tuple[Color, Fraction]]()
    gains = list[float]()
    strikes = 0
    for game, side in games:
        games_as[side] += 1
        counts[side, game.classical(side)] += 1
        gains.append(_gain(row.name, game, side, ratings))
        strikes += has_crashed(game, side)
    return {
        "Elo": _ELO_FACTOR * math.fsum(gains),
        "Games": len(games),
        "GamesAsWhite": games_as[Color.WHITE],
        "GamesAsBlack": games_as[Color.BLACK],
        "WinsAsWhite": counts[Color.WHITE, WIN],
        "WinsAsBlack": counts[Color.BLACK, WIN],
        "LossAsWhite": counts[Color.WHITE, LOSS],
        "LossAsBlack": counts[Color.BLACK, LOSS],
        "Strikes": strikes,
    }


def _gain(name: str, game: EventGame, side: Color, ratings: Mapping[str, int]) -> float:
    """A player's points above expectation; 0 unless both players are rated."""
    if not all(ratings[player] for player in game.players):
        return 0.0
    difference = ratings[game.players[side.other]] - ratings[name]
    expected = 1 / (1 + 10 ** (difference / 400))
    return float(game.classical(side)) - expected


def _meetings(row: PlayerRow, opponent: str, numbers: Mapping[int, int]) -> dict[str, Any]:
    """A player's games against another, as the cell of a cross table of TCEC."""
    scores = []
    points = Fraction(0)
    signs = ""
    for game, side in row.met.get(opponent, []):
        result = game.classical(side)
        scores.append(
            {
                "Color": 0 if side is Color.WHITE else 1,
                "Game": numbers[id(game)],
                "Result": float(result),
                "Winner": str(winner_of(game.result) or "None"),
            }
        )
        points += result
        signs += _SIGNS[result]
    return {"H2h": float(points), "Scores": scores, "Text": signs}


def _abbreviation(name: str, taken: Collection[str]) -> str:
    """Two characters for a player in a narrow table: the first of the name, and the next one that
    is free.
    """
    for letter in name[1:] + " 0123456789":
        abbreviation = name[:1].upper() + letter.lower()
        if abbreviation not in taken:
            return abbreviation
    return name
