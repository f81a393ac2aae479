"""A game of a match, from its pairing to its ending."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from tbgen.apps.games.tags import Source
from tbgen.apps.match.control import Clock
from tbgen.apps.match.engine import Answer
from tbgen.apps.match.openings import Opening
from tbgen.apps.match.schedule import Pairing
from tbgen.apps.match.settings import PlayRules
from tbgen.rules.game import Game
from tbgen.score import Color, Score

NORMAL = "normal"
"""The tag `Termination` of a game that its rules have ended."""
ADJUDICATION = "adjudication"
"""That of a game that was decided before its rules ended it."""


@dataclass(frozen=True, slots=True)
class Ending:
    """A final score, where it comes from, why and when; `termination` is the value of the tag."""

    outcome: Score
    source: Source
    termination: str
    details: str
    table: str | None = None
    """The name of the table that decided, with the plies until the score is reached."""
    plies: int = 0


@dataclass(slots=True)
class Sheet:
    """A game, with the engines' answers by ply."""

    pairing: Pairing
    opening: Opening
    rules: PlayRules
    """With the komi of the opening, if it names one."""
    game: Game
    clocks: tuple[Clock, Clock]
    """White's and Black's."""
    started: datetime
    answers: dict[int, Answer] = field(default_factory=dict)
    ending: Ending = field(init=False)
    seconds: float = 0.0

    @property
    def players(self) -> tuple[int, int]:
        """The numbers of White and Black; of a game that is no bye."""
        assert self.pairing.black is not None, "a bye has one player"
        return self.pairing.white, self.pairing.black

    def mover_of(self, ply: int) -> Color:
        """Who makes a ply, counted from 1."""
        first = Color.of(self.game.board.root().turn)
        return first if ply % 2 else first.other

    def number_of(self, ply: int) -> str:
        """The number of a ply's move as a score sheet has it, such as `12.` or `12...`."""
        root = self.game.board.root()
        plies_before = ply - 1 + (not root.turn)
        dots = "." if self.mover_of(ply) is Color.WHITE else "..."
        return f"{root.fullmove_number + plies_before // 2}{dots}"
