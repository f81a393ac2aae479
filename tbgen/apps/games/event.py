"""Standings of an event: cross table, sums of points and tie-breaks.

>>> games = [EventGame(("Ann", "Bob"), "1/2-1/2", Score(3, Color.WHITE), Scoring(), Source.GAME)]
>>> [(row.rank, row.name, str(row.points), str(row.classical)) for row in Standings(games).rows]
[(1, 'Ann', '9/16', '1/2'), (2, 'Bob', '7/16', '1/2')]
"""

from __future__ import annotations

import itertools
import math
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Any, Final, Generic, NamedTuple

from tbgen.apps.games import tiebreaks
from tbgen.apps.games.results import DRAWN, UNFINISHED, sheet_points, winner_of
from tbgen.apps.games.tags import KNOCKOUT, Source, number_in
from tbgen.apps.games.tiebreaks import Cell, CrossTable, Entrant, Values
from tbgen.errors import ScoreFormatError
from tbgen.facts import facts_of
from tbgen.rules.points import DRAW, LOSS, OTB_CUTOFF_CODE, WIN, Scheme, Scoring, lexicographic_key
from tbgen.score import MOST_CODE, STALEMATE_CODE, Color, Score
from tbgen.text import counted

READ_TAGS: Final = (
    "Event",
    "Round",
    "WhiteElo",
    "BlackElo",
    "EventType",
    "MatchGame",
    "MeetingGames",
    "Termination",
    "RMobilityBounds",
)
"""The tags that standings read, besides the score of a game."""
_CRASHES: Final = ("abandoned", "stalled connection")
"""Values of the tag Termination if an engine crashed or fell silent."""
_ELO_FACTOR = 32
"""The change of Elo for a point above expectation, as in TCEC's referee."""
_MOST_NAMED = 6
"""The most missing tables that a sentence names."""
BYE: Final = "bye"
"""The name of no opponent, in upper or lower case."""

MORE_GAMES: Final = 2
"""The number of games that extend a tie with equal points."""
MOST_EXTENSIONS: Final = 4
"""After so many extensions the holder of the last game's score goes on."""

TieBreak = str
"""A criterion by which players are ranked, one of `TIE_BREAKS`.

`classical` is points by the sheet, a win 1 and a draw 1/2. `points` is the sum of r-mobility points. `net` is the
lexicographic order of the rules: stalemates given minus suffered, then the same for G1.0, G1.5 and so on. The others
come from the cross table, and count the kind of points that ranks first.
"""

ON_TABLE: Final[Mapping[TieBreak, Callable[[CrossTable], Values]]] = {
    "sonneborn-berger": tiebreaks.sonneborn_berger,
    "buchholz": tiebreaks.buchholz,
    "buchholz-cut-1": partial(tiebreaks.buchholz, lowest=1),
    "buchholz-median": partial(tiebreaks.buchholz, lowest=1, highest=1),
    "wins": tiebreaks.wins,
    "double-wins": tiebreaks.double_wins,
    "quick-wins": partial(tiebreaks.lengths, points=WIN, is_more_better=False),
    "long-losses": partial(tiebreaks.lengths, points=LOSS, is_more_better=True),
}

TIE_BREAKS: Final[tuple[TieBreak, ...]] = (
    "classical",
    "points",
    "net",
    "direct-encounter",
    *ON_TABLE,
)
DEFAULT_ORDER: Final[tuple[TieBreak, ...]] = ("points", "net", "direct-encounter", "classical")
"""By r-mobility points first, as the rules demand; under --scoring classical they are the ordinary points."""

PRESETS: Final[Mapping[str, tuple[TieBreak, ...]]] = {
    "tcec-swiss": ("classical", "sonneborn-berger", "points", "wins", "direct-encounter"),
    "tcec-league": (
        "classical",
        "direct-encounter",
        "sonneborn-berger",
        "points",
        "double-wins",
        "quick-wins",
        "long-losses",
    ),
    "otb": (
        "points",
        "direct-encounter",
        "buchholz-cut-1",
        "buchholz",
        "sonneborn-berger",
        "wins",
        "net",
    ),
}
"""Name -> criteria in order; docs/adjudication.md names the rules behind them."""


def is_bye(name: str) -> bool:
    """Whether a name stands for no opponent."""
    return name.strip().casefold() == BYE


class EventGame(NamedTuple):
    """A game of an event."""

    players: tuple[str, str]
    """White and Black."""
    result: str
    """The result on the score sheet."""
    final: Score
    scoring: Scoring
    source: Source
    missing: str | None = None
    """The table that would decide the game, if its score is provisional."""
    plies: int = 1
    tags: Mapping[str, str] = {}
    """Those of `READ_TAGS` that the game has."""

    @property
    def is_on_the_board(self) -> bool:
        """Whether moves were made. A bye, a forfeit or a draw without moves is on the sheet alone."""
        is_forfeit = not self.plies and self.source is Source.RESULT
        return not (is_forfeit or self.source is Source.SHEET or any(map(is_bye, self.players)))

    def points(self, side: Color) -> Fraction:
        """A side's r-mobility points; those of the sheet if the game was not played on the board."""
        return (
            self.scoring.points(self.final)[side] if self.is_on_the_board else self.classical(side)
        )

    def classical(self, side: Color) -> Fraction:
        """A side's points by the result of ordinary chess."""
        return sheet_points(self.result, side)

    @property
    def is_disproved(self) -> bool:
        """Whether its score lies outside the bounds that its tag has."""
        with suppress(ValueError, ScoreFormatError):
            lower, upper = map(Score, self.tags.get("RMobilityBounds", "").split())
            return not lower <= self.final <= upper
        return False

    @property
    def round_number(self) -> int:
        """The whole number with which the tag `Round` begins; 0 if there is none."""
        return number_in(self.tags.get("Round", "?").partition(".")[0])


@dataclass(slots=True)
class PlayerRow:
    """A player's row."""

    name: str
    rank: int = 0
    games: int = 0
    points: Fraction = Fraction(0)
    classical: Fraction = Fraction(0)
    met: dict[str, list[tuple[EventGame, Color]]] = field(default_factory=dict)
    """Opponent -> the games, with the player's side in each."""
    figures: dict[TieBreak, Fraction] = field(default_factory=dict)
    """Criterion of the cross table -> the player's value."""

    def add(self, game: EventGame, side: Color) -> None:
        """Count a game in which the player had this side."""
        self.games += 1
        self.points += game.points(side)
        self.classical += game.classical(side)
        self.met.setdefault(game.players[side.other], []).append((game, side))

    def points_against(self, opponent: str) -> list[Fraction]:
        """R-mobility points, game by game."""
        return [game.points(side) for game, side in self.met.get(opponent, [])]

    def net(self, most_code: int = MOST_CODE) -> tuple[int, ...]:
        """The net counts that the lexicographic order compares, up to a code."""
        played = (
            (side, game.final)
            for met in self.met.values()
            for game, side in met
            if game.is_on_the_board
        )
        return lexicographic_key(played, most_code)

    def opponents(self, indices: Mapping[str, int]) -> list[str]:
        """The opponents in the list, in its order, so without byes."""
        return sorted(self.met.keys() & indices.keys(), key=indices.__getitem__)

    def facts(self, indices: Mapping[str, int]) -> dict[str, Any]:
        """The line as JSON has it; `indices` has the order of all players."""
        return facts_of(
            self,
            *("rank", "name", "games", "classical", "points"),
            points_exact=str(self.points),
            net={
                str(Score(code, Color.WHITE)): count
                for code, count in enumerate(self.net(), STALEMATE_CODE)
                if count
            },
            tiebreaks=self.figures,
            against={
                name: list(map(str, self.points_against(name))) for name in self.opponents(indices)
            },
        )


class Tie(NamedTuple, Generic[Entrant]):
    """Two players in a round of a knockout, the second None for a bye; `winner` goes on, if the tie is decided."""

    players: tuple[Entrant, Entrant]
    points: tuple[Fraction, Fraction]
    winner: Entrant | None
    decided_by: str | None
    """The decision: `bye`, `points`, `r-mobility` for equal points, or `last game`."""


def tie_of(
    players: tuple[Entrant, Entrant], games: Sequence[tuple[Entrant, EventGame]], length: int
) -> Tie[Entrant]:
    """Two players of a knockout after some games, each given with its White; a tie begins with `length` games.

    Equal points are decided by the points of the same games under `exponential`; then two more games follow, and
    after four such extensions the holder of the last game's score goes on.
    """
    first, second = players
    sides = [(Color.WHITE if white == first else Color.BLACK, game) for white, game in games]
    points = sum((game.points(side) for side, game in sides), Fraction(0))
    extensions, rest = divmod(len(games) - length, MORE_GAMES)
    leads: dict[str, Fraction | int] = {"bye": int(second is None)}
    if second is not None and extensions >= 0 and not rest:
        strict = sum(
            (game._replace(scoring=Scoring()).points(side) for side, game in sides), Fraction(0)
        )
        leads = {"points": 2 * points - len(games), "r-mobility": 2 * strict - len(games)}
        if extensions >= MOST_EXTENSIONS:
            leads["last game"] = 1 if sides[-1][1].final.holder is sides[-1][0] else -1
    by = next((each for each, lead in leads.items() if lead), None)
    winner = None if by is None else (first if leads[by] > 0 else second)
    return Tie(players, (points, len(games) - points), winner, by)


def knockout_rounds(games: Sequence[EventGame]) -> dict[int, list[Tie[str]]]:
    """Round -> the ties of a knockout; empty for other events. A player of a later round has gone on."""
    met: dict[tuple[int, frozenset[str]], list[EventGame]] = {}
    for game in games:
        if game.tags.get("EventType") == KNOCKOUT:
            met.setdefault((game.round_number, frozenset(game.players)), []).append(game)
    least = min(map(len, met.values()), default=0)
    rounds: dict[int, list[Tie[str]]] = {}
    for (number, _), each in met.items():
        each.sort(key=lambda game: number_in(game.tags.get("MatchGame", "")))
        length = number_in(each[0].tags.get("MeetingGames", "")) or least
        tie = tie_of(each[0].players, [(game.players[Color.WHITE], game) for game in each], length)
        later = {name for other, names in met if other > number for name in names}
        winner = next((name for name in tie.players if name in later), tie.winner)
        rounds.setdefault(number, []).append(tie._replace(winner=winner))
    return dict(sorted(rounds.items()))


def cross_table(
    games: Sequence[EventGame], points: Callable[[EventGame, Color], Fraction]
) -> CrossTable:
    """The cells of all players, round by round.

    A game against "bye" is no game. A decided game without moves is a forfeit, if other games have moves. A player
    without a game in a round was absent, unless the round is the last one, which may still be running.
    """
    have_moves = any(game.plies for game in games)
    numbers = sorted({game.round_number for game in games})
    rounds: dict[str, dict[int, list[Cell[str]]]] = {}
    for game in games:
        forfeit = have_moves and not game.plies and game.result != DRAWN
        for side in Color:
            opponent = None if is_bye(game.players[side.other]) else game.players[side.other]
            cell = Cell(
                opponent,
                points(game, side),
                not forfeit and opponent is not None,
                side,
                (game.plies + 1) // 2,
            )
            rounds.setdefault(game.players[side], {}).setdefault(game.round_number, []).append(cell)
    absent = [Cell[str](None, LOSS, is_played=False)]
    table = {}
    for name, played in rounds.items():
        complete = numbers if len(numbers) > 1 and numbers[-2] not in played else numbers[:-1]
        cells = (played.get(number, absent if number in complete else []) for number in numbers)
        table[name] = [cell for each in cells for cell in each]
    return tiebreaks.settled({name: cells for name, cells in table.items() if not is_bye(name)})


class Standings:
    """The rows of an event, best first. Players with equal criteria share a rank and are sorted by name."""

    def __init__(
        self, games: Iterable[EventGame], order: Sequence[TieBreak] = DEFAULT_ORDER
    ) -> None:
        given = list(games)
        self.finished = [game for game in given if game.result != UNFINISHED]
        """The games that count: those with a result."""
        self.order = tuple(order)
        self.unfinished = len(given) - len(self.finished)
        self.doubtful = [game for game in self.finished if game.source is Source.PROVISIONAL]
        """The games whose score is provisional."""
        self.provisional = Counter[str | None](
            name
            for game in self.doubtful
            for name in (game.missing.split() if game.missing else [None])
        )
        """Missing table -> the number of provisional games that lack it; None for games without a table."""
        self.schemes = Counter(game.scoring.scheme for game in self.finished)
        by_sheet = next((by for by in self.order if by in ("classical", "points")), None)
        self.table = cross_table(
            self.finished, EventGame.classical if by_sheet == "classical" else EventGame.points
        )
        self._rows: dict[str, PlayerRow] = {}
        for game in self.finished:
            for side in Color:
                name = game.players[side]
                self._rows.setdefault(name, PlayerRow(name)).add(game, side)
        tabled = {by: ON_TABLE[by](self.table) for by in self.order if by in ON_TABLE}
        most_code = (
            OTB_CUTOFF_CODE - 1 if set(self.schemes) == {Scheme.OTB} else MOST_CODE
        )  # over the board G3.5
        values: dict[TieBreak, Mapping[str, Any]] = {
            "classical": {name: row.classical for name, row in self._rows.items()},
            "points": {name: row.points for name, row in self._rows.items()},
            "net": {name: row.net(most_code) for name, row in self._rows.items()},
            **tabled,
        }
        criteria = {by: tiebreaks.by_value(each) for by, each in values.items()}
        criteria["direct-encounter"] = partial(tiebreaks.direct_encounter, self.table)
        self.rows: list[PlayerRow] = []
        for group in tiebreaks.ranking(sorted(self.table), (criteria[by] for by in self.order)):
            rank = len(self.rows) + 1
            for name in group:
                figures = {by: values[name] for by, values in tabled.items()}
                self.rows.append(replace(self._rows[name], rank=rank, figures=figures))
        self.indices = {row.name: index for index, row in enumerate(self.rows)}
        """Player -> index in `rows`."""

    @property
    def event(self) -> str:
        """The name of the event, or the common part of several names; empty if there is none."""
        names = {game.tags.get("Event", "?") for game in self.finished} - {"?"}
        words = zip(*(name.split() for name in names), strict=False)
        common = itertools.takewhile(lambda each: len(set(each)) == 1, words)
        return " ".join(each[0] for each in common).strip(" -–,:;|/")

    @property
    def caveat(self) -> str:
        """The provisional scores in words, if there are any."""
        lacking = [
            (name, games) for name, games in self.provisional.most_common() if name is not None
        ]
        named, more = (
            [f"{name} ({games})" for name, games in lacking[:_MOST_NAMED]],
            len(lacking) - _MOST_NAMED,
        )
        reasons = (
            [f"no table {', '.join(named)}{f' and {more} others' if more > 0 else ''}"]
            if named
            else []
        )
        if self.provisional[None]:
            reasons.append(f"bounds alone, or no name of a table ({self.provisional[None]})")
        number, finished = len(self.doubtful), counted(len(self.finished), "game", "games")
        said = f"{number:,} of {finished} {'is' if number == 1 else 'are'} provisional: {', '.join(reasons)}"
        if disproved := sum(game.is_disproved for game in self.doubtful):
            said += f"; the bounds of {counted(disproved, 'game', 'games')} exclude the score that ranks here"
        return said

    def doubts(self) -> Iterator[str]:
        """Names that may mean one player, games of a player against herself, and games without the name of a player."""
        alike: dict[str, list[str]] = {}
        for name in sorted(self._rows):
            plain = " ".join(unicodedata.normalize("NFKC", name).casefold().split())
            alike.setdefault(plain, []).append(name)
        for names in alike.values():
            if len(names) > 1 and not is_bye(names[0]):
                quoted = " and ".join(f'"{name}"' for name in names)
                yield f"{quoted} are {len(names)} players here; only spaces, case or composed letters tell them apart"
        if nameless := sum(
            not {"", "?"}.isdisjoint(map(str.strip, game.players)) for game in self.finished
        ):
            yield f"{counted(nameless, 'game names', 'games name')} no player as White or Black"
        for name, row in self._rows.items():
            if name in row.met and name.strip() not in ("", "?"):
                yield f'{counted(len(row.met[name]) // 2, "game", "games")} of "{name}" against the same player'

    def facts(self) -> dict[str, Any]:
        """The standings as JSON has them."""
        return {
            "tiebreak": list(self.order),
            "scoring": [scheme.value for scheme in self.schemes],
            **facts_of(self, "unfinished"),
            "provisional": {name or "?": number for name, number in self.provisional.most_common()},
            "players": [row.facts(self.indices) for row in self.rows],
        }


def in_decimals(points: Fraction) -> str:
    """Points with no more than four decimals.

    >>> in_decimals(Fraction(9, 16)), in_decimals(Fraction(1, 3)), in_decimals(Fraction(2))
    ('0.5625', '0.3333', '2')
    """
    return f"{float(round(points, 4)):.15g}"


def tcec_json(standings: Standings) -> dict[str, Any]:
    """The cross table in the shape of the file `crosstable.json` that the site of TCEC reads."""
    order = standings.indices
    neustadtl = tiebreaks.sonneborn_berger(cross_table(standings.finished, EventGame.classical))
    ratings = {
        game.players[side]: number_in(game.tags.get(f"{side}Elo", ""))
        for game in standings.finished
        for side in Color
    }
    numbers = {id(game): number for number, game in enumerate(standings.finished, 1)}
    table: dict[str, dict[str, Any]] = {}
    for row in standings.rows:
        games = [each for name in row.opponents(order) for each in row.met[name]]
        counts = Counter((side, game.classical(side)) for game, side in games)
        gains = (
            float(game.classical(side))
            - 1 / (1 + 10 ** ((ratings[game.players[side.other]] - ratings[row.name]) / 400))
            for game, side in games
            if all(ratings[name] for name in game.players)
        )
        table[row.name] = {
            "Abbreviation": _abbreviation(
                row.name, [each["Abbreviation"] for each in table.values()]
            ),
            "Elo": _ELO_FACTOR * math.fsum(gains),
            "Games": len(games),
            **{
                f"GamesAs{side}": sum(counts[side, result] for result in (WIN, DRAW, LOSS))
                for side in Color
            },
            **{f"WinsAs{side}": counts[side, WIN] for side in Color},
            **{f"LossAs{side}": counts[side, LOSS] for side in Color},
            "Neustadtl": float(neustadtl[row.name]),
            "Performance": float(100 * row.classical / row.games),
            "RMobilityScore": float(row.points),
            "Rank": row.rank,
            "Rating": ratings[row.name],
            "Results": {name: _meetings(row, name, numbers) for name in order if name != row.name},
            "Score": float(row.classical),
            "Strikes": sum(
                game.tags.get("Termination", "").lower() in _CRASHES
                and game.classical(side) == LOSS
                for game, side in games
            ),
        }
    return {"Event": standings.event, "Order": list(order), "Table": table}


def _meetings(row: PlayerRow, opponent: str, numbers: Mapping[int, int]) -> dict[str, Any]:
    """A player's games against another, as the cell of a cross table of TCEC."""
    games = row.met.get(opponent, [])
    results = [game.classical(side) for game, side in games]
    return {
        "H2h": float(sum(results)),
        "Scores": [
            {
                "Color": 0 if side is Color.WHITE else 1,
                "Game": numbers[id(game)],
                "Result": float(result),
                "Winner": str(winner_of(game.result) or "None"),
            }
            for (game, side), result in zip(games, results, strict=True)
        ],
        "Text": "".join({WIN: "1", DRAW: "=", LOSS: "0"}[result] for result in results),
    }


def _abbreviation(name: str, taken: Collection[str]) -> str:
    """Two characters for a player in a narrow table: the first of the name, and the next one that is free."""
    letters = (name[:1].upper() + letter.lower() for letter in name[1:] + " 0123456789")
    return next((each for each in letters if each not in taken), name)
