"""A game as an event has it: its players, result, score and place; and byes.

>>> game = EventGame(("Ann", "Bob"), "1/2-1/2", Score(3, Color.WHITE), Scoring(), Source.GAME)
>>> str(game.points(Color.WHITE)), str(game.classical(Color.WHITE))
('9/16', '1/2')
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from fractions import Fraction
from typing import Final, NamedTuple

from tbgen.apps.games.dates import Day, day_in
from tbgen.apps.games.results import UNFINISHED, sheet_points
from tbgen.apps.games.tags import Source, number_in
from tbgen.errors import PgnError, ScoreFormatError
from tbgen.rules.points import Scoring
from tbgen.rules.stage import End
from tbgen.score import Color, Score

READ_TAGS: Final = (
    "Event",
    "Site",
    "Date",
    "Round",
    "WhiteElo",
    "BlackElo",
    "EventType",
    "MatchId",
    "MatchGame",
    "MeetingGames",
    "MatchPlayers",
    "Termination",
    "TerminationDetails",
    "RMobilityBounds",
)
"""The tags that standings read, besides the score of a game."""
BYE: Final = "bye"
"""The name that tbgen writes for no opponent."""
_NO_OPPONENT = frozenset(["bye", "byes", "freilos", "spielfrei", "exempt", "unpaired"])
"""Words of which one alone stands for no opponent, in lower case."""
_KINDS_OF_BYE = frozenset(
    ["full", "half", "zero", "point", "points", "pairing", "allocated", "requested", "1", "½", "0"]
)
"""Words that may stand beside them."""
_PHRASES = ("no opponent", "not paired", "no pairing", "no game", "sits out")
"""Other names of no opponent."""
_BETWEEN_WORDS = str.maketrans(dict.fromkeys("-_()[],.", " "))
_DASHES = ("-", "--", "–", "—")
"""Names of no opponent, too."""


def is_bye(name: str) -> bool:
    """Whether a name usually stands for no opponent.

    >>> is_bye("BYE "), is_bye("Half-point bye"), is_bye("1/2 bye"), is_bye("-")
    (True, True, True, True)
    >>> is_bye("Robert Bye"), is_bye("Half Point")
    (False, False)
    """
    if name.strip() in _DASHES:
        return True
    words = name.casefold().replace("1/2", "½").translate(_BETWEEN_WORDS).split()
    if " ".join(words) in _PHRASES:
        return True
    are_known = all(word in _NO_OPPONENT or word in _KINDS_OF_BYE for word in words)
    return are_known and any(word in _NO_OPPONENT for word in words)


class EventGame(NamedTuple):
    """A game of an event."""

    players: tuple[str, str]
    """White and Black."""
    result: str
    """The result on the score sheet."""
    final: Score
    """The score that counts, if the game is on the board."""
    scoring: Scoring
    source: Source
    missing: str | None = None
    """The table that would decide the game, if its score is provisional."""
    plies: int = 1
    tags: Mapping[str, str] = {}
    """Those of `READ_TAGS` that the game has."""
    fault: PgnError | None = None
    """The reason why the game is unreadable; its score is meaningless then."""
    file: str = ""
    """The file of the game; empty if it is from none."""
    number: int = 0
    """The number of the game in its file, from 1."""
    accrued: Score | None = None
    """The score that had accrued at the end; None if the moves are unreadable."""
    end: End | None = None
    """The rule that ended the game with its last move."""
    men: int = 0
    """The men of the last position; 0 if they are not known."""
    table: str | None = None
    """The table that decided the game, with the plies of best play if it knows them."""
    contradiction: str | None = None
    """What the file says of its result in two ways."""
    awaits_solve: bool = False
    """Whether only a solve decides the game, and nobody has solved it."""

    @property
    def is_bye(self) -> bool:
        """Whether nobody moved, against no opponent. A player who is called "bye" makes moves."""
        return not self.plies and any(is_bye(name) for name in self.players)

    @property
    def is_on_the_board(self) -> bool:
        """Whether the game has a score.

        A bye, a forfeit and an unreadable game are on the sheet alone.
        """
        is_forfeit = not self.plies and self.source is Source.RESULT
        is_by_sheet = self.source is Source.SHEET or self.fault is not None
        return not (is_forfeit or is_by_sheet or self.is_bye)

    @property
    def counts_by_sheet(self) -> bool:
        """Whether an unreadable game has two players and a result on its score sheet."""
        names = [name.strip() for name in self.players]
        has_players = "?" not in names and "" not in names
        return self.fault is not None and has_players and self.result != UNFINISHED

    def points(self, side: Color) -> Fraction:
        """A side's r-mobility points; those of the sheet if the game has no score."""
        if self.is_on_the_board:
            return self.scoring.points(self.final)[side]
        return self.classical(side)

    def classical(self, side: Color) -> Fraction:
        """A side's points on the score sheet."""
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

    @property
    def round_name(self) -> str:
        """The round as people name it, such as `Round 3` or `Final`; empty if there is none."""
        if self.round_number:
            return f"Round {self.round_number}"
        name = " ".join(self.tags.get("Round", "?").split())
        return "" if name in ("?", "-", "0") else name

    @property
    def day(self) -> Day | None:
        """The day of the game; None without one."""
        return day_in(self.tags.get("Date", ""))

    @property
    def event(self) -> str:
        """The name of the event; empty if it has none."""
        name = " ".join(self.tags.get("Event", "?").split())
        return "" if name == "?" else name


def tags_for_standings(tags: Mapping[str, str]) -> dict[str, str]:
    """The tags of a game that standings read."""
    return {name: tags[name] for name in READ_TAGS if name in tags}
