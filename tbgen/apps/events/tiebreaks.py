"""Ranking by criteria in order, and tie-breaks as functions on a cross table.

Unplayed games count as FIDE's regulations C.07 (August 2024) say.

>>> won, lost = Cell("Bob", WIN), Cell("Ann", Fraction(0))
>>> table = {"Ann": [won, Cell("Cid", DRAW)], "Bob": [lost], "Cid": [Cell("Ann", DRAW)]}
>>> sonneborn_berger(table)["Ann"]
Fraction(1, 4)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any, Generic, NamedTuple, TypeVar

from tbgen.rules.points import DRAW, WIN
from tbgen.score import Color

_NONE = Fraction(0)

Entrant = TypeVar("Entrant")
Criterion = Callable[[list[Entrant]], list[list[Entrant]]]
"""Splits players who are equal so far into groups, the best first."""


def ranking(
    players: Iterable[Entrant], criteria: Iterable[Criterion[Entrant]]
) -> list[list[Entrant]]:
    """Groups of players who are equal by every criterion, best first; within a group they keep
    their order.

    >>> ranking(["Ann", "Bob", "Cid"], [by_value({"Ann": 1, "Bob": 2, "Cid": 2})])
    [['Bob', 'Cid'], ['Ann']]
    """
    groups = [list(players)]
    for criterion in criteria:
        groups = split(groups, criterion)
    return groups


def split(groups: Iterable[list[Entrant]], criterion: Criterion[Entrant]) -> list[list[Entrant]]:
    """The groups after one more criterion, best first."""
    parts = list[list[Entrant]]()
    for group in groups:
        if len(group) > 1:
            parts.extend(criterion(group))
        else:
            parts.append(group)
    return parts


def by_value(values: Mapping[Entrant, Any]) -> Criterion[Entrant]:
    """The criterion by which more is better."""

    def split(players: list[Entrant]) -> list[list[Entrant]]:
        value = values.__getitem__
        best_first = sorted(players, key=value, reverse=True)
        return [list(group) for _, group in groupby(best_first, value)]

    return split


class Cell(NamedTuple, Generic[Entrant]):
    """A game of a player, or a round without one."""

    opponent: Entrant | None
    """None for a bye."""
    points: Fraction
    is_played: bool = True
    side: Color = Color.WHITE
    moves: int = 0
    is_crash: bool = False
    """Whether the player lost because of a crash or silence."""

    @property
    def is_voluntary(self) -> bool:
        """Whether the player stayed away: a requested bye, an absence or a lost forfeit."""
        return not self.is_played and self.points < WIN


CrossTable = Mapping[str, Sequence[Cell[str]]]
"""Player -> the cells of the player's rounds, in order."""

Values = dict[str, Fraction]
"""Player -> the value of a criterion."""


def settled(table: CrossTable) -> CrossTable:
    """The table of an event.

    If all have met all, forfeits count as games and days of rest not at all.
    """
    for name, cells in table.items():
        opponents = {cell.opponent for cell in cells}
        if not table.keys() - {name} <= opponents:
            return table
    games = {}
    for name, cells in table.items():
        games[name] = [cell._replace(is_played=True) for cell in cells if cell.opponent is not None]
    return games


def scores(table: CrossTable) -> Values:
    """The points of every player."""
    values = {}
    for name, cells in table.items():
        values[name] = sum((cell.points for cell in cells), _NONE)
    return values


def wins(table: CrossTable) -> Values:
    """The rounds with the points of a win, played or not (article 7.1)."""
    values = {}
    for name, cells in table.items():
        won = [cell for cell in cells if cell.points == WIN]
        values[name] = Fraction(len(won))
    return values


def black_wins(table: CrossTable) -> Values:
    """The games that were played and won with Black (article 7.4)."""
    values = {}
    for name, cells in table.items():
        won = [cell for cell in cells if cell.is_played and cell.points == WIN]
        values[name] = Fraction(sum(cell.side is Color.BLACK for cell in won))
    return values


def crashes(table: CrossTable) -> Values:
    """The games that a player lost by crashes."""
    values = {}
    for name, cells in table.items():
        values[name] = Fraction(sum(cell.is_crash for cell in cells))
    return values


def double_wins(table: CrossTable) -> Values:
    """How often a player won two games in a row against an opponent, with either colour once."""
    values = {}
    for name, cells in table.items():
        count = 0
        for one, two in _pairs(cells):
            if one.points == two.points == WIN and one.side is not two.side:
                count += 1
        values[name] = Fraction(count)
    return values


def lengths(table: CrossTable, points: Fraction) -> dict[str, Fraction | None]:
    """The average number of moves in a player's games with so many points; None without any."""
    values = dict[str, Fraction | None]()
    for name, cells in table.items():
        moves = [cell.moves for cell in cells if cell.is_played and cell.points == points]
        values[name] = Fraction(sum(moves), len(moves)) if moves else None
    return values


def _pairs(cells: Sequence[Cell[str]]) -> Iterator[tuple[Cell[str], Cell[str]]]:
    """The first two games with each opponent, the next two, and so on."""
    against: dict[str | None, list[Cell[str]]] = {}
    for cell in cells:
        if cell.is_played:
            against.setdefault(cell.opponent, []).append(cell)
    for games in against.values():
        yield from zip(games[::2], games[1::2], strict=False)


def sonneborn_berger(table: CrossTable) -> Values:
    """The opponents' scores, each times the points against that opponent (article 9.1)."""
    values = {}
    for name, scored_cells in _scored(table).items():
        values[name] = sum((score * cell.points for score, cell in scored_cells), _NONE)
    return values


def buchholz(table: CrossTable, *, lowest: int = 0, highest: int = 0) -> Values:
    """The sum of the opponents' scores without so many of the lowest and the highest (articles 8.1
    and 14).

    Rounds that the player stayed away from are cut first (article 16.5).
    """
    values = {}
    for name, scored_cells in _scored(table).items():
        stayed_away = []
        others = []
        for score, cell in scored_cells:
            if cell.is_voluntary:
                stayed_away.append(score)
            else:
                others.append(score)
        kept = sorted([*sorted(stayed_away), *sorted(others)][lowest:])
        if highest:
            del kept[-highest:]
        values[name] = sum(kept, _NONE)
    return values


def direct_encounter(table: CrossTable, tied: Collection[str]) -> list[list[str]]:
    """The players of a tie in groups, best first (article 6).

    If some have not met, a player stands apart only if no missing game could overtake that player.
    """
    names = frozenset(tied)
    among = {}
    met = {}
    for name in tied:
        among[name] = [cell for cell in table[name] if cell.is_played and cell.opponent in names]
        met[name] = Counter(cell.opponent for cell in among[name])
    points = scores(among)
    most = 1
    for games_against in met.values():
        most = max([most, *games_against.values()])
    order = sorted(tied, key=lambda name: (-points[name], name))
    possible = {}
    for name in order:
        missing = len(order) - 1 - len(met[name])
        possible[name] = points[name] + most * missing
    if possible == points:
        groups = [list(group) for _, group in groupby(order, points.__getitem__)]
    else:
        groups = _unreachable(order, points, possible)
    if len(groups) == 1:
        return groups
    parts = list[list[str]]()
    for group in groups:
        parts.extend(direct_encounter(table, group))
    return parts


def _unreachable(order: list[str], points: Values, possible: Values) -> list[list[str]]:
    """The players whom nobody behind them can overtake, each alone; then all others."""
    groups = list[list[str]]()
    left = list(order)
    while len(left) > 1 and all(points[left[0]] > possible[other] for other in left[1:]):
        groups.append([left.pop(0)])
    groups.append(sorted(left))
    return groups


def _scored(table: CrossTable) -> dict[str, list[tuple[Fraction, Cell[str]]]]:
    """The cells of every player, each with the opponent's score, or the player's own without a game
    (article 16.4).
    """
    own_scores = scores(table)
    opponent_scores = {name: _seen_by_opponents(cells) for name, cells in table.items()}
    scored: dict[str, list[tuple[Fraction, Cell[str]]]] = {}
    for name, cells in table.items():
        scored[name] = []
        for cell in cells:
            score = own_scores[name]
            if cell.is_played and cell.opponent is not None:
                score = opponent_scores[cell.opponent]
            scored[name].append((score, cell))
    return scored


def _seen_by_opponents(cells: Sequence[Cell[str]]) -> Fraction:
    """A score for tie-breaks of others: byes after the last round that the player came to are draws
    (article 16.3).
    """
    last = -1
    for number, cell in enumerate(cells):
        if not cell.is_voluntary:
            last = number
    score = _NONE
    for number, cell in enumerate(cells):
        score += DRAW if number > last and cell.opponent is None else cell.points
    return score
