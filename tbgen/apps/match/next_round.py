"""The next round of a Swiss tournament that is played elsewhere, by people or by engines.

Its players are lines of a list, strongest first, and its rounds are games.

>>> entries = parse_entries("Ann\\nBob | half 3, until 4\\nCid | from 2")
>>> [entry.name for entry in entries], entries[1].plays_in(5), entries[2].plays_in(1)
(['Ann', 'Bob', 'Cid'], False, False)
>>> first = next_round(entries, [], rounds=5)
>>> first.number, [(pair.white, pair.black) for pair in first.pairs]
(1, [('Ann', 'Bob')])
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from tbgen.apps.events.players import no_players
from tbgen.apps.events.tiebreaks import Cell
from tbgen.apps.games.event_game import BYE, EventGame, is_bye
from tbgen.apps.games.results import DOUBLE_FORFEIT, DRAWN, UNFINISHED
from tbgen.apps.games.tags import number_in
from tbgen.apps.games.writing import format_game
from tbgen.apps.match.swiss import Round, pairs_of
from tbgen.errors import UsageError
from tbgen.facts import facts_of
from tbgen.score import Color
from tbgen.text import counted, nearest

HALF: Final = Fraction(1, 2)
NONE: Final = Fraction(0)

_COMMENT = "#"
_SEPARATOR = "|"
"""It parts a name from what is said about the player."""
_BYES: Final = {"half": HALF, "zero": NONE}
"""Word -> the points of a game for a bye that was asked for in advance."""
_ADVICE = "write: from N, until N, half N or zero N, with commas between"
_MOST_NAMED = 3
"""The most games that an error names."""


@dataclass(frozen=True, slots=True)
class PlayerEntry:
    """A player of a tournament, with the rounds without a game."""

    name: str
    first_round: int = 1
    last_round: int | None = None
    """The last round before the player withdraws; None without a withdrawal."""
    byes: Mapping[int, Fraction] = field(default_factory=dict)
    """Round -> the points of each game for a bye that was asked for in advance."""

    def plays_in(self, number: int) -> bool:
        """Whether the player is to be paired in a round."""
        return self.is_in(number) and number not in self.byes

    def is_in(self, number: int) -> bool:
        """Whether the player has come and has not withdrawn."""
        has_left = self.last_round is not None and number > self.last_round
        return number >= self.first_round and not has_left


def parse_entries(text: str) -> list[PlayerEntry]:
    """The players of a list, a line each; UsageError names a line that makes no sense.

    A line has a name, and after `|` the rounds that are special, such as `from 2, half 5`. Empty
    lines and those that begin with `#` mean nothing.
    """
    entries = list[PlayerEntry]()
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith(_COMMENT):
            continue
        name, _, words = line.partition(_SEPARATOR)
        try:
            entries.append(_entry_of(" ".join(name.split()), words))
        except UsageError as error:
            raise UsageError(f"line {number}: {error}") from None
    for name, times in Counter(entry.name for entry in entries).items():
        if times > 1:
            raise UsageError(f"{name} is there {times} times; give each player a name")
    return entries


def _entry_of(name: str, words: str) -> PlayerEntry:
    if not name:
        raise UsageError("it has no name")
    if is_bye(name):
        raise UsageError(f"{name!r} stands for no opponent; give the player another name")
    first_round = 1
    last_round: int | None = None
    byes = dict[int, Fraction]()
    for part in filter(str.strip, words.split(",")):
        word, _, rest = part.strip().partition(" ")
        number = number_in(rest.strip())
        if number < 1:
            raise UsageError(f"{part.strip()!r} names no round; {_ADVICE}")
        if word == "from":
            first_round = number
        elif word == "until":
            last_round = number
        elif word not in _BYES:
            raise UsageError(f"{part.strip()!r} is unknown; {_ADVICE}")
        elif number in byes:
            raise UsageError(f"round {number} has two byes; name one")
        else:
            byes[number] = _BYES[word]
    if last_round is not None and last_round < first_round:
        raise UsageError(f"'until {last_round}' is before 'from {first_round}'")
    return PlayerEntry(name, first_round, last_round, byes)


def entries_of(games: Iterable[EventGame]) -> list[PlayerEntry]:
    """The players of some games by their highest ratings; those without one come last."""
    ratings = dict[str, int]()
    every_game = list(games)
    byes = no_players(every_game)
    for game in every_game:
        for name, tag in zip(game.players, ("WhiteElo", "BlackElo"), strict=True):
            if name not in byes:
                rating = number_in(game.tags.get(tag, ""))
                ratings[name] = max(ratings.get(name, 0), rating)
    return [PlayerEntry(name) for name in sorted(ratings, key=ratings.__getitem__, reverse=True)]


@dataclass(frozen=True, slots=True)
class BoardPair:
    """Two players who meet, with their points so far."""

    board: int
    white: str
    black: str
    white_points: Fraction
    black_points: Fraction

    def facts(self) -> dict[str, Any]:
        """The pair as JSON has it."""
        return facts_of(self, "board", "white", "black", "white_points", "black_points")


@dataclass(frozen=True, slots=True)
class Bye:
    """A player without an opponent."""

    player: str
    points: Fraction
    """The points of each game."""
    is_asked: bool
    """Whether the player asked for it in advance."""

    @property
    def opponent(self) -> str:
        """The name in place of an opponent's, by which standings know a bye."""
        if not self.is_asked:
            return BYE
        return "half-point bye" if self.points == HALF else "zero-point bye"

    @property
    def result(self) -> str:
        """The result on the score sheet, with the player as White."""
        if not self.is_asked:
            return "1-0"
        return DRAWN if self.points == HALF else DOUBLE_FORFEIT

    def facts(self) -> dict[str, Any]:
        """The bye as JSON has it."""
        return facts_of(self, "player", "points", "opponent")


@dataclass(frozen=True, slots=True)
class NextRound:
    """Who meets whom."""

    number: int
    pairs: Sequence[BoardPair]
    byes: Sequence[Bye]
    absent: Sequence[str]
    """Players who have not come yet, or have withdrawn."""
    games: int
    """The games of an encounter."""

    def facts(self) -> dict[str, Any]:
        """The round as JSON has it."""
        return facts_of(self, "number", "pairs", "byes", "absent", "games")

    def to_pgn(self, tags: Mapping[str, str]) -> str:
        """The games of the round without moves, byes with their results, to be filled in.

        Arguments:
            tags: Tags of all games, such as `Event`.
        """
        texts = list[str]()
        for pair in self.pairs:
            for game in range(self.games):
                names = (pair.white, pair.black) if game % 2 == 0 else (pair.black, pair.white)
                number = f"{self.number}.{pair.board}"
                texts.append(_empty_game(tags, number, names, UNFINISHED))
        for bye in self.byes:
            names = (bye.player, bye.opponent)
            for _ in range(self.games):
                texts.append(_empty_game(tags, str(self.number), names, bye.result))
        return "".join(texts)


def _empty_game(tags: Mapping[str, str], number: str, names: tuple[str, str], result: str) -> str:
    white, black = names
    own_tags = {"Round": number, "White": white, "Black": black, "Result": result}
    return format_game({**tags, **own_tags}, []) + "\n\n"


def next_round(
    entries: Sequence[PlayerEntry], games: Sequence[EventGame], *, rounds: int, encounter: int = 0
) -> NextRound:
    """The pairs of the round after the last one.

    Arguments:
        entries: The players, strongest first.
        games: The games of all rounds so far, byes among them.
        rounds: The number of rounds of the tournament.
        encounter: The games of an encounter; 0 takes as many as the rounds so far have.

    Raises:
        UsageError: A round has unfinished games, or unknown players, or all have been played.
    """
    for entry in entries:
        _refuse_later_rounds(entry, rounds)
    past = _Past(entries, games)
    number = past.last_round + 1
    if number > rounds:
        raise UsageError(f"all {counted(rounds, 'round', 'rounds')} have been played")
    most_games = encounter or past.most_games
    history = [past.round(past_number) for past_number in range(1, number)]
    playing = [entry.plays_in(number) for entry in entries]
    if sum(playing) < 2:
        raise UsageError(f"round {number} has fewer than two players")
    absent = {player for player, is_playing in enumerate(playing) if not is_playing}
    points = [sum((cells[n].points for cells in history), NONE) for n in range(len(entries))]
    pairs = list[BoardPair]()
    byes = list[Bye]()
    absent_names = list[str]()
    for first, second in pairs_of(history, len(entries), rounds, most_games, absent):
        if second is None:
            byes.append(Bye(entries[first].name, Fraction(1), is_asked=False))
            continue
        pairs.append(
            BoardPair(
                len(pairs) + 1,
                entries[first].name,
                entries[second].name,
                points[first],
                points[second],
            )
        )
    for entry in entries:
        if number in entry.byes:
            byes.append(Bye(entry.name, entry.byes[number], is_asked=True))
        elif not entry.is_in(number):
            absent_names.append(entry.name)
    return NextRound(number, pairs, byes, absent_names, most_games)


def _refuse_later_rounds(entry: PlayerEntry, rounds: int) -> None:
    """UsageError if a list names a round for a player that the tournament does not have."""
    for number in (entry.first_round, *entry.byes):
        if number > rounds:
            raise UsageError(f"{entry.name}: round {number} is after the last one, {rounds}")


class _Past:
    """The rounds that have been played."""

    def __init__(self, entries: Sequence[PlayerEntry], games: Sequence[EventGame]) -> None:
        self._numbers = {entry.name: number for number, entry in enumerate(entries)}
        self._byes = no_players(games)
        self._have_moves = any(game.plies for game in games)
        self._games = dict[int, list[EventGame]]()
        for game in games:
            self._games.setdefault(game.round_number, []).append(game)
        if 0 in self._games:
            those = counted(len(self._games[0]), "game has", "games have")
            raise UsageError(f'{those} no round; give each a tag such as [Round "1"]')
        self.last_round = max(self._games, default=0)
        for number in range(1, self.last_round + 1):
            self._refuse_open_round(number)

    @property
    def most_games(self) -> int:
        """The most games of two players in a round."""
        most = 1
        for games in self._games.values():
            meetings = Counter(frozenset(game.players) for game in games)
            most = max(most, *meetings.values())
        return most

    def _refuse_open_round(self, number: int) -> None:
        """UsageError if a round is missing, not over, or has games that nobody can count."""
        if number not in self._games:
            raise UsageError(f"round {number} has no games, but round {self.last_round} has")
        open_games = []
        for game in self._games[number]:
            if game.fault is not None and not game.counts_by_sheet:
                raise UsageError(f"round {number} has a game that nobody can count: {game.fault}")
            if game.result == UNFINISHED:
                open_games.append(" - ".join(game.players))
        if open_games:
            named = "; ".join(open_games[:_MOST_NAMED])
            if len(open_games) > _MOST_NAMED:
                named += f" and {len(open_games) - _MOST_NAMED} more"
            them = counted(len(open_games), "game", "games")
            raise UsageError(f"round {number} has {them} without a result: {named}")

    def round(self, number: int) -> Round:
        """The cells of all players in a round; those without a game were absent."""
        cells = Round()
        for game in self._games[number]:
            is_forfeit = self._have_moves and not game.plies and game.result != DRAWN
            for side in Color:
                name = game.players[side]
                if name in self._byes:
                    continue
                player = self._number_of(name, number)
                opponent: int | None = None
                opponent_name = game.players[side.other]
                if opponent_name not in self._byes and not is_forfeit:
                    opponent = self._number_of(opponent_name, number)
                cell = Cell(opponent, game.points(side), side=side)
                cells[player] = _joined(cells.get(player), cell, name, number)
        for player in self._numbers.values():
            cells.setdefault(player, Cell(None, NONE))
        return cells

    def _number_of(self, name: str, number: int) -> int:
        if name not in self._numbers:
            raise UsageError(
                f"round {number}: {name!r} is not in the list of players"
                f"{nearest(name, self._numbers)}"
            )
        return self._numbers[name]


def _joined(before: Cell[int] | None, cell: Cell[int], name: str, number: int) -> Cell[int]:
    """The cell of all games of a player in a round; the colour is that of the first."""
    if before is None:
        return cell
    if None not in (before.opponent, cell.opponent) and before.opponent != cell.opponent:
        raise UsageError(f"round {number}: {name} has met more than one opponent")
    opponent = cell.opponent if before.opponent is None else before.opponent
    return Cell(opponent, before.points + cell.points, side=before.side)
