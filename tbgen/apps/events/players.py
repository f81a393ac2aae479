"""The players of an event: their games, sums of points, and rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain
from typing import Any

from tbgen.apps.events import tiebreaks
from tbgen.apps.events.criteria import Figure, TieBreak
from tbgen.apps.events.endings import has_crashed
from tbgen.apps.events.tiebreaks import Cell, CrossTable
from tbgen.apps.games.event_game import EventGame, is_bye
from tbgen.apps.games.results import DRAWN
from tbgen.apps.games.tags import number_in
from tbgen.facts import facts_of
from tbgen.rules.points import LOSS, lexicographic_key
from tbgen.score import MOST_CODE, STALEMATE_CODE, Color, Score

_WITHOUT_NUMBER = 0
"""The number of rounds that have none."""


@dataclass(slots=True)
class PlayerRow:
    """A player's row."""

    name: str
    most_code: int = MOST_CODE
    """The poorest score that counts; over the board none above G3.5."""
    rank: int = 0
    games: int = 0
    """Games against somebody, forfeits among them."""
    byes: int = 0
    points: Fraction = Fraction(0)
    classical: Fraction = Fraction(0)
    met: dict[str, list[tuple[EventGame, Color]]] = field(default_factory=dict)
    """Opponent -> the games, with the player's side in each."""
    figures: dict[TieBreak, Figure] = field(default_factory=dict)
    """Criterion of the cross table -> the player's value."""
    behind_by: TieBreak | None = None
    """The criterion that places the player behind the row above; None if there is none."""

    def add(self, game: EventGame, side: Color) -> None:
        """Count a game in which the player had this side."""
        if game.is_bye:
            self.byes += 1
        else:
            self.games += 1
        self.points += game.points(side)
        self.classical += game.classical(side)
        self.met.setdefault(game.players[side.other], []).append((game, side))

    def figure(self, criterion: TieBreak) -> Figure:
        """The player's value of a criterion that has one value."""
        if criterion == "classical":
            return self.classical
        if criterion == "points":
            return self.points
        return self.figures[criterion]

    @property
    def has_moved(self) -> bool:
        """Whether the player has made or seen a move in any game."""
        every_game = chain.from_iterable(self.met.values())
        return any(game.plies for game, _ in every_game)

    def points_against(self, opponent: str) -> list[Fraction]:
        """R-mobility points, game by game."""
        return [game.points(side) for game, side in self.met.get(opponent, [])]

    def net(self) -> tuple[int, ...]:
        """The net counts that the lexicographic order compares."""
        scores = list[tuple[Color, Score]]()
        for games in self.met.values():
            for game, side in games:
                if game.is_on_the_board:
                    scores.append((side, game.final))
        return lexicographic_key(scores, self.most_code)

    def opponents(self, indices: Mapping[str, int]) -> list[str]:
        """The opponents in the list, in its order, so without byes."""
        return sorted(self.met.keys() & indices.keys(), key=indices.__getitem__)

    def facts(self, indices: Mapping[str, int]) -> dict[str, Any]:
        """The line as JSON has it; `indices` has the order of all players."""
        net = {}
        for code, count in enumerate(self.net(), STALEMATE_CODE):
            if count:
                net[str(Score(code, Color.WHITE))] = count
        against = {}
        for opponent in self.opponents(indices):
            against[opponent] = [str(points) for points in self.points_against(opponent)]
        return facts_of(
            self,
            "rank",
            "name",
            "games",
            "byes",
            "classical",
            "points",
            points_exact=str(self.points),
            net=net,
            behind_by=self.behind_by,
            tiebreaks=self.figures,
            against=against,
        )


def no_players(games: Iterable[EventGame]) -> set[str]:
    """The names that stand for no opponent: usual ones, in games without moves alone."""
    byes = set()
    movers = set()
    for game in games:
        for name in game.players:
            if game.plies:
                movers.add(name)
            elif is_bye(name):
                byes.add(name)
    return byes - movers


def cross_table(
    games: Sequence[EventGame],
    points: Callable[[EventGame, Color], Fraction],
    *,
    is_over: bool = False,
) -> CrossTable:
    """The cells of all players, round by round.

    A game against no opponent is a bye. A game without moves that is not drawn is a forfeit, if
    other games have moves. A player without a game in a numbered round was absent. The last round
    may still be running, until the event `is_over`. Rounds without a number, such as a play-off,
    follow the others, and nobody is absent from them.
    """
    byes = no_players(games)
    have_moves = any(game.plies for game in games)
    numbers = sorted({game.round_number for game in games} - {_WITHOUT_NUMBER})
    rounds: dict[str, dict[int, list[Cell[str]]]] = {}
    for game in games:
        is_forfeit = have_moves and not game.plies and game.result != DRAWN
        for side in Color:
            name = game.players[side]
            opponent = game.players[side.other]
            cell = Cell(
                None if opponent in byes else opponent,
                points(game, side),
                is_played=not is_forfeit and opponent not in byes,
                side=side,
                moves=(game.plies + 1) // 2,
                is_crash=has_crashed(game, side),
            )
            rounds.setdefault(name, {}).setdefault(game.round_number, []).append(cell)
    table = {}
    for name, played in rounds.items():
        if name not in byes:
            table[name] = _cells_of(played, numbers, is_over=is_over)
    return tiebreaks.settled(table)


def _cells_of(
    played: Mapping[int, list[Cell[str]]], numbers: Sequence[int], *, is_over: bool
) -> list[Cell[str]]:
    """The cells of a player with those of missed rounds.

    Who missed the last round but one, too, has left: the last round counts as missed then.
    """
    has_left = len(numbers) > 1 and numbers[-2] not in played
    cells = list[Cell[str]]()
    for number in numbers:
        if number in played:
            cells.extend(played[number])
        elif is_over or has_left or number != numbers[-1]:
            cells.append(Cell(None, LOSS, is_played=False))
    cells.extend(played.get(_WITHOUT_NUMBER, []))
    return cells


def rows_of(games: Iterable[EventGame], most_code: int) -> dict[str, PlayerRow]:
    """Name -> the games and points, not ranked yet; scores count up to a code."""
    rows = dict[str, PlayerRow]()
    for game in games:
        for side in Color:
            name = game.players[side]
            rows.setdefault(name, PlayerRow(name, most_code)).add(game, side)
    return rows


def ratings_of(games: Iterable[EventGame]) -> dict[str, int]:
    """The players' ratings by the last rounds that have one; 0 without any."""
    ratings = dict[str, int]()
    for game in sorted(games, key=lambda game: game.round_number):
        for side in Color:
            rating = number_in(game.tags.get(f"{side}Elo", ""))
            name = game.players[side]
            ratings[name] = rating or ratings.get(name, 0)
    return ratings
